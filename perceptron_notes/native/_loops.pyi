"""What the compiled loops offer; `_loops.c` says what each does."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
#: How a rule chooses, its order, its place there, how many draws, which pass, the last pass.
Rule = tuple[int, Whole | None, int, int, int, int]

IN_TURN: int
FIRST: int
DRAWS: int
FULL: int
CONVERGED: int
TOO_FEW_DRAWS: int
ALL_DRAWN_RIGHT: int

class Search:
    def __new__(cls, X: Array, y: Whole, reach: float, classes: int = 0) -> Search: ...
    def look(
        self, w: Array, start: int, stop: int, order: Whole | None = None, /
    ) -> int | None: ...
    def run(
        self, W: Array, picks: Whole, rate: float, rule: Rule, /
    ) -> tuple[int, int, int, int]: ...
    def count(self, W: Array, counts: Whole, below: int, falling: bool, /) -> None: ...

def add_changes(total: Array, W: Array, times: Whole, /) -> None: ...
def kinds() -> tuple[str, ...]: ...
def use(name: str, /) -> None: ...
def run_dual(
    G: Any,
    y: Whole,
    alpha: Array,
    scores: Array,
    b: float,
    intercept: bool,
    rate: float,
    picks: int,
    updates: int,
    rule: Rule,
    /,
) -> tuple[int, float, int | None, int, int, int]: ...
