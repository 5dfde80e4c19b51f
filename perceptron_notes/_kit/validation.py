"""Checks of a caller's arguments: an error is one sentence.

A check returns its argument in the form that the package computes with. Otherwise it raises
TypeError (the wrong kind) or ValueError (the wrong value), and names the argument, its value, and
what was expected. Checks about a class of the package stand beside that class.
"""

import re
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array, Labels, Samples, blocks, frozen

#: Sums of squares of larger coordinates leave the range of float64: no score means anything then.
LARGEST = 1e151

Pick = Callable[[Any, int, int | None], int | None]

# -------------------------------------------------------------------------------- numbers


def real_array(
    values: npt.ArrayLike,
    name: str,
    largest: float = sys.float_info.max,
    fresh: bool = True,
    exact: bool = False,
) -> Array:
    """Return `values` as float64; raise an error that names the first entry that is not usable.

    An array of float64 is copied only if it has to be `fresh`. With `exact`, no whole number,
    no Fraction and no float wider than float64 may be rounded.
    """
    array = numbers_in(values, name)
    stays = array.dtype == np.float64 and not fresh
    floats = array if stays else np.empty(array.shape)
    size = fill(floats, array, name, largest)
    if exact:
        check_exact(values, array, size, name)
    return floats


def numbers_in(values: Any, name: str) -> npt.NDArray[Any]:
    """Return `values` as an array, of any type of real numbers."""
    try:
        check_numbers(values, name)
        columns = [np.asarray(c) for _, c in (columns_of(values) if is_table(values) else ())]
        # NumPy would turn columns of booleans and floats in a DataFrame into objects.
        mixed = columns and (isinstance(values, Mapping) or len({c.dtype for c in columns}) > 1)
        array = np.column_stack(columns) if mixed else np.asarray(values)
    except ValueError:
        lines = "columns" if isinstance(values, Mapping) else "rows"
        raise ValueError(f"{name} is ragged; its {lines} must have equal lengths") from None
    if array.dtype.kind == "O":
        check_entries(values, array, name)
    elif array.dtype.kind not in "buif":
        raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers")
    return array


def fill(floats: Array, array: npt.NDArray[Any], name: str, largest: float) -> float:
    """Copy real numbers into the last columns of `floats`; return the largest size in all of them.

    Each block is checked while it is in the processor's cache; no other copy of it is made.
    """
    wide, given, reach = np.atleast_2d(floats), np.atleast_2d(array), 0.0
    for rows in blocks(wide):
        block = wide[rows, ...]
        numbers = block[..., wide.shape[-1] - given.shape[-1] :]
        try:
            if floats is not array:
                numbers[...] = given[rows]
        except OverflowError:
            raise ValueError(f"{name} has a number beyond the range of float64") from None
        if not (size := largest_size(block)) <= largest:
            k = np.argwhere(~(np.abs(numbers) <= largest))[0]
            wrong = entry(name, (rows.start + k[0], *k[1:])[len(k) - array.ndim :])
            limit = f" of size at most {largest:g}" if largest == LARGEST else ""
            raise ValueError(
                f"{wrong} is {float(numbers[tuple(k)])}; expected a finite number{limit}"
            )
        reach = max(reach, size)
    return reach


def check_numbers(values: Any, name: str) -> None:
    """Raise TypeError if an array of these values would hide what they are."""
    # Without numpy.ma there is no masked array; another thread may be loading it right now.
    masked: Any = getattr(sys.modules.get("numpy.ma"), "MaskedArray", ())
    for part in values if isinstance(values, list | tuple) else (values,):
        if isinstance(part, masked):
            raise TypeError(f"{name} is a masked array; fill or leave out what is masked first")
    if hasattr(values, "toarray"):
        raise TypeError(
            f"{name} is sparse; expected dense rows. On sparse rows scikit-learn's Perceptron("
            "shuffle=False, tol=None, fit_intercept=False) makes the same updates, if a column of "
            "ones stands in front"
        )
    if is_table(values):
        for column, numbers in columns_of(values):
            array = np.asarray(numbers)
            if array.ndim != 1:
                raise TypeError(f"{name} has {numbers!r} as column {column!r}; {REAL}, one a row")
            if array.dtype.kind not in "buifO":
                raise TypeError(f"{name} has column {column!r} of {array.dtype}; {REAL}")
            for value in array.tolist() if array.dtype.kind == "O" else ():
                if not isinstance(value, Real):
                    raise TypeError(f"{name} has {value!r} in column {column!r}; {REAL}")
    elif isinstance(values, Samples) or not hasattr(values, "__array__"):
        for attribute in ("points", "w"):
            if hasattr(values, attribute):
                raise TypeError(
                    f"{name} is {kind_of(values)}; expected numbers, such as its {attribute}"
                )


