"""The house itself: what is loaded, named, documented, and run in docstrings."""

import ast
import doctest
import inspect
import io
import re
import sys

import pytest
from house import LECTURE, PACKAGE, ROOT, module, names_in_examples, public_names, run

import perceptron_notes
from perceptron_notes import datasets
from perceptron_notes._kit.recipes import Recipe
from perceptron_notes.rules import NAMED

ROOMS = sorted(path.parent.name for path in PACKAGE.glob("[!_]*/__init__.py"))
MODULES = [*LECTURE, *ROOMS, "_kit.recipes"]
HEAVY = ["matplotlib", "ipywidgets", "scipy", "numba", "sklearn", "IPython", "pandas"]
HEAVY += ["dask", "distributed", "pyarrow"]

#: Searching, exact arithmetic, pictures and notebooks may go without examples.
WITHOUT_EXAMPLES = {"native", "exact", "figures"}


PUBLIC = public_names()
#: The types that rules and kernels have.
TYPES = {"Kernel", "Look", "Order", "PickRule"}


# -------------------------------------------------------------------------------- imports


def test_importing_the_package_and_a_first_data_set_load_nothing_heavy(tmp_path):
    code = (
        "import sys, json; before = set(sys.modules); import perceptron_notes; "
        "perceptron_notes.Dataset([[1, 2]], [1]); "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    loaded = run(sys.executable, code, tmp_path)
    assert {"perceptron_notes", "numpy"} <= set(loaded)
    assert {name.split(".")[0] for name in loaded}.isdisjoint(HEAVY)
    assert {"perceptron_notes.diagnosis", "numpy.ma"}.isdisjoint(loaded)


# ---------------------------------------------------------------------------------- names


def test_the_package_itself_exports_the_words_of_the_lecture_and_few():
    namespace = {}
    exec("from perceptron_notes import *", namespace)
    found = {name: value for name, value in namespace.items() if name != "__builtins__"}
    assert len(found) <= 25
    assert set(found) <= set(PUBLIC) | {"ConvergenceWarning", "diagnose"}
    assert set(found) <= set(dir(perceptron_notes))  # what the tab key offers
    # Otherwise `data` or `model` in a notebook is a module before it is anything else.
    assert not any(map(inspect.ismodule, found.values()))


def test_no_two_modules_export_the_same_name():
    names = [name for each in MODULES for name in module(each).__all__]
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
    """What a caller may pass; nothing for an exception, or a run made of a function's arguments."""
    made = inspect.isclass(thing) and issubclass(thing, (BaseException, Recipe))
    listed = not made or section(thing, "Attributes")
    return list(inspect.signature(thing).parameters) if listed else []


def documented_names(thing):
    """The parameters that a docstring names; those of a class may stand under Attributes."""
    lines, fields = section(thing, "Parameters"), []
    if inspect.isclass(thing) and not lines:
        lines, fields = section(thing, "Attributes"), parameters(thing)
    heads = [line.split(" : ")[0] for line in lines if re.match(r"\S", line)]
    names = [name.strip("* ") for head in heads for name in head.split(",")]
    return [name for name in names if name in fields] if fields else names


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_documented_with_its_types(name):
    """A sentence of its own, all parameters in their order, what is returned, all hints."""
    for thing in public(name).values():
        assert vars(thing).get("__doc__") or inspect.isfunction(thing), thing
        assert (inspect.getdoc(thing) or "").partition("\n")[0].endswith((".", "?")), thing
        assert documented_names(thing) == parameters(thing), thing
        if inspect.isfunction(thing):
            hints = inspect.get_annotations(thing)
            assert set(hints) == {*parameters(thing), "return"}, thing
            returns = section(thing, "Returns") or section(thing, "Yields")
            # The class of the page's own that a function returns has said what it is.
            said = hints["return"] in (
                None,
                "None",
                *vars(sys.modules[thing.__module__]).get("__all__", ()),
            )
            assert returns or said, thing
            assert not returns or hints["return"] not in (None, "None"), thing


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_run(name):
    # What the head of the package says that an example begins with; a picture may show anything.
    begin = PUBLIC if name == "figures" else [*perceptron_notes.__all__, *datasets.__all__]
    before = {each: names_in_examples()[each] for each in [*begin, "np"]}
    namespace = before | {each: getattr(module(name), each) for each in module(name).__all__}
    runner, report = doctest.DocTestRunner(), io.StringIO()
    # What a room only passes on from the modules within it.
    passed_on = [thing for thing in public(name).values() if thing.__module__ != home(name)]
    for each in (module(name), *passed_on):
        for example in doctest.DocTestFinder().find(each, globs=namespace):
            runner.run(example, out=report.write)
    assert runner.failures == 0, report.getvalue()
    assert runner.tries > 0 or name in WITHOUT_EXAMPLES


def test_what_a_user_calls_has_an_example():
    # What a function returns is shown by the example of the function.
    names = [
        name for name in PUBLIC.keys() - {*SHOWN, *TYPES} if section(PUBLIC[name], "Parameters")
    ]
    assert [name for name in names if not section(PUBLIC[name], "Examples")] == []


def test_the_users_code_has_every_public_name_and_the_readmes_example():
    code = (ROOT / "tests" / "user_code.py").read_text(encoding="utf-8")
    tree = ast.parse(code)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert PUBLIC.keys() - {*SHOWN, *TYPES, *NAMED} <= used
    example = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1]
    wanted = [line.split("#")[0].rstrip() for line in example.partition("```")[0].splitlines()]
    lines = {line for line in wanted if line and "import" not in line}
    assert lines <= set(code.splitlines())
