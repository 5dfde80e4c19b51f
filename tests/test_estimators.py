"""The algorithms as scikit-learn classifiers: its own checks, and the package's results."""

import os
import warnings

import numpy as np
import pytest

from perceptron_notes import (
    Dataset,
    at_random,
    dual_pla,
    dual_score,
    flip_labels,
    gram,
    halfspaces,
    iris,
    last,
    li_hang,
    lowest,
    pla,
    pocket,
    predict,
    rbf,
    rings,
    xor,
)
from perceptron_notes.model import augment

try:
    from sklearn.base import clone
    from sklearn.datasets import load_iris
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
    from sklearn.linear_model import Perceptron
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
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


@each
def test_scikit_learns_own_checks_pass(classifier):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(classifier(), on_fail=None)
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
    assert model.n_iter_ == model.n_updates_ + 1
    if pick in ("lowest", lowest):
        end = last(pla(data, lowest))
        assert np.append(model.intercept_, model.coef_).tolist() == end.w.tolist()
        assert model.n_updates_ == end.t


def test_classes_may_have_any_names_and_predictions_are_the_packages():
    data = li_hang()
    model = PLAClassifier(rate=2).fit(data.points, np.where(data.y > 0, "yes", "no"))
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


# ------------------------------------------------------------------------ caps and progress


@pytest.mark.parametrize("classifier", [PLAClassifier, KernelPerceptronClassifier])
def test_a_cap_warns_with_its_number_in_the_callers_file(classifier):
    data = Dataset([[0.0], [0.0]], [1, -1])
    with pytest.warns(ConvergenceWarning, match="max_updates=50") as caught:
        model = classifier(max_updates=50).fit(data.points, data.y)
    assert caught[0].filename == __file__
    assert (model.n_updates_, model.converged_) == (50, False)


@each
@pytest.mark.parametrize("verbose", [0, 3, 100, 1000])
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
    assert lines == [f"[{classifier.__name__}] {t} updates" for t in (3, 6, 9) if verbose == 3]


# --------------------------------------------------------------------------------- bad input


@each
@pytest.mark.parametrize(
    ("arguments", "X", "y", "error", "sentence"),
    [
        ({}, [[1], [2], [3]], [0, 1, 2], ValueError, r"3 classes take .*OneVsRestClassifier\("),
        ({}, [[1], [2]], [1, 1], ValueError, r"y has 1 class, 1; expected two classes"),
        ({"pick": "best"}, [[1], [2]], [0, 1], ValueError, r"pick is 'best'; expected a rule or"),
        ({"max_updates": -1}, [[1], [2]], [0, 1], ValueError, r"max_updates is -1; expected at"),
        ({"max_updates": 1.5}, [[1], [2]], [0, 1], TypeError, r"max_updates is 1.5; expected a"),
        ({"verbose": -1}, [[1], [2]], [0, 1], ValueError, r"verbose is -1; expected at least 0"),
    ],
)
def test_bad_input_gets_a_sentence(classifier, arguments, X, y, error, sentence):
    with pytest.raises(error, match=sentence):
        classifier(**arguments).fit(X, y)


def test_an_unknown_kernel_and_an_early_question_get_a_sentence():
    with pytest.raises(ValueError, match=r"kernel is 'cubic'; expected a kernel or one of"):
        KernelPerceptronClassifier("cubic").fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match=r"rate is 0; expected a positive finite number"):
        PLAClassifier(rate=0).fit([[1], [2]], [0, 1])
    for classifier in CLASSIFIERS:
        with pytest.raises(NotFittedError):
            classifier().predict([[1]])
