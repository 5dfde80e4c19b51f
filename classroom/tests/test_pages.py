"""Students' pages: correct facts, and no harm from anything handed in."""

import base64
import json
import re
import struct
from pathlib import Path

import hostile
import pytest
from bs4 import BeautifulSoup
from perceptron_classroom.grading import (
    files,
    markup,
    pictures,
    report,
    submission,
)
from perceptron_classroom.grading.intake import read_notebook
from school import NOTEBOOK, PROBLEMS, SECRET

FULL = {question.id: str(question.points) for question in PROBLEMS.questions}

#: All that a page may hold.
ELEMENTS = set(
    """
    html head meta title style body main header h1 h2 h3 h4 h5 h6 p bdi strong span meter aside div
    nav ol ul li a section code pre table caption thead tbody tfoot tr th td em s blockquote hr br
    img math mrow mi mo mn mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover
    mtable mtr mtd mstyle mpadded mphantom menclose details summary
    """.split()  # noqa: SIM905
)


def row_of(student="ann", **cells):
    row = {"student": student, "total": "0", "out of": "30", "comment": ""}
    return row | {question.id: "" for question in PROBLEMS.questions} | cells


def page_of(path, graded=None, row=None, marks=None):
    graded = graded or submission.unscored(PROBLEMS, "ann", SECRET)
    return report.feedback_page(PROBLEMS, path, graded, row or row_of(), marks)


def page_with(tmp_path, *cells, **more):
    path = tmp_path / "ann.ipynb"
    path.write_text(hostile.notebook(list(cells), NOTEBOOK), encoding="utf-8")
    return page_of(path, **more)


def section(page, name):
    """The part of a page that is about a question."""
    soup = BeautifulSoup(page, "html.parser")
    [found] = [each for each in soup.find_all("section") if each.h2.text.startswith(name)]
    return found


def answer(page, name="1.6"):
    return section(page, name).find(class_="answer")


# ------------------------------------------------------------------------------- no harm


@pytest.mark.parametrize("name", hostile.CASES)
def test_no_answer_harms_its_page(name, tmp_path):
    page = page_with(tmp_path, *hostile.CASES[name])
    soup = BeautifulSoup(page, "html.parser")
    assert {tag.name for tag in soup.find_all(True)} <= ELEMENTS
    for tag in soup.find_all(True):
        assert not [key for key in tag.attrs if key.startswith("on") or key == "style"], tag
        assert tag.get("href", "#q1").startswith("#q"), tag
        source = tag.get("src", "data:image/png;base64,")
        assert re.match(r"data:image/(png|jpeg|svg\+xml);base64,[A-Za-z0-9+/=]*$", source), tag
    # Nothing has closed what it stands in: the whole page is there, in its order.
    assert [each.h2.text.split()[0] for each in soup.main.find_all("section", recursive=False)] == [
        question.id for question in PROBLEMS.questions
    ]
    assert len(soup.find_all("style")) == 1
    assert len(page) < 16_000_000
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", page)
    page.encode()


def test_what_a_row_and_a_remark_hold_is_text(tmp_path):
    evil = f'</p></section>{hostile.SCRIPT}"><img src="http://x.example/">'
    graded = submission.unscored(PROBLEMS, evil, SECRET)
    graded.note("cell error", evil)
    graded.questions["1.1"] |= {
        "report": evil,
        "criteria": [{"what": evil, "points": 2, "earned": 1}],
    }
    row = row_of(evil, comment=evil, **{"comment 1.6": evil, "1.2": evil, "total": evil})
    page = page_of(None, graded, row)
    soup = BeautifulSoup(page, "html.parser")
    assert {tag.name for tag in soup.find_all(True)} <= ELEMENTS
    assert soup.find("img") is None
    assert soup.h1.text == soup.title.text.partition(": ")[2].partition(": ")[2] == evil
    assert page.count("&lt;script&gt;") >= 7


def test_the_policy_of_a_page_allows_its_own_style_and_pictures_and_nothing_else(tmp_path):
    soup = BeautifulSoup(page_of(None), "html.parser")
    policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert report.digest(soup.style.string) in policy
    assert "unsafe" not in policy
    assert "script" not in policy


@pytest.mark.parametrize(
    "student", ["../../etc/passwd", "a/b", "x\x00y", ".hidden", "é" * 300, "CON:"]
)
def test_names_of_pages_stay_in_their_folder(student, tmp_path):
    name = files.page_name(student)
    assert Path(name).name == name
    (tmp_path / name).write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == [name]


# ------------------------------------------------------------------------------ the facts