#: What every coordinate has to be.
REAL = "expected real numbers"


def is_table(values: Any) -> bool:
    """Return whether these are columns with names, as in a DataFrame, or in a dict."""
    named = hasattr(values, "columns") and hasattr(values, "__array__")
    return named or (isinstance(values, Mapping) and not hasattr(values, "toarray"))


def columns_of(table: Any) -> list[tuple[Any, Any]]:
    """Return the names and the values of the columns of a table."""
    if isinstance(table, Mapping):
        return list(table.items())
    if hasattr(table, "iloc"):  # pandas, where two columns may share a name
        return [(name, table.iloc[:, j]) for j, name in enumerate(table.columns)]
    if hasattr(table, "column_names"):  # pyarrow and others
        return list(zip(table.column_names, table.columns, strict=True))
    return [(name, table[name]) for name in table.columns]


def entry(name: str, where: tuple[int, ...]) -> str:
    """Return an entry of an array as it is written in Python."""
    return f"{name}[{', '.join(map(str, where))}]" if where else name


def check_entries(values: Any, array: npt.NDArray[Any], name: str) -> None:
    """Raise TypeError unless all entries of an array of objects are real numbers."""
    for where, value in np.ndenumerate(array):
        if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes):
            if hasattr(values, "tolist"):
                raise TypeError(f"{entry(name, where)} is {kind_of(value)}; try {name}.tolist()")
            raise ValueError(f"{name} is ragged; its rows must have equal lengths")
        if not isinstance(value, Real):
            what = kind_of(values) if not where else repr(value)
            raise TypeError(f"{entry(name, where)} is {what}; {REAL}")


def check_exact(values: Any, array: npt.NDArray[Any], size: float, name: str) -> None:
    """Raise ValueError if a number was rounded to float64; `size` is the largest absolute value.

    A proof about rounded samples would be about data other than the caller's.
    """
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
        given_so = array.dtype.kind in "bf" and isinstance(values, np.ndarray)
        if given_so or size < 2.0**53:
            return
    parts: list[Any] = [((), values)]
    if is_table(values):
        parts = [((j,), column) for j, (_, column) in enumerate(columns_of(values))]
    for column, part in parts:
        part = np.asarray(part, dtype=None if hasattr(part, "__array__") else object)
        for where, value in np.ndenumerate(part):
            plain = value.item() if isinstance(value, np.generic) else value
            if (number := float(plain)) != plain:
                raise ValueError(
                    f"{entry(name, where + column)} is {plain!s}, which float64 does not hold; "
                    f"the nearest that it does is {in_full(number)}"
                )


def largest_size(array: Array) -> float:
    """Return the largest absolute value; NaN if there is one."""
    return float(np.maximum(array.max(), -array.min()))  # min and max avoid a temporary


def check_number(value: float, name: str, expected: str = "a finite number") -> float:
    """Return a finite real number as a float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}; expected {expected}")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise ValueError(f"{name} is {value}; expected {expected}")
    return number


def check_positive(value: float, name: str) -> float:
    """Return a positive finite number, such as the learning rate, as a float."""
    expected = "a positive finite number"
    number = check_number(value, name, expected)
    if number <= 0:
        raise ValueError(f"{name} is {number:g}; expected {expected}")
    check_exact(value, np.asarray(value, dtype=object), number, name)
    return number


def check_threshold(beta: float, name: str) -> float:
    """Return a number from 0 to the largest size of a coordinate, as a float."""
    expected = f"a number from 0 to {LARGEST:g}"
    number = check_number(beta, name, expected)
    if not 0 <= number <= LARGEST:
        raise ValueError(f"{name} is {number:g}; expected {expected}")
    return number


def check_count(
    count: int, name: str, least: int = 0, most: int | None = None, why: str = ""
) -> int:
    """Return a whole number from `least` to `most`; `why` explains the maximum."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise TypeError(f"{name} is {count!r}; expected a whole number")
    if count < least:
        raise ValueError(f"{name} is {count}; expected at least {least}")
    if most is not None and count > most:
        raise ValueError(f"{name} is {count}; expected at most {most}{why}")
    return int(count)


