"""Write what stands beside the book: the page at the site's own address, the 404, a list of pages.

The book begins at `book/index.html`, because its sources are in `book/`. The external table of
contents writes a bare redirect for that; this one has a title, an icon and a link for those whose
browser does not follow it.

A server shows `404.html` at whatever address was asked for, however deep. So it needs no other
file, and its links begin with the site's own address. Without one (see links.py) they begin where
the page is shown, and a script looks from there upwards for the folder that has the book in it;
without scripts they then lead on only from an address beside `404.html`.
(sphinx-notfound-page makes a page of the theme's, whose files it looks for at the server's root.)

With an address there is `sitemap.xml` too, and `robots.txt` that names it. (sphinx-sitemap lists
the pages that this very build has written: an edit of one page leaves a list of one.)
"""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path

from sphinx.application import Sphinx

from perceptron_notes._kit.palette import DARK, PALETTE

from .fonts import TEXT, subset
from .notices import FILE
from .typefaces import FAMILIES

FIRST = """\
<!DOCTYPE html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url={first}">
<title>{title}</title>
<meta name="description" content="{title}: the first page of the book.">
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
  {face}
  :root {{ color-scheme: light dark }}
  body {{
    max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem;
    font: 1.0625rem/1.65 "{family}", Charter, "Bitstream Charter", Cambria, Georgia, serif;
    background: light-dark(#fefefd, #14181e); color: light-dark(#22272e, #d5dbe2);
  }}
  a {{ color: light-dark(#1d63a3, #7fb9ea) }}
  h1 {{ font-size: 1.7rem; line-height: 1.2 }}
  svg {{ width: 15rem; fill: none; stroke-width: 2.5; stroke-linecap: round }}
  .line {{ stroke: light-dark({accent}) }}
  .circles {{ stroke: light-dark({positive}) }}
  .crosses {{ stroke: light-dark({negative}) }}
  form {{ display: flex; gap: .5rem }}
  input, button {{
    min-height: 44px; box-sizing: border-box; padding: 0 .9rem; font: inherit; color: inherit;
    border: 1px solid light-dark(#828c97, #6c7783); border-radius: 6px; background: none;
  }}
  input {{ flex: 1; min-width: 0 }}
  footer {{ margin-top: 3rem; font-size: .9rem }}
</style>
<main>
<svg viewBox="0 0 160 96" aria-hidden="true">
  <path class="line" d="M8 90 152 6"/>
  <g class="circles">
    <circle cx="30" cy="30" r="5"/><circle cx="58" cy="18" r="5"/><circle cx="66" cy="40" r="5"/>
    <circle cx="24" cy="58" r="5"/><circle cx="122" cy="64" r="5"/>
  </g>
  <g class="crosses">
    <path d="m77 73 8 8m0-8-8 8"/><path d="m139 41 8 8m0-8-8 8"/>
    <path d="m101 83 8 8m0-8-8 8"/><path d="m145 77 8 8m0-8-8 8"/>
  </g>
</svg>
<h1>There is no page at this address</h1>
<p>It may have moved, or the address may have a slip in it.</p>
{links}
</main>
{script}</html>
"""
SEARCH_UPWARDS = """\
<script>
(async () => {{
  let folder = new URL(".", location);
  for (const _ of folder.pathname.split("/")) {{
    const {{ ok }} = await fetch(new URL("{first}", folder), {{ method: "HEAD" }});
    if (ok) {{
      document.head.append(Object.assign(document.createElement("base"), {{ href: folder }}));
      return;
    }}
    folder = new URL("..", folder);
  }}
}})();
</script>
"""
LETTERS = "_static/type/source-serif-4-latin-wght-normal.woff2"
SERIF = FAMILIES["source-serif-4"][0]


SITEMAP = """\
<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{entries}</urlset>
"""


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write `404.html`, and `index.html` anew."""
    config = app.config
    if exception or app.builder.name != "html":
        return
    site, home, title = Path(app.outdir), config.html_baseurl, escape(config.html_title)
    first = app.builder.get_target_uri(config.root_doc)
    script = "" if home else SEARCH_UPWARDS.format(first=first)
    words = {"language": config.language, "title": title, "links": links(app), "script": script}
    words["family"] = SERIF
    words |= {name: f"{tone}, {DARK[name]}" for name, tone in PALETTE.items()}
    lost = LOST.format(**words, face=face(site, LOST.format(**words, face="")))
    (site / "404.html").write_text(lost, "utf-8")
    if config.root_doc != "index":
        page = FIRST.format(
            language=config.language,
            title=title,
            icon=Path(config.html_favicon or "").name,
            first=first,
            canonical=f'\n<link rel="canonical" href="{home}{first}">' if home else "",
        )
        (site / "index.html").write_text(page, "utf-8")


def list_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write `sitemap.xml` and `robots.txt`, if the site has an address."""
    home = app.config.html_baseurl
    if exception or app.builder.name != "html":
        return
    pages = [home + app.builder.get_target_uri(name) for name in sorted(app.env.found_docs)]
    entries = "".join(f"  <url><loc>{escape(page)}</loc></url>\n" for page in pages)
    files = {
        "sitemap.xml": SITEMAP.format(entries=entries),
        "robots.txt": f"User-agent: *\nAllow: /\nSitemap: {home}sitemap.xml\n",
    }
    for name, text in files.items():
        if home:
            Path(app.outdir, name).write_text(text, "utf-8")
        else:  # of an earlier build, that had an address
            Path(app.outdir, name).unlink(missing_ok=True)


def face(site: Path, text: str) -> str:
    """Cut the book's face to a text, to stand in a page that needs no other file."""
    if not (site / LETTERS).is_file():
        return ""
    data = b64encode(subset(site / LETTERS, set(text), SERIF, TEXT)).decode()
    return (
        f'@font-face {{ font-family: "{SERIF}"; font-weight: 400 700; '
        f'src: url(data:font/woff2;base64,{data}) format("woff2") }}'
    )


def links(app: Sphinx) -> str:
    """Give the search, the way home, and what is at the foot of every page."""
    home = app.config.html_baseurl
    first = home + app.builder.get_target_uri(app.config.root_doc)
    title = escape(app.env.titles[app.config.root_doc].astext())
    return f"""\
<form action="{home}{app.builder.get_target_uri("search")}" role="search">
<input type="search" name="q" aria-label="Search the book"> <button>Search</button></form>
<p>Or begin at the first page of <a href="{first}">{title}</a>.</p>
<footer><a href="{home}_static/{FILE}">Licences of what this site carries</a></footer>"""


def setup(app: Sphinx) -> None:
    """Write the pages when Sphinx has written its own."""
    app.connect("build-finished", list_pages)
    app.connect("build-finished", write, priority=900)  # after the external table of contents
