"""A newcomer's walk through the site."""

import re

from playwright.sync_api import expect
from visiting import come_to, middle, pull, settle, visit


def test_a_newcomer_finds_the_way(origin, page):
    page.emulate_media(reduced_motion="reduce")
    visit(page, f"{origin}/index.html")
    page.wait_for_selector(".pn-figure[data-state=live]")

    # Drag a sample across the line, and read what comes of it.
    says = page.locator(".pn-figure .status")
    before = says.inner_text()
    pull(page, middle(page.locator(".samples [role=option]").first), 250, 250, steps=8)
    page.wait_for_function(
        "(b) => document.querySelector('.pn-figure .status').innerText !== b", arg=before
    )
    assert re.search(r"step 0 of \d+", says.inner_text())
    assert "separate" in page.locator(".pn-figure .chip").inner_text()

    # The whole story; then chapter 1, and its first question.
    page.get_by_role("link", name="Start reading").click()
    page.wait_for_url("**/twenty-minutes.html")
    page.locator("a.right-next").click()
    page.wait_for_url("**/1-model.html")
    settle(page)  # what is still to come could move the answers
    option = come_to(page.locator(".quiz details").first)
    option.locator("summary").click()
    assert option.locator(".quiz-answer").is_visible()

    # "margin", found as one types.
    page.keyboard.press("Control+k")
    page.keyboard.type("margin")
    found = page.locator("dialog .found a")
    found.first.wait_for()
    assert "margin" in found.first.inner_text().lower()
    page.keyboard.press("Enter")
    page.wait_for_function("!document.querySelector('dialog[open]')")
    assert "margin" in page.locator("article").inner_text().lower()

    # Another kernel in chapter 5 makes another region.
    visit(page, f"{origin}/book/5-dual.html")
    figure = come_to(page.locator("#laboratory .pn-figure"))
    expect(figure).to_have_attribute("data-state", "live")
    figure.get_by_role("button", name="Step").click()
    region = figure.locator(".plane .line").last
    drawn = region.get_attribute("d")
    menu = figure.get_by_label("kernel", exact=True)
    other = {"rbf": "polynomial"}.get(menu.input_value(), "rbf")
    menu.select_option(other)
    page.wait_for_function(
        "(d) => [...document.querySelectorAll('.plane .line')].at(-1).getAttribute('d') !== d",
        arg=drawn,
    )

    # By night.
    page.locator(".theme-switch-button").first.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
