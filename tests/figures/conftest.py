"""Fixtures of the tests of interactive figures: a page with figures, opened in a browser."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import web
from notes_site import explorers
from visiting import BEGIN, DESKTOP, Heard


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
        page.evaluate(BEGIN)  # starts those below the screen
        return page

    yield open_page
    for one in heard:
        one.end()
        assert one == []
