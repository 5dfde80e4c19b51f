"""Fixtures of the classroom's tests: a sandbox, and schools."""

import io
import os
from contextlib import redirect_stderr

import pytest


@pytest.fixture(scope="session")
def shelter():
    """A sandbox as the command makes it."""
    from perceptron_classroom.grading import sandbox, session, submission

    shelter = sandbox.Sandbox(seconds=60, fonts=sandbox.gather_fonts())
    try:
        with session.Session(shelter, [], [], 20) as empty:
            empty.run(submission.Graded())
    except sandbox.Refused as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))
    yield shelter
    shelter.close()


@pytest.fixture
def empty_school(tmp_path):
    """A school where nothing has been handed in."""
    from school import School

    return School(tmp_path)


@pytest.fixture(scope="session")
def graded_school(tmp_path_factory, shelter):
    """A class of seven that was graded once, with pages, for tests that only read or copy it.

    It knows what it said, and what lay in its folder before.
    """
    import attacks
    from perceptron_classroom import problem_sets
    from school import School, snapshot

    school = School(tmp_path_factory.mktemp("school"))
    school.hand_in("ann")
    school.hand_in("bob", attacks.with_cells(attacks.ZERO))
    school.hand_in("cyd", attacks.with_cells("1 / 0"))
    (school.submissions / "dan.ipynb").write_text("")
    (school.submissions / "eve").mkdir()
    (school.submissions / "fay.py").write_text("print(1)")
    blank = problem_sets.student_version(attacks.MASTER)
    (school.submissions / "gil.ipynb").write_text(blank, encoding="utf-8")
    (school.submissions / ".DS_Store").write_text("")
    school.handed_in = snapshot(school.submissions)
    with redirect_stderr(io.StringIO()) as said:
        assert school.grade("--feedback", school.pages, jobs=2) == 0
    school.said = said.getvalue()
    return school


@pytest.fixture
def quick_school(empty_school, monkeypatch):
    """A school whose notebooks are not run: their files state the points."""
    from perceptron_classroom.grading import batch
    from perceptron_classroom.grading.commands import grade
    from school import judged_by_eye

    monkeypatch.setattr(grade, "gather_fonts", lambda: None)
    monkeypatch.setattr(batch, "grade_all", judged_by_eye)
    return empty_school
