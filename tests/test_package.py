"""The house itself: who imports whom, what is documented, what a wheel holds."""

import ast
import doctest
import importlib
import inspect
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import numpy as np
import pytest
from house import PACKAGE, ROOT, run

#: The modules of chapters, the rooms, and the modules of `_kit` one by one.
SOURCES = {path.stem: [path] for path in sorted(PACKAGE.glob("[!_]*.py"))}
SOURCES |= {path.stem: [path] for path in sorted(PACKAGE.glob("_kit/[!_]*.py"))}
SOURCES |= {
    path.parent.name: sorted(path.parent.rglob("*.py"))
    for path in PACKAGE.glob("[!_]*/__init__.py")
}
MODULES = list(SOURCES)
KIT = {path.stem for path in PACKAGE.glob("_kit/*.py")}

#: What each room imports, of the package and of third parties: this and nothing less. No room
#: imports the classroom, which is another distribution.
TABLE = {
    "terminal": ("", ""),
    "values": ("", "numpy"),
    "validation": ("values", "numpy"),
    "elementary": ("values", "numpy"),
    "draws": ("", "numpy"),
    "data": ("validation values", "numpy"),
    "datasets": ("data validation values", "numpy"),
    "rules": ("draws validation values", "numpy"),
    "model": ("data validation values", "numpy"),
    "exact": ("data model validation values", "numpy"),
    "native": ("data draws model rules values", "numpy"),
    "recipes": ("rules validation", ""),
    "learning": ("data model native recipes rules validation values", "numpy"),
    "convergence": ("data exact learning validation values", "numpy"),
    "formal": ("convergence data exact learning validation", "numpy"),
    "margins": (
        "convergence data exact learning model native recipes rules validation values",
        "numpy",
    ),
    "pocketing": ("data learning model native recipes validation values", ""),
    "online": (
        "convergence data exact learning model recipes rules validation values",
        "numpy",
    ),
    "multiclass": ("data learning model native recipes rules validation values", "numpy"),
    "sequences": ("multiclass validation values", "numpy"),
    "kernels": ("data validation values", "numpy"),
    "dual": ("data kernels native recipes rules validation values", "numpy"),
    "networks": ("data elementary recipes validation values", "numpy"),
    "estimators": (
        "data dual kernels learning model native pocketing recipes rules validation values",
        "numpy sklearn",
    ),
    "scale": (
        "convergence data exact learning model native online pocketing recipes rules validation "
        "values",
        "dask distributed numpy pyarrow",
    ),
    "figures": (
        "convergence data datasets dual kernels learning margins model multiclass "
        "networks online pocketing recipes rules scale validation values",
        "anywidget ipywidgets matplotlib numpy traitlets",
    ),
}
#: What a student reads, and how many lines of code all of it may have together.
CHAPTERS = ["data", "model", "rules", "learning", "convergence", "pocketing", "kernels", "dual"]
MOST = 640
#: The generators that are the lecture's pseudocode.
ALGORITHMS = {"learning": "corrections", "pocketing": "watch", "dual": "tally"}
HEAVY = ["matplotlib", "ipywidgets", "scipy", "numba", "sklearn", "IPython", "pandas"]
HEAVY += ["dask", "distributed", "pyarrow"]

#: Searching, exact arithmetic, pictures and notebooks may go without examples.
WITHOUT_EXAMPLES = {"native", "exact", "values", "validation", "figures"}


def module(name):
    inner = f"_kit.{name}" if name in KIT else name
    return importlib.import_module(f"perceptron_notes.{inner}")


#: What users import, by name.
LECTURE = [name for name in TABLE if name not in KIT and (PACKAGE / f"{name}.py").exists()]
PUBLIC = {each: getattr(module(name), each) for name in LECTURE for each in module(name).__all__}
#: The types that rules and kernels have.
TYPES = {"Kernel", "Look", "Order", "PickRule"}


# -------------------------------------------------------------------------------- imports


def imports(source):
    """Every module that a source imports anywhere, also inside of its functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, ["perceptron_notes" * (node.level > 0), node.module]))
            for alias in node.names:
                inner = PACKAGE.parent.joinpath(*base.split("."), alias.name)
                within = base == "perceptron_notes" or inner.with_suffix(".py").exists()
                yield f"{base}.{alias.name}" if within else base


def needs(name, *sources):
    """What the sources of a room import: a row of the table of layers."""
    rooms, others = set(), set()
    for imported in (each for source in sources for each in imports(source)):
        first, _, rest = imported.partition(".")
        if first != "perceptron_notes":
            others |= {first} - sys.stdlib_module_names
        elif (room := rest.removeprefix("_kit.").partition(".")[0]) != name:
            rooms.add(room)
    return rooms, others


def row(name):
    return tuple(set(cell.split()) for cell in TABLE[name])


@pytest.mark.parametrize("name", MODULES)
def test_a_room_imports_what_the_table_of_layers_says_and_no_less(name):
    assert name in TABLE, f"{name} has no row in the table of layers"
    sources = [path.read_text(encoding="utf-8") for path in SOURCES[name]]
    assert needs(name, *sources) == row(name)


def test_the_table_has_no_row_without_a_room():
    assert set(TABLE) == set(MODULES)


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
    source = SOURCES["model"][0].read_text(encoding="utf-8")
    found = zip(needs("model", source + line), row("model"), strict=True)
    assert sum(len(needed - allowed) for needed, allowed in found) == 1


def test_a_row_that_allows_what_no_one_imports_is_noticed():
    source = SOURCES["model"][0].read_text(encoding="utf-8")
    without = source.replace("from perceptron_notes._kit.validation import", "from typing import")
    assert needs("model", without)[0] < row("model")[0]


def test_the_table_itself_has_no_circles():
    seen = set()
    while len(seen) < len(TABLE):
        ready = {name for name, (own, _) in TABLE.items() if set(own.split()) <= seen}
        assert ready > seen
        seen = ready


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


def test_the_package_itself_exports_the_words_of_the_lecture_and_few():
    found = exported()
    assert len(found) <= 25
    assert set(found) <= set(PUBLIC) | {"ConvergenceWarning"}


def test_a_star_import_brings_no_modules():
    # Otherwise `data` or `model` in a notebook is a module before it is anything else.
    assert [name for name, value in exported().items() if inspect.ismodule(value)] == []


def test_no_two_modules_export_the_same_name():
    names = [name for each in MODULES if each not in KIT for name in module(each).__all__]
    assert sorted(names) == sorted(set(names))


# --------------------------------------------------------------------------- documentation


def home(name):
    return module(name).__name__


#: What chapters print whole: the docstring is a sentence, so that all fits into a glance.
SHOWN = """
    corrections watch tally looks Demanding survive best_path forward backward canonical_score
