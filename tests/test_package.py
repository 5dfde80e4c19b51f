"""The house itself: who imports whom, what is documented, what a wheel holds."""

import ast
import doctest
import importlib
import inspect
import io
import json
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "perceptron_notes"
SOURCES = {path.stem: [path] for path in sorted(PACKAGE.glob("[!_]*.py"))} | {
    path.parent.name: sorted(path.parent.rglob("*.py")) for path in PACKAGE.glob("*/__init__.py")
}
MODULES = list(SOURCES)

TOPICS = ("model", "learning", "proof", "noise", "kernels")
#: A module may import the modules and the third parties of its row, and the standard library.
TABLE = {
    "tables": ("", ""),
    "data": ("", "numpy"),
    "rules": ("data", "numpy"),
    "model": ("data", "numpy"),
    "exact": ("data", "numpy"),
    "native": ("data model rules", "numpy"),
    "learning": ("data model native rules", "numpy"),
    "convergence": ("data exact learning model", "numpy"),
    "pocketing": ("data learning model native", "numpy"),
    "kernels": ("data", "numpy"),
    "dual": ("data kernels learning native rules", "numpy"),
    "estimators": ("data dual kernels learning model pocketing rules", "numpy sklearn"),
    "figures": ("convergence data learning", "matplotlib numpy"),
    "widgets": (
        "convergence data dual figures kernels learning model pocketing rules",
        "ipywidgets matplotlib numpy traitlets",
    ),
    "explorer": (
        "convergence data dual figures kernels learning model rules",
        "anywidget ipywidgets matplotlib numpy traitlets",
    ),
    "answers": ("", "numpy"),
    "checks": ("answers convergence data kernels learning model pocketing rules", "numpy"),
    "problem_sets": ("checks", ""),
    "grading": (
        "answers checks problem_sets",
        "IPython jinja2 latex2mathml markdown_it markupsafe matplotlib mdit_py_plugins nh3 numpy "
        "pygments",
    ),
}
#: The same inside of `checks`: its topics never import from each other.
CHECKS = {
    "check": "",
    "own": "check",
    "samples": "",
    "runs": "",
    "slips.tours": "",
    **{f"slips.{topic}": "check runs slips slips.tours" for topic in TOPICS},
    **{topic: f"check runs samples slips slips.{topic}" for topic in TOPICS},
}
#: What a student reads; the proofs, whose whole-number arithmetic has a room of its own.
TEACHING = ["data", "model", "rules", "learning", "pocketing", "kernels", "dual"]
PROOFS = ["convergence"]
CHAPTERS = [*TEACHING, "convergence"]
#: The generators that are the lecture's pseudocode.
ALGORITHMS = {"learning": "corrections", "pocketing": "watch", "dual": "tally"}
HEAVY = ["matplotlib", "ipywidgets", "scipy", "numba", "sklearn", "IPython", "pandas"]

#: Searching, exact arithmetic, pictures and notebooks may go without examples.
WITHOUT_EXAMPLES = {"native", "exact", "figures", "explorer"}
WITHOUT_EXAMPLES |= {"answers", "grading", "problem_sets"}

PUBLIC = """
    Dataset li_hang credit iris xor rings halfspaces flip_labels augment
    score predict mistakes error_count margin distance angle
    Step pla in_turn lowest shuffled at_random criterion
    Run Trace record last ConvergenceWarning
    separate Separator Obstruction certify Certificate ledger Ledger
    pocket Pocket PocketStep
    gram GramRows linear polynomial rbf dual_pla DualRun DualStep dual_score weights
""".split()  # noqa: SIM905


def module(name):
    return importlib.import_module(f"perceptron_notes.{name}")


# -------------------------------------------------------------------------------- imports


