"""The state of a run as one small file, which is there as a whole or not at all."""

from __future__ import annotations

import os
import zipfile
from typing import Any

import numpy as np

from perceptron_notes._kit.values import Array, frozen

__all__ = ["load", "store"]

#: What the file is, and in which form.
_KIND = "perceptron_notes mixing 1"


def store(path: str, run: Any, epoch: Any) -> None:
    """Write what a run needs to go on after an epoch; the file is replaced as a whole."""
    new = f"{path}.new"  # always the same: what a killed run leaves, the next one takes away
    try:
        with open(new, "wb") as file:
            np.savez(
                file,
                kind=_KIND,
                by=run.by,
                passes=run.passes,
                sizes=run.shards.sizes,
                n=epoch.n,
                t=epoch.t,
                w=epoch.w,
                mistakes=epoch.mistakes,
            )
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException as error:
        if os.path.exists(new):
            os.remove(new)
        if isinstance(error, OSError):  # a full disk does not say where
            said = f"the state could not be written: {error.strerror}"
            raise OSError(error.errno, said, path) from None
        raise


def load(path: str, shards: Any) -> tuple[str, int, int, Array, tuple[int, ...], int]:
    """Read (by, passes, n, w, mistakes, t) of a run on these shards."""
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        known = str(found["kind"]) == _KIND
        by, sizes = str(found["by"]), tuple(found["sizes"].tolist())
        passes, n, t = (int(found[name]) for name in ("passes", "n", "t"))
        mistakes, w = tuple(found["mistakes"].tolist()), frozen(found["w"].astype(np.float64))
    except (KeyError, ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile):
        known = False
    if not known:
        raise ValueError(f"{path} is no state of mixing, or damaged; expected what it has saved")
    if sizes != shards.sizes or w.shape != (shards.d + shards.intercept,):
        raise ValueError(
            f"{path} is about {len(sizes)} shards of {sum(sizes)} samples and {len(w)} weights; "
            f"these are {len(shards)} of {shards.n} and {shards.d + shards.intercept}"
        )
    return by, passes, n, w, mistakes, t
