r"""A simulation of more workers than a reader has: how long one epoch would take.

Nothing is learnt here, and nothing runs anywhere else. From four measurements, `Costs`, it follows
one epoch after another: tasks are handed out one by one, workers read their samples, some more
slowly than others, and the weights come back one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from perceptron_notes._kit.validation import check_count, check_kind, check_positive, check_rng
from perceptron_notes._kit.values import Array

__all__ = ["Costs", "Epochs", "best_count", "simulate"]


@dataclass(frozen=True)
class Costs:
    """What was measured on a machine, in seconds and bytes.

    Attributes
    ----------
    bandwidth : float
        How many bytes of samples a worker goes through in a second.
    task : float
        How long it takes to hand out a task, or to take in an answer, in seconds.
    link : float
        How many bytes of weights travel in a second to or from the process that mixes.
    spread : tuple of float
        Times of equal passes, divided by their median: how much slower some are than others.

    Examples
    --------
    >>> from perceptron_notes.scale.simulation import Costs
    >>> Costs(bandwidth=5e9, task=0.25, link=64.0, spread=(1.0, 1.5)).message(d=7)
    1.25
    """

    bandwidth: float
    task: float
    link: float
    spread: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        for name in ("bandwidth", "task", "link"):
            check_positive(getattr(self, name), name)
        for factor in self.spread or (0.0,):
            check_positive(factor, "spread")

    def message(self, d: int) -> float:
        """Return how long it takes to send weights with d + 1 entries one way, in seconds."""
        return self.task + 8 * (d + 1) / self.link


@dataclass(frozen=True)
class Epochs:
    """Simulated epochs: arrays of shape (epochs,), in seconds.

    Attributes
    ----------
    total : ndarray
        How long each epoch took.
    reading : ndarray
        How long the workers read, on average.
    waiting : ndarray
        How much longer the slowest worker read.
    rounds : ndarray
        The rest: handing out tasks and collecting weights.
    """

    total: Array
    reading: Array
    waiting: Array
    rounds: Array


def simulate(
    costs: Costs,
    size: float,
    d: int,
    workers: int,
    *,
    rng: np.random.Generator,
    epochs: int = 20,
    fan: int | None = None,
) -> Epochs:
    """Simulate some epochs of mixing, with a shard for each worker.

    Parameters
    ----------
    costs : Costs
        What was measured.
    size : float
        How many bytes all samples have together.
    d : int
        How many coordinates a sample has; the weights have d + 1 entries.
    workers : int
        How many workers there are, each with a memory of its own.
    rng : numpy.random.Generator
        Draws from ``costs.spread`` how slow each worker is in each epoch.
    epochs : int
        How many epochs to simulate.
    fan : int, optional
        If given, weights travel along a tree in which each process sends to, and receives from,
        this many others. If left out, one process speaks with all workers, one after another.

    Returns
    -------
    Epochs

    Raises
    ------
    TypeError, ValueError
        If a number is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from perceptron_notes.scale.simulation import Costs, simulate
    >>> costs = Costs(bandwidth=1e9, task=0.5, link=1e9)
    >>> simulate(costs, 4e9, 0, 2, rng=np.random.default_rng(1), epochs=1).total.round(6)
    array([3.5])
    """
    check_kind(costs, Costs, "costs", "Costs(bandwidth, task, link)")
    size, message = check_positive(size, "size"), costs.message(check_count(d, "d"))
    S, E = check_count(workers, "workers", least=1), check_count(epochs, "epochs", least=1)
    reads = size / S / costs.bandwidth * check_rng(rng).choice(costs.spread, size=(E, S))
    if fan is None:
        k = np.arange(S)
        # Answers are taken when all tasks are handed out, each when the one before is done.
        arrivals = np.sort(np.maximum((k + 1) * message + reads, S * message), axis=1)
        total = np.max(arrivals - k * message, axis=1) + S * message
    else:
        steps = ceil(log(S, check_count(fan, "fan", least=2)) - 1e-9) if S > 1 else 1
        total = reads.max(axis=1) + 2 * steps * fan * message
    slowest, reading = reads.max(axis=1), reads.mean(axis=1)
    return Epochs(total, reading, slowest - reading, total - slowest)


def best_count(costs: Costs, size: float, d: int) -> int:
    r"""Find how many workers make an epoch shortest, if they are equally fast and one mixes.

    With S workers and B bytes of samples, of which a worker reads b in a second, and messages that
    take c seconds each, an epoch takes about :math:`B/(Sb) + S\,c`. That is least at
    :math:`S = \sqrt{B/(bc)}`.

    Parameters
    ----------
    costs : Costs
        What was measured.
    size : float
        How many bytes all samples have together.
    d : int
        How many coordinates a sample has; the weights have d + 1 entries.

    Returns
    -------
    int

    Examples
    --------
    >>> from perceptron_notes.scale.simulation import Costs, best_count
    >>> best_count(Costs(bandwidth=1e9, task=1e-3, link=1e9), 1e9, 0)
    32
    """
    check_kind(costs, Costs, "costs", "Costs(bandwidth, task, link)")
    size, message = check_positive(size, "size"), costs.message(check_count(d, "d"))
    return max(1, round(float(np.sqrt(size / (costs.bandwidth * message)))))
