"""Pack feedback pages under the paths by which a platform knows whose they are.

A path is made from what the platform itself gave out: the name of the student's file or folder.
Nothing that students chose decides where a page goes.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from perceptron_classroom.grading.collect import ids_in, stem
from perceptron_classroom.grading.files import page_name
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.spelling import normal
from perceptron_classroom.grading.table import Row, called, number_in

__all__ = ["PLATFORMS", "pack"]

PAGE = "feedback.html"
MOODLE = "{name}_{number}_assignfeedback_file/feedback.html"
#: By platform: what it gives out (a folder with a stroke), and the path that it takes back.
#: Moodle reads the number between the first two underscores, and the plugin after it
#: (mod/assign/feedback/file/importziplib.php). Canvas reads the ids of student and file in the very
#: name, and shows what comes back under the student's own name of the file, whatever the ending
#: (`infer_comment_context_from_filename`; canvas-lms #2406). Sakai has a folder for feedback
#: (AssignmentServiceImpl.java), ILIAS one for each student in a folder for all
#: (Exercise/TutorFeedbackFile/TutorFeedbackZipManager.php). For the others no rule was found.
PLATFORMS = {
    "moodle": (r"(?P<name>.*?)_(?P<number>\d+)_assignsubmission_.*", MOODLE),
    "canvas": (r"[^/]*?_\d+_\d+_[^/]*", "{entry}"),
    "blackboard": (r".*", ""),
    "brightspace": (r".*", ""),
    "sakai": (r"[^()]+\([^()]+\)/", "{root}/{entry}/{within}/feedback.html"),
    "ilias": (r".+_\d+/", "{root}/{entry}/feedback.html"),
    "folder": (r".*", ""),
}


def pack(
    platform: str, submissions: Path, rows: list[Row], feedback: Path
) -> tuple[bytes, int, dict[str, list[str]]]:
    """Pack the pages of a class; return the zip, its pages, and by reason whose it lacks."""
    for folder in (submissions, feedback):
        if not folder.is_dir():
            raise Refused(f"{folder} is no folder; expected one")
    here = [(normal(each.name), each) for each in submissions.iterdir()]
    often = Counter(name for name, _ in here)
    entries = {name: each for name, each in here if often[name] == 1}
    paths = {row["student"]: path_of(platform, row, entries) for row in rows}
    uses = Counter(paths.values())
    left, count, file = defaultdict[str, list[str]](list), 0, io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in rows:
            page, path = feedback / page_name(row["student"]), paths[row["student"]]
            if not page.is_file():
                left[f"{feedback} has no page for"].append(called(row))
            elif not path or uses[path] > 1:
                if row.get("status") != "missing":
                    left[f"{platform} gave out no path for"].append(called(row))
            elif is_old(text := page.read_text(encoding="utf-8"), row):
                what = "the page is older than the points; grade again with --feedback for"
                left[what].append(called(row))
            else:
                archive.writestr(path.encode(errors="replace").decode(), dressed(path, text))
                count += 1
    return file.getvalue(), count, left


def path_of(platform: str, row: Row, entries: dict[str, Path]) -> str:
    """Return where the page of a student goes; "" if nothing that was given out says it."""
    if platform == "folder":
        return f"{page_name(called(row)).removesuffix('.html')}/{PAGE}"
    files = given(row.get("file", ""), entries)
    if len({tuple(ids_in(normal(stem(entry)))[:1]) for entry in files}) != 1:
        return ""
    # Of several files of one student, the newest has the last number.
    return max(path_to(platform, entry) for entry in files)


def path_to(platform: str, entry: Path) -> str:
    """Return the path beside, or in place of, what a platform gave out; "" if it did not."""
    form, path = PLATFORMS[platform]
    found = re.fullmatch(form, entry.name + "/" * entry.is_dir(), flags=re.S)
    if found is None:
        return ""
    if not path:
        return f"{entry.name}/{PAGE}" if entry.is_dir() else f"{stem(entry)}.html"
    # Its capitals differ between versions; it is there if it was asked for.
    within = [each.name for each in entry.glob("[Ff]eedback [Aa]ttach*")]
    return path.format(
        entry=entry.name,
        root=entry.parent.resolve().name,
        within=within[0] if within else "Feedback Attachment(s)",
        **{key: part.replace("_", " ") for key, part in found.groupdict().items()},
    )


def given(text: str, entries: dict[str, Path]) -> list[Path]:
    """Return the files and folders that a cell of the table names, with commas between them."""
    if text in entries:
        return [entries[text]]
    for cut in re.finditer(", ", text):
        if text[: cut.start()] in entries and (rest := given(text[cut.end() :], entries)):
            return [entries[text[: cut.start()]], *rest]
    return []


def is_old(page: str, row: Row) -> bool:
    """Return whether a page tells other points than the table does now."""
    total = number_in(row.get("total", ""))
    return f"<strong>{total or 0:g}</strong> of {row.get('out of')} points" not in page


def dressed(path: str, page: str) -> bytes:
    """Return a page as a file of the kind that its path promises."""
    if path.endswith(".zip"):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(PAGE, page)
        return file.getvalue()
    if path.endswith(".ipynb"):
        output = {"output_type": "display_data", "data": {"text/html": page}, "metadata": {}}
        cell: dict[str, Any] = {"cell_type": "code", "source": "", "outputs": [output]}
        cell |= {"id": "feedback", "execution_count": None, "metadata": {}}
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(notebook).encode()
    return page.encode()
