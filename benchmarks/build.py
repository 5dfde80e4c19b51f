"""Time the book: a cold build with all notebooks executed, and a rebuild after a prose edit.

    make bench

It works in a copy of the checkout, so nothing here changes. The packages are installed
already; what is timed is what a writer waits for.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIMITS = {"cold build": 60, "after a prose edit": 10}


def build(folder: Path) -> float:
    """Seconds that one build takes."""
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", ".", "-W", "-n"]
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Build twice and print a table."""
    with tempfile.TemporaryDirectory() as scratch:
        book = Path(scratch) / "book"
        unwanted = shutil.ignore_patterns("_build", ".venv", ".git", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, book, ignore=unwanted)
        seconds = {"cold build": build(book)}
        chapter = book / "book" / "2-pla.ipynb"
        text = chapter.read_text(encoding="utf-8")
        chapter.write_text(text.replace("# The perceptron", "# The (edited) perceptron", 1))
        seconds["after a prose edit"] = build(book)
    for what, took in seconds.items():
        print(f"{what:20} {took:6.1f} s   (at most {LIMITS[what]} s)")


if __name__ == "__main__":
    main()
