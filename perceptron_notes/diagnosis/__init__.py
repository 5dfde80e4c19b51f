"""Your own data: is it separable, why not, and what to do about it."""

from pathlib import Path

from perceptron_notes.diagnosis.diagnosis import diagnose
from perceptron_notes.diagnosis.findings import Diagnosis

__all__ = ["EXAMPLE", "Diagnosis", "diagnose"]

#: An example: 79 patients, labelled HG (Heinze and Schemper, Statistics in Medicine 21, 2002).
#:
#: :meta hide-value:
EXAMPLE = Path(__file__).parent / "endometrial.csv"
