"""Write reproducible zips: the same files give the same bytes, without times or owners."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

MOMENT = (1980, 1, 1, 0, 0, 0)  # the earliest time in a zip


def pack(files: Mapping[str, str | bytes], out: Path | IO[bytes]) -> None:
    """Write a zip of these files, given by name in the zip, in this order."""
    with zipfile.ZipFile(out, "w") as packed:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, MOMENT)
            info.external_attr = 0o644 << 16
            whole = name == "mimetype"  # the first file of an e-book
            how = zipfile.ZIP_STORED if whole else zipfile.ZIP_DEFLATED
            packed.writestr(info, content, how, 9)
