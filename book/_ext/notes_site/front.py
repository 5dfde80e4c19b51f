"""Write the pages at the site's root, which leads to the book, and for addresses that do not.

A server shows `404.html` at whatever address was requested, however deep. So it needs no other
file, and its links begin with the site's own address. Without one (see links.py) they lead on only
from an address beside `404.html`.
"""

from html import escape
from pathlib import Path

from sphinx.application import Sphinx

from .notices import FILE

FIRST = """\
<!DOCTYPE html>
<html lang="{language}"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={first}">
<title>{title}</title><link rel="icon" href="_static/favicon.svg"><a href="{first}">{title}</a>
"""
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
</style>
<main>
<h1>There is no page at this address</h1>
<p>It may have moved, or the address may have a slip in it. Begin at the first page of
<a href="{first}">{title}</a>, or <a href="{search}">search it</a>.</p>
</main>
<footer><a href="{licences}">Licences of what this site carries</a></footer>
"""


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write `index.html`, and `404.html` in English: servers show this one for any address."""
    config, title = app.config, escape(app.config.html_title)
    if exception or app.builder.name != "html":
        return
    first = app.builder.get_target_uri(config.root_doc)
    page = FIRST.format(language=config.language.replace("_", "-"), title=title, first=first)
    Path(app.outdir, "index.html").write_text(page, "utf-8")
    home = config.html_baseurl
    lost = LOST.format(
        title=title,
        first=home + first,
        search=home + app.builder.get_target_uri("search"),
        licences=f"{home}_static/{FILE}",
    )
    Path(app.outdir, "404.html").write_text(lost, "utf-8")


def setup(app: Sphinx) -> None:
    """Write the page when Sphinx has written its own."""
    app.connect("build-finished", write, priority=900)
