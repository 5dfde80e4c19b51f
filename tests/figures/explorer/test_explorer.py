"""The interactive figure: the script against Python, in a browser, and its Python side."""

import base64
import csv
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from fractions import Fraction
from itertools import islice

import nbformat
import numpy as np
import pytest
from asked import FIGURES, area, asking
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from notes_site import explorers
from strategies import RULES, TENTHS, TINY, WHOLE, WIDE, datasets
from visiting import at, comes, drawn, middle, press, pull, rest, said, sample, some_of

from perceptron_notes import (
    Dataset,
    dual_pla,
    linear,
    lowest,
    pla,
    pocket,
    polynomial,
    rbf,
    record,
    separate,
)
from perceptron_notes.convergence import Separator
from perceptron_notes.datasets import credit, flip_labels, halfspaces, li_hang, rings, xor
from perceptron_notes.figures._living import figure_words
from perceptron_notes.figures.controls import watch_steps
from perceptron_notes.figures.explorer import Explorer
from perceptron_notes.figures.explorer.page import WORDS, described
from perceptron_notes.kernels import gram
from perceptron_notes.learning import Step

# ------------------------------------------------------- the shipped script, asked in node

ANSWERS = """{
  pla({ X, y, rate, w0, rule, seed, limit }) {
    const state = js.primal(X, y, { rate, w0 });
    const run = js.advance(js.begin(state, y.length, js.RULES[rule](y.length, seed)), limit);
    return { picks: run.picks, converged: run.next === null, W: state.W, errors: run.errors,
      best: js.pocket(run.errors) };
  },
  dual({ G, y, rate, intercept, rule, seed, limit }) {
    const state = js.dual(G, y, { rate, intercept });
    const run = js.advance(js.begin(state, y.length, js.RULES[rule](y.length, seed)), limit);
    return { picks: run.picks, converged: run.next === null, alpha: Array.from(state.alpha),
      b: state.b };
  },
  gram: ({ points, kernel }) => js.gram(points, kernel),
  decide({ points, y, bias }) {
    const proof = js.decide(points, y, bias);
    return JSON.parse(JSON.stringify(proof, (_, v) => (typeof v === "bigint" ? String(v) : v)));
  },
  draws({ seed, n }) {
    const rng = js.generator(seed);
    return [rng.random(), rng.below(n), rng.permutation(n), rng.below(n), rng.random()];
  },
  cut: ({ w, box }) => js.cut(w, box),
  draw: ({ n, seed, box, grid, random }) => js.draw(n, seed, box, grid, random),
}"""


MODULES = ("algorithms", "exact", "geometry")
script = asking(ANSWERS, *(f"explorer/{name}.js" for name in MODULES))


LIMIT = 60


def by_script(script, data, rule, seed, rate, w0):
    values = {"X": data.X.ravel().tolist(), "y": data.y.tolist(), "rate": rate, "w0": w0}
    return script("pla", **values, rule=rule, seed=seed, limit=LIMIT)


def by_python(data, rule, seed, rate, w0):
    trace = record(pla(data, RULES[rule](seed), rate=rate, w0=w0), at_most=LIMIT)
    watched = list(pocket(data, [Step(t, w, None) for t, w in enumerate(trace.W)]))
    errors = [one.errors for one in watched]
    return {
        "picks": trace.picks.tolist(),
        "converged": trace.converged,
        "W": trace.W.ravel().tolist(),
        "errors": errors,
        "best": [errors.index(one.best_errors) for one in watched],
    }


@st.composite
def runs(draw, numbers):
    data = draw(datasets(numbers, max_n=9, max_d=3))
    w0 = draw(st.none() | arrays(np.float64, data.d + 1, elements=numbers).map(np.ndarray.tolist))
    rule, seed = draw(st.sampled_from(sorted(RULES))), draw(st.integers(0, 2**20))
    return data, rule, seed, draw(st.sampled_from([1.0, 0.5, 0.1])), w0


@pytest.mark.parametrize("numbers", [WHOLE, TENTHS, WIDE, TINY], ids=str)
def test_the_script_runs_pla_as_python_does(script, numbers):
    @given(runs(numbers))
    def check(run):
        assert by_script(script, *run) == by_python(*run)

    check()


@pytest.mark.parametrize("numbers", [WHOLE, TENTHS], ids=str)
def test_the_script_runs_the_dual_as_python_does(script, numbers):
    @given(datasets(numbers), st.sampled_from(sorted(RULES)), st.integers(0, 99), st.booleans())
    def check(data, rule, seed, intercept):
        G, options = gram(data, polynomial(2)), {"rate": 0.5, "intercept": intercept}
        *_, end = islice(dual_pla(G, data.y, RULES[rule](seed), **options), LIMIT + 1)
        values = {"G": G.ravel().tolist(), "y": data.y.tolist(), **options}
        told = script("dual", **values, rule=rule, seed=seed, limit=LIMIT)
        assert len(told["picks"]) == end.t
        assert told["converged"] == (end.pick is None)
        assert told["alpha"] == end.alpha.tolist()
        assert told["b"] == end.b

    check()


PLANE = st.sampled_from([WHOLE, TENTHS]).flatmap(
    lambda numbers: st.tuples(
        arrays(np.float64, st.tuples(st.integers(1, 8), st.just(2)), elements=numbers),
        st.lists(st.sampled_from([-1, 1]), min_size=8, max_size=8),
    ).map(lambda drawn: Dataset(drawn[0], drawn[1][: len(drawn[0])]))
)
KERNELS = st.one_of(
    st.just(linear),
    st.builds(polynomial, st.integers(1, 9), st.sampled_from([0.0, 1.0, 0.1])),
    st.builds(rbf, st.floats(0.01, 50)),
)


@given(data=PLANE, kernel=KERNELS)
def test_the_script_has_pythons_gram_matrix(script, data, kernel):
    found = script("gram", points=data.points.tolist(), kernel=described(kernel))
    np.testing.assert_allclose(found, gram(data, kernel).ravel(), rtol=1e-12, atol=1e-12)


@given(data=PLANE, bias=st.sampled_from([0, 1]))
def test_the_page_decides_as_python_does_and_its_proof_holds(script, data, bias):
    proof = script("decide", points=data.points.tolist(), y=data.y.tolist(), bias=bias)
    Z = [
        [y * Fraction(v) for v in x] for x, y in zip(data.X.tolist(), data.y.tolist(), strict=True)
    ]
    separator = isinstance(separate(Dataset(data.points, data.y, bool(bias))), Separator)
    assert ("w" in proof) == separator
    if separator:
        w = [Fraction(v) for v in proof["w"]]
        w = [w[0] / 2 ** proof["shift"], *w[1:]] if bias else [Fraction(0), *w]
        assert all(sum(a * b for a, b in zip(w, z, strict=True)) > 0 for z in Z)
    else:
        weights = [Fraction(v) for v in proof["weights"]]
        assert 0 < len(weights) <= 4
        assert min(weights) > 0
        for j in range(1 - bias, 3):
            some = zip(weights, proof["samples"], strict=True)
            assert sum(weight * Z[i][j] for weight, i in some) == 0


def test_the_page_does_not_decide_what_is_out_of_reach(script):
    assert script("decide", points=[[1e300, 5e-324], [1, 2]], y=[1, -1], bias=1) is None
    assert script("decide", points=[[1e100, 1e-100], [1, 2]], y=[1, -1], bias=1)["w"]


