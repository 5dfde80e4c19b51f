"""Every faster path against the plain one: the same picks, updates, weights, bit for bit."""

import importlib.util
import json
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from scipy.stats import chisquare
from strategies import searching, textbook_pla
from threadpoolctl import threadpool_limits

from perceptron_notes import (
    Dataset,
    at_random,
    compiled,
    error_count,
    first,
    in_turn,
    last,
    li_hang,
    pla,
    pocket,
    separable,
    shuffled,
    strides,
    xor,
)
from perceptron_notes.scan import Scan

RULES = {
    "in_turn": lambda seed: in_turn,
    "first": lambda seed: first,
    "shuffled": lambda seed: shuffled(np.random.default_rng(seed)),
    "at_random": lambda seed: at_random(np.random.default_rng(seed)),
}
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
either_way = pytest.mark.parametrize("how", ["in numpy", "compiled"])


def random_data(rng, most=60):
    """Whole numbers, tenths or normal numbers, near or across a hidden hyperplane."""
    n, d = int(rng.integers(1, most)), int(rng.choice([1, 2, 3, 11, 12, 30]))
    points = rng.integers(-9, 10, (n, d)) / rng.choice([1.0, 10.0])
    if rng.random() < 0.2:
        points = rng.standard_normal((n, d))
    y = np.where(points @ rng.integers(-3, 4, d) > rng.integers(-3, 4), 1, -1)
    return Dataset(points, np.where(rng.random(n) < rng.choice([0.0, 0.1]), -y, y))


def plain(step):
    """All that a step says, with the bits of its weights."""
    return step.t, step.w.tobytes(), step.pick


def plain_pocket(step):
    return *plain(step.step), step.errors, step.best.tobytes(), step.best_errors


@either_way
@each_rule
def test_the_last_step_is_the_plain_runs_on_a_thousand_data_sets(how, rule):
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        data, at_most = random_data(rng), int(rng.integers(0, 60))
        rate, before = float(rng.choice([1.0, 0.1])), int(rng.integers(0, 3))
        with searching("in numpy"):
            steps = list(islice(pla(data, rule(seed), rate=rate), at_most + 1))
        with searching(how):
            run = pla(data, rule(seed), rate=rate)
            shown = list(islice(run, before))
            if len(shown) < len(steps):
                assert plain(last(run, at_most - before)) == plain(steps[-1])
                assert next(run, None) is None or steps[-1].pick is not None


@either_way
@each_rule
def test_the_pocket_is_the_plain_one_on_a_thousand_data_sets(how, rule):
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        data, at_most = random_data(rng), int(rng.integers(0, 60))
        with searching("in numpy"):
            steps = list(islice(pocket(data, pla(data, rule(seed))), at_most + 1))
        with searching(how):
            end = last(pocket(data, pla(data, rule(seed))), at_most)
        assert plain_pocket(end) == plain_pocket(steps[-1])


@either_way
@pytest.mark.parametrize("restart", [False, True])
def test_the_last_step_is_the_textbooks(how, restart):
    for seed in range(300):
        data = random_data(np.random.default_rng(seed), most=20)
        W, picks, halted = textbook_pla(data, restart=restart, at_most=60)
        with searching(how):
            end = last(pla(data, first if restart else in_turn), 60)
        assert (end.t, end.w.tobytes(), end.pick is None) == (
            len(picks),
            np.array(W[-1]).tobytes(),
            halted,
        )


@either_way
@each_rule
def test_a_run_goes_on_where_skipping_left_it(how, rule):
    data = separable(400, 3, margin=0.01, rng=np.random.default_rng(4))
    with searching("in numpy"):
        steps = [plain(step) for step in islice(pla(data, rule(7)), 60)]
        watched = [plain_pocket(s) for s in islice(pocket(data, pla(data, rule(7))), 60)]
    with searching(how):
        run = pla(data, rule(7))
        got = [plain(step) for step in islice(run, 5)]
        got.append(plain(last(run, 14)))
        got += [plain(step) for step in islice(run, 5)]
        got.append(plain(last(run, 0)))
        got += [plain(step) for step in islice(run, 33)]
        pocketed = pocket(data, pla(data, rule(7)))
        seen = [plain_pocket(step) for step in islice(pocketed, 5)]
        seen.append(plain_pocket(last(pocketed, 14)))
        seen += [plain_pocket(step) for step in islice(pocketed, 5)]
    assert got == steps[:5] + steps[19:59]
    assert seen == watched[:5] + watched[19:25]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("block", [1, 7, 64, 4096])
@pytest.mark.parametrize("d", [2, 40])
def test_blocks_and_threads_change_nothing(threads, block, d, monkeypatch):
    rng = np.random.default_rng(d)
    points = rng.integers(-9, 10, (6000, d)) / 10
    w = rng.integers(-9, 10, d + 1) / 10
    data = Dataset(points, np.where(points @ w[1:] > w[0], 1, -1))
    ends = []
    for how in ["in numpy", "compiled"]:
        with searching(how), threadpool_limits(threads):
            look = Scan(data, block)(w)
            ends.append([look(start, data.n) for start in range(0, data.n, 500)])
            end = last(pocket(data, pla(data, at_random(np.random.default_rng(1)))), 50)
            ends.append(plain_pocket(end))
    with searching("in numpy"):
        steps = pocket(data, pla(data, at_random(np.random.default_rng(1))))
        assert plain_pocket(list(islice(steps, 51))[-1]) == ends[1] == ends[3]
    assert ends[0] == ends[2]
    assert ends[0] == [
        next((i for i in range(start, data.n) if not data.y[i] * left(w, data.X[i]) > 0), None)
        for start in range(0, data.n, 500)
    ]


