"""Where the package lies, what is public in it, and how another interpreter is asked."""

import ast
import importlib
import json
import subprocess
from pathlib import Path

import numpy as np

import perceptron_notes

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "perceptron_notes"
#: The modules of the lecture.
LECTURE = [path.stem for path in sorted(PACKAGE.glob("[!_]*.py"))]


def module(name):
    return importlib.import_module(f"perceptron_notes.{name}")


def public_names():
    """All that users import from the modules of the lecture, by name."""
    return {each: getattr(module(name), each) for name in LECTURE for each in module(name).__all__}


def names_in_examples():
    """What the examples in docstrings may use."""
    top = {name: getattr(perceptron_notes, name) for name in perceptron_notes.__all__}
    return public_names() | top | {"np": np}


def imported(path):
    """The modules that a file imports anywhere, and what it takes from them, by dotted names."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports(path, home=ROOT):
    """Every module that a file imports anywhere; `home` is where our own packages lie."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports by a relative name"
            for alias in node.names:
                inner = home.joinpath(*node.module.split("."), alias.name)
                within = inner.is_dir() or inner.with_suffix(".py").exists()
                yield f"{node.module}.{alias.name}" if within else node.module


def run(python, code, cwd):
    """What the code prints as JSON, run by another interpreter in another folder."""
    done = subprocess.run([python, "-c", code], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
