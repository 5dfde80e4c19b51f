"""Runs, rules, kernels and data are values: repeatable, comparable, picklable; and the edges."""

import copy
import pickle
from functools import partial
from itertools import islice

import numpy as np
import pytest
from refusals import refuses
from strategies import RULES, rng

from perceptron_notes import (
    Dataset,
    at_random,
    average,
    certify,
    dual_pla,
    in_turn,
    last,
    ledger,
    linear,
    lowest,
    pla,
    pocket,
    polynomial,
    predict,
    rbf,
    record,
    separate,
    shuffled,
)
from perceptron_notes.data import augment
from perceptron_notes.datasets import iris, li_hang, xor
from perceptron_notes.dual import weights
from perceptron_notes.kernels import gram
from perceptron_notes.learning import Step
from perceptron_notes.margins import largest_margin, margin_pla, pegasos
from perceptron_notes.model import distance, score, signed_scores
from perceptron_notes.multiclass import Classes, multi_pla
from perceptron_notes.networks import random_network, train
from perceptron_notes.online import vote
from perceptron_notes.rules import tour
from perceptron_notes.scale import Shards, average_mixing, mixing, pocket_over
from perceptron_notes.sequences import Sentences

THREE = Classes([[-1], [0], [1]], "abc")
RECIPES = {
    "pla": lambda: pla(li_hang(), at_random(rng(1)), w0=[1, 0, 0], rate=0.5),
    "pocket": lambda: pocket(li_hang(), pla(li_hang(), shuffled(rng(1)))),
    "pocket of a trace": lambda: pocket(xor(), record(pla(xor()), at_most=9)),
    "dual": lambda: dual_pla(gram(li_hang()), li_hang().y, at_random(rng(1))),
    "average": lambda: average(li_hang(), pla(li_hang())),
    "vote": lambda: vote(li_hang(), pla(li_hang())),
    "margin": lambda: margin_pla(li_hang(), 2, lowest),
    "pegasos": lambda: pegasos(li_hang(), 0.5, [0, 1]),
    "classes": lambda: multi_pla(THREE, rate=2.0),
    "pocket over shards": lambda: pocket_over(Shards.split(xor(), 2), pla(li_hang())),
    "epochs": lambda: mixing(Shards.split(li_hang(), 2)),
    "epochs that are averaged": lambda: average_mixing(mixing(Shards.split(li_hang(), 2))),
}
VALUES = {
    **RECIPES,
    "step": lambda: next(iter(pla(li_hang()))),
    "trace": lambda: record(pla(li_hang())),
    "overflown trace": lambda: record(pla(li_hang(), rate=1e308), at_most=5),
    "pocket step": lambda: last(pocket(li_hang(), pla(li_hang()))),
    "dual step": lambda: last(dual_pla(gram(li_hang()), li_hang().y)),
    "separator": lambda: separate(li_hang()),
    "obstruction": lambda: separate(xor()),
    "certificate": lambda: certify(li_hang(), [-3, 1, 1]),
    "street": lambda: largest_margin(li_hang()),
    "averaged step": lambda: last(average(li_hang(), pla(li_hang()))),
    "voted step": lambda: last(vote(li_hang(), pla(li_hang()))),
    "step of classes": lambda: next(iter(multi_pla(THREE))),
    "network": lambda: random_network((2, 3, 1), rng=rng(1)),
    "training": lambda: train(random_network((2, 2, 1), rng=rng(1)), xor()),
    "many classes": lambda: Classes([[-1], [0], [1]], "abc"),
    "sentences": lambda: Sentences([["fish", "swim"], ["fish", "fish"]], ["NV", "VN"]),
    "data": li_hang,
    "data through the origin": lambda: Dataset([[1, 2]], [1], intercept=False),
    "shuffled": lambda: shuffled(rng(1)),
    "at_random": lambda: at_random(rng(1)),
    "polynomial": lambda: polynomial(2),
    "rbf": lambda: rbf(0.5),
    "in_turn": lambda: in_turn,
    "linear": lambda: linear,
}


# ------------------------------------------------------------------------------- as values


@pytest.mark.parametrize("make", RECIPES.values(), ids=RECIPES)
def test_a_recipe_gives_the_same_steps_each_time_also_side_by_side(make):
    recipe = make()
    assert list(recipe) == list(recipe) == list(make())
    pairs = list(zip(recipe, recipe, strict=True))
    assert all(one == other for one, other in pairs)


