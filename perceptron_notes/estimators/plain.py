"""PLA, of which averages can be taken, and which a part held out can stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import check_count, check_flag, check_positive
from perceptron_notes._kit.values import Array
from perceptron_notes.estimators.base import SEPARABLE, Chance, ClassWeight, Pick, unharmed
from perceptron_notes.estimators.checks import check_rows
from perceptron_notes.estimators.holding import Judge, held_out
from perceptron_notes.estimators.linear import Linear
from perceptron_notes.learning import Run
from perceptron_notes.online import Averaged
from perceptron_notes.rules import PickRule, at_random, places_in_tour

__all__ = ["PLAClassifier"]


class _Learnt(NamedTuple):
    """What a run has come to: the model's weights, the last ones, and how far it went."""

    w: Array
    last: Array
    rounds: int = 0
    updates: int = 0
    passes: int = 0
    converged: bool = False
    capped: str = ""


class PLAClassifier(Linear):
    r"""The perceptron learning algorithm as a scikit-learn classifier.

    More than two classes are told apart one against the rest, as in scikit-learn's Perceptron: each
    has weights and a run of its own. (One rule for all classes together is
    `perceptron_notes.multi_pla`.) Sparse matrices stay sparse; only the weights, and one sample at
    a time, are made dense. Picks and weights are the same as for dense samples.

    Parameters
    ----------
    pick : {"in_turn", "lowest", "shuffled", "at_random"} or pick rule
        Which mistake to correct; see `perceptron_notes.pla`.
    eta0 : float
        The learning rate λ > 0; with a start at 0 it only scales the weights.
    max_iter : int, optional
        The number of passes after which to stop. For rules that make no passes, such as "lowest"
        and "at_random", n updates stand for one.
    max_updates : int, optional
        The number of updates of a run after which to stop; 10,000 if no cap is given, and if no
        early stopping is asked for. A warning says when a cap was reached with mistakes left, and
        what helps.
    fit_intercept : bool
        Whether there is a weight :math:`w_0`; without it the boundary goes through the origin.
    average : bool
        Whether the model is the average of the weights over all rounds, as in
        `perceptron_notes.average`: steadier than the last weights where classes overlap. Samples
        of importance 0 have no rounds.
    early_stopping : bool
        Whether to hold out a part of the samples, with its share of each class, and to stop when
        the model has not been right about more of it for some passes. The best model is kept.
    validation_fraction : float
        The share that is held out, between 0 and 1.
    n_iter_no_change : int
        For how many passes to go on without a better model.
    warm_start : bool
        Whether `fit` starts from ``coef_`` and ``intercept_`` of the previous fit.
    class_weight : dict, "balanced" or None
        The importance of each class; see `perceptron_notes.estimators`.
    random_state : int, RandomState or None
        The source of randomness for "shuffled" and "at_random", and for what is held out.
    verbose : int
        Print a line each time this many updates have been made; 0 or False for none, True for
        each update.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        The classes; of two, the second one has positive scores.
    coef_ : ndarray, shape (1, d) or (K, d)
        The weights :math:`w_1, \dots, w_d`, for more than two classes a row each.
    intercept_ : ndarray, shape (1,) or (K,)
        The weights :math:`w_0`.
    n_updates_ : int
        How many updates were made, in all runs together.
    n_iter_ : int
        How many passes the longest run made, including the last one without a mistake; n updates
        for one with rules that make no passes.
    converged_ : bool
        Whether each run ended with no mistake left on the samples that it learnt from.

    Examples
    --------
    >>> data = li_hang()
    >>> model = PLAClassifier().fit(data.points, data.y)
    >>> model.intercept_, model.coef_, model.n_updates_
    (array([-3.]), array([[1., 1.]]), 7)
    """

    _many = True

    def __init__(
        self,
        *,
        pick: Pick = "in_turn",
        eta0: float = 1.0,
        max_iter: int | None = None,
        max_updates: int | None = None,
        fit_intercept: bool = True,
        average: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        random_state: Chance = None,
        verbose: int = 0,
    ) -> None:
        self.pick = pick
        self.eta0 = eta0
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.fit_intercept = fit_intercept
        self.average = average
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    @unharmed
    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        coef_init: npt.ArrayLike | None = None,
        intercept_init: npt.ArrayLike | None = None,
    ) -> Self:
        """Run PLA until no mistake is left.

        Parameters
        ----------
        X : array_like or sparse matrix, shape (n, d)
            Points.
        y : array_like, shape (n,)
            Their classes, two or more.
        sample_weight : array_like, shape (n,), optional
            The importance of each sample; see `perceptron_notes.estimators`.
        coef_init : array_like, shape (1, d), (d,) or (K, d), optional
            The weights to start from, instead of 0 or those of a warm start.
        intercept_init : array_like, shape (1,), () or (K,), optional
            The weights :math:`w_0` to start from.

        Returns
        -------
        self
        """
        check_rows(X, y, sample_weight)
        X, c = self._checked(X, y)
        self.classes_ = self._find_classes(c)
        W = self._begin(X.shape[1], coef_init, intercept_init)
        held = (
            held_out(c, self.validation_fraction, self.random_state)
            if check_flag(self.early_stopping, "early_stopping")
            else None
        )
        rule, runs = self._rule(), []
        for k, w0 in zip(self._positive(), W, strict=True):
            begin = _Learnt(w0, w0)
            data, _ = self._samples(X, c, sample_weight, k, True if held is None else ~held)
            if held is None:
                runs.append(self._go_on(begin, data, rule, *self._caps()))
            else:
                right = c[held] == self.classes_[k]
                judge = Judge(X[held], right, sample_weight, held, self.fit_intercept)
                runs.append(self._go_on_while_better(begin, data, rule, judge))
        self._note(runs)
        if capped := [run.capped for run in runs if run.capped]:
            whose = f", for {len(capped)} of {len(runs)} classes" if len(runs) > 1 else ""
            self._warn(capped[0], whose, X, SEPARABLE)
        return self

    @unharmed
    def partial_fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Make one pass over some samples, starting from the weights learnt so far.

        An average is one over the rounds of all calls. The first call needs `classes`, an array of
        all classes. The other arguments are those of `PLAClassifier.fit`.
        """
        first = not hasattr(self, "coef_")
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight is {self.class_weight!r}, for which all samples must be known; "
                "give partial_fit a dict of weights"
            )
        if self.early_stopping:
            raise ValueError(
                "early_stopping is True; partial_fit makes one pass, so expected False"
            )
        check_rows(X, y, sample_weight)
        X, y = self._checked(X, y, reset=first)
        if first and classes is None:
            raise ValueError("classes is missing; the first partial_fit needs all classes")
        known = self.classes_ if classes is None else self._find_classes(np.asarray(classes))
        if not first and not np.array_equal(known, self.classes_):
            raise ValueError(f"classes is {known}; the fit before had {self.classes_}")
        if (unknown := np.setdiff1d(y, known)).size:
            raise ValueError(f"y has the class {unknown[0]}; expected one of {known}")
        self.classes_ = known
        if first:
            W, made = np.zeros((len(self._positive()), X.shape[1] + bool(self.fit_intercept))), 0
        else:
            W, made = self._weights(), self.n_updates_
        begun = [_Learnt(w, w) for w in W]
        if self.average and getattr(self, "_last", W[:0]).shape == W.shape:
            begun = [_Learnt(*each) for each in zip(W, self._last, self._rounds, strict=True)]
        rule, runs = self._rule(), []
        for k, before in zip(self._positive(), begun, strict=True):
            data, _ = self._samples(X, y, sample_weight, k)
            runs.append(self._go_on(before, data, rule, None, 1))
        self._note(runs, made)
        return self

    def _go_on(
        self, before: _Learnt, data: Any, rule: PickRule, updates: int | None, passes: int | None
    ) -> _Learnt:
        """Run PLA from the last weights to the end or to a cap; all rounds share the average."""
        run = Run(data, rule, before.last, check_positive(self.eta0, "eta0"))
        averages = check_flag(self.average, "average")
        steps: Iterable[Any] = Averaged(data, run, rule) if averages else run
        end, made = self._finish(steps, rule, data.n, updates, passes, before.updates)
        w, rounds = end.w, 0
        if averages:
            tours = places_in_tour(rule, data.n) is not None
            rounds = min(end.rounds, made * data.n) if tours else end.rounds
            w = end.after(rounds)
            if before.rounds:
                w = before.w + rounds / (before.rounds + rounds) * (w - before.w)
        converged = end.pick is None
        by = "max_iter" if updates is None or end.t < updates else "max_updates"
        return _Learnt(
            w,
            end.w,
            before.rounds + rounds,
            before.updates + end.t,
            before.passes + made,
            converged,
            "" if converged else by,
        )

    def _go_on_while_better(
        self, learnt: _Learnt, data: Any, rule: PickRule, judge: Callable[[Array], float]
    ) -> _Learnt:
        """Make passes as long as the model gets better on what is held out; return the best."""
        updates, passes = self._caps()
        if passes is self.max_updates is None:
            updates = None  # what is held out ends the run
        patience = check_count(self.n_iter_no_change, "n_iter_no_change", 1)
        best, most, idle = learnt, -inf, 0
        while idle < patience and not learnt.converged:
            if learnt.passes == passes or learnt.updates == updates:
                break
            left = None if updates is None else updates - learnt.updates
            learnt = self._go_on(learnt, data, rule, left, 1)
            right, idle = judge(learnt.w), idle + 1
            if right > most:
                best, most, idle = learnt, right, 0
            if self.verbose:
                print(f"[{type(self).__name__}] pass {learnt.passes}: score {right:.4f}")
            if isinstance(rule, at_random):  # otherwise each pass would begin with the same draws
                rule = at_random(np.random.default_rng(rule.seed))
        end = learnt._replace(capped="") if idle == patience else learnt
        return end._replace(w=best.w, last=best.last, rounds=best.rounds)

    def _note(self, runs: list[_Learnt], made: int = 0) -> None:
        """Keep what the runs have come to, beside the updates that were made before."""
        self.n_updates_ = made + sum(run.updates for run in runs)
        self.n_iter_ = max(run.passes for run in runs)
        self.converged_ = all(run.converged for run in runs)
        self._keep(np.array([run.w for run in runs]))
        # An average goes on in partial_fit.
        self._last = np.array([run.last for run in runs])
        self._rounds = [run.rounds for run in runs]
