"""A diagnosis in words: sections of paragraphs and tables, and the same as plain text."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, isnan
from textwrap import fill
from typing import Any, NamedTuple

from perceptron_notes._kit.terminal import printable
from perceptron_notes.diagnosis.coefficients import FIT, Coefficient
from perceptron_notes.diagnosis.findings import Diagnosis
from perceptron_notes.diagnosis.leaks import SHUFFLES
from perceptron_notes.diagnosis.separability import COMPLETE, OVERLAP, QUASI, Separability
from perceptron_notes.diagnosis.table import INTERCEPT, counted, listed, some
from perceptron_notes.exact.numbers import show

_WIDTH = 88
#: Longer tables are cut to this many rows.
_LONGEST = 40


class Grid(NamedTuple):
    """A table: its heads, and rows of text; the first column holds names, the others numbers."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class Section(NamedTuple):
    """A title, and the paragraphs and tables below it."""

    title: str
    parts: list[str | Grid]


def text(found: Diagnosis) -> str:
    """Return the report as plain text."""
    blocks = [headline(found)]
    for section in sections(found):
        blocks.append(f"{section.title}\n{'─' * len(section.title)}")
        blocks += [
            _aligned(part) if isinstance(part, Grid) else fill(part, _WIDTH)
            for part in section.parts
        ]
    return printable("\n\n".join(blocks).replace("─\n\n", "─\n"))


def headline(found: Diagnosis) -> str:
    """Return the most important finding in one line."""
    n, d = found.table.points.shape
    size = f"{counted(n, 'row')}, {counted(d, 'column')}, {len(found.table.classes)} classes"
    if found.table.without:
        size += f", without {some(found.table.without, 5)}"
    if found.verdict is not None:
        return f"{_capital(found.verdict.kind)}: {size}"
    if len(found.table.classes) == 2:
        return f"Separable, as with any labels: {size}"
    planes = "planes divide" if found.separable else "planes do not divide"
    return f"{_capital(planes)} all pairs of classes: {size}"


def _aligned(grid: Grid) -> str:
    """Return a table as text with aligned columns."""
    rows, lines = [grid.heads, *grid.rows], []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    return "\n".join(lines)


def sections(found: Diagnosis) -> Iterator[Section]:
    """Yield the sections of the report, in order."""
    yield _read(found)
    if found.any_labels:
        yield Section("Any labels would do", [_ANY_LABELS])
    if len(found.table.classes) > 2:
        yield _several(found)
    elif found.verdict is not None:
        s = found.verdict
        yield _verdict(s)
        if found.mistakes is not None:
            yield _in_the_way(found, s)
        yield _logistic(found, s)
        if s.kind == COMPLETE:
            yield _leak(found)
        yield _perceptron(found, s)
    if found.verdict is not None:
        yield _advice(found, found.verdict)
    if found.unfinished:
        said = f"{_capital(listed(found.unfinished))}. The budget was {found.seconds:g} seconds "
        yield Section("Not finished in time", [said + "of processor time; `seconds` sets another."])


# --------------------------------------------------------------------------------- what was read


def _read(found: Diagnosis) -> Section:
    table = found.table
    counts = [f"{c} ({counted(k, 'row')})" for c, k in zip(table.called, table.counts, strict=True)]
    n, d = table.points.shape
    first = f"{counted(n, 'row')}, {counted(d, 'column')}; {table.target} is {some(counts, 12)}."
    if len(table.classes) == 2:
        first += f" Scores above 0 stand for {table.called[1]}."
    parts: list[str | Grid] = [first, *table.notes]
    if found.constant:
        parts.append(f"With one value only: {some(found.constant)}.")
    if found.verdict is not None and found.verdict.relations:
        # A relation of a single column says that it is constant.
        related = [r for r in found.verdict.relations if len({*r} - {INTERCEPT}) > 1]
        few = [said for r in related if len(r) <= 9 and len(said := _relation(r)) < 200][:4]
        if related:
            rest = len(related) - len(few)
            more = [counted(rest, "other relation" if few else "relation")] if rest else []
            parts.append(
                f"Collinear columns: {listed(few + more)}. Their coefficients are not identified, "
                "which has nothing to do with separation."
            )
    if found.duplicated:
        parts.append(f"{counted(found.duplicated, 'row')} repeating an earlier one.")
    if found.contradictory:
        group = listed([str(row) for row in found.contradictory[0][:5]])
        parts.append(
            f"{counted(len(found.contradictory), 'group')} of rows with the same numbers and "
            f"different labels, such as rows {group}: every plane errs on at least "
            f"{counted(found.least_mistakes, 'row')}."
        )
    return Section("What was read", parts)