@given(seed=st.integers(0, 2**53), n=st.integers(1, 1000))
def test_the_script_draws_as_numpy_does(script, seed, n):
    rng = np.random.default_rng(seed)
    drawn = [rng.random(), rng.integers(n, size=1)[0], rng.permutation(n).tolist()]
    assert script("draws", seed=seed, n=n) == [*drawn, rng.integers(n, size=1)[0], rng.random()]


@given(
    w=arrays(np.float64, 3, elements=st.integers(-4, 4).map(float)),
    box=st.tuples(*(st.integers(1, 5).map(float) for _ in range(4))),
)
def test_the_two_sides_of_a_line_fill_the_box(script, w, box):
    box = [-box[0], box[1], -box[2], box[3]]
    told = script("cut", w=w.tolist(), box=box)
    both = sum(area(told[side]) for side in ("plus", "minus"))
    whole = (box[1] - box[0]) * (box[3] - box[2])
    assert both == pytest.approx(whole if w.any() else 0)
    for side, sign in (("plus", 1), ("minus", -1)):
        for x, y in told[side]:
            assert sign * (w[0] + w[1] * x + w[2] * y) >= -1e-9
    for x, y in told["ends"]:
        assert abs(w[0] + w[1] * x + w[2] * y) < 1e-9


@pytest.mark.parametrize("box", [[-1, 1, -1, 1], [14, 126, -13, 72]])
def test_new_data_are_separable_until_labels_are_turned(script, box):
    for seed in range(20):
        values = {"n": 40, "seed": seed, "box": box, "grid": 0.25 if box[0] > 0 else 2**-6}
        told = script("draw", **values, random={"kind": "line", "noise": 0})
        clean = Dataset(told["points"], told["labels"])
        assert record(pla(clean), at_most=10**5).converged
        assert not (clean.points % values["grid"]).any()
        assert ((box[::2] <= clean.points) & (clean.points <= box[1::2])).all()
        through = {"kind": "line", "noise": 0, "intercept": False}
        turned = script("draw", **{**values, "box": [-1, 3, -2, 1]}, random=through)
        assert record(pla(Dataset(*turned.values(), intercept=False)), at_most=10**5).converged
        noisy = script("draw", **values, random={"kind": "line", "noise": 5})
        assert (np.array(noisy["labels"]) != clean.y).sum() == 5
        assert told == script("draw", **values, random={"kind": "line", "noise": 0})


# ------------------------------------------------------------------------- the Python side


def test_a_figure_says_what_it_shows():
    assert repr(Explorer(li_hang(), step=3)) == (
        "Explorer(pla: 7 updates on 3 samples, converged; step 3)"
    )
    assert "not converged" in repr(Explorer(xor(), at_most=20))
    figure = Explorer(li_hang(), "model", w0=[-3, 1, 1])
    assert repr(figure) == "Explorer(model: w = [-3.  1.  1.], 0 mistakes on 3 samples)"


@pytest.mark.parametrize(
    "figure",
    [
        lambda: Explorer(xor(), "pocket", at_most=30, step=4),
        lambda: Explorer(xor(), "dual", kernel=polynomial(2), step=9),
        lambda: Explorer(xor(), "dual", kernel=rbf(1.0)),
        lambda: Explorer(li_hang(), "dual", step=2),
        lambda: Explorer(li_hang(), "model"),
        lambda: Explorer(li_hang(), panels=["plane", "ledger"]),
    ],
)
def test_every_kind_of_figure_has_a_still_that_words_describe(figure):
    figure = figure()
    bundle, metadata = figure._repr_mimebundle_()
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert f"{figure.data.n} samples" in metadata["image/png"]["alt"]
    assert "0x" not in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_other_data_make_another_run():
    figure = Explorer(li_hang(), step=5, at_most=50)
    figure.data = xor()
    assert figure.data == xor()
    assert figure.run["rev"] == figure.rev == 1
    assert figure.trace.updates == 50
    assert figure.settings["box"][0] < 0
    figure.data = Dataset([[1, 1], [2, 2]], [1, 1])
    assert (figure.step, figure.trace.updates) == (1, 1)


def test_a_box_that_is_given_stays():
    figure = Explorer(li_hang(), box=(-1, 5, -2, 4))
    figure.data = xor()
    assert figure.settings["box"] == [-1, 5, -2, 4]
    followed = Explorer(li_hang())
    followed.data = Dataset([[100, 100], [110, 120]], [1, -1])
    assert followed.settings["box"][0] > 50


def test_samples_far_from_zero_or_all_in_one_place_have_a_frame():
    for points in ([[1e17, 3], [1e17, 3]], [[0, 5e-324], [0, 0]], [[1e151, -1e151]], [[2, 2]]):
        left, right, low, high = Explorer(Dataset(points, [1] * len(points)), at_most=3).settings[
            "box"
        ]
        assert left < right
        assert low < high


POINTS = [[3, 1], [1, 3], [2, 2.5], [-1, -2], [1, -3], [-2, -1]]
ORIGIN = Dataset(POINTS, [1, 1, 1, -1, -1, -1], intercept=False)


def test_a_run_through_the_origin_is_replayed_with_two_weights():
    figure = Explorer(ORIGIN, panels=["plane", "angle", "ledger"])
    trace = record(pla(ORIGIN))
    assert trace.converged
    assert figure.settings["intercept"] is False
    np.testing.assert_array_equal(figure.trace.W, trace.W)
    left, right, low, high = figure.settings["box"]
    assert left < 0 < right
    assert low < 0 < high
    figure.set_state({"labels": [1, 1, 1, -1, -1, 1], "rev": 1})
    assert not figure.data.intercept
    assert figure.trace.W.shape[1] == 2
    figure.data = li_hang()
    assert figure.trace.W.shape[1] == 3
    dual = Explorer(ORIGIN, "dual", step=2)
    assert dual.tally[1] == 0
    np.testing.assert_array_equal(dual.trace.W, trace.W)
    model = Explorer(ORIGIN, "model", w0=[1, 1])
    model.w = [2, 1]
    assert repr(model).startswith("Explorer(model: w = [2. 1.], ")
    for one in (figure, dual, model):
        assert one.still().startswith(b"\x89PNG")


def test_a_step_beyond_the_run_is_its_last():
    figure = Explorer(li_hang(), step=99)
    assert figure.step == 7
    figure.step = -3
    assert figure.step == 0


def test_an_edit_of_the_page_is_answered_with_pythons_run():
    """What the page does to the model, as ipywidgets applies it."""
    figure, told = Explorer(li_hang(), step=3), []
    figure.observe(lambda change: told.append(change.new), "run")
    points = [[3.0, 3.0], [4.0, 3.0], [1.5, 1.375]]
    figure.set_state({"points": points, "labels": [1, 1, -1], "rev": 1, "step": 3})
    assert figure.data == Dataset(points, [1, 1, -1])
    np.testing.assert_array_equal(figure.trace.W, record(pla(figure.data)).W)
    assert told[-1]["rev"] == 1
    assert told[-1]["picks"] == record(pla(figure.data)).picks.tolist()
    figure.set_state({"settings": {**figure.settings, "rule": "lowest"}, "rev": 2})
    np.testing.assert_array_equal(figure.picks, record(pla(figure.data, lowest)).picks)


