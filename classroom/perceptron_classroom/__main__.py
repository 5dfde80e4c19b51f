"""The command ``perceptron-classroom``, as ``python -m perceptron_classroom``."""

import sys

from perceptron_classroom.grading.command import main

if __name__ == "__main__":
    sys.exit(main())
