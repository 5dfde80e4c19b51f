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
#: For each name of a text, what it comes from, for each time that it is bound.
Uses = dict[str, list[set[str]]]
#: How far names are followed, since a text may lead in circles.
STEPS, DOTS = 10_000, 8


def python_of(source: str) -> str:
    """Turn the cell into Python as Jupyter does: magics, ``!`` and ``?`` become calls."""
    # A cell of plain Python needs no reading by IPython, which takes its time.
    with suppress(SyntaxError, ValueError):
        ast.parse(source)
        return source
    from IPython.core.inputtransformer2 import TransformerManager

    return str(TransformerManager().transform_cell(source))  # type: ignore[no-untyped-call]


def borrowed(cells: Iterable[str], names: Iterable[str]) -> dict[str, list[str]]:
    """Return what each function takes from the package, itself or through others of the notebook.

    Examples
    --------
    >>> borrowed(["from perceptron_notes import pla as p", "def walk(X): return p(X)"], ["walk"])
    {'walk': ['perceptron_notes.pla']}
    """
    uses: Uses = {}
    for cell in map(body, cells):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for name, used in bindings(ast.parse(python_of(cell))):
                uses.setdefault(name, []).append(used)
    # Of all the package's names, those that the notebook does not define itself.
    for module in set[str]().union(*uses.pop("*", ())):
        if module.startswith(f"{PACKAGE}."):
            with suppress(ImportError):
                for name in import_module(module.removesuffix(".*")).__all__:
                    uses.setdefault(name, [{module.replace("*", name)}])
    found = {name: sorted(origins(name, uses)) for name in names}
    return {name: taken for name, taken in found.items() if taken}


def body(cell: str) -> str:
    """Return the cell without ``%%time`` and the like, which run what stands below."""
    return cell.partition("\n")[2] if cell.startswith("%%") else cell


def bindings(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """Yield each name that the text binds, with the names that its meaning comes from."""
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
                yield from bound(targets, value)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
                | ast.For(target=target, iter=value)
                | ast.withitem(optional_vars=ast.expr() as target, context_expr=value)
            ):
                yield from bound([target], value)


def bound(targets: Iterable[ast.expr], value: ast.expr) -> Iterator[tuple[str, set[str]]]:
    """Yield the names that targets bind, or change, to a value; a tuple's each to its own."""
    used = used_by(value)
    for target in targets:
        if (
            isinstance(target, ast.Tuple | ast.List)
            and isinstance(value, ast.Tuple | ast.List)
            and len(target.elts) == len(value.elts)
        ):
            for part, its in zip(target.elts, value.elts, strict=True):
                yield from bound([part], its)
        else:
            yield from ((name, used) for name in held(target))


def held(target: ast.expr) -> Iterator[str]:
    """Yield the names in a target: its own, or whose entry or attribute it is."""
    left = [target]
    while left:
        match left.pop():
            case ast.Name(id=name):
                yield name
            case ast.Subscript(value=inner) | ast.Attribute(value=inner) | ast.Starred(value=inner):
                left.append(inner)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                left += parts


def used_by(node: ast.AST) -> set[str]:
    """Return the names that a piece of text takes from around it, dotted where they are."""
    found, own, outer = mentioned(node), set(), set()
    for each in ast.walk(node):
        match each:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                own.add(name)
            case ast.arguments(defaults=defaults, kw_defaults=more):
                # Defaults are evaluated where the function is defined, not within it.
                outer |= {name for one in [*defaults, *more] if one for name in mentioned(one)}
            case ast.ImportFrom(module=str(module), names=aliases):
                found |= {f"{module}.{alias.name}" for alias in aliases}
            case ast.Import(names=aliases):
                found |= {alias.name for alias in aliases}
                outer |= {alias.asname or alias.name for alias in aliases}
    own -= set(map(head, outer))
    return {name for name in found if head(name) not in own}


def mentioned(node: ast.AST) -> set[str]:
    """Return the names that stand in a piece of text, but for those that it only binds."""
    names = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) or (
            isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
        ):
            with suppress(ValueError):
                names.add(dotted(each))
    return names


def head(name: str) -> str:
    """Return what stands before the first dot."""
    return name.partition(".")[0]


def dotted(node: ast.AST) -> str:
    """Write ``a.b.c`` as it stands."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    raise ValueError("neither a name nor an attribute of one")


def origins(name: str, uses: Uses) -> set[str]:
    """Return what of the package a name comes down to."""
    found: set[str] = set()
    seen: set[str] = set()
    followed: set[tuple[int, str]] = set()  # many names may share what they come from
    left = [name]
    while left:
        this = left.pop()
        if this in seen or len(seen) == STEPS or this.count(".") > DOTS:
            continue
        seen.add(this)
        first, _, tail = this.partition(".")
        if first == PACKAGE:
            if tail:
                found.add(this)
            continue
        for used in uses.get(first, ()):
            if (id(used), tail) not in followed:
                followed.add((id(used), tail))
                left += (f"{source}.{tail}" if tail else source for source in used)
    return found
