"""The scene of chapter 10: its epochs are those of a plain loop in Fractions."""

from fractions import Fraction
from math import isclose

import numpy as np
import pytest
from asked import asking
from strategies import some
from visiting import at, comes, drawn, posed, rest, said, unfold

from perceptron_notes import Dataset, certify, separate
from perceptron_notes.convergence import Separator
from perceptron_notes.figures.scenes import Workers
from perceptron_notes.figures.scenes.workers import _EPOCHS, _PASSES, _epochs

ANSWERS = """{
  epochs: ({ points, y, shard, S, by }) =>
    js.epochs(points, y, shard, S, by).map(({ k, mu, own, D, mixed, ended }) => ({
      k, mu: mu.map(String), own: own.map((W) => W.map(String)), D: String(D),
      W: mixed.W.map(String), E: String(mixed.D), ended })),
  widest: ({ points, y }) => js.widest(points, y, 0.25),
}"""

js = asking(ANSWERS, "scenes/workers.js", "scenes/nearest.js")


def states(count, seed):
    """Samples on the grid with their workers, most of which a line separates."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        S = int(rng.integers(1, 4))
        n, size = int(rng.integers(S, 13)), rng.choice([2, 6, 12])
        points = rng.integers(-size, size + 1, size=(n, 2)) / 4
        labels = rng.choice([-1, 1], n)
        if rng.random() < 0.7:
            labels = np.where(points @ rng.integers(-2, 3, 2) > rng.integers(-4, 5) / 8, 1, -1)
        shard = rng.permutation([*range(S), *rng.integers(S, size=n - S)])
        yield points.tolist(), labels.tolist(), shard.tolist(), S


def one_pass(samples, w):
    """A visit to each sample, in exact numbers."""
    k = 0
    for x, y in samples:
        if y * sum(a * b for a, b in zip(w, x, strict=True)) <= 0:
            w = [a + y * b for a, b in zip(w, x, strict=True)]
            k += 1
    return w, k


def mixed(points, labels, shard, S, by):
    """The epochs by the words of the chapter, in Fractions."""
    X = [[1, Fraction(a), Fraction(b)] for a, b in points]
    samples = list(zip(X, labels, strict=True))
    mine = [[one for one, s in zip(samples, shard, strict=True) if s == t] for t in range(S)]
    w, made = [Fraction(0)] * 3, []
    while len(made) < (1 if by == "once" else _EPOCHS):
        own, ks = [], []
        for some_samples in mine:
            v, k, total = w, None, 0
            for _ in range(_PASSES if by == "once" else 1):
                if k != 0:
                    v, k = one_pass(some_samples, v)
                    total += k
            own.append(v)
            ks.append(total)
        mu = ks if by == "mistakes" and any(ks) else [1] * S
        w = [sum(m * v[j] for m, v in zip(mu, own, strict=True)) / sum(mu) for j in range(3)]
        made.append((ks, mu, own, w))
        if not any(ks):
            break
    return made


@pytest.mark.parametrize("by", ["uniform", "mistakes", "once"])
def test_the_epochs_are_exact_on_thousands_of_states(js, by):
    lengths = set()
    for points, labels, shard, S in states(some(700 if by != "once" else 300), seed=10):
        told = js("epochs", points=points, y=labels, shard=shard, S=S, by=by)
        right = mixed(points, labels, shard, S, by)
        lengths.add(len(right))
        assert len(told) == len(right)
        for one, (k, mu, own, w) in zip(told, right, strict=True):
            assert (one["k"], [int(m) for m in one["mu"]]) == (k, mu)
            found = [[Fraction(int(v), 4 * int(one["D"])) for v in W] for W in one["own"]]
            assert found == own
            assert [Fraction(int(v), 4 * int(one["E"])) for v in one["W"]] == w
    assert by == "once" or {2, 3, 4, _EPOCHS} <= lengths


@pytest.mark.parametrize("by", ["uniform", "mistakes"])
def test_the_still_picture_shows_the_same_epochs_and_the_theorem_holds(by):
    for points, labels, shard, S in states(some(60), seed=11):
        data = Dataset(points, labels)
        shards = [data[np.flatnonzero(np.array(shard) == s)] for s in range(S)]
        right, found = mixed(points, labels, shard, S, by), _epochs(shards, by)
        answer = separate(data)
        if isinstance(answer, Separator):
            left = sum(
                Fraction(sum(m * k for m, k in zip(mu, ks, strict=True)), sum(mu))
                for ks, mu, _, _ in right
            )
            assert left <= certify(data, answer).R2 / certify(data, answer).rho2
        if S != 3 and by == "uniform":  # halves are exact, as long as they are not too many
            for one, (k, mu, _, w) in list(zip(found, right, strict=False))[:20]:
                assert list(one.mistakes) == k
                assert one.mixture == tuple(Fraction(m, sum(mu)) for m in mu)
                assert one.w.tolist() == [float(v) for v in w]


def test_the_largest_margin_is_that_of_separate(js):
    met = 0
    for points, labels, _, _ in states(some(400), seed=12):
        answer = separate(Dataset(points, labels))
        found = js("widest", points=points, y=labels)
        if isinstance(answer, Separator):
            assert isclose(found, answer.rho, rel_tol=1e-7)
        else:
            assert found is None
            met += 1
    assert met > some(40)


# ---------------------------------------------------------------------------- in a page


@pytest.fixture
def page(opened):
    return opened(Workers())


def cells(page):
    unfold(page)
    drawn(page)
    rows = page.locator("table.ledger tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def test_a_pass_and_a_mix_are_two_steps(opened):
    page = opened(posed(Workers(), by="uniform", t=1))
    assert said(page) == "Epoch 1: each worker has made one pass over its own samples."
    assert cells(page)[0] == ["1", "1", "–", "(1, 1, 0.5)"]
    page.get_by_role("button", name="Step").click()
    assert said(page) == "Epoch 1: their weights are mixed."
    assert [row[2] for row in cells(page)] == ["1/3", "1/3", "1/3", ""]
    assert cells(page)[-1][-1] == "(−0.333, 0.5, −0.333)"
    assert "1 ≤ R²/ρ² = 73.62" in said(page, ".st-tools details > p")


def test_the_figure_ends_right_by_mixing_and_wrong_by_averaging_once(page):
    assert said(page) == "Their weights are averaged, once."
    assert rest(page) == "2 mistakes"
    assert page.locator(".samples .wrong").count() == 2
    for way, T in (("mistakes", 12), ("uniform", 20)):
        page.locator("select").select_option(way)
        comes(page, f"{T} of {T}")
        assert rest(page) == "no mistakes"
    page.get_by_role("button", name="Undo").click()
    comes(page, "12 of 12")


def test_one_worker_is_pla_in_passes(page):
    page.locator(".st-slide input").fill("1")
    assert len(cells(page)) == 2
    assert rest(page) == "no mistakes"


def test_samples_that_nothing_separates_are_promised_nothing(opened):
    touching = {"points": [[1, 1], [1, 1], [0, 0]], "labels": [1, -1, 1], "shard": [0, 0, 1]}
    page = opened(posed(Workers(), **touching, S=2, by="uniform", t=10**6))
    assert at(page) == "120 of 120"
    unfold(page)
    assert "nothing is promised" in said(page, ".st-tools details > p")
    page.locator("select").select_option("once")
    page.get_by_role("button", name="Back").click()
    assert "stopped after 200 passes" in said(page)


def ends_of(node, box=(-4, 4, -3, 3)):
    """The two ends of a drawn line, in the units of the samples; a small plane's has no axes."""
    d = node.get_attribute("d")
    ends = np.array([[float(v) for v in p.split(",")] for p in d.removeprefix("M").split("L")])
    wide = node.evaluate("(e) => e.ownerSVGElement.viewBox.baseVal.width")
    small = node.evaluate("(e) => e.ownerSVGElement.classList.contains('sheet')")
    left, top, scale = (0, 0, wide / 8) if small else (40, 10, (wide - 48) / 8)
    return np.column_stack(
        [box[0] + (ends[:, 0] - left) / scale, box[3] - (ends[:, 1] - top) / scale]
    )