""".split()  # noqa: SIM905


def public(name):
    """The functions and classes in a module's `__all__`, but for what chapters print, and types."""
    names = [each for each in module(name).__all__ if each not in {*SHOWN, *TYPES}]
    things = {each: getattr(module(name), each) for each in names}
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
    namespace = {} if name in CHAPTERS else {**PUBLIC, **vars(module(name)), **own, "np": np}
    runner, report = doctest.DocTestRunner(), io.StringIO()
    # What a room only passes on from the modules within it.
    passed_on = [thing for thing in public(name).values() if thing.__module__ != home(name)]
    for each in (module(name), *passed_on):
        for example in doctest.DocTestFinder().find(each, globs=namespace):
            runner.run(example, out=report.write)
    assert runner.failures == 0, report.getvalue()
    assert runner.tries > 0 or name in WITHOUT_EXAMPLES


def test_every_public_name_has_an_example_of_its_own():
    names = PUBLIC.keys() - {*SHOWN, *TYPES}
    lacking = [name for name in names if ">>>" not in (inspect.getdoc(PUBLIC[name]) or "")]
    assert lacking == []


@pytest.mark.slow  # and `make lint` asks both
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
    assert PUBLIC.keys() - {*SHOWN, *TYPES} <= used
    example = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1]
    wanted = [line.split("#")[0].rstrip() for line in example.partition("```")[0].splitlines()]
    lines = {line for line in wanted if line and "import" not in line}
    assert lines <= set(code.splitlines())


def test_a_module_can_be_imported_under_another_name():
    for name in MODULES:  # and is no function, which may have its name
        namespace = {}
        exec(f"import {module(name).__name__} as m", namespace)
        assert inspect.ismodule(namespace["m"]), name


# ---------------------------------------------------------------------------------- size


def logical_lines(source):
    """How many lines of code there are, without docstrings and comments.

    Code counts once however it is wrapped; a table of constants counts by the lines it fills.
    """
    tree = ast.parse(source)
    nodes = [node for node in ast.walk(tree) if "body" in node._fields]
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docstrings = sum(
        isinstance(node, documented) and bool(ast.get_docstring(node)) for node in nodes
    )
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = sum(token.type == tokenize.NEWLINE for token in tokens) - docstrings
    return lines + sum(map(rows, ast.iter_child_nodes(tree)))


def rows(node):
    """How many lines the tables of constants within a node fill, beyond their first."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        names = [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Call)]
        return 0 if names else node.end_lineno - node.lineno
    return sum(map(rows, ast.iter_child_nodes(node)))


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""Words\n\nmore words."""\n\n# a comment\nx = f(\n    1,  # one\n\n)\n\n', 1),
        ('def f():\n    """Words."""\n    return """a\n    b"""\n', 2),
        ("if a:\n    b\nelse:\n    c\n", 4),
        ("x = [\n    (1, 2),\n    (3, 4),\n]\n", 4),
        ("x = [\n    f(1),\n    f(2),\n]\n", 1),
    ],
)
def test_lines_of_code_are_counted_without_words_and_gaps(source, lines):
    assert logical_lines(source) == lines


def test_the_chapters_stay_small():
    counts = {
        name: logical_lines((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
        for name in CHAPTERS
    }
    assert sum(counts.values()) <= MOST, counts


#: The update of a single sample, ``w = w + … y[i] * X[i]``, however the letters are named.
UPDATES = {
    "py": (r"(\w+) (?:\+= |= \1 \+ ).*\by\[[^]]*\] \* .*\bX\[", "learning.py"),
    "js": (
        r"(\w+\[\w+\]) (?:\+= |= \1 \+ ).*\by\[[^]]*\] \* .*\bX\[",
        "figures/explorer/algorithms.js",
    ),
}


@pytest.mark.parametrize("language", UPDATES)
def test_the_update_rule_is_written_once(language):
    rule, home = UPDATES[language]
    files = list(PACKAGE.rglob(f"*.{language}"))
    found = [path for path in files for _ in re.findall(rule, path.read_text(encoding="utf-8"))]
    assert [path.relative_to(PACKAGE).as_posix() for path in found] == [home]


@pytest.mark.parametrize(("name", "function"), ALGORITHMS.items())
def test_an_algorithm_fits_in_one_glance(name, function):
    assert logical_lines(inspect.getsource(getattr(module(name), function))) <= 12
