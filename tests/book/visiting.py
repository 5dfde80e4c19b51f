"""Visits to pages of the site, on the screens that most readers have."""

TELEPHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}


def visit(page, address):
    """Open a page and wait for its scripts, as a key that is pressed before is not heard."""
    page.goto(address)
    settle(page)


def settle(page):
    """Wait until a page's scripts, which come after its first frame, have run and fetched."""
    page.wait_for_function("!document.querySelector('[data-later]')")
    page.wait_for_load_state("networkidle")


def lay_out(page):
    """Lay out what is far below the screen too, which waits until one comes near."""
    page.add_style_tag(content="* { content-visibility: visible !important }")
