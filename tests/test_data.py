"""Data sets: what is accepted, what is refused and in which words, what the samplers promise."""

import copy
import hashlib
import itertools
import pickle
import sys
import tracemalloc
from fractions import Fraction
from functools import partial
from importlib.resources import files

import numpy as np
import oracle
import pandas as pd
import pytest
from refusals import refuses
from scipy.sparse import csr_array, dok_matrix
from strategies import exact_rows, rng

from perceptron_notes import Dataset, certify, pla, separate
from perceptron_notes._kit.validation import columns_of, is_table
from perceptron_notes.data import augment
from perceptron_notes.datasets import credit, flip_labels, halfspaces, iris, li_hang, rings, xor
from perceptron_notes.multiclass import Classes

POINTS = [[3, 3], [4, 3], [1, 1]]
LABELS = [1, 1, -1]


def peak(call, *arguments):
    """How many bytes are taken at most while this is called."""
    tracemalloc.start()
    call(*arguments)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def separates(data):
    """Whether some hyperplane has all samples strictly on their side."""
    return oracle.separable(exact_rows(data))


# ------------------------------------------------------------------------------ bad input

BAD_POINTS = [
    (ValueError, "points[1, 1] is nan", [[1, 2], [3, np.nan]]),
    (ValueError, "points[0, 1] is -1e+152", [[1, -1e152]]),
    (ValueError, "points has a number beyond the range of float64", [[10**400]]),
    (ValueError, "points is empty", []),
    (ValueError, "points has shape ()", 5),
    (ValueError, "shape (2, 3, 4); expected (n, d)", np.zeros((2, 3, 4))),
    (ValueError, "points is ragged", [[1, 2], [3]]),
    (TypeError, "points has dtype complex128", [[1, 2j]]),
    (TypeError, "points has dtype <U1", [["1", "2"]]),
    (TypeError, "points[0, 0] is None", [[None, 1]]),
    (TypeError, "points is sparse; expected dense rows", csr_array([[1, 2]])),
    (TypeError, "points is sparse; expected dense rows", dok_matrix([[1, 2]])),
    (TypeError, "points is a Dataset; expected numbers, such as its points", li_hang()),
    (ValueError, "points is ragged; its columns must have equal", {"a": [1, 2], "b": [1]}),
    (TypeError, "points has column 'b' of <U", {"a": [1, 2], "b": [1, "x"]}),
    (TypeError, "points has None in column 'b'", {"a": [1, 2], "b": [1, None]}),
    (TypeError, "points has 5 as column 'a'", {"a": 5}),
    (TypeError, "points is a dict; expected real numbers", {}),
    (TypeError, "points[0] is a list; try points.tolist()", pd.Series([[1, 2], [3, 4]])),
]
BAD_LABELS = [
    (ValueError, "labels[2] is 0; labels must be -1 or +1", [1, -1, 0]),
    (ValueError, "labels[0] is 0.5", [0.5, 1, 1]),
    (ValueError, "2 * np.asarray(labels) - 1 makes them of 0 and 1", [1, 0, 1]),
    (ValueError, "labels[1] is nan", [1, np.nan, 1]),
    (ValueError, "labels has shape (2,)", [1, -1]),
    (ValueError, "labels has shape (3, 1)", [[1], [-1], [1]]),
    (TypeError, "labels has dtype complex128", [1j, 1, 1]),
    (TypeError, "labels is a masked array", np.ma.masked_array([1, -1, 1], [True, False, False])),
]


def test_bad_points_and_labels_are_refused_in_a_sentence():
    for error, words, points in BAD_POINTS:
        refuses(error, words, augment, points)
        refuses(error, words, Dataset, points, [1])
    for error, words, labels in BAD_LABELS:
        refuses(error, words, Dataset, POINTS, labels)
    assert augment([3, 4]).tolist() == [1, 3, 4]
    refuses(ValueError, "points has shape (2,)", Dataset, [3, 4], [1])


# ------------------------------------------- what a type or a conversion would have lost

