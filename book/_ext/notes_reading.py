"""Note in a kernel what a notebook reads: an extension of IPython, which `notes_site.runs` loads.

It is a file by itself, so that a kernel imports nothing else of the build.
"""

import os
import sys
from typing import Any

from IPython.display import display

#: The files and folders that were opened to be read, and the files that were to be written.
opened: set[str] = set()
written: set[str] = set()


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Note what is opened or listed; an audit hook is called for whatever Python does."""
    if event not in {"open", "os.listdir", "os.scandir"}:
        return
    path, mode, flags = arguments if event == "open" else (arguments[0] or ".", "", 0)
    if not isinstance(path, str | bytes | os.PathLike):
        return  # an open file, by its number
    folder, last = os.path.split(os.path.abspath(os.fsdecode(path)))
    name = os.path.join(os.path.realpath(folder), last)
    writes = flags & (os.O_WRONLY | os.O_RDWR) or any(letter in (mode or "") for letter in "wax+")
    # The text of a module that is imported does not matter; but `inspect` may show it on the page.
    by_import = "importlib" in sys._getframe(1).f_code.co_filename
    if not (by_import and (event != "open" or name.endswith((".py", ".pyc")))):
        (written if writes else opened).add(name)


def tell() -> None:
    """Display what was read, as JSON: files, modules by their files, and the loops' engine."""
    modules = {
        name: os.path.realpath(file)
        for name, module in list(sys.modules.items())
        if isinstance(file := getattr(module, "__file__", None), str)
    }
    loops = getattr(sys.modules.get("perceptron_notes.native"), "loops", "")
    read = {"files": sorted(opened - written), "modules": modules, "loops": loops}
    # Printed text would stand beside what a thread prints.
    display({"application/json": read}, raw=True)  # type: ignore[no-untyped-call]


def load_ipython_extension(_shell: Any) -> None:
    """Begin to watch."""
    sys.addaudithook(watch)
