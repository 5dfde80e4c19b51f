"""The plain ipywidgets: their states, their links, and their stills on the site."""

import json

import ipywidgets
import numpy as np
import pytest
from building import notebook, soup_of
from notes_site import explorers
from refusals import refuses
from visiting import some_of

from perceptron_notes import (
    Dataset,
    certify,
    error_count,
    ledger,
    pla,
    record,
    separate,
)
from perceptron_notes.datasets import credit, li_hang, rings, xor
from perceptron_notes.figures.controls import (
    choose_kernel,
    choose_threshold,
    miss_margin,
    move_weights,
    watch_classes,
    watch_mixing,
    watch_pocket,
    watch_proof,
    watch_steps,
    watch_training,
)
from perceptron_notes.figures.explorer import Explorer
from perceptron_notes.figures.scenes.workers import _LABELS, _POINTS
from perceptron_notes.multiclass import Classes, multi_pla
from perceptron_notes.networks import random_network, train
from perceptron_notes.scale import Shards

CORNERS = Classes([[0, 2], [2, 0], [-2, -2]], "abc")


def seeded():
    return np.random.default_rng(1)


#: How to make each of them, and what it says at first.
EVERY = {
    "move_weights": (
        lambda: move_weights(li_hang(), [-3, 1, 1]),
        "w = (-3, 1, 1): no mistake",
    ),
    "watch_steps": (
        lambda: watch_steps(record(pla(li_hang())), t=3),
        "t = 3: w = (-1, 1, 1), 1 mistake; sample 3 corrects",
    ),
    "watch_proof": (
        lambda: watch_proof(ledger(certify(li_hang(), [-3, 1, 1]), record(pla(li_hang()))), t=7),
        "t = 7: 7 ≤ 11, 11 ≤ 182, 0.02448 ≤ 1",
    ),
    "watch_pocket": (
        lambda: watch_pocket(record(pla(xor()), at_most=20), t=20),
        "t = 20: 4 mistakes now, 2 in the pocket",
    ),
    "choose_kernel": (
        lambda: choose_kernel(xor()),
        "linear: 1000 updates, 4 of 4 samples corrected, 2 mistakes",
    ),
    "miss_margin": (
        lambda: miss_margin(xor(), [0, 0, 0], passes=5),
        "u = (0, 0, 0): R‖u‖ = 0, H = 20; mistakes: 20 ≤ 20",
    ),
    "choose_threshold": (
        lambda: choose_threshold(li_hang()),
        "β = 0: 7 updates, Euclidean margin 0.7071 of 1.414",
    ),
    "watch_classes": (
        lambda: watch_classes(multi_pla(CORNERS), t=1),
        "t = 1: 2 mistakes; sample 2: b against a",
    ),
    "watch_mixing": (
        lambda: watch_mixing(Shards.split(Dataset(_POINTS, _LABELS), 3)),
        "epoch 1: updates (1, 1, 1), 1 mistake",
    ),
    "watch_training": (
        lambda: watch_training(train(random_network((2, 3, 1), rng=seeded()), xor()), t=100),
        "t = 100: loss 0.0605, no mistake",
    ),
}


@pytest.mark.parametrize("name", EVERY)
def test_controls_draw_a_picture_and_say_what_it_shows(name):
    make, state = EVERY[name]
    controls = make()
    assert controls.state == state
    assert repr(controls) == f"Controls({state})"
    assert bytes(controls.image.value).startswith(b"<?xml")
    assert bytes(make().image.value) == bytes(controls.image.value)
    bundle = controls._repr_mimebundle_()  # paper gets a picture
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert bundle["image/svg+xml"].encode() == bytes(controls.image.value)
    assert bundle["text/plain"] == repr(controls)
    assert "application/vnd.jupyter.widget-view+json" in bundle


@pytest.mark.parametrize("name", EVERY)
def test_a_changed_control_changes_picture_and_state(name):
    controls = EVERY[name][0]()
    picture, state = bytes(controls.image.value), controls.state
    control = next(one for one in controls._controls.values() if isinstance(one, ipywidgets.Widget))
    if isinstance(control, ipywidgets.Dropdown):
        control.value = control.options[1]
    else:
        control.value = control.max if control.value < control.max else control.min
    assert bytes(controls.image.value) != picture
    assert controls.state != state


def test_the_states_tell_what_is_true():
    trace = record(pla(li_hang()))
    steps = watch_steps(trace)
    for t in range(8):
        steps.t.value = t
        errors = error_count(trace.W[t], li_hang())
        assert f"t = {t}:" in steps.state
        assert f"{errors or 'no'} mistake{'s' * (errors > 1)};" in steps.state
    assert steps.state.endswith("the end")
    data = credit(rng=seeded())
    weights = move_weights(data, [-10, 1, -2])
    weights.w0.value = -60
    assert weights.state == f"w = (-60, 1, -2): {error_count([-60, 1, -2], data)} mistakes"
    threshold = choose_threshold(li_hang())
    threshold.threshold.value = 5
    assert threshold.state == "β = 16: 79 updates, Euclidean margin 1.336 of 1.414"
    kernels = choose_kernel(rings(40, rng=seeded()))
    kernels.kernel.value = "degree 2"
    assert kernels.state.endswith("no mistake")
    missing = miss_margin(li_hang(), [-4, 1, 1])
    missing.u0.value = -3
    assert missing.state == "u = (-3, 1, 1): R‖u‖ = 16.91, H = 0; mistakes: 2 ≤ 286"
    classes = watch_classes(multi_pla(CORNERS), t=99)
    assert classes.state.endswith("no mistake; the end")