def test_points_are_said_in_words_and_signs(tmp_path):
    cells = {"1.1": "2", "1.2": "0", "1.4": "5,5", "total": "7.5"}
    soup = BeautifulSoup(page_of(None, row=row_of(**cells)), "html.parser")
    assert soup.find(class_="total").text.startswith("7.5 of 30 points so far")
    overview = [item.get_text("|", strip=True) for item in soup.nav.find_all("li")]
    assert overview[0] == "✓|1.1 The leading 1|2|of|/|2"
    assert overview[1].startswith("✗|1.2 Decisions|0|")
    assert overview[3].startswith("◐|1.4 PLA in turn|5.5|")
    assert overview[5].startswith("○|1.6 A friend's table|–|")
    assert section(str(soup), "1.4").find(class_="points").text.split() == ["◐", "5.5", "of", "8"]


def test_lateness_and_its_price_are_said_at_the_top():
    late = {"handed in": "2026-11-03 10:00", "late": "20%", "deduction": "2.4"}
    soup = BeautifulSoup(page_of(None, row=row_of(**late)), "html.parser")
    assert soup.header.find(class_="late").text == (
        "Handed in late, on 2026-11-03 10:00 (20%): 2.4 points are taken off."
    )
    late["deduction"] = "0"
    assert (
        BeautifulSoup(page_of(None, row=row_of(**late)), "html.parser").find(class_="late") is None
    )


def test_what_was_printed_computed_and_drawn_is_shown(tmp_path):
    cell = hostile.code(
        "report()",
        hostile.printed("2 wrong labels: PLA 12.1,"),
        hostile.printed(" Pocket  1.9 in 100\n"),
        {"output_type": "execute_result", "data": {"text/plain": ["array(", "[1, 2])"]}},
        hostile.shown(image_png=hostile.picture(), text_plain="<Figure>"),
        hostile.shown(image_jpeg=hostile.picture("jpeg")),
        {"output_type": "display_data", "data": {"image/svg+xml": hostile.picture("svg")}},
        {"output_type": "error", "ename": "NameError", "evalue": "x", "traceback": ["\x1b[31mx"]},
    )
    found = answer(page_with(tmp_path, cell))
    assert [pre.text for pre in found.find_all("pre")] == [
        "report()",
        "Printed: 2 wrong labels: PLA 12.1, Pocket  1.9 in 100\n",
        "Printed: array([1, 2])",
        "Error: NameError: x",
    ]
    kinds = [re.match("data:([^;]*)", img["src"])[1] for img in found.find_all("img")]
    assert kinds == ["image/png", "image/jpeg", "image/svg+xml"]
    width, height = struct.unpack(">II", base64.b64decode(hostile.picture())[16:24])
    assert (found.img["width"], found.img["height"]) == (str(width), str(height))


def test_a_table_of_pandas_is_a_table(tmp_path):
    table = (
        '<div><style scoped>.x {}</style><table border="1" class="dataframe"><thead><tr>'
        "<th></th><th>PLA</th></tr></thead><tbody><tr><th>0</th><td>0.3</td></tr></tbody></table>"
        "<p>1 rows</p></div>"
    )
    output = {"output_type": "execute_result", "data": {"text/html": table, "text/plain": "no"}}
    found = answer(page_with(tmp_path, hostile.code("results", output)))
    assert [cell.text for cell in found.table.find_all(["th", "td"])] == ["", "PLA", "0", "0.3"]
    assert "class" not in found.table.attrs


def test_markdown_is_set(tmp_path):
    text = """# First
### Second
Some *soft* and **loud** words, `code`, and a [link](https://x.example/a).

1. one
   - two

| a | b |
|---|--:|
| 1 | 2 |

```python
def f(): return 1
```
"""
    found = answer(page_with(tmp_path, hostile.words(text)))
    assert [each.name for each in found.find_all(re.compile("^h[1-6]"))] == ["h4", "h5"]
    assert found.em.text == "soft"
    assert found.strong.text == "loud"
    assert found.ol.li.ul.li.text == "two"
    assert [cell.text for cell in found.table.find_all("td")] == ["1", "2"]
    assert found.find("a") is None
    assert "link (https://x.example/a)" in found.text
    assert found.find("span", class_="k").text == "def"


@pytest.mark.parametrize(
    ("tex", "element", "text"),
    [
        (r"$\frac{R^2}{\rho^2}$", "mfrac", "R2ρ2"),
        (r"$$\sum_n a_n = 0$$", "math", "∑nan=0"),
        (r"$\lVert\mathbf{w}\rVert$", "math", "‖𝐰‖"),
        ("$$\\begin{aligned} a &= b \\\\ &= c \\end{aligned}$$", "mtable", "a=b=c"),
        ("\\begin{align}\na &= b\n\\end{align}", "mtable", "a=b"),
        (r"$\text{a < b}$", "mtext", "a < b"),
    ],
)
def test_formulas_are_mathml(tex, element, text, tmp_path):
    found = answer(page_with(tmp_path, hostile.words(tex))).find(element)
    assert found.text.replace("\xa0", " ") == text
    assert found.name == "math" or found.find_parent("math")


