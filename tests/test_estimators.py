"""The algorithms as scikit-learn classifiers: its own checks, and the package's results."""

import tracemalloc
import warnings
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from scipy import sparse
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._test_common.instance_generator import _get_expected_failed_checks
from sklearn.utils.estimator_checks import check_estimator

import perceptron_notes
from perceptron_notes import (
    Dataset,
    at_random,
    average,
    dual_pla,
    in_turn,
    last,
    lowest,
    pla,
    pocket,
    predict,
    rbf,
    shuffled,
)
from perceptron_notes.datasets import flip_labels, halfspaces, iris, li_hang, rings
from perceptron_notes.dual import dual_score
from perceptron_notes.estimators import (
    KernelPerceptronClassifier,
    PLAClassifier,
    PocketClassifier,
)
from perceptron_notes.kernels import gram
from perceptron_notes.model import augment

CLASSIFIERS = [PLAClassifier, PocketClassifier, KernelPerceptronClassifier]
each = pytest.mark.parametrize("classifier", CLASSIFIERS)


#: Where samples overlap, a run goes on to its cap; most of these checks need no long runs.
SHORT = [PLAClassifier(max_updates=300), PocketClassifier(max_updates=300)]


@pytest.mark.parametrize(
    "model",
    [
        *SHORT,
        KernelPerceptronClassifier(),
        PLAClassifier(average=True, max_iter=20),
        *(
            pytest.param(kind(), marks=pytest.mark.slow)
            for kind in (PLAClassifier, PocketClassifier)
        ),
    ],
    ids=repr,
)
def test_scikit_learns_own_checks_pass(model):
    # What scikit-learn expects of its own Perceptron: weights are no repetitions.
    expected = _get_expected_failed_checks(Perceptron())
    if model in SHORT:
        expected |= {"check_class_weight_classifiers": "300 updates are too few for it"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(model, on_fail=None, expected_failed_checks=expected)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert failed == {}
    assert sum(r["status"] == "passed" for r in results) > 40


# -------------------------------------------- scikit-learn's cases for Perceptron, rewritten


def textbook_fit(X, y, passes):
    """Rosenblatt's rule: so many passes, weights and bias apart."""
    w, b = np.zeros(X.shape[1]), 0.0
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b) <= 0:
                w, b = w + label * x, b + label
    return w, b


def test_its_weights_are_those_of_the_textbook_and_of_scikit_learn():
    data = iris("setosa", "versicolor")
    model = PLAClassifier().fit(data.points, data.y)
    passes = 1
    while not np.array_equal(
        np.append(*textbook_fit(data.points, data.y, passes)),
        np.append(*textbook_fit(data.points, data.y, passes + 1)),
    ):
        passes += 1
    w, b = textbook_fit(data.points, data.y, passes)
    assert model.coef_[0].tolist() == w.tolist()
    assert model.intercept_.tolist() == [b]
    theirs = Perceptron(max_iter=passes + 1, tol=None, shuffle=False).fit(data.points, data.y)
    assert np.array_equal(theirs.coef_, model.coef_)
    assert np.array_equal(theirs.intercept_, model.intercept_)


# ------------------------------------------------------------------- they adapt the package


@pytest.mark.parametrize("pick", ["in_turn", "lowest", "shuffled", "at_random", lowest])
def test_pla_gives_the_packages_run(pick):
    data = halfspaces(200, 3, distance=0.05, rng=np.random.default_rng(1))
    model = PLAClassifier(pick=pick, random_state=3).fit(data.points, data.y)
    again = clone(model).fit(data.points, data.y)
    assert np.array_equal(model.coef_, again.coef_)
    assert model.converged_
    assert model.score(data.points, data.y) == 1
    assert model.n_iter_ == last(pla(data)).passes or pick != "in_turn"
    if pick in ("lowest", lowest):
        end = last(pla(data, lowest))
        assert np.append(model.intercept_, model.coef_).tolist() == end.w.tolist()
        assert model.n_updates_ == end.t


def test_classes_may_have_any_names_and_predictions_are_the_packages():
    data = li_hang()
    model = PLAClassifier(eta0=2).fit(data.points, np.where(data.y > 0, "yes", "no"))
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.decision_function([[3, 3], [1, 1]]).tolist() == [6, -2]
    assert model.predict([[3, 3], [1, 1], [1, 2]]).tolist() == ["yes", "no", "no"]
    w = np.append(model.intercept_, model.coef_)
    assert predict(w, augment([[3, 3], [1, 1], [1, 2]])).tolist() == [1, -1, 0]


def test_pocket_gives_the_packages_best_weights_and_no_warning():
    rng = np.random.default_rng(2)
    data = flip_labels(halfspaces(100, distance=0.1, rng=rng), 10, rng=rng)
    model = PocketClassifier(max_updates=300).fit(data.points, data.y)
    end = last(pocket(data, pla(data)), at_most=300)
    assert np.append(model.intercept_, model.coef_).tolist() == end.best.tolist()
    assert (model.n_errors_, model.n_updates_, model.converged_) == (end.best_errors, 300, False)
    assert model.score(data.points, data.y) == 1 - end.best_errors / data.n


