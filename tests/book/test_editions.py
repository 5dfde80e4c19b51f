"""The book in another language: complete and up to date; and the translation of a page."""

import json
import pickle
import re
import shutil

import notes_sheets
import publish
import pytest
import translations
from building import soup_of
from masters import MASTERS
from notes_sheets import LOCALE
from notes_site import editions, explorers, words
from notes_site.editions import listed, speaker
from perceptron_classroom.grading import prose
from perceptron_classroom.problem_sets import read_master, student_version
from sphinx import locale
from sphinx.util.nodes import extract_messages

ROOT = words.ROOT
LANGUAGES = sorted(folder.name for folder in LOCALE.iterdir())
PAGES = [(language, page) for language in LANGUAGES for page in listed(language)]
NOTEBOOKS = [one for one in PAGES if (ROOT / f"{one[1]}.ipynb").is_file()]
BEGUN = [(language, page) for language in LANGUAGES for page in words.begun(language)]
QUIZ = (ROOT / "book/_ext/notes_site/quiz.py").read_text("utf-8")
#: What the site itself says: translated, or marked as English.
SAID_OR_MARKED = re.compile(r"[\u3400-\u9fff]|\(EN\)$")
#: What is no sentence: options of a directive, the page of a card, the label of a formula.
MARKUP = re.compile(r"^:.*|^\d+\. |^[\w-]+: (?=[A-Z])|\([a-z]+(?:-\w+)+\)", re.MULTILINE)
#: A line with three English words, and no Han.
UNTRANSLATED = re.compile(r"^[^\u3400-\u9fff]*([a-z]+ ){2}[a-z]+[^\u3400-\u9fff]*$", re.MULTILINE)


@pytest.fixture(scope="module")
def left():
    """Return the texts still in English, by language and page."""
    return {one: words.left(words.texts(listed(one), one), one) for one in LANGUAGES}


# The translations themselves ----------------------------------------------------------------------


@pytest.mark.parametrize(("language", "page"), BEGUN)
def test_what_is_translated_says_the_same(language, page):
    assert not list(translations.check(page, language))


@pytest.mark.parametrize(("language", "page"), NOTEBOOKS)
def test_a_notebook_is_translated_and_its_code_is_the_same(language, page, left):
    english_still = " ".join(editions.SAME.sub("", " ".join(left[language].get(page, []))).split())
    file = ROOT / f"{page}.ipynb"
    text = student_version(file) if file in MASTERS else file.read_text("utf-8")
    english = json.loads(notes_sheets.in_language(text, {}, language=editions.short(language)))
    other = json.loads(editions.notebook_in(language, page, text))
    for cell, told in zip(english["cells"], other["cells"], strict=True):
        if cell["cell_type"] == "markdown":
            cell["source"] = told["source"]
            for found in UNTRANSLATED.finditer(editions.SAME.sub("", told["source"])):
                for line in re.split(
                    r"\n\n|\n(?=[*:-]|\d+\. )|\|", found[0]
                ):  # a paragraph, a cell
                    text = " ".join(MARKUP.sub("", line).split())
                    assert re.sub(r"^\W+|\W+$", "", text) in english_still
    assert english == other


def test_grading_knows_the_sheets_of_other_languages(tmp_path, monkeypatch):
    for part in ("assignments", "locale"):
        shutil.copytree(ROOT / "book" / part, tmp_path / part)
        monkeypatch.setattr(notes_sheets, part.upper(), tmp_path / part)
    notes_sheets.main()
    sheets = [*tmp_path.glob("assignments/sheets/*/*.ipynb")]
    assert len(sheets) == sum("assignments" in page for _, page in NOTEBOOKS)
    for sheet in sheets:
        master = tmp_path / "assignments" / sheet.name
        page = f"book/assignments/{sheet.stem}"
        blank = sheet.read_text("utf-8")
        assert blank == editions.notebook_in(sheet.parent.name, page, student_version(master))
        found = prose.answers_of(read_master(master), json.loads(blank)["cells"])
        assert all(one.blank and not (one.own or one.elsewhere) for one in found.values())


# Checks -------------------------------------------------------------------------------------------

