r"""The interactive figure: a run that a reader steps through, plays, and changes.

`Explorer` is a widget. In JupyterLab it talks to Python; on the website the same script
runs without Python, from the state that is stored in the page. The script computes runs itself,
with the same picks as Python; if Python is available, its result counts.
"""

from perceptron_notes.figures.explorer.widget import Explorer

__all__ = ["Explorer"]