def check_flag(flag: bool, name: str) -> bool:
    """Return True or False; raise TypeError for anything else."""
    if not isinstance(flag, bool | np.bool_):
        raise TypeError(f"{name} is {flag!r}; expected True or False")
    return bool(flag)


def check_one_of(value: Any, name: str, known: Collection[Any]) -> None:
    """Raise ValueError unless `value` is one of the `known` values."""
    if not isinstance(value, Hashable) or value not in known:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(map(str, known))}")


def check_rng(rng: np.random.Generator) -> np.random.Generator:
    """Return `rng` itself, if it is a Generator: randomness is passed in, never global."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng is {rng!r}; expected a generator: np.random.default_rng(seed)")
    return rng


# ---------------------------------------------------------------------- samples and weights


def check_samples(
    points: npt.ArrayLike, name: str = "points", intercept: bool = True, one: bool = False
) -> tuple[Array, float]:
    """Return `points` as a fresh float64 matrix, and the largest absolute value in it.

    With `intercept` a 1 stands in front of each; a single point, with `one`, may be a vector.
    """
    array = numbers_in(points, name)
    check_matrix(array, name, one)
    X = np.empty((*array.shape[:-1], array.shape[-1] + check_flag(intercept, "intercept")))
    if intercept:
        X[..., 0] = 1.0
    reach = fill(X, array, name, LARGEST)
    check_exact(points, array, reach, name)
    return X, reach


def check_points(points: npt.ArrayLike, name: str = "points") -> Array:
    """Return `points` as a float64 matrix, which may share memory with them."""
    points = real_array(points, name, LARGEST, fresh=False, exact=True)
    check_matrix(points, name)
    return points


def check_matrix(points: npt.NDArray[Any], name: str, one: bool = False) -> None:
    """Raise ValueError unless there are points, one in each row; or a vector, with `one`."""
    if points.shape[:1] == (0,):
        raise ValueError(f"{name} is empty; expected at least one sample")
    if points.ndim != 2 and not (one and points.ndim == 1):
        raise ValueError(f"{name} has shape {points.shape}; expected (n, d), a row a sample")
    if points.shape[-1] == 0:
        raise ValueError(f"{name} has shape {points.shape}; expected at least one coordinate")


def check_labels(labels: npt.ArrayLike, n: int | None = None) -> Labels:
    """Return labels −1 or +1 as a fresh vector, one for each of n samples."""
    check_no_text(labels)
    y = real_array(labels, "labels")
    if y.ndim != 1 or len(y) != (len(y) if n is None else n):
        expected = "one dimension" if n is None else f"({n},)"
        raise ValueError(f"labels has shape {y.shape}; expected {expected}")
    if len(y) == 0:
        raise ValueError("labels is empty; expected at least one sample")
    wrong = np.flatnonzero(np.abs(y) != 1)
    if len(wrong):
        raise ValueError(
            f"labels[{wrong[0]}] is {in_full(y[wrong[0]])}; labels must be -1 or +1{remedy(y)}"
        )
    return y.astype(np.intp)


def check_no_text(labels: Any) -> None:
    """Raise TypeError if labels are text, and show how to turn them into −1 and +1."""
    array = np.asarray(labels) if not isinstance(labels, Mapping) else np.empty(0)
    if array.dtype.kind not in "USTO":
        return
    named = [value for value in array.ravel().tolist() if isinstance(value, str | bytes)]
    if not named:
        return
    for i, value in enumerate(array.ravel().tolist()):
        if not isinstance(value, str | bytes | Real) or value != value:
            raise TypeError(f"labels[{i}] is {value!r}; expected a label for each sample")
    names = sorted(set(named), key=str)
    how = "; multi_pla learns names as they are"
    if len(names) == 2:
        how = f": np.where(np.asarray(labels) == {names[1]!r}, 1, -1) makes +1 of {names[1]!r}"
    raise TypeError(f"labels has {named[0]!r}; expected -1 or +1{how}")


def check_order(labels: Any, points: Any, name: str = "labels", of: str = "points") -> None:
    """Raise ValueError if two tables have the same rows in another order."""
    ours: Any = getattr(labels, "index", None)
    theirs: Any = getattr(points, "index", None)
    if not (hasattr(ours, "equals") and hasattr(theirs, "equals")) or ours.equals(theirs):
        return
    if len(ours) == len(theirs) and set(ours) == set(theirs):
        raise ValueError(
            f"the rows of {name} have another order than those of {of}: "
            f"{name}.loc[{of}.index] has theirs"
        )


def in_full(number: float) -> str:
    """Return a number with all its digits, but without a needless decimal point."""
    return repr(float(number)).removesuffix(".0")


def remedy(labels: Array) -> str:
    """Return advice on how to turn two other label values into −1 and +1."""
    low, *others = np.unique(labels).tolist()
    if (low, others) == (0, [1]):
        return ": 2 * np.asarray(labels) - 1 makes them of 0 and 1"
    if len(others) == 1:
        one = in_full(others[0])
        return f": np.where(np.asarray(labels) == {one}, 1, -1) makes them of two values"
    return ""


def check_kind(value: Any, kind: Any, name: str, expected: str) -> None:
    """Raise TypeError unless `value` is of this kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {kind_of(value)}; expected {expected}")