def _relation(terms: dict[str, Fraction]) -> str:
    """Return a relation between columns as an equation."""
    left = _sum([(name, a) for name, a in terms.items() if a > 0])
    right = _sum([(name, -a) for name, a in terms.items() if a < 0])
    return f"{left or '0'} = {right or '0'}"


def _sum(terms: Sequence[tuple[str, Fraction]]) -> str:
    words = []
    for name, a in sorted(terms, key=lambda term: term[0] == INTERCEPT):
        factor = "" if abs(a) == 1 else f"{_number(abs(a))}·"
        term = _number(abs(a)) if name == INTERCEPT else factor + name
        words.append((" − " if a < 0 else " + ") + term)
    return re.sub("^ − ", "−", "".join(words)).removeprefix(" + ")


# ----------------------------------------------------------------------------------- the verdict


def _several(found: Diagnosis) -> Section:
    called = dict(zip(found.table.classes, found.table.called, strict=True))
    each = {f"{called[a]} | {called[b]}": s for (a, b), s in found.pairs.items()}
    each |= {f"{called[a]} | the rest": s for a, s in found.rest.items()}
    rows = [
        (name, s.kind, f"{len(s.separated):,}", f"{len(s.obstruction)}") for name, s in each.items()
    ]
    heads = ("classes", "verdict", "rows separated", "rows of the proof")
    more = "For the details of two classes, diagnose their rows alone, or (y == one class)."
    return Section("Is it separable?", [*_grid(heads, rows, "`pairs` and `rest`"), more])


def _grid(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], whole: str) -> list[str | Grid]:
    """Return a table, cut if it is long, and a note on where to find all of it."""
    parts: list[str | Grid] = [Grid(heads, rows[:_LONGEST])] if rows else []
    if len(rows) > _LONGEST:
        parts.append(f"And {len(rows) - _LONGEST:,} more ({whole} has all).")
    return parts


_ANY_LABELS = (
    "The rows are affinely independent, checked without rounding, so planes divide them whatever "
    "the labels are. That they do tells nothing of these labels."
)


def _verdict(s: Separability) -> Section:
    weights = _weights(s)
    if s.kind == COMPLETE:
        said = "A plane divides the classes without an error."
        proof = (
            "Proof: weights in whole numbers whose scores have the right sign on every row, "
            f"checked without rounding{': ' * bool(weights)}{weights}."
        )
    elif s.kind == QUASI:
        a, b = len(s.separated), len(s.overlapping)
        said = (
            f"{counted(a, 'row')} can be separated ({_rows(s.separated)}); the other {b:,} "
            f"{_verb(b, 'overlaps', 'overlap')}: a plane that errs on no row has all of these on "
            "itself."
        )
        proof = (
            f"Proof, checked without rounding: moving along {weights or 'a direction'} changes "
            f"no score of the {b:,} and has the right sign on the {a:,}; and {_cancelling(s)}, and "
            f"the {b:,} lie in their span, so no direction separates one row more."
        )
    else:
        said = "No plane divides the classes: every plane has a row strictly on the wrong side."
        proof = (
            f"Proof, checked without rounding: {_cancelling(s)}, and they span all "
            f"{counted(len(s.names) - len(s.relations), 'dimension')}."
        )
    return Section("Is it separable?", [said, proof])


def _weights(s: Separability) -> str:
    """Return the direction as a sum, if it is short."""
    written = _sum([(name, a) for name, a in (s.direction or {}).items() if a])
    return written if len(written) < 200 else ""


