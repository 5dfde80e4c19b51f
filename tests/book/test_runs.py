"""What makes a notebook run again, and what does not."""

import os
import subprocess
import sys

import nbformat
import pytest
from building import notebook, soup_of
from notes_site import runs
from notes_site.folders import files_in
from notes_site.runs import Runs

PACKAGE = {
    "package/__init__.py": "",
    "package/lines.py": 'def slope():\n    """Return it."""\n    return 2  # for now\n',
    "package/curves.py": "def bend():\n    return 3\n",
    "data/points.json": "[1, 2]",
}
NOTEBOOKS = {
    "one": (
        "import json\nfrom package.lines import slope\n"
        "print(slope(), json.load(open('data/points.json')))"
    ),
    "two": "import inspect\nfrom package import curves\nprint(inspect.getsource(curves.bend))",
    "three": "import os\nprint(os.listdir('data'))\ntry: open('new.csv')\nexcept OSError: pass",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A small repository whose two notebooks have run once."""
    root = tmp_path_factory.mktemp("repository")
    for name, text in PACKAGE.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    for name, cell in NOTEBOOKS.items():
        (root / f"{name}.ipynb").write_text(notebook(cell))
    kept = Runs(root, root / "_build/.runs")
    ends = []
    kept.run([root / f"{name}.ipynb" for name in NOTEBOOKS], 60, lambda *end: ends.append(end))
    assert len(ends) == len(NOTEBOOKS)
    return kept


def runs_again(kept):
    """The notebooks of which no run holds."""
    return {name for name in NOTEBOOKS if not kept.valid(kept.root / f"{name}.ipynb")[0]}


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


TOUCHED = {
    "a swap file": (set(), lambda root: write(root / "data/.points.json.swp", "x")),
    "a new module": (set(), lambda root: write(root / "package/planes.py", "x = 1")),
    "prose": (set(), lambda root: replace(root / "one.ipynb", "# Title", "# X")),
    "a docstring": (set(), lambda root: replace(root / "package/lines.py", " it", " 2")),
    "a comment": (set(), lambda root: replace(root / "package/lines.py", "for now", "for ever")),
    "its code": ({"one"}, lambda root: replace(root / "package/lines.py", "2  #", "4  #")),
    "what it shows": ({"two"}, lambda root: replace(root / "package/curves.py", "3", "3  # !")),
    "data": ({"one"}, lambda root: write(root / "data/points.json", "[1, 2, 3]")),
    "a file that is gone": ({"one", "three"}, lambda root: (root / "data/points.json").unlink()),
    "a file in a folder": ({"three"}, lambda root: write(root / "data/more.json", "")),
    "a file that was missed": ({"three"}, lambda root: write(root / "new.csv", "")),
    "a cell": ({"two"}, lambda root: replace(root / "two.ipynb", "print", "print(1)\\nprint")),
}


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("what", TOUCHED)
def test_a_notebook_runs_again_if_something_that_it_reads_has_changed(repository, what):
    root, (expected, touch) = repository.root, TOUCHED[what]
    before = {file: file.read_bytes() for file in root.rglob("*") if file.is_file()}
    assert runs_again(repository) == set()
    touch(root)
    assert runs_again(repository) == expected
    for path in root.rglob("*"):
        if path not in before and (path.is_symlink() or path.is_file()):
            path.unlink()
    for file, content in before.items():
        file.write_bytes(content)
    assert runs_again(repository) == set()


def test_other_versions_and_another_engine_run_everything(repository, monkeypatch):
    record = repository.of(repository.root / "one.ipynb")
    assert record.versions["Python"] == ".".join(map(str, sys.version_info[:3]))
    with monkeypatch.context() as patch:
        patch.setattr(runs, "installed", lambda name: "0")
        assert runs_again(repository) == {*NOTEBOOKS}
    assert record.loops == ""  # as it did not load them
    told = {"files": [f"{repository.root}/.runtime/x"], "modules": {}, "loops": "avx9"}
    record = runs.record_of(repository.root, told, cells="")
    assert not record.files
    assert record.changes(repository.root) == ["the engine of the loops"]


def test_outputs_fit_the_newest_prose(repository):
    path = repository.root / "one.ipynb"
    for cells, title in ([], "# Another title"), (["a = 1"], "# Title"):  # edited while it ran
        nb = nbformat.reads(notebook(NOTEBOOKS["one"], *cells, title="# Another title"), 4)
        filled = runs.filled(nb, repository.outputs(path))
        assert filled.cells[0].source == title
        assert filled.cells[1].outputs[0].text == "2 [1, 2]\n"


@pytest.mark.parametrize(("do", "holds"), [("echo 2 >", False), ("touch -d tomorrow", True)])
def test_what_is_edited_while_a_notebook_runs_makes_it_run_again(tmp_path, do, holds):
    """But not each time if a clock was set back, so that a file is of tomorrow."""
    write(tmp_path / "data.txt", "1")
    cells = ["print(open('data.txt').read())", f"import os\nos.system('{do} data.txt')"]
    (tmp_path / "one.ipynb").write_text(notebook(*cells))
    kept = Runs(tmp_path, tmp_path / "runs")
    kept.run([tmp_path / "one.ipynb"], 60, lambda *_: None)
    assert bool(kept.valid(tmp_path / "one.ipynb")[0]) == holds


@pytest.mark.parametrize("left", ["{", "{}", None])
def test_a_run_that_was_cut_off_counts_for_nothing(repository, left):
    path = repository.root / "two.ipynb"
    kept = repository.file(path)
    whole = kept.read_text()
    kept.unlink() if left is None else kept.write_text(left)
    assert repository.valid(path)[0] is None
    kept.write_text(whole)
    assert repository.valid(path)[0]


def test_a_merge_with_conflicts_is_told_in_a_sentence(tmp_path):
    write(tmp_path / "one.ipynb", "<<<<<<< HEAD")
    with pytest.raises(SystemExit, match=r"one\.ipynb cannot be read as a notebook"):
        Runs(tmp_path, tmp_path / "runs").valid(tmp_path / "one.ipynb")


def test_strays_are_not_listed(tmp_path):
    strays = [".x.py.swp", "#x.py#", "x.py~", ".DS_Store"]
    for name in ("x.py", *strays, ".ipynb_checkpoints/x.py", "__pycache__/x.pyc"):
        write(tmp_path / name, "x")
    (tmp_path / "y.py").symlink_to("nowhere")
    assert [*files_in(tmp_path)] == [tmp_path / "x.py"]


# Building ----------------------------------------------------------------------------------------

PARTS = ("myst_nb", "running")
OFF = {"nb_execution_mode": "off"}


def test_a_page_shows_its_run_and_what_the_run_read(build, tmp_path):
    text = notebook("open('ran', 'a').write('once')\nprint(6 * 7)")
    for _ in range(2):
        page, warnings = build(text, *PARTS, name="index.ipynb", **OFF)
        assert soup_of(page).select_one(".cell_output").text.strip() == "42"
        assert not warnings
    assert (tmp_path / "ran").read_text() == "once"  # the second time it was kept
    said = soup_of(page).select_one("details.computed").text
    assert f"Python {'.'.join(map(str, sys.version_info[:3]))}" in said


def test_a_page_is_read_again_if_its_run_is_another_one(build, tmp_path):
    (tmp_path / "answer.txt").write_text("forty-one")
    text = notebook("print(open('answer.txt').read())")
    page, _ = build(text, *PARTS, name="index.ipynb", **OFF)
    assert "forty-one" in page
    (tmp_path / "answer.txt").write_text("forty-two")
    page, _ = build(None, *PARTS, name="index.ipynb", fresh=False, **OFF)
    assert "forty-two" in page


def test_a_cell_that_fails_is_told_in_three_lines_and_the_others_go_on(build, tmp_path):
    """Not one that is to fail; and below it the page shows nothing that was computed before."""
    (tmp_path / "other.ipynb").write_text(notebook("print(6 * 7)"))
    nb = nbformat.reads(notebook("so_far", "half = 1\nhalf / 0", "print('on')"), as_version=4)
    nb.cells[1].metadata["tags"] = ["raises-exception"]
    nb.cells[3].outputs = [nbformat.v4.new_output("stream", text="committed")]
    page, warnings = build(nbformat.writes(nb), *PARTS, name="index.ipynb", **OFF)
    told = [line for line in warnings.splitlines() if "included in any toctree" not in line]
    assert len(told) == 3
    assert "index: code cell 2 of 3" in told[0]
    assert told[1].strip() == "half = 1"
    assert told[2].strip() == "ZeroDivisionError: division by zero"
    assert "'so_far' is not defined" in soup_of(page).text
    assert "committed" not in page
    assert "42" in (tmp_path / "_build/html/other.html").read_text()


def test_pages_that_were_being_written_are_written_again(build, tmp_path):
    built = tmp_path / "_build/html"
    build("# Title\n", "economy")
    assert not (built / ".unfinished").exists()
    (built / "index.html").write_text("cut o")
    os.utime(built / "index.html")
    page, _ = build(None, "economy", fresh=False)
    assert page == "cut o"  # it is newer than its source
    (built / ".unfinished").touch()  # as a build leaves it that is killed
    page, _ = build(None, "economy", fresh=False)
    assert "Title" in page


def test_who_ends_a_build_ends_its_kernels(tmp_path):
    """And nothing that was cut off is kept."""
    (tmp_path / "long.ipynb").write_text(
        notebook("import os, time\nopen('pid', 'w').write(str(os.getpid()))", "time.sleep(600)")
    )
    program = f"""
import os, signal, sys, threading, time
from pathlib import Path
sys.path.insert(0, {str(runs.HERE.parent)!r})
from notes_site.runs import Runs
root = Path({str(tmp_path)!r})
def end():
    while not ((root / "pid").exists() and (root / "pid").read_text()):
        time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=end).start()
Runs(root, root / "runs").run([root / "long.ipynb"], 600, print)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)
    assert done.returncode != 0
    assert b"KeyboardInterrupt" in done.stderr
    assert not [*(tmp_path / "runs").rglob("*.ipynb")]
    assert not os.path.exists(f"/proc/{(tmp_path / 'pid').read_text()}/stat")


def test_a_kernel_that_dies_is_an_error_of_its_notebook(tmp_path):
    (tmp_path / "dead.ipynb").write_text(notebook("import os\nos._exit(1)", "print(1)"))
    ends, kept = {}, Runs(tmp_path, tmp_path / "runs")
    kept.run([tmp_path / "dead.ipynb"], 60, ends.__setitem__)
    assert str(ends[tmp_path / "dead.ipynb"]).startswith("code cell 1 of 2 ")
