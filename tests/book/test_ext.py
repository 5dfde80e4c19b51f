"""The book's Sphinx extensions, each on a page of its own."""

import re
import subprocess
from pathlib import Path

import pytest
from building import soup_of
from notes_site import drawings, formulas, letters
from notes_site.npm import Tools

from perceptron_notes._kit.palette import DARK, PALETTE

BOOK = Path(__file__).parent.parent.parent / "book"


@pytest.fixture(scope="module")
def tools(node_modules):
    asked = Tools(node_modules.parent)
    yield asked
    asked.close()


# Formulas ---------------------------------------------------------------------------------------


def test_vectors_and_comparisons_in_a_cell_do_not_break(build):
    text = (
        "| w | says |\n|---|---|\n| (1, 2, −3) | (not a vector) $(1, 2)$ |\n| 2.5 ≤ 3/2 | a < b |\n"
        "| 1,000 × 2 | 2 × a |\n"
    )
    page, warnings = build(text, "formulas", "cells")
    cells = [cell.get_text() for cell in soup_of(page).select("td")]
    assert cells[0] == "(1,\u00a02,\u00a0−3)"
    assert cells[1].startswith("(not a vector)")
    assert cells[2:4] == ["2.5\u00a0≤\u00a03/2", "a < b"]
    assert cells[4:] == ["1,000\u00a0×\u00a02", "2 × a"]
    assert warnings == ""


def test_what_is_numbered_and_what_has_an_error_stays_on_one_line(build):
    text = (
        "(here)=\n\n# 3. Title\n\n[Chapter 3](index.md) and [this chapter](index.md): 0.6 ± 0.2.\n"
    )
    page, _ = build(text, "cells")
    words = soup_of(page).select_one("p").get_text()
    assert words == "Chapter\u00a03 and this chapter: 0.6\u00a0±\u00a00.2."


def test_code_is_long_if_the_text_has_no_room_for_it(build):
    fence = "```python\n{}\n```\n\n"
    page, _ = build(
        "# Title\n\n" + fence.format("x" * 71) + fence.format("x\n" + "y" * 72), "listings"
    )
    blocks = soup_of(page).select("div[class*=highlight-]")
    assert ["long" in block["class"] for block in blocks] == [False, True]


def test_bad_tex_is_a_warning_with_file_and_line(build):
    _, warnings = build("# Title\n\nFine: $x$.\n\nBad: $\\undefined x$.\n", "formulas")
    assert re.search(r"index\.md:5: WARNING: KaTeX: .*\\undefined", warnings)


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"R^2/\rho^2", "R²/ρ²"),
        (r"\mathbf{w}_{t+1}", "wₜ₊₁"),
        (r"\operatorname{sign}(s) = 0", "sign(s) = 0"),
        (r"\frac{a}{b}", "a/b"),
        (r"\mathbf{w}^{\mathsf T}\mathbf{x}", "wᵀx"),
        (r"x^{k-q}", "x^(k−q)"),
        (r"\frac{a+b}{2c}", "(a+b)/2c"),
        (r"\sum_{i=1}^N x_i", "∑ᵢ₌₁^N xᵢ"),
        (r"\min_k \hat y_k", "min_k ŷ_k"),
        (r"\begin{pmatrix}a & b\\ c & d\end{pmatrix}", "(a b; c d)"),
        (r"\lVert\mathbf{x}\rVert \le R", "‖x‖ ≤ R"),
    ],
)
def test_plain_text_of_a_formula(tools, tex, text):
    assert formulas.plain(tools, tex) == text


def test_a_formula_keeps_the_punctuation_after_it(build):
    text = "Take `a`. Then $x$, and $y$-values; ($z$). All `b`."
    page, _ = build(f"# Title\n\n{text}\n\nOf `less`. A floor, at $w$.\n", "formulas")
    soup = soup_of(page)
    assert [span.contents[-1] for span in soup.select(".nobreak")] == [",", "-values;", ").", "."]
    for formula in soup.select(".katex"):
        formula.replace_with("F")
    assert [p.get_text() for p in soup.select("p")][:2] == [
        "Take a. Then F, and F-values; (F). All b.",
        "Of less. A floor, at F.",
    ]


# Self-checks ------------------------------------------------------------------------------------

QUIZ = """
# Title

:::{quiz}
Is $0$ a mistake?

- No.

  It `is`.
- ✓ Yes, **it** is.

  Undecided is wrong.

  Always.
:::
"""


def test_a_quiz_answers_without_a_script(build):
    page, warnings = build(QUIZ, "formulas", "quiz")
    assert warnings == ""
    wrong, right = soup_of(page).select(".quiz details")
    assert wrong["name"] == right["name"] == "quiz-1"
    assert wrong.summary.get_text(strip=True) == "No."
    assert right.summary.get_text(strip=True) == "Yes,itis."
    assert "Not so." in wrong.select_one(".quiz-answer").get_text()
    assert "Right." in right.select_one(".quiz-answer").get_text()
    assert "Always." in right.get_text()
    assert "✓" not in right.get_text()


def test_a_quiz_is_a_list_elsewhere(build):
    page, warnings = build(QUIZ, "formulas", "quiz", builder="text")
    assert warnings == ""
    assert page.index("Self-check 1") < page.index("* No.") < page.index("✓ Yes")
    assert "Undecided is wrong." in page


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("- A.\n\n  Because.\n- B.\n\n  Because.\n", "0 options begin with '✓ '"),
        ("- ✓ A.\n\n  Because.\n- ✓ B.\n\n  Because.\n", "2 options begin with '✓ '"),
        ("- ✓ A.\n\n  Because.\n- B.\n", "the option 'B.' has no feedback"),
        ("No list.\n", "expected a question and then a bullet list"),
    ],
)
def test_a_bad_quiz_is_an_error_with_file_and_line(build, options, complaint):
    _, warnings = build(f"# Title\n\n:::{{quiz}}\nWhich?\n\n{options}:::\n", "quiz")
    assert re.search(rf"index\.md:3: .*{re.escape(complaint)}", warnings)


# Figures ----------------------------------------------------------------------------------------

SVG = """<?xml version="1.0"?>
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="72pt" height="36pt" viewBox="0 0 72 36">
 <metadata><rdf/></metadata>
 <defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
 <g id="figure_1">
  <path d="M 1.23456 2.00001 L -0.00049 3.5" clip-path="url(#p1)" style="stroke: #2f7fc1"/>
  <use xlink:href="#m1" x="10.123456" style="fill: #123456"/>
  <clipPath id="p1"><rect/></clipPath><path id="m1" d="M 0 0 L 64 640" transform="scale(0.015625)"/>
 </g>
</svg>
"""


def test_an_inline_figure_is_themed_and_small(tools):
    svg = drawings.inline(tools, SVG, 'circles & "crosses"', "fig1")
    assert 'aria-label="circles &amp; &quot;crosses&quot;"' in svg
    assert 'role="img"' in svg
    assert "max-width: 72pt" in svg
    assert "stroke:var(--pn-positive, #2f7fc1)" in svg
    assert "fill:#123456" in svg
    assert "scale(.015625)" in svg  # rounded, it would make every letter larger
    assert not re.search(r"\.\d{3}", svg.replace(".015625", ""))
    assert "<style" not in svg
    assert "metadata" not in svg
    assert len(svg) < len(SVG)


def test_a_colour_stands_in_one_place():
    """But a file that stands by itself names its colours beside them."""
    tones = "|".join([*PALETTE.values(), *DARK.values()])
    named = re.compile(r"(#[0-9a-f]{6});? /\* (\w+)(, dark)? \*/")
    for file in subprocess.check_output(["git", "ls-files"], cwd=BOOK.parent, text=True).split():
        place = BOOK.parent / file
        if place.suffix not in (".py", ".css", ".js", ".svg", ".mplstyle", ".html"):
            continue
        if file.startswith(("tests/", "benchmarks/")) or place.name == "palette.py":
            continue
        text = place.read_text("utf-8")
        for tone, name, dark in named.findall(text):
            assert tone == (DARK if dark else PALETTE)[name], f"{file}: {name}{dark}"
        if not named.search(text):
            assert not re.search(tones, text), file


NOTEBOOK = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
---
# Title

```{code-cell}
---
mystnb:
  image: {alt: "A rising line."}
---
import matplotlib.pyplot as plt
plt.plot([0, 1], color="#2f7fc1");
```

```{code-cell}
plt.plot([1, 0]);
```
"""


def test_a_kernel_draws_svg_and_a_figure_needs_alt_text(build, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", "")  # the extension sets it; let the test undo that
    page, warnings = build(NOTEBOOK, "myst_nb", "drawings", nb_execution_mode="force")
    first, second = soup_of(page).select("svg.figure")
    assert first["aria-label"] == "A rising line."
    assert "var(--pn-positive" in str(first)
    assert warnings.count("no alternative text") == 1
    assert "index: a figure has no alternative text" in warnings
    assert second["aria-label"] == ""
    assert not soup_of(page).select("img")
    again, _ = build(NOTEBOOK, "myst_nb", "drawings", nb_execution_mode="force")
    assert soup_of(again).select("svg.figure") == [first, second]  # to the letter


# Statements, trimming ---------------------------------------------------------------------------

STATEMENTS = """
# Title

```{prf:lemma}
:label: one
First.
```

```{prf:lemma}
:label: two
Second.
```

```{prf:proof}
Clear.
```

```{prf:proof}
Clear, too.
```

```{prf:proof}
:class: dropdown
Long.
```

```{exercise} By hand
:label: ex
Do it.
```

