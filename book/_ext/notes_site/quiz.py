"""Ask self-check questions: `{quiz}`, answered on the page, without a kernel and JavaScript.

    :::{quiz}
    The question, in one paragraph or more.

    - ✓ The right option.

      Why it is right.
    - A wrong option.

      The misconception behind it, and what is true instead.
    :::

The source is an ordinary list, so that it can be read (and translated) as it stands, and so that
builders other than HTML print a list. In HTML each option is a `<details>`: choosing one opens its
answer and, since all share a name, closes the one before.

In print the answers stay hidden: a question is to be thought about first, and the site has them.
"""

import re
import unicodedata
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from .editions import speaker
from .formulas import plain
from .npm import tools
from .statements import html

RIGHT = "✓ "
#: Subscript letters, which screen readers skip.
SUBSCRIPT = re.compile("[₀-ₜᵢⱼ]+")


class Quiz(SphinxDirective):
    """One question and its options."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Check the list, and mark the right option."""
        box = nodes.container(classes=["quiz"])
        box.document = self.state.document
        self.set_source_info(box)
        self.state.nested_parse(self.content, self.content_offset, box)
        if not (len(box) > 1 and isinstance(box[-1], nodes.bullet_list)):
            raise self.error("quiz: expected a question and then a bullet list of options.")
        options = list(box[-1])
        right = [item for item in options if item.astext().startswith(RIGHT)]
        if len(right) != 1:
            raise self.error(f"quiz: {len(right)} options begin with '{RIGHT}'; exactly one must.")
        for item in options:
            if len(item) < 2:
                raise self.error(
                    f"quiz: the option '{item.astext()}' has no feedback; "
                    "add a paragraph below it that says why it is right or wrong."
                )
        right[0]["classes"].append("right")
        return [box]


class NumberQuizzes(SphinxPostTransform):
    """Adds the heading "Self-check" to each quiz, with the chapter's number and its own."""

    default_priority = 400

    def run(self, **_kwargs: Any) -> None:
        """Number the quizzes of a page in their order."""
        say = speaker(self.config.language)
        chapter = self.env.toc_secnumbers.get(self.env.docname, {}).get("", ())[:1]
        for count, box in enumerate(quizzes(self.document), 1):
            box["number"] = ".".join(map(str, [*chapter, count]))
            title = say("Self-check {number}").format(number=box["number"])
            box.insert(0, nodes.paragraph("", title, classes=["quiz-title"]))


class HtmlOptions(SphinxPostTransform):
    """Turns the list of each quiz into folds, for HTML."""

    default_priority = 401
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Replace the lists."""
        say = speaker(self.config.language)
        verdicts = {"right": say("Right."), "wrong": say("Not so.")}
        for box in quizzes(self.document):
            for item in box.pop():
                kind = "right" if "right" in item["classes"] else "wrong"
                text, *answer = item
                if kind == "right":
                    mark = next(iter(text.findall(nodes.Text)))
                    mark.parent.replace(mark, nodes.Text(mark.removeprefix(RIGHT)))
                said = spoken(self.app, text)
                hidden = ' aria-hidden="true"' if said else ""
                name = f"quiz-{box['number']}"
                box += [
                    html(f'<details class="quiz-option {kind}" name="{name}"><summary>{said}'),
                    html(f'<span class="quiz-text"{hidden}>'),
                    *text.children,
                    html("</span></summary>\n"),
                    html(
                        f'<div class="quiz-answer"><p class="quiz-verdict">{verdicts[kind]}</p>\n'
                    ),
                    *answer,
                    html("</div></details>\n"),
                ]


def quizzes(document: nodes.document) -> list[nodes.container]:
    """Return the questions of a page."""
    return [box for box in document.findall(nodes.container) if "quiz" in box["classes"]]


def spoken(app: Sphinx, text: nodes.Element) -> str:
    """Return the spoken text of an option with formulas, as browsers derive no name from MathML."""
    if not any(text.findall(nodes.math)):
        return ""
    parts = [
        plain(tools(app), one.parent.astext()) if isinstance(one.parent, nodes.math) else one
        for one in text.findall(nodes.Text)
    ]
    said = SUBSCRIPT.sub(lambda m: f" {unicodedata.normalize('NFKC', m[0])} ", "".join(parts))
    said = " ".join(said.replace("_", " ").split()).replace(" .", ".")
    return f'<span class="visually-hidden">{escape(said)}</span>'


def setup(app: Sphinx) -> None:
    """Add the directive, and its transforms."""
    app.add_directive("quiz", Quiz)
    app.add_post_transform(NumberQuizzes)
    app.add_post_transform(HtmlOptions)
