"""Provide what the site needs and no library offers: one Sphinx extension of many modules.

Each module is an extension too, so that a test can build a page with that one alone.
"""

from typing import Any

from sphinx.application import Sphinx

ROOMS = [
    "npm",  # tools for the web, in a separate process
    "formulas",  # set when the site is built
    "drawings",  # pictures that follow the theme
    "explorers",  # figures that move, without Python
    "told",  # text that moves them
    "statements",  # theorems, proofs, solutions that fold
    "cells",  # of tables, and other text without line breaks
    "listings",  # code, and its folds
    "chapters",  # as cards
    "quiz",  # self-check questions
    "reference",  # a page for each module, with its docstrings, and a table of names
    "running",  # notebooks, again when something that they read has changed
    "assignments",  # students' versions of the problem sets
    "links",  # to the repository, if any; and page descriptions
    "contents",  # of each page, within the book's
    "typefaces",  # Source Serif, Sans, Code, renamed
    "front",  # the root and the 404
    "search",  # by section
    "terms",  # this book's words and others'
    "editions",  # the book in other languages
    "notices",  # licences of third-party work
    "trim",  # the files that a page loads
    "economy",  # faster builds
]


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up all modules, in this order."""
    for room in ROOMS:
        app.setup_extension(f"{__name__}.{room}")
    # The tools of npm.py have one pipe: no two processes may talk to it at once.
    return {"parallel_read_safe": False, "parallel_write_safe": False}