def test_python_follows_the_controls_of_the_page():
    figure = Explorer(xor(), "dual", at_most=200)
    told = {**figure.settings, "kernel": {**figure.settings["kernel"], "name": "polynomial"}}
    figure.set_state({"settings": told, "rev": 1})
    assert figure.kernel == polynomial(2)
    assert figure.run["converged"]
    figure = Explorer(li_hang())
    figure.set_state({"settings": {**figure.settings, "rate": 0.5, "w0": [1, 0, 0]}, "rev": 1})
    np.testing.assert_array_equal(figure.trace.W, record(pla(li_hang(), rate=0.5, w0=[1, 0, 0])).W)
    figure.data = xor()
    assert (figure.settings["rate"], figure.settings["w0"]) == (0.5, [1, 0, 0])


def test_an_edit_that_cannot_be_run_changes_nothing_in_python():
    figure, sent = Explorer(li_hang()), []
    figure.send = sent.append
    figure.set_state({"points": [], "labels": [], "rev": 1})
    assert figure.data == li_hang()
    assert sent == [{"error": "points is empty; expected at least one sample"}]


def test_more_updates_can_be_asked_for():
    figure = Explorer(xor(), at_most=10)
    figure.set_state({"settings": {**figure.settings, "at_most": 20}, "rev": 1, "step": 11})
    assert (figure.trace.updates, figure.step) == (20, 11)


def test_the_tally_of_a_dual_run():
    figure = Explorer(xor(), "dual", kernel=polynomial(2))
    figure.step = len(figure.picks)
    *_, end = dual_pla(gram(xor(), polynomial(2)), xor().y)
    alpha, b = figure.tally
    np.testing.assert_array_equal(alpha, end.alpha)
    assert b == end.b
    with pytest.raises(ValueError, match="polynomial kernel's run has no weights"):
        figure.trace  # noqa: B018
    with pytest.raises(ValueError, match="has a tally"):
        Explorer(xor()).tally  # noqa: B018
    np.testing.assert_array_equal(Explorer(li_hang(), "dual").trace.w, [-3, 1, 1])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Explorer(Dataset([[1, 2, 3]], [1])), "data has d = 3"),
        (lambda: Explorer([]), "data is a list"),
        (lambda: Explorer(Dataset([], [])), "points is empty"),
        (lambda: Explorer(Dataset(np.zeros((1001, 2)), [1] * 1001)), "data has 1001 samples"),
        (lambda: Explorer(li_hang(), "adaline"), "algorithm is 'adaline'"),
        (lambda: Explorer(li_hang(), pick="last"), "pick is 'last'"),
        (lambda: Explorer(li_hang(), pick=lowest), "expected one of in_turn, lowest"),
        (lambda: Explorer(li_hang(), panels=["plain"]), "panels has 'plain'"),
        (lambda: Explorer(li_hang(), panels=["alpha"]), 'the panel alpha needs algorithm="dual"'),
        (lambda: Explorer(li_hang(), panels=["model"]), "the panel model does not go with"),
        (lambda: Explorer(xor(), "dual", kernel=rbf(1), panels=["angle"]), "in angle"),
        (lambda: Explorer(xor(), goal={}), "goal is {}"),
        (lambda: Explorer(xor(), goal={"steps": 3}), "goal has 'steps'"),
        (lambda: Explorer(xor(), goal={"updates": -1}), "goal['updates'] is -1"),
        (lambda: Explorer(xor(), goal={"separable": 1}), "goal['separable'] is 1"),
        (lambda: Explorer(xor(), autoplay=2), "autoplay is 2"),
        (lambda: Explorer(xor(), "dual", kernel=lambda A, B: A @ B.T), "an Explorer draws linear"),
        (lambda: Explorer(xor(), "dual", w0=[1, 0, 0]), "a tally of corrections starts from 0"),
        (lambda: Explorer(xor(), at_most=10**6), "at_most is 1000000"),
        (lambda: Explorer(xor(), box=[1, 2]), "box has shape (2,)"),
        (lambda: Explorer(xor(), box=(1, 0, 0, 1)), "box is (1, 0, 0, 1)"),
        (lambda: Explorer(xor(), box=(0, 1, np.nan, 1)), "box[2] is nan"),
        (lambda: Explorer(xor(), box=(1e17, 1e17 + 64, 0, 1)), "too narrow so far from 0"),
        (lambda: Explorer(xor(), names="x"), "names is 'x'"),
        (lambda: Explorer(li_hang(), "model").trace, "runs nothing; its weights are in .w"),
        (lambda: setattr(Explorer(li_hang()), "w", [0, 0, 0]), "a run makes its weights itself"),
        (lambda: Explorer(li_hang(), rate=1e308), "the weights of step 1 are"),
        (lambda: Explorer(ORIGIN, w0=[0, 1, 1]), "w0 has shape (3,)"),
    ],
)
def test_bad_input_gets_one_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def read(name):
    return (FIGURES / "explorer" / name).read_text("utf-8")


def test_every_word_is_in_the_table_and_every_row_is_used():
    source = Explorer._esm + read("page.py")
    known = figure_words(WORDS)
    rows = list(csv.reader(read("words.csv").splitlines()))
    assert all(len(row) == len(rows[0]) and all(row) for row in rows)
    made = re.compile("|".join(f"{a}\\w+" for a in re.findall(r"`(\w+_)\$\{", source)))
    for key in known:
        stem = key.removesuffix("_origin")
        used = f'"{key}"' in source or f'"{stem}"' in source or f"{key}:" in source
        assert used or made.fullmatch(key), key
    for key in set(re.findall(r'say\("(\w+)"', source)):
        assert key in known, key


# ------------------------------------------------------------------------------ in a browser


def numbers(page):
    """The weights of the step, and the pocket's mistakes."""
    return said(page, ".numbers")


def place(page, i):
    """Where the name of a sample says that it is."""
    name = sample(page, i).get_attribute("aria-label").replace("−", "-")
    return [float(v) for v in re.search(r"\((.*)\)", name).group(1).split(",")]


def unfold(page):
    """Show the tools."""
    if not page.locator(".toolbar").first.is_visible():
        page.get_by_role("button", name="Edit").first.click()


def nudge(page, i):
    """Move a sample by keyboard: pick it up, go one step, put it down."""
    press(page, "Enter", "ArrowUp", "Enter", on=i)


def undo(page):
    press(page, "Control+z")


def click(page, name):
    page.get_by_role("button", name=name).click()
    drawn(page)


TELEPHONE = {"viewport": {"width": 390, "height": 500}, "has_touch": True, "is_mobile": True}


def drag(page, i, dx, dy):
    pull(page, middle(sample(page, i)), dx, dy)


def swipe(page, x, y, dx, dy):
    session = page.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        *(("touchMove", [{"x": x + dx * k / 12, "y": y + dy * k / 12}]) for k in range(1, 13)),
        ("touchEnd", []),
    ):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    drawn(page)


EVERY = {
    "model": lambda: Explorer(credit(rng=np.random.default_rng(1)), "model", w0=[-10, 1, -2]),
    "pla": lambda: Explorer(halfspaces(30, distance=0.1, rng=np.random.default_rng(5)), step=2),
    "ledger": lambda: Explorer(li_hang(), panels=["plane", "ledger"], step=3),
    "pocket": lambda: Explorer(
        flip_labels(credit(rng=np.random.default_rng(2)), 8, rng=np.random.default_rng(2)),
        "pocket",
        "at_random",
        at_most=150,
        step=9,
    ),
    "dual": lambda: Explorer(li_hang(), "dual", step=3),
    "kernel": lambda: Explorer(
        rings(40, rng=np.random.default_rng(5)), "dual", kernel=polynomial(2), step=3
    ),
}


