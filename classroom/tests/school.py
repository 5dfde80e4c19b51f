"""A class to try grading on: a folder with three submissions, and ways to grade them."""

import csv
import hashlib
import json
import shutil

import attacks
from perceptron_classroom import problem_sets
from perceptron_classroom.grading import batch, command, submission

PROBLEMS = problem_sets.read_master(attacks.MASTER)
#: What students get, before they write into it.
NOTEBOOK = problem_sets.student_version(attacks.MASTER)
SECRET = b"a secret of the tests, long enough"


def snapshot(folder):
    """Every file below, with what it holds and how it may be used."""
    return {
        path.relative_to(folder): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def earn(school, student, text="", **points):
    """Hand in a notebook that says what it earns, with an answer to question 1.6."""
    notebook = json.loads(NOTEBOOK)
    if text:
        blank = next(c for c in notebook["cells"] if c["source"] == problem_sets.TEXT_BLANK)
        blank["source"] = text
    notebook["points"] = points
    (school.submissions / f"{student}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


class School:
    def __init__(self, folder):
        self.folder, self.table = folder, folder / "grades.csv"
        self.submissions, self.pages = folder / "submissions", folder / "pages"
        self.submissions.mkdir(exist_ok=True)

    def copy(self, folder):
        """The same school in another folder, which does not exist yet."""
        return School(shutil.copytree(self.folder, folder))

    def hand_in(self, name, change=attacks.nothing):
        attacks.Case(name, change).write(self.submissions)

    def grade(self, *words, jobs=1):
        return command.main(
            [
                *("grade", str(attacks.MASTER), str(self.submissions)),
                *("-o", str(self.table), *(["--jobs", str(jobs)] if jobs else [])),
                *map(str, words),
            ]
        )

    def rows(self):
        with self.table.open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    def enter(self, student, **cells):
        """Write into the table, as a person does."""
        rows = self.rows()
        rows[student] |= cells
        with self.table.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, rows[student], restval="")
            writer.writeheader()
            writer.writerows(rows.values())


def judged_by_eye(group, submissions, *_):
    """Stands for grading where only what is around it matters: a cell may say the points.

    A notebook ``{"cells": [], "points": {"1.1": 2}}`` earns what it says.
    """
    for this in submissions:
        graded = submission.unscored(PROBLEMS, this.student, group.secret)
        try:
            said = json.loads(this.paths[0].read_bytes())
            for name, points in said.get("points", {}).items():
                graded.questions[name]["points"] = points
        except (OSError, ValueError):
            graded.note("unreadable", "by eye")
        yield this, graded


def spied_on(monkeypatch):
    """The students who are graded from now on, in a list that grows."""
    seen, grade_all = [], batch.grade_all

    def spy(*arguments):
        for this, graded in grade_all(*arguments):
            seen.append(this.student)
            yield this, graded

    monkeypatch.setattr(batch, "grade_all", spy)
    return seen
