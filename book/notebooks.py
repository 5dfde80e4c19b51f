"""Execute notebooks and keep only what reads well in a diff.

    python book/notebooks.py book/*.ipynb

A committed notebook holds its text outputs, which the tests compare, and neither images,
widget state nor timings, which change with every run.

If the repository has a public address (`repository: url` in `_config.yml`), a cell that readers of
the site don't see installs the package on Colab, where these notebooks can be opened without it.
"""

import sys
from pathlib import Path

import nbformat
import yaml
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOK_METADATA = {"kernelspec", "language_info", "myst", "mystnb", "perceptron_notes"}
CELL_METADATA = {"tags", "mystnb", "question", "jp-MarkdownHeadingCollapsed"}

CONFIG = Path(__file__).parent.parent / "_config.yml"
COLAB = """\
# Google Colab lends you a machine without this book's package. (Elsewhere this cell does nothing.)
import importlib.util
import sys

if "google.colab" in sys.modules and importlib.util.find_spec("perceptron_notes") is None:
    get_ipython().run_line_magic("pip", "install --quiet {packages}")
"""


def repository() -> dict[str, str]:
    """Return the `repository` setting of the book."""
    settings: dict[str, str] = yaml.safe_load(CONFIG.read_text("utf-8"))["repository"]
    return settings | {"url": settings["url"].rstrip("/").removesuffix(".git")}


def install_on_colab(nb: NotebookNode, url: str, branch: str) -> NotebookNode:
    """Insert the cell for Colab after the title, or remove it: Colab opens GitHub's files only."""
    nb.cells = [cell for cell in nb.cells if cell.get("id") != "colab"]
    if url.startswith("https://github.com/"):
        packages = f"git+{url}@{branch}"
        if any("perceptron_classroom" in cell.source for cell in nb.cells):
            packages += f" git+{url}@{branch}#subdirectory=classroom"
        cell = nbformat.v4.new_code_cell(COLAB.format(packages=packages).rstrip(), id="colab")
        cell.metadata.tags = ["remove-cell"]
        nb.cells.insert(1, cell)
    return nb


def normalise(nb: NotebookNode) -> NotebookNode:
    """Strip in place everything that would clutter a diff."""
    nb.metadata = {k: v for k, v in nb.metadata.items() if k in NOTEBOOK_METADATA}
    nb.metadata["kernelspec"] = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    nb.metadata["language_info"] = {"name": "python"}
    for cell in nb.cells:
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in CELL_METADATA}
        cell.pop("attachments", None)
        for output in cell.get("outputs", []):
            if "data" in output:
                output["data"] = {k: v for k, v in output["data"].items() if k.startswith("text/")}
                output["metadata"] = {}
    return nb


def execute(path: Path) -> NotebookNode:
    """Run a notebook from top to bottom in its own folder, without recording times."""
    nb = install_on_colab(nbformat.read(path, as_version=4), **repository())
    resources = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(
        nb, timeout=300, record_timing=False, coalesce_streams=True, resources=resources
    )
    return client.execute()


def text(nb: NotebookNode) -> str:
    """Return the notebook as JSON, as it is committed."""
    return nbformat.writes(nb, version=4, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        print(f"{path} …", flush=True)
        path.write_text(text(normalise(execute(path))), encoding="utf-8")