@pytest.mark.parametrize("name", EVERY)
def test_a_figure_starts_steps_and_follows_a_drag(opened, name):
    page = opened(EVERY[name]())
    before = said(page)
    if name == "model":
        page.locator(".slider input").first.focus()
    else:
        page.locator(".st-time input").focus()
    page.keyboard.press("ArrowRight")
    assert said(page) != before
    before = said(page)
    i = int(re.match(r"Sample (\d+)", before).group(1)) - 1
    drag(page, i, 60, 40)
    assert said(page) != before


def test_a_line_through_the_origin_has_two_weights(opened):
    trace = record(pla(ORIGIN))
    page = opened(Explorer(ORIGIN, panels=["plane", "angle", "ledger"], step=1))
    w = trace.W[1]
    assert f"w = ({w[0]:g}, {w[1]:g})" in numbers(page)
    assert at(page) == f"1 of {trace.updates}"
    press(page, "f", on=0)
    labels = [-1, 1, 1, -1, -1, -1]
    again = record(pla(Dataset(ORIGIN.points, labels, False)), at_most=1000)
    assert at(page).startswith(f"1 of {again.updates}")


MOVES = {
    "mouse": lambda page: drag(page, 2, 60, -40),
    "keys": lambda page: nudge(page, 2),
    "finger": lambda page: swipe(page, *middle(sample(page, 2)), 44, -44),
}


@pytest.mark.parametrize("by", MOVES)
def test_a_sample_that_is_moved_gives_the_run_that_python_gives(opened, by):
    page = opened(Explorer(li_hang(), step=1), **(TELEPHONE if by == "finger" else {}))
    MOVES[by](page)
    points = [[3, 3], [4, 3], place(page, 2)]
    trace = record(pla(Dataset(points, [1, 1, -1])))
    assert points[2] != [1, 1]
    assert at(page) == f"1 of {trace.updates}"
    assert page.evaluate("scrollY") == 0


def test_the_buttons_step_and_stop_at_the_ends(opened):
    page = opened(Explorer(li_hang()))
    back, play, step = page.locator(".st-row button").all()
    assert back.is_disabled()
    for t in range(1, 8):
        step.press("Enter")
        assert at(page) == f"{t} of 7"
    assert step.is_disabled()
    assert step.evaluate("step => step === document.activeElement")
    assert "7 updates" in said(page)
    back.click()
    assert at(page) == "6 of 7"
    assert play.inner_text() == "Play"


def test_play_stops_at_the_end_and_is_silent_on_the_way(opened):
    page = opened(Explorer(li_hang(), step=4))
    change(page, "speed", "25")
    play = page.locator(".st-row button").nth(1)
    page.evaluate("""() => {
        const live = document.querySelector(".live");
        window.heard = [];
        new MutationObserver(() => window.heard.push(live.textContent))
            .observe(live, { childList: true });
    }""")
    play.click()
    comes(page, "7 of 7")
    page.wait_for_function("window.heard.length > 0")
    assert page.evaluate("heard") == ["No mistakes at step 7. The run ends after 7 updates."]
    assert play.inner_text() == "Play"
    change(page, "speed", "1")  # each step stays in view for long enough to be seen
    play.click()  # from the end it starts again
    comes(page, "2 of 7")
    page.keyboard.press("Space")


def test_a_figure_plays_by_itself_once_in_view_and_stops_when_touched(opened):
    page = opened(Explorer(li_hang(), autoplay=True), viewport={"width": 900, "height": 700})
    comes(page, "2 of 7")
    assert page.get_by_label("speed").input_value() == "2"
    page.locator("svg.plane").click(position={"x": 60, "y": 60})
    assert page.get_by_role("button", name="Play").is_visible()


def test_a_figure_that_nobody_sees_does_not_play(opened):
    short = {"width": 900, "height": 300}
    figures = Explorer(xor()), Explorer(li_hang(), autoplay=True)
    page = opened(*figures, viewport=short, clock=True)
    page.clock.run_for(5000)
    assert at(page.locator(".pn-stage").last) == "0 of 7"


def test_a_figure_stands_still_for_who_wants_less_motion(opened):
    page = opened(Explorer(li_hang(), autoplay=True), reduced_motion="reduce", clock=True)
    page.clock.run_for(5000)
    assert at(page) == "0 of 7"
    page.get_by_role("button", name="Step").click()
    page.clock.run_for(50)
    assert not moment(page)[0]
    assert at(page) == "1 of 7"


def test_a_sample_is_handled_by_keyboard_alone(opened):
    page = opened(Explorer(li_hang(), step=1))
    press(page, "n", "f", on=0)
    assert "a cross" in sample(page, 1).get_attribute("aria-label")
    press(page, "+")
    assert page.locator(".samples > *").count() == 4
    assert "a circle" in sample(page, 3).get_attribute("aria-label")
    press(page, "-")
    assert "a cross" in sample(page, 4).get_attribute("aria-label")
    for left in (4, 3, 2, 1, 1):
        press(page, "Delete")
        assert page.locator(".samples > *").count() == left
    assert "has to stay" in page.locator(".note").inner_text()
    assert page.evaluate("document.activeElement.closest('.samples') !== null")
    page.locator(".st-time input").focus()
    page.keyboard.press("Space")
    assert page.locator(".st-row button").nth(1).inner_text() == "Pause"


@pytest.mark.parametrize("name", some_of(["model", "pla", "pocket", "kernel"], "pla"))
@pytest.mark.parametrize("back", ["Undo", "Reset"])
def test_a_sample_is_deleted_and_added_at_any_step_and_comes_back(opened, name, back):
    """The model hears of samples, step and settings at once, the picture only of all together."""
    page = opened(EVERY[name]())
    unfold(page)
    n = page.locator(".samples > *").count()
    shown = (
        "all => all.map(e => ['class', 'd', 'transform', 'aria-label'].map(a => e.getAttribute(a)))"
    )
    whole = page.locator(".samples > *").evaluate_all(shown)
    for key, left in (("Delete", n - 1), ("+", n + 1)):
        press(page, key, on=4)
        assert page.locator(".samples > *").count() == left
        for _ in range(2 if name != "model" else 0):
            page.get_by_role("button", name="Step").click()
        click(page, back)
        assert page.locator(".samples > *").count() == n
    click(page, "Reset")
    assert page.locator(".samples > *").evaluate_all(shown) == whole


def test_an_update_that_makes_the_weights_zero_has_no_angle(opened):
    page = opened(Explorer(Dataset([[1, 0], [1, 0]], [1, -1]), at_most=4, step=1))
    said = page.locator(".linear").filter(has_text="w = 0")
    assert "NaN" not in page.locator("main").inner_text()
    assert said.count() == 1


def test_a_number_that_floats_cannot_work_with_is_not_taken(opened):
    page = opened(Explorer(li_hang(), step=1))
    before = said(page)
    for text in ("1e308", "", "-1e300"):
        for name in ("rate λ", "start w₁"):
            change(page, name, text)
        assert said(page) == before, text
    assert not re.search("NaN|Infinity", page.locator("main").inner_html())


