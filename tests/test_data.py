"""Data sets: what is accepted, what is refused and in which words, what the samplers promise."""

import copy
import hashlib
import itertools
import pickle
from fractions import Fraction
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from perceptron_notes import Dataset, certify, pla, separate
from perceptron_notes.data import augment
from perceptron_notes.datasets import credit, flip_labels, halfspaces, iris, li_hang, rings, xor

POINTS = [[3, 3], [4, 3], [1, 1]]
LABELS = [1, 1, -1]


def separates(data):
    """Whether some hyperplane has all samples strictly on their side: a linear program."""
    signed = data.y[:, None] * data.X
    answer = linprog(np.zeros(data.d + 1), A_ub=-signed, b_ub=-np.ones(data.n), bounds=(None, None))
    assert answer.status in (0, 2)
    return answer.status == 0


# ------------------------------------------------------------------------------ bad input

BAD_POINTS = {
    "NaN": ([[1, 2], [3, np.nan]], ValueError, r"points\[1, 1\] is nan; expected a finite number"),
    "infinite": ([[-np.inf, 2]], ValueError, r"points\[0, 0\] is -inf; expected a finite number"),
    "too large": ([[1, -1e152]], ValueError, r"points\[0, 1\] is -1e\+152; .* at most 1e\+151"),
    "a far too large integer": (
        [[10**400]],
        ValueError,
        r"points has a number beyond the range of float64",
    ),
    "no samples": ([], ValueError, r"points is empty; expected at least one sample"),
    "no rows": (np.zeros((0, 2)), ValueError, r"points is empty; expected at least one sample"),
    "no columns": ([[], []], ValueError, r"points has shape \(2, 0\); .* at least one coordinate"),
    "one number": (5, ValueError, r"points has shape \(\); expected \(n, d\)"),
    "three dimensions": (np.zeros((2, 3, 4)), ValueError, r"shape \(2, 3, 4\); expected \(n, d\)"),
    "ragged": ([[1, 2], [3]], ValueError, r"points is ragged; .* equal lengths"),
    "complex": ([[1, 2j]], TypeError, r"points has dtype complex128; expected real numbers"),
    "text": ([["1", "2"]], TypeError, r"points has dtype <U1; expected real numbers"),
    "nothing": (None, TypeError, r"points is a NoneType; expected real numbers"),
    "objects": ([[None, 1]], TypeError, r"points\[0, 0\] is None; expected real numbers"),
    "sparse": (csr_array([[1, 2]]), TypeError, r"points is sparse; .* toarray\(\) makes them"),
    "dates": (np.array([["2024-01-01"]], "M8[D]"), TypeError, r"points has dtype datetime64"),
}


@pytest.mark.parametrize("make", [augment, lambda points: Dataset(points, [1])])
@pytest.mark.parametrize(("points", "error", "sentence"), BAD_POINTS.values(), ids=BAD_POINTS)
def test_bad_points_are_refused_in_a_sentence(make, points, error, sentence):
    with pytest.raises(error, match=sentence):
        make(points)


def test_a_single_point_can_be_augmented_but_is_no_dataset():
    assert augment([3, 4]).tolist() == [1, 3, 4]
    with pytest.raises(ValueError, match=r"points has shape \(2,\); expected \(n, d\)"):
        Dataset([3, 4], [1])


BAD_LABELS = {
    "zero": ([1, -1, 0], ValueError, r"labels\[2\] is 0; labels must be -1 or \+1"),
    "two": ([1, 2, 1], ValueError, r"labels\[1\] is 2; labels must be -1 or \+1"),
    "half": ([0.5, 1, 1], ValueError, r"labels\[0\] is 0.5; labels must be -1 or \+1"),
    "zeros and ones": ([True, False, True], ValueError, r"labels\[1\] is 0; labels must be -1 or"),
    "NaN": ([1, np.nan, 1], ValueError, r"labels\[1\] is nan; expected a finite number"),
    "infinite": ([1, 1, np.inf], ValueError, r"labels\[2\] is inf; expected a finite number"),
    "too few": ([1, -1], ValueError, r"labels has shape \(2,\); expected \(3,\)"),
    "too many": ([1, -1, 1, 1], ValueError, r"labels has shape \(4,\); expected \(3,\)"),
    "none": ([], ValueError, r"labels has shape \(0,\); expected \(3,\)"),
    "a column": ([[1], [-1], [1]], ValueError, r"labels has shape \(3, 1\); expected \(3,\)"),
    "one number": (1, ValueError, r"labels has shape \(\); expected \(3,\)"),
    "text": (["+", "-", "+"], TypeError, r"labels has '\+'; .* makes \+1 of '-'"),
    "nothing": (None, TypeError, r"labels is a NoneType; expected real numbers"),
    "complex": ([1j, 1, 1], TypeError, r"labels has dtype complex128; expected real numbers"),
}


