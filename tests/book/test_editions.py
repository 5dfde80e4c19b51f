"""The book in another language: that it is whole and in step, and what becomes of a page."""

import json
import re

import publish
import pytest
import translations
import words
from building import soup_of
from masters import MASTERS
from notes_site import editions
from notes_site.editions import LOCALE, listed, speaker
from perceptron_classroom.problem_sets import TEXT_BLANK, student_version
from sphinx import locale

ROOT = words.ROOT
LANGUAGES = sorted(folder.name for folder in LOCALE.iterdir())
PAGES = [(language, page) for language in LANGUAGES for page in listed(language)]
NOTEBOOKS = [one for one in PAGES if (ROOT / f"{one[1]}.ipynb").is_file()]
BEGUN = [(language, page) for language in LANGUAGES for page in words.begun(language)]
#: Where a string of Python goes on in the next line.
JOINED = re.compile(r"""["']\s*\n\s*["']|\\\n""")
#: A line with three English words, and no Han.
UNTRANSLATED = re.compile(r"^[^\u3400-\u9fff]*([a-z]+ ){2}[a-z]+[^\u3400-\u9fff]*$", re.MULTILINE)
UNFINISHED = re.compile(r":\d+: (untranslated|fuzzy) ")

YAML = ("_config.yml", "_toc.yml", "CITATION.cff")

# The translations themselves ----------------------------------------------------------------------


@pytest.mark.parametrize(("language", "page"), BEGUN)
def test_what_is_translated_says_the_same(language, page):
    wrong = translations.check(page, language)
    if page not in listed(language):  # it is being worked on
        wrong = (one for one in wrong if not UNFINISHED.search(one))
    assert not list(wrong)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_site_and_its_figures_say_is_translated(language):
    for table in (*translations.TABLES, LOCALE / language / "site.csv"):
        assert not list(translations.check_table(table, language))


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_an_edition_is_in_step_with_the_book(site, language, page):
    """The sentences that are named are new, or others than before: `make words`, then translate."""
    assert not words.missing(page, language)


def test_what_is_said_has_a_row_and_each_row_is_said():
    sources = [*ROOT.glob("book/*.py"), *ROOT.glob("book/_ext/notes_site/**/*.*")]
    texts = [file.read_text("utf-8") for file in sources if file.suffix in (".py", ".html")]
    texts += [(ROOT / name).read_text("utf-8") for name in YAML]
    texts += [file.read_text("utf-8") for file in ROOT.glob("book/*.ipynb")]  # names of axes
    plain = " ".join(" ".join(JOINED.sub("", text).split()) for text in texts)
    for language in LANGUAGES:
        say = speaker(language)
        for asked in set(re.findall(r'\bsay\("([^"]+)"', plain)):
            assert say(asked)
        table = LOCALE / language / "site.csv"
        for row in translations.rows(table):
            assert row["en"] in plain, row


@pytest.mark.parametrize(("language", "page"), NOTEBOOKS)
def test_a_notebook_is_translated_and_its_code_is_the_same(language, page):
    file = ROOT / f"{page}.ipynb"
    text = student_version(file) if file in MASTERS else file.read_text("utf-8")
    english, other = json.loads(text), json.loads(editions.notebook_in(language, page, text))
    for cell, told in zip(english["cells"], other["cells"], strict=True):
        if cell["cell_type"] == "markdown" and cell["source"] != TEXT_BLANK:
            cell["source"] = told["source"]
            assert not UNTRANSLATED.search(editions.SAME.sub("", told["source"]))
    assert english == other


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
    monkeypatch.setattr(editions, "LOCALE", tmp_path)

    def updated(*sentences):
        monkeypatch.setattr(words, "messages", lambda _page: dict.fromkeys(sentences, ""))
        words.update("a", "zh_CN")
        return [one for one in editions.read("a", "zh_CN") if one.id]

    return updated


def test_a_sentence_keeps_its_translation_until_it_changes(page):
    file = editions.file_of("a", "zh_CN")
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


# A page -------------------------------------------------------------------------------------------

PAGE = """\
# Lines

One line, and [another page](other.md).

A new sentence.

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
    """The page in Chinese, as far as it is translated, and what the build complained of."""
    monkeypatch.setattr(editions, "listed", lambda _language: ["index"])
    monkeypatch.setattr(locale, "translators", {})  # the next test's page is in English again
    (tmp_path / "other.md").write_text("# Other\n", "utf-8")
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
    assert page.select_one("details.proof summary").text == "证明。"
    assert "显然。" in page.select_one("details.proof").text
    assert "按" in page.select_one(".exercise .admonition-title").text
    assert page.select_one(".quiz-title").text == "自测 1"
    assert [one.text for one in page.select(".quiz-verdict")] == ["对。", "不对。"]


def test_a_link_to_a_page_in_english_leads_there_and_says_so(edition, tmp_path):
    page, _ = edition
    links = page.select('a[href="../other.html"]')
    assert links
    assert {link["hreflang"] for link in links} == {"en"}
    assert not (tmp_path / "_build/html/other.html").exists()


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
