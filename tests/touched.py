"""Say which tests an edit may break at once: those of the files that differ from the last commit.

    python tests/touched.py        # paths for pytest, on one line

The tests of a file have its name, or else the name of the folder that it lies in: `online.py` has
`test_online.py`, all of `scale/` has `test_scale_….py`. A notebook is compared with what it prints.
"""

import subprocess
from pathlib import Path, PurePath

ROOT = Path(__file__).parent.parent
#: Where the tests of each top folder lie.
HOMES = {"classroom": ["classroom/tests"], "book": ["tests/book"]}
#: Where a folder's tests have other names.
TOPICS = {
    "_kit": ["data", "model", "recipes"],
    "exact": ["convergence", "cone"],
    "native": ["native", "loops"],
    "notes_live": ["live"],
    "palette": ["ext", "figures"],
    "rules": ["learning", "dual", "recipes"],
    "locale": ["editions"],
    "notes_site": ["ext"],
    "words": ["editions"],
    "inside": ["calls", "sandbox"],
}
#: For what belongs to no room: the house itself.
HOUSE = ["package", "dependencies"]


def changed() -> list[PurePath]:
    """List the files that differ from the last commit; new ones too, but none that is gone."""
    commands = ["git diff --name-only -z HEAD", "git ls-files --others --exclude-standard -z"]
    names = [
        name
        for command in commands
        for name in subprocess.check_output(command.split(), cwd=ROOT, text=True).split("\0")
    ]
    return [PurePath(name) for name in names if name and (ROOT / name).is_file()]


def about(topic: str, *homes: str) -> list[Path]:
    """Find the files of tests on a topic."""
    return [found for home in homes for found in ROOT.glob(f"{home}/test_{topic}*.py")]


def tests_of(path: PurePath) -> list[Path]:
    """Find the tests of a file, by its own name, then by its folders' names from the inside."""
    if path.suffix == ".ipynb" or path.name.startswith("test_"):
        return [ROOT / path]
    homes = HOMES.get(path.parts[0], ["tests", "tests/book"])
    for name in (path.stem, *reversed(path.parts[:-1])):
        topics = TOPICS.get(name, [name.strip("_")])
        if found := [test for topic in topics for test in about(topic, *homes)]:
            return found
    return [test for topic in HOUSE for test in about(topic, "tests")]


if __name__ == "__main__":
    tests = {test.relative_to(ROOT).as_posix() for path in changed() for test in tests_of(path)}
    if any(path.suffix == ".ipynb" for path in changed()):
        tests.add("tests/book/test_notebooks.py")
    print(*sorted(tests or {f"tests/test_{topic}.py" for topic in HOUSE}))