@pytest.mark.parametrize(("labels", "error", "sentence"), BAD_LABELS.values(), ids=BAD_LABELS)
def test_bad_labels_are_refused_in_a_sentence(labels, error, sentence):
    with pytest.raises(error, match=sentence):
        Dataset(POINTS, labels)


# ------------------------------------------- what a type or a conversion would have lost

BIG = 2**53 + 1
ROUNDED = {
    "list": [[1], [BIG]],
    "mixed list": [[0.5], [BIG]],
    "list of NumPy's own": [[0.5], [np.int64(BIG)]],
    "int64": np.array([[1], [BIG]]),
    "uint64": np.array([[1], [2**64 - 1]], dtype=np.uint64),
    "wider than int64": [[1], [2**100 + 1]],
    "Fraction": [[1], [Fraction(1, 3)]],
    "Fraction and float": [[0.5], [Fraction(1, 3)]],
    "objects": np.array([[1], [BIG]], dtype=object),
    "longdouble": np.array([[1], [2]], dtype=np.longdouble) / np.array([[1], [3]], np.longdouble),
    "DataFrame": pd.DataFrame({"a": [1, BIG]}),
    "DataFrame's column beside floats": pd.DataFrame({"a": [1, BIG], "b": [0.5, 1]})[["a", "b"]],
    "two columns of one name": pd.DataFrame([[1, 0.5], [BIG, 1]], columns=["a", "a"], dtype=object),
    "nullable": pd.DataFrame({"a": pd.array([1, BIG], dtype="Int64")}),
    "arrow": pd.DataFrame({"a": pd.array([1, BIG], dtype="int64[pyarrow]")}),
}


@pytest.mark.parametrize("points", ROUNDED.values(), ids=ROUNDED)
def test_what_float64_would_round_is_refused_by_name(points):
    for make in (augment, lambda points: Dataset(points, [1, -1])):
        with pytest.raises(ValueError, match=r"points\[1, 0\] is .*, which float64 does not hold"):
            make(points)


def test_what_float64_holds_is_taken_however_it_is_written():
    exact = [[Fraction(1, 2), 2**60], [Fraction(-3, 8), -(2**53)]]
    assert Dataset(exact, [1, -1]).points.tolist() == [[0.5, 2.0**60], [-0.375, -(2.0**53)]]
    assert Dataset(np.array([[2**60]]), [1]).points.tolist() == [[2.0**60]]


def test_proofs_are_not_about_rounded_numbers():
    with pytest.raises(ValueError, match="does not hold"):
        separate(Dataset([[BIG], [2**53]], [1, -1]))
    with pytest.raises(ValueError, match=r"w_f\[1\] is 1/3, which"):
        certify(Dataset([[1], [-1]], [1, -1]), [0, Fraction(1, 3)])
    with pytest.raises(ValueError, match="rate is 1/3, which"):
        pla(Dataset([[1], [-1]], [1, -1]), rate=Fraction(1, 3))


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (pd.DataFrame({"a": [1, 2], "city": ["Rome", "Oslo"]}), "'Rome' in column 'city'"),
        (pd.DataFrame({"a": [1, 2], "kind": pd.Categorical(["x", "y"])}), "'x' in column 'kind'"),
        (pd.DataFrame({"day": pd.to_datetime(["2026-01-01", "2026-01-02"])}), "column 'day'"),
        (pd.DataFrame({"a": [1, 2], "b": [1j, 2]}), "column 'b'"),
    ],
)
def test_a_column_without_numbers_is_named(table, sentence):
    with pytest.raises(TypeError, match=sentence):
        Dataset(table, [1, -1])


