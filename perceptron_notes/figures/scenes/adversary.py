"""The game of chapter 6: whatever the answer, the adversary says the opposite."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from perceptron_notes.datasets import tight
from perceptron_notes.figures.plots import PALETTE
from perceptron_notes.figures.scenes.scene import Scene, script
from perceptron_notes.online import Game, play

__all__ = ["Adversary"]

#: The samples: sixteen pictures of 4 × 4 squares, ±1 each, all orthogonal.
_SAMPLES = tight(4).X


def _game(answers: Sequence[int]) -> Game:
    """Return the game with these answers."""
    return play(lambda seen, x: answers[0 if seen is None else seen.n], _SAMPLES[: len(answers)])


def _picture(ax: Axes, values: Sequence[int], numbered: bool = False) -> None:
    """Draw 4 × 4 squares, filled for +1; if `numbered`, a rule in the colours of the labels."""
    most = max(abs(v) for v in values)
    for j, v in enumerate(values):
        ink = ("positive" if v > 0 else "negative") if numbered else "ink"
        fill = 0.5 * abs(v) / most if numbered else float(v > 0)
        edge = PALETTE[ink if numbered and v else "ink"]
        place = (j % 4 - 0.43, -(j // 4) - 0.43)
        face = (*to_rgb(PALETTE[ink]), fill)
        ax.add_patch(Rectangle(place, 0.86, 0.86, facecolor=face, edgecolor=edge, lw=0.7))
        if numbered:
            told = f"{v}".replace("-", "−")
            ax.text(j % 4, -(j // 4), told, ha="center", va="center", size=9)
    ax.set(xlim=(-0.6, 3.6), ylim=(-3.6, 0.6), aspect="equal")
    ax.set_axis_off()


class Adversary(Scene):
    """A game of up to sixteen rounds, which the reader plays, or lets a learner play.

    ``state["answers"]`` has the answers so far: −1, +1, or 0 for undecided.
    """

    name = "adversary"
    _esm = script("adversary.js")

    def __init__(self) -> None:
        super().__init__({"answers": [], "shown": False}, "No round was played yet.")

    def draw(self, figure: Figure) -> None:
        """Draw the score, the pattern that comes next or the rule, and the patterns so far."""
        answers, say = self.state["answers"], self.words
        t, n = len(answers), len(_SAMPLES)
        opened = t > 0 and (self.state["shown"] or t == n)
        grid = figure.add_gridspec(3, 8, height_ratios=(5, 1, 1))
        big = figure.add_subplot(grid[0, :])
        shown = [int(v) for v in (_game(answers).u if opened else _SAMPLES[t])]
        _picture(big, shown, numbered=opened)
        # Only PLA answers 0, and it does so in every round.
        pla = answers.count(0)
        who = "you" if not pla else "pla" if pla == t else "both"
        score = f"{say['adversary_' + who]}  0 : {t}  {say['adversary_it']}"
        asked = say["adversary_found" if opened else "adversary_ask" if t else "adversary_first"]
        big.set_title(f"{score}\n{asked.format(t=t + 1, n=n)}", loc="center")
        for i, (answer, x) in enumerate(zip(answers, _SAMPLES, strict=False)):
            ax = figure.add_subplot(grid[1 + i // 8, i % 8])
            _picture(ax, x.astype(int).tolist())
            y = -answer or 1
            color = PALETTE["positive" if y > 0 else "negative"]
            ax.text(1.5, -4.6, "+" if y > 0 else "−", color=color, ha="center", va="center")
