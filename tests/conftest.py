"""What the tests of the package share: the two engines, and a cluster on this machine."""

from unittest import mock

import pytest


@pytest.fixture(params=["own", pytest.param("numpy", marks=pytest.mark.slow)], scope="module")
def engine(request):
    """All runs with what this machine has, the compiled loops as a rule; and all runs without."""
    from perceptron_notes import native

    means = native.fallback if request.param == "numpy" else native.means
    with mock.patch.object(native, "means", means):
        yield request.param


@pytest.fixture(scope="module")
def client():
    """A client of two workers that are processes of this machine."""
    import dask
    from distributed import Client, LocalCluster

    # A LocalCluster gives up a worker that has not been started again after 15 seconds.
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with patient, LocalCluster(n_workers=2, **options) as workers, Client(workers) as client:
        yield client