def test_masks_are_not_lost_in_a_list():
    with pytest.raises(TypeError, match="masked"):
        Dataset([np.ma.masked_array([1.0], [True]), np.ma.masked_array([2.0], [False])], [1, -1])


NAMED = {
    "list": ["no", "yes", "no"],
    "array": np.array(["no", "yes", "no"]),
    "objects": np.array(["no", "yes", "no"], dtype=object),
    "Series of objects": pd.Series(["no", "yes", "no"], dtype=object),
    "Series of strings": pd.Series(["no", "yes", "no"], dtype="str"),
    "Series of categories": pd.Series(["no", "yes", "no"], dtype="category"),
}
if hasattr(np.dtypes, "StringDType"):  # NumPy 2
    NAMED["StringDType"] = np.array(["no", "yes", "no"], dtype=np.dtypes.StringDType())


@pytest.mark.parametrize("labels", NAMED.values(), ids=NAMED)
def test_names_as_labels_are_refused_with_the_line_that_helps(labels):
    with pytest.raises(TypeError, match="labels has 'no'") as refused:
        Dataset(POINTS, labels)
    line = str(refused.value).partition(": ")[2].partition(" makes")[0]
    helped = eval(line, {"np": np, "labels": labels})
    assert Dataset(POINTS, helped).y.tolist() == [-1, 1, -1]  # the second name is positive


def test_more_names_or_a_missing_one_get_no_line_that_would_mislead():
    with pytest.raises(TypeError, match=r"labels has 'a'; expected -1 or \+1; multi_pla"):
        Dataset(POINTS, ["a", "b", "c"])
    with pytest.raises(TypeError, match=r"labels\[1\] is None; expected a label"):
        Dataset(POINTS, np.array(["no", None, "yes"], dtype=object))


def test_tables_whose_rows_are_shuffled_apart_are_noticed():
    points, labels = pd.DataFrame({"a": [1, 2, 3]}), pd.Series([1, -1, 1])
    shuffled = labels.loc[[2, 0, 1]]
    with pytest.raises(ValueError, match="another order"):
        Dataset(points, shuffled)
    assert Dataset(points, shuffled.loc[points.index]) == Dataset(points, labels)
    assert Dataset(points, shuffled.to_numpy()).y.tolist() == [1, 1, -1]


# ------------------------------------------------------------------------------ good input

FRESH = np.arange(12.0).reshape(4, 3)
ACCEPTED = {
    "list": FRESH.tolist(),
    "tuples": tuple(map(tuple, FRESH.tolist())),
    "int64": FRESH.astype(np.int64),
    "uint8": FRESH.astype(np.uint8),
    "bool": FRESH.astype(bool),
    "float32": FRESH.astype(np.float32),
    "float64": FRESH.copy(),
    "Fortran order": np.asfortranarray(FRESH),
    "strided": np.repeat(FRESH, 2, axis=1)[:, ::2],
    "big-endian": FRESH.astype(">f8"),
}


@pytest.mark.parametrize("points", ACCEPTED.values(), ids=ACCEPTED)
@pytest.mark.parametrize("labels", [[1, -1, 1, -1], np.array([1, -1, 1, -1], np.float32)])
def test_real_input_of_every_kind_is_copied_and_never_modified(points, labels):
    before = copy.deepcopy(points)
    if isinstance(points, np.ndarray):
        points.flags.writeable = False
    data = Dataset(points, labels)
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.intp
    assert data.X.tolist() == [[1, *row] for row in np.asarray(before).tolist()]
    assert data.y.tolist() == [1, -1, 1, -1]
    assert np.array_equal(points, before)
    if isinstance(points, np.ndarray):
        assert not np.shares_memory(points, data.X)


def test_numbers_at_both_ends_of_the_range_are_accepted():
    points = [[1e151, -1e151], [5e-324, -0.0]]
    assert Dataset(points, [1, -1]).points.tolist() == points


@pytest.mark.parametrize("number", [10**20, -(2**70), Fraction(1, 4)])
def test_wide_integers_and_fractions_are_numbers_too(number):
    assert Dataset([[number, 1]], [1]).points.tolist() == [[float(number), 1]]