def test_new_data_show_their_seed_and_reset_brings_the_old_back(opened):
    page = opened(Explorer(li_hang(), seed=4))
    unfold(page)
    old = page.locator(".samples").inner_html()
    click(page, "New data")
    assert setting(page, "data no.").input_value() == "5"
    fresh = page.locator(".samples").inner_html()
    assert fresh != old
    change(page, "data no.", "9")
    assert page.locator(".samples").inner_html() != fresh
    change(page, "data no.", "5")
    assert page.locator(".samples").inner_html() == fresh
    click(page, "Reset")
    assert page.locator(".samples").inner_html() == old
    assert setting(page, "data no.").input_value() == "4"


def test_a_run_without_end_says_so_and_goes_on(opened):
    page = opened(Explorer(xor(), at_most=30, step=30))
    assert "No line separates these samples" in said(page)
    page.locator(".st-row button").nth(2).click()
    assert at(page) == "31 of 60…"
    nudge(page, 0)  # the page decides anew
    page.locator(".st-time input").focus()
    page.keyboard.press("End")
    assert "No line separates these samples" in said(page)


def test_a_long_run_leaves_the_page_alive(opened):
    """A run is computed a share at a time, and each share is shown before the next."""
    data = flip_labels(
        halfspaces(100, distance=0.1, rng=np.random.default_rng(1)), 9, rng=np.random.default_rng(1)
    )
    page = opened(Explorer(data, at_most=2000))
    page.evaluate(
        """() => { let clock = 0;
            performance.now = () => clock++; // a millisecond passes between any two looks at it
            window.shown = [];
            const tick = () => { shown.push(parseInt(document.querySelector('[data-count=step]')
              .innerText.split(' of ')[1])); requestAnimationFrame(tick); };
            requestAnimationFrame(tick); }"""
    )
    nudge(page, 0)
    page.wait_for_function("shown.some(T => T < 2000) && shown.at(-1) === 2000")
    shares = np.diff(page.evaluate("shown.slice(shown.findIndex(T => T < 2000))"))
    assert (shares > 0).sum() >= 10
    assert max(shares) <= 200


# ------------------------------------------------------------------------ what once was wrong


@pytest.mark.parametrize("width", some_of([390, 1280], 390))
@pytest.mark.parametrize("name", some_of(["pla", "ledger", "kernel"], "ledger"))
def test_a_drag_neither_turns_on_the_keyboard_nor_moves_the_page(opened, name, width):
    page = opened(EVERY[name](), viewport={"width": width, "height": 900})
    height = "document.querySelector('.pn-stage').getBoundingClientRect().height"
    before = page.evaluate(height)
    box = sample(page, 0).bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    for k in range(1, 12):
        page.mouse.move(box["x"] + 5 + 9 * k, box["y"] + 5 + 5 * k)
        drawn(page)
        assert page.evaluate(height) == before
        assert page.locator(".samples :focus-visible").count() == 0
    page.mouse.up()


def test_a_ledger_without_a_separator_says_why_it_is_empty(opened):
    page = opened(
        Explorer(Dataset([[0, 0], [1, 0], [2, 0]], [1, -1, -1]), panels=["plane", "ledger"])
    )
    assert page.locator(".chart:visible").count() == 2
    press(page, "f", on=1)
    assert page.locator(".chart:visible").count() == 2
    press(page, "End", "f", "Home", "n", "f")
    page.locator(".chip").click()
    assert page.locator(".chip").inner_text() == "✗ No line separates"
    assert page.locator(".chart:visible").count() == 1
    assert page.get_by_text("no separating direction along which w must grow").is_visible()


def test_a_sample_does_what_the_tool_says_for_enter_space_and_a_click(opened):
    page = opened(Explorer(li_hang(), step=1))
    unfold(page)
    page.locator("[data-tool=flip]").click()
    shapes = ["a cross", "a circle"] * 2
    click = "e => e.dispatchEvent(new MouseEvent('click', { bubbles: true }))"  # a screen reader's
    sample(page, 0).focus()
    acts = (
        lambda: page.keyboard.press("Enter"),
        lambda: page.keyboard.press("Space"),
        lambda: sample(page, 0).evaluate(click),
        lambda: sample(page, 0).click(force=True),
    )
    for act, shape in zip(acts, shapes, strict=True):
        act()
        drawn(page)
        assert shape in sample(page, 0).get_attribute("aria-label")
    page.locator("[data-tool=add_positive]").click()
    press(page, "Enter", on=0)
    assert page.locator(".samples > *").count() == 4
    page.locator("[data-tool=delete]").click()
    sample(page, 3).evaluate(click)
    drawn(page)
    assert page.locator(".samples > *").count() == 3


def test_samples_are_a_list_whose_items_say_what_they_are_now(opened):
    page = opened(Explorer(li_hang(), step=3))
    items = page.get_by_role("listbox", name="Samples").get_by_role("option")
    assert [one.get_attribute("aria-label") for one in items.all()] == [
        "sample 1, a circle at (3, 3), correct",
        "sample 2, a circle at (4, 3), correct",
        "sample 3, a cross at (1, 1), a mistake, being corrected",
    ]
    items.first.focus()
    page.keyboard.press("ArrowRight")
    assert items.nth(1).evaluate("e => e === document.activeElement && e.ariaSelected") == "true"
    assert place(page, 1) == [4, 3]
    page.keyboard.press("Enter")
    page.locator(".live", has_text="Picked up").wait_for(state="attached")
    press(page, "ArrowLeft")
    assert place(page, 1)[0] < 4
    press(page, "Escape")
    assert place(page, 1) == [4, 3]
    press(page, "Enter", "ArrowUp", "Enter", "ArrowUp")
    assert place(page, 1)[1] > 3
    assert items.first.evaluate("e => e === document.activeElement")


def test_a_swipe_scrolls_and_only_a_tap_adds(opened):
    page = opened(Explorer(li_hang()), Explorer(li_hang()), **TELEPHONE)
    unfold(page)
    page.locator("[data-tool=add_positive]").first.tap()
    page.evaluate("scrollTo(0, 0)")
    plane = page.locator("svg.plane").first.bounding_box()
    x, y = plane["x"] + plane["width"] / 2, plane["y"] + plane["height"] / 2
    swipe(page, x, y, 0, -150)
    page.wait_for_function("scrollY > 50")
    first = page.locator(".samples").first.locator("> *")
    assert first.count() == 3
    # The swipe may go on for a while, and a tap meanwhile would only end it.
    page.wait_for_function(
        """() => { window.atRest = scrollY ? 0 : (window.atRest ?? 0) + 1;
        if (scrollY) scrollTo(0, 0);
        return window.atRest > 30; }"""
    )
    page.touchscreen.tap(x, y)
    page.wait_for_function("document.querySelector('.samples').children.length === 4")


# ---------------------------------------------------------------- one idea under one hand


def on_line(page, share, of=0):
    """A place on the line (or on its arrow, of=1), that share of its length from its beginning."""
    return (
        page.locator(".grip")
        .nth(of)
        .evaluate(
            """(e, share) => { const p = e.getPointAtLength(share * e.getTotalLength());
            const m = e.getScreenCTM(); return [p.x * m.a + m.e, p.y * m.d + m.f]; }""",
            share,
        )
    )


def weights(page):
    """The weights of the step, as the page writes them."""
    said = re.search(r"w = \((.*)\)", numbers(page)).group(1)
    return [float(v.replace("−", "-")) for v in said.split(",")]


