"""A diagnosis in words: sections of paragraphs and tables, and the same as plain text."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite, isnan
from typing import Any, NamedTuple

from perceptron_notes._kit.terminal import columns, filled, printable
from perceptron_notes.diagnosis.coefficients import FIT, Coefficient
from perceptron_notes.diagnosis.findings import Diagnosis
from perceptron_notes.diagnosis.languages import Said, counted, listed, say, some, told
from perceptron_notes.diagnosis.leaks import SHUFFLES
from perceptron_notes.diagnosis.separability import COMPLETE, OVERLAP, QUASI, Separability
from perceptron_notes.diagnosis.table import INTERCEPT
from perceptron_notes.exact.numbers import show

_WIDTH = 88
#: Longer tables are cut to this many rows.
_LONGEST = 40


class Grid(NamedTuple):
    """A table: its heads, and rows of text; the first column holds names, the others numbers."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class Section(NamedTuple):
    """The key of a title, and the paragraphs and tables below it."""

    title: str
    parts: list[str | Grid]


def text(found: Diagnosis) -> str:
    """Return the report as plain text."""
    blocks = [headline(found)]
    for section in sections(found):
        blocks.append(f"{section.title}\n{'─' * columns(section.title)}")
        blocks += [
            _aligned(part) if isinstance(part, Grid) else filled(part, _WIDTH)
            for part in section.parts
        ]
    return printable("\n\n".join(blocks).replace("─\n\n", "─\n"))


def headline(found: Diagnosis) -> str:
    """Return the most important finding in one line."""
    without, k = some(found.table.without, 5), len(found.table.classes)
    rows, columns = map(counted, found.table.points.shape, ("row", "column"))
    key = "size_without" if without else "size"
    size = say(key, rows=rows, columns=columns, k=k, without=without)
    if found.verdict is not None:
        said = _capital(say("headline", verdict=say(found.verdict.kind), size=size))
    elif k == 2:
        said = say("headline_any_labels", size=size)
    else:
        said = say("headline_pairs" if found.separable else "headline_not_all_pairs", size=size)
    return str(told(said, found.language))


def _aligned(grid: Grid) -> str:
    """Return a table as text with aligned columns."""
    rows, lines = [grid.heads, *grid.rows], []
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *blanks = [" " * (w - columns(cell)) for w, cell in zip(widths, row, strict=True)]
        cells = [row[0] + first, *map(str.__add__, blanks, row[1:])]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    return "\n".join(lines)


def sections(found: Diagnosis) -> Iterator[Section]:
    """Yield the sections of the report, in order and in its language."""
    for title, parts in _sections(found):
        yield told(Section(say(title), parts), found.language)


def _sections(found: Diagnosis) -> Iterator[Section]:
    yield _read(found)
    if found.any_labels:
        yield Section("any_labels", [say("any_labels_why")])
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
        parts = _capital(listed(found.unfinished))
        said = say("unfinished_parts", parts=parts, seconds=found.seconds)
        yield Section("unfinished", [said])


# --------------------------------------------------------------------------------- what was read


def _read(found: Diagnosis) -> Section:
    table = found.table
    called = zip(table.called, table.counts, strict=True)
    slots: dict[str, Any] = {
        "rows": counted(len(table.rows), "row"),
        "columns": counted(len(table.names), "column"),
        "target": table.target,
        "classes": some([say("class", name=c, rows=counted(k, "row")) for c, k in called], 12),
        "positive": table.called[1],
    }
    first = say("data_of_two" if len(table.classes) == 2 else "data", **slots)
    parts: list[str | Grid] = [first, *table.notes]
    if found.constant:
        parts.append(say("constant", columns=some(found.constant)))
    if found.verdict is not None and found.verdict.relations:
        # A relation of a single column says that it is constant.
        related = [r for r in found.verdict.relations if len({*r} - {INTERCEPT}) > 1]
        few = [said for r in related if len(r) <= 9 and len(said := _relation(r)) < 200][:4]
        if related:
            rest = len(related) - len(few)
            more = [counted(rest, "other relation" if few else "relation")] if rest else []
            parts.append(say("collinear", relations=listed([*few, *more])))
    if found.duplicated:
        parts.append(say("repeating", rows=counted(found.duplicated, "row")))
    if found.contradictory:
        groups = counted(len(found.contradictory), "group")
        group = listed([str(row) for row in found.contradictory[0][:5]])
        rows = counted(found.least_mistakes, "row")
        parts.append(say("contradictory", groups=groups, group=group, rows=rows))
    return Section("read", parts)


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
    each |= {say("rest", a=called[a]): s for a, s in found.rest.items()}
    rows = [
        (name, say(s.kind), f"{len(s.separated):,}", f"{len(s.obstruction)}")
        for name, s in each.items()
    ]
    heads = ("classes", "verdict", "rows_separated", "rows_of_proof")
    return Section("separable", [*_grid(heads, rows, say("pairs_and_rest")), say("details")])


def _grid(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], whole: str) -> list[str | Grid]:
    """Return a table, its heads by their keys, cut if it is long, and where to find all of it."""
    parts: list[str | Grid] = [Grid((*map(say, heads),), rows[:_LONGEST])] if rows else []
    if len(rows) > _LONGEST:
        parts.append(say("and_more", k=len(rows) - _LONGEST, whole=whole))
    return parts


def _verdict(s: Separability) -> Section:
    a, b, weights = len(s.separated), len(s.overlapping), _weights(s)
    if s.kind == COMPLETE:
        said = say("complete")
        proof = say("complete_proof_weights" if weights else "complete_proof", weights=weights)
    elif s.kind == QUASI:
        key, rows = "quasi_one" if b == 1 else "quasi", _rows(s.separated)
        said = say(key, separated=counted(a, "row"), rows=rows, b=b)
        weights = weights or say("a_direction")
        proof = say("quasi_proof", weights=weights, a=a, b=b, cancelling=_cancelling(s))
    else:
        said = say("no_plane")
        dimensions = counted(len(s.names) - len(s.relations), "dimension")
        proof = say("no_plane_proof", cancelling=_cancelling(s), dimensions=dimensions)
    return Section("separable", [said, proof])


