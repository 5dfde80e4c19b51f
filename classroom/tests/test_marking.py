"""The pages for marking and of feedback in a browser: by keyboard, for everyone, unharmed."""

import threading
from itertools import product

import hostile
import pytest
from perceptron_classroom.grading import collect, report, submission, table
from perceptron_classroom.grading.marking import Desk, Server
from playwright.sync_api import expect
from school import NOTEBOOK, PROBLEMS
from visiting import Heard, violations

CLASS = {
    "ann": [hostile.words("# Ann\n\n1. one\n2. two $x^2$")],
    "bob": hostile.CASES["out of the page"],
    "eve": [hostile.code("plot()", hostile.shown(image_png=hostile.picture()))],
}
#: A page as large and as dark as a reader may have it.
FORMS = [
    pytest.param(*form, marks=[] if form == ("dark", 390) else pytest.mark.slow)
    for form in product(("light", "dark"), (390, 1280))
]


@pytest.fixture
def desk(tmp_path):
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name, cells in CLASS.items():
        (folder / f"{name}.ipynb").write_text(hostile.notebook(cells, NOTEBOOK), "utf-8")
    found, _ = collect.find(folder, None, PROBLEMS.name)
    return Desk(PROBLEMS, found, tmp_path / "grades.csv")


@pytest.fixture
def marking(desk, page, tab, heard, tmp_path):
    """A function that opens the page on a desk."""
    with Server(desk, "1.6") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def opened(**options):
            shown = tab(**options) if options else page
            heard.append(Heard(shown, server.origin))
            door = tmp_path / "grades.mark.html"
            server.write_door(door)
            shown.goto(door.as_uri())
            shown.wait_for_selector("#answer > *")
            assert server.token not in shown.url
            heard[-1].remove(f"leaves: {door.as_uri()}")
            return shown

        yield opened
        for one in heard:
            one.end()
        server.shutdown()


@pytest.fixture
def heard():
    """What the browser says against each page that is opened."""
    return []


def earned(desk, student):
    mark = desk.marks.of(student).get("1.6")
    return mark and mark["earned"]


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def saved(page, text):
    expect(page.locator("#points")).to_have_text(text)


def test_a_class_is_marked_by_keyboard_alone(marking, desk, heard):
    page = marking()
    assert page.locator("#who").text_content() == "ann"
    assert page.locator("#answer li:visible").count() == 2  # lists of the answer's own
    press(page, "1", "3", "3")
    saved(page, "2 of 6")
    press(page, "c")
    page.keyboard.type("Say why, j and k.")
    press(page, "Escape", "j")
    assert page.locator("#who").text_content() == "bob"
    press(page, "f")
    saved(page, "6 of 6")
    press(page, "Enter")
    assert page.locator("#who").text_content() == "eve"
    press(page, "0")
    saved(page, "0 of 6")
    assert page.locator("#count").text_content() == "3 of 3 marked"
    press(page, "2")
    saved(page, "1 of 6")
    press(page, "2")
    saved(page, "0 of 6")
    press(page, "a")
    page.keyboard.type("1.5")
    press(page, "Escape")
    saved(page, "1.5 of 6")
    assert [earned(desk, name) for name in CLASS] == [[1, 0, 1, 0], [1, 1, 2, 2], [0, 0, 0, 0]]
    comments = [desk.marks.of(name)["1.6"]["comment"] for name in CLASS]
    assert comments == ["Say why, j and k.", "", ""]
    press(page, "x")
    saved(page, "○ to be marked")
    assert heard == [[]]


def test_enter_finds_what_has_changed(marking, desk):
    page = marking()
    press(page, "f")
    saved(page, "6 of 6")
    path = desk.paths["ann"]
    path.write_text(hostile.notebook([hostile.words("New.")], NOTEBOOK), "utf-8")
    page.reload()
    saved(page, "6 of 6")
    press(page, "k")
    expect(page.locator("#note")).to_have_text("This is the first one.")
    press(page, "j", "f", "j", "f")
    saved(page, "6 of 6")
    press(page, "Enter")
    expect(page.locator("#who")).to_have_text("ann")
    page.wait_for_selector("#changed:visible")
    press(page, "s")
    page.wait_for_selector("#changed", state="hidden")
    assert earned(desk, "ann") == [1, 1, 2, 2]


def test_a_hostile_answer_stays_in_its_place(marking, heard):
    page = marking()
    press(page, "j")
    expect(page.locator("#answer")).to_contain_text("</div>")
    assert page.title().endswith(": marking")
    assert page.locator("#panel").is_visible()
    assert heard == [[]]


def test_without_the_program_the_page_says_that_nothing_was_saved(marking, desk):
    page = marking()
    page.route("**/mark", lambda route: route.abort())
    press(page, "f")
    expect(page.locator("#note")).to_contain_text("Not saved")
    assert desk.marks.read() == {}


@pytest.mark.parametrize(("scheme", "width"), FORMS)
def test_axe_finds_nothing_on_the_page_for_marking(marking, axe, scheme, width):
    page = marking(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    press(page, "1", "3", "3", "c")
    page.keyboard.type("A comment.")
    press(page, "Escape")
    saved(page, "2 of 6")
    assert violations(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def feedback(tmp_path, cells):
    path = tmp_path / "ann.ipynb"
    path.write_text(hostile.notebook(cells, NOTEBOOK), "utf-8")
    graded = submission.unscored(PROBLEMS, "ann", b"a secret of the tests")
    graded.note("cell error", "the cell “def f(:”: SyntaxError: invalid syntax (<cell>, line 2)")
    row = dict.fromkeys(table.columns(PROBLEMS), "") | {
        "student": "ann", "total": "5", "out of": "30", "1.1": "2", "1.2": "0", "1.6": "3",
        "comment": "Well *done*.", "comment 1.6": "See $x$.",
    }  # fmt: skip
    given = {"1.6": {"earned": [1, 0, 1, 1], "adjust": 0}}
    text = report.feedback_page(PROBLEMS, path, graded, row, given)
    page = tmp_path / "ann.html"
    page.write_text(text, "utf-8", errors="replace")
    return page.as_uri()


RICH = [
    hostile.words(
        "# A\n\n$$\\sum_n x_n$$\n\n| a | b |\n|-|-|\n| 1 | $2$ |\n\n`code`\n\n```\nx = 1\n```"
    ),
    hostile.code(
        "for k in range(3): print('a', 1)  # why",
        hostile.printed("a 1\n"),
        hostile.shown(text_html="<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"),
        hostile.shown(image_png=hostile.picture()),
        {"output_type": "error", "ename": "NameError", "evalue": "x"},
    ),
]


@pytest.mark.parametrize(("scheme", "width"), FORMS)
def test_axe_finds_nothing_on_a_page_of_feedback(tmp_path, tab, axe, scheme, width):
    page = tab(color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    page.goto(feedback(tmp_path, RICH))
    assert violations(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("[...document.images].every((each) => each.naturalWidth > 0)")


def test_no_hostile_answer_runs_or_loads_anything(tmp_path, tab):
    page, asked, said = tab(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("console", lambda message: said.append(message.text))
    cells = [cell for cells in hostile.CASES.values() for cell in cells[:3]]
    cells = [cell for cell in cells if len(str(cell)) < 30_000]
    for k in range(0, len(cells), 12):
        page.goto(feedback(tmp_path, cells[k : k + 12]))
        assert page.title() == f"{PROBLEMS.title}: ann"
        assert page.locator("main > section").count() == 1 + len(PROBLEMS.questions)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [url for url in asked if not url.startswith(("file:", "data:image/"))] == []
    assert said == []
