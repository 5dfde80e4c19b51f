"""List what is in a folder, without what editors and systems leave there; sum what is in a file."""

import hashlib
from collections.abc import Iterator
from pathlib import Path


def stray(name: str) -> bool:
    """Return whether editors or systems leave it: swap files, locks, `.DS_Store`, checkpoints."""
    return name[0] in ".#" or name[-1] == "~" or name == "__pycache__"


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, in order, but no strays and no links to nowhere."""
    for file in sorted(folder.rglob("*")):
        if not any(map(stray, file.relative_to(folder).parts)) and file.is_file():
            yield file


def checksum(content: bytes | str) -> str:
    """Return a checksum in sixteen letters, of which the first eight do for a file's name."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:16]