def left(w, x):
    return sum((a * b for a, b in zip(w[1:].tolist(), x[1:].tolist(), strict=True)), w[0] * x[0])


def test_the_compiled_rule_takes_every_mistake_equally_often():
    y = np.ones(1000, dtype=np.int64)
    y[[3, 500, 501, 999]] = -1
    data, picks = Dataset(np.ones((1000, 1)), y), []
    with searching("compiled"):
        rule = at_random(np.random.default_rng(8))
        for _ in range(2000):
            run = pla(data, rule, w0=[1, 0])
            picks.append(last(run, 0).pick)
    assert chisquare([picks.count(i) for i in (3, 500, 501, 999)]).pvalue > 0.01


def test_a_run_of_ones_own_is_watched_step_by_step():
    class Odd:
        def __call__(self, look, n, previous):
            return look(0, n)

    with searching("compiled"):
        assert last(pla(li_hang(), Odd())).pick is None
        assert last(pocket(xor(), iter(list(islice(pla(xor()), 20)))), 15).step.t == 15


@either_way
@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("scale", [1e-160, 1e-40, 1.0, 1e20, 1e140])
def test_what_half_the_precision_cannot_tell_is_counted_right(how, d, scale):
    # All samples lie on the boundary of w, but for rounding; and other weights are near to w.
    rng = np.random.default_rng(d)
    w, points = rng.standard_normal(d + 1), rng.standard_normal((700, d))
    points[:, -1] = -(w[0] + points[:, :-1] @ w[1:-1]) / w[-1]
    data = Dataset(points * scale, rng.choice([-1, 1], len(points)))
    W = w * (1 + rng.choice([0, 1e-9, -1e-12], (300, d + 1)))
    if scale == 1:
        halves = data.X.astype(np.float32) @ W.T.astype(np.float32)
        assert np.mean((halves > 0) != (data.X @ W.T > 0)) > 0.2
    W[:, 1:] /= scale
    expected = np.array([error_count(w, data) for w in W])
    fewest = expected.min()
    with searching(how):
        batches = pocket(data, iter(()))
        assert batches.count(W, data.n + 1).tolist() == expected.tolist()
        counts = batches.count(W, fewest)
    assert counts[-1] == expected[-1]
    assert (counts >= fewest).all()


def test_pocket_refuses_weights_of_another_length_in_batches_too():
    with pytest.raises(ValueError, match=r"w has shape \(3,\); expected \(5,\)"):
        last(pocket(separable(9, 4, margin=0.1, rng=np.random.default_rng(0)), pla(li_hang())))


# ---------------------------------------------------------------------------- when to compile


def fresh_interpreter(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


RUN = """if True:
    import json, sys
    {before}
    import numpy as np
    from perceptron_notes import compiled, at_random, iris, last, pla, pocket, separable, shuffled
    {between}
    rng = np.random.default_rng(1)
    ends = []
    for data in (iris("setosa"), iris("virginica"), separable(1000, 20, margin=0.1, rng=rng)):
        ends.append(last(pla(data), at_most=1000).w.tolist())
        ends.append(last(pocket(data, pla(data, at_random(rng))), at_most=300).best.tolist())
        ends.append(last(pla(data, shuffled(rng)), at_most=300).w.tolist())
    print(json.dumps([ends, sys.modules.get("numba") is not None]))
"""


def test_small_work_compiles_nothing_large_work_does_and_the_ends_are_equal():
    ends, loaded = fresh_interpreter(RUN.format(before="", between=""))
    assert not loaded
    without = fresh_interpreter(
        RUN.format(before="sys.modules['numba'] = None", between="compiled.COMPILING = 0")
    )
    assert without == [ends, False]
    with searching("compiled"):
        enough = fresh_interpreter(RUN.format(before="", between="compiled.COMPILING = 10**6"))
    assert enough == [ends, True]


def test_the_searches_are_booked_until_compiling_pays():
    if importlib.util.find_spec("numba") is None:
        pytest.skip("the other tests say that numba is missing")
    X, y = np.ones((5000, 23)), np.ones(5000, dtype=np.int64)
    with searching("in numpy"):
        before = compiled.spent[23]
        Scan(Dataset(X[:, 1:], y))(np.ones(23))(0, 5000)
        assert compiled.spent[23] - before >= 5000 * 23
        assert compiled.loops(X) is None
    with searching("compiled"):
        assert compiled.loops(X) is not None


def test_strides_hold_few_numbers():
    data = Dataset(np.ones((2, 1000)), [1, -1])
    with searching("compiled"):
        found = pla(data).source.stride(strides.NUMBERS // 1001)
    assert found.W.size <= strides.NUMBERS
