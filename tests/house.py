"""Where the package lies, and how another interpreter tells what it found."""

import ast
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "perceptron_notes"


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
