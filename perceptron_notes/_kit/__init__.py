"""Internals that the modules share: input checks, values, recipes, portable sums."""
