"""The simulation of a cluster against one that goes from event to event."""

import heapq

import numpy as np
import pytest

from perceptron_notes.scale.simulation import Costs, best_count, simulate


def by_events(costs, size, d, factors):
    """One epoch: tasks are handed out one by one, and answers taken one by one as they come."""
    message, S = costs.task + 8 * (d + 1) / costs.link, len(factors)
    clock, coming = 0.0, []
    for factor in factors:
        clock += message
        heapq.heappush(coming, clock + factor * size / S / costs.bandwidth)
    free = clock  # nothing is taken before all is handed out
    while coming:
        free = max(free, heapq.heappop(coming)) + message
    return free


class Drawn(np.random.Generator):
    """A generator that gives what it is told."""

    def __init__(self, factors):
        super().__init__(np.random.PCG64(0))
        self.factors = factors

    def choice(self, spread, size):
        assert size == self.factors.shape
        return self.factors


@pytest.mark.parametrize("S", [1, 2, 7, 100])
def test_an_epoch_is_that_of_its_events(S):
    rng = np.random.default_rng(S)
    for _ in range(50):
        costs = Costs(*rng.uniform(0.1, 10, 3))
        size, d = rng.uniform(0.1, 100), int(rng.integers(0, 5))
        factors = rng.uniform(0.5, 4, (3, S))
        found = simulate(costs, size, d, S, rng=Drawn(factors), epochs=3)
        wanted = [by_events(costs, size, d, row) for row in factors]
        assert np.allclose(found.total, wanted)
        assert np.allclose(found.total, found.reading + found.waiting + found.rounds)
        assert (found.rounds >= 2 * costs.message(d) * 0.999).all()  # there and back, at least


def test_the_slowest_of_many_is_waited_for():
    costs = Costs(1e9, 1e-9, 1e12, spread=(1.0,) * 99 + (10.0,))
    few, many = (
        simulate(costs, 1e9, 1, S, rng=np.random.default_rng(2), epochs=400) for S in (2, 1000)
    )
    assert np.isclose((few.waiting > 0).mean(), 2 * 0.99 * 0.01, atol=0.015)
    assert (many.waiting > 0).mean() > 0.99


def test_a_tree_needs_two_steps_for_each_of_its_levels():
    costs = Costs(1.0, 1.0, 8.0)
    for S, levels in [(1, 1), (2, 1), (8, 1), (9, 2), (64, 2), (65, 3), (512, 3)]:
        found = simulate(costs, 1e-9, 0, S, rng=np.random.default_rng(1), epochs=1, fan=8)
        assert np.isclose(found.total[0], 2 * levels * 8 * 2.0)


def test_the_best_count_is_near_the_least_of_all_counts():
    rng = np.random.default_rng(3)
    for _ in range(20):
        costs = Costs(*10 ** rng.uniform([6, -5, 5], [9, -3, 8]))
        size, d = 10 ** rng.uniform(7, 10), int(rng.integers(1, 100))
        counts = range(1, 4000)
        message = costs.message(d)
        epochs = [size / S / costs.bandwidth + S * message for S in counts]
        best = counts[int(np.argmin(epochs))]
        assert abs(best_count(costs, size, d) - best) <= 1 or best == counts[-1]


@pytest.mark.parametrize("name", ["bandwidth", "task", "link", "spread"])
def test_costs_are_positive(name):
    values = {"bandwidth": 1.0, "task": 1.0, "link": 1.0, "spread": (1.0,)}
    with pytest.raises(ValueError, match=name):
        Costs(**values | {name: (0.0,) if name == "spread" else -1.0})
