"""The checks: they catch what is wrong, accept what is right, and say why.

Each program is tried with one seed; `make mutants` tries all of them with SEEDS=100.
"""

import dataclasses
import functools
import itertools
import json
import os
import re
import subprocess
import sys
from collections import Counter, deque
from decimal import Decimal
from fractions import Fraction

import mutants
import numpy as np
import pandas as pd
import pytest
from exhibits import BOOK, definitions
from hypothesis import given
from hypothesis import strategies as st
from perceptron_classroom import checks
from perceptron_classroom.checks import (
    ALL,
    Abandoned,
    Check,
    Finding,
    Wrong,
    noise,
    runs,
    samples,
)
from perceptron_classroom.checks.check import Seeded, fresh
from perceptron_classroom.checks.proof import until_known
from perceptron_classroom.inside.plain import Misfit, Opaque, plain_value

from perceptron_notes import Dataset, last, pla, record

#: What the bug museum defines.
_, EXHIBITS = definitions(BOOK / "museum.ipynb")
#: With how much data every program is tried.
SEEDS = range(int(os.environ.get("SEEDS", "1")))

each_check = pytest.mark.parametrize("check", ALL.values(), ids=ALL)


def wrong_programs(name):
    """Names and functions: those that the check itself knows, of the museum, and of `mutants`."""
    yield from ((slip.hint, slip.program) for slip in ALL[name].slips)
    for exhibit, (asked, program) in mutants.museum(EXHIBITS).items():
        if asked == name and callable(program):  # a text is the beginning of a known mistake's hint
            yield exhibit, program
    yield from ((program.__name__, program) for program in mutants.WRONG[name])


@functools.lru_cache(maxsize=100)
def drawn_once(name, seed):
    """A check with the data of one seed, drawn once for all programs, and without hints."""

    def kept(draw):
        drawn = []

        def again(rng):
            if not drawn:
                drawn.extend(draw(rng))
            return iter(drawn)

        return again

    groups = {group: kept(draw) for group, draw in ALL[name].groups.items()}
    return dataclasses.replace(ALL[name], groups=groups, slips=())


def quick(check):
    """The same check with its first group alone, which has answers of every shape."""
    return dataclasses.replace(check, groups=dict(itertools.islice(check.groups.items(), 1)))


def first_group(check, seed):
    """A check with its first group alone, drawn once for all programs, and with hints."""
    return dataclasses.replace(quick(drawn_once(check.name, seed)), slips=check.slips)


# Every program -----------------------------------------------------------------------------------


@each_check
@pytest.mark.parametrize("ends", ["by itself", pytest.param("after 9999", marks=pytest.mark.slow)])
def test_what_is_wrong_is_caught(check, ends):
    """Mutants with a number in their name stop after that many updates: only long runs show it.

    Of a hundred seeds, one may let a wrong program through.
    """
    evaded = Counter(
        title
        for seed in SEEDS
        for title, program in wrong_programs(check.name)
        if bool(re.search(r"\d", title)) == (ends == "after 9999")
        and drawn_once(check.name, seed).examine(program, seed) is None
    )
    assert {title: count for title, count in evaded.items() if count > len(SEEDS) // 100} == {}


@each_check
@pytest.mark.parametrize("data", ["first group", pytest.param("all", marks=pytest.mark.slow)])
def test_what_is_right_is_accepted_in_any_style(check, data):
    for seed in SEEDS:
        kept = drawn_once(check.name, seed)
        kept = quick(kept) if data == "first group" else kept
        found = {
            number: kept.examine(program, seed)
            for number, program in enumerate(mutants.RIGHT[check.name])
        }
        assert {number: finding.report for number, finding in found.items() if finding} == {}


def test_every_exhibit_of_the_museum_answers_a_question():
    assert set(mutants.museum(EXHIBITS)) == set(EXHIBITS)


@each_check
def test_a_right_answer_leaves_its_arguments_alone(check):
    right = mutants.RIGHT[check.name][0]

    def careless(*arguments):
        answer = plain_value(right(*arguments))
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                argument[...] = 7
        return answer

    if check.name != "split":  # which gets numbers only
        sentence = check.examine(careless, 5).sentence
        assert re.match(r"your function has changed its (first|second) argument;", sentence)


def test_a_right_answer_prints_one_line(capsys):
    assert checks.predict(mutants.RIGHT["predict"][0]) is None
    count = len(drawn(checks.predict, 0))
    assert capsys.readouterr().out == f"predict: {count} data sets, all right.\n"


# The oracle --------------------------------------------------------------------------------------


def grids(n, d):
    return st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=n, max_size=n)


