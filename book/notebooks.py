"""Execute notebooks and keep only what reads well in a diff.

    python book/notebooks.py book/*.ipynb

A committed notebook holds its text outputs, which the tests compare, and neither images,
widget state nor timings, which change with every run.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOK_METADATA = {"kernelspec", "language_info", "myst", "mystnb", "perceptron_notes"}
CELL_METADATA = {"tags", "mystnb", "question", "jupyter", "jp-MarkdownHeadingCollapsed"}


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
    nb = nbformat.read(path, as_version=4)
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
