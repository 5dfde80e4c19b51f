"""Make the problem sets' pages and downloads from the masters.

A master holds the solutions. Sphinx reads the students' version in its place, so that nothing of
a solution gets into a page or into the search. The copy that Sphinx puts beside the pages, for
their download buttons, is replaced too, and buttons that would open the master are removed.
The syllabus, too, is downloaded as a teacher copies it: without links into this site.
"""

import json
import re
from pathlib import Path, PurePosixPath
from typing import Any

from perceptron_classroom.problem_sets import read_master, student_version
from sphinx.application import Sphinx

from .editions import speaker

INVITATION = """\
<div class="problem-set-card">
<p class="card-time">{questions} questions, {points} points, about {hours} hours</p>
<p><a class="button first problem-set" href="{way}" download="{name}.ipynb"
>Download {name}.ipynb</a>
to work on it in JupyterLab.</p></div>
"""


def is_master(app: Sphinx, docname: str) -> bool:
    """Return whether a page is made from a master."""
    return PurePosixPath(docname).match(app.config.assignments_masters)


def page(app: Sphinx, docname: str, content: list[str]) -> None:
    """Replace the source by the students' version, with a link to it under the title."""
    if not is_master(app, docname):
        return
    master = app.env.doc2path(docname)
    notebook = json.loads(student_version(master))
    # The page's description, and what it omits as a chapter does.
    notebook["metadata"] |= {
        "myst": json.loads(Path(master).read_text("utf-8"))["metadata"]["myst"]
    }
    first = notebook["cells"][0]
    title, intro, rest = f"{first['source']}\n\n".split("\n\n", 2)
    first["source"] = "\n\n".join([title, intro, invitation(app, docname, Path(master)), rest])
    for cell in notebook["cells"]:  # cells still to be written are folded
        if cell["cell_type"] == "code" and "NotImplementedError" in cell["source"]:
            cell["metadata"]["tags"] = [*cell["metadata"].get("tags", []), "hide-input"]
            cell["metadata"]["mystnb"] = {"code_prompt_show": "Your cell"}
    content[0] = json.dumps(notebook)


def invitation(app: Sphinx, docname: str, master: Path) -> str:
    """Return a note on how long a problem set takes, and where the students' version is."""
    name, questions = PurePosixPath(docname).name, read_master(master).questions
    return speaker(app.config.language)(INVITATION).format(
        questions=len(questions),
        points=sum(one.points for one in questions),
        hours=max(1, round(sum(one.minutes for one in questions) / 60)),
        way="../" * docname.count("/") + f"_sources/{docname}.ipynb",
        name=name,
    )


def alone(text: str) -> str:
    """Return a page's Markdown without front matter, comments, its download and links."""
    body = text.split("\n---\n", 1)[-1]
    body = re.sub(r"^(<!--|\{download\}).*\n+", "", body, flags=re.M)
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", body).lstrip()


def copy(app: Sphinx, exception: Exception | None) -> None:
    """Overwrite Sphinx's copies of the masters by students' versions, and free the syllabus."""
    for copied in Path(app.outdir, "_downloads").glob("*/syllabus.md"):
        copied.write_text(alone(copied.read_text("utf-8")), "utf-8")
    sources = Path(app.outdir, "_sources")
    for docname in filter(lambda name: is_master(app, name), app.env.found_docs):
        copied = sources / f"{docname}.ipynb"
        if copied.exists():
            copied.write_text(student_version(app.env.doc2path(docname)), "utf-8")


def close(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Remove the buttons that lead to the master in a repository, or launch it."""
    if not is_master(app, pagename):
        return
    for group in context.get("header_buttons", []):
        buttons = group.get("buttons", [])
        buttons[:] = [b for b in buttons if f"{pagename}.ipynb" not in b.get("url", "")]
    context["header_buttons"] = [
        group for group in context.get("header_buttons", []) if group.get("buttons") != []
    ]


def setup(app: Sphinx) -> None:
    """Replace masters by students' versions, for Sphinx and for readers."""
    app.add_config_value("assignments_masters", "book/assignments/*", "env")
    app.connect("source-read", page)
    app.connect("build-finished", copy)
    app.connect("html-page-context", close, priority=950)  # after the theme and links.py