@given(st.data())
def test_a_run_is_judged_as_the_package_runs(data):
    n, d = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))
    points = np.array(data.draw(grids(n, d)))
    y = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    sample = Dataset(points, y)
    picks = record(pla(sample), at_most=20).picks
    M = y[:, None] * (sample.X @ runs.replayed(sample.X, y, picks).T)
    expected = [step.pick for _, step in zip(range(len(picks) + 1), pla(sample), strict=False)]
    expected = [n if i is None else i for i in expected]
    assert runs.in_turn(M, picks).tolist() == expected
    fault = runs.first_fault(M, picks, runs.in_turn)
    assert fault == (None if expected[-1] == n else (len(picks), expected[-1]))
    if len(picks):
        k = data.draw(st.integers(0, len(picks) - 1))
        other = picks.copy()
        other[k] = data.draw(st.integers(0, n - 1))
        M = y[:, None] * (sample.X @ runs.replayed(sample.X, y, other).T)
        if other[k] != picks[k]:
            assert runs.first_fault(M, other, runs.in_turn) == (k, picks[k])


def test_the_long_runs_are_as_long_as_promised():
    for seed in range(20):
        *_, longest = samples.long(np.random.default_rng(seed))
        X, y = longest["X"], longest["y"]
        k = int(np.abs(X[:, 1]).min())
        updates = last(pla(Dataset(X[:, 1:], y)), at_most=10**6).t
        assert updates == 4 * k**2 + 4 * k + 5
        assert 28_000 < updates < 30_000


def drawn(check, seed):
    """The arguments of all calls."""
    return [arguments for cases in check.cases(seed).values() for arguments in cases.values()]


# The data ----------------------------------------------------------------------------------------


@each_check
def test_data_are_plain_exact_and_from_small_to_large(check):
    sizes, counts = [], set()
    for seed in range(2):
        calls = drawn(check, seed)
        counts.add(len(calls))
        for arguments in calls:
            for value in arguments.values():
                assert isinstance(value, int | float | str | Seeded) or (
                    value.dtype in (np.float64, np.int64)
                )
                exact = check.name != "dual_pla"  # far from 0, a product there may be rounded
                if exact and isinstance(value, np.ndarray) and value.dtype == np.float64:
                    assert (value * 2**46 == np.rint(value * 2**46)).all()
                    assert (np.abs(value) < 2**30).all()
        sizes.append([len(fresh(arguments)[0]) for arguments in calls if "n" not in arguments])
    assert len(counts) == 1, "the number of data sets must not depend on the seed"
    assert counts.pop() >= 20
    for found in sizes:
        assert not found or found[0] == min(found)


@each_check
def test_data_depend_on_the_seed_alone(check):
    few = quick(check)
    assert repr(drawn(few, 2**128 - 1)) == repr(drawn(few, 2**128 - 1))
    assert repr(drawn(few, 1)) != repr(drawn(few, 2))


def test_data_sets_have_an_end():
    with pytest.raises(ValueError, match=r"case is 999; checks\.predict does not have so many"):
        checks.predict.data(9, 999)


def test_question_2_5_keeps_its_promise():
    """A run of `halts` ends or cycles in time."""
    for seed in range(10 * len(SEEDS)):
        for X, y in (arguments.values() for arguments in drawn(checks.halts, seed)):
            assert until_known(X, y, 20_000) is not None


# Chance, memory, and arguments -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("global", "two calls with the same generator, in the same state, give different answers."),
        ("fixed_by_size", "calls, each with another generator, choose the same."),
    ],
)
def test_a_choice_that_does_not_come_from_the_generator_is_named(choice, words):
    program = next(each for each in mutants.WRONG["split"] if each.__name__ == f"split_{choice}")
    assert words in checks.split.examine(program, 1).report


def test_a_check_leaves_the_global_generators_as_they_were():
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    assert checks.predict.examine(mutants.WRONG["predict"][0], 1)
    assert np.random.random() == expected  # noqa: NPY002


def test_a_function_that_remembers_is_named():
    seen = []

    def predict(w, X):
        seen.append(X.tolist())
        return np.sign(X @ w) * (-1 if seen.count(X.tolist()) > 1 and len(X) == 1 else 1)

    few = {"one": lambda rng: iter([{"w": np.array([1.0, 1]), "X": np.array([[1.0, 1]])}])}
    finding = dataclasses.replace(checks.predict, groups=few).examine(predict, 1)
    assert finding.sentence.startswith("called a second time with the same data")