def check_run(run: Any, example: str = "pla(data)") -> Any:
    """Return `run` itself, if it is iterable steps, or a function from data to steps."""
    check_kind(run, (Iterable, Callable), "run", f"a run, such as {example}")
    return run


def kind_of(value: Any) -> str:
    """Return the kind of a value, with its article: "a list", "an int"."""
    kind = type(value).__name__
    return f"an {kind}" if kind[0] in "aeiouAEIOU" else f"a {kind}"


def check_several(values: Any, name: str, expected: str) -> list[Any]:
    """Return any iterable but a mapping as a list."""
    try:
        listed = None if isinstance(values, Mapping) else list(values)
    except TypeError:
        listed = None
    if listed is None:
        raise TypeError(f"{name} is {values!r}; expected {expected}")
    return listed


def check_names(
    labels: Any,
    n: int,
    names: Any = None,
    what: str = "labels",
    known: str = "names",
    least: int = 2,
) -> tuple[Labels, tuple[Hashable, ...]]:
    """Number the class of each of n samples, and return the names of the classes too.

    Without `names` they are sorted, or in order of appearance where they cannot be sorted.
    """
    listed = listing(labels, what)
    if len(listed) != n:
        raise ValueError(f"{what} has length {len(listed)}; expected {n}, one for each sample")
    if names is None:
        names = tuple(dict.fromkeys(listed))
        with suppress(TypeError):
            names = tuple(sorted(names))
    names = tuple(listing(names, known))
    number = {name: k for k, name in enumerate(names)}
    if len(number) < len(names):
        raise ValueError(f"{known} is {names}; expected each once")
    for i, label in enumerate(listed):
        if label not in number:
            raise ValueError(f"{what}[{i}] is {label!r}; expected one of {names}")
    if len(names) < least:
        raise ValueError(f"{what} are all {names[0]!r}; expected at least two classes")
    return np.array([number[label] for label in listed], dtype=np.intp), names


def listing(values: Any, name: str) -> list[Any]:
    """Return any iterable as a list, if all its entries are hashable."""
    try:
        listed = values.tolist() if hasattr(values, "tolist") else list(values)
    except TypeError:
        listed = None
    if not isinstance(listed, list):
        raise TypeError(f"{name} is {values!r}; expected a sequence, one for each")
    if not listed:
        raise ValueError(f"{name} is empty; expected at least one")
    for i, value in enumerate(listed):
        if not isinstance(value, Hashable):
            raise TypeError(f"{name}[{i}] is {value!r}; expected a string, a number or the like")
        if value != value:
            raise ValueError(f"{name}[{i}] is {value}, which equals nothing; expected a class")
    return listed