def test_lines_through_the_origin_have_two_weights():
    data = Dataset([[3, 1], [-1, -3]], [1, -1], intercept=False)
    assert move_weights(data, [1, 2]).state == "w = (1, 2): no mistake"
    assert miss_margin(data, [1, 2]).state.startswith("u = (1, 2): ")
    assert not hasattr(move_weights(data), "w0")


SIX = Dataset([[3, 3], [4, 3], [2, 4], [1, 1], [0, 2], [1, 0]], [1, 1, 1, -1, -1, -1])
LINKED = {
    "watch_steps": (lambda: Explorer(li_hang()), lambda f: watch_steps(f.trace)),
    "watch_pocket": (lambda: Explorer(li_hang(), "pocket"), lambda f: watch_pocket(f.trace)),
    "watch_proof": (
        lambda: Explorer(li_hang()),
        lambda f: watch_proof(ledger(certify(f.data, separate(f.data)), f.trace)),
    ),
}


@pytest.mark.parametrize("name", some_of(LINKED, "watch_steps"))
def test_linked_controls_follow_the_figure_to_other_samples(name):
    make, watch = LINKED[name]
    figure = make()
    controls = watch(figure).link(figure)

    def agree(step):
        assert figure.step == controls.t.value == step
        assert controls.t.max == len(figure.picks)
        fresh = watch(figure)
        fresh.t.value = step
        assert controls.state == fresh.state
        assert bytes(controls.image.value) == bytes(fresh.image.value)

    figure.step = 3
    agree(3)
    figure.data = SIX
    agree(3)
    figure.step = last = len(figure.picks)
    agree(last)
    # What the page does when its reader drags a sample: other points, and a step of their run.
    figure.set_state({"points": [[9, 9], *SIX.points[1:].tolist()], "rev": figure.rev + 1})
    agree(figure.step)
    controls.t.value = 2
    agree(2)
    assert figure.data.points[0].tolist() == [9, 9]


def test_a_proof_of_samples_that_no_line_separates_says_so():
    figure = Explorer(li_hang())
    certificate = certify(figure.data, [-3, 1, 1])
    proof = watch_proof(ledger(certificate, figure.trace)).link(figure)
    before = proof.state
    figure.data = xor()
    assert proof.state == "t = 0: no line separates these samples, so there is nothing to prove"
    figure.data = li_hang()
    assert proof.state == before  # with the certificate that it was given


def test_bad_input_gets_a_sentence():
    trace = record(pla(xor()), at_most=3)
    refuses(TypeError, "data is a list", move_weights, [])
    refuses(ValueError, "t is -1", watch_steps, trace, t=-1)
    refuses(TypeError, "expected multi_pla", watch_classes, pla(li_hang()))
    refuses(TypeError, "training is a Trace", watch_training, trace)
    refuses(TypeError, "trace is an int", watch_steps, 5)
    refuses(TypeError, "ledger is an int", watch_proof, 5)
    refuses(TypeError, "shards is an int", watch_mixing, 5)
    refuses(ValueError, "no line separates", choose_threshold, xor())
    figure = Explorer(li_hang())
    refuses(TypeError, "shares no control with kernel", choose_kernel(li_hang()).link, figure)
    figure = Explorer(li_hang(), "model")
    refuses(TypeError, "shares no control with t", watch_steps(trace).link, figure)


# -------------------------------------------------------------------------- on the site

CELLS = [
    "from perceptron_notes import pla, record\n"
    "from perceptron_notes.datasets import li_hang\n"
    "from perceptron_notes.figures.explorer import Explorer\n"
    "from perceptron_notes.figures.controls import watch_steps",
    "figure = Explorer(li_hang(), step=2)\nfigure",
    "watch_steps(figure.trace).link(figure)",
]
BUILT = {"name": "index.ipynb", "nb_ipywidgets_js": {}, "nb_execution_mode": "force"}


def test_the_site_runs_figures_and_says_where_controls_are(build, tmp_path):
    page, warnings = build(notebook(*CELLS), "myst_nb", "drawings", "explorers", **BUILT)
    page = soup_of(page)
    assert warnings == ""
    state = json.loads(page.select_one(".pn-figure > script").string)
    assert state["step"] == 2
    assert set(state) == set(explorers.SHOWN)  # neither the script nor the style once more
    assert "3 samples, step 2 of 7" in page.select_one(".pn-figure noscript img")["alt"]
    still = page.select_one(".pn-still")
    assert "In a notebook" in still.get_text()
    assert not still.find()  # a picture that does not move looks broken
    assert not page.select("script[type*=jupyter]")
    for name in ("explorer.js", "explorer.css"):
        assert (tmp_path / "_build/html/_static/explorer" / name).is_file()
    assert page.select("script[defer][src*='explorer/explorer.js']")


def test_text_in_a_state_cannot_end_its_script():
    figure = Explorer(li_hang(), names=("</script><b>", "x"))
    html = explorers.opening(figure.get_state())
    assert html.count("</script>") == 1
    state = json.loads(soup_of(html).script.string)
    assert state["settings"]["names"] == ["</script><b>", "x"]
