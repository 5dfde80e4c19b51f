"""Leave out of a class what is said elsewhere; let names in single backquotes lead to their things.

Python gives each field of a named tuple the docstring "Alias for field number 0", and autodoc would
print that beside what the class itself says under "Attributes". scikit-learn gives each estimator
methods that route metadata; its own pages explain them.

Docutils would set a name in italics. It is code, and leads to what it names if one thing alone
bears it: `record` is a function, but many things have a `w`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

PACKAGE = "perceptron_notes"


class Example(NamedTuple):
    """A named tuple, whose field is of the type that all such fields are of."""

    field: int


def skip(_app: Sphinx, _what: str, _name: str, member: Any, *_rest: Any) -> bool | None:
    """Skip what is a field, or scikit-learn's; leave the decision on all else to autodoc."""
    field = isinstance(member, type(vars(Example)["field"]))
    return field or str(getattr(member, "__module__", "")).startswith("sklearn.") or None


class LinkNames(SphinxPostTransform):
    """Go through what docutils takes for titles."""

    default_priority = 15
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Make each of them code, and a link where that can be."""
        for title in list(self.document.findall(nodes.title_reference)):
            code = nodes.literal("", title.astext())
            place = self.place(title.astext())
            title.replace_self(self.link(*place, code) if place else code)

    def place(self, name: str) -> tuple[str, str] | None:
        """Find the page and the anchor of what bears this name, if it is one thing."""
        known = cast(PythonDomain, self.env.get_domain("py")).objects
        bearers = [f"{PACKAGE}.{name}"] if f"{PACKAGE}.{name}" in known else []
        bearers = bearers or [one for one in known if f".{one}".endswith(f".{name}")]
        if len(bearers) != 1:
            return None
        return known[bearers[0]].docname, known[bearers[0]].node_id

    def link(self, page: str, anchor: str, code: nodes.literal) -> nodes.reference:
        """Make the code a link to there."""
        return make_refnode(self.app.builder, self.env.docname, page, anchor, code)


def setup(app: Sphinx) -> None:
    """Tell autodoc, and add the transform."""
    app.connect("autodoc-skip-member", skip)
    app.add_post_transform(LinkNames)
