"""Write the page for addresses that lead nowhere.

A server shows `404.html` at whatever address was requested, however deep. So it needs no other
file, and its links begin with the site's own address. Without one (see links.py) they lead on only
from an address beside `404.html`.
(sphinx-notfound-page makes a page of the theme's, whose files it looks for at the server's root.)
"""

from html import escape
from pathlib import Path

from sphinx.application import Sphinx

from .notices import FILE

LOST = """\
<!DOCTYPE html>
<html lang="en">
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
    """Write `404.html`, in English: servers show this one for any address."""
    config = app.config
    if exception or app.builder.name != "html" or config.language != "en":
        return
    home = config.html_baseurl
    lost = LOST.format(
        title=escape(config.html_title),
        first=home + app.builder.get_target_uri(config.root_doc),
        search=home + app.builder.get_target_uri("search"),
        licences=f"{home}_static/{FILE}",
    )
    Path(app.outdir, "404.html").write_text(lost, "utf-8")


def setup(app: Sphinx) -> None:
    """Write the page when Sphinx has written its own."""
    app.connect("build-finished", write, priority=900)