def _cancelling(s: Separability) -> str:
    proof = s.obstruction
    if len(proof) == 1:
        return f"row {next(iter(proof))} is 0 times any weights"
    total = sum(proof.values())
    shares = [f"{float(q / total):.3g} of {row}" for row, q in proof.items()]
    if len(shares) > 12:
        return f"{len(proof)} rows ({_rows(tuple(proof))}) with positive multipliers cancel exactly"
    return f"{len(proof)} rows cancel exactly when weighted ({', '.join(shares)})"


def _in_the_way(found: Diagnosis, s: Separability) -> Section:
    wrong, n = found.mistakes or (), len(found.table.y)
    said = (
        f"The best plane found errs on {counted(len(wrong), 'row')} of {n:,} ({_rows(wrong)}) "
        "and separates the others completely, checked without rounding. The "
        f"{counted(len(s.obstruction), 'row')} of the proof above "
        f"({_rows(tuple(s.obstruction))}) cannot all be right; they need not be outliers."
    )
    return Section("Which rows prevent it", [said])


# -------------------------------------------------------------------------- logistic regression


def _logistic(found: Diagnosis, s: Separability) -> Section:
    parts: list[str | Grid] = []
    all_ = found.coefficients or []
    states = {c.limit for c in all_}
    if s.kind == OVERLAP:
        which = "coefficients that are identified" if s.relations else "coefficients"
        parts.append(f"The likelihood has a maximum, and all {which} are finite.")
    else:
        parts.append(
            "The likelihood has no maximum. Programs print large numbers, different ones, where "
            "they stopped; a warning about fitted probabilities of 0 or 1 is right here, and "
            "without separation it alone proves nothing."
        )
    if s.kind == QUASI and "finite" in states:
        parts.append(
            f"The finite coefficients are those of the fit to the {len(s.overlapping):,} "
            "overlapping rows alone; they may be kept, with their standard errors."
        )
    if "undetermined" in states:
        parts.append(
            "Undetermined: along some separating directions the coefficient grows, along others "
            "it falls, so the data give it neither a value nor a sign."
        )
    if "+inf" in states or "-inf" in states:
        said = (
            "For an infinite coefficient do not read the Wald test, whose p-value is near 1 "
            "however strong the effect"
        )
        if any(c.bound is not None for c in all_):
            said += (
                "; the limit beside it is by profile likelihood at 95 %, an approximation that is "
                f"too narrow if few rows are separated, here {len(s.separated):,}"
            )
        parts.append(f"{said}.")
    vague = [c.name for c in all_ if c.limit == "finite" and isnan(c.value)]
    if vague:
        why = "Columns are too nearly collinear for floats, though not exactly."
        if FIT in found.unfinished:
            why = "The time did not suffice for the fit."
        parts.append(f"Without a number: {some(vague)}. {why}")
    if len(all_) > _LONGEST:  # infinite ones first
        all_ = sorted(all_, key=lambda c: c.limit not in ("+inf", "-inf"))
    heads = ("coefficient", "maximum likelihood", "std. error", "Firth", "std. error")
    parts += _grid(heads, [_row(c) for c in all_], "`coefficients`")
    return Section("Logistic regression", parts)


def _row(c: Coefficient) -> tuple[str, ...]:
    said = {"+inf": "+∞", "-inf": "−∞"}.get(c.limit or "", c.limit or "not decided")
    if c.limit == "finite" and not isnan(c.value):
        said = _float(c.value)
    if c.bound is not None and isfinite(c.bound):
        said += f" ({'>' if c.limit == '+inf' else '<'} {_float(c.bound)})"
    return (c.name, said, _float(c.error), _float(c.firth), _float(c.firth_error))


# ----------------------------------------------------------------------------- columns and units


