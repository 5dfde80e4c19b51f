"""What all tests share: reproducible chance, and who does what where workers go side by side."""

import hypothesis
import pytest

# The same examples everywhere, so that a failure in CI is a failure at home.
hypothesis.settings.register_profile("notes", derandomize=True, deadline=None)
hypothesis.settings.load_profile("notes")

#: The files whose tests share what takes long to make: a kernel, a printed book, a wheel.
TOGETHER = (".ipynb", "test_maths.py", "test_pdf.py", "test_wheel.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each worker (`pytest -n 2`) one test after the other, or all of such a file."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            return file if file.endswith(TOGETHER) else nodeid

    config.option.loadscopereorder = False  # our order stands
    return Scheduling(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Let no worker wait for another.

    One builds the site while the others run what does not need it; the tests of the site are last.
    """

    def turn(item):
        if "site" in getattr(item, "fixturenames", ()):
            return 0 if item.name == "test_the_book_builds" else 3
        return 1 if item.path.name.endswith(TOGETHER) else 2

    items.sort(key=turn)
