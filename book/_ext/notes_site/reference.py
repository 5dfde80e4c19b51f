"""Write a reference from docstrings: `{reference}`, one module, and `{names}`, a table of names.

    ```{reference} perceptron_notes.figures.plots
    :from: perceptron_notes.figures
    ```

A module has a page with the names in its `__all__`; where a package collects names of its modules,
with only those that the package exports. So a new name needs no second edit. Readers may not know
the name that they look for: so the table on the page above has all names by page, each with the
first paragraph of its docstring.

Redundant members are omitted. Python gives each field of a named tuple the docstring "Alias for
field number 0", and autodoc would print that beside the class's own section "Attributes".
scikit-learn gives each estimator methods that route metadata, which its own pages explain.

A name in single backquotes is code, and a link if exactly one object has that name: `record` is a
function, but many objects have a `w`. (Docutils would set it in italics.)
"""

from collections.abc import Iterator
from importlib import import_module
from inspect import FullArgSpec
from typing import Any, ClassVar, cast

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

PACKAGE = "perceptron_notes"
#: Placeholder of the table, until all pages have been read.
PLACE = "names-place"
#: The type of a named tuple's fields.
FIELD = type(FullArgSpec.args)

MODULE = """\
```{{eval-rst}}
.. automodule:: {name}
   :members: {members}
```
"""


class Reference(SphinxDirective):
    """Documents a module's public names."""

    required_arguments = 1
    option_spec: ClassVar = {"from": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Run autodoc, and use the module's docstring as the page's description."""
        name = self.arguments[0]
        origin = self.options.get("from", name)
        module = import_module(name)
        offered = set(import_module(origin).__all__)
        members = ", ".join(one for one in module.__all__ if one in offered)
        text = MODULE.format(name=name, members=members)
        if origin != name:
            text = f"Imported from `{origin}`.\n\n{text}"
        place = nodes.Element()
        self.state.nested_parse(StringList(text.splitlines(), name), self.content_offset, place)
        about = " ".join((module.__doc__ or "").partition("\n\n")[0].split())
        said = f"{name}: {about}".replace("`", "")
        return [nodes.meta("", name="description", content=said), *place.children]


class Names(SphinxDirective):
    """Lists all names of the pages below this one."""

    def run(self) -> list[nodes.Node]:
        """Insert a placeholder, which is filled again whenever one of those pages changes."""
        self.env.metadata[self.env.docname]["shows_below"] = True
        return [nodes.container(classes=[PLACE])]


class FillNames(SphinxPostTransform):
    """Replaces the placeholder by the table."""

    default_priority = 5  # before references are resolved
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Build the table from the pages in their order."""
        for place in list(self.document.findall(nodes.container)):
            if PLACE in place["classes"]:
                pages = self.env.toctree_includes.get(self.env.docname, [])
                body = nodes.tbody("", *(row for page in pages for row in self.rows(page)))
                columns = [nodes.colspec(colwidth=width) for width in (30, 70)]
                group = nodes.tgroup("", *columns, body, cols=2)
                place.replace_self(nodes.table("", group, classes=["names"]))

    def rows(self, page: str) -> Iterator[nodes.row]:
        """Yield a row for each section that documents something, and one for each name in it."""
        for section in self.env.get_doctree(page).findall(nodes.section):
            listed = [one for one in section.children if isinstance(one, addnodes.desc)]
            if listed:
                title = nodes.strong("", section.next_node(nodes.title).astext())
                anchor = min(section["ids"], key=lambda name: "." in name)  # not a module's name
                link = make_refnode(self.app.builder, self.env.docname, page, anchor, title)
                yield nodes.row("", nodes.entry("", nodes.paragraph("", "", link), morecols=1))
            for one in listed:
                yield nodes.row("", *self.entries(page, one))

    def entries(self, page: str, one: addnodes.desc) -> Iterator[nodes.entry]:
        """Yield a name, as a link to its documentation, and the first paragraph of that."""
        signature, content = one[0], one[-1]
        name = nodes.literal("", signature.next_node(addnodes.desc_name).astext())
        link = make_refnode(self.app.builder, self.env.docname, page, signature["ids"][0], name)
        yield nodes.entry("", nodes.paragraph("", "", link))
        first = [part for part in content.children if isinstance(part, nodes.paragraph)][:1]
        for reference in (one for part in first for one in part.findall(addnodes.pending_xref)):
            reference["refdoc"] = self.env.docname  # the link starts on this page
        yield nodes.entry("", *first)


def skip(_app: Sphinx, _what: str, _name: str, member: Any, *_rest: Any) -> bool | None:
    """Skip fields of named tuples and members from scikit-learn; leave others to autodoc."""
    routing = str(getattr(member, "__module__", "")).startswith("sklearn.")
    return routing or isinstance(member, FIELD) or None


class LinkNames(SphinxPostTransform):
    """Links names in single backquotes, which docutils parses as titles."""

    default_priority = 15
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Turn each of them into code, with a link if the name is unique."""
        for title in list(self.document.findall(nodes.title_reference)):
            code = nodes.literal("", title.astext())
            place = self.place(title.astext())
            link = place and make_refnode(self.app.builder, self.env.docname, *place, code)
            title.replace_self(link or code)

    def place(self, name: str) -> tuple[str, str] | None:
        """Return the page and the anchor of the only object with this name, or None."""
        known = cast(PythonDomain, self.env.get_domain("py")).objects
        bearers = [f"{PACKAGE}.{name}"] if f"{PACKAGE}.{name}" in known else []
        bearers = bearers or [one for one in known if f".{one}".endswith(f".{name}")]
        if len(bearers) != 1:
            return None
        return known[bearers[0]].docname, known[bearers[0]].node_id


def setup(app: Sphinx) -> None:
    """Add the directives, and what mends docstrings."""
    app.connect("autodoc-skip-member", skip)
    app.add_post_transform(LinkNames)
    app.add_directive("reference", Reference)
    app.add_directive("names", Names)
    app.add_post_transform(FillNames)
