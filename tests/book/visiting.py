"""Visits to pages of the site, on the screens that most readers have."""

import re
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import expect

ROOT = Path(__file__).parent.parent.parent
CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
LISTED = [one for part in CONTENTS["parts"] for one in part["chapters"]]
#: The pages of the reference that have a module each.
MODULES = [f"{below['file']}.html" for one in LISTED for below in one.get("sections", ())]
#: Every page but the redirect, and those that are made from the chapters' notebooks.
PAGES = [f"{name}.html" for name in (CONTENTS["root"], *(one["file"] for one in LISTED))]
PAGES += [*MODULES, "search.html", "404.html"]
CHAPTERS = [path for path in PAGES if re.match(r"book/\d", path)]
#: The chapter of most tests: the smallest, and yet it has one of everything.
CHAPTER = "book/4-pocket.html"

DESKTOP = {"width": 1280, "height": 900}
TELEPHONE = {"width": 390, "height": 844}
#: What a browser leaves of a laptop's and of a telephone's screen; a site's head takes 64 more.
SMALL = {"laptop": {"width": 1366, "height": 650}, "telephone": {"width": 390, "height": 664}}
small_screens = pytest.mark.parametrize("size", SMALL.values(), ids=SMALL)


def some_of(paths, *quick):
    """Parameters of a test: the other pages are for `make test-all` alone."""
    assert {*quick} <= {*paths}
    return [pytest.param(path, marks=[] if path in quick else pytest.mark.slow) for path in paths]


class Heard(list):
    """Collect a browser's complaints, and requests to hosts other than `home`, until `end`."""

    def __init__(self, page, home):
        self.page = page
        ours = (home, "data:", "blob:")
        # A page that is left while it loads breaks its requests off: no fault of theirs.
        broken_off = "net::ERR_ABORTED"
        self.listeners = {
            "console": lambda m: m.type in ("error", "warning") and self.append(m.text),
            "pageerror": lambda error: self.append(str(error)),
            "requestfailed": lambda r: (
                r.failure == broken_off or self.append(f"{r.failure}: {r.url}")
            ),
            "response": lambda r: r.status >= 400 and self.append(f"{r.status}: {r.url}"),
            "request": lambda r: r.url.startswith(ours) or self.append(f"leaves: {r.url}"),
        }
        for event, listener in self.listeners.items():
            page.on(event, listener)

    def end(self):
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)


def visit(page, address):
    """Open a page and wait for its scripts, as a key that is pressed before is not heard."""
    page.goto(address)
    settle(page)


def settle(page):
    """Wait until a page's scripts have run and fetched."""
    page.wait_for_load_state("networkidle")


def come_to(place):
    """Scroll to a place as a reader does, who does not press while the page still moves.

    What waits far below is laid out as one comes near, and pushes on what follows it.
    """
    place.evaluate(
        """async (place) => {
            for (let still = 0, before; still < 10; still++) {
                place.scrollIntoView({ block: "center", behavior: "instant" });
                await new Promise(requestAnimationFrame);
                const { y } = place.getBoundingClientRect();
                if (y !== before) [before, still] = [y, 0];
            }
        }"""
    )
    return place


def unfold(page):
    """Open everything that is folded, and lay out what is far below the screen too."""
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    page.add_style_tag(content="* { content-visibility: visible !important }")


def drawn(page):
    """Wait until a figure has drawn what was last asked of it."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def at(figure):
    """The step and the last one, as a figure's counter shows them: `3 of 7`."""
    return figure.locator("[data-count=step]").inner_text().removeprefix("step ")


def comes(figure, step):
    """Wait until a figure's counter shows a step, with the last one or without: `3 of 7`, or 3."""
    shown = re.compile(rf"^step {step}\b")
    expect(figure.locator("[data-count=step]")).to_have_text(shown, use_inner_text=True)


def rest(figure):
    """What a figure counts at this step: its mistakes."""
    return figure.locator("[data-count=rest]").inner_text()


def said(figure, what="p.words"):
    """What a figure says, or another text of it, once it has drawn what was last asked of it."""
    drawn(figure)
    return " ".join(figure.locator(what).inner_text().split())


def sample(figure, i):
    return figure.locator(".samples > *").nth(i)


def press(page, *keys, on=None):
    """Press keys, on a sample or where the focus is."""
    if on is not None:
        sample(page, on).focus()
    for key in keys:
        page.keyboard.press(key)
        drawn(page)


def middle(place):
    """Where the middle of a place is on the screen."""
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pull(page, start, dx, dy, steps=2):
    """Drag with the mouse what is there."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + dx, start[1] + dy, steps=steps)
    page.mouse.up()
    drawn(page)


def strange(page, what, *families):
    """The fonts in which parts of a page are set, but for those of some families.

    The site's fonts hold only the characters that occur: what is missing comes from another.
    """
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": what})["nodeIds"]
    used = [
        session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes
    ]
    session.detach()
    return [
        (one["familyName"], one["isCustomFont"])
        for fonts in used
        for one in fonts
        if not (one["familyName"].startswith(families) and one["isCustomFont"])
    ]


#: What axe finds. What draws a formula is hidden from screen readers, has the colour of its text,
#: and is half of a page: axe is faster without. A head that is a formula seems empty to axe, which
#: does not read MathML; and of a colour that the reader forces, axe sees the one that it replaces.
VIOLATIONS = """async (where) => {
    const drawn = [...document.querySelectorAll('.katex-html')].map((part) => {
        const place = document.createComment('');
        part.replaceWith(place);
        return () => place.replaceWith(part);
    });
    axe.configure({ rules: [{ id: 'empty-table-header', selector: 'th:not(:has(math))' }] });
    const { violations } = await axe.run(where ?? document, {
        resultTypes: ['violations'],
        rules: { 'color-contrast': { enabled: matchMedia('(forced-colors: none)').matches } },
    });
    for (const back of drawn) back();
    return violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200)]);
}"""


#: What scrolls has its tab stop, which it gets when the page has nothing else to do.
REACHED = """[...document.querySelectorAll('article :is(pre, .pst-scrollable-table-container)')]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
    .every((one) => one.tabIndex === 0)"""


def violations(page, axe, where=None):
    """Return the accessibility rules that a page, or a part of it, breaks."""
    page.wait_for_function(REACHED)
    page.evaluate(axe)
    return page.evaluate(VIOLATIONS, where)


def contrast(one, other):
    """The ratio of two colours' luminances, as WCAG defines it."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def posed(scene, **state):
    """A scene at another moment: parts of its state are as a reader would have set them."""
    scene.state = {**scene.state, **state}
    return scene
