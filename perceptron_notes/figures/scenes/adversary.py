"""The game of chapter 6: whatever the answer, the adversary says the opposite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from perceptron_notes._kit.validation import check_one_of, check_several
from perceptron_notes.datasets import tight
from perceptron_notes.figures.plots import PALETTE
from perceptron_notes.figures.scenes.scene import Scene, script
from perceptron_notes.online import Game, play

__all__ = ["Adversary"]

#: The samples: sixteen pictures of 4 × 4 squares, ±1 each, all orthogonal.
_SAMPLES = tight(4).X


def _game(answers: Sequence[int]) -> Game:
    """Return the game in which these answers were given."""
    return play(lambda seen, x: answers[0 if seen is None else seen.n], _SAMPLES[: len(answers)])


class Adversary(Scene):
    """A game of up to sixteen rounds, which the reader plays, or lets a learner play.

    Parameters
    ----------
    answers : sequence of int
        The answers so far: −1, +1, or 0 for undecided.
    shown : bool
        Whether the adversary shows its **u**.

    Examples
    --------
    >>> from perceptron_notes.figures.scenes import Adversary
    >>> Adversary([1, -1, 1], shown=True)
    Adversary(3 rounds, 3 mistakes; R²/ρ² = 3.)
    """

    name = "adversary"
    _esm = script("adversary.js")

    def __init__(self, answers: Sequence[int] = (), shown: bool = False) -> None:
        answers = check_several(answers, "answers", "a sequence of -1, 0 and +1")
        if len(answers) > len(_SAMPLES):
            raise ValueError(
                f"answers has {len(answers)} entries; expected at most {len(_SAMPLES)}"
            )
        for r, answer in enumerate(answers):
            check_one_of(answer, f"answers[{r}]", (-1, 0, 1))
        answers = [int(answer) for answer in answers]
        alt = "No round was played yet."
        if answers:
            k = len(_game(answers).mistakes)
            played = "1 round, 1 mistake" if k == 1 else f"{k} rounds, {k} mistakes"
            alt = f"{played}; R²/ρ² = {_game(answers).certificate.bound}."
        super().__init__({"answers": answers, "shown": bool(shown)}, alt)

    def draw(self, figure: Figure) -> None:
        """Draw the samples with what was answered and what was said."""
        answers = self.state["answers"]
        said = _game(answers).data.y.tolist() if answers else []
        for t, (ax, x) in enumerate(zip(figure.subplots(4, 4).flat, _SAMPLES, strict=True)):
            shade = [PALETTE["ink"] if v > 0 else "none" for v in x]
            across, down = np.arange(16) % 4, np.arange(16) // 4
            ax.scatter(
                across, -down, marker="s", s=70, c=shade, edgecolors=PALETTE["faint"], lw=0.6
            )
            ax.set(xlim=(-0.7, 3.7), ylim=(-3.7, 0.7), aspect="equal")
            ax.set_axis_off()
            if t < len(answers):
                signs = {1: "+", -1: "−", 0: "0"}
                ax.set_title(f"{signs[answers[t]]}, it was {signs[said[t]]}", fontsize=9)
