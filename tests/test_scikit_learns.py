"""scikit-learn's own tests of SGDClassifier and Perceptron, run with `PLAClassifier` instead."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT

#: Why a test fails, and what it is called; each is run for dense and for sparse samples.
WHY = {
    "theirs is another sentence": """
        test_provide_coef test_set_intercept_offset test_sgd_early_stopping_with_partial_fit
        test_partial_fit_weight_class_balanced test_sgd_error_on_zero_validation_weight
    """,
    "average is True or False; theirs may be the round to begin with": """
        test_late_onset_averaging_not_reached test_partial_fit_multiclass_average
    """,
    "there is no t_, which counts samples; n_iter_ and n_updates_ count passes and updates": """
        test_warm_start test_warm_start_multiclass test_partial_fit_equal_fit_classif
    """,
    "only what is held out ends a run, for there is no tol; and it always does": """
        test_early_stopping test_validation_set_not_used_for_training
    """,
    "private attributes": "test_plain_has_no_average_attr",
    "weights are float64, whatever X is": "test_sgd_dtype_match",
    "a perceptron's weights are not those of a hinge with a penalty; Perceptron fails too": """
        test_class_weights test_sample_weights test_equal_class_weight test_balanced_weight
        test_multi_core_gridsearch_and_early_stopping
    """,
}


def outcomes(subject, tmp_path):
    """The names of the tests that failed, and how many passed."""
    environment = os.environ | {"SUBJECT": subject, "PYTHONPATH": str(Path(__file__).parent)}
    tests = [f"sklearn.linear_model.tests.test_{name}" for name in ("sgd", "perceptron")]
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "scikit_learns", "-p"]
    command += ["no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path), "--pyargs"]
    done = subprocess.run(
        [*command, *tests], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    failed = re.findall(r"^(?:FAILED|ERROR) \S*?::(\w+)", done.stdout, re.M)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout + done.stderr
    return set(failed), len(failed), int(passed[1])


@pytest.mark.slow  # of 91 tests 55 pass; 75 with scikit-learn's Perceptron in the same place
def test_of_scikit_learns_tests_only_those_fail_that_are_named_here(tmp_path):
    failed, count, passed = outcomes("perceptron_notes.estimators:PLAClassifier", tmp_path)
    named = {name for names in WHY.values() for name in names.split()}
    assert failed == named
    assert passed > count