BIG = 2**53 + 1
ROUNDED = {
    "list": [[1], [BIG]],
    "list of NumPy's own": [[0.5], [np.int64(BIG)]],
    "int64": np.array([[1], [BIG]]),
    "uint64": np.array([[1], [2**64 - 1]], dtype=np.uint64),
    "Fraction": [[1], [Fraction(1, 3)]],
    "objects": np.array([[1], [BIG]], dtype=object),
    "longdouble": np.array([[1], [2]], dtype=np.longdouble) / np.array([[1], [3]], np.longdouble),
    "DataFrame": pd.DataFrame({"a": [1, BIG]}),
    "DataFrame's column beside floats": pd.DataFrame({"a": [1, BIG], "b": [0.5, 1]})[["a", "b"]],
    "two columns of one name": pd.DataFrame([[1, 0.5], [BIG, 1]], columns=["a", "a"], dtype=object),
    "nullable": pd.DataFrame({"a": pd.array([1, BIG], dtype="Int64")}),
}
ROUNDED["dict"] = {"a": [0.5, BIG], "b": [0.5, 1]}
if sys.platform != "emscripten":  # where there is no pyarrow
    ROUNDED["arrow"] = pd.DataFrame({"a": pd.array([1, BIG], dtype="int64[pyarrow]")})


@pytest.mark.parametrize("points", ROUNDED.values(), ids=ROUNDED)
def test_what_float64_would_round_is_refused_by_name(points):
    for make in (augment, lambda points: Dataset(points, [1, -1])):
        with pytest.raises(ValueError, match=r"points\[1, 0\] is .*, which float64 does not hold"):
            make(points)


def test_what_float64_holds_is_taken_however_it_is_written():
    exact = [[Fraction(1, 2), 2**60], [Fraction(-3, 8), -(2**53)], [10**20, -(2**70)]]
    assert Dataset(exact, [1, -1, 1]).points.tolist() == [[float(v) for v in row] for row in exact]
    assert Dataset(np.array([[2**60]]), [1]).points.tolist() == [[2.0**60]]
    wide = [[1e151, -1e151], [5e-324, -0.0]]
    assert Dataset(wide, [1, -1]).points.tolist() == wide
    assert Dataset(np.array([[-128]], np.int8), np.array([-1], np.int8)).X.tolist() == [[1, -128]]


def test_proofs_are_not_about_rounded_numbers():
    data = Dataset([[1], [-1]], [1, -1])
    refuses(ValueError, "does not hold", lambda: separate(Dataset([[BIG], [2**53]], [1, -1])))
    refuses(ValueError, "w_f[1] is 1/3, which", certify, data, [0, Fraction(1, 3)])
    refuses(ValueError, "rate is 1/3, which", pla, data, rate=Fraction(1, 3))


def test_a_column_without_numbers_is_named():
    for words, columns in (
        ("'Rome' in column 'city'", {"a": [1, 2], "city": ["Rome", "Oslo"]}),
        ("'x' in column 'kind'", {"a": [1, 2], "kind": pd.Categorical(["x", "y"])}),
        ("column 'day'", {"day": pd.to_datetime(["2026-01-01", "2026-01-02"])}),
        ("column 'b'", {"a": [1, 2], "b": [1j, 2]}),
    ):
        refuses(TypeError, words, Dataset, pd.DataFrame(columns), [1, -1])


def test_masks_are_not_lost():
    masked = np.ma.masked_array([[1.0], [2.0]], [[True], [False]])
    for points in (masked, list(masked)):
        refuses(TypeError, "masked", Dataset, points, [1, -1])


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
    refuses(TypeError, "labels has 'a'; expected -1 or +1; multi_pla", Dataset, POINTS, [*"abc"])
    missing = np.array(["no", None, "yes"], dtype=object)
    refuses(TypeError, "labels[1] is None", Dataset, POINTS, missing)


def test_tables_whose_rows_are_shuffled_apart_are_noticed():
    points, labels = pd.DataFrame({"a": [1, 2, 3]}), pd.Series([1, -1, 1])
    shuffled = labels.loc[[2, 0, 1]]
    refuses(ValueError, "another order", Dataset, points, shuffled)
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
    "float16": FRESH.astype(np.float16),
    "float64": FRESH.copy(),
    "Fortran order": np.asfortranarray(FRESH),
    "strided": np.repeat(FRESH, 2, axis=1)[:, ::2],
    "big-endian": FRESH.astype(">f8"),
}


@pytest.mark.parametrize("points", ACCEPTED.values(), ids=ACCEPTED)
def test_real_input_of_every_kind_is_copied_and_never_modified(points):
    before = copy.deepcopy(points)
    if isinstance(points, np.ndarray):
        points.flags.writeable = False
    for labels in ([1, -1, 1, -1], np.array([1, -1, 1, -1], np.float32)):
        data = Dataset(points, labels)
        assert (data.X.dtype, data.y.dtype) == (np.float64, np.intp)
        assert data.X.tolist() == [[1, *row] for row in np.asarray(before).tolist()]
        assert data.y.tolist() == [1, -1, 1, -1]
        assert np.array_equal(points, before)
        assert not np.shares_memory(np.asarray(points), data.X)
        bare = Dataset(points, labels, intercept=False).X
        assert (bare.dtype, bare.tolist()) == (np.float64, np.asarray(before).tolist())
        assert not np.shares_memory(np.asarray(points), bare)


