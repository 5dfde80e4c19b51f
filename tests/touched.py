"""Say which tests an edit may break at once: `make check` runs them.

    python tests/touched.py              # of what differs from the last commit: paths for pytest
    python tests/touched.py FILE …       # of these files

Of a module they are the tests that import it or one of its direct importers, as the import graph
has it, and the test that is called like it; if there are none, those of its importers' importers,
and so on. What is imported from `perceptron_notes` itself counts for the module where it stands. A
file that is no Python has a row in `KINDS`. Files that nothing is known of are named.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path, PurePath

import grimp
from house import ROOT, imported

PACKAGES = {
    "perceptron_notes": ROOT,
    "perceptron_classroom": ROOT / "classroom",
    "notes_site": ROOT / "book/_ext",
    "notes_live": ROOT / "book/_ext",
}
#: For a file that no test imports the first row that fits: a pattern, and files of tests.
KINDS = [
    ("*.ipynb", "{path} tests/book/test_notebooks.py tests/book/test_numbers.py"),
    ("perceptron_notes/native/*", "tests/native"),
    ("perceptron_notes/formal/*", "tests/formal"),
    ("perceptron_notes/figures/explorer/*", "tests/figures/explorer tests/test_scripts.py"),
    ("perceptron_notes/figures/scenes/*", "tests/figures/scenes tests/test_scripts.py"),
    ("perceptron_notes/figures/*", "tests/figures"),
    ("perceptron_notes/*.csv", "tests/test_data.py"),
    ("perceptron_notes/*", "tests/test_package.py tests/test_wheel.py"),
    ("classroom/tests/*", "classroom/tests"),
    ("classroom/README.md", "tests/test_front.py"),
    ("classroom/*.toml", "tests/test_dependencies.py tests/test_release.py"),
    ("classroom/*", "classroom/tests/test_house.py classroom/tests/test_setup.py"),
    ("book/_ext/*/live/*", "tests/test_scripts.py tests/book/test_live.py"),
    ("book/_ext/*/scripts/*", "tests/test_scripts.py tests/book/test_manners.py"),
    ("book/_ext/*", "tests/book/test_ext.py tests/book/test_head.py"),
    ("book/_assets/*", "tests/book/test_look.py tests/book/test_access.py"),
    ("book/locale/*", "tests/book/test_editions.py tests/book/test_numbers.py"),
    ("book/errata.csv", "tests/book/test_site.py"),
    ("book/*.csv", "tests/test_museum.py"),
    ("book/*.css", "tests/book/test_pdf.py tests/book/test_epub.py tests/book/test_slides.py"),
    ("book/*", "tests/book/test_site.py tests/book/test_editions.py"),
    ("_*.yml", "tests/book/test_site.py tests/book/test_head.py"),
    ("benchmarks/*.txt", "tests/test_dependencies.py"),
    ("benchmarks/*", "tests/test_benchmarks.py"),
    ("tests/js/*", "tests/test_scripts.py"),
    ("tests/ace/*", "tests/book/test_epub.py"),
    ("tests/figures/scenes/*", "tests/figures/scenes"),
    ("tests/*.txt", "tests/test_dependencies.py"),
    ("tests/user_code.py", "tests/test_package.py"),
    ("tests/wasm.mjs", "tests/book/test_machines.py"),
    (".binder/*", "tests/book/test_head.py"),
    (".*/*", "tests/test_front.py tests/test_release.py"),
    ("requirements*.txt", "tests/test_dependencies.py"),
    ("pyproject.toml", "tests/test_dependencies.py tests/test_release.py"),
    ("setup.py", "tests/test_wheel.py"),
    ("Makefile", "tests/test_front.py tests/test_dependencies.py tests/test_release.py"),
    ("paper/*", "tests/test_front.py"),
    ("*.md", "tests/test_front.py"),
    ("[!a-z]*", "tests/test_front.py"),
]


def changed() -> list[str]:
    """List the files that differ from the last commit; new ones too, but none that is gone."""
    commands = ["git diff --name-only -z HEAD", "git ls-files --others --exclude-standard -z"]
    names = [
        name
        for command in commands
        for name in subprocess.check_output(command.split(), cwd=ROOT, text=True).split("\0")
    ]
    return [name for name in names if name and (ROOT / name).is_file()]


def is_test(path: PurePath) -> bool:
    """Whether pytest collects a file."""
    return path.name.startswith("test_") and path.suffix == ".py"


def name_of(path: PurePath) -> str:
    """Return by which name a file is imported."""
    parts = path.with_suffix("").parts
    start = next((k for k, part in enumerate(parts) if part in PACKAGES), len(parts) - 1)
    return ".".join(parts[start:]).removesuffix(".__init__")


@cache
def graph() -> grimp.ImportGraph:
    """Return which module of the packages imports which."""
    sys.path += map(str, PACKAGES.values())
    return grimp.build_graph(*PACKAGES, cache_dir=None)


@cache
def face() -> dict[str, str]:
    """Return in which module each name of the package itself stands, by dotted names."""
    tree = ast.parse((ROOT / "perceptron_notes/__init__.py").read_text("utf-8"))
    from_where = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {
        f"perceptron_notes.{one.name}": str(node.module)
        for node in from_where
        for one in node.names
    }


def needed(path: Path) -> set[str]:
    """Return what a file imports, or calls by name as the builder of the site does."""
    names = set(imported(path))
    names |= {face()[name] for name in names & face().keys()}
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    texts = {node.value for node in tree if isinstance(node, ast.Constant)}
    called = {name for text in texts for name in (text, f"notes_site.{text}")}
    return names | called & graph().modules - PACKAGES.keys()


@cache
def outside() -> dict[Path, set[str]]:
    """Return what each Python file that is in no package imports."""
    folders = ["book", "benchmarks", "tests", "tests/**", "classroom/tests"]
    files = {path for folder in folders for path in ROOT.glob(f"{folder}/*.py")}
    return {path: needed(path) for path in files}


def importers(names: set[str]) -> set[str]:
    """Return the modules, scripts and helpers that import one of some others."""
    modules = names & graph().modules
    found = {one for name in modules for one in graph().find_modules_that_directly_import(name)}
    scripts = {path for path, what in outside().items() if what & names and not is_test(path)}
    return found - PACKAGES.keys() | {path.stem for path in scripts}


def tests_of(path: PurePath) -> set[str]:
    """Find the tests of a file, as paths from the root; nothing if nothing is known."""
    if is_test(path):
        return {path.as_posix()}
    if path.name == "conftest.py":
        return {path.parent.as_posix()} if path.parent.name else {"tests", "classroom/tests"}
    if path.suffix == ".py" and (found := by_imports(path)):
        return {test for test in found if is_at_home(test, path)} or found
    fitting = [tests for pattern, tests in KINDS if fits(path, pattern)]
    return set(fitting[0].format(path=path).split()) if fitting else set()


def by_imports(path: PurePath) -> set[str]:
    """Find the tests that import a file or one of its importers, and the one called like it."""
    homes = ["classroom/tests"] if path.parts[0] == "classroom" else ["tests", "tests/**"]
    alike = f"test_{path.stem.strip('_')}.py"
    called = {test for home in homes for test in ROOT.glob(f"{home}/{alike}")}
    near, seen = {name_of(path)}, set[str]()
    while near > seen:
        seen, near = near, near | importers(near)
        tests = {test for test, what in outside().items() if is_test(test) and what & near} | called
        if tests:
            return {test.relative_to(ROOT).as_posix() for test in tests}
    return set()


def is_at_home(test: str, path: PurePath) -> bool:
    """Whether a test belongs to the part that a module is of: `make test` asks the others too.

    Pages in a browser are asked about what draws them, and the classroom about itself.
    """
    if path.parts[0] != "perceptron_notes":
        return True
    drawn = test.startswith(("tests/book", "tests/figures/explorer", "tests/figures/scenes"))
    return not test.startswith("classroom") and (not drawn or "figures" in path.parts)


def fits(path: PurePath, pattern: str) -> bool:
    """Whether a pattern names a file, or a folder that it lies in."""
    return any(one.match(pattern) for one in (path, *path.parents))


if __name__ == "__main__":
    tests, unknown = set[str](), []
    for name in sys.argv[1:] or changed():
        found = tests_of(PurePath(name))
        tests |= found
        unknown += [name] if not found else []
    if unknown:
        print("No test is known for", *unknown, file=sys.stderr)
    print(*sorted(tests))
