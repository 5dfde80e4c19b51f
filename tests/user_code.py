"""What a user writes, with every public name: both type checkers must find nothing to say."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import perceptron_notes as pn
import perceptron_notes.learning as learning
from perceptron_notes import (
    Dataset,
    Run,
    Step,
    Trace,
    certify,
    checks,
    flip_labels,
    halfspaces,
    last,
    ledger,
    pla,
    pocket,
    record,
    separate,
)
from perceptron_notes.kernels import Kernel
from perceptron_notes.rules import Look, PickRule
from perceptron_notes.scale import (
    Epoch,
    Found,
    Mixing,
    Separation,
    Shards,
    average_mixing,
    average_over,
    each,
    error_count_over,
    error_counts_over,
    mixing,
    mixing_ledger,
    pla_over,
    pocket_over,
    separate_over,
)

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
sets = [
    pn.li_hang(),
    pn.xor(),
    pn.iris("setosa"),
    pn.credit(rng=rng),
    pn.rings(9, rng=rng),
    pn.tight(2),
]
origin = Dataset(pn.augment([[1.0, 2.0]]), [1], intercept=False)

# The model.
w = trace.w
print(pn.score(w, data), pn.predict(w, data.X), pn.margin(w, data).min(), pn.mistakes(w, data))
print(pn.error_count(w, data), pn.distance(w, data), pn.angle(w, w), pn.criterion(w, data))


# Runs, rules and steps of one's own.
def highest(look: Look, n: int, previous: int | None) -> int | None:
    """The mistake with the highest index."""
    return look(0, n, np.arange(n)[::-1])


def steps(data: Dataset) -> Iterator[Step]:
    """PLA's first update, by hand."""
    w = np.zeros(data.d + 1)
    yield Step(0, w, 0)
    w += data.y[0] * data.X[0]
    yield Step(1, w, None)


rules: list[PickRule] = [
    pn.in_turn,
    pn.lowest,
    pn.shuffled(rng),
    pn.at_random(rng),
    highest,
]
runs: list[Run] = [pla(data, rule, w0=[0, 1, 0], rate=0.5) for rule in rules]
own: Trace = record(steps, data=data)
end: Step = last(runs[0], passes=100)
print(end.t, end.w, end.pick, end.passes, own == own, len(list(own)), learning.pla is pla)
for step in pocket(noisy, steps):
    print(step.t, step.w, step.errors, step.best)
best: pn.PocketStep = last(pn.Pocket(noisy, trace))

# The proof.
answer = separate(data)
if isinstance(answer, pn.Separator):
    certificate: pn.Certificate = certify(data, answer)
    book: pn.Ledger = ledger(certificate, trace)
    row: pn.LedgerRow = book[0]
    sides: pn.Sides = row.growth
    print(sides.holds, sides.slack, answer.verify(data), answer.rho)
else:
    obstruction: pn.Obstruction = answer
    print(obstruction.samples, obstruction.weights)

# Online learning.
game: pn.Game = pn.play(pn.pla_learner, np.eye(4))
deviating: pn.Deviations = pn.deviations(noisy, [0, 1, 1], m=0.5)
mistaken: pn.MistakeLedger = pn.mistake_ledger(deviating, record(pla(noisy), passes=2))
one: pn.MistakeRow = mistaken[0]
roots: pn.RootSides = one.bound
least = pn.no_bound_below(noisy, pn.best_deviations(noisy).d)
print(game.mistakes, game.u, game.certificate.bound, roots.holds, mistaken.failure, least)
averaged: pn.Averaged = pn.average(noisy, pla(noisy))
mean: pn.AveragedStep = last(averaged, passes=3)
voted: pn.Voted = pn.vote(data, own, pick=pn.in_turn)
for ballot in voted:
    voter: pn.VotedStep = ballot
    print(voter.count, voter.predict(data) * mean.average[0])
out: pn.LeftOut = pn.leave_one_out(data[:4])

# The dual form.
kernels: list[Kernel] = [pn.linear, pn.polynomial(2), pn.rbf(gamma=0.5)]
dual: pn.DualRun = pn.dual_pla(pn.gram(some, kernels[0]), some.y, pn.shuffled(rng), rate=1)
lazily = pn.dual_pla(pn.GramRows(some, pn.rbf(1)), some.y, intercept=False)
tally: pn.DualStep = last(dual, at_most=10)
print(pn.weights(tally.alpha, some), pn.dual_score(tally.alpha, tally.b, some, data))
print(pn.ConvergenceWarning, pn.__version__)