def test_the_smallest_bytes_do_not_wrap_round():
    assert Dataset(np.array([[-128]], np.int8), np.array([-1], np.int8)).X.tolist() == [[1, -128]]


# ------------------------------------------------------------------------------ Dataset


def test_a_dataset_says_what_it_is():
    data = Dataset(POINTS, LABELS)
    assert (data.n, data.d, len(data)) == (3, 2, 3)
    assert data.points.tolist() == POINTS
    assert data.y.tolist() == LABELS
    assert repr(data) == "Dataset(n=3, d=2: 2 positive, 1 negative)"


@pytest.mark.parametrize("name", ["X", "y", "points"])
def test_the_arrays_of_a_dataset_are_read_only(name):
    array = getattr(li_hang(), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7


@pytest.mark.parametrize("name", ["X", "y", "points", "n", "colour"])
def test_the_attributes_of_a_dataset_cannot_be_set(name):
    data = li_hang()
    with pytest.raises(AttributeError, match=f"read-only.*{name}"):
        setattr(data, name, 7)


@pytest.mark.parametrize("name", ["X", "y"])
def test_the_attributes_of_a_dataset_cannot_be_deleted(name):
    data = li_hang()
    with pytest.raises(AttributeError):
        delattr(data, name)


def test_datasets_are_equal_when_points_and_labels_are():
    data = Dataset(POINTS, LABELS)
    assert data == li_hang()
    assert data != Dataset(POINTS, [1, -1, -1])
    assert data != Dataset([[3, 3], [4, 3], [1, 2]], LABELS)
    assert data != Dataset(POINTS[:2], LABELS[:2])
    assert data != "data"
    with pytest.raises(TypeError, match="unhashable"):
        hash(data)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda data: pickle.loads(pickle.dumps(data))]
)
def test_a_copied_or_pickled_dataset_is_equal_and_read_only(again):
    data = again(li_hang())
    assert data == li_hang()
    assert not data.X.flags.writeable
    assert not data.y.flags.writeable


# ------------------------------------------------------------------------------ iris

SPECIES = ("setosa", "versicolor", "virginica")
IRIS_SHA256 = "bf80c4befe619df80944ee1b3cb9b0116386c3535bbb3f9aaf657e4324c19024"


def test_the_iris_file_is_the_one_that_was_checked():
    content = files("perceptron_notes").joinpath("iris.csv").read_bytes()
    assert hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest() == IRIS_SHA256


@pytest.mark.parametrize(
    ("row", "flower"),
    [
        (1, [51, 35, 14, 2]),
        (35, [49, 31, 15, 2]),  # these two are often copied wrongly
        (38, [49, 36, 14, 1]),
        (51, [70, 32, 47, 14]),
        (150, [59, 30, 51, 18]),
    ],
)
def test_iris_has_the_rows_of_fishers_table(row, flower):
    assert iris("setosa").points[row - 1].tolist() == flower


def test_iris_has_the_column_sums_of_fishers_table():
    assert iris("setosa").points.sum(axis=0).tolist() == [8765, 4586, 5637, 1799]


@pytest.mark.parametrize("k", range(3))
def test_a_species_against_the_rest_has_its_fifty_flowers_positive(k):
    data = iris(SPECIES[k])
    assert (data.n, data.d) == (150, 4)
    assert np.flatnonzero(data.y == 1).tolist() == list(range(50 * k, 50 * k + 50))


@pytest.mark.parametrize("pair", list(itertools.permutations(SPECIES, 2)), ids="-".join)
def test_two_species_come_with_fifty_flowers_each(pair):
    data = iris(*pair)
    assert (data.n, data.d, int(data.y.sum())) == (100, 4, 0)
    for label, species in zip([1, -1], pair, strict=True):
        alone = iris(species)
        assert np.array_equal(data.points[data.y == label], alone.points[alone.y == 1])


def test_iris_takes_the_features_in_the_order_asked_for():
    data = iris("setosa", "virginica", features=["petal width", "sepal length"])
    assert np.array_equal(data.points, iris("setosa", "virginica").points[:, [3, 0]])


def test_setosa_can_be_separated_and_virginica_cannot():
    assert separates(iris("setosa"))
    assert not separates(iris("versicolor", "virginica"))


