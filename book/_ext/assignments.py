"""The problem sets: their pages, and what the reader downloads, are made from the masters.

A master holds the solutions. Sphinx reads the students' version in its place, so that nothing of
a solution gets into a page or into the search. The copy that Sphinx puts beside the pages, for
their download buttons, is replaced too.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

from sphinx.application import Sphinx

from perceptron_notes.assignments import student_version


def is_master(app: Sphinx, docname: str) -> bool:
    """Whether a page is made from a master."""
    return PurePosixPath(docname).match(app.config.assignments_masters)


def page(app: Sphinx, docname: str, content: list[str]) -> None:
    """Give Sphinx the students' version, with a link to it under the title."""
    if not is_master(app, docname):
        return
    notebook = json.loads(student_version(app.env.doc2path(docname)))
    name = PurePosixPath(docname).name
    way = "../" * docname.count("/") + f"_sources/{docname}.ipynb"
    notebook["cells"][0]["source"] += (
        f'\n\n<p><a class="problem-set" href="{way}" download="{name}.ipynb">'
        f"Download {name}.ipynb</a>, to work on it in Jupyter.</p>\n"
    )
    content[0] = json.dumps(notebook)


def copy(app: Sphinx, exception: Exception | None) -> None:
    """Put the students' versions where Sphinx has put the masters."""
    sources = Path(app.outdir, "_sources")
    for docname in filter(lambda name: is_master(app, name), app.env.found_docs):
        copied = sources / f"{docname}.ipynb"
        if copied.exists():
            copied.write_text(student_version(app.env.doc2path(docname)), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("assignments_masters", "book/assignments/*", "env")
    app.connect("source-read", page)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
