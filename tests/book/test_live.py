"""Cells that run in the page: what they need from above, and in a browser without a network."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import machines
import numpy as np
import pytest
import web
from notes_live.needs import Plan
from notes_live.session import Session
from notes_site import live as live_site
from perceptron_classroom import checks
from playwright.sync_api import expect
from visiting import DESKTOP, TELEPHONE, Heard, settle, violations, visit

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = sorted(ROOT.glob("book/[0-9]*.ipynb"), key=lambda p: int(p.name.split("-")[0]))


def cells(*sources):
    return [{"id": str(k), "source": source} for k, source in enumerate(sources)]


NEEDED = {
    "the cells that made what it uses, and what they use": (
        ["a = 1", "b = 2", "c = a", "d = b", "c"],
        [0, 2],
    ),
    "the last that made it": (["a = 1", "a = 2", "a"], [1]),
    "all that it was made from": (["a = 1", "a = a + 1", "a"], [0, 1]),
    "what was added to": (["a = 1", "a += 1", "a"], [0, 1]),
    "what may not have been made anew": (["a = 1", "if x:\n    a = 2", "a"], [0, 1]),
    "no cell that only looked": (["a = []", "print(a.mean())", "[a for a in b]", "a"], [0]),
    "no call of a module, which changes nothing": (["import m", "m.show()", "m.f()"], [0]),
    "what a function uses when it is called": (
        ["def f(): return g(a)", "def g(b): return b", "a = 1", "b = 2", "f()"],
        [0, 1, 2],
    ),
    "what a function of its own uses": (
        ["a = 1", "def g(b): return a", "def f(): return g(1)\nf()"],
        [0, 1],
    ),
    "no namesake of a function's own names": (["a = 1", "def f(a): return a", "f(2)"], [1]),
    "what was to make it, and is no Python": (["a = 1", "def a(x)\n    x", "a"], [0, 1]),
    "what stands below magics and broken texts": (["%matplotlib inline", "a = 1", "def", "a"], [1]),
}
for change in ("a.append(1)", "a[0] = 1", "a.b = 1", "x = a.pop()", "x = draw(rng)", "next(a)"):
    NEEDED[f"what changed it: {change}"] = (["a = []; rng = 1", change, "a, rng"], [0, 1])


@pytest.mark.parametrize(("sources", "needed"), NEEDED.values(), ids=NEEDED)
def test_what_a_cell_needs(sources, needed):
    assert Plan(cells(*sources)).chosen == needed


class TestWhatIsStillToRun:
    def after(self, plan, *run):
        return plan.after({}, run)

    def test_nothing_runs_twice(self):
        plan = Plan(cells("a = 1", "b = a", "b"))
        assert plan.missing({}) == [0, 1]
        assert plan.missing(self.after(plan, 0, 1)) == []
        assert plan.missing(self.after(plan, 0)) == [1]

    def test_a_text_that_has_changed_runs_and_what_hangs_on_it(self):
        before = Plan(cells("a = 1", "b = a", "c = 1", "b, c"))
        now = Plan(cells("a = 2", "b = a", "c = 1", "b, c"))
        assert now.missing(self.after(before, 0, 1, 2)) == [0, 1]

    def test_a_cell_runs_as_from_the_top_though_one_below_has_run(self):
        """The name is reused further down, and by the cell itself."""
        whole = Plan(cells("a = []", "a.append(1)", "a = 5", "a"))
        made = self.after(whole, 0, 1, 2)
        assert Plan(cells("a = []", "a.append(1)")).missing(made) == [0]


class TestSession:
    def put_out(self, *sources):
        given = []
        Session(given.append).run(cells(*sources))
        return given

    def printed(self, source):
        """What is printed, up to each place where it is cleared."""
        texts = [""]
        for one in self.put_out(source):
            texts += [""] if "clear" in one else []
            texts[-1] += one.get("text", "")
        return texts

    def test_a_block_that_is_set_in_wrongly_is_told(self):
        (one,) = self.put_out("if True:\n        a = 1\n    b = 2")
        assert "IndentationError" in one["error"]

    def test_a_text_above_that_is_no_python_is_said_to_be_that(self):
        (one,) = self.put_out("a = 1", "def f(x)\n    return x", "f(a)")
        assert "expected ':'" in one["error"]
        assert one["above"] == "1"

    @pytest.mark.parametrize("source", ["import no_such_package", "raise OSError('Not available')"])
    def test_what_a_page_has_not_is_told(self, source):
        (one,) = self.put_out(source)
        assert "scikit-learn" in one["error"]

    def test_other_errors_are_left_alone(self):
        (one,) = self.put_out("from numpy import nothing_of_that_name")
        assert "scikit-learn" not in one["error"]

    def test_what_is_for_a_terminal_is_taken_out(self):
        assert self.printed(r"print('\x1b[31mred\x1b[0m')") == ["red\n"]

    def test_outputs_can_be_cleared(self):
        code = "from IPython.display import clear_output\nprint(1); clear_output(); print(2)"
        assert self.printed(code) == ["1\n", "2\n"]


@pytest.fixture
def carried(tmp_path):
    """A folder with one wheel, and a function that puts files into it."""
    wheel = tmp_path / "left_pad-1.0-py3-none-any.whl"

    def put(files=()):
        with zipfile.ZipFile(wheel, "a") as packed:
            for name, text in dict(files).items():
                packed.writestr(name, text)
        return tmp_path

    put({"left_pad-1.0.dist-info/METADATA": "Name: left-pad\nVersion: 1.0\n\nPads."})
    (tmp_path / "pyodide-lock.json").write_text('{"info": {"version": "1.0"}}', "utf-8")
    return put


def test_what_runs_cells_goes_with_its_licences(carried, node_modules):
    folder = carried({"left_pad-1.0.dist-info/LICENSE": "Ask me.", "pads/COPYING.txt": "Or us."})
    text = live_site.licences(folder, node_modules)
    for words in ("Name: left-pad", "Ask me.", "Or us.", "PYTHON SOFTWARE FOUNDATION LICENSE"):
        assert words in text
    # The text that should be below is.
    for name in ("markdown-it", "typing_extensions"):
        assert re.search(rf"^{name} \d", text, flags=re.M)


def test_a_wheel_without_a_licence_ends_the_build(carried, node_modules):
    with pytest.raises(SystemExit, match=r"left_pad-.* has no file with its lic"):
        live_site.licences(carried(), node_modules)


#: Runs each cell by itself, after the cells it needs, and returns those with other outputs.
ALONE = """
import json, os, sys
sys.path[:0] = [f"{root}/book/_ext", f"{root}/tests"]
os.chdir(f"{root}/book")
from one_machine import other, texts
from notes_live.session import Session

