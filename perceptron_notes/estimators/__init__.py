r"""The algorithms with scikit-learn's interface.

Parameters that mean the same have scikit-learn's names: ``eta0`` is the rate λ, ``max_iter``
counts passes, ``coef0`` is a polynomial's constant. A score of 0, where the package says
"undecided", belongs to ``classes_[0]``, as everywhere in scikit-learn.

``sample_weight`` and ``class_weight`` scale the updates, as in scikit-learn's Perceptron: a
mistake on a sample with importance c adds :math:`c\,\lambda\,y\,\mathbf{x}`. What counts as a
mistake does not change, so PLA still halts exactly when the data are separable. If every c lies
between a and b, the bound is
:math:`T \le (b/a)\,R^2/\rho^2`, by Novikoff's proof: the sum C of the importances of the
updates satisfies :math:`C\rho \le \lVert\mathbf{w}\rVert/\lambda \le R\sqrt{bC}`, and
:math:`aT \le C`. A sample with importance 0 is left out.

In turn, the weights of `PLAClassifier` are those of scikit-learn's ``Perceptron(shuffle=False,
tol=None)`` after as many passes; of more than two classes, the weight of one counts in the run of
that class alone, as there. Averages are those of ``SGDClassifier(loss="perceptron", average=True)``
without a penalty and at a constant rate. What differs:

- A run ends when no mistake is left, and so does its average; theirs go on to the last pass.
- "shuffled" keeps one order; theirs is drawn anew for each pass.
- Sparse samples have the weights of dense ones; theirs give the intercept a hundredth of the rate.
- Early stopping counts any better score, and keeps the best weights; theirs asks for `tol` more,
  and keeps the last. Without it nothing but a cap or the end of all mistakes stops a run.

The extra ``sklearn`` installs what this module needs; `perceptron_notes` itself does not
import it.
"""

try:
    import sklearn  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "perceptron_notes.estimators needs scikit-learn: pip install 'perceptron_notes[sklearn]'"
    ) from missing

from perceptron_notes.estimators.kernel import KernelPerceptronClassifier
from perceptron_notes.estimators.plain import PLAClassifier
from perceptron_notes.estimators.pocketed import PocketClassifier

__all__ = ["KernelPerceptronClassifier", "PLAClassifier", "PocketClassifier"]
