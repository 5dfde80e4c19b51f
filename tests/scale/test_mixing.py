"""Parameter mixing: McDonald's theorems in whole numbers, and the same bits."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from sharded import written
from strategies import TENTHS, datasets, some

from perceptron_notes import Dataset, certify, last, pla, separate
from perceptron_notes.convergence import Obstruction, Separator
from perceptron_notes.datasets import halfspaces, xor
from perceptron_notes.scale import Epoch, Shards, mixable, mixing, mixing_ledger
from perceptron_notes.scale.mixing import _in_shares, _learn

#: One-shot averaging fails on it, with two shards and whatever shares.
FAILS = Dataset([[-2, 3], [1, -2], [1, 3], [3, 3]], [-1, -1, -1, 1])


def separable(rng, n, d, top=3):
    """Samples of whole numbers and whole weights that separate them; None if a draw fails."""
    X = [[1, *(rng.randint(-top, top) for _ in range(d))] for _ in range(n)]
    u = [rng.randint(-top, top) for _ in range(d + 1)]
    scores = [sum(a * b for a, b in zip(u, x, strict=True)) for x in X]
    if not all(scores):
        return None
    return X, [1 if s > 0 else -1 for s in scores], u, min(map(abs, scores))


def pass_of(w, X, y, unit):
    """One pass of PLA over integer samples, the weights as multiples of a unit; its mistakes."""
    k = 0
    for x, label in zip(X, y, strict=True):
        if label * sum(a * b for a, b in zip(w, x, strict=True)) <= 0:
            w, k = [a + label * unit * b for a, b in zip(w, x, strict=True)], k + 1
    return w, k


def by_hand(X, y, S, by):
    """Every epoch of parameter mixing as whole numbers over a common unit, and its mixture."""
    n, w, unit = len(y), [0] * len(X[0]), 1
    cuts = [k * n // S for k in range(S + 1)]
    while True:
        found = [pass_of(w, X[a:b], y[a:b], unit) for a, b in pairwise(cuts)]
        counts = [k for _, k in found]
        parts = counts if by == "mistakes" and any(counts) else [1] * S
        if any(counts):  # nothing to mix otherwise
            w = [
                sum(p * v[j] for p, (v, _) in zip(parts, found, strict=True)) for j in range(len(w))
            ]
            unit *= sum(parts)
        yield w, unit, counts, [Fraction(p, sum(parts)) for p in parts]
        if not any(counts):
            return


# ------------------------------------------------------------------------------ theorem 3


@pytest.mark.parametrize("by", ["uniform", "mistakes"])
@pytest.mark.parametrize("S", [1, 2, 4, 8])
def test_epochs_are_those_of_whole_numbers(by, S):
    rng, done = random.Random(S), 0
    while done < some(30):
        drawn = separable(rng, rng.randint(S, 12), 2)
        if drawn is None:
            continue
        done += 1
        X, y, _, _ = drawn
        data = Dataset([x[1:] for x in X], y)
        epochs = list(mixing(Shards.split(data, S), by))
        if by == "uniform":  # S is a power of two: nothing is rounded
            for epoch, (w, unit, counts, mixture) in zip(epochs, by_hand(X, y, S, by), strict=True):
                assert [Fraction(a) for a in epoch.w.tolist()] == [Fraction(a, unit) for a in w]
                assert epoch.mistakes == tuple(counts)
                assert epoch.mixture == tuple(mixture)
        book = mixing_ledger(certify(data, separate(data)), mixing(Shards.split(data, S), by))
        assert book.holds or book.failure.startswith("rounding")
        assert book.holds or by == "mistakes"
        assert book.total <= book.bound
        assert book.mistakes == epochs[-1].t <= S * book.bound
        assert by == "uniform" or book.busy <= book.bound
        assert (book.rounding is None) or by == "mistakes"


@given(datasets(TENTHS, max_n=8), st.integers(1, 4), st.sampled_from(["uniform", "mistakes"]))
def test_the_ledger_is_exact_where_floats_round(data, S, by):
    found = separate(data)
    run = mixing(Shards.split(data, min(S, data.n)), by)
    if isinstance(found, Obstruction):
        refuses(TypeError, "Obstruction", certify, data, found)
        return
    book = mixing_ledger(certify(data, found), run, islice(run, 30))
    assert book.holds or book.failure.startswith("rounding")
    for row in book if book.holds else []:
        lesser = [*row.shard_growth, *row.shard_length, row.convexity, row.growth, row.length]
        assert all(sides.holds for sides in [*lesser, row.distance, row.bound, row.mistake])
        assert sum(row.mixture) == 1


def test_the_ledger_says_what_is_wrong():
    run = mixing(Shards.split(FAILS, 2))
    proof, epochs = certify(FAILS, separate(FAILS)), list(run)
    assert mixing_ledger(proof, run).holds
    for change, said in [
        ({"n": 5}, "epoch 2 has n = 5; expected 2"),
        ({"mistakes": (3, 0)}, "epoch 2 has mistakes = (3, 0)"),
        (
            {"mixture": (Fraction(1), Fraction(0))},
            "epoch 2 has mixture = (1, 0); expected (1/2, 1/2)",
        ),
        ({"w": np.ones(3)}, "epoch 2 has w = "),
        ({"t": 99}, "epoch 2 has t = 99"),
    ]:
        wrong = [epochs[0], epochs[1]._replace(**change), *epochs[2:]]
        book = mixing_ledger(proof, run, wrong)
        assert not book.holds
        assert said in book.failure
        assert len(book) == 1
    # A certificate that claims too large a margin or too small a radius is found out.
    for lie in ({"m": 30 * proof.m}, {"R2": proof.R2 / 30}):
        assert "violates shard_" in mixing_ledger(replace(proof, **lie), run).failure
    with pytest.raises(ValueError, match="different data"):
        mixing_ledger(certify(FAILS[:2], separate(FAILS[:2])), run)
    refuses(TypeError, "run is a list", mixing_ledger, proof, epochs)
    refuses(TypeError, "certificate is a Mixing", mixing_ledger, run, run)


def test_from_any_start_the_second_proof_holds():
    rng = np.random.default_rng(3)
    for _ in range(some(20)):
        run = mixing(Shards.split(FAILS, 4), start=rng.integers(-9, 10, 3))
        book = mixing_ledger(certify(FAILS, separate(FAILS)), run)
        assert book.holds
        assert book.total <= book.bound


# ------------------------------------------------------------------------------ theorem 2


def test_one_shot_averaging_need_not_separate_whatever_the_shares():
    run = mixing(Shards.split(FAILS, 2), passes=1000)
    W = [_learn(shard, np.zeros(3), 1000)[1] for shard in run.shards]
    for w, shard in zip(W, run.shards, strict=True):
        assert last(pla(next(shard.blocks())[1], w0=w)).t == 0  # each has learned its own
    obstruction = mixable(W, FAILS)
    assert isinstance(obstruction, Obstruction)
    assert obstruction.verify(_in_shares(W, FAILS))
    for mu in np.linspace(0, 1, 101):
        assert (FAILS.y * (FAILS.X @ (mu * W[0] + (1 - mu) * W[1]))).min() <= 0
    assert next(iter(run)).w.tolist() == ((W[0] + W[1]) / 2).tolist()
    assert list(run)[-1].pick is None  # going on from there does


def test_mixable_agrees_with_a_search_over_all_shares():
    rng, met = random.Random(5), {Obstruction: 0, Separator: 0}
    while sum(met.values()) < some(100):
        drawn = separable(rng, 5, 2)
        if drawn is None:
            continue
        data = Dataset([x[1:] for x in drawn[0]], drawn[1])
        W = [[rng.randint(-4, 4) for _ in range(3)] for _ in range(2)]
        found = mixable(W, data)
        met[type(found)] += 1
        a, b = ((data.y * (data.X @ w)).astype(int).tolist() for w in np.array(W))
        # Shares p : q work on an open interval whose ends are ratios of scores.
        ends = {Fraction(-s, t) for s, t in zip(a, b, strict=True) if t} | {Fraction(0)}
        ends = sorted(e for e in ends if e >= 0)
        tried = [*((s + t) / 2 for s, t in pairwise(ends)), ends[-1] + 1]
        works = any(all(p + q * s > 0 for p, q in zip(a, b, strict=True)) for s in tried)
        assert isinstance(found, Separator) == works
    assert min(met.values()) > 0 or some(100) < 100


def test_weights_whose_scores_are_too_long_are_refused():
    with pytest.raises(ValueError, match=r"W\[0\] do not fit into floats"):
        mixable([[0.1, 1e9 + 0.1, 0.3]], Dataset([[0.7, 0.9], [1.3, 0.1]], [1, -1]))
    refuses(ValueError, "W is empty", mixable, [], FAILS)


# ---------------------------------------------------------------------------------- bits


@pytest.fixture(scope="module")
def data():
    return halfspaces(300, 4, distance=0.02, rng=np.random.default_rng(7))


@pytest.mark.parametrize("S", [1, 3])
def test_an_epoch_is_a_pass_of_pla_on_every_shard_however_long_its_blocks_are(
    data, S, tmp_path, monkeypatch
):
    from perceptron_notes.scale import files

    runs = [list(islice(mixing(Shards.split(data, S)), 6))]
    for numbers in (1, 100, 1 << 19):
        monkeypatch.setattr(files, "BLOCK", numbers)
        runs.append(list(islice(mixing(written(data, tmp_path, S)), 6)))
    assert all(run == runs[0] for run in runs)
    w = np.zeros(5)
    for epoch in runs[0]:
        ends = [last(pla(s.source.data, w0=w), passes=1) for s in Shards.split(data, S)]
        w = ends[0].w if S == 1 else ((ends[0].w + ends[1].w) + ends[2].w) / 3
        assert epoch.w.tolist() == w.tolist()
        assert epoch.mistakes == tuple(step.t for step in ends)


# ------------------------------------------------------------------------- runs are recipes


def test_a_run_is_the_same_wherever_it_is_made(data):
    run = mixing(Shards.split(data, 3), "mistakes")
    assert all(not epoch.w.flags.writeable for epoch in islice(run, 5))
    assert run == mixing(Shards.split(data, 3), "mistakes", on=None)
    assert repr(run) == "mixing(Shards(n=300, d=4: 3 of 100), 'mistakes')"


def test_last_stops_at_a_cap_of_epochs_or_of_updates():
    run = mixing(Shards.split(xor(), 2))
    assert last(run, passes=7).n == 7
    assert 20 <= last(run, at_most=20).t < 20 + 4
    assert last(run, passes=0) == Epoch(0, np.zeros(3), (), (), 0)
    whole = list(islice(run, 7))
    after = list(islice(mixing(run.shards, start=whole[2].w), 4))  # as a run that was stopped
    assert [epoch.w.tolist() for epoch in after] == [epoch.w.tolist() for epoch in whole[3:]]
    end = last(mixing(Shards.split(FAILS, 2)))
    assert end.pick is None
    assert end.pick is None
    with pytest.warns(UserWarning, match="still mistakes after 10000 updates"):
        last(run)


def test_what_cannot_be_mixed():
    shards = Shards.split(FAILS, 2)
    refuses(TypeError, "shards is a Dataset", mixing, FAILS)
    refuses(ValueError, "by is 'errors'", mixing, shards, "errors")
    refuses(ValueError, "passes is 0", mixing, shards, passes=0)
    refuses(ValueError, "start has shape (1,)", mixing, shards, start=[1])
