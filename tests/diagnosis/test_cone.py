"""The directions along which no score falls, beside an exact simplex method."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import oracle
import pytest
from strategies import small_table

from perceptron_notes.diagnosis.cone import Limits, partition, proves, raised
from perceptron_notes.diagnosis.decimals import together, typed
from perceptron_notes.exact.numbers import objects


def silent(sentence):
    pass


# ------------------------------------------------------------------------- beside the oracle


def proves_limit(j, limit, found, Z):
    """Check the claims about coefficient j, in whole numbers, given a partition that `proves`."""
    N, free = found.still, any(found.relations[j])
    if free or limit.state == "not identified":
        return free and limit.state == "not identified"
    if not N[j].any() or limit.state == "finite":
        return not N[j].any() and limit.state == "finite"
    exact = [[Fraction(a) for a in z] for z in Z.tolist()]
    if limit.state == "undetermined":
        up, down = limit.directions
        scores = [sum(a * b for a, b in zip(z, w, strict=True)) for z in exact for w in (up, down)]
        return up[j] > 0 > down[j] and min(scores) >= 0
    parts = [[r * a for a in exact[row]] for row, r in limit.multipliers]
    total = list(map(sum, zip(*parts, strict=True)))
    sums = [sum(a * b for a, b in zip(total, v, strict=True)) for v in N.T.tolist()]
    sign, (rows, r) = int(f"{limit.state[0]}1"), zip(*limit.multipliers, strict=True)
    return (
        set(rows) <= {*found.separated.tolist()} and min(r) > 0 and sums == (sign * N[j]).tolist()
    )


@pytest.mark.parametrize("seed", range(4))
def test_partition_and_coefficients_equal_the_oracles(seed):
    check(np.random.default_rng(seed), 60)


@pytest.mark.slow
def test_many_sets_equal_the_oracles():
    seen = check(np.random.default_rng(100), 2000)
    assert min(seen.values()) > 50  # every state, many times


def check(rng, sets):
    seen = Counter()
    for k in range(sets):
        X, y = small_table(rng, ("small", "dummies")[k % 2])
        rows = y[:, None] * (np.column_stack([np.ones(len(X), int), X]) if k % 4 else X)
        exact = oracle.whole(rows.tolist())
        truth = oracle.partition(exact)
        states = oracle.limits(exact, truth)
        Z = rows * np.exp2(rng.integers(-30, 31, rows.shape[1]))  # units change no sign
        if rng.random() < 0.3:  # nor do they in whole numbers beyond float64
            Z = rows.astype(object) * objects([3 ** int(k) for k in rng.integers(0, 60, len(Z.T))])
        found = partition(Z, silent)
        assert found.separated.tolist() == np.flatnonzero(truth[0]).tolist(), rows.tolist()
        assert proves(found, Z)
        limits = Limits(found, Z)
        answers = [limits.of(j, silent) for j in range(Z.shape[1])]
        assert [answer.state for answer in answers] == states, rows.tolist()
        assert all(proves_limit(j, answer, found, Z) for j, answer in enumerate(answers))
        seen.update(states)
    return seen


def separated(Z):
    """The rows that the oracle separates."""
    return np.flatnonzero(oracle.partition(oracle.whole(Z.tolist()))[0]).tolist()


def test_long_numbers_are_decided_without_rounding():
    # Two columns that differ in the last bit: a direction exists, with numbers of 60 digits.
    tiny = 2.0**-52
    Z = np.array([[1, 1, 1 + tiny], [-1, -1, -1], [1, 0, 3e-20], [-1, 0, -2e-20]])
    found = partition(Z, silent)
    assert proves(found, Z)
    assert found.separated.tolist() == separated(Z)


# --------------------------------------------------------------------- what a proof must hold


QUASI = np.array([[1.0, 1, 0], [-1, -2, 0], [-1, -1, 0], [1, 2, 0], [1, 0, 1], [1, 5, 1]])


def test_a_changed_partition_proves_nothing():
    found = partition(QUASI, silent)
    assert proves(found, QUASI)
    assert found.separated.tolist() == [4, 5]
    for change in (
        {"separated": np.array([4])},
        {"separated": np.array([3, 4, 5])},
        {"direction": (0, 0, -1)},
        {"direction": (0, 1, 1)},
        {"direction": None},
        {"samples": found.samples[:-1]},
        {"multipliers": tuple(-q for q in found.multipliers)},
        {"multipliers": (found.multipliers[0] * 2, *found.multipliers[1:])},
        {"still": found.still[:, :0]},
        {"still": found.still[[1, 2, 0]]},
    ):
        assert not proves(replace(found, **change), QUASI), change
    other = QUASI.copy()
    other[0, 1] = 1.5
    assert not proves(found, other)


def test_raised_rows_are_told_exactly():
    Z = np.array([[1.0, 1 + 2**-52], [1, 1], [1, 1 - 2**-53]])
    assert raised(Z, [-(2**60), 2**60]).tolist() == [True, False, False]


# --------------------------------------------------------------------------- typed decimals


def whole(columns):
    """The columns in whole numbers, with a leading 1."""
    return together([np.ones(len(columns[0])), *(typed(np.array(c))[0] for c in columns)])


def test_numbers_are_read_as_they_were_typed():
    for column, numbers, unit in (
        ([0.6, 0.1, 0.3], [6, 1, 3], Fraction(1, 10)),
        ([150.0, 2.25, 1e6], [15000, 225, 10**8], Fraction(1, 100)),
        ([0.1 + 0.2, 20.1], [30000000000000004, 201 * 10**16], Fraction(1, 10**17)),
        ([1e30, 1e-30], [10**60, 1], Fraction(1, 10**30)),
        ([Fraction(1, 3), Fraction(1, 7), 2], [7, 3, 42], Fraction(1, 21)),
        ([Decimal("1e-25"), Decimal(3)], [1, 3 * 10**25], Fraction(1, 10**25)),
        ([2**60 + 1, 3], [2**60 + 1, 3], 1),
    ):
        exact = not all(isinstance(a, float) for a in column)
        found, measure = typed(objects(column) if exact else np.array(column))
        assert [Fraction(a) * measure for a in found] == [b * unit for b in numbers]
    assert typed(np.array([1e-300, 1e-10])) is None
    assert typed(objects([Decimal("1e-999999999"), Decimal(1)])) is None


def test_one_long_number_changes_no_other():
    # 0.6 + 0.1 + 0.3 is 1 for the decimals, not for floats: the columns are collinear.
    shares = [[0.6, 0.2, 0.1, 0.7, 0], [0.1, 0.5, 0.8, 0.1, 2.2e-16], [0.3, 0.3, 0.1, 0.2, 1]]
    ones = np.ones(4)
    assert partition(np.column_stack([ones, *np.array(shares)[:, :4]]), silent).relations.size == 0
    assert partition(whole([c[:4] for c in shares]), silent).relations.shape[1] == 1
    Z = np.array([1, -1, 1, -1, 1])[:, None] * whole(shares)
    assert Z.dtype == object
    found = partition(Z, silent)
    assert proves(found, Z)
    assert found.separated.tolist() == separated(Z)