@pytest.mark.parametrize("name", ["model", "pla"])
def test_the_line_is_shifted_and_its_arrow_turns_it(opened, name):
    figures = {
        "model": Explorer(li_hang(), "model", w0=[-3, 1, 1]),
        "pla": Explorer(li_hang(), w0=[-4, 1, 1]),
    }
    page = opened(figures[name])
    before = weights(page)
    pull(page, on_line(page, 0.1), 40, 0)
    shifted = weights(page)
    assert shifted[0] != before[0]
    assert shifted[1:] == before[1:]
    pull(page, on_line(page, 0.9, of=1), 30, 30)
    turned = weights(page)
    assert turned[1] / turned[2] != pytest.approx(1, abs=0.05)
    assert np.hypot(*turned[1:]) == pytest.approx(np.hypot(*before[1:]), rel=0.01)
    undo(page)
    assert weights(page) == shifted


def test_the_line_is_shifted_and_turned_by_the_keyboard_alone(opened):
    page = opened(Explorer(li_hang(), "model", w0=[-2, 1, 1], panels=["plane"], tools=False))
    assert weights(page) == [-2, 1, 1]
    page.locator(".grip").first.focus()
    press(page, "ArrowUp")
    shifted = weights(page)
    assert shifted[0] < -2
    press(page, "Tab", "ArrowRight")
    assert weights(page)[1:] != shifted[1:]
    undo(page)
    assert weights(page) == shifted


def test_a_finger_drags_the_line(opened):
    page = opened(Explorer(li_hang(), "model", w0=[-3, 1, 1]), **TELEPHONE)
    before, (x, y) = weights(page), on_line(page, 0.1)
    swipe(page, x, y, 30, 0)
    page.wait_for_function("!document.querySelector('.numbers').innerText.includes('−3,')")
    assert weights(page)[1:] == before[1:]
    assert page.evaluate("scrollY") == 0


def moment(page):
    """Return the visible parts of an update: the added vector, and the line."""
    return [
        page.locator(f".plane {name}").get_attribute("d")
        for name in (".sent", ".line:not(.best, .after)")
    ]


def test_the_beats_are_seen_one_by_one_by_keyboard(opened):
    page = opened(EVERY["pla"]())
    page.locator(".st-time input").focus()
    rest = moment(page)
    press(page, ".")
    one = moment(page)
    press(page, ".")
    two = moment(page)
    assert one[0]
    assert two[0]
    assert one[0] != two[0]
    press(page, ",")
    assert moment(page) == one
    press(page, ",")
    assert moment(page) == rest
    assert at(page) == "2 of 6"
    press(page, ".", ".", ".")
    assert at(page) == "3 of 6"


# ------------------------------------------------------------------------- the second version


def test_what_was_done_can_be_undone(opened):
    page = opened(Explorer(li_hang(), step=2))
    unfold(page)
    assert page.get_by_role("button", name="Undo").is_disabled()
    drag(page, 2, 60, -40)
    drag(page, 2, -30, -40)
    click(page, "New data")
    click(page, "Undo")
    assert place(page, 2) != [1, 1]
    page.locator("svg.plane").click(position={"x": 60, "y": 60})
    undo(page)
    undo(page)
    assert [place(page, i) for i in range(3)] == li_hang().points.tolist()
    assert at(page) == "2 of 7"


def setting(page, name):
    page.locator("details:not([open]) summary").evaluate_all("all => all.forEach(e => e.click())")
    return page.get_by_label(name, exact=True)


def change(page, name, value):
    control = setting(page, name)
    if control.evaluate("e => e.localName") == "select":
        control.select_option(value)
    else:
        control.fill(value)
        control.press("Tab")
    drawn(page)


def test_an_order_of_picks_makes_pythons_run_and_has_a_number_of_its_own(opened):
    data = halfspaces(40, distance=0.05, rng=np.random.default_rng(3))
    page = opened(Explorer(data, step=1, seed=6))
    for rule in sorted(RULES):
        change(page, "order", rule)
        assert at(page) == f"1 of {record(pla(data, RULES[rule](6))).updates}", rule
    before = [place(page, i) for i in range(3)]
    change(page, "order no.", "7")
    assert [place(page, i) for i in range(3)] == before
    assert at(page) == f"1 of {record(pla(data, RULES['shuffled'](7))).updates}"
    click(page, "New data")
    assert [place(page, i) for i in range(3)] != before
    assert setting(page, "order no.").input_value() == "7"
    assert setting(page, "data no.").input_value() == "7"


KERNEL_CHOICES = {
    "linear": ({"kernel": "linear"}, linear),
    "polynomial": ({"kernel": "polynomial", "degree": "3", "constant": "0.5"}, polynomial(3, 0.5)),
    "rbf": ({"kernel": "rbf", "γ": "0.3"}, rbf(0.3)),
}


@pytest.mark.parametrize("name", some_of(KERNEL_CHOICES, "linear", "polynomial"))
def test_another_kernel_makes_pythons_run(opened, name):
    choices, kernel = KERNEL_CHOICES[name]
    data = rings(20, rng=np.random.default_rng(5))
    page = opened(Explorer(data, "dual", kernel=polynomial(2), at_most=60, step=1))
    for control, value in choices.items():
        change(page, control, value)
    again = Explorer(data, "dual", kernel=kernel, at_most=60)
    cut = "" if again.run["converged"] else "…"
    assert at(page) == f"1 of {len(again.picks)}{cut}"
    assert page.locator(".chip").is_visible() == (name == "linear")
    assert ("w = " in numbers(page)) == (name == "linear")


def test_another_rate_and_another_start_make_pythons_run(opened):
    page = opened(Explorer(li_hang(), step=1))
    change(page, "rate λ", "0.5")
    for j, value in enumerate(("1", "-2", "0.5")):
        change(page, f"start w{'₀₁₂'[j]}", value)
    trace = record(pla(li_hang(), rate=0.5, w0=[1, -2, 0.5]))
    assert at(page) == f"1 of {trace.updates}"
    shown = ", ".join(f"{v:g}".replace("-", "−") for v in trace.W[1])
    assert f"w = ({shown})" in numbers(page)


def test_the_chip_shows_its_proof(opened):
    page = opened(Explorer(xor(), at_most=9))
    chip, proof = page.locator(".chip"), page.locator(".plane .why")
    assert chip.inner_text() == "Can a line separate them?"
    assert not proof.get_attribute("d")
    chip.click()
    assert chip.inner_text() == "✗ No line separates"
    assert proof.get_attribute("d").count("Z") == 6  # two segments that cross, four rings
    press(page, "f", on=0)
    assert chip.inner_text() == "✓ A line separates"
    assert proof.get_attribute("d").count("L") == 1


@pytest.mark.parametrize(
    ("goal", "asked", "met", "unmet"),
    [
        ({"updates": 9}, "need 9 updates or more", "f", "f"),
        ({"separable": False}, "until no line separates them", "f", "f"),
        ({"mistakes": 0}, "get down to no mistakes", "End", "Home"),
    ],
)
def test_a_goal_is_recognised_when_it_is_reached_and_when_it_is_no_more(
    opened, goal, asked, met, unmet
):
    points = [[1, 1], [2, 1], [3, 1]] if "separable" in goal else li_hang().points
    page = opened(Explorer(Dataset(points, [1, 1, -1]), goal=goal))
    prompt = page.locator(".prompt")
    assert asked in prompt.inner_text()
    press(page, "f", "f", on=0)  # the book's own samples reach no goal
    assert "Done" not in prompt.inner_text()
    (page.locator(".st-time input") if met == "End" else sample(page, 0)).focus()
    press(page, met)
    assert "✓ Done." in prompt.inner_text()
    assert prompt.get_attribute("aria-live") == "polite"
    press(page, unmet)
    assert "Done" not in prompt.inner_text()