@pytest.mark.parametrize("bomb", ["\\begin{align}\n" * 1400, "$x$ " * 5000, "$$\n" * 6000])
def test_more_formulas_than_anybody_writes_are_shown_as_they_were_typed(bomb):
    shown = str(markup.markdown_html(bomb, lambda *_: markup.Markup("")))
    assert "<math" not in shown
    assert bomb.strip()[:20] in shown


def test_what_is_no_formula_is_shown_as_it_was_typed(tmp_path):
    found = answer(page_with(tmp_path, hostile.words(r"Look: $\frac{1}{$ and $\nonsense$.")))
    assert [code.text for code in found.find_all("code")] == [r"$\frac{1}{$", r"$\nonsense$"]


@pytest.mark.parametrize("kind", ["assignments/*", pytest.param("*", marks=pytest.mark.slow)])
def test_every_formula_of_the_book_can_be_set(kind):
    book = Path(__file__).parent.parent.parent / "book"
    typed = []
    for path in book.glob(f"{kind}.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                html = markup.markdown_html("".join(cell["source"]), lambda *_: markup.Markup(""))
                typed += BeautifulSoup(html, "html.parser").find_all("code", class_="formula")
    assert typed == []


def test_pictures_in_the_text_are_shown_wherever_the_notebook_keeps_them(tmp_path):
    png, jpeg = hostile.picture(), hostile.picture("jpeg")
    cells = [
        hostile.attached("photo of my table.png".replace(" ", "%20"), "image/png", png),
        hostile.words(f"![from Colab](data:image/jpeg;base64,{jpeg})"),
        hostile.words(f"![][image1]\n\nWords.\n\n[image1]: <data:image/png;base64,{png}>"),
        hostile.words("![gone](attachment:gone.png)"),
    ]
    found = answer(page_with(tmp_path, *cells))
    assert [img["alt"] for img in found.find_all("img")] == [
        "see",
        "from Colab",
        "A picture in the answer",
    ]
    assert base64.b64decode(found.find_all("img")[1]["src"].partition(",")[2]) == base64.b64decode(
        jpeg
    )
    assert "A picture is not in the notebook: gone" in found.text


def test_a_picture_beside_the_notebook_is_shown_and_no_classmates(tmp_path):
    home = tmp_path / "ann"
    home.mkdir()
    for path in (home / "my pic.png", tmp_path / "bob.png"):
        path.write_bytes(base64.b64decode(hostile.picture()))
    text = '![mine](my%20pic.png) <img src="my pic.png"> ![his](../bob.png)'
    (home / "ps1.ipynb").write_text(hostile.notebook([hostile.words(text)], NOTEBOOK))
    graded = submission.unscored(PROBLEMS, "ann", SECRET)
    page = report.feedback_page(PROBLEMS, home / "ps1.ipynb", graded, row_of(), home=home)
    assert len(answer(page).find_all("img")) == 2
    assert "A picture is not in the notebook: his" in answer(page).text


def test_what_a_cell_put_out_when_it_was_graded_stands_before_what_was_handed_in(tmp_path):
    cell = hostile.code("draw()", hostile.printed("0.1 at 0x7f3a"), hostile.printed("old"))
    path = tmp_path / "ann.ipynb"
    path.write_text(hostile.notebook([cell], NOTEBOOK), encoding="utf-8")
    graded = submission.unscored(PROBLEMS, "ann", SECRET)
    number = [c["source"] for c in read_notebook(path) if c["cell_type"] == "code"].index("draw()")
    for text, details in (("new", 1), ("0.1 at 0x0000 old", 0)):
        graded.outputs[f"{number + 1}"] = [hostile.printed(text)]
        found = answer(page_of(path, graded))
        assert found.find_all("pre")[1].text == f"Printed: {text}"
        assert len(found.find_all("details")) == details


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("image/png", hostile.png(60_000, 60_000), "60000 × 60000 pixels"),
        ("image/jpeg", hostile.jpeg(65_000, 9), "65000 × 9 pixels"),
        ("image/svg+xml", hostile.svg("<script/>"), "it holds 'script'"),
        ("image/svg+xml", hostile.doubling(30), "long to draw"),
        ("image/svg+xml", "<html/>", "no SVG"),
        ("image/tiff", "II*", "of the kind image/tiff"),
        ("image/gif", hostile.gif(9, 9, frames=[(60_000, 60_000)]), "60000 × 60000 pixels"),
        ("image/gif", hostile.gif(2_000, 2_000, frames=[(2_000, 2_000)] * 101), "a film of 101"),
        ("image/webp", hostile.webp(16_384, 16_384), "16384 × 16384 pixels"),
        ("image/gif", base64.b64encode(b"GIF89a").decode(), "damaged"),
        ("image/webp", hostile.picture("png"), "no WebP"),
        ("image/png", "", "empty"),
        ("image/png", "no base64!", "damaged"),
    ],
)
def test_why_a_picture_is_not_shown(kind, text, reason, tmp_path):
    output = {"output_type": "display_data", "data": {kind: text}}
    found = answer(page_with(tmp_path, hostile.code("plot()", output)))
    assert found.find(class_="missing").text.startswith("A picture is not shown: ")
    assert reason in found.find(class_="missing").text
    with pytest.raises(pictures.Unshown, match=re.escape(reason)):
        pictures.read_picture(kind, text)


