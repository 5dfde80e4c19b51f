"""Count the lines of each room and print them beside its budget: `make lines`.

All text that is tracked counts, as a newcomer would count it, but tables, pictures, translations,
notebooks and licences. The rooms and their budgets are the table in CONTRIBUTING.md. A room that is
over by more than 2 % and grows fails: what helps is to take something away, and no longer lines.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
UNCOUNTED = {".csv", ".json", ".svg", ".png", ".po", ".ipynb", ".woff2"}
#: A row of the table: `| package | 24,500 | `perceptron_notes` |`; a path after − is left out.
ROW = re.compile(r"^\| ([^|]+?) +\| *([\d,]+) \| (`[^|]*?) *\|$", re.MULTILINE)


def files(*paths: str) -> set[str]:
    """Return the files that git tracks below the paths, which may contain wildcards."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(filter(None, listed.stdout.split("\0")))


def lines(path: str) -> int:
    """Count the lines of a file, or 0 if its kind does not count or it is gone."""
    file = ROOT / path
    left_out = file.suffix in UNCOUNTED or "licen" in path.lower()
    return 0 if left_out or not file.is_file() else file.read_bytes().count(b"\n")


def growth() -> dict[str, int]:
    """Return by how many lines each file has grown since the last commit."""
    changes = subprocess.check_output(["git", "diff", "--numstat", "HEAD"], cwd=ROOT, text=True)
    rows = [line.split("\t") for line in changes.splitlines()]
    return {path: int(more) - int(less) for more, less, path in rows if lines(path)}


def rooms() -> list[tuple[str, int, int, int]]:
    """Return each room's name, its lines, its budget, and by how much it has grown."""
    table = ROW.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    grown, found = growth(), []
    for name, budget, cell in table:
        inside, _, outside = (re.findall(r"`([^`]+)`", part) for part in cell.partition("−"))
        counted = files(*inside) - (files(*outside) if outside else set())
        now, most = sum(map(lines, counted)), int(budget.replace(",", ""))
        found.append((name, now, most, sum(grown.get(path, 0) for path in counted)))
    return found


if __name__ == "__main__":
    failed = False
    for name, now, budget, more in rooms():
        over = f"  {now - budget:,} over: what in it would nobody miss?" if now > budget else ""
        if now > 1.02 * budget and more > 0:
            failed, over = True, f"  {now - budget:,} over, and {more} more since the last commit"
        if over or "--over" not in sys.argv:
            print(f"{name:24}{now:7,} of {budget:6,}{over}")
    sys.exit(failed)
