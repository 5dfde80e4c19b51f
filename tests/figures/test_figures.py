"""Pictures are tested by reading back what was drawn."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from asked import area
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses

from perceptron_notes import Dataset, dual_pla, last, pla, polynomial, record
from perceptron_notes.datasets import halfspaces, iris, li_hang, xor
from perceptron_notes.dual import dual_score
from perceptron_notes.figures import plots as fig
from perceptron_notes.figures.plots import (
    PALETTE,
    draw_boundary,
    draw_claims,
    draw_classes,
    draw_data,
    draw_errors,
    draw_pixels,
    draw_region,
    draw_step,
    draw_street,
    draw_zones,
)
from perceptron_notes.kernels import gram
from perceptron_notes.margins import largest_margin
from perceptron_notes.multiclass import Classes

small = st.integers(-9, 9)


@pytest.fixture
def ax():
    with mpl.rc_context():
        mpl.use("agg")
        plt.style.use("perceptron_notes.figures.notes")
        figure, ax = plt.subplots()
        yield ax
        figure.canvas.draw()  # whatever was drawn can also be rendered
        plt.close(figure)


def markers(ax, marker):
    return [line for line in ax.lines if line.get_marker() == marker]


def lines(ax, style="-"):
    return [line.get_xydata() for line in ax.lines if line.get_linestyle() == style]


def test_samples_are_drawn_where_they_are_with_a_shape_for_each_label(ax):
    data = li_hang()
    draw_data(ax, data)
    (circles,), (crosses,) = markers(ax, "o"), markers(ax, "x")
    assert circles.get_xydata().tolist() == [[3, 3], [4, 3]]
    assert crosses.get_xydata().tolist() == [[1, 1]]
    left, right, low, high = ax.axis()
    assert left < 1 < 4 < right
    assert low < 1 < 3 < high
    assert ax.get_aspect() == 1


@given(w0=small, w1=small, w2=small)
def test_the_line_drawn_is_where_the_score_is_zero(w0, w1, w2):
    box = (-2.0, 3.0, -1.0, 2.0)
    ends = fig._line(np.array([w0, w1, w2], dtype=float), box)
    corners = np.array([(x, y) for x in box[:2] for y in box[2:]])
    scores = w0 + corners @ [w1, w2]
    crosses_the_box = scores.min() < 0 < scores.max()
    if crosses_the_box:
        assert np.allclose(w0 + ends @ [w1, w2], 0)
        assert all(np.isclose(x, box[:2]).any() or np.isclose(y, box[2:]).any() for x, y in ends), (
            "the line goes from edge to edge"
        )
    if not (w1 or w2) or scores.min() > 0 or scores.max() < 0:
        assert len(ends) == 0


@given(w0=small, w1=small, w2=small)
def test_the_two_half_planes_fill_the_box_and_each_is_on_its_side(w0, w1, w2):
    w, box = np.array([w0, w1, w2], dtype=float), (-2.0, 3.0, -1.0, 2.0)
    plus, minus = fig._cell(w[None], box), fig._cell(-w[None], box)
    assert (w0 + plus @ w[1:] > -1e-9).all()
    assert (w0 + minus @ w[1:] < 1e-9).all()
    assert np.isclose(area(plus) + area(minus), 15.0 if w.any() else 0.0)


def test_a_boundary_leaves_the_limits_alone_and_points_to_the_positive_side(ax):
    draw_data(ax, li_hang())
    before = ax.axis()
    draw_boundary(ax, [-3, 1, 1])
    assert ax.axis() == before
    (ends,) = lines(ax)
    assert np.allclose(ends.sum(axis=1), 3)
    (arrow,) = (text for text in ax.texts if text.arrow_patch)
    assert sum(arrow.xy) > 3


def test_a_line_through_the_origin_needs_two_weights_and_a_frame_that_holds_the_origin(ax):
    data = Dataset([[3, 4], [4, 3]], [1, -1], intercept=False)
    draw_step(ax, record(pla(data)), 1)
    left, right, low, high = ax.axis()
    assert left < 0 < right
    assert low < 0 < high
    w = record(pla(data)).W[1]
    assert np.allclose(lines(ax)[0] @ w, 0)
    refuses(ValueError, "w has shape", draw_boundary, ax, [1, 2, 3, 4])


def test_a_step_shows_before_the_picked_sample_and_after(ax):
    trace = record(pla(li_hang()))
    draw_step(ax, trace, 5, box=(-1, 5, -1, 4))
    (before,), (after,) = lines(ax, "-"), lines(ax, "--")
    assert np.allclose(np.c_[np.ones(2), before] @ trace.W[5], 0)
    assert np.allclose(np.c_[np.ones(2), after] @ trace.W[6], 0)
    ring = markers(ax, "o")[-1]
    assert ring.get_xydata().tolist() == [[1, 1]]
    assert ax.get_title("left") == r"$t = 5$: $\mathbf{x}_{3}$"


def test_the_last_step_says_whether_the_run_ended_or_was_stopped(ax):
    draw_step(ax, record(pla(li_hang())), 7)
    assert "no mistake left" in ax.get_title("left")
    draw_step(ax, record(pla(xor()), at_most=3), 3)
    assert "stopped here" in ax.get_title("left")


def test_mistakes_and_the_pocket_are_staircases(ax):
    draw_errors(ax, [4, 2, 3, 1], [4, 2, 2, 1])
    now, best = ax.lines
    assert now.get_ydata().tolist() == [4, 2, 3, 1]
    assert best.get_ydata().tolist() == [4, 2, 2, 1]
    assert {line.get_drawstyle() for line in ax.lines} == {"steps-post"}
    assert ax.get_ylim()[0] == 0


def test_a_region_is_tinted_by_the_sign_of_the_score(ax):
    data, kernel = xor(), polynomial(2)
    end = last(dual_pla(gram(data, kernel), data.y))
    draw_data(ax, data)
    before = ax.axis()
    draw_region(ax, lambda points: dual_score(end.alpha, end.b, data, points, kernel))
    assert ax.axis() == before
    boundary = np.concatenate([path.vertices for path in ax.collections[-1].get_paths()])
    scores = dual_score(end.alpha, end.b, data, boundary, kernel)
    assert np.abs(scores).max() < 0.05


def test_a_street_is_as_wide_as_its_margin_and_leaves_the_limits_alone(ax):
    data = halfspaces(30, distance=0.2, rng=np.random.default_rng(2))
    best = largest_margin(data)
    draw_data(ax, data)
    before = ax.axis()
    draw_street(ax, data, best)
    assert ax.axis() == before
    lines = [line.get_xydata() for line in ax.lines[2:]]
    edges = [xy for xy in lines if len(xy) == 2 and abs(xy @ best.w[1:] + best.w[0]).max() > 0.5]
    assert len(edges) == 2 + 1  # and the way between the hulls
    for xy in edges:
        assert np.allclose(np.abs(xy @ best.w[1:] + best.w[0]), 1)
    assert np.allclose(lines[-1], data.points[list(best.support)])
    for patch, side in zip(ax.patches, (1, -1), strict=True):
        corners, mine = patch.get_xy()[:-1], data.points[data.y == side]
        assert {tuple(p) for p in corners} <= {tuple(p) for p in mine}
        around = np.roll(corners, -1, axis=0) - corners
        for corner, way in zip(corners, around, strict=True):
            off = mine - corner
            assert (way[0] * off[:, 1] - way[1] * off[:, 0] > -1e-12).all()


FOUR = Classes([[0, 2], [2, 0], [-2, 0], [0, -2], [1, 2]], "abcda")


def test_each_class_has_a_mark_of_its_own(ax):
    draw_classes(ax, FOUR, numbered=True)
    for k, mark in enumerate("ox^s"):
        (line,) = markers(ax, mark)
        assert line.get_xydata().tolist() == FOUR.points[FOUR.y == k].tolist()
    assert [text.get_text() for text in ax.texts] == list("01234")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list("abcd")


def test_what_does_not_fit_a_plane_with_four_marks_is_refused(ax):
    refuses(ValueError, "data has 5 classes", draw_classes, ax, Classes(np.eye(5)[:, :2], "abcde"))
    refuses(ValueError, "d = 1", draw_classes, ax, Classes([[1], [2]], "ab"))
    for draw in (draw_zones, draw_claims):
        refuses(ValueError, "W has shape (2, 4)", draw, ax, np.ones((2, 4)))


@given(seed=st.integers(0, 999), bias=st.booleans())
def test_a_zone_holds_the_places_where_its_class_beats_all_others(seed, bias):
    rng = np.random.default_rng(seed)
    W = rng.integers(-4, 5, (3, 2 + bias)).astype(float)
    with mpl.rc_context():
        mpl.use("agg")
        figure, ax = plt.subplots()
        ax.axis((-3, 3, -2, 2))
        draw_zones(ax, W)
        assert ax.axis() == (-3, 3, -2, 2)
        zones = [patch for patch in ax.patches if patch.get_fill()]
        for p in rng.uniform((-3, -2), (3, 2), (10, 2)):
            score = W @ ([1, *p] if bias else p)
            best = np.sort(score)
            if best[-1] - best[-2] > 1e-6:
                within = [z for z in zones if z.get_path().contains_point(p)]
                assert len(within) == 1
                color = PALETTE[fig._CLASSES[int(score.argmax())][1]]
                assert mpl.colors.same_color(within[0].get_facecolor()[:3], color)
        plt.close(figure)


def test_claims_are_tinted_where_one_class_has_the_place_alone(ax):
    draw_classes(ax, FOUR, box=(-3, 3, -3, 3), legend=False)
    W = [[-1, 0, 1], [-1, 1, 0], [-1, -1, 0], [-1, 0, -1]]
    draw_claims(ax, W)
    assert ax.axis() == (-3, 3, -3, 3)
    tints = {tint.get_facecolor()[:3]: tint.get_path() for tint in ax.patches if tint.get_fill()}
    assert len(tints) == 4
    for p in [(0, 0), (0, 2.5), (2.5, 0), (0, -2.5), (-2.5, 0), (2.5, 2.5), (1.2, 0.4)]:
        claims = [w[0] + w[1] * p[0] + w[2] * p[1] > 0 for w in W]
        for k, (_, color) in enumerate(fig._CLASSES):
            tinted = tints[mpl.colors.to_rgb(PALETTE[color])].contains_point(p)
            assert tinted == (claims[k] and sum(claims) == 1)
    assert len(lines(ax)) == 4


@given(
    values=arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=small),
    most=st.none() | st.integers(1, 9),
)
def test_a_pixel_is_the_deeper_the_larger_its_number(values, most):
    with mpl.rc_context():
        mpl.use("agg")
        figure, ax = plt.subplots()
        draw_pixels(ax, values, color="ink", most=most)
        scale = most or np.abs(values).max() or 1
        for (i, j), value in np.ndenumerate(values):
            over = [one for one in ax.patches if one.get_path().contains_point((j, i))]
            shade = round(16 * min(abs(value) / scale, 1))
            assert [one.get_alpha() for one in over] == [shade / 16] * (shade > 0)
            name = "ink" if value > 0 else "warn"
            assert all(mpl.colors.same_color(o.get_facecolor()[:3], PALETTE[name]) for o in over)
        assert ax.yaxis_inverted()
        plt.close(figure)


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e170, 1e300])
def test_only_the_direction_of_the_weights_matters(ax, size):
    draw_data(ax, li_hang())
    draw_boundary(ax, [-3, 1, 1])
    draw_boundary(ax, size * np.array([-3.0, 1, 1]))
    one, other = ax.patches[:2], ax.patches[2:4]
    for tint, same in zip(one, other, strict=True):
        assert np.allclose(tint.get_xy(), same.get_xy())
    arrows = [text for text in ax.texts if text.arrow_patch]
    assert np.allclose(arrows[0].xyann, arrows[1].xyann)
    assert np.allclose(arrows[0].xy, arrows[1].xy)


THROUGH = Dataset([[1, 2], [-1, -1]], [1, -1], intercept=False)


def test_what_cannot_be_drawn_gets_a_sentence(ax):
    met, street = largest_margin(xor()), largest_margin(THROUGH)
    for error, words, draw, *arguments in (
        (ValueError, "data has d = 4", draw_data, iris("setosa")),
        (TypeError, "trace is a Run", draw_step, pla(li_hang()), 0),
        (ValueError, "t is 8", draw_step, record(pla(li_hang())), 8),
        (TypeError, "data is a Dataset", draw_classes, li_hang()),
        (TypeError, "best is an Obstruction", draw_street, xor(), met),
        (ValueError, "data have no intercept", draw_street, THROUGH, street),
        (ValueError, "errors has shape ()", draw_errors, 5),
        (ValueError, "best has shape (1,)", draw_errors, [2, 1], [1]),
        (ValueError, "values has shape (2,)", draw_pixels, [1, 2]),
    ):
        refuses(error, words, draw, ax, *arguments)
    refuses(ValueError, "color is 'red'", draw_pixels, ax, [[1]], color="red")
    refuses(ValueError, "most is -1", draw_pixels, ax, [[1]], most=-1)