def test_criteria_of_a_check_and_the_points_for_each():
    graded = submission.unscored(PROBLEMS, "ann", SECRET)
    graded.questions["1.4"]["criteria"] = [
        {"what": "Small samples", "points": 3, "earned": 3},
        {"what": "Long runs", "points": 3, "earned": 1.5},
        {"what": "Ties", "points": 2, "earned": 0},
    ]
    rows = section(page_of(None, graded), "1.4").tbody.find_all("tr")
    assert [[" ".join(cell.text.split()) for cell in row.find_all("td")] for row in rows] == [
        ["✓ 3 of 3", "Small samples"],
        ["◐ 1.5 of 3", "Long runs"],
        ["✗ 0 of 2", "Ties"],
    ]


def test_the_rubric_says_what_was_given_for_it():
    marks = {"1.6": {"earned": [1, 0, 1, 2], "adjust": -0.5}}
    rows = section(page_of(None, marks=marks), "1.6").tbody.find_all("tr")
    assert [" ".join(row.td.text.split()) for row in rows] == [
        "✓ 1 of 1",
        "✗ 0 of 1",
        "◐ 1 of 2",
        "✓ 2 of 2",
        "± -0.5",
    ]
    rows = section(page_of(None), "1.6").tbody.find_all("tr")
    assert all("to be had" in row.td.text for row in rows)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("SyntaxError: expected ':' (<cell>, line 3)", "syntax error in line 3: expected ':'."),
        ("IndentationError: unexpected indent (<cell>, line 1)", "syntax error in line 1"),
        ("SyntaxError: '(' was never closed (line 2)", "in line 2: '(' was never closed."),
        ("NameError: name 'foo' is not defined", "did not run to its end: NameError: name 'foo'"),
    ],
)
def test_a_function_that_is_not_there_has_a_reason(error, said, tmp_path):
    path = tmp_path / "ann.ipynb"
    path.write_text(NOTEBOOK, encoding="utf-8")
    graded = submission.unscored(PROBLEMS, "ann", SECRET)
    missing = "The notebook defines no function pla."
    graded.questions["1.4"] |= {"sentence": missing, "report": missing}
    graded.note("cell error", f"the cell “def pla(X, y):”: {error}")
    graded.note("cell error", "the cell “checks.pla(pla)”: NameError: name 'pla' is not defined")
    found = section(page_of(path, graded), "1.4")
    [line] = found.find_all(class_="because")
    assert line.text.startswith("The cell “def pla(X, y):”, which should define pla, ")
    assert said in found.find(class_="because").text
    assert "defines no function" not in found.text


def test_a_report_is_set_with_its_data_and_its_list():
    graded = submission.unscored(PROBLEMS, "ann", SECRET)
    text = "pla: update 1 differs.\n\nData:\n\n    X = np.array([[1., 0.]])\n\n- a * b * c\n- <d>"
    graded.questions["1.4"]["report"] = text
    found = section(page_of(None, graded), "1.4").find(class_="report")
    assert found.pre.text == "X = np.array([[1., 0.]])"
    assert [item.text for item in found.find_all("li")] == ["a * b * c", "<d>"]


def test_comments_stand_with_their_question_and_may_hold_formulas():
    row = row_of(comment="Well *done*.", **{"comment 1.6": "Say why $y(w x) \\le 0$.\nAgain."})
    soup = BeautifulSoup(page_of(None, row=row), "html.parser")
    assert soup.aside.em.text == "done"
    note = section(str(soup), "1.6").find(class_="note")
    assert note.math is not None
    assert "Again." in note.text


def test_the_call_that_draws_the_same_data_stands_once():
    graded = submission.unscored(PROBLEMS, "ann", SECRET)
    call = f"checks.pla(pla, seed={graded.questions['1.4']['seed']})"
    assert section(page_of(None, graded), "1.4").code.text == call
    graded.questions["1.4"]["report"] = f"Wrong.\n\nThe same data again: {call}"
    assert section(page_of(None, graded), "1.4").text.count("seed=") == 1
