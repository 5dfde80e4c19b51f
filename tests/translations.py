"""Ask of translations what a machine can see: that they have what the English has, and its terms.

    python tests/translations.py zh_CN book/1-model   # in a second; or all that is there

What has no translation, or one that somebody has to look at again, is no fault: the site shows it
in English. Whether it is good Chinese, people say. A line `# ok: WORD` above a string lets pass
what names this word.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "book/_ext"))

from notes_sheets import read  # noqa: E402
from notes_site.editions import WORDS  # noqa: E402
from notes_site.terms import names, rows  # noqa: E402
from notes_site.words import OWN, begun  # noqa: E402

HAN, FULL = "\u3400-\u9fff", "，。；：？！、（）“”《》"
#: What must be the same in both languages, and what stands for it while the rest is looked at.
SAME = [
    ("formula", re.compile(r"\$\$.+?\$\$|\$[^$]+\$", re.DOTALL), "$"),
    ("role", re.compile(r"(\{[\w:]+\})`(?:[^`]*<)?([^<>`]*)>?`"), "\ufffc"),
    ("comment", re.compile(r"<!--.*?-->"), ""),
    ("code", re.compile(r"`[^`]+`"), "`"),
    ("link", re.compile(r"(?<=\])\([^)]*\)(?:\{[^}]*\})?"), ""),
    ("tag", re.compile(r"(</?[a-z]\w*)[^>]*>"), ""),
    ("number", re.compile(r"−?\d+(?:[.,]\d+)*%?"), r"\g<0>"),
]
SLOT = ("placeholder", re.compile(r"\{(\w+)(?:\|[^{}]*)?\}"), "\ufffc")
#: What stands wrong in Chinese.
WRONG = {
    "ASCII punctuation": rf"[{HAN}$`\ufffc][,.;:?!]+(?![a-z])|[{HAN}][()]|[,;:?!()][{HAN}]|\"",
    "a blank beside a full-width mark": rf"[{FULL}] +(?!$)|(?<!^) +[{FULL}]",
    "no blank between Han and Latin": rf"[{HAN}][A-Za-z0-9$`]|[A-Za-z0-9$`%][{HAN}]",
}
BOLD = re.compile(r"(\w?)(\*{1,2})([^*]+)\2(\w?)")
SLIDE = "<!-- slide -->"
#: What begins alike.
HEADS = {"Proof. ": "证明。", "✓ ": "✓ ", "(": "（"}

#: The page that has the words of other books.
BESIDE = {"book/beside"}

Rule = tuple[re.Pattern[str], re.Pattern[str], str]


def rules(language: str) -> Iterator[Rule]:
    """Read of the terms what is wrong: where which English word stands, what, and what to say.

    Where the term is translated, no other book's word may stand (those in `also`, but for
    `+word`, which means the same, and `~word`, which doesn't), nor what a note has after
    `not: a|b`; after `never: a|b`, nowhere. With `must`, ours stands there, or with `must: a|b`
    one of these.
    """
    for row in rows(language):
        ours = row["ours"]
        there = rf"\b(?:{'|'.join(map(re.escape, names(row)))})(?:s|es|d|ed|ing)?\b"
        also = [one for one in row["also"].split("|") if ours and one[:1] not in "+~"]
        wrong = [("not", re.escape(one)) for one in also if one not in ours]
        wrong += re.findall(r"(?:^|; )(not|never): (.+?)(?=; |$)", row["note"])
        for forms in re.findall(r"(?:^|; )must(?:: (.+?))?(?=; |$)", row["note"]):
            wrong.append(("must", rf"\A(?!.*(?:{forms or re.escape(ours)}))"))
        for kind, bad in wrong:
            where = re.compile("" if kind == "never" else there, re.IGNORECASE)
            yield where, re.compile(bad, re.DOTALL), ours


def apart(text: str, slots: bool) -> tuple[dict[str, list[str]], str]:
    """Take a string apart: what must stay, and its words."""
    found, text = {}, WORDS.sub(r"\\text{}", text)
    for kind, pattern, instead in [SLOT] * slots + SAME:
        found[kind] = sorted("".join(m.groups()) or m[0] for m in pattern.finditer(text))
        text = pattern.sub(instead, text)
    return found, text


def signs(formula: str) -> str:
    """Write each sign of a displayed formula as one: with its words, their order may change."""
    return " ".join(f"${one}$" for one in re.findall(r"\\text\{[^}]*\}|\\?\w+|\S", formula))


def complaints(en: str, zh: str, terms: list[Rule], slots: bool = False) -> Iterator[str]:
    """Say what is wrong with a translation."""
    old, new = (apart(text, slots) for text in (en, zh))
    yield from (f"formula: “{one}” is English" for one in WORDS.findall(zh) if one.isascii())
    for kind in old[0]:
        a, b = set(old[0][kind]), set(new[0][kind])
        yield from (f"{kind}: {one} is missing" for one in sorted(a - b))
        yield from (f"{kind}: {one} is not in the English" for one in sorted(b - a))
    if old[0]["comment"] != new[0]["comment"]:
        yield "comment: there are more or fewer"
    cuts = (text.split(SLIDE)[:-1] for text in (en, zh))
    if any(
        a.rstrip("*)”")[-1:] in ".?!" and b.rstrip("*）”")[-1:] not in "。？！"
        for a, b in zip(*cuts, strict=False)
    ):
        yield "slide: the marked sentence does not end at its mark"
    yield from (
        f"form: it does not begin with {b}"
        for a, b in HEADS.items()
        if en.startswith(a) and not zh.startswith(b)
    )
    for where, bad, good in terms:
        if where.search(old[1]) and (hit := bad.search(new[1])):
            yield f"term: {hit[0] or 'missing'}; say {good}"
    for what, pattern in WRONG.items():
        yield from (f"{what}: {hit}" for hit in re.findall(pattern, new[1]))
    for before, mark, inside, after in BOLD.findall(new[1]):
        if (before and not inside[0].isalnum()) or (after and not inside[-1].isalnum()):
            yield f"emphasis: {mark}{inside}{mark}{after} is not seen; put marks outside"


def check(page: str, language: str) -> Iterator[str]:
    """Say what is wrong with the translations of a page, or of what the site or its figures say."""
    terms = [] if page in BESIDE else list(rules(language))
    for one in read(page, language):
        if one.id and one.string and not one.fuzzy:
            texts = map(signs if "math_block" in one.auto_comments else str, (one.id, one.string))
            found = list(complaints(*texts, terms, slots=page in OWN))
            passed = [note[4:] for note in one.user_comments if note.startswith("ok: ")]
            found = [what for what in found if not any(word in what for word in passed)]
            yield from (f"{page}.po:{one.lineno}: {what} (“{one.id[:40]}”)" for what in found)


if __name__ == "__main__":
    language, *pages = sys.argv[1:]
    wrong = [what for page in pages or begun(language) for what in check(page, language)]
    print(*wrong, f"{len(wrong)} complaints", sep="\n")
    sys.exit(bool(wrong))