given = []
session = Session(given.append, "import os; os.environ['MPLBACKEND'] = 'module://matplotlib_inline.backend_inline'")
committed = [c for c in json.load(open(path))["cells"] if c["cell_type"] == "code"]
cells = [{"id": c["id"], "source": "".join(c["source"])} for c in committed]
wrong = []
for k, cell in enumerate(committed):
    session.shell.user_ns.clear()
    session.shell.init_user_ns()
    session.made.clear()
    given.clear()
    if cell["id"] in left_out:
        continue
    done = session.run(cells[: k + 1])
    now, then = texts(one for one in given if "error" not in one), texts(cell["outputs"])
    if not done or now != then:
        wrong.append([cell["id"], other(now, then), [one for one in given if "error" in one]])
print(json.dumps(wrong))
"""


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_cell_needs_is_enough_for_its_output(path):
    left_out = machines.left_out(str(path.relative_to(ROOT)))
    code = f"root, path, left_out = {str(ROOT)!r}, {str(path)!r}, {left_out}\n{ALONE}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


# ------------------------------------------------------------- in a browser, without a network

#: What pages may do if a server is strict. The first script of a page stands in it.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)
#: What a reader sees of a cell's outputs: texts, tables, pictures and their sizes, figures.
SEEN = """(place) => {
    const box = place.querySelector(".cell_output");
    const text = (one) => one.textContent.replace(/\\s+/g, " ").trim();
    const all = (what, tell) => [...(box?.querySelectorAll(what) ?? [])].map(tell);
    return [
        all(".highlight > pre", text).filter(Boolean).join(" "),
        ...all("th, td", text),
        ...all("svg.figure", ({ viewBox: { baseVal } }) => Math.round(baseVal.height)),
        ...all(".pn-figure", (one) => one.dataset.kind),
    ];
}"""


class Strict(web.Quiet):
    """A server that sends this policy."""

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()


@pytest.fixture(scope="module")
def home(live):
    with web.served(live, Strict) as address:
        yield address


class Reader:
    """A page on which a reader has agreed to load Python."""

    def __init__(self, page, address, agreed=True):
        self.page = page
        self.heard = Heard(page, address.rpartition("/book/")[0])
        if agreed:
            page.add_init_script("localStorage.setItem('python', 'yes')")
        page.add_init_script(  # what is folded is open
            "addEventListener('DOMContentLoaded', () =>"
            "document.querySelectorAll('details').forEach((one) => { one.open = true; }))"
        )
        visit(page, address)
        page.add_style_tag(content="* { content-visibility: visible !important }")

    def cell(self, name):
        return self.page.locator(f'[data-cell="{name}"]')

    def press(self, name):
        self.cell(name).locator("button.run").evaluate("(button) => button.click()")

    def run(self, name, text=None):
        """Press, wait, and read what there is then; change the code before."""
        if text is not None:
            self.write(name, text)
        self.press(name)
        expect(self.cell(name)).to_have_attribute("data-ran", re.compile("."), timeout=300_000)
        return " ".join(self.cell(name).locator(".cell_output").all_inner_texts())

    def write(self, name, text):
        code = self.cell(name).locator(".cell_input")
        if code.locator("button.write").count():
            self.press(name)
        elif not code.locator(".cm-content").count():
            code.locator("pre").click()
        code.locator(".cm-content").fill(text)


@pytest.fixture
def reader(tab, home):
    def read(name, **options):
        agreed = options.pop("agreed", True)
        return Reader(tab(**({"viewport": DESKTOP} | options)), f"{home}/book/{name}.html", agreed)

    return read


def ids(page):
    cells = page.locator("[data-cell]:has(.cell_input button.run)")
    return cells.evaluate_all("(cells) => cells.map((one) => one.dataset.cell)")


@pytest.mark.slow
class TestInAPage:
    #: A cell of chapter 2 that is made of text alone, and one that uses what it makes.
    CELL, BELOW = "pla-five-lines", "6724f6c3"

    @pytest.mark.parametrize(
        "chapter",
        [*(path.stem for path in NOTEBOOKS), "speed", "museum", "museum-two", "my-data"],
    )
    def test_every_cell_of_a_chapter_puts_out_what_is_committed(self, reader, chapter):
        read, wrong = reader(chapter), {}
        for name in ids(read.page):
            before = read.cell(name).evaluate(SEEN)
            read.run(name)
            after = read.cell(name).evaluate(SEEN)
            if before != after and not read.cell(name).locator(".pn-still").count():
                wrong[name] = before, after
        assert wrong == {}
        assert read.heard == []

    def test_nothing_is_asked_for_before_a_press_and_then_only_if_one_agrees(self, reader):
        read = reader("2-pla", agreed=False)
        asked = []
        read.page.on("request", lambda request: asked.append(request.url))
        read.page.wait_for_timeout(500)
        assert not [url for url in asked if "/live/" in url]
        read.press(self.CELL)
        question = read.cell(self.CELL).locator(".live-ask")
        expect(question).to_contain_text(re.compile(r"\d\d MB"))
        assert not [url for url in asked if "worker" in url or "pyodide" in url]
        question.get_by_role("button").last.click()
        expect(question).to_have_count(0)
        assert not [url for url in asked if "worker" in url or "pyodide" in url]
        assert read.heard == []

    def test_a_run_that_does_not_end_is_stopped_and_the_text_stays(self, reader):
        read = reader("2-pla")
        read.run(self.CELL)
        read.write(self.CELL, "print('begun')\nwhile True: pass")
        read.press(self.CELL)
        expect(read.cell(self.CELL).locator(".cell_output")).to_have_text(re.compile("begun"))
        read.press(self.CELL)
        expect(read.cell(self.CELL)).not_to_have_attribute("data-running", "now")
        expect(read.cell(self.CELL).locator(".cm-content")).to_contain_text("while True")
        assert "7" in read.run(self.CELL, "print(3 + 4)")

    def test_errors_are_told_in_the_lines_of_the_cell(self, reader):
        read = reader("2-pla")
        read.run(self.CELL)
        for text, told in {
            "def f(:": "SyntaxError",
            "x = 1\nnowhere": "line 2",
            "input('?')": "input()",
            "import numpy as np\n[np.ones(1 << 27) for _ in range(6)]": "MemoryError",
        }.items():
            assert told in read.run(self.CELL, text)
        assert "5" in read.run(self.CELL, "print(2 + 3)")
        assert "NameError" in read.run(self.BELOW)  # it uses what that cell no longer makes

    def test_what_was_changed_outlasts_the_page_and_goes_into_the_notebook(self, reader):
        read = reader("2-pla")
        read.run(self.CELL)
        read.write(self.CELL, "mine = 1")
        read.page.reload()
        code = read.cell(self.CELL).locator(".cm-content")
        expect(code).to_have_text("mine = 1")
        with read.page.expect_download() as started:
            read.cell(self.CELL).locator(".live-more").first.click()
        notebook = json.loads(Path(started.value.path()).read_text("utf-8"))
        committed = json.loads((ROOT / "book/2-pla.ipynb").read_text("utf-8"))
        for now, then in zip(notebook["cells"], committed["cells"], strict=True):
            if now["id"] == self.CELL:
                assert now["source"] == "mine = 1"
            else:
                assert now == then
        read.cell(self.CELL).locator(".live-more").last.click()
        expect(code).to_contain_text("while")
        read.page.reload()
        settle(read.page)
        expect(code).to_have_count(0)

    def test_by_keys_and_for_a_screen_reader(self, reader, axe):
        read = reader("2-pla")
        read.cell(self.CELL).locator("button.run").focus()
        read.page.keyboard.press("Enter")
        expect(read.cell(self.CELL)).to_have_attribute("data-ran", "yes", timeout=300_000)
        read.cell(self.CELL).locator(".cm-content").focus()
        read.page.keyboard.press("ControlOrMeta+A")
        read.page.keyboard.type("print(6 * 7)")
        read.page.keyboard.press("Shift+Enter")
        expect(read.cell(self.CELL).locator(".cell_output")).to_have_text(re.compile("42"))
        read.page.keyboard.press("Tab")  # the editor keeps nobody
        assert read.cell(self.CELL).locator(":focus").count()
        assert not read.cell(self.CELL).locator(".cm-content:focus").count()
        assert violations(read.page, axe, f'[data-cell="{self.CELL}"]') == []

    def test_on_a_telephone_nothing_is_wider_than_the_screen(self, reader):
        read = reader("2-pla", viewport=TELEPHONE, has_touch=True, is_mobile=True)
        for name in (self.CELL, ids(read.page)[0]):
            read.run(name)
            assert read.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def test_a_cell_that_waits_can_be_taken_back(self, reader):
        read = reader("2-pla")
        read.run(self.CELL)
        read.write(self.CELL, "while True: pass")
        for name in (self.CELL, self.BELOW, self.BELOW):
            read.press(name)
        expect(read.cell(self.BELOW)).not_to_have_attribute("data-running", "waiting")
        read.press(self.CELL)
        expect(read.cell(self.CELL)).not_to_have_attribute("data-running", "now")
        expect(read.cell(self.BELOW)).not_to_have_attribute("data-ran", "yes")

    @pytest.mark.parametrize("file", ["_sources/book/2-pla.ipynb", "live/page.js", "live/book.zip"])
    def test_what_does_not_come_is_told_and_asked_for_again(self, reader, file):
        read = reader("2-pla")
        read.page.context.route(f"**/{file}*", lambda route: route.fulfill(status=404))
        read.press(self.CELL)
        told = read.cell(self.CELL).get_by_role("status")
        expect(told.last).to_have_text(re.compile("[Pp]ress again"), timeout=300_000)
        read.page.context.unroute(f"**/{file}*")
        assert "picked" in read.run(self.CELL)

    def test_two_tabs_keep_what_was_changed_in_both(self, tab, home):
        first = tab(viewport=DESKTOP)
        second = first.context.new_page()
        one, two = (Reader(page, f"{home}/book/2-pla.html") for page in (first, second))
        for read, name in ((one, self.CELL), (two, self.BELOW)):
            read.run(name)
            read.write(name, "changed = 1")
        one.page.reload()
        for name in (self.CELL, self.BELOW):
            expect(one.cell(name).locator(".cm-content")).to_have_text("changed = 1")

    def test_a_page_from_a_folder_says_why_not(self, tab, live):
        page = tab()
        page.goto((live / "book/2-pla.html").as_uri())
        page.locator("button.run").nth(1).evaluate("(button) => button.click()")
        expect(page.locator(".from-disk")).to_contain_text("http.server")


#: A wrong answer to each of the first three questions.
WRONG = {
    "augment": "np.hstack([np.zeros((len(points), 1)), points])",
    "predict": "np.where(X @ w >= 0, 1, -1)",
    "mistakes": "np.flatnonzero(y * (X @ w) < 0)",
}
CHECKS = {"augment": "cell-5", "predict": "cell-8", "mistakes": "cell-11"}


def feedback(function, code, shown):
    """Return the report of the same check on the same data outside the page."""
    names = {"np": np}
    exec(code, names)
    seed = int(re.search(r"seed=(\d+)", shown)[1])
    with pytest.raises(AssertionError) as caught:
        getattr(checks, function)(names[function], seed=seed)
    return plain(str(caught.value))


def plain(text):
    return " ".join(text.split())


@pytest.mark.slow
def test_a_problem_set_from_a_blank_sheet_to_full_marks(reader, tmp_path):
    read = reader("assignments/ps1")
    master = json.loads((ROOT / "book/assignments/ps1.ipynb").read_text("utf-8"))["cells"]
    answers = {cell["id"]: "".join(cell["source"]) for cell in master}
    for n, (function, body) in enumerate(WRONG.items(), 1):
        name = f"answer-1-{n}"
        head = answers[name].partition("    # BEGIN")[0]
        code = f"{head}    return {body}\n"
        read.write(name, code)
        shown = read.run(CHECKS[function])
        assert feedback(function, code, shown) in plain(shown)
    for name, text in answers.items():
        if name.startswith("answer") or name == "cell-22":
            right = re.sub(r" *# (BEGIN|END) SOLUTION\n?", "", text)
            if read.cell(name).locator(".cell_input").count():
                read.write(name, right)
            else:
                read.press(name)
                read.cell(name).locator("textarea").fill(right)
    for name in ids(read.page):
        read.run(name)
        expect(read.cell(name)).to_have_attribute("data-ran", "yes")
    with read.page.expect_download() as started:
        read.cell("answer-1-1").locator(".live-more").first.click()
    cells = json.loads(Path(started.value.path()).read_text("utf-8"))["cells"]
    assert any("image/svg+xml" in str(c["outputs"]) for c in cells if c["id"] == "cell-22")
    program = Path(sys.executable).with_name("perceptron-classroom")
    command = [program, "check", "ps1", started.value.path(), "--json"]
    said = json.loads(subprocess.run(command, capture_output=True, timeout=300).stdout)
    passed = [each["question"] for each in said if each["status"] == "passed"]
    assert passed[:5] == ["1.1", "1.2", "1.3", "1.4", "1.5"]
