"""The tables of known mistakes, a module for each topic."""