@pytest.mark.parametrize(
    ("arguments", "features", "sentence"),
    [
        (("rose",), None, r"'rose' is no iris here; expected one of \('setosa'"),
        (("setosa", "Virginica"), None, r"'Virginica' is no iris here; expected one of"),
        (("setosa", "setosa"), None, r"positive and negative are both 'setosa'; .* two species"),
        ((None,), None, "None"),
        ((None, "setosa"), None, "None"),
        (("setosa",), ["petal colour"], r"'petal colour' was not measured; expected some of"),
        (("setosa",), [], r"expected at least one coordinate"),
    ],
)
def test_iris_refuses_what_fisher_did_not_measure(arguments, features, sentence):
    options = {} if features is None else {"features": features}
    with pytest.raises(ValueError, match=sentence):
        iris(*arguments, **options)


# ------------------------------------------------------------------------------ samplers


def rng(seed=0):
    return np.random.default_rng(seed)


SAMPLERS = {
    "credit": lambda rng: credit(rng=rng),
    "rings": lambda rng: rings(50, rng=rng),
    "halfspaces": lambda rng: halfspaces(50, 3, distance=0.1, rng=rng),
    "flip_labels": lambda rng: flip_labels(iris("setosa"), 20, rng=rng),
}


@pytest.mark.parametrize("sample", SAMPLERS.values(), ids=SAMPLERS)
def test_one_seed_gives_one_data_set_and_another_seed_another(sample):
    assert sample(rng(1)) == sample(rng(1))
    assert sample(rng(1)) != sample(rng(2))


@pytest.mark.parametrize("sample", SAMPLERS.values(), ids=SAMPLERS)
@pytest.mark.parametrize("chance", [None, 0, np.random, np.random.RandomState(0)], ids=type)
def test_chance_must_come_from_a_generator(sample, chance):
    with pytest.raises(TypeError, match=r"rng is .*; expected a generator: np.random.default_rng"):
        sample(chance)


@pytest.mark.parametrize(
    "call",
    [
        lambda: credit(),
        lambda: rings(5),
        lambda: halfspaces(5, distance=0.1),
        lambda: flip_labels(li_hang(), 1),
    ],
)
def test_rng_has_no_default(call):
    with pytest.raises(TypeError, match="rng"):
        call()


@pytest.mark.parametrize("sample", SAMPLERS.values(), ids=SAMPLERS)
def test_sampling_leaves_the_global_generator_alone(sample):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    sample(rng())
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_the_two_small_data_sets_are_the_textbooks():
    assert li_hang().points.tolist() == [[3, 3], [4, 3], [1, 1]]
    assert li_hang().y.tolist() == [1, 1, -1]
    assert {(*x, y) for x, y in zip(xor().points.tolist(), xor().y, strict=True)} == {
        (0, 0, -1),
        (0, 1, 1),
        (1, 0, 1),
        (1, 1, -1),
    }
    assert separates(li_hang())
    assert not separates(xor())


@pytest.mark.parametrize("n", [1, 60, 500])
@pytest.mark.parametrize("seed", range(5))
def test_credit_follows_the_banks_rule_with_a_gap(n, seed):
    data = credit(n, rng=rng(seed))
    income, debt = data.points.T
    assert data.n == n
    assert (data.points == data.points.round()).all()
    assert (data.y * (income - 2 * debt) > 20).all()


@pytest.mark.parametrize("n", [2, 7, 200])
def test_rings_are_a_disc_in_a_ring_on_a_dyadic_grid(n):
    data = rings(n, rng=rng(n))
    radius = np.hypot(*data.points.T)
    half_a_cell = np.sqrt(2) / 128
    assert int((data.y == 1).sum()) == (n + 1) // 2
    assert data.n == n
    assert (data.points * 64 == (data.points * 64).round()).all()
    assert (radius[data.y == 1] <= 1 + half_a_cell).all()
    assert (np.abs(radius[data.y == -1] - 2) <= 0.5 + half_a_cell).all()


def test_no_line_separates_rings():
    assert not separates(rings(60, rng=rng()))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("margin", [0.01, 0.1, 0.4])