def test_the_first_number_that_is_unusable_is_named_in_whichever_block_it_stands():
    for n, d in ((300_000, 3), (3, 300_000)):
        points = np.zeros((n, d))
        points[-1, -2:] = points[n // 2, d // 2] = np.nan
        refuses(ValueError, f"points[{n // 2}, {d // 2}] is nan", Dataset, points, np.ones(n))
        points[n // 2, d // 2] = 0
        refuses(ValueError, f"points[{n - 1}, {d - 2}] is nan", Dataset, points.T.copy().T, [1])


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_narrow_floats_that_are_infinite_are_refused(kind):
    refuses(ValueError, "points[1, 0] is inf", Dataset, np.array([[1], [np.inf]], kind), [1, 1])


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", ">f8", "i1", "u2", "i4", "i8", "?"])
@pytest.mark.parametrize("make", [Dataset, partial(Dataset, intercept=False), Classes])
def test_points_are_copied_once_whatever_their_type_and_order(make, kind):
    points, labels = np.ones((20_000, 30), kind), np.ones(20_000, np.int64)
    labels[::2] = -1
    for given in (points, np.asfortranarray(points), np.repeat(points, 2, axis=1)[:, ::2]):
        assert peak(make, given, labels) < 1.25 * 8 * points.size
    assert peak(augment, points) < 1.1 * 8 * points.size


TABLES = {
    "DataFrame": (pd.DataFrame, 1.5),
    "with a column of booleans": (lambda t: pd.DataFrame(t | {"b": t["b"] > 0}), 2.3),
    "dict": (dict, 2.3),
}
if sys.platform != "emscripten":
    import pyarrow

    TABLES["pyarrow's table"] = pyarrow.table, 2.3
    TABLES["pyarrow's batch"] = pyarrow.RecordBatch.from_pydict, 2.3


@pytest.mark.parametrize(("table", "most"), TABLES.values(), ids=TABLES)
def test_a_table_of_any_library_is_taken(table, most):
    columns = {name: np.linspace(-1, 1, 20_000) for name in "abcdefghij"}
    points, labels = table(columns), np.ones(20_000)
    assert np.array_equal(
        Dataset(points, labels).points,
        np.column_stack([np.asarray(column) for _, column in columns_of(points)]),
    )
    assert [name for name, _ in columns_of(points)] == [*"abcdefghij"]
    assert is_table(points)
    assert peak(Dataset, points, labels) < most * 8 * 200_000


# ------------------------------------------------------------------------------ Dataset


def test_a_dataset_cannot_be_changed():
    data = li_hang()
    assert not any(array.flags.writeable for array in (data.X, data.y, data.points))
    for name in ("X", "y", "points", "n", "colour"):
        refuses(AttributeError, name, setattr, data, name, 7)
    refuses(AttributeError, "X", delattr, data, "X")


def test_datasets_are_equal_when_points_and_labels_are():
    data = Dataset(POINTS, LABELS)
    assert repr(data) == "Dataset(n=3, d=2: 2 positive, 1 negative)"
    assert data == li_hang()
    assert data != Dataset(POINTS, [1, -1, -1])
    assert data != Dataset([[3, 3], [4, 3], [1, 2]], LABELS)
    assert data != Dataset(POINTS[:2], LABELS[:2])
    assert data != "data"
    for again in (copy.copy(data), copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert again == data
        assert not again.X.flags.writeable
        assert not again.y.flags.writeable


def test_equal_data_have_equal_hashes():
    data, other = Dataset([[0.0, 1], [2, 3]], [1, -1]), Dataset([[-0.0, 1], [2, 3]], [1, -1])
    assert data == other
    assert len({data, other, copy.copy(data), li_hang()}) == 2
    unlike = [Dataset([[0.0, 1], [2, 3]], [1, 1]), Dataset([[0, 1], [2, 3]], [1, -1], False)]
    assert len({data, *unlike, Dataset([[0, 1, 2, 3]], [1])}) == 4
    named = Classes([[0], [1]], ["a", "b"])
    assert hash(named) == hash(Classes([[-0.0], [1]], ["a", "b"]))


def test_a_slice_has_the_type_of_the_whole():
    class Weighed(Dataset):
        pass

    some = Weighed(POINTS, LABELS)[:2]
    assert type(some) is Weighed
    assert some.points.tolist() == POINTS[:2]


def test_an_array_of_a_dataset_is_refused_and_says_which_arrays_there_are():
    for data in (li_hang(), Classes([[0], [1]], ["a", "b"])):
        for call in (np.array, np.asarray, np.sum):
            refuses(TypeError, "is samples and labels", call, data)


# ------------------------------------------------------------------------------ iris

SPECIES = ("setosa", "versicolor", "virginica")
IRIS_SHA256 = "bf80c4befe619df80944ee1b3cb9b0116386c3535bbb3f9aaf657e4324c19024"


def test_the_iris_file_is_the_one_that_was_checked():
    content = files("perceptron_notes").joinpath("iris.csv").read_bytes()
    assert hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest() == IRIS_SHA256


def test_iris_has_the_rows_of_fishers_table():
    points = iris("setosa").points
    assert points[[0, 50, 149]].tolist() == [[51, 35, 14, 2], [70, 32, 47, 14], [59, 30, 51, 18]]
    # These two are often copied wrongly.
    assert points[[34, 37]].tolist() == [[49, 31, 15, 2], [49, 36, 14, 1]]


def test_a_species_against_the_rest_has_its_fifty_flowers_positive():
    for k, species in enumerate(SPECIES):
        data = iris(species)
        assert (data.n, data.d) == (150, 4)
        assert np.flatnonzero(data.y == 1).tolist() == list(range(50 * k, 50 * k + 50))


def test_two_species_come_with_fifty_flowers_each():
    for pair in itertools.permutations(SPECIES, 2):
        data = iris(*pair)
        assert (data.n, data.d, int(data.y.sum())) == (100, 4, 0)
        for label, species in zip([1, -1], pair, strict=True):
            alone = iris(species)
            assert np.array_equal(data.points[data.y == label], alone.points[alone.y == 1])
    some = iris(*pair, features=["petal width", "sepal length"])
    assert np.array_equal(some.points, data.points[:, [3, 0]])


def test_setosa_can_be_separated_and_virginica_cannot():
    assert separates(iris("setosa"))
    assert not separates(iris("versicolor", "virginica"))


def test_iris_refuses_what_fisher_did_not_measure():
    refuses(ValueError, "'rose' is no iris here", iris, "rose")
    refuses(ValueError, "'Virginica' is no iris here", iris, "setosa", "Virginica")
    refuses(ValueError, "both 'setosa'", iris, "setosa", "setosa")
    refuses(ValueError, "None", iris, None)
    refuses(ValueError, "None", iris, None, "setosa")
    refuses(ValueError, "'petal colour' was not", iris, "setosa", features=["petal colour"])
    refuses(ValueError, "expected at least one coordinate", iris, "setosa", features=[])


# ------------------------------------------------------------------------------ samplers


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
def test_chance_must_come_from_a_generator(sample):
    for chance in (None, 0, np.random, np.random.RandomState(0)):
        refuses(TypeError, "expected a generator: np.random.default_rng", sample, chance)


@pytest.mark.parametrize("n", [1, 60, 500])
def test_credit_follows_the_banks_rule_with_a_gap(n):
    for seed in range(5):
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


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.4])
def test_halfspaces_keeps_its_distance(margin):
    turn = np.linspace(0, 2 * np.pi, 20_000)
    for seed in range(3):
        data = halfspaces(200, distance=margin, rng=rng(seed))
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


@pytest.mark.parametrize("k", [0, 1, 7, 150])
def test_flip_labels_flips_exactly_k_and_leaves_the_original(k):
    data = iris("setosa")
    noisy = flip_labels(data, k, rng=rng(k))
    assert int((noisy.y != data.y).sum()) == k
    assert np.array_equal(noisy.points, data.points)
    assert data == iris("setosa")


def test_samplers_refuse_impossible_numbers():
    for error, words, sample, *numbers, options in (
        (ValueError, "n is 0", credit, 0, {}),
        (ValueError, "n is 1", rings, 1, {}),
        (TypeError, "n is True", rings, True, {}),
        (ValueError, "d is 0", halfspaces, 5, 0, {"distance": 1}),
        (ValueError, "distance is 0", halfspaces, 5, {"distance": 0}),
        (ValueError, "distance is 3.0; so far", halfspaces, 10, {"distance": 3.0}),
        (ValueError, "k is 5", flip_labels, xor(), 5, {}),
        (TypeError, "data is a list", flip_labels, [1], 1, {}),
    ):
        refuses(error, words, sample, *numbers, **options, rng=rng())
