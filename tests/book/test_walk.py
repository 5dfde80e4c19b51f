"""A newcomer's walk through the site, from the first page to paper."""

import io
import re

from pypdf import PdfReader
from visiting import DESKTOP, come_to, settle, visit


def test_a_newcomer_finds_the_way(origin, tab):
    page = tab(viewport=DESKTOP, reduced_motion="reduce")
    visit(page, f"{origin}/index.html")
    page.wait_for_selector(".pn-figure[data-state=live]")

    # Drag a sample across the line, and read what comes of it.
    says = page.locator(".pn-figure .status")
    before = says.inner_text()
    sample = page.locator(".samples [role=option]").first.bounding_box()
    x, y = sample["x"] + sample["width"] / 2, sample["y"] + sample["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 250, y + 250, steps=8)
    page.mouse.up()
    page.wait_for_function(
        "(b) => document.querySelector('.pn-figure .status').innerText !== b", arg=before
    )
    assert re.search(r"step 0 of \d+", says.inner_text())
    assert "separates" in page.locator(".pn-figure .chip").inner_text()

    # Chapter 1, and its first question.
    page.get_by_role("link", name="Start reading").click()
    page.wait_for_url("**/1-model.html")
    settle(page)  # what is still to come could move the answers
    option = come_to(page.locator(".quiz details").first)
    option.locator("summary").click()
    assert option.locator(".quiz-answer").is_visible()

    # "margin", found as one types.
    page.keyboard.press("/")
    page.keyboard.type("margin")
    found = page.locator("dialog .found a")
    found.first.wait_for()
    assert "margin" in found.first.inner_text().lower()
    page.keyboard.press("Enter")
    page.wait_for_function("!document.querySelector('dialog[open]')")
    assert "margin" in page.locator("article").inner_text().lower()

    # Another kernel in chapter 5 makes another region.
    visit(page, f"{origin}/book/5-dual.html")
    figure = page.locator(".pn-figure").first
    page.wait_for_selector(".pn-figure[data-state=live]")
    figure.get_by_role("button", name="Step forward").click()
    region = figure.locator(".plane .line").last
    drawn = region.get_attribute("d")
    menu = figure.get_by_label("kernel", exact=True)
    other = {"rbf": "polynomial"}.get(menu.input_value(), "rbf")
    menu.select_option(other)
    page.wait_for_function(
        "(d) => [...document.querySelectorAll('.plane .line')].at(-1).getAttribute('d') !== d",
        arg=drawn,
    )

    # By night, and on paper.
    for _ in range(3):
        if page.evaluate("document.documentElement.dataset.theme") == "dark":
            break
        page.locator(".theme-switch-button").first.click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    paper = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    assert "kernel" in "".join(sheet.extract_text() for sheet in paper.pages[:2])


def test_a_search_of_two_words_finds_what_has_both(origin, tab):
    page = tab(viewport=DESKTOP)
    visit(page, f"{origin}/book/1-model.html")
    sizes = []
    page.on("response", lambda answer: sizes.append(len(answer.body())))
    page.keyboard.press("/")
    page.locator("dialog input[type=search]").wait_for()
    page.wait_for_load_state("networkidle")
    assert sum(sizes) < 60_000  # before the first letter; and what waits for it is not asked for
    page.keyboard.type("kernel trick")
    found = page.locator("dialog .found a")
    found.first.wait_for()
    # A word with signs in it, as `margin=1` in a formula, is found and marked too.
    page.locator("dialog input[type=search]").fill("margin=1")
    page.wait_for_function(
        "document.querySelector('.found mark')?.textContent.toLowerCase().startsWith('margin')"
    )
    page.locator("dialog input[type=search]").fill("kernel trick")
    page.wait_for_function(
        "document.querySelector('.found mark')?.textContent.toLowerCase() === 'kernel'"
    )
    assert any("5-dual.html" in link.get_attribute("href") for link in found.all()[:3])
