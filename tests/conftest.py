"""Fixtures of the package's tests: the two engines, and a cluster on this machine."""

from unittest import mock

import pytest


@pytest.fixture(params=["own", pytest.param("numpy", marks=pytest.mark.slow)], scope="module")
def engine(request):
    """Run each test with this machine's engine, usually the compiled loops, and again without."""
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
