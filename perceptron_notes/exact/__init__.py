"""Arithmetic without rounding, for the proofs: whole numbers, systems, hulls, runs replayed."""

__all__: list[str] = []