# Margins.
street = pn.largest_margin(data)
if isinstance(street, pn.LargestMargin):
    print(street.w, street.margin, street.margin2, street.support, street.feet(data))
    judged: pn.KKT = pn.kkt(pn.feasible(np.zeros(data.n), data, 1), street.w[0], data, C=1)
    print(judged.holds, judged.gap)
eager: pn.MarginRun = pn.margin_pla(data, 10, pn.shuffled(rng))
reached: Trace = record(eager)
promised: pn.Promise = pn.margin_promise(pn.certify(data, reached.w), eager.beta)
walk: pn.Pegasos = pn.pegasos(data, 0.5, rng.integers(data.n, size=100))
visits: list[pn.Visit] = list(walk)
paid: pn.Regret = pn.regret(walk, visits[-1].w)
print(promised.updates, paid.holds, pn.soft_margin(visits[-1].w, data, walk.kappa))
print(pn.dichotomies(n=4, d=2))

# Many classes.
three = pn.Classes([[-1], [0], [1]], ["low", "mid", "top"])
contest: pn.Contest = three
multi: pn.MultiRun = pn.multi_pla(contest, pn.shuffled(rng))
final: pn.MultiStep = last(multi)
print(final.w, final.rival, pn.scores(final.w, three), pn.classify(final.w, three.X))
print(pn.leads(final.w, three), pn.multi_mistakes(final.w, contest), pn.versus(three, 1).y)
unfolded: Trace = pn.unfold(multi, every=False)
print(ledger(certify(pn.kesler(three), unfolded.w), pn.unfold(multi)), pn.Duel(0, 1).rival)
sentences: pn.Sentences = pn.little_english(5, rng=rng)
print(pn.decode(last(pn.multi_pla(sentences)).w, sentences), pn.viterbi([[0, 1]], np.eye(2)))

# Networks.
network: pn.Network = pn.random_network((2, 3, 1), "tanh", scale=0.5, rng=rng)
print(network(some.points).mean(), network.sizes, [W.shape for W in network.layers])
training: pn.Training = pn.train(network, pn.xor(), rate=0.5)
after: pn.TrainStep = last(training, at_most=10)
print(after.t, after.loss, after.errors, after.pick, after.margins.min(), after.network)
slopes = pn.gradient(network, some)[0] - pn.numerical_gradient(network, some)[0]
print(pn.loss(network, some), abs(slopes).max())
odd: Dataset = pn.monomials(pn.parity(3), degree=3)
by_hand = [pn.boolean_network([[0, 1]]), pn.polygon_network([[[1, 1, 0]], [[2, 0, 1]]])]
codes: Dataset = pn.hidden(by_hand[0], pn.xor())
print(pn.staircase_network(pn.parity(3), [1, 1, 1]))
own_network = pn.Network([[[0, 1, 1]], np.ones((1, 2))], activation="sign")

# Data beyond one machine.
shards: Shards = Shards.split(data, 4)
counts: list[int] = each(len, shards, on=None)
for block in shards[0].blocks(rows=2):
    part: Dataset = block.data
    print(shards.sizes, block.X.shape, block.y.sum(), block.first, counts)
over = pla_over(shards, rate=2.0, ahead=False, on=None)
for found in over:
    state: Found = found
    print(state.step.t, state.w, state.rounds)
separation: Separation = separate_over(shards, progress=print)
if isinstance(separation.proof, pn.Obstruction):
    print(separation.places, separation.verify(shards))
wrong: int = error_count_over(w, shards) + int(error_counts_over([w, w], shards)[0])
print(last(pocket_over(shards, over), at_most=10).best + last(average_over(shards, over)).average)
print(last(average_mixing(mixing(shards)), passes=3).average @ w)
mixed: Mixing = mixing(shards, by="mistakes")
newest: Epoch = last(mixed, passes=3)
print(newest.w, newest.mistakes, newest.mixture, mixing_ledger(proof, mixed).holds)


# A check of a function of one's own.
def my_predict(w: npt.NDArray[np.float64], X: npt.NDArray[np.float64]) -> list[int]:
    return [1 if score > 0 else -1 for score in X @ w]


checks.predict(my_predict)