def _leak(found: Diagnosis) -> Section:
    parts: list[str | Grid] = []
    negative, positive = found.table.called
    for cut in found.leaks[:10]:
        low, high = (negative, positive) if cut.rises else (positive, negative)
        parts.append(
            f"{cut.name} separates alone: at most {_decimal(cut.low)} for {low}, at least "
            f"{_decimal(cut.high)} for {high}. Is it made from the label, or known only after it?"
        )
    if (more := len(found.leaks) - 10) > 0:
        parts.append(f"So does {counted(more, 'further column')} (`leaks`).")
    if not found.leaks:
        parts.append("No column separates alone.")
    d = len(found.table.names)
    if found.needed and d > 1:
        parts.append(f"Needed, as without it the others do not separate: {some(found.needed)}.")
    elif found.coefficients and all(c.limit for c in found.coefficients) and d > 1:
        parts.append("No column is needed: without any one of them the others separate.")
    if found.enough is not None and (k := len(found.enough)) < d:
        how = " (found by leaving out in turn; there may be fewer)" if k > 1 else ""
        columns = f"{counted(k, 'column')} of {d} {_verb(k, 'is', 'are')} enough"
        parts.append(f"{columns}: {some(found.enough, 12)}{how}.")
    if found.shuffled is not None and found.shuffled[1]:
        separable, tried = found.shuffled
        said = (
            f"Of {counted(tried, 'table')} with these labels shuffled among the rows, "
            f"{separable} {_verb(separable, 'is', 'are')} separable"
        )
        if separable:
            said += ": with so few rows of a class for so many columns it may be an accident"
        elif tried == SHUFFLES:
            said += ": it is hardly an accident"
        parts.append(f"{said}.")
    return Section("A leak, or too few rows?", parts)


def _perceptron(found: Diagnosis, s: Separability) -> Section:
    parts: list[str | Grid] = []
    if s.kind != COMPLETE:
        parts.append(
            "The perceptron never halts on these rows, in any units and at any rate. Pocket and "
            "the average are made for that."
        )
    elif found.raw is not None or found.standard is not None:
        speeds = (("as they are", found.raw), ("standardised", found.standard))
        rows = [
            (name, _big(pla.bound), "over 200,000" if pla.updates is None else f"{pla.updates:,}")
            for name, pla in speeds
            if pla is not None
        ]
        parts += ["The perceptron halts:", Grid(("units", "updates at most", "updates made"), rows)]
    u = found.units
    if u is not None and u.most > 10 * u.least:
        spans = f"{u.widest} spans {u.most:,.6g}, {u.narrowest} {u.least:,.6g}"
        parts.append(f"{spans}: try it on standardised columns, too, and compare.")
    return Section("The perceptron", parts)


# ---------------------------------------------------------------------------- what to do about it


def _advice(found: Diagnosis, s: Separability) -> Section:
    parts: list[str | Grid] = []
    if found.table.without:
        left_out = some(found.table.without, 5)
        parts.append(f"All this is about the table without {left_out}, which may separate.")
    if s.kind == OVERLAP:
        parts.append("Nothing that was read stands in the way of logistic regression.")
        return Section("What to do", parts)
    parts += [
        "To predict, nothing is wrong: add a penalty chosen by cross-validation.",
        "For odds ratios do not drop a column because its coefficient is infinite: it may be the "
        "strongest. Firth's penalty assumes no more than a vague symmetric prior; a prior of your "
        "own says what sizes you believe; merging levels assumes that they act alike; fewer "
        "columns assume that the others do nothing.",
    ]
    return Section("What to do", parts)


# ------------------------------------------------------------------------------------- numbers


def _rows(labels: Sequence[Any]) -> str:
    return some([str(label) for label in dict.fromkeys(labels)], 12)


def _verb(k: int, one: str, several: str) -> str:
    return one if k == 1 else several


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _number(a: Fraction) -> str:
    return f"{a.numerator:,}" if a.denominator == 1 else str(a)


def _decimal(a: Fraction) -> str:
    """Return a number as it was typed: as a decimal, or else as a fraction."""
    places = next((k for k in range(400) if 10**k % a.denominator == 0), None)
    return str(a) if places is None else f"{Decimal(int(a * 10**places)).scaleb(-places):f}"


def _big(k: int) -> str:
    return f"{k:,}" if k < 10**12 else show(Fraction(k))


def _float(x: float) -> str:
    if isnan(x):
        return "–"
    if x in (inf, -inf):
        return "∞" if x > 0 else "−∞"
    return (f"{x:.3f}" if 0.01 <= abs(x) < 1e4 or x == 0 else f"{x:.3g}").replace("-", "−")
