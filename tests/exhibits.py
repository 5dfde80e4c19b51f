"""The bugs of the museum and their fixed versions, as the two notebooks define them.

The cells with the tag `exhibit` define them. A cell that belongs to one exhibit has its name as a
second tag, `bug-…`; the first thing that these cells define is the bug, and `fixed` is its fixed
version.
"""

import linecache
from pathlib import Path

import matplotlib as mpl
import nbformat

BOOK = Path(__file__).parent.parent / "book"


def definitions(notebook):
    """What the tagged cells define: the tools, and for each exhibit its bug and its fix."""
    space, exhibits = {"__name__": notebook.stem}, {}
    # A notebook sets the style of its figures; no other test should see that.
    with mpl.rc_context():
        for k, cell in enumerate(nbformat.read(notebook, as_version=4).cells):
            tags = cell.metadata.get("tags", [])
            if "exhibit" not in tags:
                continue
            # So that the notebook can look up the source of what it fixes.
            file = f"<{notebook.stem}, cell {k}>"
            linecache.cache[file] = (len(cell.source), None, cell.source.splitlines(True), file)
            before = set(space)
            exec(compile(cell.source, file, "exec"), space)
            new = [name for name in space if name not in before and callable(space[name])]
            for tag in tags:
                if tag.startswith("bug-"):
                    name = tag.removeprefix("bug-")
                    pair = exhibits.setdefault(name, {})
                    pair.setdefault("bug", space[new[0]] if new else None)
                    pair["fixed"] = space.pop("fixed", None)
    return space, exhibits
