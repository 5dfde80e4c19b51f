"""The algorithm as a scikit-learn classifier: its own checks, and the package's results."""

import sys
import tracemalloc
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from refusals import refuses
from scipy.sparse import csr_array, dok_matrix, hstack
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron
from sklearn.utils.estimator_checks import check_estimator

import perceptron_notes
from perceptron_notes import (
    Dataset,
    last,
    lowest,
    native,
    pla,
    predict,
    shuffled,
)
from perceptron_notes.datasets import halfspaces, li_hang
from perceptron_notes.estimators import PLAClassifier
from perceptron_notes.model import augment
from perceptron_notes.rules import NAMED

FLOWERS = load_iris()


def quiet(call, *arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return call(*arguments, **settings)


def weights_of(model):
    return np.append(model.intercept_, model.coef_)


def scattered(n=80, seed=1):
    """Separable samples in whole numbers, on which every sum is exact, and a class for each."""
    points = np.random.default_rng(seed).integers(-8, 9, (4 * n, 3)).astype(float)
    scores = points @ [2, -1, 3] + 1
    far = np.flatnonzero(np.abs(scores) > 1)[:n]
    return points[far], np.sign(scores[far]).astype(int)


def test_scikit_learns_own_checks_pass():
    results = quiet(check_estimator, PLAClassifier(), on_fail=None, on_skip=None)
    assert {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"} == {}
    assert sum(r["status"] == "passed" for r in results) > 40


# ------------------------------------------------------------------- they adapt the package


@pytest.mark.parametrize("pick", [*NAMED, lowest])
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
        assert weights_of(model).tolist() == end.w.tolist()
        assert model.n_updates_ == end.t


def test_classes_may_have_any_names_and_predictions_are_the_packages():
    data = li_hang()
    model = PLAClassifier().fit(data.points, np.where(data.y > 0, "yes", "no"))
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.decision_function([[3, 3], [1, 1]]).tolist() == [3, -1]
    assert model.predict([[3, 3], [1, 1], [1, 2]]).tolist() == ["yes", "no", "no"]
    assert predict(weights_of(model), augment([[3, 3], [1, 1], [1, 2]])).tolist() == [1, -1, 0]


# ------------------------------------------------------------------------------ scikit-learn's


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("passes", [1, 3, 10])
def test_passes_and_the_missing_intercept_are_scikit_learns(passes, fit_intercept):
    X, y = scattered()
    settings = {"max_iter": passes, "fit_intercept": fit_intercept}
    model = quiet(PLAClassifier(**settings).fit, X, y)
    other = Perceptron(tol=None, shuffle=False, **settings).fit(X, y)
    assert np.array_equal(weights_of(model), weights_of(other))
    whole = last(pla(Dataset(X, y, fit_intercept)))
    assert whole.passes > 3
    assert model.n_iter_ == min(passes, whole.passes)


@pytest.mark.parametrize("passes", [1, 5, 30])
def test_with_a_column_of_ones_scikit_learn_makes_the_same_updates_on_sparse_rows(passes):
    rng = np.random.default_rng(1)
    words = csr_array(rng.integers(1, 5, (300, 60)) * (rng.random((300, 60)) < 0.1) * 1.0)
    y = np.where(words @ rng.standard_normal(60) > rng.standard_normal(300) / 9, 1, -1)
    settings = {"tol": None, "shuffle": False, "max_iter": passes}
    ones = hstack([np.ones((300, 1)), words], format="csr")
    other = Perceptron(fit_intercept=False, **settings).fit(ones, y)
    model = quiet(PLAClassifier(max_iter=passes).fit, words.toarray(), y)
    assert weights_of(model).tolist() == other.coef_[0].tolist()
    # Its own intercept moves by a hundredth there, so the refusal does not speak of that.
    assert not np.array_equal(weights_of(model), weights_of(Perceptron(**settings).fit(words, y)))


@pytest.mark.parametrize("passes", [1, 20])
def test_three_classes_have_the_weights_of_scikit_learns_perceptron(passes):
    X, y = FLOWERS.data, FLOWERS.target_names[FLOWERS.target]
    model = quiet(PLAClassifier(max_iter=passes).fit, X, y)
    other = Perceptron(max_iter=passes, tol=None, shuffle=False).fit(X, y)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-12)
    assert model.intercept_ == pytest.approx(other.intercept_, rel=1e-12)
    assert model.predict(X).tolist() == other.predict(X).tolist()
    assert model.decision_function(X[:5]).shape == (5, 3)


def test_each_class_has_the_run_of_its_own_against_the_rest():
    X, y = FLOWERS.data, FLOWERS.target
    model = quiet(PLAClassifier(max_iter=10).fit, X, y)
    alone = [quiet(PLAClassifier(max_iter=10).fit, X, y == k) for k in range(3)]
    scores = np.column_stack([one.decision_function(X) for one in alone])
    assert model.decision_function(X) == pytest.approx(scores, rel=1e-12)
    assert model.n_updates_ == sum(one.n_updates_ for one in alone)
    assert model.n_iter_ == max(one.n_iter_ for one in alone)
    assert model.converged_ == all(one.converged_ for one in alone)


# ------------------------------------------------------------------------------------- caps


def test_a_cap_warns_in_the_callers_file_and_in_both_libraries_words():
    with pytest.warns() as caught:
        model = PLAClassifier(max_updates=50).fit([[0.0], [0.0]], [0, 1])
    (warning,) = caught
    assert issubclass(warning.category, ConvergenceWarning)
    assert issubclass(warning.category, perceptron_notes.ConvergenceWarning)
    assert warning.filename == __file__
    assert "50 updates" in str(warning.message)
    assert (model.n_updates_, model.converged_) == (50, False)
    with pytest.warns(ConvergenceWarning, match="2 of 3 classes"):
        PLAClassifier(max_iter=10).fit(FLOWERS.data, FLOWERS.target)


@pytest.mark.parametrize("pick", ["lowest", "at_random"])
def test_where_a_rule_makes_no_passes_n_updates_stand_for_one(pick):
    X, y = FLOWERS.data[50:], FLOWERS.target[50:]
    model = PLAClassifier(pick=pick, max_iter=3, random_state=0)
    quiet(model.fit, X, y)
    assert (model.n_iter_, model.n_updates_) == (3, 3 * len(y))
    quiet(model.set_params(max_updates=20).fit, X, y)
    assert (model.n_iter_, model.n_updates_) == (1, 20)
    assert PLAClassifier(pick="lowest").fit(li_hang().points, li_hang().y).n_iter_ == 3  # 7 updates


# ------------------------------------------------------------------------------------ memory


@pytest.mark.parametrize("kind", ["f4", "f8", "i1", "i8", "?"])
@pytest.mark.parametrize("classes", [2, 10])
def test_points_are_copied_once_for_all_classes(classes, kind):
    X = (np.random.default_rng(1).standard_normal((20_000, 30)) * 9).astype(kind)
    y = np.arange(len(X)) % classes
    model = quiet(PLAClassifier(max_iter=1, max_updates=20).fit, X[:100], y[:100])
    for given in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        for call in (partial(quiet, model.fit, given, y), partial(model.predict, given)):
            tracemalloc.start()
            call()
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            # NumPy makes some scores of many weights at a time, which the compiled loops do not.
            assert peak < (2.2 if native.engine == "compiled" else 4) * 8 * X.size


# --------------------------------------------------------------------------------- bad input


def test_bad_input_gets_a_sentence():
    X, y = [[1], [2], [3]], [0, 1, 1]
    refuses(ValueError, "y has 1 class, 1", PLAClassifier().fit, X, [1, 1, 1])
    for sparse in (csr_array(X), dok_matrix(X)):
        refuses(TypeError, "X is sparse; expected dense rows", PLAClassifier().fit, sparse, y)
    refuses(
        TypeError, "X is a dict; expected rows, or a table", PLAClassifier().fit, {"a": [1, 2]}, y
    )
    for error, words, arguments in (
        (ValueError, "pick is 'best'", {"pick": "best"}),
        (TypeError, "pick is shuffled itself", {"pick": shuffled}),
        (TypeError, "pick is 3", {"pick": 3}),
        (ValueError, "max_updates is -1", {"max_updates": -1}),
        (TypeError, "max_iter is 1.5", {"max_iter": 1.5}),
    ):
        refuses(error, words, PLAClassifier(**arguments).fit, X, y)
    no = PLAClassifier(fit_intercept="no")
    refuses(TypeError, "intercept is 'no'", no.fit, X, y)


def test_points_that_were_rounded_or_reach_too_far_are_refused_as_x():
    fit, y = PLAClassifier().fit, [0, 1]
    refuses(ValueError, "X[1, 1] is 9007199254740993, which", fit, [[1, 2], [0, 2**53 + 1]], y)
    refuses(ValueError, "X[1, 1] is 1e+200", fit, np.array([[1.0, 0], [0, 1e200]]), y)


def test_tables_with_a_column_of_text_or_rows_shuffled_apart_are_noticed():
    table = pd.DataFrame({"size": [1, 2, 3], "name": ["a", "b", "c"]})
    refuses(TypeError, "column 'name'", PLAClassifier().fit, table, [0, 1, 1])
    X, y = table[["size"]], pd.Series([0, 1, 1])
    apart = y.loc[[2, 0, 1]]
    refuses(
        ValueError, "rows of y have another order than those of X", PLAClassifier().fit, X, apart
    )
    assert PLAClassifier().fit(X, apart.loc[X.index]).score(X, y) == 1


@pytest.mark.skipif(sys.platform == "emscripten", reason="there is no pyarrow")
def test_a_table_of_pyarrows_keeps_the_names_of_its_columns():
    import pyarrow

    columns = {"size": [3, 4, 1], "weight": [3.0, 3.0, 1.0]}
    table, y = pyarrow.table(columns), pyarrow.array([1, 1, -1])
    model, other = (
        PLAClassifier().fit(table, y),
        PLAClassifier().fit(pd.DataFrame(columns), [1, 1, -1]),
    )
    assert model.feature_names_in_.tolist() == ["size", "weight"]
    assert np.array_equal(model.decision_function(table), other.decision_function(table))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table.select(["weight", "size"]))
    text = table.append_column("name", [["a", "b", "c"]])
    refuses(TypeError, "in column 'name'", model.fit, text, y)


def test_a_refused_fit_leaves_what_was_learnt():
    X, y = [[0.0], [1], [3]], np.array(["b", "b", "a"])
    model = PLAClassifier().fit(X, y)
    refuses(ValueError, "y has 1 class, x", model.fit, X, ["x", "x", "x"])
    assert model.predict(X).tolist() == ["b", "b", "a"]
