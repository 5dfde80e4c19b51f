"""What all tests share: chance, a sandbox, a school, and who does what side by side."""

import io
import itertools
import os
import signal
from contextlib import ExitStack, redirect_stderr
from unittest import mock

import hypothesis
import pytest

# Workers stand side by side already: the threads of one would only wait for those of another.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# The same examples everywhere, so that a failure in CI is a failure at home.
hypothesis.settings.register_profile("notes", derandomize=True, deadline=None)
#: For `make test` and `make check`; `make test-all` tries them all.
hypothesis.settings.register_profile("few", derandomize=True, deadline=None, max_examples=20)
hypothesis.settings.load_profile("notes")

# A shell has what it starts in the background ignore interrupts, and its children too: a test
# that waits for one would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: The files whose tests share what takes long to make: a kernel, a page, a printed book, a wheel;
#: and those that read the whole site.
TOGETHER = (".ipynb", "test_look.py", "test_maths.py", "test_pdf.py", "test_wheel.py")
OF_THE_SITE = ("test_assignments.py", "test_notices.py", "test_site.py")


def scope(nodeid):
    """What one worker does in one go: a test, the tests of such files, or those of one page."""
    file, _, test = nodeid.partition("::")
    if file.endswith(OF_THE_SITE):
        return "site"
    if file.endswith("test_visits.py"):
        return test.partition("[")[2]
    return file if file.endswith(TOGETHER) else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each worker (`pytest -n 2`) one such share after the other."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return scope(nodeid)

    config.option.loadscopereorder = False  # our order stands
    return Scheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Let no worker wait for another: what takes long begins early.

    One builds the site while the others run what does not need it; the tests of the site are last.
    """

    def turn(item):
        if scope(item.nodeid) == "site":
            return 0 if item.name == "test_the_book_builds" else 1
        needs_site = "site" in getattr(item, "fixturenames", ())
        return 2 + 2 * needs_site + (scope(item.nodeid) == item.nodeid)

    items.sort(key=turn)


@pytest.fixture(scope="session")
def shelter():
    """A sandbox as the command makes it."""
    from perceptron_notes.grading import sandbox, session, submission

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


@pytest.fixture(params=["own", pytest.param("numpy", marks=pytest.mark.slow)], scope="module")
def engine(request):
    """All runs with what this machine has, the compiled loops as a rule; and all runs without."""
    from perceptron_notes import dual, learning, native, pocketing
    from perceptron_notes.native import batches

    names = ("Scan", "count_errors", "finish", "finish_dual", "finish_pocket", "steps_ahead")
    means = native.fallback if request.param == "numpy" else native.means
    with ExitStack() as patches:
        for module, name in itertools.product((batches, dual, learning, pocketing), names):
            if hasattr(module, name):
                patches.enter_context(mock.patch.object(module, name, getattr(means, name)))
        yield request.param


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
    from school import School, snapshot

    from perceptron_notes import problem_sets

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
    """A school whose notebooks are not run: their files say what they earn."""
    from school import judged_by_eye

    from perceptron_notes.grading import batch
    from perceptron_notes.grading.commands import grade

    monkeypatch.setattr(grade, "gather_fonts", lambda: None)
    monkeypatch.setattr(batch, "grade_all", judged_by_eye)
    return empty_school
