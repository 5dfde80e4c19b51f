"""The programs of chapter 4: the best line in the plane, and a packing of obstructions.

The functions come from the notebook itself.
"""

import ast
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import nbformat
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import datasets, labels, some

from perceptron_notes import Dataset, error_count, separate
from perceptron_notes.convergence import Separator
from perceptron_notes.datasets import xor

NOTEBOOK = Path(__file__).parent.parent / "book" / "4-pocket.ipynb"
#: Units in which whole numbers stay whole, are rounded, are fractions, or overflow when multiplied.
UNITS = (1.0, 0.1, 1 / 3, 2.0**-12, 1e9)


def programs(*names):
    """Functions of the chapter, by their names."""
    space = {
        "Dataset": Dataset,
        "Fraction": Fraction,
        "Separator": Separator,
        "combinations": combinations,
        "np": np,
        "separate": separate,
    }
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            found = [
                node
                for node in ast.parse(cell.source).body
                if isinstance(node, ast.FunctionDef) and node.name in names
            ]
            exec(compile(ast.Module(found, []), NOTEBOOK.name, "exec"), space)
    return [space[name] for name in names]


_, best_in_plane, packing = programs("cross", "best_in_plane", "packing")


def fewest(data):
    """The fewest mistakes, from all labellings: how far the nearest separable one is."""
    return min(
        sum(a != b for a, b in zip(y, data.y.tolist(), strict=True))
        for y in product((-1, 1), repeat=data.n)
        if isinstance(separate(Dataset(data.points, y)), Separator)
    )


@st.composite
def planes(draw, max_n=5):
    """Few points of a small grid, so that lines through three or more are common."""
    n = draw(st.integers(2, max_n))
    points = draw(arrays(np.float64, (n, 2), elements=st.integers(0, 3).map(float)))
    return Dataset(draw(st.sampled_from(UNITS)) * points, draw(labels(n)))


def at_one_point(data):
    return len(np.unique(data.points, axis=0)) == 1


@settings(max_examples=some(50))
@given(data=planes().filter(lambda data: not at_one_point(data)))
def test_the_best_line_makes_the_fewest_mistakes_in_whatever_unit(data):
    errors, w, tried = best_in_plane(data)
    assert errors == fewest(data)
    X = [[Fraction(v) for v in x] for x in data.X.tolist()]
    scores = [sum(Fraction(int(a)) * b for a, b in zip(w, x, strict=True)) for x in X]
    assert sum(y * s <= 0 for y, s in zip(data.y.tolist(), scores, strict=True)) == errors
    assert 2 <= tried <= data.n * (data.n - 1)


@pytest.mark.parametrize("points", [[[1, 2], [1, 2]], [[1, 2, 3], [3, 2, 1]]])
def test_the_best_line_refuses_one_point_and_what_is_no_plane(points):
    with pytest.raises(ValueError, match="expected two or more points in the plane"):
        best_in_plane(Dataset(points, [1, -1]))


@settings(max_examples=some(50))
@given(data=datasets(max_n=5), chance=st.integers(0, 9))
def test_a_packing_bounds_the_fewest_mistakes_from_both_sides(data, chance):
    order = np.random.default_rng(chance).permutation(data.n)
    found, w = packing(data, order)
    assert found <= fewest(data) <= error_count(w, data) <= (data.d + 2) * found


def test_a_packing_may_use_up_all_samples():
    found, w = packing(xor(), range(4))
    assert found == 1
    assert error_count(w, xor()) == 4