@pytest.mark.parametrize("make", VALUES.values(), ids=VALUES)
def test_equal_values_are_equal_and_stay_so_when_copied_or_pickled(make):
    value = make()
    with np.errstate(all="ignore"):
        assert (value == make()) is True
        assert (value != make()) is False
    assert value != 7
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value


def test_values_that_differ_are_not_equal():
    assert pla(li_hang()) != pla(li_hang(), rate=2.0)
    assert pla(li_hang()) != pla(li_hang(), lowest)
    assert record(pla(li_hang())) != record(pla(li_hang()), at_most=3)
    assert shuffled(rng(1)) != shuffled(rng(2))
    assert at_random(rng(1)) != shuffled(rng(1))
    assert polynomial(2) != polynomial(3)
    assert Dataset([[1]], [1]) != Dataset([[1]], [1], intercept=False)
    assert average(li_hang(), pla(li_hang())) != vote(li_hang(), pla(li_hang()))
    assert margin_pla(li_hang(), 2, lowest) != margin_pla(li_hang(), 3, lowest)
    epochs = mixing(Shards.split(li_hang(), 2))
    assert epochs != mixing(Shards.split(li_hang(), 2), "mistakes")
    assert average_mixing(epochs) != average_mixing(mixing(epochs.shards, "mistakes"))


class Nameless:
    """A rule of one's own that does not say how it prints."""

    def __call__(self, look, n, previous):
        return look(0, n)

    def steps(self, data):
        return iter(pla(data))


@pytest.mark.parametrize(
    "rule", [lowest, lambda look, n, previous: look(0, n), Nameless(), partial(in_turn)]
)
def test_no_run_prints_where_its_rule_lies_in_memory(rule):
    data = li_hang()
    own = Nameless().steps
    runs = [pla(data, rule), dual_pla(gram(data), data.y, rule), pocket(data, pla(data, rule))]
    for run in [*runs, pocket(data, own), pocket(data, own(data)), pocket(data, list(own(data)))]:
        assert " at 0x" not in repr(run)


# ------------------------------------------------------------------------ rules of one's own


def test_a_rule_of_ones_own_always_runs_whatever_it_carries():
    class Mine:
        def __init__(self):
            self.rng, self.tour, self.seed, self.calls = rng(1), (lambda n: (None, None)), 1, 0

        def __call__(self, look, n, previous):
            self.calls += 1
            return look(0, n)

    rule = Mine()
    end = last(pla(li_hang(), rule))
    assert rule.calls == end.t + 1


def test_a_rule_that_picks_what_it_must_not_is_told_at_once():
    for error, words, picked in (
        (TypeError, "picked True", True),
        (TypeError, "picked 1.5", 1.5),
        (ValueError, "picked -1", -1),
        (ValueError, "picked 3", 3),
        (ValueError, "picked X[1], which is right", 1),
        (ValueError, "picked None, but X[2] is still a mistake", None),
    ):
        run = pla(li_hang(), lambda look, n, previous, picked=picked: picked, w0=[0, 1, 1])
        refuses(error, words, list, run)
    dual = dual_pla(gram(li_hang()), li_hang().y, lambda look, n, previous: n)
    refuses(ValueError, "picked 3", list, dual)
    good = dual_pla(gram(li_hang()), li_hang().y)
    refuses(TypeError, "DualStep, which has no weights w", record, good, data=li_hang())
    for pick in (np.int64(2), np.int8(2), np.uint64(2)):
        step = next(iter(pla(li_hang(), lambda look, n, previous, pick=pick: pick)))
        assert type(step.pick) is int


# ------------------------------------------------------------------------ steps of one's own


def alias(data):
    """A student's PLA, which changes its weights in place."""
    w = np.zeros(data.X.shape[1])
    for t, i in enumerate([0, 2, 2, 2, 0, 2, 2, None]):
        yield Step(t, w, i)
        if i is not None:
            w += data.y[i] * data.X[i]


