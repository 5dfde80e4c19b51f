"""Leave the fields of a named tuple to its docstring.

Python gives each field the docstring "Alias for field number 0", and autodoc would print that
beside what the class itself says under "Attributes".
"""

from __future__ import annotations

from collections import _tuplegetter
from typing import Any

from sphinx.application import Sphinx


def skip_fields(_app: Sphinx, _what: str, _name: str, member: Any, *_rest: Any) -> bool | None:
    """Skip what is a field; leave the decision on all else to autodoc."""
    return True if isinstance(member, _tuplegetter) else None


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-skip-member", skip_fields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
