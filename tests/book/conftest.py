"""What the tests of the book share: the built site and its address, a browser and its pages."""

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import web
from bs4 import BeautifulSoup
from building import builder_of
from filelock import FileLock
from notes_site import explorers
from notes_site import live as live_site
from visiting import DESKTOP, Heard

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def once(tmp_path_factory, worker_id) -> Callable:
    """A function that does something once for all workers of a session, and gives its result."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder if worker_id == "master" else folder.parent  # the workers' common one

    def once_for_all(name: str, make: Callable[[], object]) -> object:
        note = folder / f"{name}.json"
        with FileLock(folder / f"{name}.lock"):
            if not note.is_file():
                note.write_text(json.dumps(make()), "utf-8")
        return json.loads(note.read_text("utf-8"))

    return once_for_all


def build_book() -> str:
    """Build the site with warnings as errors; what was said if that failed."""
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", "."]
    done = subprocess.run(
        [*command, "-W", "-n", "--keep-going"], cwd=ROOT, capture_output=True, text=True
    )
    return done.stdout + done.stderr if done.returncode else ""


@pytest.fixture(scope="session")
def complaint(once, pytestconfig) -> str:
    """What the build of the site says if it fails."""
    plugins = pytestconfig.pluginmanager
    if terminal := plugins.get_plugin("terminalreporter"):  # which xdist's workers have not
        with plugins.get_plugin("capturemanager").global_and_fixture_disabled():
            terminal.write_line(
                "The whole book is built, which takes minutes if notebooks changed …"
            )
    return once("site", build_book)


@pytest.fixture(scope="session")
def site(complaint: str) -> Path:
    """The folder of the built site."""
    if complaint:
        pytest.fail("The site was not built: test_the_book_builds says why.", pytrace=False)
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def live(once, site):
    """The folder of a site whose cells run."""

    def make():
        folder = ROOT / "_build" / "live-tested"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(site, folder)
        return str(folder) if live_site.add(folder, ROOT / "_build") else ""

    return Path(once("live", make))


@pytest.fixture(scope="session")
def html(site: Path) -> dict[str, str]:
    """Every page of the site but the redirect: its path there, and its HTML."""
    files = [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]
    files.remove(site / "index.html")
    return {file.relative_to(site).as_posix(): file.read_text("utf-8") for file in files}


@pytest.fixture(scope="session")
def pages(html: dict[str, str]) -> dict[str, BeautifulSoup]:
    """The same pages, parsed."""
    return {path: BeautifulSoup(text, "html.parser") for path, text in html.items()}


@pytest.fixture(scope="session")
def origin(site: Path) -> Iterator[str]:
    """The address of a server of the site, on this machine."""
    with web.served(site) as address:
        yield address


@pytest.fixture
def build(tmp_path, node_modules):
    return builder_of(tmp_path, node_modules)


def page_of(*figures) -> str:
    """A page with figures, as the site's build makes it."""
    states = [figure.get_state() for figure in figures]
    places = "".join(explorers.opening(state) + "</div>" for state in states)
    kinds = sorted({state.get("scene", "explorer") for state in states})
    scripts = "".join(f'<script defer src="{kind}.js"></script>' for kind in kinds)
    return (
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Figures</title>"
        '<meta name=viewport content="width=device-width">'
        '<link rel=stylesheet href="explorer.css"><link rel=icon href="data:,">'
        f"{scripts}<main>{places}</main></html>"
    )


@pytest.fixture(scope="session")
def runtime() -> dict[str, str]:
    """The files that run figures in a page, by name."""
    return explorers.runtime()


@pytest.fixture(scope="module")
def figures_folder(tmp_path_factory, runtime) -> Path:
    """A folder with them."""
    folder = tmp_path_factory.mktemp("page")
    for name, text in runtime.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def figures_origin(figures_folder: Path) -> Iterator[str]:
    """The address of that folder."""
    with web.served(figures_folder) as address:
        yield address


NUMBERS = itertools.count()


@pytest.fixture
def opened(blank, tab, figures_folder, figures_origin) -> Iterator[Callable]:
    """A function that opens a page with figures; at the end nothing may have been complained of.

    It is the page of all tests, unless a test wants a `clock` that waits for nobody, or options
    that are more than a size and colours.
    """
    heard = []
    common = {"viewport": DESKTOP, "color_scheme": "light"}

    def open_page(*figures, clock=False, **options):
        name = f"{next(NUMBERS)}.html"  # what was there before may be remembered
        (figures_folder / name).write_text(page_of(*figures), "utf-8")
        own = clock or not options.keys() <= common.keys()
        options = common | options
        page = tab(**options) if own else blank
        if clock:
            page.clock.install()
        page.set_viewport_size(options["viewport"])
        page.emulate_media(color_scheme=options["color_scheme"])
        heard.append(Heard(page, figures_origin))
        page.goto(f"{figures_origin}/{name}")
        page.wait_for_selector(".pn-figure[data-state=live]")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")  # starts those below the screen
        return page

    yield open_page
    for one in heard:
        one.end()
        assert one == []
