"""The command ``perceptron-notes``, as ``python -m perceptron_notes``."""

import sys

from perceptron_notes.grading.command import main

if __name__ == "__main__":
    sys.exit(main())