def test_the_bound_of_a_tail_holds_and_is_near():
    """Of sums of one to forty numbers 0, 1, …, by adding up every way."""
    for chances in ((0.7, 0.3), (0.25, 0.5, 0.25), (0.1, 0.6, 0.3)):
        exact = np.ones(1)
        for calls in range(1, 41):
            exact = np.convolve(exact, chances)
            for total in range(len(exact)):
                smaller = min(exact[: total + 1].sum(), exact[total:].sum())
                bound = noise.tail(total, calls, chances)
                assert smaller <= bound * (1 + 1e-9)
                assert bound <= 30 * smaller or smaller > 1e-6


# The reading of answers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        (range(3), [0, 1, 2]),
        ((v for v in (1, 2)), [1, 2]),
        (deque([1.5]), [1.5]),
        ({"a": 1, "b": 2}.values(), [1, 2]),
        (np.where(np.array([True, False])), [[0]]),
        (pd.DataFrame([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array(3), 3),
        (np.array([Fraction(1, 3)], dtype=object), [Fraction(1, 3)]),
        (Decimal("0.5"), Fraction(1, 2)),
        (Decimal("nan"), float("nan")),
        (np.longdouble(1) / 4, Fraction(1, 4)),
        (np.float32(0.5), 0.5),
        (2 + 0j, 2.0),
        (np.True_, True),
        ({1, 2}, frozenset({1, 2})),
        ((None, "text"), [None, "text"]),
    ],
)
def test_answers_are_read_by_their_meaning(answer, read):
    assert repr(plain_value(answer)) == repr(read)


class Hostile:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "answer",
    [10**5000, Fraction(1, 10**5000), Decimal("1e1000000"), 1j, Hostile(), {}, b"bytes", print],
    ids=lambda answer: type(answer).__name__,
)
def test_what_is_no_answer_is_opaque(answer):
    assert isinstance(plain_value(answer), Opaque)


@pytest.mark.parametrize("endless", [itertools.count(), np.zeros((10**9, 0)), [0] * 2_000_000])
def test_numbers_without_end_are_refused(endless):
    with pytest.raises(Misfit, match="more than 1000000 numbers"):
        plain_value(endless)


def test_an_answer_may_contain_itself():
    loop = []
    loop.append(loop)
    assert "nested too deep" in repr(plain_value(loop))


HUGE = [10**400, -(10**5000), Fraction(10**400, 3), np.array(10**30, dtype=object), Hostile()]
ODD = [
    *(None, True, 3, -1, 2.5, "text", [], [[]], [[], [1]], {}, object(), float("nan"), 1j),
    *([float("inf")] * 3, np.array([np.nan]), np.array(["a"]), np.zeros((2, 2, 2)), (None, None)),
    *(([1], [0.5]), ([1, 2], [10**30]), (True, [np.nan, 1]), (False, None), ("w", [[0]], 1)),
    ([0, 0], 1, [float("nan")]),
]


@each_check
def test_no_answer_breaks_a_check(check):
    right, kept = mutants.RIGHT[check.name][0], first_group(check, 3)

    def spoilt(answer, value):
        """Every number in turn is another one."""
        if isinstance(answer, list):
            return [spoilt(answer[0], value), *answer[1:]] if answer else value
        return value

    ways = (spoilt, lambda answer, value: [answer, value], lambda answer, value: value)
    for value, way in [*itertools.product(HUGE, ways), *((odd, ways[-1]) for odd in ODD)]:
        finding = kept.examine(
            lambda *args, way=way, value=value: way(plain_value(right(*args)), value), 3
        )
        assert isinstance(finding, Finding), repr(value)
        assert finding.error is None, repr(value)
        assert finding.sentence[-1] == "."
        assert len(finding.sentence) < 400


# The report --------------------------------------------------------------------------------------


def test_a_report_shows_data_step_hint_and_seed():
    slip = next(slip for slip in ALL["pla"].slips if "looks from X[0] again" in slip.hint)
    with pytest.raises(Wrong) as caught:
        checks.pla(slip.program, seed=7)
    text = str(caught.value)
    assert re.match(r"pla: update \d+ is wrong\.\n", text)
    assert re.search(r"Data set \d+, after \d+ right answers:", text)
    assert re.search(r"They lead to w = \(.*\),\nand y\(w·x\) is", text)
    assert re.search(r"In turn, X\[\d+\] comes next; your run corrects X\[\d+\]\.", text)
    assert "looks from X[0] again" in text
    assert text.endswith("The same data again: checks.pla(pla, seed=7)")