def _weights(s: Separability) -> str:
    """Return the direction as a sum, if it is short."""
    written = _sum([(name, a) for name, a in (s.direction or {}).items() if a])
    return written if len(written) < 200 else ""


def _cancelling(s: Separability) -> Said:
    proof = s.obstruction
    if len(proof) == 1:
        return say("cancels_one", row=next(iter(proof)))
    if len(proof) > 12:
        return say("cancel_many", k=len(proof), rows=_rows(tuple(proof)))
    total = sum(proof.values())
    shares = [say("share", q=float(q / total), row=row) for row, q in proof.items()]
    return say("cancel", k=len(proof), shares=shares)


def _in_the_way(found: Diagnosis, s: Separability) -> Section:
    wrong, proof = found.mistakes or (), tuple(s.obstruction)
    rows, few = counted(len(wrong), "row"), counted(len(proof), "row")
    slots = {"n": len(found.table.y), "wrong": _rows(wrong), "proof": _rows(proof)}
    said = say("best_plane", rows=rows, few=few, **slots)
    return Section("in_the_way", [said])


# -------------------------------------------------------------------------- logistic regression


def _logistic(found: Diagnosis, s: Separability) -> Section:
    parts: list[str | Grid] = []
    all_ = found.coefficients or []
    states = {c.limit for c in all_}
    if s.kind != OVERLAP:
        parts.append(say("no_maximum"))
    else:
        parts.append(say("maximum_identified" if s.relations else "maximum"))
    if s.kind == QUASI and "finite" in states:
        parts.append(say("finite_kept", k=len(s.overlapping)))
    if "undetermined" in states:
        parts.append(say("undetermined_why"))
    if "+inf" in states or "-inf" in states:
        limited = any(c.bound is not None for c in all_)
        parts.append(say("wald_limit" if limited else "wald", k=len(s.separated)))
    vague = [c.name for c in all_ if c.limit == "finite" and isnan(c.value)]
    if vague:
        key = "vague_unfinished" if FIT in found.unfinished else "vague"
        parts.append(say(key, columns=some(vague)))
    if len(all_) > _LONGEST:  # infinite ones first
        all_ = sorted(all_, key=lambda c: c.limit not in ("+inf", "-inf"))
    heads = ("coefficient", "maximum_likelihood", "error", "firth", "error")
    parts += _grid(heads, [_row(c) for c in all_], "`coefficients`")
    return Section("logistic", parts)


def _row(c: Coefficient) -> tuple[str, ...]:
    said = {"+inf": "+∞", "-inf": "−∞"}.get(c.limit or "") or say(c.limit or "not decided")
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
        slots = {"name": cut.name, "below": _decimal(cut.low), "above": _decimal(cut.high)}
        parts.append(say("alone", low=low, high=high, **slots))
    if (more := len(found.leaks) - 10) > 0:
        parts.append(say("alone_too", columns=counted(more, "further column")))
    if not found.leaks:
        parts.append(say("none_alone"))
    d = len(found.table.names)
    if found.needed and d > 1:
        parts.append(say("needed", columns=some(found.needed)))
    elif found.coefficients and all(c.limit for c in found.coefficients) and d > 1:
        parts.append(say("none_needed"))
    if found.enough is not None and (k := len(found.enough)) < d:
        columns, names = counted(k, "column"), some(found.enough, 12)
        parts.append(say("enough_one" if k == 1 else "enough", columns=columns, d=d, names=names))
    if found.shuffled is not None and found.shuffled[1]:
        separable, tried = found.shuffled
        key = "shuffled_none" if tried == SHUFFLES else "shuffled"
        if separable:
            key = "shuffled_one" if separable == 1 else "shuffled_some"
        parts.append(say(key, tables=counted(tried, "table"), k=separable))
    return Section("leak", parts)


def _perceptron(found: Diagnosis, s: Separability) -> Section:
    parts: list[str | Grid] = []
    if s.kind != COMPLETE:
        parts.append(say("never_halts"))
    elif found.raw is not None or found.standard is not None:
        speeds = ((say("as_they_are"), found.raw), (say("standardised"), found.standard))
        rows = [
            (name, _big(pla.bound), say("impatient") if pla.updates is None else f"{pla.updates:,}")
            for name, pla in speeds
            if pla is not None
        ]
        parts.append(say("halts"))
        parts += _grid(("units", "updates_at_most", "updates_made"), rows, "")
    u = found.units
    if u is not None and u.most > 10 * u.least:
        parts.append(say("spans", **vars(u)))
    return Section("perceptron", parts)


# ---------------------------------------------------------------------------- what to do about it


def _advice(found: Diagnosis, s: Separability) -> Section:
    parts: list[str | Grid] = []
    if found.table.without:
        parts.append(say("without", columns=some(found.table.without, 5)))
    if s.kind == OVERLAP:
        parts.append(say("as_usual"))
    else:
        parts += [say("to_predict"), say("odds_ratios")]
    return Section("advice", parts)


# ------------------------------------------------------------------------------------- numbers


def _rows(labels: Sequence[Any]) -> str:
    return some([str(label) for label in dict.fromkeys(labels)], 12)


def _capital(said: str) -> Said:
    """Return a sentence that begins with a capital, as it must in English."""
    capital = Said(said[:1].upper() + said[1:])
    vars(capital).update(vars(said))
    return capital


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
