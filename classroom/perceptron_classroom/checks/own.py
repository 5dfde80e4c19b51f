"""A teacher's own checks, from a file beside the master of a problem set."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

from perceptron_classroom.checks.check import Check

__all__ = ["load"]


def load(path: str | Path) -> SimpleNamespace:
    """Run a file that makes checks.

    Parameters
    ----------
    path : str or Path
        A Python file; every `Check` that it binds counts, whatever it calls them.

    Returns
    -------
    SimpleNamespace
        The checks, each under its own name.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it raises, or makes no check, or two of the same name.
    """
    path = Path(path)
    path.read_bytes()
    try:
        space = runpy.run_path(str(path))
    except Exception as error:
        raise ValueError(f"{path.name}: {type(error).__name__}: {error}") from error
    found = [value for value in space.values() if isinstance(value, Check)]
    if not found:
        raise ValueError(f"{path.name} makes no Check; expected one or more")
    names = [check.name for check in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{path.name} makes two checks with the name {name}")
    return SimpleNamespace(**{check.name: check for check in found})
