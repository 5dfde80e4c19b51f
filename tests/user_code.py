"""What a user writes, with every public name: both type checkers must find nothing to say."""

# ruff: noqa: F403, F405

from collections.abc import Iterator
from typing import assert_type

import numpy as np
import numpy.typing as npt

import perceptron_notes as pn
import perceptron_notes.learning as learning
from perceptron_notes import Dataset, certify, last, ledger, pla, pocket, record, separate
from perceptron_notes.convergence import *
from perceptron_notes.data import *
from perceptron_notes.datasets import *
from perceptron_notes.descent import *
from perceptron_notes.dual import *
from perceptron_notes.estimators import *
from perceptron_notes.kernels import *
from perceptron_notes.learning import *
from perceptron_notes.margins import *
from perceptron_notes.model import *
from perceptron_notes.multiclass import *
from perceptron_notes.networks import *
from perceptron_notes.online import *
from perceptron_notes.pocketing import *
from perceptron_notes.rules import *
from perceptron_notes.scale import *
from perceptron_notes.sequences import *

rng = np.random.default_rng(1)

# The README's example.
data = halfspaces(200, distance=0.05, rng=np.random.default_rng(1))
trace = record(pla(data))
proof = certify(data, separate(data))
print(trace.updates, "updates of at most", proof.bound)
print(ledger(proof, trace).holds)
noisy = flip_labels(data, 10, rng=np.random.default_rng(2))
print(last(pocket(noisy, pla(noisy)), at_most=1000).best_errors, "mistakes left")

# Data.
some: Dataset = data[:5]
x, y = data[0]
for x, y in some:
    print(x.shape, y + 1)
sets = [li_hang(), xor(), iris("setosa"), credit(rng=rng), rings(9, rng=rng)]
sets += [tight(2), slow(2)]
origin = Dataset(augment([[1.0, 2.0]]), [1], intercept=False)

# The model.
w = trace.w
print(score(w, data), pn.predict(w, data.X), signed_scores(w, data).min(), pn.mistakes(w, data))
print(pn.error_count(w, data), distance(w, data), angle(w, w), criterion(w, data))


# Runs, rules and steps of one's own.
def highest(look: Look, n: int, previous: int | None) -> int | None:
    """The mistake with the highest index."""
    return look(0, n, np.arange(n)[::-1])


def worst(look: Look, n: int, previous: int | None) -> int | None:
    """The worst mistake."""
    scores = look.scores()
    i = int(scores.argmin())
    return i if scores[i] <= 0 else None


def steps(data: Dataset) -> Iterator[Step]:
    """PLA's first update, by hand."""
    w = np.zeros(data.d + 1)
    yield Step(0, w, 0)
    w += data.y[0] * data.X[0]
    yield Step(1, w, None)


rules: list[PickRule] = [pn.in_turn, pn.lowest, pn.shuffled(rng), pn.at_random(rng), highest, worst]
runs: list[Run] = [pla(data, rule, w0=[0, 1, 0], rate=0.5) for rule in rules]
own: Trace = record(steps, data=data)
end: Step = last(runs[0], passes=100)
print(end.t, end.w, end.pick, end.passes, own == own, len(list(own)), learning.pla is pla)
for step in pocket(noisy, steps):
    print(step.t, step.w, step.errors, step.best)
best: PocketStep = last(Pocket(noisy, trace))

# The proof.
answer: Separator | Obstruction = separate(data)
halts: bool = answer.separable
if isinstance(answer, Separator):
    certificate: Certificate = certify(data, answer)
    book: Ledger = ledger(certificate, trace)
    row: LedgerRow = book[0]
    sides: Sides = row.growth
    print(sides.holds, sides.slack, answer.verify(data), answer.rho)
else:
    obstruction: Obstruction = answer
    print(obstruction.samples, obstruction.weights)

# Online learning.
game: Game = play(pla_learner, np.eye(4))
deviating: Deviations = deviations(noisy, [0, 1, 1], m=0.5)
mistaken: MistakeLedger = mistake_ledger(deviating, record(pla(noisy), passes=2))
one: MistakeRow = mistaken[0]
roots: RootSides = one.bound
least = no_bound_below(noisy, best_deviations(noisy)[1])
print(game.mistakes, game.u, game.certificate.bound, roots.holds, mistaken.failure, least)
averaged: Averaged = pn.average(noisy, pla(noisy))
mean = assert_type(last(averaged, passes=3), AveragedStep)
voted: Voted = vote(data, own, pick=pn.in_turn)
for ballot in voted:
    voter: VotedStep = ballot
    print(voter.count, voter.predict(data) * mean.average[0])
