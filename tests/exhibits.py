"""The bugs of the museum and their fixed versions, as the two notebooks define them.

The cells with the tag `exhibit` define them. Two cells belong to each exhibit and have its name as
a second tag, `bug-…`: the first defines the program that was handed in, the second the right one.
"""

import linecache
from pathlib import Path

import matplotlib as mpl
import nbformat

BOOK = Path(__file__).parent.parent / "book"


def definitions(notebook):
    """What the tagged cells define: the tools, and of each exhibit its bug and the right one."""
    space, exhibits = {"__name__": notebook.stem}, {}
    # A notebook sets the style of its figures; no other test should see that.
    with mpl.rc_context():
        for k, cell in enumerate(nbformat.read(notebook, as_version=4).cells):
            tags = cell.metadata.get("tags", [])
            if "exhibit" not in tags:
                continue
            # So that the notebook can look up the sources that it compares.
            file = f"<{notebook.stem}, cell {k}>"
            linecache.cache[file] = (len(cell.source), None, cell.source.splitlines(True), file)
            before = set(space)
            exec(compile(cell.source, file, "exec"), space)
            new = [name for name in space if name not in before and callable(space[name])]
            for tag in tags:
                if tag.startswith("bug-"):
                    pair = exhibits.setdefault(tag.removeprefix("bug-"), {})
                    pair["fixed" if pair else "bug"] = space[new[0]]
    return space, exhibits
