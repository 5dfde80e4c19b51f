r"""The interactive figure: a run that a reader steps through, plays, and changes.

`Explorer` is a widget. In JupyterLab it talks to Python; on the website the same script
runs without it, from the state that stands in the page. The script computes for itself,
bit for bit what Python computes, and Python has the last word where it answers.
"""

from perceptron_notes.explorer.dice import at_random_by_dice, dice, shuffled_by_dice
from perceptron_notes.explorer.widget import Explorer

__all__ = ["Explorer", "at_random_by_dice", "dice", "shuffled_by_dice"]