```{solution} ex
:class: dropdown
Done.
```
"""


def test_statements_have_ids_of_their_own_and_solutions_and_long_proofs_fold(build):
    page, warnings = build(STATEMENTS, "sphinx_proof", "sphinx_exercise", "statements", numfig=True)
    assert warnings == ""
    soup = soup_of(page)
    ids = [element["id"] for element in soup.select("[id]")]
    assert len(ids) == len(set(ids))
    assert {"one", "two", "ex"} <= set(ids)
    assert [em.get_text() for em in soup.select(".proof-text em")] == ["Proof."] * 3
    proof = soup.select_one("details.proof-text")
    assert proof.summary.get_text(strip=True) == "Proof."
    assert proof.p.get_text(strip=True) == "Long."
    fold = soup.select_one("details.solution")
    assert fold.summary.get_text(" ", strip=True).startswith("Solution to")
    assert not fold.summary.select("a")
    assert "Done." in fold.get_text()


def test_an_answer_of_the_museum_is_a_section_that_folds_until_the_next_exhibit(build):
    headings = "# Museum", "## Room", "### 1. A", "#### What is wrong with exhibit 1?"
    page, _ = build("\n\n".join([*headings, "This.", "### 2. B", "Next."]), "statements")
    section = soup_of(page).select_one("#what-is-wrong-with-exhibit-1")
    fold = section.find("details", recursive=False)
    assert fold.summary.h4.get_text().startswith("What is wrong with exhibit 1?")
    assert "This." in fold.get_text()
    assert "Next." not in fold.get_text()


DRESSED = """
# Title

A paragraph with [a link](#part) and `code`.

:::{note}
A note.
:::

| a | b |
|---|---|
| 1 | $x$ |

## Part

1. One
2. Two

> A quotation.
"""

STYLES = """() => {
    document.documentElement.dataset.theme = "THEME";
    const rows = [];
    // The frame has templates of its own with `trim`; what both have is compared.
    const frame = [".bd-sidebar nav *", ".bd-header-article *"];
    for (const e of document.querySelectorAll(["body", "article", "article *", ...frame]))
        for (const pseudo of [null, "::before", "::after"]) {
            const style = getComputedStyle(e, pseudo), told = [];
            if (pseudo && style.content === "none") continue;
            for (const name of style)
                if (!name.startsWith("--")) told.push(`${name}: ${style[name]}`);
            rows.push([`${e.tagName} ${e.className} ${pseudo}`, ...told]);
        }
    return rows; }"""


@pytest.mark.slow
def test_trimming_changes_nothing_that_is_seen(build, tmp_path, browser):
    seen = {}
    for extensions in ([], ["trim"]):
        page, warnings = build(
            DRESSED,
            *["formulas", "sphinx_copybutton", "sphinx_book_theme", *extensions],
            html_theme="sphinx_book_theme",
            html_static_path=[str(BOOK / "_assets")],
            html_css_files=["notes.css"],
            html_context={"default_mode": "auto"},
            myst_heading_anchors=2,
        )
        assert warnings == ""
        soup = soup_of(page)
        names = [script["src"] for script in soup.select("script[src]")]
        for theme in ("light", "dark"):
            tab = browser.new_page(viewport={"width": 1280, "height": 900})
            # Without scripts: the theme's own come at other times.
            tab.route("**/*.js*", lambda route: route.abort())
            tab.goto((tmp_path / "_build/html/index.html").as_uri())
            tab.add_style_tag(content="*, ::before, ::after { transition: none !important }")
            seen[theme, bool(extensions)] = tab.evaluate(STYLES.replace("THEME", theme))
            tab.close()
    assert [one.partition("?")[0] for one in names] == ["_static/site.js"]
    for theme in ("light", "dark"):
        # The contents come after the text for keyboard users.
        whole, trimmed = (sorted(seen[theme, short]) for short in (False, True))
        assert len(whole) == len(trimmed) > 90
        for before, after in zip(whole, trimmed, strict=True):
            assert before[0] == after[0]
            # Fonts that are cut have other names.
            styles = {letters.ICONS.sub(r"NotesIcons_\1", one) for one in before[1:]}
            styles = {letters.FORMULAS.sub(rf"{letters.FAMILY}\1", one) for one in styles}
            differing = sorted(styles ^ set(after[1:]))
            assert not differing, before[0]
    assert seen["light", True] != seen["dark", True]


def test_a_page_that_is_written_alone_is_trimmed_too(build, tmp_path):
    config = {"html_theme": "sphinx_book_theme"}
    (tmp_path / "other.md").write_text("# Other\n\n:::{note}\nWell.\n:::\n")
    toc = "\n```{toctree}\nother\n```\n"
    build(f"# Title\n{toc}", "sphinx_book_theme", "trim", **config)
    before = (tmp_path / "_build/html/other.html").read_text()
    page, _ = build(f"# Title\n\n> New.\n{toc}", "sphinx_book_theme", "trim", fresh=False, **config)
    after = (tmp_path / "_build/html/other.html").read_text()
    css = (tmp_path / "_build/html/_static/site.css").read_text()
    assert "blockquote" in css  # which only the page that was written needs
    assert "admonition" in css  # and what only the other one needs
    version = re.search(r"site\.css\?v=\w+", page)[0]
    assert version in after
    assert version not in before
    assert re.sub(r"\?v=\w+", "", after) == re.sub(r"\?v=\w+", "", before)
