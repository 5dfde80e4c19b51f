"""What the tests of the book share: the built site and its address, a browser and its pages."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import web
from building import builder_of
from filelock import FileLock
from notes_site import explorers
from notes_site.npm import install

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
def site(once) -> Path:
    """The folder of the built site."""
    complaint = once("site", build_book)
    assert not complaint, complaint
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """What npm installs for the site: the build's own, so that it is there the next time."""
    return install(ROOT / "_build" / ".node")


@pytest.fixture(scope="session")
def axe(node_modules: Path) -> str:
    """The script that looks for what keeps people out; a page that has run it has `axe.run`."""
    return (node_modules / "axe-core" / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium or a relative of it, as the machine has it."""
    found = web.find()
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(web.MISSING)
        pytest.skip(web.MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=web.FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def origin(site: Path) -> Iterator[str]:
    """The address of a server of the site, on this machine."""
    with web.served(site) as address:
        yield address


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


@pytest.fixture(scope="module")
def figures_folder(tmp_path_factory) -> Path:
    """A folder with what runs figures in a page."""
    folder = tmp_path_factory.mktemp("page")
    for name, text in explorers.runtime().items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def figures_origin(figures_folder: Path) -> Iterator[str]:
    """The address of that folder."""
    with web.served(figures_folder) as address:
        yield address


@pytest.fixture
def opened(tab, figures_folder, figures_origin) -> Iterator[Callable]:
    """A function that opens a page with figures; at the end nothing may have been complained of."""
    heard = []

    def open_page(*figures, from_disk=False, **options):
        (figures_folder / "page.html").write_text(page_of(*figures), "utf-8")
        home = figures_folder.as_uri() if from_disk else figures_origin
        page = tab(**options)
        page.on("console", lambda m: m.type in ("error", "warning") and heard.append(m.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on(
            "request",
            lambda r: r.url.startswith((home, "data:", "blob:")) or heard.append(r.url),
        )
        page.goto(f"{home}/page.html")
        page.wait_for_selector(".pn-figure[data-state=live]")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")  # starts those below the screen
        return page

    yield open_page
    assert heard == []
