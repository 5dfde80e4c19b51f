"""The benchmarks of runs still call what there is; what they measure is no matter for a test."""

import sys
from pathlib import Path

import numpy as np
import pytest

from perceptron_notes import last, pla
from perceptron_notes.datasets import flip_labels, halfspaces
from perceptron_notes.multiclass import Classes

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
if not BENCHMARKS.is_dir():
    pytest.skip("the benchmarks are not here", allow_module_level=True)
sys.path.append(str(BENCHMARKS))  # for as long as a way may import what it needs
from ways import SETTINGS, WAYS  # noqa: E402

#: How the names of other libraries' ways begin, which `make bench` installs first.
THEIRS = ("scikit-learn", "SGDClassifier", "LinearSVC", "PLAClassifier", "mlxtend", "river")
THEIRS += ("Vowpal Wabbit", "liblinear", "SnapML", "numba")


@pytest.mark.parametrize("name", [name for name in WAYS if not name.startswith(THEIRS)])
def test_every_way_of_ours_can_be_called(name):
    if name == "memory" and not Path("/proc/self/clear_refs").exists():
        pytest.skip("this system does not tell the memory of a process")
    called(name)


def called(name):
    """Call a way once."""
    rng = np.random.default_rng(1)
    data = halfspaces(60, 3, distance=0.2, rng=rng)
    case = {"passes": last(pla(data)).passes, "capped": False}
    case |= {way: settings[0] for way, settings in SETTINGS.items()}
    case |= {"updates": 50, "naive updates": 5}
    noisy = any(word in name for word in ("pocket", "random", "dual", "formula"))
    if "classes" in name:
        data = Classes(data.points, data.y)
    found = WAYS[name][0](flip_labels(data, 6, rng=rng) if noisy else data, case)()
    assert np.isfinite(np.sum(found))
    if name in ("naive", "scikit-learn", "PLAClassifier", "numba"):
        assert np.array_equal(found, last(pla(data)).w)
