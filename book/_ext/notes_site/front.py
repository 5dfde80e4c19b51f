"""Write the pages outside the book: the start page at the site's root, and the 404.

The book begins at `book/index.html`, because its sources are in `book/`. The external table of
contents writes a bare redirect for that; this one has a title, an icon and a link for those whose
browser does not follow it.

A server shows `404.html` at whatever address was requested, however deep. So it needs no other
file, and its links begin with the site's own address. Without one (see links.py) they lead on only
from an address beside `404.html`.
(sphinx-notfound-page makes a page of the theme's, whose files it looks for at the server's root.)
"""

from html import escape
from pathlib import Path

from sphinx.application import Sphinx

from .editions import speaker
from .notices import FILE

FIRST = """\
<!DOCTYPE html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url={first}">
<title>{title}</title>
<meta name="description" content="{about}">
<link rel="icon" href="_static/{icon}">{canonical}
<p><a href="{first}">{title}</a></p>
</html>
"""

LOST = """\
<!DOCTYPE html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>No such page – {title}</title>
<meta name="description" content="There is no page at this address.">
<link rel="icon" href="data:,">
<style>
  :root {{ color-scheme: light dark; background: Canvas }}
  body {{ font: 1.1rem/1.6 serif; max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem }}
  h1 {{ font-size: 1.6rem; line-height: 1.25 }}
</style>
<main>
<h1>There is no page at this address</h1>
<p>It may have moved, or the address may have a slip in it. Begin at the first page of
<a href="{first}">{title}</a>, or <a href="{search}">search it</a>.</p>
</main>
<footer><a href="{licences}">Licences of what this site carries</a></footer>
</html>
"""


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write `404.html`, and replace `index.html`."""
    config = app.config
    if exception or app.builder.name != "html":
        return
    site, home, title = Path(app.outdir), config.html_baseurl, escape(config.html_title)
    first = app.builder.get_target_uri(config.root_doc)
    lost = LOST.format(
        language=config.language,
        title=title,
        first=home + first,
        search=home + app.builder.get_target_uri("search"),
        licences=f"{home}_static/{FILE}",
    )
    if config.language == "en":  # servers show this one for any address
        (site / "404.html").write_text(lost, "utf-8")
    if config.root_doc != "index":
        page = FIRST.format(
            language=config.language.replace("_", "-"),
            title=title,
            about=speaker(config.language)("{title}: the first page of the book.").format(
                title=title
            ),
            icon=Path(config.html_favicon or "").name,
            first=first,
            canonical=f'\n<link rel="canonical" href="{home}{first}">' if home else "",
        )
        (site / "index.html").write_text(page, "utf-8")


def setup(app: Sphinx) -> None:
    """Write the pages when Sphinx has written its own."""
    app.connect("build-finished", write, priority=900)  # after the external table of contents