def can_be_pasted(finding, arguments):
    """Whether the lines of code in a report make the data that it is about."""
    space = {"np": np, "checks": checks}
    exec("\n".join(re.findall(r"^    (.*)$", finding.report, flags=re.M)), space)
    return set(arguments) <= set(space) and all(
        np.array_equal(space[name], value) and np.asarray(space[name]).dtype == value.dtype
        for name, value in arguments.items()
        if isinstance(value, np.ndarray)
    )


@each_check
@pytest.mark.parametrize("data", ["first group", pytest.param("all", marks=pytest.mark.slow)])
def test_a_known_mistake_is_recognised_and_its_data_can_be_pasted(check, data):
    """Its own hint is among those given, with most seeds for most mistakes, with some for all."""
    recognised = []
    for seed in range(2 if data == "all" else 1):
        kept, hinted = check if data == "all" else first_group(check, seed), []
        calls = drawn(kept, seed)
        for slip in check.slips:
            finding = kept.examine(slip.program, seed)
            if finding is None:
                assert data == "first group"
                continue
            assert can_be_pasted(finding, calls[finding.case])
            assert finding.sentence in finding.report
            assert "\n" not in finding.sentence + slip.hint
            hinted.append(finding.hint == slip.hint)
            assert finding.hint in (slip.hint, "") or not finding.slips
        recognised.append(hinted)
    assert np.mean(recognised) > 0.75
    if data == "all":
        assert np.any(recognised, axis=0).sum() >= len(check.slips) - 1


def test_what_a_function_raises_is_reported_and_chained():
    with pytest.raises(Wrong, match="pla: your function raised IndexError: index 1") as caught:
        checks.pla(lambda X, y: X[len(y)])
    assert isinstance(caught.value.__cause__, IndexError)


def helped(X, y):
    def corrected(w, x):
        return w + x

    return corrected(X)


def unfinished(text):
    def program(X, y):
        raise NotImplementedError(text)

    return program


@pytest.mark.parametrize(
    ("name", "program", "hint"),
    [
        ("pla", lambda X, y: X[len(y)], ""),
        ("pla", unfinished("Write your answer here"), "Replace the line"),
        ("pla", unfinished("the case of two classes"), ""),
        ("pla", helped, ""),
        ("pla", lambda X, y: None, "ends without a `return`"),
        ("audit", lambda X, y, picks: None, ""),
        ("witness", lambda G: None, ""),
        ("witness", lambda G: (None, None), ""),
    ],
)
def test_a_hint_is_about_what_happened_and_not_about_its_kind(name, program, hint):
    found = dataclasses.replace(ALL[name], slips=()).examine(program, 1)
    assert hint in found.hint
    assert hint or not found.hint


def kept_picks(X, y, picks=[]):  # noqa: B006 (that is the mistake)
    w, more = mutants.run(X, y)
    picks += more
    return w, picks


def by_chance(X, y):
    w, picks = mutants.run(X, y)
    return w, [*picks, *np.random.default_rng().integers(0, 1000, 4)]


def one_too_many(X, y):
    w, picks = mutants.run(X, y)
    return w, [*picks, 0]


def test_what_is_kept_between_calls_is_named():
    def anew():
        return lambda X, y, picks=[]: kept_picks(X, y, picks)

    right_at_first = checks.pla.examine(anew(), 1)
    assert right_at_first.case > 0
    assert right_at_first.hint.startswith("Your function remembers earlier calls")
    assert "chance" not in right_at_first.hint
    used = anew()
    used(np.ones((1, 2)), np.ones(1))
    for program in (used, by_chance):
        finding = checks.pla.examine(program, 1)
        assert finding.case == 0
        assert "or it draws by chance" in finding.hint
    assert "remembers" not in checks.pla.examine(one_too_many, 1).hint


def with_rate(rate):
    def program(X, y):
        w, picks, found = np.zeros(X.shape[1]), [], True
        while found:
            found = False
            for i in range(len(y)):
                if np.dot(X[i], w) * y[i] <= 0:
                    w, found = w + y[i] * (rate * X[i]), True
                    picks.append(i)
        return w, picks

    return program