def test_the_kernel_form_gives_the_packages_run():
    data, new = rings(300, rng=np.random.default_rng(1)), [[0, 0], [2, 0], [0.1, -2]]
    model = KernelPerceptronClassifier(gamma=0.5).fit(data.points, data.y)
    end = last(dual_pla(gram(data, rbf(0.5)), data.y))
    assert model.converged_
    assert model.n_updates_ == end.t
    assert model.support_.tolist() == np.flatnonzero(end.alpha).tolist()
    expected = dual_score(end.alpha, end.b, data, new, rbf(0.5))
    assert model.decision_function(new) == pytest.approx(expected)
    assert model.predict(new).tolist() == [1, -1, -1]


def test_they_work_in_pipelines_and_searches():
    data = iris("setosa")
    model = make_pipeline(StandardScaler(), PLAClassifier())
    assert cross_val_score(model, data.points, data.y, cv=3).mean() > 0.95
    search = GridSearchCV(KernelPerceptronClassifier(), {"gamma": [1e-4, 1e-3]}, cv=3)
    assert search.fit(data.points, data.y).best_score_ > 0.9


# ---------------------------------------------------------------- what scikit-learn's users expect


def scattered(n=80, seed=1):
    """Separable samples in whole numbers, on which every sum is exact, and a class for each."""
    points = np.random.default_rng(seed).integers(-8, 9, (4 * n, 3)).astype(float)
    scores = points @ [2, -1, 3] + 1
    far = np.flatnonzero(np.abs(scores) > 1)[:n]
    return points[far], np.sign(scores[far]).astype(int)


def weights_of(model):
    return np.append(model.intercept_, model.coef_)


def theirs(passes, **settings):
    return Perceptron(max_iter=passes, tol=None, shuffle=False, **settings)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("passes", [1, 3, 10])
def test_passes_and_the_missing_intercept_are_scikit_learns(passes, fit_intercept):
    X, y = scattered()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = PLAClassifier(max_iter=passes, fit_intercept=fit_intercept, eta0=0.5).fit(X, y)
    other = theirs(passes, fit_intercept=fit_intercept, eta0=0.5).fit(X, y)
    assert np.array_equal(weights_of(model), weights_of(other))
    whole = last(pla(Dataset(X, y, fit_intercept)))
    assert whole.passes > 3
    assert model.n_iter_ == min(passes, whole.passes)


@pytest.mark.parametrize(
    ("class_weight", "by_sample"),
    [({-1: 0.5, 1: 2.0}, False), (None, True), ({-1: 4.0}, True), ("balanced", False)],
)
def test_weights_scale_the_updates_as_in_scikit_learn(class_weight, by_sample):
    X, y = scattered()
    sample_weight = 2.0 ** np.random.default_rng(2).integers(-2, 3, len(y)) if by_sample else None
    model = PLAClassifier(class_weight=class_weight).fit(X, y, sample_weight)
    other = theirs(model.n_iter_, class_weight=class_weight).fit(X, y, sample_weight=sample_weight)
    assert weights_of(model) == pytest.approx(weights_of(other), rel=1e-12)
    if class_weight != "balanced":
        assert np.array_equal(weights_of(model), weights_of(other))
    plain = PLAClassifier().fit(X, y)
    assert not np.array_equal(weights_of(model), weights_of(plain))


