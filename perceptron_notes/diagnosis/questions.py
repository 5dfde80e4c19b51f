"""Numbers that may not be measurements: names of rows, and codes for missing values.

What cannot be decided is asked in a note, and left unchanged.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from shlex import quote

import numpy as np

from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis.languages import listed, say

#: The last word of a name such as patient_id, PatientID or Unnamed: 0.
_NAMES = re.compile(
    r"(?:.*[^A-Za-z]|.*[a-z](?=[A-Z]))?(?i:ids?|nr|num|number|idx|index|rows?|row_?names?|patient|"
    r"subject|subj|case|record|obs|observation|person|pid|uid|code|key|unnamed: 0)"
)
#: −9, −99, …, 99, 999, …, and the same with the digits 8 and 7.
_CODES = {
    sign * float(d * k) for d in "789" for k in range(1, 8) for sign in (-1, 1) if sign * k != 1
}
#: More different numbers than this are no short scale; if they count as many rows, no accident.
_MANY = 20


def names(columns: Sequence[tuple[str, Array]]) -> list[str]:
    """Return questions about whole numbers that are called like names, or number the rows."""
    asked: list[str] = []
    for name, floats in columns:
        there = floats[~np.isnan(floats)]
        if len(there) < 3 or (there[:9] % 1).any() or (there % 1).any():
            continue
        k, steps = len(np.unique(there)), np.diff(there)
        called = _NAMES.fullmatch(name) and k > min(_MANY, 0.9 * len(there))
        if called or (k >= _MANY and ((steps == 1).all() or (steps == -1).all())):
            asked.append(say("is_name", name=name, k=k, n=len(there), quoted=quote(name)))
    return asked


def codes(columns: Sequence[tuple[str, Array]]) -> list[str]:
    """Return questions about numbers such as −9 and 999 that may stand for a missing value.

    Each occurs at least twice in the table, and outside all other values of its columns: by half
    their range, or as the only negative number, or as a cluster at some distance.
    """
    found, times = defaultdict[int, list[str]](list), Counter[int]()
    for name, floats in columns:
        if not _CODES & {np.nanmin(floats), np.nanmax(floats)}:
            continue
        values, counts = np.unique(floats[~np.isnan(floats)], return_counts=True)
        coded = np.array([value in _CODES for value in values.tolist()])
        if coded.sum() > len(coded) - 2:
            continue
        low, high = values[~coded][[0, -1]]
        heap = (counts > 2) & (counts > counts[values == high])
        far = np.abs(values - (low + high) / 2) > high - low
        far |= ((values < 0) & (low >= 0)) | (heap & (values > high + 0.1 * (high - low)))
        for value, count in zip(values[coded & far], counts[coded & far].tolist(), strict=True):
            found[int(value)].append(name)
            times[int(value)] += count
    return [say("is_missing", code=value, columns=where[:5]) for value, where in found.items()
            if times[value] > 1]  # fmt: skip


def alike(classes: Sequence[object]) -> list[str]:
    """Return questions about classes that differ only in case or spaces."""
    spelt = defaultdict[str, list[str]](list)
    for one in classes:
        spelt[str(one).strip().lower()].append(say("quoted", text=one))
    return [say("spelt_alike", same=listed(same)) for same in spelt.values() if len(same) > 1]