WRONG = {
    "formula": ("The score $s$.", "得分 $t$。"),
    "formula: “if ": ("It is $0 \\text{if }s$.", "它是 $0 \\text{if }s$。"),
    "number": ("It takes 96 updates.", "更新 69 次。"),
    "role": ("See {ref}`here <one>`.", "见{ref}`这里 <two>`。"),
    "link": ("[Here](1-model.ipynb#a)", "[这里](1-model.ipynb#b)"),
    "code": ("Call `pla`.", "调用 `pocket`。"),
    "slide": ("It ends.<!-- slide -->", "它会结束，<!-- slide -->"),
    "comment": ("It ends.<!-- slide -->", "它会结束。"),
    "term": ("The perceptron.", "感知器。"),
    "term: missing": ("The threshold is 0.", "它是 0。"),
    "form": ("Proof. It is clear.", "证明：显然。"),
    "emphasis": ("**It ends.** So", "**它会结束。**所以"),
    "ASCII punctuation": ("Yes, no.", "是,否。"),
    "a blank beside": ("Yes, no.", "是， 否。"),
    "no blank between": ("PLA ends.", "PLA会结束。"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_check_says_what_is_wrong(what):
    rules = list(translations.rules("zh_CN"))
    assert any(one.startswith(what) for one in translations.complaints(*WRONG[what], rules))


@pytest.mark.parametrize(
    ("en", "zh"),
    [
        ("See {numref}`fig-a`: $x$ is **right**.", "见{numref}`fig-a`：$x$ **分对**。"),
        (
            "{at}`At t = 4 <4>`, it ends.<!-- slide -->",
            "{at}`t = 4 时 <4>`，它会结束。<!-- slide -->",
        ),
        ("Right on 3 of 4, as (3, 3) shows.", "4 个中分对 3 个，如 (3, 3) 所示。"),
    ],
)
def test_a_good_translation_passes(en, zh):
    assert not list(translations.complaints(en, zh, list(translations.rules("zh_CN"))))


# The files of translations ------------------------------------------------------------------------


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A function that updates the file of a page with these sentences, and reads it."""
    monkeypatch.setattr(notes_sheets, "LOCALE", tmp_path)

    def updated(*sentences):
        words.update("a", "zh_CN", dict.fromkeys(sentences, ""))
        return [one for one in notes_sheets.read("a", "zh_CN") if one.id]

    return updated


def test_a_sentence_keeps_its_translation_until_it_changes(page):
    file = notes_sheets.file_of("a", "zh_CN")
    page('The run "ends" after 7 {updates}.', "A circle.")
    text = file.read_text("utf-8")
    assert not re.search(r"\d{4}|:\d+|^#", text)  # no dates, no line numbers
    done = text.replace('7 {updates}."\nmsgstr ""', '7 {updates}."\nmsgstr "运行结束。"', 1)
    file.write_text(f"# ok: 7\n{done}", "utf-8")
    run, circle = page('The run "ends" after 7 {updates}.', "A circle.")
    assert (run.string, run.user_comments, run.fuzzy) == ("运行结束。", ["ok: 7"], False)
    assert not circle.string

    circle, run = page("A circle.", 'The run "ends" after 8 {updates}.')
    assert circle.id == "A circle."
    assert (run.string, run.fuzzy) == ("运行结束。", True)


def test_what_is_in_english_is_named_until_it_is_translated(tmp_path, monkeypatch):
    monkeypatch.setattr(notes_sheets, "LOCALE", tmp_path)
    monkeypatch.setattr(words, "LOCALE", tmp_path)
    shutil.copytree(LOCALE / "zh_CN", tmp_path / "zh_CN")
    (tmp_path / "zh_CN/pages.txt").write_text("book/my-data\n", "utf-8")
    asked = words.texts(["book/my-data"], "zh_CN")
    before = words.left(asked, "zh_CN")
    known = {name: notes_sheets.translated(name, "zh_CN") for name in asked}
    texts = {name: next(text for text in asked[name] if text in known[name]) for name in words.OWN}
    texts["site"] = next(text for text, _ in words.SAID.findall(QUIZ) if text in known["site"])
    texts["book/my-data"] = [*known["book/my-data"]][-1]
    for catalogue, english in texts.items():  # as if they had been others
        file = notes_sheets.file_of(catalogue, "zh_CN")
        other = file.read_text("utf-8").replace(f'"{english}"', f'"{english}, once"', 1)
        assert "once" in other
        file.write_text(other, "utf-8")
    after = words.left(asked, "zh_CN")
    for catalogue, english in texts.items():
        assert {english} <= {*after[catalogue]} - {*before.get(catalogue, ())}

    words.main()
    for catalogue, english in texts.items():
        entry = notes_sheets.read(catalogue, "zh_CN")[english]
        assert entry.string
        assert entry.fuzzy
    assert (words.main("--tell"), words.main("--release")) == (0, 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_build_the_same_sentences_are_found_as_with_one(site, language):
    for page, found in words.messages(listed(language)).items():
        built = pickle.loads((site.parent / ".doctrees" / f"{page}.doctree").read_bytes())
        asked = [
            text.strip() for node, text in extract_messages(built) if editions.asks(node, text)
        ]
        assert [*found] == [*dict.fromkeys(asked)]


def test_names_and_figures_mark_what_is_in_english(monkeypatch):
    known = {"site": {"Right.": "对。"}, "scenes": {"Play": "播放"}}
    monkeypatch.setattr(editions, "said", lambda _language, catalogue: known[catalogue])
    assert speaker("zh_CN")("Right.") == "对。"
    assert speaker("zh_CN")("What nobody has said") == "What nobody has said (EN)"
    assert speaker("en")("What nobody has said") == "What nobody has said"
    figure = {"scene": "street", "words": {"play": "Play", "new": "A new word"}}
    assert explorers.speaking(figure, "zh_CN")["words"] == {
        "play": "播放",
        "new": "A new word (EN)",
    }


# A page -------------------------------------------------------------------------------------------

PAGE = """\
# Lines

One line, and [another page](other.md).

A new sentence.

$$ \\begin{aligned} a &= b,\\\\ b &= c.\\end{aligned} $$

:::{prf:proof}
:class: dropdown
It is clear.
:::

:::{exercise} By $x$
:label: ex
Draw.
:::

:::{quiz}
Which?

- ✓ This.

  Yes.
- That.

  No.
:::

[](#lines), {ref}`Solve it <ex>`.
"""
SAID = {
    "Lines": "直线",
    "One line, and [another page](other.md).": "一条直线，和[另一页](other.md)。",
    "Proof. It is clear.": "证明。显然。",
    "By $x$": "按 $x$",
}


@pytest.fixture
def edition(build, tmp_path, monkeypatch):
    """The page in Chinese, as far as it is translated, and the warnings of the build."""
    monkeypatch.setattr(editions, "listed", lambda _language: ["index"])
    monkeypatch.setattr(locale, "translators", {})  # the next test's page is in English again
    (tmp_path / "other.md").write_text("# The package\n", "utf-8")
    po = tmp_path / "locale/zh_CN/LC_MESSAGES/index.po"
    po.parent.mkdir(parents=True)
    entries = [f'msgid "{en}"\nmsgstr "{zh}"\n' for en, zh in SAID.items()]
    po.write_text("\n".join(entries), "utf-8")
    extensions = ("sphinx_proof", "sphinx_exercise", "formulas", "statements", "quiz", "editions")
    page, complaint = build(
        PAGE + "\n```{toctree}\nother\n```\n",
        *extensions,
        language="zh_CN",
        locale_dirs=["locale"],
        still_english=1,
        html_title="The Perceptron, Executable",
        author="the authors of perceptron_notes",
        copyright="2026. Text and pictures CC BY 4.0, code MIT",
        myst_heading_anchors=2,
    )
    return soup_of(page), complaint


def test_a_page_speaks_its_language_and_marks_what_is_english(edition, tmp_path):
    page, complaint = edition
    assert not complaint
    assert page.html["lang"] == "zh-CN"
    assert page.select_one("section[id=lines] > h1").text.startswith("直线")
    assert page.select_one("p[lang=en]").text == "A new sentence."
    assert "1" in page.select_one("h1 + .still-english").text
    assert SAID_OR_MARKED.search(page.select_one("details.proof summary").text)
    assert "显然。" in page.select_one("details.proof").text
    assert "按" in page.select_one(".exercise .admonition-title").text
    verdicts = [one.text for one in page.select(".quiz-title, .quiz-verdict")]
    assert len(verdicts) == 3
    formula = page.select_one(".katex-html") or page.select_one(".katex")
    assert re.findall(r"[.,]", formula.text) == [","]
    assert all(map(SAID_OR_MARKED.search, verdicts))


def test_a_link_to_a_page_in_english_leads_there_and_says_so(edition, tmp_path):
    page, _ = edition
    links = page.select('a[href="../other.html"]')
    assert links
    assert {link["hreflang"] for link in links} == {"en"}
    assert any(link.text == speaker("zh_CN")("The package") for link in links)
    assert not (tmp_path / "_build/html/other.html").exists()


def test_a_glossary_is_in_order_of_pinyin_and_names_what_else_is_said(build):
    entries = "bias\n  One.\n\nboundary\n  Two.\n\nkernel\n  Three.\n\nnewly added\n  Four.\n"
    text = f"# Words\n\n```{{glossary}}\n{entries}```\n"
    chinese, english = (
        soup_of(build(text, "terms", language=language)[0]) for language in ("zh_CN", "en")
    )
    seen = [one.text.rstrip("¶") for one in chinese.select("p.rubric, dt")]
    assert seen == ["B", "boundary", "H", "kernel", "N", "newly added", "P", "bias"]
    assert "截距" in chinese.select_one("#term-bias + dd").text
    assert "intercept" in english.select_one("#term-bias + dd").text
    assert not english.select("p.rubric")


def test_both_languages_lead_to_each_other(tmp_path):
    text = f"<html><head></head><body>{publish.HEADER}</div></body></html>"
    for name in ("book/a.html", "book/b.html", "zh/book/a.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    publish.join(tmp_path, tmp_path / "zh", "zh-CN")
    ways = {"book/a.html": "../zh/book/a.html", "zh/book/a.html": "../../book/a.html"}
    for name, way in ways.items():
        page = soup_of((tmp_path / name).read_text("utf-8"))
        assert page.select_one("a.edition")["href"] == way
        told = {one["hreflang"]: one["href"] for one in page.select("link[rel=alternate]")}
        assert way in told.values()
        assert told["x-default"] == told["en"]
        for target in told.values():
            assert (tmp_path / name).parent.joinpath(target).is_file()
    assert (tmp_path / "book/b.html").read_text("utf-8") == text
