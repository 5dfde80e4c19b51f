"""Runs that others have published: their tables, counts and weights come out of the package.

Where only the counts are published and not the order of the samples, the order used here is one
that gives these counts; it was found by trying random ones.
"""

import numpy as np
import pytest

from perceptron_notes import Dataset, pla, record
from perceptron_notes.dual import weights

FIVE_AND_FIVE = [-1] * 5 + [1] * 5


def in_order(data, order):
    return Dataset(data.points[order], data.y[order], data.intercept)


def counts_by(order, alpha):
    """The tally of samples that were put in an order, in their own order again."""
    tally = np.empty(len(order), dtype=int)
    tally[order] = alpha
    return tally.tolist()


def test_a_midterm_with_a_line():
    """MITx 6.86x, Machine Learning with Python, midterm 1, "Linear classification".

    The table says how often each point is corrected until convergence; asked for are θ₀ and θ.
    """
    points = [(0, 0), (2, 0), (3, 0), (0, 2), (2, 2), (5, 1), (5, 2), (2, 4), (4, 4), (5, 5)]
    data = Dataset(points, FIVE_AND_FIVE)
    order = [0, 9, 3, 6, 1, 8, 2, 7, 4, 5]
    trace = record(pla(in_order(data, order)))
    counts = counts_by(order, np.bincount(trace.picks, minlength=10))
    assert counts == [1, 9, 10, 5, 9, 11, 0, 3, 1, 1]
    assert trace.converged
    assert trace.w.tolist() == weights(counts, data).tolist() == [-18, 4, 4]


@pytest.mark.parametrize(
    ("last_coordinate", "order", "progress"),
    [
        (1.5, [0, 1, 2], [[-1, -1], [-2, 0.5]]),
        (1.5, [1, 2, 0], [[-1, 0]]),
        (10, [0, 1, 2], [[-1, -1], [-2, 9], [-3, 8], [-4, 7], [-5, 6], [-6, 5]]),
        (10, [1, 2, 0], [[-1, 0]]),
    ],
)
def test_a_homework_through_the_origin(last_coordinate, order, progress):
    """MIT 6.036, homework 1, and MITx 6.86x after it, "Perceptron mistakes".

    Three points, through the origin, in turn from the first or from the second one: how many
    mistakes, and which θ after each? Asked again with the third point further away.
    """
    data = Dataset([[-1, -1], [1, 0], [-1, last_coordinate]], [1, -1, 1], intercept=False)
    trace = record(pla(in_order(data, order)))
    assert trace.converged
    assert trace.W[1:].tolist() == progress
