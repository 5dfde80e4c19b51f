"""Visits to pages of the site, on the screens that most readers have."""

TELEPHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}


def visit(page, address):
    """Open a page, until its scripts have run and nothing more is being fetched.

    A network can be idle while a busy machine has yet to run what it fetched, so that a key which
    is pressed then is not heard.
    """
    page.goto(address)
    page.wait_for_load_state("networkidle")