def lines(page, where):
    """The lines that are drawn there."""
    return [line for line in page.locator(f"{where} .line").all() if line.get_attribute("d")]


def lies_on(ends, w):
    """Whether a line's ends are where the score is 0, to a hundredth of a pixel or so."""
    np.testing.assert_allclose(w[0] + ends @ w[1:], 0, atol=0.01 * np.abs(w).max())


def weights(made):
    """The weights of each worker in a scene, by the words of the chapter."""
    state = made.state
    epochs = mixed(*(state[name] for name in ("points", "labels", "shard", "S", "by")))
    own, w = epochs[(state["t"] - 1) // 2][2:]
    shown = own if state["t"] % 2 else [w] * state["S"]
    return np.array([[float(v) for v in one] for one in shown])


@pytest.mark.parametrize("by", ["uniform", "mistakes", "once"])
def test_small_planes_and_the_large_one_show_the_lines_of_the_epochs(opened, by):
    for t in (1, 2) if by == "once" else (1, 2, 3, 4, 7):
        made = posed(Workers(), by=by, t=t)
        page, shown = opened(made), weights(made)
        if t < 3:  # later a third is rounded, and with it a score of 0
            np.testing.assert_allclose(made._weights(), shown)
        crossing = [w for w in shown if len(cut(w)) == 2]
        for where in (".few", ".plane"):
            drawn_lines = lines(page, where)
            wanted = crossing[:1] if where == ".plane" and t % 2 == 0 else crossing
            assert len(drawn_lines) == len(wanted)
            for line, w in zip(drawn_lines, wanted, strict=True):
                lies_on(ends_of(line), w)


def cut(w):
    """Where a line crosses the edges of the plane."""
    met = [(x, -(w[0] + w[1] * x) / w[2]) for x in (-4, 4) if w[2]]
    met += [(-(w[0] + w[2] * y) / w[1], y) for y in (-3, 3) if w[1]]
    return {(x, y) for x, y in met if abs(x) <= 4 and abs(y) <= 3}


def marks(page):
    """How many samples each small plane has."""
    drawn(page)
    planes = page.locator(".few > :not([hidden])").all()
    return [one.locator(":is(.pos, .neg)").count() for one in planes]


def test_a_sample_that_is_pressed_goes_to_the_next_small_plane(page):
    assert marks(page) == [4, 4, 4]
    page.locator(".samples > *").first.click()
    assert marks(page) == [3, 5, 4]
    assert page.locator(".touched:not([hidden])").count() == 1
    page.get_by_role("button", name="Undo").click()
    assert marks(page) == [4, 4, 4]
    page.locator(".st-slide input").fill("2")
    assert marks(page) == [6, 6]


def test_who_wants_it_still_sees_the_mix_at_once(opened):
    page = opened(posed(Workers(), t=1), reduced_motion="reduce")
    page.get_by_role("button", name="Step").click()
    comes(page, "2 of 2")
    drawn(page)
    assert len(lines(page, ".plane")) == 1
