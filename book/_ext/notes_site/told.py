"""Let text move the figure that it describes: the role `{at}`.

    {at}`After the third correction <3>` the line is gone.
    Now {at}`raise the threshold <w=[-20, 2, 3]>`, or {at}`both <{"threshold": 4, "t": 9}>`.

The words become a button, which moves the figure of its section: an `Explorer` to that step or to
those weights, a scene to that part of its state. If the figure's cell has the tag `told`, the
figure stays in view beside its section, and the paragraph being read moves it too.
"""

import json
import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

GIVEN = re.compile(r"(?P<words>.+?)\s*<(?P<what>[^<>]+)>", re.DOTALL)


class at(nodes.inline):  # type: ignore[misc]  # noqa: N801 (docutils names nodes so)
    """Words that move a figure."""


class At(SphinxRole):
    """Parses the words and their target: a step, ``name=value``, or a JSON object."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the node, or an error message about the text."""
        try:
            found = GIVEN.fullmatch(self.text)
            assert found
            name, _, value = found["what"].rpartition("=")
            shows = json.loads(value)
            shows = shows if isinstance(shows, dict) else {name or "step": shows}
            return [at("", found["words"], shows=shows)], []
        except (AssertionError, ValueError):
            text = f"at is {self.text!r}; expected words <step> or words <name=value>"
            message = self.inliner.reporter.error(text, line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]


def visit(self: Any, node: at) -> None:
    """Write the start of the words, a button to the page's script; a few stay in one line."""
    kind = "at short" if len(node.astext().encode()) <= 12 else "at"
    self.body.append(f'<span class="{kind}" data-at="{escape(json.dumps(node["shows"]))}">')


def depart(self: Any, _node: at) -> None:
    """Write the end of the words."""
    self.body.append("</span>")


def setup(app: Sphinx) -> None:
    """Add the role."""
    app.add_role("at", At())
    app.add_node(at, html=(visit, depart))
