"""Omit redundant members of classes from the reference, and link names in single backquotes.

Python gives each field of a named tuple the docstring "Alias for field number 0", and autodoc would
print that beside the class's own section "Attributes". scikit-learn gives each estimator
methods that route metadata, which its own pages explain.

Docutils would set such a name in italics. Here it is code, and a link if exactly one object
has that name: `record` is a function, but many objects have a `w`.
"""

from typing import Any, NamedTuple, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

PACKAGE = "perceptron_notes"


class Example(NamedTuple):
    """Used to look up the type of a NamedTuple's fields."""

    field: int


def skip(_app: Sphinx, _what: str, _name: str, member: Any, *_rest: Any) -> bool | None:
    """Skip fields of named tuples and members from scikit-learn; leave others to autodoc."""
    field = isinstance(member, type(vars(Example)["field"]))
    return field or str(getattr(member, "__module__", "")).startswith("sklearn.") or None


class LinkNames(SphinxPostTransform):
    """Links names in single backquotes, which docutils parses as titles."""

    default_priority = 15
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Turn each of them into code, with a link if the name is unique."""
        for title in list(self.document.findall(nodes.title_reference)):
            code = nodes.literal("", title.astext())
            place = self.place(title.astext())
            title.replace_self(self.link(*place, code) if place else code)

    def place(self, name: str) -> tuple[str, str] | None:
        """Return the page and the anchor of the only object with this name, or None."""
        known = cast(PythonDomain, self.env.get_domain("py")).objects
        bearers = [f"{PACKAGE}.{name}"] if f"{PACKAGE}.{name}" in known else []
        bearers = bearers or [one for one in known if f".{one}".endswith(f".{name}")]
        if len(bearers) != 1:
            return None
        return known[bearers[0]].docname, known[bearers[0]].node_id

    def link(self, page: str, anchor: str, code: nodes.literal) -> nodes.reference:
        """Return the code as a link to that place."""
        return make_refnode(self.app.builder, self.env.docname, page, anchor, code)


def setup(app: Sphinx) -> None:
    """Connect to autodoc, and add the transform."""
    app.connect("autodoc-skip-member", skip)
    app.add_post_transform(LinkNames)
