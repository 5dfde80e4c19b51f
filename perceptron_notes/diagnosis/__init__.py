"""Your own data: is it separable, why not, and what to do about it."""

from perceptron_notes.diagnosis.diagnosis import Diagnosis, diagnose

__all__ = ["Diagnosis", "diagnose"]
