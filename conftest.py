"""What the tests of both distributions share: chance, and how workers share the tests."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parent

# Workers stand side by side already: the threads of one would only wait for those of another.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# The same examples everywhere, so that a failure in CI is a failure at home.
hypothesis.settings.register_profile("notes", derandomize=True, deadline=None)
#: For `make test` and `make check`; `make test-all` tries them all.
hypothesis.settings.register_profile("few", derandomize=True, deadline=None, max_examples=20)
hypothesis.settings.load_profile("notes")

# A shell has what it starts in the background ignore interrupts, and nohup what it starts hang-ups;
# their children do so too, and a test that waits for one would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if os.name == "posix" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def names_in_examples(request):
    """What the examples of docstrings use: all public names, for `pytest --doctest-modules`."""
    if isinstance(request.node, pytest.DoctestItem):
        from house import names_in_examples

        request.getfixturevalue("doctest_namespace").update(names_in_examples())


#: The files whose tests share what takes long to make: a kernel, a page, a printed book, a wheel;
#: and those that read the whole site.
TOGETHER = (".ipynb", "test_epub.py", "test_look.py", "test_maths.py", "test_pdf.py")
TOGETHER += ("test_wheel.py",)
OF_THE_SITE = ("test_assignments.py", "test_notices.py", "test_site.py")


def scope(nodeid):
    """What one worker does in one go: a test, the tests of such files, of a page, of an engine."""
    file, _, test = nodeid.partition("::")
    if file.endswith(OF_THE_SITE):
        return "site"
    if file.endswith("test_engines.py"):
        return next((name for name in ("chromium", "firefox", "webkit") if name in test), file)
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
def browser() -> Iterator[object]:
    """Chromium or a relative of it, as the machine has it."""
    import web  # the package can be tested where there is no book, and no browser

    found = web.find()
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(web.MISSING)
        pytest.skip(web.MISSING)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # a machine may be busy
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=web.FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser) -> Iterator[Callable]:
    """A function that opens a browser page of its own kind; all are closed afterwards."""
    contexts = []

    def open_tab(**options):
        contexts.append(browser.new_context(**options))
        return contexts[-1].new_page()

    yield open_tab
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def window(browser) -> Iterator[object]:
    """One page for many tests: to open another takes longer than most of them."""
    from visiting import DESKTOP

    page = browser.new_page(viewport=DESKTOP)
    yield page
    page.close()


@pytest.fixture
def blank(window) -> Iterator[object]:
    """That page, empty, on a wide screen, by day; nothing is stored.

    A test that adds scripts, routes or a clock, or that needs a touch screen, takes a `tab`.
    """
    from visiting import DESKTOP

    yield window
    window.evaluate("try { localStorage.clear(); } catch {}")
    window.mouse.move(0, 0)
    window.goto("about:blank")
    window.set_viewport_size(DESKTOP)
    window.emulate_media(media="screen", color_scheme="light", reduced_motion="no-preference")


@pytest.fixture
def page(blank) -> object:
    """The page for a test; a module may have one on which something is shown."""
    return blank


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """What npm installs for the site: the build's own, so that it is there the next time."""
    from notes_site.npm import install

    return install(ROOT / "_build" / ".node")


@pytest.fixture(scope="session")
def axe(node_modules: Path) -> str:
    """The script that looks for what keeps people out; a page that has run it has `axe.run`."""
    return (node_modules / "axe-core" / "axe.min.js").read_text("utf-8")
