"""Forms in which right work comes in, and some in which there is none to be found."""

import copy
import io
import json
import os
import zipfile
from itertools import cycle

import attacks

#: The first three questions of problem set 1.
MASTER = attacks.solved()
STARTS = ["".join(cell["source"])[:6] for cell in MASTER["cells"]]
del MASTER["cells"][STARTS.index("## 1.4") :]


def notebook(*cells, **metadata):
    """A right notebook, with these cells before the others."""
    made = copy.deepcopy(MASTER)
    made["cells"][1:1] = [cell if isinstance(cell, dict) else attacks.cell(cell) for cell in cells]
    made["metadata"].update(metadata)
    return made


def plain(*cells, **metadata):
    return json.dumps(notebook(*cells, **metadata)).encode()


def text(encoding, indent=None):
    made = json.dumps(notebook("# é – ü"), ensure_ascii=False, indent=indent)
    return made.encode(encoding, "replace")


def with_output(*outputs):
    return plain({**attacks.cell("1"), "outputs": list(outputs)})


def changed(change):
    made = notebook()
    change(made)
    return json.dumps(made).encode()


def kernel(name, language):
    spec = {"name": name, "display_name": name, "language": language}
    return plain(kernelspec=spec, language_info={"name": language})


def display(kind, data):
    return {"output_type": "display_data", "metadata": {}, "data": {kind: data}}


def lines_of_windows(made):
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n").splitlines(keepends=True)


#: Right notebooks: each name says what is odd.
RIGHT = {
    "BOM": lambda: text("utf-8-sig"),
    "UTF-16": lambda: text("utf-16"),
    "Windows' letters": lambda: text("cp1252"),
    "lines of Windows in the file": lambda: text("utf-8", indent=1).replace(b"\n", b"\r\n"),
    "lines of Windows in the code": lambda: changed(lines_of_windows),
    "one id for all cells": lambda: changed(lambda n: [c.update(id="a") for c in n["cells"]]),
    "no metadata": lambda: changed(attacks.stripped),
    "no format": lambda: changed(lambda n: [n.pop("nbformat"), n.pop("nbformat_minor")]),
    "blanks around": lambda: b"\n\n " + plain() + b"\n\n",
    "sage": lambda: kernel("sagemath", "sage"),
    "pyodide": lambda: kernel("pyodide", "pyodide"),
    "many values": lambda: with_output(display("application/vnd.plotly.v1+json", [[1]] * 300_000)),
    "a long table": lambda: with_output(display("text/html", "<tr>" * 900_000)),
    "outputs that are none": lambda: with_output(None, 5, {}, {"data": 3}),
    "widgets": lambda: plain(widgets={"state": {str(k): [k] for k in range(200_000)}}),
    "await": lambda: plain(
        "import asyncio\nawait asyncio.sleep(0.01)", "x = await asyncio.sleep(0, 5)"
    ),
    "tasks": lambda: plain(
        "import asyncio\nlater = [asyncio.sleep(0, k) for k in (1, 2)]",
        "assert await asyncio.gather(*later) == [1, 2]",
    ),
    "writefile": lambda: plain(
        "%%writefile h2.py\nx = 1\n", "%%writefile -a h2.py\ny = 2\n", "from h2 import x, y"
    ),
    "tqdm": lambda: plain(
        "from tqdm.auto import tqdm, trange\nassert list(trange(3)) == [0, 1, 2]",
        "with tqdm(total=5) as bar:\n    bar.update(1)\n    bar.set_postfix(x=1)",
    ),
    "magics": lambda: plain("%matplotlib inline\n%load_ext autoreload\n%autoreload 2", "!pip list"),
    "timed, and help": lambda: plain("%%time\nx = 1", "import numpy as np\nnp.sum?"),
    "raw cells": lambda: changed(
        lambda n: n["cells"].append({"cell_type": "raw", "metadata": {}, "source": "x"})
    ),
    "draws much": lambda: plain(
        "import matplotlib.pyplot as plt\nfor k in range(3):\n    plt.plot([k])\n    plt.show()"
    ),
}
#: What nobody but a person can judge.
NONE = {
    "empty": lambda: b"",
    "a page to log in": lambda: b"\n<!DOCTYPE html><html><body>Log in</body></html>",
    "a PDF": lambda: b"%PDF-1.7\n",
    "half a file": lambda: plain()[:900],
    "format 3": lambda: b'{"nbformat": 3, "worksheets": [{"cells": []}]}',
    "deep": lambda: b"[" * 100_000,
    "no zip": lambda: b"PK\3\4 and nothing more",
    "an empty zip": lambda: zipped({"notes.pdf": b"%PDF"}),
}


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for k, (name, inside) in enumerate(files.items()):
            file.writestr(zipfile.ZipInfo(name, (2026, 11, 1, 10, k % 60, 0)), inside)
    return data.getvalue()


BLANK = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
#: Folders and, in turn, zips of right work: by what is odd, files.
FOLDERS = {
    "deep in a folder": {"my work/week 1/ps1.ipynb": 1},
    "deep in a zip": {"my work/week 1/ps1.ipynb": 1},
    "a checkpoint": {"ps1.ipynb": 1, ".ipynb_checkpoints/ps1-checkpoint.ipynb": 0},
    "a second download": {"ps1.ipynb": 0, "ps1 (1).ipynb": 1},
    "final": {"ps1 final.ipynb": 0, "ps1 final final.ipynb": 1},
    "a Mac's folder": {"ps1.ipynb": 1, "__MACOSX/._ps1.ipynb": b"x", ".DS_Store": b"x"},
    "pictures and notes": {"ps1.ipynb": 1, "me.png": b"x", "notes.txt": b"x", "ps1.pdf": b"%PDF"},
    "another set": {"ps1.ipynb": 1, "ps2.ipynb": 0},
    "a zip in a zip": {"mine/ps1.zip": zipped({"x/ps1.ipynb": plain()})},
}


def names(student, ending=".ipynb"):
    """How platforms and people name a file."""
    return [
        f"smith_{student}_778{student}_ps1{ending}",
        f"smith_LATE_{student}_778{student}_ps1-1 (2){ending}",
        f"Ann Smith_{student}_assignsubmission_file_my work{ending}",
        f"{student}{ending}",
        f"ps1_{student}{ending}",
    ]


def write(folder):
    """Write all into a folder; whether the work of each student can be read, and what is odd."""
    students, turn = {}, cycle(range(5))

    def new(what, right):
        student = str(10_000 + len(students))
        students[student] = (right, what)
        return student

    for right, forms in ((True, RIGHT), (False, NONE)):
        for what, make in forms.items():
            student = new(what, right)
            (folder / names(student)[next(turn)]).write_bytes(make())
    for k, (what, files) in enumerate(FOLDERS.items()):
        files = {
            name: plain() if inside == 1 else BLANK if inside == 0 else inside
            for name, inside in files.items()
        }
        student = new(what, True)
        if k % 2:
            (folder / names(student, ".zip")[next(turn)]).write_bytes(zipped(files))
            continue
        home = folder / names(student, "")[next(turn)]
        for second, (path, inside) in enumerate(files.items()):
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(inside)
            os.utime(home / path, (60 * second, 60 * second))
    student = new("a zip in a folder", True)
    (folder / student).mkdir()
    (folder / student / "ps1.zip").write_bytes(zipped({"x/ps1.ipynb": plain()}))
    (folder / f"smith_{new('.IPYNB', True)}_1_ps1.IPYNB").write_bytes(plain())
    return students
