"""Which answers of a notebook lean on the package instead of being the student's own.

Only the text is read, before any of it runs: what a notebook hides (in ``getattr`` or ``eval``)
is not found. Where that matters, a problem set refuses the package altogether.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module

__all__ = ["borrowed", "python_of"]

PACKAGE = "perceptron_notes"
#: How far names are followed: a text may lead in circles, each longer than the last.
STEPS, DOTS = 10_000, 8


def python_of(source: str) -> str:
    """The cell as Python, in the way of Jupyter: magics, ``!`` and ``?`` become calls.

    Parameters
    ----------
    source : str
        As it stands in the notebook.

    Returns
    -------
    str
        The lines keep their numbers, but for cells that begin with ``%%``.
    """
    # A cell of plain Python needs no reading by IPython, which takes its time.
    with suppress(SyntaxError, ValueError):
        ast.parse(source)
        return source
    from IPython.core.inputtransformer2 import TransformerManager

    return str(TransformerManager().transform_cell(source))  # type: ignore[no-untyped-call]


def borrowed(cells: Iterable[str], names: Iterable[str]) -> dict[str, list[str]]:
    """What each function takes from the package, itself or through others of the notebook.

    Parameters
    ----------
    cells : iterable of str
        The code.
    names : iterable of str
        The functions that are asked for.

    Returns
    -------
    dict of str to list of str
        Such as ``{"pla": ["perceptron_notes.pla"]}``.

    Examples
    --------
    >>> borrowed(["from perceptron_notes import pla as p", "def walk(X): return p(X)"], ["walk"])
    {'walk': ['perceptron_notes.pla']}
    """
    uses: dict[str, set[str]] = {}
    for cell in map(body, cells):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for name, used in bindings(ast.parse(python_of(cell))):
                uses.setdefault(name, set()).update(used)
    # Of all the package's names, those that the notebook does not define itself.
    for module in (one for one in uses.pop("*", ()) if one.startswith(f"{PACKAGE}.")):
        for name in import_module(PACKAGE).__all__:
            uses.setdefault(name, {module.replace("*", name)})
    found = {name: sorted(origins(name, uses)) for name in names}
    return {name: taken for name, taken in found.items() if taken}


def body(cell: str) -> str:
    """The cell without ``%%time`` and the like, which run what stands below."""
    return cell.partition("\n")[2] if cell.startswith("%%") else cell


def bindings(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """Each name that the text binds, with the names that its meaning comes from."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    yield alias.asname or alias.name.partition(".")[0], {alias.name}
            case ast.ImportFrom(module=str(module), names=aliases):
                for alias in aliases:
                    yield alias.asname or alias.name, {f"{module}.{alias.name}"}
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, used_by(node)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from bound(target, value)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
                | ast.For(target=target, iter=value)
                | ast.withitem(optional_vars=ast.expr() as target, context_expr=value)
            ):
                yield from bound(target, value)


def bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, set[str]]]:
    """The names that a target binds, or changes, to a value; a tuple's each to its own."""
    match target:
        case ast.Name(id=name):
            yield name, used_by(value)
        case ast.Subscript(value=inner) | ast.Attribute(value=inner) | ast.Starred(value=inner):
            yield from bound(inner, value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values = value.elts if isinstance(value, ast.Tuple) else []
            if len(values) != len(parts):
                values = [value] * len(parts)
            for part, its in zip(parts, values, strict=True):
                yield from bound(part, its)


def used_by(node: ast.AST) -> set[str]:
    """The names that a piece of text mentions, dotted where they are."""
    found, own, outside = set(), set(), set()
    for each in ast.walk(node):
        if isinstance(each, ast.arguments):  # defaults are worked out where the function stands
            for default in filter(None, [*each.defaults, *each.kw_defaults]):
                outside |= used_by(default)
        if isinstance(each, ast.arg):
            own.add(each.arg)
        elif isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            own.add(each.id)
        elif isinstance(each, ast.Name | ast.Attribute):
            with suppress(ValueError):
                found.add(dotted(each))
        elif isinstance(each, ast.ImportFrom) and each.module:
            found |= {f"{each.module}.{alias.name}" for alias in each.names}
        elif isinstance(each, ast.Import):
            found |= {alias.name for alias in each.names}
            outside |= {alias.asname or alias.name for alias in each.names}
    outer = {name.partition(".")[0] for name in outside}
    return outside | {name for name in found if name.partition(".")[0] not in own - outer}


def dotted(node: ast.AST) -> str:
    """``a.b.c`` as it is written."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    raise ValueError("neither a name nor an attribute of one")


def origins(name: str, uses: dict[str, set[str]]) -> set[str]:
    """What of the package a name comes down to."""
    found: set[str] = set()
    seen: set[str] = set()
    left = [name]
    while left:
        this = left.pop()
        if this in seen or len(seen) == STEPS or this.count(".") > DOTS:
            continue
        seen.add(this)
        head, _, tail = this.partition(".")
        if head == PACKAGE:
            if tail and tail.partition(".")[0] != "checks":
                found.add(this)
            continue
        for source in uses.get(head, ()):
            left.append(f"{source}.{tail}" if tail else source)
    return found