def check_weights(
    w: npt.ArrayLike, d: int, name: str = "w", intercept: bool = True, exact: bool = False
) -> Array:
    """Return `w` as a fresh float64 vector with d + 1 entries, or d without intercept."""
    w = real_array(w, name, exact=exact)
    if w.shape != (d + intercept,):
        threshold = "w₀ for the leading 1 and " if intercept else ""
        raise ValueError(
            f"{name} has shape {w.shape}; expected ({d + intercept},): "
            f"{threshold}one weight for each of {d} coordinates"
        )
    return w


def check_augmented(
    w: npt.ArrayLike, X: npt.ArrayLike, intercept: bool = True
) -> tuple[Array, Array]:
    """Return weights and samples of matching size, with the leading 1 if there is an intercept."""
    X, w, intercept = real_array(X, "X"), real_array(w, "w"), check_flag(intercept, "intercept")
    if X.ndim not in (1, 2) or X.shape[-1] == 0:
        raise ValueError(f"X has shape {X.shape}; expected (n, d + 1) or (d + 1,)")
    lacks = "augment(points) puts the leading 1 in front"
    if intercept and w.shape == (X.shape[-1] + 1,):
        raise ValueError(f"X has {X.shape[-1]} columns and w has {len(w)} weights; {lacks}")
    w = check_weights(w, X.shape[-1] - intercept, intercept=intercept)
    if intercept and not (X[..., 0] == 1).all():
        raise ValueError(f"X[:, 0] is not 1 throughout; {lacks}")
    return w, X


def check_tally(alpha: npt.ArrayLike, n: int) -> Array:
    """Return `alpha` as one number for each of n samples."""
    alpha = real_array(alpha, "alpha")
    if alpha.shape != (n,):
        raise ValueError(f"alpha has shape {alpha.shape}; expected ({n},), one for a sample")
    return alpha


# --------------------------------------------------------------------------------- networks


def check_layers(layers: Any) -> tuple[Array, ...]:
    """Return `layers` as read-only matrices that fit onto each other; the last has one row."""
    if isinstance(layers, np.ndarray) and layers.ndim < 3:
        raise TypeError(f"layers is one array of shape {layers.shape}; expected one for each layer")
    each = check_several(layers, "layers", "one matrix for each layer")
    matrices = [real_array(W, f"layers[{k}]") for k, W in enumerate(each)]
    if not matrices:
        raise ValueError("layers is empty; expected at least one matrix")
    for k, W in enumerate(matrices):
        inputs = len(matrices[k - 1]) if k else max(1, sum(W.shape[-1:]) - 1)
        if W.ndim != 2 or len(W) == 0 or W.shape[1] != 1 + inputs:
            columns = f"{1 + inputs} columns, a bias and a weight for each of {inputs} inputs"
            raise ValueError(f"layers[{k}] has shape {W.shape}; expected {columns}")
    if len(matrices[-1]) != 1:
        raise ValueError(
            f"the last of layers has {len(matrices[-1])} rows; expected one, the output"
        )
    return tuple(map(frozen, matrices))


def check_pick(pick: Any) -> Pick:
    """Return `pick` itself, if it can be a rule; the random rules must be given their rng first."""
    if isinstance(pick, type):
        raise TypeError(f"pick is {pick.__name__} itself; expected {pick.__name__}(rng)")
    if not callable(pick):
        raise TypeError(f"pick is {pick!r}; expected a rule such as in_turn")
    return pick


def name_of(function: Any) -> str:
    """Return the name of a rule or a kernel, without the address that Python prints."""
    return getattr(function, "__name__", None) or re.sub(r" at 0x\w+", "", repr(function))


def checked(pick: Pick) -> Pick:
    """Wrap a rule so that it raises an error as soon as its pick is not allowed."""

    def rule(look: Any, n: int, previous: int | None) -> int | None:
        i: Any = pick(look, n, previous)
        if i is None:
            if (left := look(0, n)) is not None:
                raise ValueError(f"{name} picked None, but X[{left}] is still a mistake")
            return None
        i = check_index(i, n, name, "mistake")
        if look(i, i + 1) is None:
            raise ValueError(f"{name} picked X[{i}], which is right; expected a mistake")
        return i

    name = name_of(pick)
    return rule