@each
def test_a_sample_of_no_importance_is_left_out(classifier):
    X, y = scattered()
    importance = np.where(np.arange(len(y)) % 3, 2.0, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = classifier(max_updates=300).fit(X, y, importance)
        other = classifier(max_updates=300).fit(X[importance > 0], y[importance > 0])
    # A common factor 2 changes no pick, only the weights.
    assert np.array_equal(model.decision_function(X), 2 * other.decision_function(X))
    assert model.n_updates_ == other.n_updates_


def test_the_pocket_weighs_mistakes_by_their_importance():
    X, y = [[0.0], [0.0], [0.0]], [0, 1, 1]
    assert PocketClassifier(max_updates=50).fit(X, y).predict([[0.0]]) == [1]
    heavy = PocketClassifier(max_updates=50).fit(X, y, [100.0, 1, 1])
    assert (heavy.predict([[0.0]]), heavy.n_errors_) == ([0], 2)
    assert PocketClassifier(max_updates=50, class_weight={0: 100}).fit(X, y).n_errors_ == 2


@pytest.mark.parametrize("pick", ["in_turn", "lowest", "shuffled", "at_random"])
@pytest.mark.parametrize("classifier", [PLAClassifier, PocketClassifier])
@pytest.mark.parametrize("settings", [{}, {"fit_intercept": False}, {"class_weight": {1: 3.0}}])
def test_a_sparse_matrix_gives_the_weights_of_the_same_samples_in_full(classifier, pick, settings):
    rng = np.random.default_rng(3)
    X = rng.integers(-9, 10, (60, 8)) * (rng.random((60, 8)) < 0.3) / 10
    y = np.where(X @ rng.integers(-3, 4, 8) > 0, 1, -1)
    rows = csr_array(X)
    model = classifier(pick=pick, random_state=1, max_updates=200, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        dense, ours = clone(model).fit(X, y), clone(model).fit(rows, y)
    assert weights_of(ours).tolist() == weights_of(dense).tolist()
    assert ours.n_updates_ == dense.n_updates_
    assert np.array_equal(ours.predict(rows), dense.predict(X))


def test_sparse_rows_may_be_unsorted_and_stay_as_they_are():
    X = csr_array((np.array([1.0, 2, 3, 4]), np.array([1, 0, 0, 0]), np.array([0, 2, 4])), (2, 2))
    before = X.indices.copy()
    model = PLAClassifier().fit(X, [0, 1])
    assert (
        weights_of(model).tolist() == weights_of(PLAClassifier().fit(X.toarray(), [0, 1])).tolist()
    )
    assert X.indices.tolist() == before.tolist()


def test_a_sparse_fit_takes_no_room_for_the_zeros():
    n, d = 400, 50_000  # 160 MB in full
    X = sparse.random(n, d, density=1e-4, random_state=0, format="csr")
    y = np.arange(n) % 2
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        PLAClassifier(max_updates=20).fit(X, y).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_partial_fit_is_a_pass_and_passes_add_up():
    X, y = scattered()
    model, other, whole = PLAClassifier(), theirs(1), PLAClassifier().fit(X, y)
    for _ in range(whole.n_iter_):
        model.partial_fit(X, y, classes=[-1, 1])
        other.partial_fit(X, y, classes=[-1, 1])
        assert np.array_equal(weights_of(model), weights_of(other))
    assert np.array_equal(weights_of(model), weights_of(whole))
    assert (model.converged_, model.n_iter_, model.n_updates_) == (True, 1, whole.n_updates_)
    one_class = X[y > 0]
    assert model.partial_fit(one_class, np.ones(len(one_class), dtype=int)).converged_


def test_partial_fit_needs_both_classes_first_and_no_others_later():
    X, y = scattered()
    both = {"classes": [-1, 1]}
    refuses(ValueError, "needs all classes", PLAClassifier().partial_fit, X, y)
    model = PLAClassifier().partial_fit(X, y, **both)
    refuses(ValueError, "y has the class 0", model.partial_fit, X, y + 1)
    refuses(ValueError, "classes is [0 1]", model.partial_fit, X, y, classes=[0, 1])
    stopping = PLAClassifier(early_stopping=True)
    refuses(ValueError, "early_stopping is True", stopping.partial_fit, X, y, **both)
    balanced = PLAClassifier(class_weight="balanced")
    refuses(ValueError, "give partial_fit a dict of weights", balanced.partial_fit, X, y, **both)


@pytest.mark.parametrize("classifier", [PLAClassifier, PocketClassifier])
def test_a_warm_start_goes_on_where_the_last_fit_ended(classifier):
    X, y = scattered()
    model = classifier(warm_start=True).fit(X, y)
    assert model.n_updates_ > 0
    before = weights_of(model)
    assert np.array_equal(weights_of(model.fit(X, y)), before)
    assert (model.n_updates_, model.n_iter_) == (0, 1)
    assert clone(model).set_params(warm_start=False).fit(X, y).n_updates_ > 0


def test_one_warning_is_ours_and_scikit_learns():
    with pytest.warns() as caught:
        PLAClassifier(max_updates=5).fit([[0.0], [0.0]], [0, 1])
    (warning,) = caught
    assert issubclass(warning.category, ConvergenceWarning)
    assert issubclass(warning.category, perceptron_notes.ConvergenceWarning)


# ------------------------------------------------------------------------------ many classes

FLOWERS = load_iris()
WEIGHTS = 2.0 ** np.random.default_rng(4).integers(-1, 2, len(FLOWERS.target))


def quiet(call, *arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return call(*arguments, **settings)


@pytest.mark.parametrize("passes", [1, 20])
@pytest.mark.parametrize(
    ("settings", "weights"),
    [
        ({}, None),
        ({"fit_intercept": False}, None),
        ({"class_weight": {0: 2.0, 1: 0.5, 2: 1.0}}, WEIGHTS),
        ({"class_weight": "balanced"}, None),
    ],
)
def test_three_classes_have_the_weights_of_scikit_learns_perceptron(settings, weights, passes):
    X, y = FLOWERS.data, FLOWERS.target_names[FLOWERS.target]
    if isinstance(settings.get("class_weight"), dict):
        settings = {"class_weight": dict(zip(FLOWERS.target_names, (2.0, 0.5, 1.0), strict=True))}
    model = quiet(PLAClassifier(max_iter=passes, **settings).fit, X, y, weights)
    other = theirs(passes, **settings).fit(X, y, sample_weight=weights)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-12)
    assert model.intercept_ == pytest.approx(other.intercept_, rel=1e-12)
    assert model.predict(X).tolist() == other.predict(X).tolist()
    assert model.decision_function(X[:5]).shape == (5, 3)
    full = quiet(PLAClassifier(max_iter=passes, **settings).fit, csr_array(X), y, weights)
    assert np.array_equal(full.coef_, model.coef_)


def test_each_class_has_the_run_of_its_own_against_the_rest():
    X, y = FLOWERS.data, FLOWERS.target
    with pytest.warns(ConvergenceWarning, match="2 of 3 classes"):
        model = PLAClassifier(max_iter=10).fit(X, y)
    alone = [quiet(PLAClassifier(max_iter=10).fit, X, y == k) for k in range(3)]
    assert np.array_equal(model.coef_, np.vstack([one.coef_ for one in alone]))
    assert model.n_updates_ == sum(one.n_updates_ for one in alone)
    assert model.n_iter_ == 10 > alone[0].n_iter_
    assert (model.converged_, alone[0].converged_) == (False, True)
    parts = PLAClassifier()
    for _ in range(10):
        parts.partial_fit(X, y, classes=[0, 1, 2])
    assert np.array_equal(parts.coef_, model.coef_)


@pytest.mark.parametrize("classifier", [PLAClassifier, PocketClassifier])
def test_a_fit_may_start_from_weights_of_the_users_own(classifier):
    X, y = scattered()
    done = classifier().fit(X, y)
    start = {"coef_init": done.coef_, "intercept_init": done.intercept_}
    assert classifier().fit(X, y, **start).n_updates_ == 0
    flat = {"coef_init": [1.0, -5, 2], "intercept_init": 3}
    model = classifier(max_iter=1, warm_start=True)
    quiet(quiet(model.fit, X, y).fit, X, y, **flat)
    other = theirs(1).fit(X, y, **flat)
    if classifier is PLAClassifier:
        assert np.array_equal(weights_of(model), weights_of(other))
    else:
        assert model.n_errors_ <= (other.predict(X) != y).sum()
    bent = {"coef_init": np.ones(2)}
    refuses(ValueError, "coef_init has shape (2,); expected (1, 3) or (3,)", done.fit, X, y, **bent)
    model = classifier(fit_intercept=False)
    refuses(ValueError, "fit_intercept is False", model.fit, X, y, intercept_init=1)


def test_weights_to_start_from_have_a_row_for_each_of_many_classes():
    X, y, W = FLOWERS.data, FLOWERS.target, np.arange(12.0).reshape(3, 4)
    start = {"coef_init": W, "intercept_init": [1.0, 2, 3]}
    model = quiet(PLAClassifier(max_iter=2).fit, X, y, **start)
    assert np.array_equal(model.coef_, theirs(2).fit(X, y, **start).coef_)
    refuses(ValueError, "expected (3, 4)", model.fit, X, y, coef_init=W[:2])
    again = PLAClassifier(warm_start=True, max_iter=2)
    quiet(again.fit, X, y)
    refuses(ValueError, "y has 2 classes, the fit before had 3", again.fit, X, y > 0)


# -------------------------------------------------------------------------------- averages


def overlapping():
    """Two kinds of flowers in an order without a plan; every fifth has the wrong name."""
    order = 50 + np.random.default_rng(6).permutation(100)
    kinds = np.where(np.arange(100) % 5, FLOWERS.target[order], 3 - FLOWERS.target[order])
    return FLOWERS.data[order], FLOWERS.target_names[kinds]


def averaged(passes, **settings):
    """Their classifier whose averages are defined as ours, as long as no run halts."""
    return SGDClassifier(
        "perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True,
        max_iter=passes, tol=None, shuffle=False, **settings,
    )  # fmt: skip


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("settings", [{}, {"fit_intercept": False}, {"class_weight": "balanced"}])
def test_averages_are_those_of_scikit_learn_dense_and_sparse(settings, weights):
    X, y = FLOWERS.data, FLOWERS.target
    model = quiet(PLAClassifier(average=True, max_iter=3, **settings).fit, X, y, weights)
    other = averaged(3, **settings).fit(X, y, sample_weight=weights)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-9)
    assert model.intercept_ == pytest.approx(other.intercept_, rel=1e-9)
    full = quiet(PLAClassifier(average=True, max_iter=3, **settings).fit, csr_array(X), y, weights)
    assert np.array_equal(full.coef_, model.coef_)


@pytest.mark.parametrize("pick", ["in_turn", "lowest", at_random(np.random.default_rng(1))])
@pytest.mark.parametrize("caps", [{}, {"max_updates": 30}, {"max_iter": 2}])
def test_an_average_is_the_packages(pick, caps):
    X, y = scattered()
    rule = pick if callable(pick) else {"in_turn": in_turn, "lowest": lowest}[pick]
    model = quiet(PLAClassifier(pick=pick, average=True, verbose=7, **caps).fit, X, y)
    data = Dataset(X, y)
    passes = caps.get("max_iter") if rule is in_turn else None
    most = 2 * data.n if caps == {"max_iter": 2} and passes is None else caps.get("max_updates")
    end = last(average(data, pla(data, rule)), most, passes=passes)
    assert weights_of(model).tolist() == end.average.tolist()
    assert model.n_updates_ == end.t


def test_an_average_goes_on_over_all_calls_of_partial_fit():
    X, y = FLOWERS.data, FLOWERS.target
    model, W, total, rounds = PLAClassifier(average=True), np.zeros((3, 5)), np.zeros((3, 5)), 0
    for part in (slice(0, 150), slice(40, 120), slice(10, 140)):
        model.partial_fit(X[part], y[part], classes=[0, 1, 2])
        for x, label in zip(np.insert(X[part], 0, 1, axis=1), y[part], strict=True):
            signs = np.where(np.arange(3) == label, 1, -1)
            W = W + np.outer(signs * (signs * (W @ x) <= 0), x)
            total, rounds = total + W, rounds + 1
        mean = total / rounds
        assert model.coef_ == pytest.approx(mean[:, 1:], rel=1e-9)
        # scikit-learn's intercepts are the last ones here, not the average of them.
        assert model.intercept_ == pytest.approx(mean[:, 0], rel=1e-9)


def test_a_warm_start_from_an_average_is_scikit_learns():
    X, y = overlapping()
    model, other = PLAClassifier(average=True, max_iter=2, warm_start=True), averaged(2)
    other.set_params(warm_start=True)
    for _ in range(2):
        quiet(model.fit, X, y)
        assert weights_of(model) == pytest.approx(weights_of(other.fit(X, y)), abs=1e-9)
    fresh, whole = PLAClassifier(average=True, max_iter=2), PLAClassifier(average=True, max_iter=3)
    quiet(fresh.fit, X, y).partial_fit(X, y)
    assert weights_of(fresh) == pytest.approx(weights_of(quiet(whole.fit, X, y)), rel=1e-9)


def test_the_average_is_steadier_than_the_last_weights():
    rng = np.random.default_rng(3)
    data = flip_labels(halfspaces(400, 5, distance=0.05, rng=rng), 80, rng=rng)
    scores = {
        kind: quiet(
            cross_val_score, PLAClassifier(max_iter=10, average=kind), data.points, data.y, cv=5
        ).mean()
        for kind in (False, True)
    }
    assert scores[True] > scores[False] + 0.05


# --------------------------------------------------------------------------- early stopping


@pytest.mark.parametrize("settings", [{}, {"average": True}, {"class_weight": "balanced"}])
@pytest.mark.parametrize("weights", [None, 16 ** (WEIGHTS[50:] - 1)])
def test_early_stopping_keeps_the_best_weights_on_what_is_held_out(settings, weights):
    X, y = overlapping()
    split = StratifiedShuffleSplit(1, test_size=0.3, random_state=2)
    ((_, held),) = split.split(X, y)
    kept = np.setdiff1d(np.arange(len(y)), held)
    stop = {"early_stopping": True, "validation_fraction": 0.3, "n_iter_no_change": 4}
    model = PLAClassifier(random_state=2, **stop, **settings).fit(X, y, weights)
    if settings.get("class_weight"):
        classes, counts = np.unique(y, return_counts=True)
        settings = {"class_weight": dict(zip(classes, 50 / counts, strict=True))}
    parts, best, idle, passes = PLAClassifier(**settings), None, 0, 0
    part = (None, None) if weights is None else (weights[kept], weights[held])
    while idle < 4:
        parts.partial_fit(X[kept], y[kept], classes=np.unique(y), sample_weight=part[0])
        score = parts.score(X[held], y[held], sample_weight=part[1])
        passes, idle = passes + 1, idle + 1
        if best is None or score > best[0]:
            best, idle = (score, deepcopy(parts)), 0
    assert (model.n_iter_, model.n_updates_) == (passes, parts.n_updates_)
    assert weights_of(model) == pytest.approx(weights_of(best[1]), rel=1e-12)
    assert not model.converged_
    # An average goes on from there.
    for either in (model.set_params(early_stopping=False, **settings), best[1]):
        either.partial_fit(X[kept], y[kept], sample_weight=part[0])
    assert weights_of(model) == pytest.approx(weights_of(best[1]), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_early_stopping_stops_when_scikit_learns_perceptron_does(seed):
    X, y = overlapping()
    stop = {"early_stopping": True, "validation_fraction": 0.2, "random_state": seed}
    model = PLAClassifier(**stop).fit(X, y)
    assert model.n_iter_ == Perceptron(shuffle=False, **stop).fit(X, y).n_iter_


def test_early_stopping_ends_at_a_cap_too_and_says_so():
    X, y = overlapping()
    stop = {"early_stopping": True, "n_iter_no_change": 50, "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        assert PLAClassifier(max_iter=3, **stop).fit(X, y).n_iter_ == 3
    with pytest.warns(ConvergenceWarning, match="max_updates=20"):
        assert PLAClassifier(max_updates=20, **stop).fit(X, y).n_updates_ == 20


def test_early_stopping_needs_no_cap():
    rng = np.random.default_rng(1)
    X, y = rng.integers(-9, 10, (4000, 3)), rng.integers(0, 2, 4000)
    model = PLAClassifier(early_stopping=True, n_iter_no_change=8, random_state=0).fit(X, y)
    assert model.n_updates_ > 10_000


def test_early_stopping_tells_of_each_pass_and_counts_all_updates(capsys):
    X, y = overlapping()
    model = PLAClassifier(early_stopping=True, random_state=0, verbose=1).fit(X, y)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [int(line[2][:-1]) for line in lines if line[1] == "pass"] == [
        *range(1, model.n_iter_ + 1)
    ]
    updates = [int(line[1]) for line in lines if line[-1] == "updates"]
    assert updates == [*range(1, model.n_updates_ + 1)]


def test_early_stopping_needs_samples_to_hold_out():
    X, y = overlapping()
    for error, words, settings in (
        (ValueError, "validation_fraction is 1.5", {"validation_fraction": 1.5}),
        (ValueError, "n_iter_no_change is 0", {"n_iter_no_change": 0}),
        (ValueError, "0.001 of 100 samples", {"validation_fraction": 0.001}),
    ):
        refuses(error, words, PLAClassifier(early_stopping=True, **settings).fit, X, y)
    ((_, held),) = StratifiedShuffleSplit(1, test_size=0.1, random_state=0).split(X, y)
    weights = np.ones(100)
    weights[held] = 0
    stopping = PLAClassifier(early_stopping=True, random_state=0)
    refuses(ValueError, "in the part held out", stopping.fit, X, y, weights)


# --------------------------------------------------------------------------------- kernels


@pytest.mark.parametrize("name", ["rbf", "poly", "linear"])
def test_kernels_are_those_of_scikit_learn(name):
    X, y = scattered(40)
    gamma = 1 / (X.shape[1] * X.var())
    settings = {} if name == "linear" else {"gamma": gamma}
    settings |= {"coef0": 1.0, "degree": 3} if name == "poly" else {}
    K = pairwise_kernels(X, metric=name, **settings)
    model = KernelPerceptronClassifier(name, gamma="scale").fit(X, y)
    other = KernelPerceptronClassifier("precomputed").fit(K, y)
    assert model.gamma_ == pytest.approx(gamma)
    assert model.support_.tolist() == other.support_.tolist()
    assert model.dual_coef_.tolist() == other.dual_coef_.tolist()
    assert model.decision_function(X) == pytest.approx(other.decision_function(K), abs=1e-9)
    assert other.support_vectors_.shape == (0, 0)


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
@pytest.mark.parametrize("least", [0, 1])
def test_importance_means_the_same_in_the_dual_form(kernel, least):
    X, y = scattered()
    importance = np.random.default_rng(1).integers(least, 4, len(y)).astype(float)
    primal = PLAClassifier().fit(X, y, importance)
    dual = KernelPerceptronClassifier(kernel).fit(
        X if kernel == "linear" else X @ X.T, y, importance
    )
    assert dual.n_updates_ == primal.n_updates_
    assert dual.dual_coef_ @ X[dual.support_] == pytest.approx(primal.coef_, rel=1e-12)
    assert dual.intercept_ == pytest.approx(primal.intercept_)
    scores = dual.decision_function(X if kernel == "linear" else X @ X.T)
    assert scores == pytest.approx(primal.decision_function(X), rel=1e-9)


def test_without_an_update_the_kernel_form_has_no_support_and_one_answer():
    with pytest.warns(ConvergenceWarning):
        model = KernelPerceptronClassifier(max_updates=0).fit([[0.0], [1.0]], ["a", "b"])
    assert len(model.support_) == 0
    assert model.predict([[3.0]]).tolist() == ["a"]


def both_kinds(classifier, X):
    """The same points dense, and sparse for those that take them."""
    return [X] if classifier is KernelPerceptronClassifier else [X, csr_array(X)]


@each
@pytest.mark.parametrize("weight", [-5.0, np.nan, np.inf, -np.inf])
def test_a_class_weight_that_is_none_is_blamed_itself(classifier, weight):
    model = classifier(class_weight={"a": 1, "b": weight})
    for X in both_kinds(classifier, np.array([[0.0], [1.0], [2.0]])):
        refuses(ValueError, f"class_weight['b'] is {weight:g}", model.fit, X, ["a", "b", "b"])


@each
def test_bad_weights_get_a_sentence(classifier):
    none, much = (classifier(class_weight=of) for of in ({0: 0.0, 1: 0.0}, {0: 1.0, 1: 1e100}))
    for X in both_kinds(classifier, np.array([[0.0], [1.0]])):
        refuses(ValueError, "sample_weight[1] is -1", classifier().fit, X, [0, 1], [1, -1])
        refuses(ValueError, "contains NaN", classifier().fit, X, [0, 1], [1, np.nan])
        refuses(ValueError, "no sample with a weight > 0", none.fit, X, [0, 1])
        refuses(ValueError, "sample 1 has the weight 1e+200", much.fit, X, [0, 1], [1, 1e100])


@each
def test_points_that_were_rounded_or_reach_too_far_are_refused_as_x(classifier):
    for X in both_kinds(classifier, np.array([[1, 2], [0, 2**53 + 1]])):
        refuses(ValueError, "X[1, 1] is 9007199254740993, which", classifier().fit, X, [0, 1])
    for X in both_kinds(classifier, np.array([[1.0, 0], [0, 1e200]])):
        refuses(ValueError, "X[1, 1] is 1e+200", classifier().fit, X, [0, 1])


@each
def test_tables_whose_rows_are_shuffled_apart_are_noticed(classifier):
    X, y = pd.DataFrame({"a": [0.0, 1.0, 2.0]}), pd.Series([0, 1, 1])
    apart, fit = y.loc[[2, 0, 1]], classifier().fit
    refuses(ValueError, "rows of y have another order than those of X", fit, X, apart)
    refuses(ValueError, "rows of sample_weight have another order", fit, X, y, sample_weight=apart)
    assert fit(X, apart.loc[X.index]).score(X, y) == 1


# ------------------------------------------------------------------------ caps and progress


@pytest.mark.parametrize("classifier", [PLAClassifier, KernelPerceptronClassifier])
def test_a_cap_warns_with_its_number_in_the_callers_file(classifier):
    data = Dataset([[0.0], [0.0]], [1, -1])
    with pytest.warns(ConvergenceWarning, match="max_updates=50") as caught:
        model = classifier(max_updates=50).fit(data.points, data.y)
    assert caught[0].filename == __file__
    assert (model.n_updates_, model.converged_) == (50, False)


def test_the_warning_blames_the_units_of_the_columns_by_name_and_figure():
    wine = load_wine(as_frame=True)
    X, y = wine.data, wine.target == 1
    told = []
    for points in (X, X.to_numpy(), csr_array(X.to_numpy())):
        with pytest.warns(ConvergenceWarning) as caught:
            PLAClassifier().fit(points, y)
        told.append(str(caught[0].message))
    named, *numbered = told
    for text in (named, *numbered):
        assert "1,402" in text
        assert "0.53" in text
        assert "StandardScaler" in text
        assert "perceptron_notes.diagnose(X, y)" in text
    assert "'proline'" in named
    assert "'nonflavanoid_phenols'" in named
    assert all("column 12" in text and "column 7" in text for text in numbered)
    model = make_pipeline(StandardScaler(), PLAClassifier()).fit(X, y)
    assert model[-1].converged_
    assert model[-1].n_updates_ < 100


def test_the_warning_blames_a_column_far_from_0_and_none_that_is_not():
    years = np.array([[1999.0, 1], [2000, 2], [2001, 3]])
    with pytest.warns(ConvergenceWarning, match="column 0 lies around 2,000"):
        PLAClassifier(max_updates=20).fit(years, [0, 1, 0])
    for X in (years - [2000, 2], np.full((3, 2), 0.1)):
        with pytest.warns(ConvergenceWarning) as caught:
            PLAClassifier(max_updates=20).fit(X, [0, 1, 0])
        assert "standardise" not in str(caught[0].message)


@pytest.mark.parametrize("pick", ["lowest", "at_random"])
def test_where_a_rule_makes_no_passes_n_updates_stand_for_one(pick):
    X, y = overlapping()
    model = quiet(PLAClassifier(pick=pick, max_iter=3, random_state=0).fit, X, y)
    assert (model.n_iter_, model.n_updates_) == (3, 3 * len(y))
    assert PLAClassifier(pick="lowest").fit(li_hang().points, li_hang().y).n_iter_ == 3  # 7 updates
    part = PLAClassifier(pick=pick, random_state=0).partial_fit(X, y, classes=np.unique(y))
    assert (part.n_iter_, part.n_updates_) == (1, len(y))
    picks = {"pick": ["in_turn", "shuffled", pick]}
    search = quiet(GridSearchCV(PLAClassifier(max_iter=5), picks, cv=3).fit, X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@each
@pytest.mark.parametrize("verbose", [0, True, 3, 100])
def test_progress_is_told_when_asked_and_changes_nothing(classifier, verbose, capsys):
    X, y = scattered(60)
    y = np.where(np.arange(60) < 6, -y, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        silent = classifier(max_updates=10).fit(X, y)
        model = classifier(max_updates=10, verbose=verbose).fit(X, y)
    assert model.n_updates_ == silent.n_updates_ == 10
    assert np.array_equal(model.decision_function(X), silent.decision_function(X))
    told = [t for t in range(1, 10) if verbose and not t % verbose]
    lines = [f"[{classifier.__name__}] {t} updates" for t in told]
    assert capsys.readouterr().out.splitlines() == lines


# --------------------------------------------------------------------------------- bad input


@each
def test_bad_input_gets_a_sentence(classifier):
    X, y = [[1], [2], [3]], [0, 1, 1]
    if classifier is not PLAClassifier:
        refuses(ValueError, "3 classes take", classifier().fit, X, [0, 1, 2])
    refuses(ValueError, "y has 1 class, 1", classifier().fit, X, [1, 1, 1])
    for error, words, arguments in (
        (ValueError, "pick is 'best'", {"pick": "best"}),
        (TypeError, "pick is shuffled itself", {"pick": shuffled}),
        (TypeError, "pick is 3", {"pick": 3}),
        (ValueError, "max_updates is -1", {"max_updates": -1}),
        (TypeError, "max_updates is 1.5", {"max_updates": 1.5}),
        (ValueError, "verbose is -1", {"verbose": -1}),
    ):
        refuses(error, words, classifier(**arguments).fit, X, y)


def test_settings_of_one_kind_are_refused_by_their_names():
    X, y = [[1.0], [2]], [0, 1]
    for error, words, model in (
        (ValueError, "eta0 is 0", PLAClassifier(eta0=0)),
        (TypeError, "average is 10", PLAClassifier(average=10)),
        (TypeError, "fit_intercept is 'no'", PLAClassifier(fit_intercept="no")),
        (TypeError, "kernel is 5", KernelPerceptronClassifier(5)),
        (TypeError, "kernel is rbf", KernelPerceptronClassifier(rbf)),
        (ValueError, "kernel is 'cubic'", KernelPerceptronClassifier("cubic")),
        (ValueError, "coef0 is -1", KernelPerceptronClassifier("poly", coef0=-1)),
        (ValueError, "gamma is 'wide'", KernelPerceptronClassifier(gamma="wide")),
        (ValueError, "X has shape (2, 1)", KernelPerceptronClassifier("precomputed")),
    ):
        refuses(error, words, model.fit, X, y)
    precomputed = KernelPerceptronClassifier("precomputed")
    refuses(ValueError, "X[0, 1] is 1 but X[1, 0] is 2", precomputed.fit, [[1, 1], [2, 5]], y)


@each
def test_a_column_of_text_and_an_unknown_setting_are_named(classifier):
    X = pd.DataFrame({"size": [1, 2, 3], "name": ["a", "b", "c"]})
    refuses(TypeError, "column 'name'", classifier().fit, X, [0, 1, 1])
    refuses(TypeError, classifier.__name__, classifier, tol=1e-3)


def test_a_refused_call_leaves_the_model_as_it_was():
    X, y = [[0.0], [1], [3]], np.array(["b", "b", "a"])
    model, more, fresh = PLAClassifier().fit(X, y), {"classes": ["x", "y"]}, PLAClassifier()
    refuses(ValueError, "y has 1 class, x", model.fit, X, ["x", "x", "x"])
    refuses(ValueError, "y has 1 class, x", model.partial_fit, X, y, classes=["x"])
    refuses(ValueError, "classes is ['x' 'y']", model.partial_fit, X, y, **more)
    assert model.predict(X).tolist() == ["b", "b", "a"]
    both = {"classes": ["a", "b"]}
    refuses(ValueError, "y has the class c", fresh.partial_fit, X, ["c", "b", "a"], **both)
    assert fresh.partial_fit(X, y, **both).n_updates_ > 0


@each
def test_a_fit_that_is_refused_late_leaves_the_model_as_it_was(classifier):
    X, y = [[0.0], [1], [3]], np.array(["b", "b", "a"])
    model = classifier().fit(X, y)
    before = dict(vars(model))
    bad, other = {"sample_weight": [-1, 1, 1]}, [[0.0, 1], [1, 2], [3, 4]]
    refuses(ValueError, "sample_weight[0] is -1", model.fit, other, ["x", "y", "y"], **bad)
    assert vars(model) == before


@pytest.mark.parametrize("classifier", [PLAClassifier, PocketClassifier])
def test_warm_starts_need_as_many_features(classifier):
    model = classifier(warm_start=True).fit([[0.0], [1]], [0, 1])
    refuses(ValueError, "X has 2 features, the fit before had 1", model.fit, np.eye(2), [0, 1])


@pytest.mark.parametrize("factor", [1, 3, 10, 2.0**-100, 2.0**100])
def test_weighted_mistakes_that_weigh_the_same_leave_the_pocket_alone(factor):
    """Sample 0 weighs as much as samples 1 and 3: the first weights stay."""
    X, y = [[-1], [-2], [2], [2], [0]], [-1, 1, -1, -1, 1]
    importance = factor * np.array([3.0, 1, 1, 2, 2])
    classifier = PocketClassifier(max_updates=12).fit(X, y, sample_weight=importance)
    w = np.array([classifier.intercept_[0], classifier.coef_[0, 0]])
    assert np.allclose(w / np.abs(w).max(), [-1, -1 / 3])
    assert classifier.n_errors_ == 2
