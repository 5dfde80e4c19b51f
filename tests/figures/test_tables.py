"""Tables: what they write, and that Markdown reads it as one table."""

from fractions import Fraction

import numpy as np
from markdown_it import MarkdownIt
from refusals import refuses

from perceptron_notes.figures.tables import table


def cells(written):
    """The cells of a table of Markdown, row by row, as a reader of Markdown finds them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(written)
    kinds = [token.type for token in tokens]
    assert kinds.count("table_open") == 1
    rows, row = [], None
    for token in tokens:
        if token.type == "tr_open":
            rows.append(row := [])
        if token.type == "inline":
            row.append(token.content)
    return rows


def test_every_kind_of_value_is_written_as_a_book_would():
    row = [7, -2, np.int64(-3), -0.5, -0.0, Fraction(-1, 4), (1, -2), np.array([0.0, -1.5])]
    shown = cells(repr(table([""] * 8, [row])))[1]
    assert shown == ["7", "−2", "−3", "−0.5", "0", "−1/4", "(1, −2)", "(0, −1.5)"]


def test_large_and_tiny_numbers_are_written_as_a_book_would():
    row = [9999, 60118, np.float64(-43613.2), 1e-7, "2e-17", "-3.1e+12", np.float64(7.8e6), "01201"]
    shown = cells(repr(table([""] * 8, [row])))[1]
    powers = ["$10^{-7}$", r"$2\cdot10^{-17}$", r"$-3.1\cdot10^{12}$", r"$7.8\cdot10^{6}$"]
    assert shown == ["9999", "60,118", "−43,613.2", *powers, "01201"]


def test_what_python_calls_true_is_yes():
    row = [True, np.bool_(False), None, "None"]
    assert cells(repr(table([""] * 4, [row])))[1] == ["yes", "no", "–", "None"]


def test_headings_may_be_one_string_and_hold_formulas():
    written = repr(table(r"$t$ | $\mathbf{w}\cdot\mathbf{x}$", [(1, "a | b")]))
    assert cells(written) == [["$t$", r"$\mathbf{w}\cdot\mathbf{x}$"], ["1", "a | b"]]


def test_numbers_stand_at_the_right_and_words_at_the_left():
    rule = repr(table("n | angle | word | share", [(1, "35.3°", "x1", "12 %"), (-2, "", "", "")]))
    assert rule.splitlines()[1] == "| --: | ----: | ---- | ----: |"


def test_a_row_of_another_length_is_named():
    refuses(ValueError, "rows[1] has 3 cells", table, "a | b", [(1, 2), (1, 2, 3)])
