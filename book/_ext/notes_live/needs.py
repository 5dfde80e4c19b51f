"""Find the cells above that a cell needs, from their source alone, so that few have to run.

The value of a name depends on the cells that bound or changed it. From the cell that is to
run we go up: a cell that bound or changed a wanted name is needed, and so is what it uses.
"""

import ast
import builtins
import re
from collections.abc import Iterable
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

#: Methods that change an object although their value is used.
CHANGING = {"pop", "popitem", "popleft", "setdefault"}

Cell = dict[str, str]  # its id and its source


class Names(ast.NodeVisitor):
    """The names that a cell binds, changes, and uses from above, judging by its source.

    Attributes
    ----------
    bound : set of str
        Names that have a new value afterwards, whatever they had before.
    changed : set of str
        Names whose value may differ afterwards, but depends on the former one.
    used : set of str
        Names whose value from above may be used.
    imported : set of str
        Names of modules and names imported from them: no call in a cell changes these.
    broken : bool
        Whether the source is not valid Python: then every word in it counts as a changed name.
    later : dict of str to set of str
        For each function and class, what its body uses when it is called.
    """

    def __init__(self, source: str = "") -> None:
        self.bound, self.changed = set[str](), set[str]()
        self.used, self.imported = set[str](), set[str]()
        self.later: dict[str, set[str]] = {}
        self.perhaps = 0  # depth of code that may not run
        self.broken = False
        try:
            plain = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
            self.visit(ast.parse(plain))
        except SyntaxError:
            self.broken = True
            self.changed = {*re.findall(r"[^\W\d]\w*", source)} - {*dir(builtins)}

    def bind(self, name: str) -> None:
        if not self.perhaps:
            self.bound.add(name)
        elif name not in self.bound:
            self.changed.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.bind(node.id)
        else:
            self.used |= closed({node.id}, self.later) - self.bound

    def visit_Assign(self, node: ast.Assign) -> None:
        for part in [node.value, *node.targets]:
            self.visit(part)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.change(node.target)
        self.visit(node.value)
        self.generic_visit(node.target)

    def visit_For(self, node: ast.For) -> None:
        for part in [node.iter, node.target, *node.body, *node.orelse]:
            self.visit(part)

    def visit_If(self, node: Any) -> None:
        self.perhaps += 1
        self.generic_visit(node)
        self.perhaps -= 1

    visit_While = visit_Try = visit_Match = visit_If

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = (alias.asname or alias.name).partition(".")[0]
            self.bind(name)
            self.imported.add(name)

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node: Any) -> None:
        for part in [*getattr(node, "decorator_list", []), *defaults(node)]:
            self.visit(part)
        self.bind(node.name)
        self.later[node.name] = free(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.visit_FunctionDef(node)
        self.used |= free(node) - self.bound

    def visit_Lambda(self, node: Any) -> None:
        self.used |= free(node) - self.bound

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda

    def visit_Attribute(self, node: ast.Attribute | ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.change(node)
        self.generic_visit(node)

    visit_Subscript = visit_Attribute

    def visit_Expr(self, node: ast.Expr) -> None:
        """Note that a method call whose result is unused is assumed to change its object."""
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            self.change(node.value.func)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Note that calls change any random generator passed to them, and `next` its iterator."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            self.change(node.func)
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and (part.id.endswith("rng") or drawn(node)):
                self.change(part)
        self.generic_visit(node)

    def change(self, node: ast.AST) -> None:
        """Note that the object of a name may be changed."""
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name):
            if node.id not in self.bound:
                self.used.add(node.id)
            self.changed.add(node.id)


def drawn(call: ast.Call) -> bool:
    """Return whether a call advances an iterator."""
    return isinstance(call.func, ast.Name) and call.func.id == "next"


def defaults(node: Any) -> Iterable[ast.AST]:
    """Return the expressions evaluated when a function or a class is defined."""
    if isinstance(node, ast.ClassDef):
        return [*node.bases, *node.keywords]
    return [one for one in [*node.args.defaults, *node.args.kw_defaults] if one]


def free(node: ast.AST) -> set[str]:
    """Return the names that a function, class or comprehension takes from outside."""
    parts = list(ast.walk(node))
    own = {part.arg for part in parts if isinstance(part, ast.arg)}
    names = [part for part in parts if isinstance(part, ast.Name)]
    own |= {one.id for one in names if not isinstance(one.ctx, ast.Load)}
    own -= {name for part in parts if isinstance(part, ast.Global) for name in part.names}
    return {one.id for one in names} - own


class Plan:
    """The cells that a cell needs from above, and the version of each name after them.

    The version of a name is a hash of the sources behind it: of the cell that bound it and those
    that changed it, each with the versions of the names it uses. So an edited source changes it.

    Parameters
    ----------
    cells : list of Cell
        All cells above, in their order, and the one to run.
    """

    def __init__(self, cells: list[Cell]) -> None:
        self.cells, self.names = cells, [Names(cell["source"]) for cell in cells]
        imported = set().union(*(one.imported for one in self.names))
        for one in self.names:
            one.changed -= imported - one.bound
        *_, last = self.names
        later = {name: uses for one in self.names for name, uses in one.later.items()}
        self.wanted = closed(last.used, later)
        self.chosen: list[int] = []
        wanted = {*self.wanted, "*"}
        for k in reversed(range(len(cells) - 1)):
            one = self.names[k]
            if wanted & (one.bound | one.changed):
                self.chosen.insert(0, k)
                wanted = (wanted - one.bound) | closed(one.used, later)
        self.made = self.after({}, self.chosen)

    def after(self, made: dict[str, int], chosen: Iterable[int]) -> dict[str, int]:
        """Return the versions of names after these cells have run."""
        made = {**made}
        for k in chosen:
            one = self.names[k]
            inputs = tuple((name, made.get(name)) for name in sorted(one.used))
            key = hash((self.cells[k]["source"], inputs))
            made |= {name: hash((name, key)) for name in one.bound}
            made |= {name: hash((name, key, made.get(name))) for name in one.changed - one.bound}
        return made

    def missing(self, made: dict[str, int]) -> list[int]:
        """Return the cells that are still to run, given the current versions of names."""
        wanted = {name for name in self.wanted if made.get(name) != self.made.get(name)}
        if not wanted:
            return []
        # From the bottom up, only outdated names; if that is not enough, all chosen cells.
        few: list[int] = []
        for k in reversed(self.chosen):
            one = self.names[k]
            if wanted & (one.bound | one.changed):
                few.insert(0, k)
                before = self.after({}, [other for other in self.chosen if other < k])
                wanted -= one.bound
                wanted |= {name for name in one.used if made.get(name) != before.get(name)}
        then = self.after(made, few)
        enough = all(then.get(name) == self.made.get(name) for name in self.wanted)
        return few if enough else self.chosen


def closed(used: set[str], later: dict[str, set[str]]) -> set[str]:
    """Return the names, and those that functions among them use when called."""
    names, new = set(used), set(used)
    while new:
        new = set().union(*(later.get(name, set()) for name in new)) - names
        names |= new
    return names