def line_by(cuts, sides=(1, -1)):
    def program(x, y):
        best = (0, 1), len(x)
        for cut in cuts(np.sort(x)):
            for side in sides:
                errors = int((y * side * (x - cut) <= 0).sum())
                best = ((-side * cut, side), errors) if errors <= best[1] else best
        return best

    return program


def all_cuts(x):
    return [x[0] - 2, *(x[1:] + x[:-1]) / 2, x[-1] + 2]


def products_in_one_go(points):
    i, j = np.tril_indices(points.shape[1])
    return np.hstack([points[:, i] * points[:, j], points, points[:, :1] * 0 + 1])


def of_the_sum(V, w, X, y):
    dV, dw = mutants.backwards(V, w, X, y)
    return [[len(y) * v for v in row] for row in dV], [len(y) * v for v in dw]


def k_by_floats(X, y, u, m):
    d = np.maximum(0, m - y * (X @ u))
    RU = np.sqrt((X**2).sum(axis=1).max() * (u @ u))
    return d, np.floor(((RU + (RU**2 + 4 * m * d.sum()) ** 0.5) / (2 * m)) ** 2)


@pytest.mark.parametrize(
    ("name", "program", "words"),
    [
        *(("pla", with_rate(rate), "learning rate is 1") for rate in (0.01, 0.1, 2, 3.7)),
        ("best_line", line_by(all_cuts, [1]), "w₁ is never negative"),
        ("best_line", line_by(lambda x: (x[1:] + x[:-1]) / 2), "left or right of all points"),
        ("best_line", line_by(lambda x: x), "cut between the samples"),
        ("bound", lambda X, y, w: mutants.bound_fractions(X, y, w) + 1, ""),
        (
            "bound",
            lambda X, y, w: np.floor(
                (np.sqrt((X**2).sum(1)).max() / min(y * (X @ w)) * np.sqrt(w @ w)) ** 2
            ),
            "only where rounding decides",
        ),
        ("mistake_bound", k_by_floats, "only where rounding decides"),
        ("features", products_in_one_go, "√2"),
        ("gradient", of_the_sum, "slopes of the sum"),
    ],
)
def test_a_known_mistake_is_recognised_however_it_is_written(name, program, words):
    for seed in range(2):
        hint = ALL[name].examine(program, seed).hint
        assert words in hint
        assert words or not hint


def test_following_a_function_ends_when_it_does_not():
    def program(X, y):
        while len(y) > 4:
            w = X[0]
        w, picks = mutants.run(X, y)
        return w / 2, picks

    assert checks.pla.examine(program, 1).sentence.startswith("the picks are right")


def test_who_abandons_a_call_gets_through_and_learns_the_data():
    class TimedOut(Abandoned):
        pass

    for kind in (TimedOut, KeyboardInterrupt):

        def endless(X, y, kind=kind):
            raise kind

        with pytest.raises(kind) as caught:
            checks.pla.examine(endless, 1)
        assert "pla had not answered on data set 1" in caught.value.__notes__[0]
        assert "X = np.array([[" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("argument", "seed", "kind", "sentence"),
    [
        ((1, [0]), 1, TypeError, "checks.pla got tuple; expected the function itself"),
        (mutants.run, -1, ValueError, "seed is -1; expected a whole number from 0 on"),
        (mutants.run, 1.5, TypeError, "seed is 1.5; expected a whole number"),
        (mutants.run, True, TypeError, "seed is True; expected a whole number"),
    ],
)
def test_bad_calls_are_refused(argument, seed, kind, sentence):
    with pytest.raises(kind, match=re.escape(sentence)):
        checks.pla(argument, seed)


# The house ---------------------------------------------------------------------------------------


def test_every_check_is_bound_under_its_name():
    for name, check in ALL.items():
        assert getattr(checks, name) is check
        assert isinstance(check, Check)
        assert check.name == check.function == name
        assert check.signature.startswith(f"{name}(")
        names = re.findall(r"\w+", check.signature.split("->")[0])[1:]
        assert list(drawn(check, 0)[0]) == names
        assert repr(check) == f"<check of {check.signature}>"


def test_importing_the_checks_loads_nothing_heavy():
    code = (
        "import sys, json; from perceptron_classroom import checks; "
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert "numpy" in loaded
    assert loaded.isdisjoint({"matplotlib", "ipywidgets", "scipy", "numba", "sklearn", "nbformat"})
