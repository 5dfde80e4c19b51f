"""Note in a kernel what a notebook reads: an extension of IPython, which `notes_site.runs` loads.

It is a file by itself, so that a kernel imports nothing else of the build.
"""

import json
import os
import sys
from typing import Any

#: The files that were opened to be read, and those that were opened to be written.
opened: set[str] = set()
written: set[str] = set()


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Note a file that is opened; an audit hook is called for whatever Python does."""
    if event != "open":
        return
    path, mode, flags = arguments
    if not isinstance(path, str | bytes | os.PathLike):
        return  # an open file, by its number
    name = os.path.abspath(os.fsdecode(path))
    writes = flags & (os.O_WRONLY | os.O_RDWR) or any(letter in (mode or "") for letter in "wax+")
    # The text of a module that is imported does not matter; but `inspect` may show it on the page.
    imported = name.endswith((".py", ".pyc")) and sys._getframe(1).f_code.co_filename.startswith(
        "<frozen importlib"
    )
    if not imported:
        (written if writes else opened).add(name)


def told() -> str:
    """Return what was read, as JSON: files, modules by their files, and the loops' engine."""
    modules = {
        name: file
        for name, module in list(sys.modules.items())
        if isinstance(file := getattr(module, "__file__", None), str)
    }
    loops = getattr(sys.modules.get("perceptron_notes.native"), "loops", "")
    return json.dumps({"files": sorted(opened - written), "modules": modules, "loops": loops})


def load_ipython_extension(_shell: Any) -> None:
    """Begin to watch."""
    sys.addaudithook(watch)
