"""Problem sets for the perceptron: feedback while a student works, and reliable grading.

`checks` gives feedback on a student's functions; `problem_sets` reads a master notebook and makes
the students' version; `grading` is behind the command ``perceptron-classroom``. The package that
students' code may import, `perceptron_notes`, knows nothing of this one.
"""

__version__ = "0.2.0.dev0"
