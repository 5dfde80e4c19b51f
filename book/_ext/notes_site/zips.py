"""Zip files so that the same ones always give the same zip: with nothing of when or by whom."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

MOMENT = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell


def pack(files: Mapping[str, str | bytes], out: Path | IO[bytes]) -> None:
    """Write a zip of these files, by their names in it, in this order."""
    with zipfile.ZipFile(out, "w") as packed:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, MOMENT)
            info.external_attr = 0o644 << 16
            whole = name == "mimetype"  # with which an e-book begins
            how = zipfile.ZIP_STORED if whole else zipfile.ZIP_DEFLATED
            packed.writestr(info, content, how, 9)