def test_a_link_shows_the_figure_to_another_reader(opened, tab):
    page = opened(Explorer(li_hang()), Explorer(li_hang(), step=1))
    figure = page.locator(".pn-stage").nth(1)
    sample(figure, 2).focus()
    press(page, "f", "+", "Enter", "ArrowUp", "Enter")
    figure.get_by_role("button", name="Edit").click()
    figure.get_by_role("button", name="Copy a link").click()
    figure.locator(".note", has_text="link").or_(
        figure.locator(".note", has_text="address")
    ).first.wait_for()
    assert "#explorer-1=" in page.url
    other = tab()
    other.goto(page.url)
    there = other.locator(".pn-stage").last
    there.locator(".note", has_text="This is the figure of the link").wait_for()
    assert there.locator(".samples > *").count() == 4
    assert [f(there) for f in (at, rest, numbers)] == [f(figure) for f in (at, rest, numbers)]
    there.get_by_role("button", name="Edit").click()
    there.get_by_role("button", name="Reset").click()
    comes(there, "1 of 7")
    assert "#" not in other.url  # or a reload would undo it


def test_charts_say_what_they_show(opened):
    page = opened(Explorer(li_hang(), panels=["plane", "ledger"], step=3))
    names = page.locator("svg.chart").evaluate_all("all => all.map(e => e.ariaLabel)")
    assert "Mistakes among 3 samples: 1 at step 3; the run ends after 7 updates" in names
    told = "ceiling 8.832, length 1.732, reach 1.414, floor 1.414 at step 3"
    assert any(name.endswith(told) for name in names)


# ----------------------------------------------------------------------- what an outsider found


def undoable(page):
    unfold(page)
    return page.get_by_role("button", name="Undo").is_enabled()


def test_tab_reaches_a_sample_from_the_control_before_it(opened):
    page = opened(Explorer(li_hang()), Explorer(li_hang()))
    page.locator("summary").first.focus()  # the last control of the figure above
    page.keyboard.press("Tab")
    focused = "document.activeElement.role + [...document.querySelectorAll('.samples > *')]"
    focused += ".indexOf(document.activeElement)"
    assert page.evaluate(focused) == "option3"  # the first one of the second figure
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "option4"


def test_an_undo_waits_for_the_end_of_a_drag_and_a_press_may_tremble(opened):
    page = opened(Explorer(li_hang()))
    drag(page, 2, 2, 0)
    assert place(page, 2) == [1, 1]
    assert not undoable(page)
    x, y = middle(sample(page, 2))
    for key, moved in (("Control+z", True), ("Escape", False)):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 40, y - 30)
        press(page, key)
        page.mouse.move(x + 60, y - 40)
        page.mouse.up()
        drawn(page)
        assert (place(page, 2) != [1, 1]) == moved
        assert undoable(page) == moved
        undo(page)
        assert place(page, 2) == [1, 1]


SHARED = ("rule", "seed", "order", "kernel", "rate", "w0", "w")


def link(figure, **changes):
    """What an address tells of a figure, or of what somebody made of it."""
    state = figure.get_state()
    told = {"points": state["points"], "labels": state["labels"], "t": state["step"]}
    told |= {name: state["settings"][name] for name in SHARED} | changes
    return base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")


def follow(page, told):
    """Open the page anew with a link to its figure, and return what it says of the link."""
    home = page.url.partition("#")[0]
    page.goto("about:blank")
    page.goto(f"{home}#explorer-0={told}")
    note = page.locator(".note", has_text=re.compile("link", re.IGNORECASE))
    note.wait_for()
    return note.inner_text()


def test_a_link_to_a_step_stays_there(opened):
    figure = Explorer(li_hang(), autoplay=True)
    page = opened(figure, clock=True)
    for t, shown in ((2, "2 of 7"), (7, "7 of 7"), (99, "7 of 7")):
        follow(page, link(figure, t=t))
        page.clock.run_for(5000)
        assert at(page) == shown


KERNEL = described(polynomial(2))
TAMPERED = [
    *({"rule": rule} for rule in ("constructor", "__proto__", "toString")),
    *({"kernel": {**KERNEL, "degree": degree}} for degree in (0, 1.5, 99)),
    *({"kernel": {**KERNEL, "offset": offset}} for offset in (-5, 1e300)),
]


def test_a_link_that_makes_no_sense_is_told_and_harms_nothing(opened):
    figure = Explorer(li_hang(), "dual", kernel=polynomial(2), step=1)
    page = opened(figure)
    before = at(page)
    told = [link(figure, **changes) for changes in TAMPERED]
    for text in ("", "%%%", "AAAA", "eyJwb2ludHMiOltdfQ", "bnVsbA", *told):
        assert "The link holds nothing" in follow(page, text), text
        assert at(page) == before, text


# --------------------------------------------------- with Python behind it, or with none left

#: A model as Jupyter makes it, whose Python is this test.
MODEL = """async ({ source, state }) => {
  const blob = new Blob([source], { type: "text/javascript" });
  const { default: widget } = await import(URL.createObjectURL(blob));
  const heard = {}, sent = (window.sent = []), saved = (window.saved = []);
  const fire = (name, value) => (heard[name] ?? []).forEach((f) => f(value));
  window.model = {
    get: (name) => state[name],
    set(key, value) { Object.assign(state, typeof key === "string" ? { [key]: value } : key); },
    save_changes() { saved.push(structuredClone(state)); },
    send: (message) => sent.push(message),
    on: (name, f) => (heard[name] ??= []).push(f),
    off: (name, f) => (heard[name] = heard[name].filter((g) => g !== f)),
  };
  window.python = (changes, message) => {
    Object.assign(state, changes);
    for (const name of Object.keys(changes)) fire(`change:${name}`);
    if (message) fire("msg:custom", message);
  };
  window.heard = heard;
  const el = document.body.appendChild(document.createElement("div"));
  window.end = widget.render({ model, el });
}"""


@pytest.fixture
def live(opened):
    """A function that shows a figure on a model of Jupyter's kind."""

    def show(figure):
        page = opened(Explorer(li_hang()))
        page.evaluate("document.querySelector('main').remove()")
        names = explorers.SHOWN
        state = {name: figure.get_state()[name] for name in names}
        page.evaluate(MODEL, {"source": Explorer._esm, "state": json.loads(json.dumps(state))})
        return page

    return show


def test_an_edit_reaches_python_and_its_answer_is_shown(live):
    figure = Explorer(li_hang(), step=1)
    page = live(figure)
    assert page.evaluate("sent") == [{"hello": True}]
    page.evaluate("python({}, { hello: true })")
    nudge(page, 2)
    saved = page.evaluate("saved.at(-1)")
    figure.set_state({name: saved[name] for name in ("points", "labels", "settings", "rev")})
    assert figure.data.points[2].tolist() == saved["points"][2] != [1, 1]
    assert at(page) == f"1 of {figure.trace.updates}"
    # An answer that differs is believed; one about older samples is not.
    page.evaluate("python({ run: { rev: 1, picks: [0, 1], converged: false } })")
    assert at(page) == "1 of 2…"
    page.evaluate("python({ run: { rev: 0, picks: [0], converged: true } })")
    assert at(page) == "1 of 2…"