def check_index(i: Any, n: int, who: str, what: str) -> int:
    """Return the index of one of n samples, which a rule or a step picked, as an int."""
    if isinstance(i, bool | np.bool_) or not isinstance(i, int | np.integer):
        raise TypeError(f"{who} picked {i!r}; expected the index of a {what}, or None")
    if not 0 <= i < n:
        raise ValueError(f"{who} picked {i}; expected one of the samples 0 … {n - 1}")
    return int(i)


def check_step(step: Any) -> None:
    """Raise TypeError unless this is a step of a run: with t and pick."""
    if not hasattr(step, "pick") or not hasattr(step, "t"):
        raise TypeError(f"steps yields {kind_of(step)}; expected steps of a run")


def check_picked(step: Any, n: int) -> int | None:
    """Return the sample that a user's step picks as an int, or None if it picks none."""
    return None if step.pick is None else check_index(step.pick, n, f"step {step.t}", "sample")


def check_own(run: Any, **given: Any) -> None:
    """Raise ValueError if a given argument differs from what the run has."""
    for name, value in given.items():
        if value is not None and value != (own := getattr(run, name)):
            raise ValueError(f"{name} is {value}, but that of the run is {own}")


def check_primal(step: Any) -> None:
    """Raise TypeError unless this is a step that has weights."""
    check_step(step)
    if not hasattr(step, "w"):
        hint = "; weights(alpha, data) makes them" if hasattr(step, "alpha") else ""
        raise TypeError(f"steps yields {kind_of(step)}, which has no weights w{hint}")


def check_trace(trace: Any) -> tuple[Array, Labels, float]:
    """Return the weights, picks and rate of a Trace, if they are consistent with its data."""
    W, picks, data = np.asarray(trace.W, dtype=np.float64), np.asarray(trace.picks), trace.data
    if W.ndim != 2 or W.shape[:1] != (picks.size + 1,) or picks.ndim != 1:
        raise ValueError(
            f"W has shape {W.shape} and picks {picks.shape}; expected (T + 1, d + 1) and (T,)"
        )
    picks = check_indices(picks, data.n, "picks")
    check_weights(W[0], data.d, "W[0]", data.intercept)
    return W, picks, check_positive(trace.rate, "rate")


def check_indices(order: npt.NDArray[Any], n: int, name: str) -> Labels:
    """Return a fresh vector of indices of n samples."""
    if len(order) and order.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {order.dtype}; expected whole numbers")
    for k in np.flatnonzero((order < 0) | (order >= n))[:1]:
        raise ValueError(f"{name}[{k}] is {order[k]}; expected a sample, 0 … {n - 1}")
    return order.astype(np.intp)


def check_visits(visits: npt.ArrayLike, n: int) -> Labels:
    """Return the samples that are visited as a fresh vector of indices."""
    order = np.asarray(visits)
    if order.ndim != 1 or len(order) == 0:
        raise ValueError(f"visits has shape {order.shape}; expected (T,), a sample a visit")
    return check_indices(order, n, "visits")


# -------------------------------------------------------------------- kernels and their matrices


def check_kernel(kernel: Any) -> Callable[[Array, Array], Array]:
    """Return `kernel` itself, if it is one; makers of kernels must be given their numbers first."""
    if not callable(kernel) or isinstance(kernel, type):
        expected = "linear, polynomial(degree) or rbf(gamma)"
        raise TypeError(f"kernel is {name_of(kernel)}; expected {expected}")
    return kernel


def check_gram(G: npt.ArrayLike, n: int) -> Array:
    """Return `G` as a symmetric float64 matrix for n samples."""
    G = real_array(G, "G")
    if G.ndim != 2 or G.shape[0] != G.shape[1]:
        raise ValueError(f"G has shape {G.shape}; a Gram matrix is square")
    if len(G) != n:
        raise ValueError(f"G has shape {G.shape} for {n} labels; expected ({n}, {n})")
    return check_symmetric(G)


def check_symmetric(G: Array) -> Array:
    """Return `G` itself, if it is symmetric up to rounding."""
    unlike = np.abs(G - G.T) > 1e-9 * np.abs(G).max()  # a kernel may round
    if unlike.any():
        i, j = np.argwhere(unlike)[0]
        raise ValueError(
            f"G[{i}, {j}] is {G[i, j]:g} but G[{j}, {i}] is {G[j, i]:g}; a Gram matrix is symmetric"
        )
    return G
