"""Make an e-book of the built book: an EPUB 3.

    python book/epub.py _build/html _build/book.epub

Each page of the site becomes a page of XHTML, under one stylesheet of its own, epub.css. Formulas
are MathML, figures that move are stills. Solutions and proofs are folded as on the site; a reading
program that knows no folds shows them open. The answers to self-checks stand at the chapter's end,
with links there and back. Nothing sets the colour of text or paper, which readers choose; so at
night it is as readable as by day.

As in the PDF, the reference of the package is on the site only. Links to it lead there if
`_config.yml` says where the site is, and are plain text if not.
"""

import html
import sys
import uuid
from pathlib import Path
from urllib.parse import unquote

from PIL import Image

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE / "_ext")]

from mathml import set_formula  # noqa: E402
from notes_site import notices  # noqa: E402
from notes_site.editions import speaker  # noqa: E402
from notes_site.npm import install  # noqa: E402
from notes_site.zips import pack  # noqa: E402
from pages import ROOT, Parts, SitePage, address, contents, front, language_of, order, read_yaml  # noqa: E402

SETTINGS, CITATION = read_yaml("_config.yml"), read_yaml("CITATION.cff")
NODE = ROOT / "_build/.node"
#: Names that are lower case in HTML, but not in XML.
CASES = {
    name.lower(): name for name in ("viewBox", "clipPath", "patternUnits", "preserveAspectRatio")
}
#: The typeface of formulas, which a program may lack. The reader chooses that of the text.
MATHS = "@fontsource/stix-two-math"
FACE = "stix-two-math-latin-400-normal.woff2"
#: The property of a file in the e-book, and its media type.
KINDS = {"contents.xhtml": "nav", "images/cover.png": "cover-image"}
TYPES = {
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
CONTAINER = """\
<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>
"""
PACKAGE = """\
<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"
  xml:lang="{language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">{identifier}</dc:identifier>
{about}
</metadata>
<manifest>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""
FRONT = (
    '<section class="cover" epub:type="cover">'
    '<img role="doc-cover" src="images/cover.png" alt="{alt}"/></section>'
)
ABOUT = """\
<section><h1>About this e-book</h1>
<p>It is made from the pages of the book’s site{place}. The figures that move, the cells that run
and the reference of the package <code>perceptron_notes</code> are there.</p>
<p>Version {version}. © {copyright}.</p>
<p>The typeface of its formulas is STIX Two Math. Its licence follows.</p>
{notices}<pre>{licence}</pre></section>"""
SUMMARY = (
    "Formulas are MathML, with the same in words; pictures have alternative texts. Headings, lists "
    "and tables are marked as such. Questions and their answers are linked, there and back. "
    "Nothing moves or sounds."
)
FEATURES = [
    *("alternativeText", "MathML", "readingOrder", "structuralNavigation", "tableOfContents"),
    *("displayTransformability", "unlocked"),
]


# Pages ------------------------------------------------------------------------------------------


class Leaf(SitePage):
    """A page of the site on its way into the e-book."""

    def __init__(self, site: Path, name: str) -> None:
        super().__init__(site, name)
        self.images: dict[str, bytes] = {}

    def place(self, page: str, name: str) -> str:
        """Return the address in the e-book of an id of a page."""
        return f"{page}.xhtml#{name}".removesuffix("#")

    def prepare(self, pages: set[str], published: str = "") -> None:
        """Make the article what the e-book has of it, in XML."""
        super().prepare(pages, published)
        for image in self.article("img"):
            file = (self.file.parent / unquote(image["src"])).resolve()
            image["src"] = f"images/{file.name}"
            self.images[image["src"]] = file.read_bytes()
            with Image.open(file) as picture:
                image["width"] = picture.width // 2  # of a fine screen's pixels two are one
        for formula in self.article.select(".katex"):
            set_formula(formula)
        for element in self.article.find_all(True):
            if element.name == "svg":
                element["xmlns"] = "http://www.w3.org/2000/svg"
            element.name = CASES.get(element.name, element.name)
            element.attrs = {CASES.get(key, key): value for key, value in element.attrs.items()}

    def xhtml(self) -> str:
        """Return the page of the e-book."""
        return xhtml(self.language, self.title, self.article.decode_contents())


def xhtml(language: str, title: str, body: str) -> str:
    """Return a page of the e-book."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
        f'lang="{language}" xml:lang="{language}">\n<head><meta charset="utf-8"/>'
        f"<title>{html.escape(title)}</title>"
        f'<link rel="stylesheet" href="epub.css"/></head>\n<body>{body}</body>\n</html>\n'
    )