def test_steps_that_are_changed_in_place_are_copied():
    expected = record(pla(li_hang()))
    trace = record(alias, data=li_hang())
    assert trace.W.tolist() == expected.W.tolist()
    fewest = [step.best_errors for step in pocket(li_hang(), pla(li_hang()))]
    assert [step.best_errors for step in pocket(li_hang(), alias)] == fewest
    assert last(pocket(li_hang(), alias(li_hang()))).best.tolist() == [-3, 1, 1]
    kept = list(pocket(li_hang(), alias))
    assert kept[0].w.tolist() == [0, 0, 0]


# ------------------------------------------------------------------------- caps and passes


def passes_by_hand(data, order, most):
    """PLA as on a homework sheet: some passes over the samples, each mistake corrected."""
    w, begun = np.zeros(data.X.shape[1]), []
    for number in range(1, most + 1):
        for i in order:
            if not data.y[i] * (w @ data.X[i]) > 0:
                w = w + data.y[i] * data.X[i]
                begun.append(number)
    return w, begun


@pytest.mark.parametrize("most", [0, 1, 2, 7])
@pytest.mark.parametrize("rule", ["in_turn", "shuffled"])
def test_so_many_passes_are_those_of_a_homework_sheet(rule, most):
    for data in (li_hang(), xor(), iris("virginica"), iris("setosa")):
        pick = RULES[rule]()
        order = range(data.n)
        if rule == "shuffled":
            order = tour(pick.seed, data.n)[0]
        w, begun = passes_by_hand(data, order, most)
        trace = record(pla(data, pick), passes=most)
        assert trace.w.tolist() == w.tolist()
        steps = islice(pla(data, pick), trace.updates)
        assert [step.passes for step in steps] == begun
        end = last(pla(data, pick), passes=most)
        assert end.w.tolist() == w.tolist()
        assert end.passes > most or end.pick is None
        assert last(pocket(data, pla(data, pick)), passes=most).w.tolist() == w.tolist()


def test_passes_are_refused_where_there_are_none():
    for run in (pla(xor(), lowest), pla(xor(), at_random(rng(1))), [Step(0, np.zeros(3), 1)]):
        refuses(ValueError, "passes caps a rule that makes no passes", last, run, passes=3)


# ------------------------------------------------------------------------ through the origin


def test_through_the_origin_everything_follows():
    data = Dataset([[2, 1], [-1, 2], [1, -3]], [1, 1, -1], intercept=False)
    assert data.X.tolist() == data.points.tolist()
    assert (data.d, data[:2].intercept, data[0][0].tolist()) == (2, False, [2, 1])
    trace = record(pla(data))
    assert trace.W.shape[1] == 2
    separator = separate(data)
    assert separator.verify(data)
    book = ledger(certify(data, separator), trace)
    assert book.holds
    assert len(book) == trace.updates <= book.bound
    assert last(pocket(data, pla(data))).best_errors == 0
    dual = last(dual_pla(gram(data), data.y, intercept=False))
    assert (dual.b, dual.t) == (0, trace.updates)
    assert weights(dual.alpha, data).tolist() == trace.w.tolist()
    assert score(trace.w, data).tolist() == score(trace.w, data.points, intercept=False).tolist()
    assert distance([3, 4], Dataset([[1, 0]], [1], intercept=False)).tolist() == [0.6]
    refuses(ValueError, "w has shape (3,)", signed_scores, [1, 2, 3], data)


# ------------------------------------------------------------------------------- the edges


def test_a_dataset_is_a_sequence_of_its_samples():
    data = iris("setosa")
    assert [y for _, y in data] == data.y.tolist()
    assert np.array_equal([x for x, _ in data], data.X)
    assert data[:5] == Dataset(data.points[:5], data.y[:5])
    assert data[data.y > 0].n == 50
    assert data[[3, 1]].points.tolist() == data.points[[3, 1]].tolist()


def test_a_score_that_overflows_decides_nothing():
    with np.errstate(all="ignore"):
        assert predict([0, 1e200, -1e200], augment([[1e150, 1e150]])).tolist() == [0]
        assert predict([1e308, 1e308, -1e308], augment([[10, 10]])).tolist() == [0]


@pytest.mark.parametrize("rate", [1e308, 0.75e308])
def test_a_ledger_of_weights_that_left_the_floats_still_answers(rate):
    data = li_hang()
    with np.errstate(all="ignore"):
        book = ledger(certify(data, separate(data)), record(pla(data, rate=rate), at_most=50))
    assert not book.holds
    assert book.failure.startswith(("at t =", "rounding: at t ="))
