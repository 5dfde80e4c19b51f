"""Where the package lies, and how another interpreter tells what it found."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "perceptron_notes"


def run(python, code, cwd):
    """What the code prints as JSON, run by another interpreter in another folder."""
    done = subprocess.run([python, "-c", code], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
