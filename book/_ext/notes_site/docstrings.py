"""Leave the fields of a named tuple to its docstring.

Python gives each field the docstring "Alias for field number 0", and autodoc would print that
beside what the class itself says under "Attributes".
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sphinx.application import Sphinx


class Example(NamedTuple):
    """A named tuple, whose field is of the type that all such fields are of."""

    field: int


def skip_fields(_app: Sphinx, _what: str, _name: str, member: Any, *_rest: Any) -> bool | None:
    """Skip what is a field; leave the decision on all else to autodoc."""
    return True if isinstance(member, type(vars(Example)["field"])) else None


def setup(app: Sphinx) -> None:
    """Tell autodoc."""
    app.connect("autodoc-skip-member", skip_fields)
