"""The algorithms as scikit-learn classifiers: its own checks, and the package's results."""

import os
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest

import perceptron_notes
from perceptron_notes import (
    Dataset,
    at_random,
    certify,
    dual_pla,
    last,
    lowest,
    pla,
    pocket,
    predict,
    rbf,
    separate,
    shuffled,
)
from perceptron_notes.datasets import flip_labels, halfspaces, iris, li_hang, rings, xor
from perceptron_notes.dual import dual_score
from perceptron_notes.kernels import gram
from perceptron_notes.model import augment

try:
    from scipy import sparse
    from scipy.sparse import csr_array
    from sklearn.base import clone
    from sklearn.datasets import load_iris
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
    from sklearn.linear_model import Perceptron
    from sklearn.linear_model.tests import test_perceptron as their_tests
    from sklearn.metrics.pairwise import pairwise_kernels
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils._test_common.instance_generator import _get_expected_failed_checks
    from sklearn.utils.estimator_checks import check_estimator

    from perceptron_notes.estimators import (
        KernelPerceptronClassifier,
        PLAClassifier,
        PocketClassifier,
    )
except ImportError:
    if os.environ.get("CI") == "true":
        raise
    pytest.skip(
        "scikit-learn is missing: pip install perceptron_notes[sklearn]", allow_module_level=True
    )

CLASSIFIERS = [PLAClassifier, PocketClassifier, KernelPerceptronClassifier]
each = pytest.mark.parametrize("classifier", CLASSIFIERS)


#: Where samples overlap, a run goes on to its cap; most of these checks need no long runs.
SHORT = [PLAClassifier(max_updates=300), PocketClassifier(max_updates=300)]


