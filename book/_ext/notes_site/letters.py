"""Subset the site's fonts to the characters that occur, embedding the common ones in the CSS.

A page is laid out once, in its own fonts, and uses none of the system's. (As files, preloaded, they
were painted later on a slow telephone in two chapters of three, and sooner in one.) Rare
characters are in files, with a checksum in their names, which a browser loads when it meets such a
character: Greek, and signs in italics.
"""

import html
import re
from base64 import b64encode
from collections import defaultdict
from pathlib import Path
from string import ascii_letters, digits

from fontTools.ttLib import TTFont

from .folders import checksum
from .fonts import TEXT, subset

#: Elements not in the text's font; and those in italics, except signatures, which are code.
CODE = re.compile(r"<(pre|code|kbd|svg|math|script|style)\b.*?</\1>", re.DOTALL)
EMPHASIS = re.compile(r"<(?:em|i|cite|dfn|var)\b(?! class=.(?:sig|prop))[^>]*>([^<]*)")
TAG = re.compile(r"<[^>]*>")
LEAF = re.compile(r'<span(?: class="([^"]*)")?[^>]*>([^<]+)')
ASCII = set(map(chr, range(128)))
#: Characters that any page may have.
PLAIN = set(ascii_letters + digits + " .,;:!?-()’")
FACE = re.compile(r"@font-face\s*\{[^}]*\}")
FONT = re.compile(r"type/[\w-]+\.woff2")
#: The families of formulas and icons. Their names are reserved for the complete fonts.
FORMULAS, FAMILY = re.compile(r"\bKaTeX_(\w+)\b(?!-)"), "NotesMath_"
ICONS = re.compile(r'"?Font Awesome\\? \d+ (Free|Brands)"?')
#: A font face with the letters that every page has.
FIRST = "-latin-wght-"
#: What the files of all other letters hold too.
IN_ALL = set("AB \u00a0")


def text_fonts(css: str, static: Path, pages: str, scripted: set[str]) -> str:
    """Subset the faces of typefaces.py; return the stylesheet that embeds or names them."""
    coded = "".join(m[0] for m in CODE.finditer(pages) if m[1] in ("pre", "code", "kbd"))
    words = set(html.unescape("".join(TAG.split(CODE.sub("", pages)))))
    italic = PLAIN.union(*EMPHASIS.findall(pages))
    # Scripts write words into the page too; their signs are mostly code.
    normal = italic | words | set(filter(str.isalnum, scripted)) | (scripted - ASCII)
    letters = {"code": scripted.union(html.unescape(coded)), "italic": italic, "normal": normal}

    def shrink(found: re.Match[str]) -> str:
        rule, path = found[0], "".join(FONT.findall(found[0]))
        if not path:
            return rule
        (face,) = re.findall(r"code|italic|normal", path)[:1]
        known = TTFont(static / path).getBestCmap()
        kept = {one for one in letters[face] if ord(one) in known}
        if kept <= IN_ALL:
            return ""
        # Italics and code are never bold, and Greek hardly ever. The rule keeps its range of
        # weights: a face of another range would hide those beside it.
        weights = 400 if re.search(r"italic|code|greek", path) else (400, 700)
        data = subset(static / path, kept, face_of(rule)[0], TEXT, weights)
        if FIRST in path:
            return embedded(rule, data)
        name = path.replace(".woff2", f".{checksum(data)[:8]}.woff2")
        (static / name).write_bytes(data)
        return rule.replace(path, name)

    return FACE.sub(shrink, css)


def small_fonts(css: str, static: Path, text: str) -> str:
    """Embed the fonts of formulas and icons in the stylesheet, with new names."""
    css = FORMULAS.sub(rf"{FAMILY}\1", ICONS.sub(r"NotesIcons_\1", css))
    icons = {chr(int(code, 16)) for code in re.findall(r'"\\([0-9a-f]{4})"', css)}
    letters, faces = letters_by_class(text), classes_by_face(css)

    def shrink(found: re.Match[str]) -> str:
        rule, face = found[0], face_of(found[0])
        if FONT.search(rule) or "url(" not in rule:
            return rule
        (path,) = re.findall(r'url\("?([^")]*\.woff2)', rule)[:1]
        kind = Path(path).name.rpartition("-")[0]  # fa-solid, fa-brands, KaTeX_Main, …
        if face in faces:
            kept = set().union(*(letters[name] for name in faces[face] or ["katex"]))
        elif re.search(rf'class="[^"]*\b(?:{kind}|{kind.replace("-", "")[:3]})\b', text):
            kept = icons
        else:
            return ""
        return embedded(rule, subset(static / path, kept, face[0]))

    return FACE.sub(shrink, css)


def embedded(rule: str, data: bytes) -> str:
    """Embed the font of a `@font-face`; with `block`, no fallback is shown meanwhile."""
    source = f'src:url(data:font/woff2;base64,{b64encode(data).decode()}) format("woff2")'
    rule = re.sub(r"src:[^;}]*", lambda _: source, rule)
    return re.sub(r"font-display:\w+", "font-display:block", rule)


def letters_by_class(text: str) -> dict[str, set[str]]:
    """Return the characters of the formulas, by the classes of the element that holds them.

    The key `katex` has those of all formulas.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for formula in re.findall(r'<span class="katex-html".*', text):
        for classes, letters in set(LEAF.findall(formula)):
            for name in ["katex", *classes.split()]:
                found[name].update(html.unescape(letters))
    return found


def classes_by_face(css: str) -> dict[tuple[str, ...], list[str]]:
    """Return the faces that formulas are set in, each with the classes that select it.

    An empty list means any class: so for the upright face, which needs none, and for those of
    large signs, which depend on more than one.
    """
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    rules = re.findall(r"([^{}]*\.katex [^{}]*)\{([^{}]*font-(?:family|weight|style)[^{}]*)\}", css)
    for selectors, body in rules:
        found[face_of(body)] += re.findall(r"\.katex \.([a-z]+)\s*(?:,|$)", selectors)
    return {**found, face_of(""): []}


def face_of(rule: str) -> tuple[str, ...]:
    """Return the family, weight and style in a rule."""
    given = dict(re.findall(r"(font-[a-z]+):\s*\"?([^;\"}]+)", rule))
    weight = {"700": "bold"}.get(given.get("font-weight", ""), "normal")
    return given.get("font-family", f"{FAMILY}Main"), weight, given.get("font-style", "normal")
