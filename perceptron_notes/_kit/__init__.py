"""Shared by the modules, imported by no user: input checks, values, recipes, portable sums."""
