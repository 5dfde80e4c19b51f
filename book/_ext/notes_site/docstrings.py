"""Leave out of a class what its own docstring says, and what others have put into it.

Python gives each field of a named tuple the docstring "Alias for field number 0", and autodoc would
print that beside what the class itself says under "Attributes". scikit-learn gives each estimator
methods that route metadata; its own pages explain them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sphinx.application import Sphinx


class Example(NamedTuple):
    """A named tuple, whose field is of the type that all such fields are of."""

    field: int


def skip(_app: Sphinx, _what: str, _name: str, member: Any, *_rest: Any) -> bool | None:
    """Skip what is a field, or scikit-learn's; leave the decision on all else to autodoc."""
    field = isinstance(member, type(vars(Example)["field"]))
    return field or str(getattr(member, "__module__", "")).startswith("sklearn.") or None


def setup(app: Sphinx) -> None:
    """Tell autodoc."""
    app.connect("autodoc-skip-member", skip)
