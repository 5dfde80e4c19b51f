"""The stage on which all figures stand: in all its sizes, and in the reader's colours."""

import re

import numpy as np
import pytest
from visiting import ROOT, posed, some_of, violations

from perceptron_notes import polynomial
from perceptron_notes.datasets import credit, li_hang, rings
from perceptron_notes.figures import scenes
from perceptron_notes.figures.explorer import Explorer

#: A page's width, and what a page says of its figures besides: a strip stands beside a text.
SIZES = {
    "small": (320, ""),
    "telephone": (390, ""),
    "card": (640, ""),
    "wide": (1280, ""),
    "strip": (390, ".pn-figure { --pn-box: size; --pn-tall: 18rem; }"),
}
NOTES = (ROOT / "book/_assets/notes.css").read_text("utf-8")


def every():
    """Figures of each kind, with tools and without, and at other moments than the first."""
    rng = np.random.default_rng(2)
    kinds = [("pla", {}), ("dual", {"step": 3}), ("model", {"w0": [-3, 1, 1]})]
    kinds += [("pla", {"panels": ["plane", "ledger"], "step": 3, "goal": {"updates": 9}})]
    made = [
        Explorer(li_hang(), kind, tools=t, **more) for kind, more in kinds for t in (True, False)
    ]
    made += [Explorer(credit(rng=rng), "pocket", "at_random", at_most=150, step=122)]
    made += [Explorer(rings(40, rng=rng), "dual", kernel=polynomial(2), step=3)]
    made += [getattr(scenes, name)() for name in scenes.__all__ if name != "Scene"]
    return [*made, posed(scenes.Adversary(), answers=[1, -1, 1], shown=True)]


@pytest.fixture(params=SIZES)
def page(opened, request):
    """A page with all of them, in one of the sizes, with everything unfolded."""
    width, style = SIZES[request.param]
    page = opened(*every(), viewport={"width": width, "height": 900})
    page.add_style_tag(content=NOTES + style)
    page.locator("summary:visible, .edit:visible").evaluate_all("all => all.map(e => e.click())")
    return page


def test_what_is_counted_has_its_number_and_its_name(page):
    stepped = 0
    for figure in page.locator(".pn-stage:has(.st-count)").all():
        counted = " ".join(figure.locator(".st-count").inner_text().split())
        steps = figure.locator(".play").is_visible()
        stepped += steps
        wanted = r"step \d+ of \d+…?( (no|\d+) mistakes?)?" if steps else r"(no|\d+) .+"
        assert re.fullmatch(wanted, counted), counted
        assert not figure.evaluate("e => e.scrollWidth > e.clientWidth"), counted
    assert stepped >= 11


@pytest.mark.parametrize("theme", some_of(["light", "dark"], "dark"))
def test_figures_serve_all_readers(page, axe, theme):
    """In both themes: axe finds letters that one cannot read, and what has no name by ear."""
    page.add_style_tag(content=f"html {{ color-scheme: {theme}; background: var(--pn-paper); }}")
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
    small = page.evaluate(
        """() => [...document.querySelectorAll('.pn-stage :is(button, select, input)')]
            .filter((e) => e.checkVisibility() && !e.matches('.st-time input'))
            .map((e) => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
            .filter(([, r]) => r.height < 44 || r.width < 44).map(([html]) => html)"""
    )
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    stops = page.locator(".samples").evaluate_all("""all => all.map(
        (list) => list.querySelectorAll('[tabindex="0"]').length)""")
    assert {*stops} == {1}
    assert violations(page, axe, ".pn-stage") == []


#: The buttons whose letters and ground are no pair of the reader's own colours.
STRANGE = """() => {
    const probe = document.body.appendChild(document.createElement("i"));
    const colours = (e, { color, backgroundColor } = getComputedStyle(e)) =>
        `${color} on ${backgroundColor}`;
    const pair = (letters, ground) => {
        probe.style = `forced-color-adjust: none; color: ${letters}; background: ${ground}`;
        return colours(probe);
    };
    const pairs = [pair("ButtonText", "ButtonFace"), pair("HighlightText", "Highlight"),
        pair("GrayText", "ButtonFace")];
    return [...document.querySelectorAll(".pn-stage button")].filter((e) => e.checkVisibility())
        .map((e) => [colours(e), e.outerHTML.slice(0, 90)]).filter(([two]) => !pairs.includes(two));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_button_has_a_pair_of_the_readers_own_colours(opened, scheme):
    page = opened(*every(), forced_colors="active", color_scheme=scheme)
    page.add_style_tag(content=NOTES)
    page.locator("summary:visible, .edit:visible").evaluate_all("all => all.map(e => e.click())")
    assert page.locator(".pn-stage button:visible").count() > 50
    assert page.evaluate(STRANGE) == []
