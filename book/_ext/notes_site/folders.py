"""List what is in a folder, without what editors and systems leave there; sum what is in a file."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

#: Folders that Python fills.
MADE = {"__pycache__"}


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, in order.

    Left out is what begins with a dot or `#` (swap files, locks, `.DS_Store`, checkpoints) or ends
    with a tilde (copies of editors), and what is not a file, such as a link to nowhere.
    """
    for file in sorted(folder.rglob("*")):
        parts = file.relative_to(folder).parts
        stray = any(part[0] in ".#" or part[-1] == "~" or part in MADE for part in parts)
        if not stray and file.is_file():
            yield file


def checksum(content: bytes | str) -> str:
    """Return a checksum in sixteen letters, of which the first eight do for a file's name."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:16]
