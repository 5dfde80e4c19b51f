"""Self-check questions: `{quiz}`, answered on the page, without a kernel and without JavaScript.

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

On paper the answers stay hidden: a question is to be thought about first, and the site has them.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from .formulas import plain

RIGHT = "✓ "


class quiz_option(nodes.Part, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """An option in HTML."""


class quiz_text(nodes.Part, nodes.TextElement):  # noqa: N801
    """What the reader chooses."""


class quiz_answer(nodes.Part, nodes.Element):  # noqa: N801
    """What choosing it is answered."""


class Quiz(SphinxDirective):
    """One question and its options."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Check the list, mark the right option."""
        box = nodes.container(classes=["quiz"])
        box.document = self.state.document
        self.set_source_info(box)
        self.state.nested_parse(self.content, self.content_offset, box)
        options = self._options(box)
        right = [item for item in options if item[0].astext().startswith(RIGHT)]
        if len(right) != 1:
            raise self.error(f"quiz: {len(right)} options begin with '{RIGHT}'; exactly one must.")
        for item in options:
            if len(item) < 2:
                raise self.error(
                    f"quiz: the option '{item[0].astext()}' has no feedback; "
                    "add a paragraph below it that says why it is right or wrong."
                )
        right[0]["classes"].append("right")
        return [box]

    def _options(self, box: nodes.container) -> list[nodes.list_item]:
        if len(box) < 2 or not isinstance(box[-1], nodes.bullet_list):
            raise self.error("quiz: expected a question and then a bullet list of options.")
        if any(isinstance(child, nodes.bullet_list) for child in box[:-1]):
            raise self.error("quiz: expected one bullet list; a blank line may have split it.")
        options = list(box[-1])
        if not all(item.children and isinstance(item[0], nodes.paragraph) for item in options):
            raise self.error("quiz: an option must begin with a paragraph.")
        return options


class NumberQuizzes(SphinxPostTransform):
    """Head each quiz "Self-check", with the chapter's number and its own."""

    default_priority = 400

    def run(self, **_kwargs: Any) -> None:
        """Number the quizzes of a page in their order."""
        chapter = self.env.toc_secnumbers.get(self.env.docname, {}).get("", ())[:1]
        for count, box in enumerate(quizzes(self.document), 1):
            box["number"] = ".".join(map(str, [*chapter, count]))
            title = nodes.paragraph("", f"Self-check {box['number']}", classes=["quiz-title"])
            box.insert(0, title)


class HtmlOptions(SphinxPostTransform):
    """Turn the list of each quiz into `quiz_option` nodes, for HTML."""

    default_priority = 401
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Replace the lists."""
        for box in quizzes(self.document):
            for item in box.pop():
                right = "right" in item["classes"]
                text, *answer = item
                if right:
                    mark = next(iter(text.findall(nodes.Text)))
                    mark.parent.replace(mark, nodes.Text(mark.removeprefix(RIGHT)))
                box += quiz_option(
                    "",
                    quiz_text("", "", *text.children),
                    quiz_answer("", *answer, right=right),
                    right=right,
                    group=f"quiz-{box['number']}",
                )


def quizzes(document: nodes.document) -> list[nodes.container]:
    return [box for box in document.findall(nodes.container) if "quiz" in box["classes"]]


def visit_option(self: Any, node: quiz_option) -> None:
    kind = "right" if node["right"] else "wrong"
    self.body.append(f'<details class="quiz-option {kind}" name="{node["group"]}">')


def depart_option(self: Any, _node: quiz_option) -> None:
    self.body.append("</details>\n")


def visit_option_text(self: Any, node: quiz_text) -> None:
    text, seen = spoken(self.builder.app, node), '<span class="quiz-text">'
    if text:
        seen = f'<span class="visually-hidden">{escape(text)}</span>'
        seen += '<span class="quiz-text" aria-hidden="true">'
    self.body.append(f"<summary>{seen}")


def spoken(app: Sphinx, node: quiz_text) -> str:
    """An option that is nothing but formulas, in plain text: browsers find no name in MathML."""
    words = [text for text in node.findall(nodes.Text) if not isinstance(text.parent, nodes.math)]
    if "notes_site.formulas" not in app.extensions or any(re.search(r"\w", text) for text in words):
        return ""
    return " ".join(plain(app.katex, math.astext()) for math in node.findall(nodes.math))


def depart_option_text(self: Any, _node: quiz_text) -> None:
    self.body.append("</span></summary>\n")


def visit_option_answer(self: Any, node: quiz_answer) -> None:
    verdict = "Right." if node["right"] else "Not so."
    self.body.append(f'<div class="quiz-answer"><p class="quiz-verdict">{verdict}</p>\n')


def depart_option_answer(self: Any, _node: quiz_answer) -> None:
    self.body.append("</div>\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("quiz", Quiz)
    app.add_post_transform(NumberQuizzes)
    app.add_post_transform(HtmlOptions)
    app.add_node(quiz_option, html=(visit_option, depart_option))
    app.add_node(quiz_text, html=(visit_option_text, depart_option_text))
    app.add_node(quiz_answer, html=(visit_option_answer, depart_option_answer))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