@pytest.mark.parametrize(
    "model",
    [
        *SHORT,
        KernelPerceptronClassifier(),
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


@each
def test_three_classes_of_iris_go_through_one_versus_rest(classifier):
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        binary = classifier(pick="shuffled", random_state=2)
        model = OneVsRestClassifier(binary).fit(X, y)
    assert model.estimators_[0].score(X, y == 0) == 1
    assert model.score(X, y) > 0.7


@each
def test_there_are_no_probabilities(classifier):
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(classifier(), name)


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


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", rbf(2.0)])
def test_kernels_can_be_named_or_given(kernel):
    data = xor()
    model = KernelPerceptronClassifier(kernel, degree=2).fit(data.points, data.y)
    assert model.score(data.points, data.y) == 1


def test_a_rule_of_ones_own_is_taken():
    data = li_hang()
    rule = at_random(np.random.default_rng(0))
    assert PLAClassifier(pick=rule).fit(data.points, data.y).converged_


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


def test_n_iter_counts_passes_and_the_clean_one():
    data = li_hang()
    assert PLAClassifier().fit(data.points, data.y).n_iter_ == last(pla(data)).passes == 6
    assert PLAClassifier(pick="lowest").fit(data.points, data.y).n_iter_ is None


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


def test_with_weights_from_a_to_b_the_bound_grows_by_b_over_a():
    X, y = scattered(40)
    bound = certify(Dataset(X, y), separate(Dataset(X, y))).bound
    for seed in range(20):
        importance = np.random.default_rng(seed).uniform(1, 3, len(y))
        model = PLAClassifier().fit(X, y, importance)
        assert model.converged_
        assert model.n_updates_ <= importance.max() / importance.min() * (bound + 1)


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
    with pytest.raises(ValueError, match="the first partial_fit needs both classes"):
        PLAClassifier().partial_fit(X, y)
    model = PLAClassifier().partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(ValueError, match="y has the class 0; expected one of"):
        model.partial_fit(X, y + 1)
    with pytest.raises(ValueError, match=r"classes is \[0 1\]; the fit before had \[-1  1\]"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="pick='lowest' makes no passes"):
        PLAClassifier(pick="lowest").partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(ValueError, match="give partial_fit a dict of weights"):
        PLAClassifier(class_weight="balanced").partial_fit(X, y, classes=[-1, 1])


@pytest.mark.parametrize("classifier", [PLAClassifier, PocketClassifier])
def test_a_warm_start_goes_on_where_the_last_fit_ended(classifier):
    X, y = scattered()
    model = classifier(warm_start=True).fit(X, y)
    assert model.n_updates_ > 0
    before = weights_of(model)
    assert np.array_equal(weights_of(model.fit(X, y)), before)
    assert (model.n_updates_, model.n_iter_) == (0, 1)
    assert clone(model).set_params(warm_start=False).fit(X, y).n_updates_ > 0


@each
def test_a_fit_draws_nothing_from_the_global_generator(classifier):
    X, y = scattered(30)
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    for pick in ("in_turn", "shuffled", "at_random"):
        classifier(pick=pick).fit(X, y)
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002


def test_max_iter_counts_passes_only_where_there_are_some():
    X, y = scattered()
    with pytest.raises(ValueError, match=r"max_iter is 5, but pick='lowest' makes no passes; max_"):
        PLAClassifier(pick="lowest", max_iter=5).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="still mistakes after max_iter=1 passes"):
        PLAClassifier(max_iter=1).fit([[0.0], [0.0]], [0, 1])


def test_one_warning_is_ours_and_scikit_learns():
    with pytest.warns() as caught:
        PLAClassifier(max_updates=5).fit([[0.0], [0.0]], [0, 1])
    (warning,) = caught
    assert issubclass(warning.category, ConvergenceWarning)
    assert issubclass(warning.category, perceptron_notes.ConvergenceWarning)


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


def test_poly_is_polynomial_and_auto_is_one_over_d():
    X, y = scattered(40)
    named = [KernelPerceptronClassifier(name, gamma="auto") for name in ("poly", "polynomial")]
    one, other = (model.fit(X, y) for model in named)
    assert one.gamma_ == 1 / 3
    assert one.dual_coef_.tolist() == other.dual_coef_.tolist()


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


def test_a_precomputed_kernel_must_be_square_and_works_in_a_search():
    X, y = scattered(60)
    with pytest.raises(ValueError, match=r"X has shape \(60, 3\); a precomputed Gram matrix is sq"):
        KernelPerceptronClassifier("precomputed").fit(X, y)
    with pytest.raises(ValueError, match="gamma is 'wide'; expected a number, 'scale' or 'auto'"):
        KernelPerceptronClassifier(gamma="wide").fit(X, y)
    model = KernelPerceptronClassifier("precomputed")
    assert cross_val_score(model, X @ X.T, y, cv=3).mean() > 0.8


def test_without_an_update_the_kernel_form_has_no_support_and_one_answer():
    with pytest.warns(ConvergenceWarning):
        model = KernelPerceptronClassifier(max_updates=0).fit([[0.0], [1.0]], ["a", "b"])
    assert len(model.support_) == 0
    assert model.decision_function([[3.0]]).tolist() == [0.0]
    assert model.predict([[3.0]]).tolist() == ["a"]


def both_kinds(classifier, X):
    """The same points dense, and sparse for those that take them."""
    return [X] if classifier is KernelPerceptronClassifier else [X, csr_array(X)]


@each
@pytest.mark.parametrize("weight", [-5.0, np.nan, np.inf, -np.inf])
def test_a_class_weight_that_is_none_is_blamed_itself(classifier, weight):
    points, y = np.array([[0.0], [1.0], [2.0]]), ["a", "b", "b"]
    for X in both_kinds(classifier, points):
        with pytest.raises(
            ValueError, match=r"class_weight\['b'\] is .*; expected a finite number"
        ):
            classifier(class_weight={"a": 1, "b": weight}).fit(X, y)


@each
def test_bad_weights_get_a_sentence(classifier):
    y = [0, 1]
    for X in both_kinds(classifier, np.array([[0.0], [1.0]])):
        with pytest.raises(ValueError, match=r"sample_weight\[1\] is -1; expected a finite number"):
            classifier().fit(X, y, [1, -1])
        with pytest.raises(ValueError, match="sample_weight contains NaN"):
            classifier().fit(X, y, [1, np.nan])
        with pytest.raises(ValueError, match="leave no sample with a weight > 0"):
            classifier(class_weight={0: 0.0, 1: 0.0}).fit(X, y)
        with pytest.raises(ValueError, match=r"sample 1 has the weight 1e\+200"):
            classifier(class_weight={0: 1.0, 1: 1e100}).fit(X, y, [1, 1e100])


@each
def test_points_that_were_rounded_or_reach_too_far_are_refused_as_x(classifier):
    for X in both_kinds(classifier, np.array([[1, 2], [3, 2**53 + 1]])):
        with pytest.raises(ValueError, match=r"X.* is 9007199254740993, which float64 does not"):
            classifier().fit(X, [0, 1])
    for X in both_kinds(classifier, np.array([[1.0], [1e200]])):
        with pytest.raises(ValueError, match=r"X.* is 1e\+200; expected a finite number of size"):
            classifier().fit(X, [0, 1])


@each
def test_tables_whose_rows_are_shuffled_apart_are_noticed(classifier):
    X, y = pd.DataFrame({"a": [0.0, 1.0, 2.0]}), pd.Series([0, 1, 1])
    apart = y.loc[[2, 0, 1]]
    with pytest.raises(ValueError, match="rows of y have another order than those of X"):
        classifier().fit(X, apart)
    with pytest.raises(ValueError, match="rows of sample_weight have another order"):
        classifier().fit(X, y, sample_weight=apart)
    assert classifier().fit(X, apart.loc[X.index]).score(X, y) == 1


# --------------------------------------------------- scikit-learn's own tests for its Perceptron


class AsTheirs(OneVsRestClassifier):
    """PLAClassifier under the name and with the settings that scikit-learn's tests use."""

    def __init__(self, max_iter=1000, tol=None, shuffle=False):
        self.max_iter, self.tol, self.shuffle = max_iter, tol, shuffle
        super().__init__(PLAClassifier(max_iter=max_iter))

    @property
    def coef_(self):
        return self.estimators_[0].coef_


#: Penalties are no part of the perceptron.
THEIRS = [name for name in vars(their_tests) if name.startswith("test_")]
OURS = [name for name in THEIRS if name != "test_perceptron_l1_ratio"]


@pytest.mark.parametrize("name", OURS)
def test_scikit_learns_tests_for_its_perceptron_pass(name, monkeypatch):
    monkeypatch.setattr(their_tests, "Perceptron", AsTheirs)
    test = getattr(their_tests, name)
    marks = getattr(test, "pytestmark", [])
    cases = [(case,) for case in marks[0].args[1]] if marks else [()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for case in cases:
            test(*case)


def test_scikit_learns_tests_are_those_that_are_known():
    assert len(OURS) >= 3
    assert set(THEIRS) - set(OURS) == {"test_perceptron_l1_ratio"}


# ------------------------------------------------------------------------ caps and progress


@pytest.mark.parametrize("classifier", [PLAClassifier, KernelPerceptronClassifier])
def test_a_cap_warns_with_its_number_in_the_callers_file(classifier):
    data = Dataset([[0.0], [0.0]], [1, -1])
    with pytest.warns(ConvergenceWarning, match="max_updates=50") as caught:
        model = classifier(max_updates=50).fit(data.points, data.y)
    assert caught[0].filename == __file__
    assert (model.n_updates_, model.converged_) == (50, False)


@each
@pytest.mark.parametrize("verbose", [0, False, True, 3, 100, 1000])
def test_progress_is_told_when_asked_and_changes_nothing(classifier, verbose, capsys):
    data = flip_labels(
        halfspaces(60, distance=0.1, rng=np.random.default_rng(5)), 6, rng=np.random.default_rng(6)
    )
    quiet = classifier(max_updates=10).fit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = classifier(max_updates=10, verbose=verbose).fit(data.points, data.y)
        silent = quiet(data.points, data.y)
    assert model.n_updates_ == silent.n_updates_ == 10
    new = np.random.default_rng(1).uniform(-1, 1, (20, 2))
    assert np.array_equal(model.decision_function(new), silent.decision_function(new))
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"[{classifier.__name__}] {t} updates" for t in range(1, 10) if verbose and not t % verbose
    ]


# --------------------------------------------------------------------------------- bad input


@each
@pytest.mark.parametrize(
    ("arguments", "X", "y", "error", "sentence"),
    [
        ({}, [[1], [2], [3]], [0, 1, 2], ValueError, r"3 classes take .*OneVsRestClassifier\("),
        ({}, [[1], [2]], [1, 1], ValueError, r"y has 1 class, 1; expected two classes"),
        ({"pick": "best"}, [[1], [2]], [0, 1], ValueError, r"pick is 'best'; expected a rule or"),
        ({"pick": shuffled}, [[1], [2]], [0, 1], TypeError, r"pick is shuffled itself; expected"),
        ({"pick": 3}, [[1], [2]], [0, 1], TypeError, r"pick is 3; expected a rule"),
        ({"max_updates": -1}, [[1], [2]], [0, 1], ValueError, r"max_updates is -1; expected at"),
        ({"max_updates": 1.5}, [[1], [2]], [0, 1], TypeError, r"max_updates is 1.5; expected a"),
        ({"verbose": -1}, [[1], [2]], [0, 1], ValueError, r"verbose is -1; expected at least 0"),
    ],
)
def test_bad_input_gets_a_sentence(classifier, arguments, X, y, error, sentence):
    with pytest.raises(error, match=sentence):
        classifier(**arguments).fit(X, y)


def test_a_refused_call_leaves_the_model_as_it_was():
    X, y = [[0.0], [1], [3]], np.array(["b", "b", "a"])
    model = PLAClassifier().fit(X, y)
    for refused, sentence in (
        (lambda: model.fit(X, ["x", "y", "z"]), "Only binary classification is supported"),
        (lambda: model.partial_fit(X, y, classes=["x"]), "y has 1 class, x; expected two"),
        (lambda: model.partial_fit(X, y, classes=["x", "y"]), r"classes is \['x' 'y'\]; the fit"),
    ):
        with pytest.raises(ValueError, match=sentence):
            refused()
        assert model.predict(X).tolist() == ["b", "b", "a"]
    fresh = PLAClassifier()
    with pytest.raises(ValueError, match="y has the class c; expected one of"):
        fresh.partial_fit(X, ["c", "b", "a"], classes=["a", "b"])
    assert fresh.partial_fit(X, y, classes=["a", "b"]).n_updates_ > 0


@each
def test_a_fit_that_is_refused_late_leaves_the_model_as_it_was(classifier):
    X, y = [[0.0], [1], [3]], np.array(["b", "b", "a"])
    model = classifier().fit(X, y)
    before, said = dict(vars(model)), model.predict(X).tolist()
    with pytest.raises(ValueError, match=r"sample_weight\[0\] is -1"):
        model.fit([[0.0, 1], [1, 2], [3, 4]], ["x", "y", "y"], sample_weight=[-1, 1, 1])
    assert vars(model) == before
    assert model.predict(X).tolist() == said


@pytest.mark.parametrize("classifier", [PLAClassifier, PocketClassifier])
def test_warm_starts_need_as_many_features(classifier):
    model = classifier(warm_start=True).fit([[0.0], [1]], [0, 1])
    with pytest.raises(ValueError, match="X has 2 features, the fit before had 1; warm_start"):
        model.fit([[0.0, 1], [1, 0]], [0, 1])


def test_kernels_are_refused_by_their_own_names():
    X, y = [[1], [2]], [0, 1]
    for kernel in (5, rbf):
        with pytest.raises(TypeError, match=r"kernel is .*; expected linear, polynomial"):
            KernelPerceptronClassifier(kernel).fit(X, y)
    with pytest.raises(ValueError, match="coef0 is -1; expected a number ≥ 0"):
        KernelPerceptronClassifier("poly", coef0=-1).fit(X, y)


def test_an_unknown_kernel_and_an_early_question_get_a_sentence():
    with pytest.raises(ValueError, match=r"kernel is 'cubic'; expected a kernel or one of"):
        KernelPerceptronClassifier("cubic").fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match=r"eta0 is 0; expected a positive finite number"):
        PLAClassifier(eta0=0).fit([[1], [2]], [0, 1])
    for classifier in CLASSIFIERS:
        with pytest.raises(NotFittedError):
            classifier().predict([[1]])


@pytest.mark.parametrize("factor", [1, 3, 10, 2.0**-100, 2.0**100])
def test_weighted_mistakes_that_weigh_the_same_leave_the_pocket_alone(factor):
    """Sample 0 weighs as much as samples 1 and 3: the first weights stay."""
    X, y = [[-1], [-2], [2], [2], [0]], [-1, 1, -1, -1, 1]
    importance = factor * np.array([3.0, 1, 1, 2, 2])
    classifier = PocketClassifier(max_updates=12).fit(X, y, sample_weight=importance)
    w = np.array([classifier.intercept_[0], classifier.coef_[0, 0]])
    assert np.allclose(w / np.abs(w).max(), [-1, -1 / 3])
    assert classifier.n_errors_ == 2
