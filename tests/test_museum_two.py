"""The museum's second wing: every bug of part two is caught, and its fixed version passes.

As in the first wing, the functions come from the notebook: a cell with the tags `exhibit` and
`bug-…` defines a bug first, and `fixed` is its fixed version.
"""

import re

import matplotlib as mpl
import nbformat
import numpy as np
from test_museum import BOOK, SEEDS, definitions

NOTEBOOK = BOOK / "museum-two.ipynb"
with mpl.rc_context():
    SPACE, EXHIBITS = definitions(NOTEBOOK)
CATCHERS = {}


def catches(name):
    """Register a catcher: `catcher(program, rng)` lists what it notices, one bool a check."""

    def register(catcher):
        CATCHERS[name] = catcher
        return catcher

    return register


# Averaging --------------------------------------------------------------------------------------


# Margins ----------------------------------------------------------------------------------------


# Many classes -----------------------------------------------------------------------------------


# Networks ---------------------------------------------------------------------------------------


# ------------------------------------------------------------------------------------------------


def test_the_bugs_are_caught_and_the_fixed_versions_pass():
    assert set(CATCHERS) == set(EXHIBITS)
    for name, catcher in CATCHERS.items():
        for seed in SEEDS:
            noticed = catcher(EXHIBITS[name]["bug"], np.random.default_rng(seed))
            assert noticed
            assert all(noticed), f"{name}, seed {seed}: the bug goes unnoticed: {noticed}"
            noticed = catcher(EXHIBITS[name]["fixed"], np.random.default_rng(seed))
            assert not any(noticed), f"{name}, seed {seed}: the fixed version fails: {noticed}"


def test_every_exhibit_has_its_parts():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    sections = re.split(r"^### .+$", prose, flags=re.M)[1:]
    assert len(sections) == len(EXHIBITS)
    for section in sections:
        parts = re.findall(
            r"^\*\*(Symptom|Why it goes unnoticed|What catches it|Fix)\.", section, re.M
        )
        assert parts == ["Symptom", "Why it goes unnoticed", "What catches it", "Fix"]