def test_halfspaces_keeps_its_distance(seed, margin):
    data = halfspaces(200, distance=margin, rng=rng(seed))
    turn = np.linspace(0, 2 * np.pi, 20_000)
    height = data.points @ np.array([np.cos(turn), np.sin(turn)])
    gap = height[data.y == 1].min(axis=0) - height[data.y == -1].max(axis=0)
    # Turning by half a step changes a gap by less than 0.001 here.
    assert gap.max() >= 2 * margin - 0.001


@pytest.mark.parametrize(("n", "d"), [(1, 1), (30, 1), (100, 2), (50, 10)])
def test_halfspaces_fills_the_cube_on_a_dyadic_grid(n, d):
    data = halfspaces(n, d, distance=0.05, rng=rng(n))
    assert data.points.shape == (n, d)
    assert (np.abs(data.points) <= 1).all()
    assert (data.points * 4096 == (data.points * 4096).round()).all()
    assert separates(data)


def test_halfspaces_says_when_the_distance_leaves_no_room():
    with pytest.raises(ValueError, match=r"distance is 3.0; so far .* hardly a point"):
        halfspaces(10, distance=3.0, rng=rng())


@pytest.mark.parametrize("k", [0, 1, 7, 150])
@pytest.mark.parametrize("seed", range(3))
def test_flip_labels_flips_exactly_k_and_leaves_the_original(k, seed):
    data = iris("setosa")
    noisy = flip_labels(data, k, rng=rng(seed))
    assert int((noisy.y != data.y).sum()) == k
    assert np.array_equal(noisy.points, data.points)
    assert data == iris("setosa")


def test_flip_labels_can_hit_every_sample():
    hit = {
        int(np.flatnonzero(flip_labels(xor(), 1, rng=rng(s)).y != xor().y)[0]) for s in range(40)
    }
    assert hit == {0, 1, 2, 3}


BAD_NUMBERS = {
    "credit n": (lambda: credit(0, rng=rng()), ValueError, r"n is 0; expected at least 1"),
    "rings n": (lambda: rings(1, rng=rng()), ValueError, r"n is 1; expected at least 2"),
    "rings float": (lambda: rings(4.0, rng=rng()), TypeError, r"n is 4.0; expected a whole number"),
    "rings bool": (
        lambda: rings(True, rng=rng()),
        TypeError,
        r"n is True; expected a whole number",
    ),
    "halfspaces n": (lambda: halfspaces(0, distance=1, rng=rng()), ValueError, r"n is 0; expected"),
    "halfspaces d": (
        lambda: halfspaces(5, 0, distance=1, rng=rng()),
        ValueError,
        r"d is 0; expected",
    ),
    "distance 0": (
        lambda: halfspaces(5, distance=0, rng=rng()),
        ValueError,
        r"distance is 0; .*positive",
    ),
    "distance NaN": (
        lambda: halfspaces(5, distance=np.nan, rng=rng()),
        ValueError,
        r"distance is nan",
    ),
    "distance text": (
        lambda: halfspaces(5, distance="1", rng=rng()),
        TypeError,
        r"distance is '1'; exp",
    ),
    "flip too many": (lambda: flip_labels(xor(), 5, rng=rng()), ValueError, r"k is 5; .* only 4"),
    "flip negative": (lambda: flip_labels(xor(), -1, rng=rng()), ValueError, r"k is -1; expected"),
    "flip half": (lambda: flip_labels(xor(), 0.5, rng=rng()), TypeError, r"k is 0.5; .* whole"),
    "flip a list": (
        lambda: flip_labels([1], 1, rng=rng()),
        TypeError,
        r"data is a list; .* Dataset",
    ),
}


@pytest.mark.parametrize(("call", "error", "sentence"), BAD_NUMBERS.values(), ids=BAD_NUMBERS)
def test_samplers_refuse_impossible_numbers(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


@pytest.mark.parametrize("scale", [0.0, 1e-170, 0.5, -3.0, 1e151])
def test_a_dataset_knows_how_far_its_coordinates_reach(scale):
    points = np.random.default_rng(0).uniform(-1, 1, (50, 3)) * scale
    data = Dataset(points, np.ones(50))
    assert data.reach == np.abs(data.X).max()
    assert type(data.reach) is float
    assert pickle.loads(pickle.dumps(data)).reach == data.reach
