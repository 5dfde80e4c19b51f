"""Cells that run in the page: what they need from above, and in a browser without a network."""

import json
import subprocess
import sys
from pathlib import Path

import machines
import pytest
from notes_live.needs import Plan

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = sorted(ROOT.glob("book/[0-9]*.ipynb"), key=lambda p: int(p.name.split("-")[0]))


def cells(*sources):
    return [{"id": str(k), "source": source} for k, source in enumerate(sources)]


class TestWhatACellNeeds:
    def needed(self, *sources):
        return Plan(cells(*sources)).chosen

    def test_the_cells_that_made_what_it_uses_and_what_they_use(self):
        assert self.needed("a = 1", "b = 2", "c = a", "d = b", "c") == [0, 2]

    def test_the_last_that_made_it(self):
        assert self.needed("a = 1", "a = 2", "a") == [1]
        assert self.needed("a = 1", "a = a + 1", "a") == [0, 1]
        assert self.needed("a = 1", "a += 1", "a") == [0, 1]
        assert self.needed("a = 1", "if x:\n    a = 2", "a") == [0, 1]

    @pytest.mark.parametrize(
        "change", ["a.append(1)", "a[0] = 1", "a.b = 1", "x = a.pop()", "x = draw(rng)", "next(a)"]
    )
    def test_what_changed_it(self, change):
        assert self.needed("a = []; rng = 1", change, "a, rng") == [0, 1]

    def test_what_only_looked_at_it_is_not_needed(self):
        assert self.needed("a = []", "print(a.mean())", "[a for a in b]", "a") == [0]

    def test_a_module_is_not_changed(self):
        assert self.needed("import m", "m.show()", "m.f()") == [0]

    def test_what_a_function_uses_when_it_is_called(self):
        assert self.needed(
            "def f(): return g(a)", "def g(b): return b", "a = 1", "b = 2", "f()"
        ) == [*(0, 1, 2)]

    def test_what_a_function_of_its_own_uses(self):
        assert self.needed("a = 1", "def g(b): return a", "def f(): return g(1)\nf()") == [0, 1]

    def test_names_of_a_function_are_its_own(self):
        assert self.needed("a = 1", "def f(a): return a", "f(2)") == [1]

    def test_magics_and_broken_texts_end_nothing(self):
        assert self.needed("%matplotlib inline", "a = 1", "def", "a") == [1]


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
        """The name is used for something else further down, and by the cell itself."""
        whole = Plan(cells("a = []", "a.append(1)", "a = 5", "a"))
        made = self.after(whole, 0, 1, 2)
        assert Plan(cells("a = []", "a.append(1)")).missing(made) == [0]


#: Runs each cell by itself, after what it needs, and tells which put out something else.
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
    left_out = [*machines.LEFT_OUT.get(str(path.relative_to(ROOT)), ())]
    code = f"root, path, left_out = {str(ROOT)!r}, {str(path)!r}, {left_out}\n{ALONE}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []
