"""A module for each command of ``perceptron-classroom``.

Each has a function ``add``, which describes the command's arguments and names the function that
runs it: ``parser.set_defaults(run=run)``. It takes the parsed arguments, returns the exit code.
A `ValueError`, an `OSError` or a refusal becomes one sentence.
"""

from perceptron_classroom.grading.commands import (
    analyse,
    bank,
    check,
    doctor,
    export,
    give_back,
    grade,
    mark,
    student,
    try_master,
)

__all__ = ["ALL"]

#: In the order in which a teacher needs them.
ALL = (
    doctor,
    student,
    check,
    grade,
    mark,
    analyse,
    export,
    give_back,
    bank,
    try_master,
)
