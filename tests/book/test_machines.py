"""The same on every machine; `machines.py` says which there are, and what is done on them."""

import machines
import pytest

#: What once came out otherwise on a processor with other sums in its matrix products.
SMALL = [
    {"path": "book/3-convergence.ipynb"},
    {
        "path": "tests/test_package.py",
        "chosen": "examples_in_the_docstrings and (convergence or margins or online or scale)",
    },
]


def differences(name, tasks):
    results = [machines.run(name, task) for task in tasks]
    assert all(result["ran"] for result in results)
    return [line for result in results for line in result["wrong"]]


def test_an_old_processor_prints_the_same():
    assert not differences("Prescott", SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", machines.MACHINES)
def test_nothing_depends_on_the_machine(name):
    assert not differences(name, [task for suite in machines.SUITES.values() for task in suite])
