"""Pocket: the best weights so far, kept by watching and never by interfering."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from strategies import datasets, each_kind, is_mistake, textbook_pla

from perceptron_notes import (
    Dataset,
    last,
    pla,
    pocket,
    record,
)
from perceptron_notes.datasets import iris, li_hang, xor

#: Every run once with the compiled loops and once without.
pytestmark = pytest.mark.usefixtures("engine")


def textbook_pocket(W, data):
    """Best weights and their mistakes after each of W: replace when strictly better."""
    pocketed, fewest, history = None, None, []
    for w in W:
        errors = sum(is_mistake(w, x, y) for x, y in zip(data.X, data.y, strict=True))
        if fewest is None or errors < fewest:
            pocketed, fewest = w, errors
        history.append((errors, pocketed, fewest))
    return history


@each_kind
@given(data=st.data())
def test_pocket_is_the_textbooks_loop(numbers, data):
    samples = data.draw(datasets(numbers))
    W, _, _ = textbook_pla(samples, at_most=40)
    steps = list(islice(pocket(samples, pla(samples)), 41))
    seen = [(step.errors, step.best.tolist(), step.best_errors) for step in steps]
    assert seen == textbook_pocket(W, samples)


def test_pocket_takes_one_step_when_one_is_asked_for():
    taken = []

    def steps():
        for step in pla(xor()):
            taken.append(step.t)
            yield step

    watched = iter(pocket(xor(), steps()))
    assert taken == []
    next(watched)
    assert taken == [0]
    assert len(list(islice(watched, 300))) == 300


def test_mistakes_may_be_counted_on_other_samples_than_the_run_is_on():
    seen, unseen = li_hang(), Dataset([[0, 0], [5, 5]], [-1, 1])
    steps = list(pocket(unseen, pla(seen)))
    expected = textbook_pocket(record(pla(seen)).W.tolist(), unseen)
    assert [(s.errors, s.best.tolist(), s.best_errors) for s in steps] == expected


def test_the_pocket_cannot_be_written_into():
    end = last(pocket(li_hang(), pla(li_hang())))
    with pytest.raises(ValueError, match="read-only"):
        end.best[0] = 7


def test_pocket_refuses_weights_of_another_length_one_by_one_and_in_batches():
    run = pocket(iris("setosa"), pla(li_hang()))
    refuses(ValueError, "w has shape (3,)", next, iter(run))
    refuses(ValueError, "w has shape (3,)", last, run)