def imports(source):
    """Every module that a source imports anywhere, also inside of its functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, ["perceptron_notes" * (node.level > 0), node.module]))
            whole = base == "perceptron_notes"
            yield from (f"{base}.{alias.name}" for alias in node.names) if whole else [base]


def strangers(name, source):
    """What a module imports beyond its row of the table."""
    own, others = (set(cell.split()) for cell in TABLE[name])
    allowed = {f"perceptron_notes.{other}" for other in own | {name}}
    return [
        imported
        for imported in imports(source)
        if ".".join(imported.split(".")[:2]) not in allowed
        and imported.split(".")[0] not in others | sys.stdlib_module_names
    ]


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_up_the_table_only(name):
    assert name in TABLE, f"{name}.py has no row in the table of layers"
    for path in SOURCES[name]:
        assert strangers(name, path.read_text(encoding="utf-8")) == []


def test_the_rooms_of_the_checks_import_as_their_table_says():
    for path in SOURCES["checks"]:
        if path.stem != "__init__":
            name = ".".join(path.relative_to(PACKAGE / "checks").with_suffix("").parts)
            found = {
                imported.removeprefix("perceptron_notes.checks.")
                for imported in imports(path.read_text(encoding="utf-8"))
                if imported.startswith("perceptron_notes.checks.")
            }
            assert found <= set(CHECKS[name].split()), name


@pytest.mark.parametrize(
    "line",
    [
        "import scipy.optimize",
        "from matplotlib import pyplot",
        "from perceptron_notes.learning import pla",
        "from perceptron_notes import learning",
        "from . import learning",
        "from .learning import pla",
        "import perceptron_notes.learning",
        "import perceptron_notes",
        "def f():\n    from perceptron_notes.learning import record",
    ],
)
def test_every_form_of_an_import_out_of_order_is_noticed(line):
    assert len(strangers("model", line)) == 1


def test_the_table_itself_has_no_circles():
    seen = set()
    while len(seen) < len(TABLE):
        ready = {name for name, (own, _) in TABLE.items() if set(own.split()) <= seen}
        assert ready > seen
        seen = ready


def run(python, code, cwd):
    """What the code prints as JSON, run by another interpreter in another folder."""
    done = subprocess.run([python, "-c", code], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_importing_the_package_loads_nothing_heavy(tmp_path):
    code = (
        "import sys, json; before = set(sys.modules); import perceptron_notes; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    loaded = {name.split(".")[0] for name in run(sys.executable, code, tmp_path)}
    assert {"perceptron_notes", "numpy"} <= loaded
    assert loaded.isdisjoint(HEAVY)


# ---------------------------------------------------------------------------------- names


def exported():
    namespace = {}
    exec("from perceptron_notes import *", namespace)
    return {name: value for name, value in namespace.items() if name != "__builtins__"}


@pytest.mark.parametrize("name", PUBLIC)
def test_the_package_exports_its_public_names(name):
    assert callable(exported().get(name)), f"{name} is not exported by perceptron_notes"


def test_a_star_import_brings_no_modules():
    # Otherwise `data` or `model` in a notebook is a module before it is anything else.
    assert [name for name, value in exported().items() if inspect.ismodule(value)] == []


def test_no_two_modules_export_the_same_name():
    names = [name for each in MODULES for name in module(each).__all__]
    assert sorted(names) == sorted(set(names))


# --------------------------------------------------------------------------- documentation


def public(name):
    """The functions and classes in the `__all__` of a module."""
    things = {each: getattr(module(name), each) for each in module(name).__all__}
    return {
        each: thing
        for each, thing in things.items()
        if inspect.isfunction(thing) or inspect.isclass(thing)
    }


def section(thing, title):
    """The lines of one section of a docstring; none if it lacks the section."""
    text = inspect.getdoc(thing) or ""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text, re.M | re.S)
    return found[1].splitlines() if found else []


def parameters(thing):
    """What a caller may pass; nothing for an exception that adds nothing of its own."""
    plain_exception = inspect.isclass(thing) and issubclass(thing, BaseException)
    return [] if plain_exception else list(inspect.signature(thing).parameters)


def documented_names(thing):
    """The parameters that a docstring names; those of a class may stand under Attributes."""
    lines, fields = section(thing, "Parameters"), []
    if inspect.isclass(thing) and not lines:
        lines, fields = section(thing, "Attributes"), parameters(thing)
    heads = [line.split(" : ")[0] for line in lines if re.match(r"\S", line)]
    names = [name.strip("* ") for head in heads for name in head.split(",")]
    return [name for name in names if name in fields] if fields else names


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring_of_its_own(name):
    for thing in public(name).values():
        assert vars(thing).get("__doc__") or inspect.isfunction(thing), thing
        assert (inspect.getdoc(thing) or "").partition("\n")[0].endswith((".", "?")), thing


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_name_all_parameters_in_their_order(name):
    documented = {each: documented_names(thing) for each, thing in public(name).items()}
    assert documented == {each: parameters(thing) for each, thing in public(name).items()}


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_hint_all_types_and_say_what_they_return(name):
    for function in filter(inspect.isfunction, public(name).values()):
        hints = inspect.get_annotations(function)
        assert set(hints) == {*parameters(function), "return"}, function
        returns = section(function, "Returns") or section(function, "Yields")
        assert bool(returns) == (hints["return"] not in (None, "None")), function


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_run(name):
    own = {public: getattr(module(name), public) for public in module(name).__all__}
    # What a chapter's module shows must run as it stands, imports and all.
    namespace = {} if name in CHAPTERS else {**exported(), **own, "np": np}
    runner, report = doctest.DocTestRunner(), io.StringIO()
    for example in doctest.DocTestFinder().find(module(name), globs=namespace):
        runner.run(example, out=report.write)
    assert runner.failures == 0, report.getvalue()
    assert runner.tries > 0 or name in WITHOUT_EXAMPLES


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example_of_its_own(name):
    assert ">>>" in (inspect.getdoc(exported()[name]) or ""), name


@pytest.mark.parametrize(
    "checker", [["mypy"], ["pyright", "--pythonpath", sys.executable]], ids=["mypy", "pyright"]
)
def test_type_checkers_find_nothing_to_say_about_a_users_code(checker):
    tool = Path(sys.executable).parent / checker[0]
    command = [str(tool), *checker[1:], str(ROOT / "tests" / "user_code.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_users_code_has_every_public_name_and_the_readmes_example():
    code = (ROOT / "tests" / "user_code.py").read_text(encoding="utf-8")
    tree = ast.parse(code)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert set(PUBLIC) <= used
    example = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1]
    wanted = [line.split("#")[0].rstrip() for line in example.partition("```")[0].splitlines()]
    assert set(filter(None, wanted[2:])) <= set(code.splitlines())


@pytest.mark.parametrize("name", ["learning", "pocketing", "rules", "dual", "model", "data"])
def test_a_module_can_be_imported_under_another_name(name):
    namespace = {}
    exec(f"import perceptron_notes.{name} as m", namespace)
    assert inspect.ismodule(namespace["m"])


# ---------------------------------------------------------------------------------- size


def logical_lines(source):
    """How many lines of code there are, however wrapped; docstrings and comments do not count."""
    nodes = [node for node in ast.walk(ast.parse(source)) if "body" in node._fields]
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docstrings = sum(
        isinstance(node, documented) and bool(ast.get_docstring(node)) for node in nodes
    )
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(token.type == tokenize.NEWLINE for token in tokens) - docstrings


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""Words\n\nmore words."""\n\n# a comment\nx = [\n    1,  # one\n\n]\n\n', 1),
        ('def f():\n    """Words."""\n    return """a\n    b"""\n', 2),
        ("if a:\n    b\nelse:\n    c\n", 4),
    ],
)
def test_lines_of_code_are_counted_without_words_and_gaps(source, lines):
    assert logical_lines(source) == lines


@pytest.mark.parametrize(("names", "most"), [(TEACHING, 750), (PROOFS, 330)])
def test_the_core_stays_small(names, most):
    counts = {
        name: logical_lines((PACKAGE / f"{name}.py").read_text(encoding="utf-8")) for name in names
    }
    assert sum(counts.values()) < most, counts


@pytest.mark.parametrize(("name", "function"), ALGORITHMS.items())
def test_an_algorithm_fits_in_one_glance(name, function):
    assert logical_lines(inspect.getsource(getattr(module(name), function))) <= 12