# The book ---------------------------------------------------------------------------------------


def package(pages: dict[str, str], files: dict[str, bytes], language: str) -> str:
    """Return the package document: metadata, and the files in reading order."""
    say = speaker(language)
    edition = CITATION["version"] + ("" if language == "en" else f" {language}")
    about = [
        ("dc:title", say(SETTINGS["title"])),
        ("dc:creator", say(SETTINGS["author"])),
        ("dc:language", language),
        ("dc:description", say(CITATION["abstract"])),
        ("dc:rights", f"© {say(SETTINGS['copyright'])}"),
        *(("dc:subject", keyword) for keyword in CITATION["keywords"]),
    ]
    more = [
        ("dcterms:modified", f"{CITATION['date-released']}T00:00:00Z"),
        *(("schema:accessMode", mode) for mode in ("textual", "visual")),
        *(("schema:accessModeSufficient", modes) for modes in ("textual", "textual,visual")),
        *(("schema:accessibilityFeature", feature) for feature in FEATURES),
        ("schema:accessibilityHazard", "none"),
        ("schema:accessibilitySummary", say(SUMMARY)),
    ]
    lines = [f"<{name}>{html.escape(text)}</{name}>" for name, text in about]
    lines += [f'<meta property="{name}">{html.escape(text)}</meta>' for name, text in more]
    items, spine = [], []
    for number, (name, content) in enumerate({**pages, **files}.items()):
        kinds = [KINDS[name]] if name in KINDS else []
        if isinstance(content, str):
            spine.append(f'<itemref idref="f{number}"/>')
            kinds += [
                kind for kind, tag in (("mathml", "<math"), ("svg", "<svg")) if tag in content
            ]
        says = f' properties="{" ".join(kinds)}"' if kinds else ""
        media = TYPES[Path(name).suffix]
        items.append(f'<item id="f{number}" href="{name}" media-type="{media}"{says}/>')
    return PACKAGE.format(
        language=language,
        identifier=uuid.uuid5(uuid.NAMESPACE_DNS, f"perceptron-notes {edition}").urn,
        about="\n".join(lines),
        items="\n".join(items),
        spine="\n".join(spine),
    )


def about(site: str, language: str) -> str:
    """Return the last page: the source of the e-book, and the licence of its fonts."""
    face, say = notices.npm_package(install(NODE), MATHS), speaker(language)
    text = say(ABOUT).format(
        place=f', <a href="{site}">{site}</a>' if site else "",
        version=CITATION["version"],
        copyright=html.escape(say(SETTINGS["copyright"])),
        notices="".join(f"<p>{html.escape(notice)}</p>" for notice in face.notices),
        licence=html.escape(face.text),
    )
    return xhtml(language, say("About this e-book"), text)


def make_epub(site: Path, out: Path, parts: Parts) -> None:
    """Write the e-book. The same site gives the same bytes."""
    book = Leaf.book(site, parts)
    leaves = [leaf for _, chapters in book for leaf in chapters]
    title = speaker(language := language_of(site))(SETTINGS["title"])
    cover, alt = front(language, "png")
    toc, named = contents(book, language), speaker(language)("Contents")
    pages = {
        "cover.xhtml": xhtml(language, title, FRONT.format(alt=html.escape(alt))),
        "contents.xhtml": xhtml(
            language, named, f'<nav epub:type="toc" role="doc-toc" id="toc">{toc}</nav>'
        ),
        **{f"{leaf.key}.xhtml": leaf.xhtml() for leaf in leaves},
        "about.xhtml": about(address(language), language),
    }
    files = {"images/cover.png": cover}
    for leaf in leaves:
        files |= leaf.images
    files["epub.css"] = (HERE / "epub.css").read_bytes()
    files[f"fonts/{FACE}"] = (install(NODE) / MATHS / "files" / FACE).read_bytes()
    out.parent.mkdir(parents=True, exist_ok=True)
    head = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "EPUB/package.opf": package(pages, files, language),
    }
    inside = {f"EPUB/{name}": content for name, content in {**pages, **files}.items()}
    pack(head | inside, out)
    formulas = sum(page.count("<math") for page in pages.values())
    print(f"{out}: {len(pages)} pages, {formulas} formulas, {out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    site, out = map(Path, sys.argv[1:])
    make_epub(site, out, order(site))