assert_type(last(voted), VotedStep)
assert_type(last(pocket(noisy, pla(noisy)), at_most=9), PocketStep)
out: LeftOut = leave_one_out(data[:4])

# The dual form.
kernels: list[Kernel] = [pn.linear, pn.polynomial(2), pn.rbf(gamma=0.5)]
dual: DualRun = pn.dual_pla(gram(some, kernels[0]), some.y, pn.shuffled(rng), rate=1)
counted: DualStep = last(dual, at_most=10)
print(weights(counted.alpha, some), dual_score(counted.alpha, counted.b, some, data))
print(pn.ConvergenceWarning, pn.__version__)

# Margins.
street = largest_margin(data)
if isinstance(street, LargestMargin):
    print(street.w, street.margin, street.margin2, street.support, street.feet(data))
    judged: KKT = kkt(feasible(np.zeros(data.n), data, 1), street.w[0], data, C=1)
    print(judged.holds, judged.gap)
eager: MarginRun = margin_pla(data, 10, pn.shuffled(rng))
reached: Trace = record(eager)
descent: Descent = descend(data, "hinge steps", rate=0.1, passes=2)
both: BothSides = promise(descent, descent.w)
print(descent.learner, both.mistakes <= both.promised, both.paid <= both.allowed)
promised: Promise = margin_promise(pn.certify(data, reached.w), eager.beta)
walk: Pegasos = pegasos(data, 0.5, rng.integers(data.n, size=100))
visits: list[Visit] = list(walk)
paid: Regret = regret(walk, visits[-1].w)
print(promised.updates, paid.holds, soft_margin(visits[-1].w, data, walk.kappa))
print(dichotomies(n=4, d=2))

# Many classes.
three = Classes([[-1], [0], [1]], ["low", "mid", "top"])
contest: Contest = three
multi: MultiRun = multi_pla(contest, pn.shuffled(rng))
final: MultiStep = last(multi)
print(final.w, final.rival, scores(final.w, three), classify(final.w, three.X))
print(leads(final.w, three), multi_mistakes(final.w, contest), versus(three, 1).y)
unfolded: Trace = unfold(multi, every=False)
print(ledger(certify(kesler(three), unfolded.w), unfold(multi)), Duel(0, 1).rival)
sentences: Sentences = little_english(5, rng=rng)
print(decode(last(multi_pla(sentences)).w, sentences), viterbi([[0, 1]], np.eye(2)))

# Networks.
network: Network = random_network((2, 3, 1), "tanh", scale=0.5, rng=rng)
print(network(some.points).mean(), network.sizes, [W.shape for W in network.layers])
training: Training = train(network, xor(), rate=0.5)
after: TrainStep = last(training, at_most=10)
print(after.t, after.loss, after.errors, after.pick, after.signed_scores.min(), after.network)
slopes = gradient(network, some)[0] - numerical_gradient(network, some)[0]
print(loss(network, some), abs(slopes).max())
odd: Dataset = monomials(parity(3), degree=3)
by_hand = polygon_network([[[1, 1, 0]], [[2, 0, 1]]])
codes: Dataset = hidden(by_hand, xor())
print(staircase_network(parity(3), [1, 1, 1]))
own_network = Network([[[0, 1, 1]], np.ones((1, 2))], activation="sign")

# Data beyond one machine.
shards: Shards = Shards.split(data, 4)
with at(None) as place:
    counts: list[int] = place.each(len, shards)
for first, block in shards[0].blocks(rows=2):
    part: Dataset = block
    print(shards.sizes, part.n, first, counts)
separation: Separation = separate_over(shards, progress=print)
halts = separation.separable
if isinstance(separation.proof, Obstruction):
    print(separation.places, separation.verify(shards))
wrong: int = int(error_counts_over([w, w], shards)[0])
print(last(pocket_over(shards, mixing(shards)), at_most=10).best)
print(last(average_mixing(mixing(shards)), passes=3).average @ w)
mixed: Mixing = mixing(shards, by="mistakes")
newest: Epoch = last(mixed, passes=3)
print(newest.w, newest.mistakes, newest.mixture, mixing_ledger(proof, mixed).holds)

half: npt.NDArray[np.float64] = sigmoid(np.zeros(3))
lines = PLAClassifier(pick=pn.lowest, max_iter=3, fit_intercept=False)
print(lines.fit(data.points, data.y).score(data.points, data.y))


def misspelt() -> None:
    """Use words that do not exist: if a checker knew them, it would find the comment unneeded."""
    PLAClassifier(pick="shufled")  # type: ignore[arg-type]
    iris("setoza")  # type: ignore[arg-type]
    random_network((2, 1), "tan", rng=rng)  # type: ignore[arg-type]
    mixing(shards, by="mistake")  # type: ignore[arg-type]
