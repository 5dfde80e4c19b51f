"""Build what the site needs and no library does: one Sphinx extension of many rooms.

Each room is an extension too, so that a test can build a page with that one alone.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

ROOMS = [
    "npm",  # tools for the web, in a process of their own
    "formulas",  # set when the site is built
    "drawings",  # pictures that follow the theme
    "explorers",  # figures that move, without Python
    "told",  # and texts that move them
    "statements",  # theorems, proofs, solutions that fold
    "cells",  # of tables, and what else does not break
    "listings",  # code, and where it folds
    "chapters",  # as cards
    "quiz",  # self-check questions
    "docstrings",  # for the reference, and the links in them
    "reference",  # a page for each module, and a table of names
    "caching",  # notebooks run side by side, and again when the package has changed
    "assignments",  # students' versions of the problem sets
    "links",  # to the repository, if there is one; and what a page says of itself
    "contents",  # of a page, in the book's
    "typefaces",  # Source Serif, Sans, Code, under names of our own
    "front",  # the pages beside the book
    "search",  # to the section
    "editions",  # the book in other languages
    "notices",  # of whose work the site carries
    "trim",  # what a page loads
    "economy",  # of the build
]


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up all rooms, in this order."""
    for room in ROOMS:
        app.setup_extension(f"{__name__}.{room}")
    # The tools of npm.py have one pipe: no two processes may talk to it at once.
    return {"parallel_read_safe": False, "parallel_write_safe": False}
