"""A plugin with which scikit-learn's own tests of SGDClassifier and Perceptron run with another.

The environment variable SUBJECT says with which class: ``module:name``.
"""

import importlib
import inspect
import os

from sklearn import linear_model

#: Arguments of SGDClassifier that PLA has no use for: penalties, losses, schedules of rates.
LACKING = "alpha penalty l1_ratio loss epsilon learning_rate power_t tol n_jobs".split()  # noqa: SIM905
#: What these tests are about, PLA has not: penalties, other losses, schedules, probabilities.
OTHER = """
    test_late_onset_averaging_reached test_adaptive_longer_than_constant test_sgd_l1_ratio_not_used
    test_sgd_failing_penalty_validation test_power_t_limits test_average_binary_computed_correctly
    test_sgd_multiclass_average test_sgd_predict_proba_method_access test_sgd_proba test_sgd_l1
    test_regression_losses
""".split()  # noqa: SIM905
#: Of the tests that go without parameters, these are about classifiers.
PLAIN = """
    test_perceptron_correctness test_undefined_methods test_sgd_error_on_zero_validation_weight
    test_multi_thread_multi_class_and_early_stopping test_multi_core_gridsearch_and_early_stopping
""".split()  # noqa: SIM905


def stand_in(subject):
    """Make a class with SGDClassifier's arguments; those that the subject lacks do nothing."""
    module, _, name = subject.partition(":")
    base = getattr(importlib.import_module(module), name)
    known = inspect.signature(base).parameters
    defaults = dict.fromkeys(LACKING) | {"shuffle": True}
    lacking = {name: value for name, value in defaults.items() if name not in known}

    class StandIn(base):
        def __init__(self, **settings):
            for name, value in lacking.items():
                setattr(self, name, settings.pop(name, value))
            if "pick" in known:
                settings.setdefault("pick", "shuffled" if self.shuffle else "in_turn")
            if not settings.get("eta0", 1):
                del settings["eta0"]
            super().__init__(**settings)

        @classmethod
        def _get_param_names(cls):
            return sorted({*base._get_param_names(), *lacking})

    return StandIn


linear_model.SGDClassifier = linear_model.Perceptron = stand_in(
    os.environ.get("SUBJECT", "perceptron_notes.estimators:PLAClassifier")
)


def pytest_collection_modifyitems(config, items):
    """Keep the tests of classifiers that make sense for a perceptron."""

    def kept(item):
        name, given = item.originalname, getattr(item, "callspec", None)
        if name in OTHER:
            return False
        if given is None:
            return name in PLAIN
        if given.params.get("lr", "constant") != "constant":
            return False
        named = [v for k, v in given.params.items() if k in ("klass", "Estimator", "SGDEstimator")]
        if not named:
            return name in ("test_perceptron_accuracy", "test_SGDClassifier_fit_for_all_backends")
        return named[0].__name__ in ("SGDClassifier", "SparseSGDClassifier", "StandIn")

    config.hook.pytest_deselected(items=[item for item in items if not kept(item)])
    items[:] = [item for item in items if kept(item)]