def test_python_shows_other_data_and_another_step(live):
    page = live(Explorer(li_hang(), step=1))
    figure = Explorer(xor(), at_most=12)
    figure.rev = 5
    state = {name: figure.get_state()[name] for name in explorers.SHOWN}
    state["run"] = {**figure.run, "rev": 5}
    page.evaluate("state => python(state)", json.loads(json.dumps(state)))
    assert at(page) == "0 of 12…"
    assert page.locator(".samples > *").count() == 4
    page.evaluate("python({ step: 3 })")
    assert at(page) == "3 of 12…"


def test_python_moves_the_weights_of_a_model(live):
    figure = Explorer(li_hang(), "model", w0=[-3, 1, 1])
    page = live(figure)
    assert rest(page) == "no mistakes"
    page.evaluate("w => python({ settings: { ...model.get('settings'), w } })", [0, 1, 1])
    assert rest(page) == "1 mistake"
    assert "w = (0, 1, 1)" in numbers(page)
    page.locator(".slider input").nth(1).focus()
    page.keyboard.press("ArrowRight")
    figure.set_state({"settings": page.evaluate("saved.at(-1).settings")})
    assert figure.w.tolist()[0] == 0
    assert figure.w.tolist()[1] > 1


def test_a_figure_that_is_taken_away_lets_go(live):
    page = live(Explorer(li_hang()))
    page.evaluate("end()")
    assert page.evaluate("Object.values(heard).flat().length") == 0


# ---------------------------------------------------------------------- in a real JupyterLab


CELLS = [
    "from perceptron_notes.datasets import li_hang\n"
    "from perceptron_notes.figures.explorer import Explorer\n"
    "from perceptron_notes.figures.controls import watch_steps",
    "figure = Explorer(li_hang(), step=1)\nfigure",
    "controls = watch_steps(figure.trace).link(figure)\ncontrols",
    "print('SEEN', figure.data.points[2].tolist(), figure.trace.updates, controls.state)",
    "figure.step = 0",
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab of its own, in a folder with one notebook."""
    folder = tmp_path_factory.mktemp("lab")
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nb.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(nb, folder / "figure.ipynb")
    options = {
        "ServerApp.token": "",
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": 0,  # one that is free; its file below says which
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "ServerApp.root_dir": str(folder),
        "LabApp.expose_app_in_browser": True,
        "LabApp.news_url": None,
    }
    command = [sys.executable, "-m", "jupyterlab", *(f"--{k}={v}" for k, v in options.items())]
    kinds = ("CONFIG", "DATA", "RUNTIME")
    environment = {**os.environ, **{f"JUPYTER_{kind}_DIR": str(folder / kind) for kind in kinds}}
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield started(server, folder)
        finally:
            server.terminate()
            server.wait()


def started(server, folder):
    """The address of a JupyterLab, as soon as it answers."""
    while server.poll() is None:
        for file in (folder / "RUNTIME").glob("jpserver-*.json"):
            try:
                address = json.loads(file.read_text("utf-8"))["url"].rstrip("/")
                urllib.request.urlopen(f"{address}/api").close()
            except (OSError, ValueError):  # not yet
                continue
            return address
        time.sleep(0.1)
    pytest.fail(f"JupyterLab ended: {(folder / 'log.txt').read_text('utf-8')}")


RUN = "command => window.jupyterapp.commands.execute(command)"


@pytest.fixture
def notebook(tab, lab):
    """The notebook in JupyterLab, all of its cells run."""
    page = tab(viewport={"width": 1200, "height": 1400})
    page.set_default_timeout(120_000)
    page.goto(f"{lab}/lab/tree/figure.ipynb?reset")
    page.locator(".jp-Cell").nth(len(CELLS) - 1).wait_for()
    # A command given before the kernel is there is lost.
    kernel = "window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel"
    ready = f"{kernel}?.connectionStatus === 'connected' && {kernel}?.status === 'idle'"
    page.wait_for_function(ready)
    page.evaluate(RUN, "notebook:run-all-cells")
    page.wait_for_selector(".pn-stage .st")
    comes(page, "0 of 7")
    page.evaluate(
        """() => { window.commanded = [];
            jupyterapp.commands.commandExecuted.connect((_, { id }) => commanded.push(id)); }"""
    )
    return page


def seen(page):
    """What Python prints of the figure: its third sample, its updates, its controls' state."""
    cell = page.locator(".jp-Cell").nth(3)
    before = cell.locator(".jp-InputPrompt").inner_text()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    again = """before => { const now = document.querySelectorAll('.jp-InputPrompt')[3].innerText;
        return now !== before && /\\d/.test(now); }"""
    page.wait_for_function(again, arg=before)
    told = cell.locator(".jp-OutputArea-output").inner_text()
    point, updates, state = re.match(r"SEEN (\[.*?\]) (\d+) (.*)", told).groups()
    return json.loads(point), int(updates), state


@pytest.mark.slow
def test_in_jupyterlab_python_and_linked_controls_follow_a_drag(notebook):
    page = notebook
    drag(page, 2, 50, -30)
    assert at(page) != "0 of 7"
    page.locator(".st-time input").focus()
    page.keyboard.press("End")
    T = int(at(page).split(" of ")[1])
    assert at(page) == f"{T} of {T}"
    page.locator(".jp-Cell").nth(2).get_by_text(f"t = {T}: w = ").wait_for()
    point, updates, state = seen(page)
    assert point != [1, 1]
    trace = record(pla(Dataset([[3, 3], [4, 3], point], [1, 1, -1])))
    assert trace.updates == updates == T
    assert state == watch_steps(trace, t=T).state

    page.evaluate(RUN, "kernelmenu:shutdown")
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.sessionContext.session")
    press(page, "f", on=0)
    page.locator(".note", has_text="Python is not answering").wait_for()
    alone = record(pla(Dataset([[3, 3], [4, 3], point], [-1, 1, -1])), at_most=1000)
    assert at(page).split(" of ")[1].rstrip("…") == str(alone.updates)


@pytest.mark.slow
def test_in_jupyterlab_the_keyboard_is_the_figures(notebook):
    page = notebook
    page.locator(".jp-Cell").nth(1).locator(".jp-InputPrompt").click()  # in command mode
    cells = page.locator(".jp-Notebook .jp-Cell")
    sources = cells.locator(".jp-InputArea").all_inner_texts()
    page.evaluate("commanded.length = 0")
    step, slider = page.locator(".st-row button").nth(2), page.locator(".st-time input")
    slider.focus()
    press(page, "ArrowRight", "ArrowUp", "ArrowLeft")
    step.focus()
    press(page, "Enter", "Space")
    assert at(page) == "3 of 7"
    # What would cut, insert, copy, merge, delete, undo or turn the cell into text.
    for control in (slider, step, sample(page, 1)):
        control.focus()
        for key in "xabcmvydiz0jk":
            page.keyboard.press(key)
            page.keyboard.press(f"Shift+{key}")
        assert control.evaluate("e => e === document.activeElement")
    assert page.evaluate("commanded") == []
    assert cells.locator(".jp-InputArea").all_inner_texts() == sources
    page.keyboard.press("Control+s")  # what has a modifier is JupyterLab's
    page.wait_for_function("commanded.includes('docmanager:save')")
