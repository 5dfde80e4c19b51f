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


def lay_out(page):
    """Lay out what is far below the screen too, which waits until one comes near."""
    page.add_style_tag(content="* { content-visibility: visible !important }")
