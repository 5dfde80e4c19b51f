"""Shards: the same samples in the same order, from wherever they come; or one clear sentence."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusals import refuses

from perceptron_notes import Dataset, last, pla
from perceptron_notes.datasets import halfspaces, li_hang
from perceptron_notes.scale import ClusterError, Shards, each, mixing, pla_over, separate_over


@pytest.fixture(scope="module")
def data():
    return halfspaces(103, 3, distance=0.05, rng=np.random.default_rng(1))


def save(folder, data, name="", kind=np.float64):
    np.save(folder / f"X{name}.npy", data.points.astype(kind))
    np.save(folder / f"y{name}.npy", data.y)


def table(data):
    return pd.DataFrame({"a": data.points[:, 0], "b": data.points[:, 1], "label": data.y})


def all_of(shards, rows=None):
    """The samples as one Dataset, block after block; their numbers must go on without a gap."""
    blocks = [block for shard in shards for block in shard.blocks(rows)]
    starts = np.cumsum([0, *(len(block.y) for block in blocks)])
    assert [block.first for block in blocks] == starts[:-1].tolist()
    assert all(block.X.dtype == np.float64 and not block.X.flags.writeable for block in blocks)
    assert all(block.data.reach >= np.abs(block.X).max() for block in blocks)
    X = np.concatenate([block.X for block in blocks])
    points = X[:, 1:] if shards.intercept else X
    found = Dataset(points, np.concatenate([block.y for block in blocks]), shards.intercept)
    assert np.array_equal(found.X, X)
    return found


# ------------------------------------------------------------------------- the same samples


@pytest.mark.parametrize("count", [1, 2, 7, 103])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_dataset_is_cut_and_can_be_put_together(data, count, intercept):
    data = Dataset(data.points, data.y, intercept)
    shards = Shards.split(data, count)
    assert len(shards) == len(shards.sizes) == count
    assert max(shards.sizes) - min(shards.sizes) <= 1
    assert (shards.n, shards.d, shards.intercept) == (103, 3, intercept)
    assert all_of(shards) == all_of(shards, rows=4) == shards.dataset() == data


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, np.uint16, np.float16, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_files_of_any_real_type_and_order(tmp_path, data, kind, order):
    points = np.abs(np.round(data.points * 10)).astype(kind)
    np.save(tmp_path / "X.npy", np.asarray(points, order=order))
    np.save(tmp_path / "y.npy", data.y.astype(np.int8))
    shards = Shards.from_npy(tmp_path / "X.npy", tmp_path / "y.npy", 4)
    assert all_of(shards, rows=7) == shards.dataset() == Dataset(points, data.y)
    other = Shards.from_npy(tmp_path / "X.npy", tmp_path / "y.npy", 4, intercept=False)
    assert all_of(other) == Dataset(points, data.y, intercept=False)


def test_a_folder_of_pairs_of_npy_files(tmp_path, data):
    for k in range(3):
        save(tmp_path, data[k::3], f"-{k}")
    (tmp_path / "notes.txt").write_text("not looked at")
    shards = Shards.from_folder(tmp_path)
    assert shards.sizes == (35, 34, 34)
    assert (
        all_of(shards, rows=10) == data[[*range(0, 103, 3), *range(1, 103, 3), *range(2, 103, 3)]]
    )


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_a_folder_of_npz_files(tmp_path, data, write):
    write(tmp_path / "1.npz", X=data.points[:50], y=data.y[:50])
    write(tmp_path / "2.npz", X=data.points[50:], y=data.y[50:])
    assert all_of(Shards.from_folder(tmp_path), rows=9) == data


def test_a_folder_of_parquet_files_with_columns_in_any_order(tmp_path, data):
    data = Dataset(data.points[:, :2], data.y)
    table(data[:60]).to_parquet(tmp_path / "part-0.parquet", row_group_size=25)
    table(data[60:])[["label", "b", "a"]].to_parquet(tmp_path / "part-1.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-0.parquet.crc").write_bytes(b"crc")
    shards = Shards.from_folder(tmp_path)
    assert shards.sizes == (60, 43)
    assert all_of(shards, rows=11) == all_of(shards) == data


def test_a_dask_array_whose_labels_have_other_chunks(data):
    X = dask.array.from_array(data.points, chunks=(30, 2))
    shards = Shards.from_dask(X, dask.array.from_array(data.y, chunks=50))
    assert shards.sizes == (30, 30, 30, 13)
    assert all_of(shards, rows=8) == data


def test_a_dask_frame_with_the_name_of_its_labels_or_with_labels_beside_it(data):
    data = Dataset(data.points[:, :2], data.y)
    frame = dask.dataframe.from_pandas(table(data), npartitions=3)
    assert all_of(Shards.from_dask(frame, "label")) == data
    assert all_of(Shards.from_dask(frame[["a", "b"]], frame["label"])) == data
    some = frame[frame.a > 0.4]  # whose sizes nobody knows, perhaps 0
    assert all_of(Shards.from_dask(some, "label")) == data[data.points[:, 0] > 0.4]


def test_shards_that_are_made(data):
    def make(seed):
        return halfspaces(10 + seed, 2, distance=0.1, rng=np.random.default_rng(seed))

    shards = Shards.generate(make, [0, 5])
    assert shards.sizes == (10, 15)
    assert each(lambda shard: [b.data for b in shard.blocks()], shards) == [[make(0)], [make(5)]]
    told = Shards.generate(lambda seed: (make(0).points, make(0).y), [0], shape=(10, 2))
    assert each(lambda shard: [b.data for b in shard.blocks()], told) == [[make(0)]]


def test_a_description_is_small_whatever_the_files_hold(tmp_path):
    np.save(tmp_path / "X.npy", np.ones((10**5, 3)))
    np.save(tmp_path / "y.npy", np.ones(10**5))
    shards = Shards.from_npy(tmp_path / "X.npy", tmp_path / "y.npy", 8)
    assert len(pickle.dumps(shards)) < 5000
    assert pickle.loads(pickle.dumps(shards)) == shards
    assert repr(shards) == "Shards(n=100000, d=3: 8 of 12500)"


def test_shards_without_samples_are_left_out(tmp_path, data):
    data = Dataset(data.points[:, :2], data.y)
    for k, some in enumerate([slice(0, 0), slice(0, 50), slice(0, 0), slice(50, 103)]):
        table(data).iloc[some].to_parquet(tmp_path / f"{k}.parquet")
    shards = Shards.from_folder(tmp_path)
    assert [shard.number for shard in shards] == [0, 1]
    assert all_of(shards) == data


@pytest.mark.parametrize("names", [("spam", "ham"), (1, 0), (True, False), (2.5, 1.0)])
def test_labels_of_other_names(tmp_path, data, names):
    data = Dataset(data.points[:, :2], data.y)
    frame = table(data)
    frame["label"] = [names[0] if y > 0 else names[1] for y in data.y]
    frame.to_parquet(tmp_path / "0.parquet")
    assert all_of(Shards.from_folder(tmp_path, positive=names[0])) == data
    frame = dask.dataframe.from_pandas(frame, npartitions=2)
    assert all_of(Shards.from_dask(frame, "label", positive=names[0])) == data
    table(data).assign(label=frame["label"].compute().astype("category")).to_parquet(
        tmp_path / "0.parquet"
    )
    assert all_of(Shards.from_folder(tmp_path, positive=names[0])) == data


def test_a_positive_label_must_occur(tmp_path, data):
    data = Dataset(data.points[:, :2], data.y)
    save(tmp_path, data)
    files = tmp_path / "X.npy", tmp_path / "y.npy"
    said = "positive is 7, which no label is; the labels are "
    refuses(ValueError, said, Shards.from_npy, *files, positive=7)
    names = np.where(data.y > 0, "yes", "no")
    np.save(files[1], names)
    said = "positive= says which one is +1"
    refuses(TypeError, said, Shards.from_npy, *files)
    assert all_of(Shards.from_npy(*files, 3, positive="yes")) == data
    refuses(
        ValueError,
        "positive is 'ja', which no label is; the",
        Shards.from_npy,
        *files,
        positive="ja",
    )
    for file in files:
        file.unlink()
    frame = table(data).assign(label=names)
    frame.sort_values("label").iloc[:-3].to_parquet(tmp_path / "0.parquet", index=False)
    Shards.from_folder(tmp_path, positive="yes")  # which only the last ones are
    refuses(ValueError, "positive is 'ja', which", Shards.from_folder, tmp_path, positive="ja")
    frames = dask.dataframe.from_pandas(frame, npartitions=2)
    refuses(ValueError, "positive is 'ja', which", Shards.from_dask, frames, "label", positive="ja")
    X, y = (dask.array.from_array(a, chunks=(50, *a.shape[1:])) for a in (data.points, data.y))
    refuses(ValueError, "positive is 7, which", Shards.from_dask, X, y, positive=7)


def test_reading_ahead_ends_with_the_reader(tmp_path, data):
    import threading

    save(tmp_path, data)
    before = threading.active_count()
    for _ in Shards.from_folder(tmp_path)[0].blocks(rows=3):
        break
    assert threading.active_count() == before


# ------------------------------------------------------------------------- clear sentences


def failing(make, kind=ValueError):
    with pytest.raises(kind) as caught:
        all_of(make(), rows=10)
    message = str(caught.value)
    assert "\n" not in message
    return message


def npy(folder):
    return Shards.from_npy(folder / "X.npy", folder / "y.npy", 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
def test_a_bad_number_is_named_with_file_and_row(tmp_path, data, bad):
    points = data.points.copy()
    points[77, 1] = bad
    save(tmp_path, data)
    np.save(tmp_path / "X.npy", points)
    said = failing(lambda: npy(tmp_path))
    assert said == (
        f"{tmp_path}/X.npy with y.npy, row 77: coordinate 1 is {bad}; "
        "expected a finite number of size at most 1e+151"
    )


def test_a_bad_label_is_named_with_file_and_row_and_a_way_out(tmp_path, data):
    save(tmp_path, data)
    np.save(tmp_path / "y.npy", (data.y > 0).astype(int))
    said = failing(lambda: npy(tmp_path))
    row = int(np.argmax(data.y < 0))
    assert f"y.npy, row {row}: the label is 0; labels must be -1 or +1" in said
    assert "positive=1" in said
    shards = Shards.from_npy(tmp_path / "X.npy", tmp_path / "y.npy", 2, positive=1)
    assert all_of(shards) == data


def test_labels_that_are_missing_or_of_another_kind_are_refused(tmp_path, data):
    save(tmp_path, data)
    np.save(tmp_path / "y.npy", data.y * 1.5)
    assert "the label is" in failing(lambda: npy(tmp_path))
    np.save(tmp_path / "y.npy", np.where(np.arange(data.n) == 60, np.nan, data.y))
    files = tmp_path / "X.npy", tmp_path / "y.npy"
    assert "row 60: the label is missing" in failing(lambda: Shards.from_npy(*files, positive=1))
    told = "positive is '1', but the labels are numbers"
    assert told in failing(lambda: Shards.from_npy(*files, positive="1"), TypeError)
    table(data).assign(label="ham").to_parquet(tmp_path / "0.parquet")
    for file in files:
        file.unlink()
    said = failing(lambda: Shards.from_folder(tmp_path), TypeError)
    assert "column 'label' is" in said
    assert "positive= says which one is +1" in said


def test_a_truncated_file_is_noticed_before_and_after(tmp_path, data):
    save(tmp_path, data)
    shards, file = npy(tmp_path), tmp_path / "X.npy"
    whole = file.read_bytes()
    file.write_bytes(whole[:-100])
    assert "X.npy has changed since" in failing(lambda: shards)
    said = failing(lambda: npy(tmp_path))
    assert said == f"{file} has {len(whole) - 100} bytes; expected {len(whole)}: it is truncated"
    file.write_bytes(whole[:60])
    assert "X.npy is no .npy array" in failing(lambda: npy(tmp_path))


def test_files_that_are_damaged_gone_or_others_than_before(tmp_path, data):
    np.savez(tmp_path / "0.npz", X=data.points, y=data.y)
    shards, file = Shards.from_folder(tmp_path), tmp_path / "0.npz"
    file.write_bytes(file.read_bytes()[:-300])
    assert "0.npz has changed since" in failing(lambda: shards)
    assert "0.npz is no .npz file, or damaged" in failing(lambda: Shards.from_folder(tmp_path))
    file.unlink()
    assert "0.npz" in failing(lambda: shards, FileNotFoundError)
    file = tmp_path / "1.parquet"
    table(data).to_parquet(file)
    shards, whole = Shards.from_folder(tmp_path), file.read_bytes()
    for cut in (3, 500):
        file.write_bytes(whole[:-cut])
        damaged = f"{file} is no Parquet file, or damaged"
        assert damaged in failing(lambda: Shards.from_folder(tmp_path))
    file.write_bytes(whole[:4] + bytes(396) + whole[400:])  # one page of it
    assert "1.parquet is no Parquet file, or damaged" in failing(
        lambda: Shards.from_folder(tmp_path)
    )
    assert "1.parquet has changed since" in failing(lambda: shards)


def rewritten(file, make):
    """The file as `make` writes it, of the same length and with the old time."""
    before = file.stat()
    make(file)
    if file.stat().st_size == before.st_size:
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_files_that_change_after_the_look_are_refused(tmp_path, data):
    save(tmp_path, data)
    file, changed = tmp_path / "X.npy", r"X.npy has changed since the shards were made"
    for new in (-data.points, data.points.astype(np.float32), np.vstack([data.points] * 2)):
        np.save(file, data.points)
        shards = npy(tmp_path)
        assert all_of(shards) == data
        np.save(file, new)
        refuses(ValueError, changed, all_of, shards)
    np.save(file, data.points)
    shards = npy(tmp_path)
    rewritten(file, lambda file: np.save(file, data.points.astype(np.int64)))  # another header
    refuses(ValueError, changed, all_of, shards)
    np.save(file, data.points)
    shards = npy(tmp_path)
    reading = shards[0].blocks(rows=10)
    next(reading)
    with open(file, "r+b") as some:  # while it is read
        some.seek(200)
        some.write(b"7")
    refuses(ValueError, changed, list, reading)


def test_columns_that_are_renamed_or_double_are_refused_with_their_file(tmp_path, data):
    file = tmp_path / "0.parquet"
    table(data).to_parquet(file)
    shards = Shards.from_folder(tmp_path)
    table(data).rename(columns={"a": "c"}).to_parquet(file)
    refuses(ValueError, "0.parquet has changed since", all_of, shards)
    whole = pa.table(table(data))
    for twice in (["a", "a", "label"], ["a", "label", "label"]):
        pq.write_table(whole.rename_columns(twice), file)
        said = f"0.parquet has several columns {twice[1]!r}; expected one of each name"
        refuses(ValueError, said, Shards.from_folder, tmp_path)


def test_the_index_of_a_table_is_no_coordinate(tmp_path, data):
    kept = np.arange(data.n) % 3 > 0
    expected = Dataset(data.points[kept, :2], data.y[kept])
    table(data)[kept].to_parquet(tmp_path / "0.parquet")
    with pytest.warns(UserWarning, match="'__index_level_0__' is the index of a pandas table"):
        assert all_of(Shards.from_folder(tmp_path)) == expected
    named = table(data)[kept].assign(id=7).set_index("id")
    named.to_parquet(tmp_path / "0.parquet")
    with pytest.warns(UserWarning, match="'id' is the index of a pandas table; left out"):
        assert all_of(Shards.from_folder(tmp_path)) == expected


def test_parts_in_subfolders_are_found_and_columns_in_the_names_of_folders_refused(tmp_path, data):
    data = Dataset(data.points[:, :2], data.y)
    for name in ("2024/0", "2025/01/0", "2025/02/0"):
        (tmp_path / name).parent.mkdir(parents=True)
    table(data[:50]).to_parquet(tmp_path / "2024/0.parquet")
    table(data[50:60]).to_parquet(tmp_path / "2025/01/0.parquet")
    table(data[60:]).to_parquet(tmp_path / "2025/02/0.parquet")
    (tmp_path / "_temporary").mkdir()
    table(data[60:]).to_parquet(tmp_path / "_temporary/0.parquet")
    shards = Shards.from_folder(tmp_path)
    assert shards.sizes == (50, 10, 43)
    assert all_of(shards) == data
    (tmp_path / "2025/02").rename(tmp_path / "2025/month=2")
    said = "month=2 has a column in its name, which its files lack"
    refuses(ValueError, said, Shards.from_folder, tmp_path)


def test_pairs_of_npy_files_in_subfolders(tmp_path, data):
    for k in range(2):
        (tmp_path / f"X{k}").mkdir()
        save(tmp_path / f"X{k}", data[k::2])
    assert all_of(Shards.from_folder(tmp_path)) == data[[*range(0, 103, 2), *range(1, 103, 2)]]


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.longdouble])
def test_numbers_that_float64_does_not_hold_are_refused(tmp_path, data, kind):
    points = np.round(data.points * 0).astype(kind)
    points[77, 1] = kind(2**53)
    save(tmp_path, data)
    np.save(tmp_path / "X.npy", points)
    assert all_of(npy(tmp_path)).points[77, 1] == 2**53
    points[78, 1] = kind(2**53) + kind(1)
    np.save(tmp_path / "X.npy", points)
    said = "X.npy with y.npy, row 78: coordinate 1 is 9007199254740993"
    assert said in failing(lambda: npy(tmp_path))
    if kind != np.longdouble:
        for name in ("X.npy", "y.npy"):
            (tmp_path / name).unlink()
        table(data).assign(b=points[:, 1]).to_parquet(tmp_path / "0.parquet")
        said = "0.parquet, row 78: b is 9007199254740993; float64 does not hold it"
        assert said in failing(lambda: Shards.from_folder(tmp_path))


def test_a_slice_of_shards_is_shards(data):
    shards = Shards.split(data, 5)
    few = shards[1:4]
    assert isinstance(few, Shards)
    assert all_of(few) == data[shards[1].first : shards[4].first]
    assert [shard.number for shard in few] == [0, 1, 2]
    assert last(pla_over(few)).step == last(pla(few.dataset()))
    assert next(iter(mixing(shards[::2]))).n == 1
    refuses(ValueError, "no samples at all", lambda: shards[5:])


def test_many_tiny_files_share_shards(tmp_path, data):
    many = halfspaces(1000, 2, distance=0.05, rng=np.random.default_rng(1))
    for k in range(500):
        table(many[2 * k : 2 * k + 2]).to_parquet(tmp_path / f"{k:03}.parquet")
    shards = Shards.from_folder(tmp_path)
    assert 100 <= len(shards) <= 110
    assert all_of(shards, rows=3) == many
    table(many[:1]).assign(b=np.nan).to_parquet(tmp_path / "499.parquet")
    assert "499.parquet, row 0: b is missing" in failing(lambda: Shards.from_folder(tmp_path))


@pytest.mark.parametrize(
    ("column", "kind", "said"),
    [
        (["red"] * 103, TypeError, "column 'c' is .*string"),
        ([1.0] * 102 + [None], ValueError, "row 102: (c is missing|coordinate 2 is nan)"),
        (pd.array([1] * 102 + [None], dtype="Int64"), ValueError, "row 102: c is missing"),
    ],
)
def test_a_column_of_text_or_with_gaps(tmp_path, data, column, kind, said):
    import re

    frame = table(data)
    frame["c"] = column
    frame.to_parquet(tmp_path / "0.parquet")
    assert re.search(said, failing(lambda: Shards.from_folder(tmp_path), kind))


def test_what_a_partition_lacks_is_said_with_its_number(data):
    points = data.points.copy()
    points[55, 0] = np.nan
    X = dask.array.from_array(points, chunks=(40, 3))
    found = Shards.from_dask(X, dask.array.from_array(data.y, chunks=40))
    assert failing(lambda: found).startswith("partition 1: points[15, 0] is nan")


def test_folders_that_are_none(tmp_path, data):
    assert "has no such file" in failing(lambda: Shards.from_folder(tmp_path))
    failing(lambda: Shards.from_folder(tmp_path / "nowhere"), FileNotFoundError)
    save(tmp_path, data)
    np.savez(tmp_path / "0.npz", X=data.points, y=data.y)
    assert "files of 2 kinds: .npz, .npy" in failing(lambda: Shards.from_folder(tmp_path))
    (tmp_path / "0.npz").unlink()
    np.save(tmp_path / "X-2.npy", data.points)
    assert "X-2.npy has no partner" in failing(lambda: Shards.from_folder(tmp_path))
    np.save(tmp_path / "y-2.npy", data.y[:-1])
    assert "y-2.npy has shape (102,); expected (103,)" in failing(
        lambda: Shards.from_folder(tmp_path)
    )
    np.save(tmp_path / "y-2.npy", data.y)
    np.save(tmp_path / "X-2.npy", data.points[:, :2])
    said = failing(lambda: Shards.from_folder(tmp_path))
    assert "coordinates;" in said
    assert "X-2.npy" in said


def test_frames_of_other_columns(tmp_path, data):
    table(data).to_parquet(tmp_path / "0.parquet")
    table(data).rename(columns={"b": "c"}).to_parquet(tmp_path / "1.parquet")
    assert "they differ in b, c" in failing(lambda: Shards.from_folder(tmp_path))
    said = failing(lambda: Shards.from_folder(tmp_path, label="y"))
    assert "0.parquet has no column 'y'; it has a, b, label" in said


def test_what_cannot_be_shards():
    data, split, make, dask_ = li_hang(), Shards.split, Shards.generate, Shards.from_dask
    ones = dask.array.ones
    for kind, words, call, *arguments in (
        (ValueError, "count is 4, but data has 3 samples", split, data, 4),
        (ValueError, "count is 0", split, data, 0),
        (TypeError, "data is a list", split, [[1]], 1),
        (TypeError, "make is 3", make, 3, [1]),
        (TypeError, "make(1) is a NoneType", make, lambda s: None, [1]),
        (ValueError, "make(1): labels[0]", make, lambda s: ([[1]], [0]), [1]),
        (ValueError, "no samples at all", make, li_hang, []),
        (TypeError, "seeds is 2", make, li_hang, 2),
        (ValueError, "make(2), row 0: 2", make, lambda s: (np.ones((2, s)), [1, -1]), [1, 2]),
        (TypeError, "X is a ndarray", dask_, np.ones((2, 2)), np.ones(2)),
        (ValueError, "y has shape (5,)", dask_, ones((4, 2)), ones(5)),
    ):
        refuses(kind, words, call, *arguments)
    refuses(TypeError, "shape is 5", make, li_hang, [1], shape=5)
    refuses(ValueError, "shape is (5,)", make, li_hang, [1], shape=(5,))
    refuses(ValueError, "rows is 0", list, split(data, 1)[0].blocks(rows=0))


def test_a_maker_of_data_without_intercept_must_say_so():
    def make(seed):
        P = np.array([[5.0, 1], [4, -1], [-3, 1], [-6, -1]])
        return Dataset(P, np.where(P[:, 0] > 0, 1, -1), intercept=False)

    told = Shards.generate(make, range(2), shape=(4, 2))
    refuses(ValueError, "make(0), row 0: a Dataset with intercept=False", separate_over, told)
    right = Shards.generate(make, range(2), shape=(4, 2), intercept=False)
    assert separate_over(right).verify(right)
    assert all_of(right) == all_of(Shards.generate(make, range(2)))


def test_an_archive_says_what_it_has_and_a_dask_frame_which_column_is_text(tmp_path, data):
    np.savez(tmp_path / "0.npz", points=data.points, y=data.y)
    refuses(ValueError, "0.npz has no array 'X'", Shards.from_folder, tmp_path)
    frame = dask.dataframe.from_pandas(table(data).assign(c="red"), npartitions=2)
    assert "column 'c' is" in failing(lambda: Shards.from_dask(frame, "label"), TypeError)


def test_make_that_breaks_its_word():
    shards = Shards.generate(lambda seed: li_hang(), [0], shape=(4, 2))
    with pytest.raises(ValueError, match="the samples end here; expected 4"):
        each(lambda shard: len(list(shard.blocks())), shards)
    shards = Shards.generate(lambda seed: li_hang(), [0], shape=(3, 5))
    refuses(ValueError, "2 coordinates", each, lambda shard: len(list(shard.blocks())), shards)


def test_an_array_of_objects_or_text(tmp_path, data):
    save(tmp_path, data)
    for points in (data.points.astype(object), data.points.astype(str)):
        np.save(tmp_path / "X.npy", points)
        assert "X.npy has dtype" in failing(lambda: npy(tmp_path), TypeError)
    Path(tmp_path / "X.npy").write_text("a,b\n1,2\n")
    assert "X.npy is no .npy array" in failing(lambda: npy(tmp_path))


# -------------------------------------------------------------------------------- the place


@pytest.mark.parametrize("on", [3, "nobody", object()])
def test_what_is_no_place(on, data):
    kind = ClusterError if isinstance(on, str) else TypeError
    with pytest.raises(kind, match=r"on is|no scheduler answers at nobody"):
        each(len, Shards.split(data, 2), on=on)


@pytest.mark.parametrize("module", ["distributed", "pyarrow", "dask"])
def test_a_missing_module_is_named_with_what_brings_it(module, tmp_path, monkeypatch):
    (tmp_path / "0.parquet").touch()
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"{module}.parquet", raising=False)
    calls = {
        "distributed": lambda: each(len, (), on="tcp://127.0.0.1:1"),
        "pyarrow": lambda: Shards.from_folder(tmp_path),
        "dask": lambda: Shards.from_dask(None, None),
    }
    with pytest.raises(ImportError, match=rf"{module} is not installed"):
        calls[module]()


# ------------------------------------------------------------------------------- the memory

PEAK = """
import sys
from pathlib import Path
from perceptron_notes.scale import Shards, error_count_over

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) >> 10

shards = Shards.from_folder(sys.argv[1])
before = peak()
error_count_over([0.0] * (shards.d + 1), shards)
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux says how much memory a process had")
def test_a_row_group_is_never_in_memory_as_a_whole(tmp_path):
    n, d = 2_000_000, 20  # 320 MB, in one row group
    rng = np.random.default_rng(1)
    columns = {f"x{j}": rng.standard_normal(n) for j in range(d)}
    columns["label"] = np.where(columns["x0"] > 0, 1, -1)
    pq.write_table(pa.table(columns), tmp_path / "0.parquet", row_group_size=n)
    assert pq.ParquetFile(tmp_path / "0.parquet").num_row_groups == 1
    command = [sys.executable, "-c", PEAK, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 160
