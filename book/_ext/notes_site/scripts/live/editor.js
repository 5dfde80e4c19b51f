// The code of a cell, to be changed where it stands; its colours are those of the page's code.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";

// The names that Pygments gives.
const looks = syntaxHighlighting(tagHighlighter([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "k" },
  { tag: tags.operatorKeyword, class: "ow" },
  { tag: tags.operator, class: "o" },
  { tag: tags.string, class: "s" },
  { tag: tags.docString, class: "sd" },
  { tag: tags.comment, class: "c1" },
  { tag: tags.number, class: "mi" },
  { tag: [tags.bool, tags.null], class: "kc" },
  { tag: tags.function(tags.definition(tags.variableName)), class: "nf" },
  { tag: tags.definition(tags.className), class: "nc" },
  { tag: tags.meta, class: "nd" },
]));

/** An editor in the place of an element, which stays, unseen: a button copies its text.
 * @param {HTMLElement} place
 * @param {string} text
 * @param {{ label: string, change: (text: string) => void, run: () => void }} does
 * @returns {{ set: (text: string) => void, focus: () => void }} */
export function edit(place, text, { label, change, run }) {
  const keys = [{ key: "Shift-Enter", run: () => (run(), true) }, { key: "Mod-Enter", run: () => (run(), true) }];
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([...keys, ...defaultKeymap, ...historyKeymap]),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        bracketMatching(),
        python(),
        looks,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of(({ docChanged, state: { doc } }) => {
          if (!docChanged) return;
          place.textContent = doc.toString();
          change(doc.toString());
        }),
      ],
    }),
  });
  place.textContent = text;
  place.hidden = true;
  place.before(view.dom);
  return {
    set: (now) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } }),
    focus: () => view.focus(),
  };
}
