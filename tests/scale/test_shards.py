"""Shards: the same samples in the same order, from wherever they come; or one clear sentence."""

import os
import pickle
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import s3fs
from moto.server import ThreadedMotoServer
from refusals import refuses
from sharded import each, frame, written

from perceptron_notes import Dataset
from perceptron_notes.datasets import halfspaces, li_hang
from perceptron_notes.scale import ClusterError, Shards, mixing


@pytest.fixture(scope="module")
def data():
    return halfspaces(103, 2, distance=0.05, rng=np.random.default_rng(1))


def all_of(shards, rows=None):
    """The samples as one Dataset, block after block; their numbers must go on without a gap."""
    blocks = [block for shard in shards for _, block in shard.blocks(rows)]
    starts = np.cumsum([0, *(len(block.y) for block in blocks)])
    firsts = [first for shard in shards for first, _ in shard.blocks(rows)]
    assert firsts == starts[:-1].tolist()
    assert all(block.X.dtype == np.float64 and not block.X.flags.writeable for block in blocks)
    assert all(block.reach >= np.abs(block.X).max() for block in blocks)
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
    assert (shards.n, shards.d, shards.intercept) == (103, 2, intercept)
    assert all_of(shards) == all_of(shards, rows=4) == shards.dataset() == data


def test_a_dataset_is_cut_into_shards_of_given_sizes(data):
    shards = Shards.split(data, [3, 90, 10])
    assert shards.sizes == (3, 90, 10)
    assert all_of(shards, rows=7) == data


def test_a_slice_of_shards_is_shards(data):
    shards = Shards.split(data, 5)
    few = shards[1:4]
    assert isinstance(few, Shards)
    assert all_of(few) == data[shards[1].first : shards[4].first]
    assert [shard.number for shard in few] == [0, 1, 2]
    assert next(iter(mixing(shards[::2]))).n == 1
    refuses(ValueError, "no samples at all", lambda: shards[5:])


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, np.uint16, np.float16, bool])
def test_columns_of_any_real_type(tmp_path, data, kind):
    points = np.abs(np.round(data.points * 10)).astype(kind)
    columns = {"a": points[:, 0], "b": points[:, 1].astype(np.float64)}
    table = pa.table({**columns, "label": data.y.astype(np.int8)})
    pq.write_table(table, tmp_path / "0.parquet")
    assert all_of(Shards.from_folder(tmp_path), rows=7) == Dataset(points, data.y)
    other = Shards.from_folder(tmp_path, intercept=False)
    assert all_of(other) == Dataset(points, data.y, intercept=False)


def test_a_folder_of_files_with_columns_in_any_order_and_folders_in_it(tmp_path, data):
    for name in ("a/0", "b/01/0", "b/02/0", "_temporary/0", "_SUCCESS/.0", "empty"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    table = frame(data)
    table[:50].to_parquet(tmp_path / "a/0.parquet", row_group_size=20)
    table[50:60][["label", "x1", "x0"]].to_parquet(tmp_path / "b/01/0.parquet")
    table[60:].to_parquet(tmp_path / "b/02/0.parquet")
    table[60:].to_parquet(tmp_path / "_temporary/0.parquet")
    table[:0].to_parquet(tmp_path / "empty.parquet")  # no shard
    (tmp_path / ".0.parquet.crc").write_bytes(b"crc")
    shards = Shards.from_folder(tmp_path)
    assert shards.sizes == (20, 20, 10, 10, 43)
    assert [shard.number for shard in shards] == [0, 1, 2, 3, 4]
    assert all_of(shards, rows=11) == all_of(shards) == data
    (tmp_path / "b/02").rename(tmp_path / "b/month=2")
    refuses(ValueError, "0.parquet has a column in the name", Shards.from_folder, tmp_path)


@pytest.fixture
def bucket(monkeypatch):
    """The address of a bucket on this machine."""
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    url = "http://127.0.0.1:{1}".format(*server.get_host_and_port())
    for name, value in {
        "ENDPOINT_URL": url,
        "ACCESS_KEY_ID": "a",
        "SECRET_ACCESS_KEY": "b",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    s3fs.S3FileSystem.clear_instance_cache()  # of a server that is gone
    s3fs.S3FileSystem().makedirs("bucket", exist_ok=True)
    yield "s3://bucket"
    server.stop()


def test_row_groups_in_a_bucket_and_columns_by_name(data, bucket):
    table = frame(data).assign(place="Rome")
    for address in ("memory://bucket/samples", f"{bucket}/samples"):
        table.to_parquet(f"{address}/0.parquet", row_group_size=40)
        for place in (address, f"{address}/", f"{address}/0.parquet"):
            shards = Shards.from_folder(place, columns=["x1", "x0"])
            assert shards.sizes == (40, 40, 23)
            assert all_of(shards, rows=7) == Dataset(data.points[:, ::-1], data.y)
        table.to_parquet(f"{address}/0.parquet", row_group_size=50)
        refuses(ValueError, f"{address}/0.parquet has changed since", all_of, shards)
        frame(data).to_csv(f"{address}/text/0.csv", index=False)
        assert all_of(Shards.from_folder(f"{address}/text")) == data


def test_of_a_file_in_a_bucket_the_columns_alone_are_fetched(bucket, monkeypatch):
    rng, fetched = np.random.default_rng(1), []
    wide = {f"z{j}": rng.normal(size=20_000) for j in range(30)}
    table = pd.DataFrame({**wide, "label": np.sign(wide["z7"]).astype(int)})
    table.to_parquet(f"{bucket}/wide/0.parquet", index=False)
    fetch = s3fs.S3File._fetch_range

    def note(file, a, b):
        fetched.append(b - a)
        return fetch(file, a, b)

    monkeypatch.setattr(s3fs.S3File, "_fetch_range", note)
    shards = Shards.from_folder(f"{bucket}/wide", columns=["z7", "z3"])
    assert all_of(shards).d == 2
    size = s3fs.S3FileSystem().info(f"{bucket}/wide/0.parquet")["size"]
    assert 2 * 8 * 20_000 < sum(fetched) < size / 5


def test_a_worker_that_reads_parquet_does_not_load_pandas(tmp_path, data):
    (tmp_path / "shards").write_bytes(pickle.dumps(written(data, tmp_path)))
    reading = (
        "import pickle, sys; shards = pickle.load(open(sys.argv[1], 'rb'));"
        "print(sum(1 for shard in shards for _ in shard.blocks()), 'pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", reading, tmp_path / "shards"]
    assert subprocess.run(command, capture_output=True, text=True).stdout.split() == ["1", "False"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,label\n1,yes\n2,\n3,no\n", "row 1: label is missing"),
        ("x,label\n1,yes\n,no\n", "row 1: x is missing"),
        ("x,label\n9007199254740993,yes\n1,no\n", "float64 may not hold"),
        ("x,label\n" + "1,yes\n" * 300_000 + "red,yes\n", "invalid value 'red'"),
        ("größe,label\n1,yes\n".encode("latin-1"), "0.csv cannot be read: 'utf-8' codec"),
        ("", "0.csv cannot be read: .*Empty CSV file"),
        ("x;label\n1;yes\n", "0.csv has no column 'label'; it has x;label"),
    ],
)
def test_csv_files_that_are_not_as_they_should_be(tmp_path, text, said):
    (tmp_path / "0.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=said):
        all_of(Shards.from_folder(tmp_path, positive="yes"))


def test_a_description_is_small_whatever_the_files_hold(tmp_path):
    shards = written(Dataset(np.ones((10**5, 3)), np.ones(10**5)), tmp_path, 8)
    assert len(pickle.dumps(shards)) < 5000
    assert pickle.loads(pickle.dumps(shards)) == shards
    assert repr(shards) == "Shards(n=100000, d=3: 8 of 12500)"


@pytest.mark.parametrize("names", [("spam", "ham"), (1, 0), (True, False), (2.5, 1.0)])
def test_labels_of_other_names(tmp_path, data, names):
    table = frame(data).assign(label=[names[0] if y > 0 else names[1] for y in data.y])
    for labels in (table["label"], table["label"].astype("category")):
        table.assign(label=labels).to_parquet(tmp_path / "0.parquet")
        assert all_of(Shards.from_folder(tmp_path, positive=names[0])) == data


def test_a_positive_label_must_occur(tmp_path, data):
    table = frame(data).assign(label=np.where(data.y > 0, "yes", "no"))
    table.sort_values("label").to_parquet(tmp_path / "0.parquet", index=False)
    Shards.from_folder(tmp_path, positive="yes")  # which only the last ones are
    said = "positive is 'ja', which no label is; the labels are 'no', 'yes'"
    refuses(ValueError, said, Shards.from_folder, tmp_path, positive="ja")
    refuses(TypeError, "positive= says which one is +1", Shards.from_folder, tmp_path)
    frame(data).to_parquet(tmp_path / "0.parquet")
    said = "positive is '1', which no label is; the labels are "
    refuses(ValueError, said, Shards.from_folder, tmp_path, positive="1")


# ------------------------------------------------------------------------- clear sentences


def failing(make, kind=ValueError):
    with pytest.raises(kind) as caught:
        all_of(make(), rows=10)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
def test_a_bad_number_is_named_with_file_and_row(tmp_path, data, bad):
    points = data.points.copy()
    points[77, 1] = bad
    columns = {"a": points[:, 0], "b": points[:, 1], "label": data.y}
    pq.write_table(pa.table(columns), tmp_path / "0.parquet", row_group_size=50)
    assert failing(lambda: Shards.from_folder(tmp_path)) == (
        f"{tmp_path}/0.parquet, row 77: b is {bad}; expected a finite number of size at most 1e+151"
    )


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_numbers_that_float64_does_not_hold_are_refused(tmp_path, data, kind):
    whole = np.zeros(data.n, dtype=kind)
    whole[77] = 2**53
    frame(data).assign(x1=whole).to_parquet(tmp_path / "0.parquet")
    assert all_of(Shards.from_folder(tmp_path)).points[77, 1] == 2**53
    whole[78] = 2**53 + 1
    frame(data).assign(x1=whole).to_parquet(tmp_path / "0.parquet")
    said = "0.parquet, row 78: x1 is 9007199254740993; float64 does not hold it"
    assert said in failing(lambda: Shards.from_folder(tmp_path))


def test_a_bad_label_is_named_with_file_and_row_and_a_way_out(tmp_path, data):
    row = int(np.argmax(data.y < 0))
    frame(data).assign(label=(data.y > 0).astype(int)).to_parquet(tmp_path / "0.parquet")
    said = failing(lambda: Shards.from_folder(tmp_path))
    assert f"0.parquet, row {row}: the label is 0; labels must be -1 or +1: with positive=1" in said
    assert all_of(Shards.from_folder(tmp_path, positive=1)) == data
    frame(data).assign(label=data.y * 1.5).to_parquet(tmp_path / "0.parquet")
    assert "the label is" in failing(lambda: Shards.from_folder(tmp_path))
    labels = np.where(np.arange(data.n) == 60, np.nan, data.y)
    frame(data).assign(label=labels).to_parquet(tmp_path / "0.parquet")
    assert "row 60: label is missing" in failing(lambda: Shards.from_folder(tmp_path, positive=1))
    pq.write_table(pa.table({"x": data.points[:, 0], "label": labels}), tmp_path / "0.parquet")
    said = "row 60: the label is missing"  # not a number, but no gap either
    assert said in failing(lambda: Shards.from_folder(tmp_path, positive=1))


def test_files_that_are_damaged_gone_or_others_than_before(tmp_path, data):
    file = tmp_path / "0.parquet"
    shards, whole = written(data, tmp_path), file.read_bytes()
    damaged = f"{file} cannot be read"
    for cut in (3, 500):
        file.write_bytes(whole[:-cut])
        assert damaged in failing(lambda: Shards.from_folder(tmp_path))
    file.write_bytes(whole[:4] + bytes(396) + whole[400:])  # one page of it
    assert damaged in failing(lambda: Shards.from_folder(tmp_path))
    assert "0.parquet has changed since" in failing(lambda: shards)
    file.unlink()
    assert "0.parquet" in failing(lambda: shards, FileNotFoundError)


def test_files_that_change_after_the_look_are_refused(tmp_path, data):
    file, changed = tmp_path / "0.parquet", "0.parquet has changed since the shards were made"
    shards, before = written(data, tmp_path), file.stat()
    frame(data).rename(columns={"x1": "y1"}).to_parquet(file, index=False)  # of the same size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    refuses(ValueError, changed, all_of, shards)
    shards = written(data, tmp_path)
    reading = shards[0].blocks(rows=10)
    next(reading)
    with open(file, "r+b") as some:  # while it is read
        some.seek(200)
        some.write(b"7")
    refuses(ValueError, "0.parquet", list, reading)


def test_the_index_of_a_table_is_no_coordinate(tmp_path, data):
    kept = np.arange(data.n) % 3 > 0
    some, expected = frame(data)[kept], data[np.flatnonzero(kept)]
    for table, name in ((some, "__index_level_0__"), (some.assign(id=7).set_index("id"), "id")):
        table.to_parquet(tmp_path / "0.parquet")
        with pytest.warns(UserWarning, match=f"'{name}' is the index of a pandas table; left out"):
            assert all_of(Shards.from_folder(tmp_path)) == expected


@pytest.mark.parametrize(
    ("column", "kind", "said"),
    [
        (["red"] * 103, TypeError, "column 'c' is "),
        ([Decimal("1.5")] * 103, TypeError, "expected integers, floats or booleans"),
        ([1.0] * 102 + [None], ValueError, "row 102: c is missing"),
        (pd.array([1] * 102 + [None], dtype="Int64"), ValueError, "row 102: c is missing"),
    ],
)
def test_a_column_of_text_or_with_gaps(tmp_path, data, column, kind, said):
    frame(data).assign(c=column).to_parquet(tmp_path / "0.parquet")
    assert said in failing(lambda: Shards.from_folder(tmp_path), kind)


def test_columns_that_are_not_as_they_should_be(tmp_path, data):
    table = frame(data)
    for twice in (["a", "a", "label"], ["a", "label", "label"]):
        pq.write_table(pa.table(table).rename_columns(twice), tmp_path / "0.parquet")
        said = f"0.parquet has several columns {twice[1]!r}; expected one of each name"
        refuses(ValueError, said, Shards.from_folder, tmp_path)
    table.to_parquet(tmp_path / "0.parquet")
    said = "0.parquet has no column 'y'; it has x0, x1, label"
    refuses(ValueError, said, Shards.from_folder, tmp_path, label="y")
    refuses(ValueError, "no column 'z'; it has", Shards.from_folder, tmp_path, columns=["z"])
    for odd in (["x0", "label"], ["x0", "x0"]):
        refuses(ValueError, "expected each once, and", Shards.from_folder, tmp_path, columns=odd)
    table.rename(columns={"x1": "c"}).to_parquet(tmp_path / "1.parquet")
    refuses(ValueError, "they differ in c, x1", Shards.from_folder, tmp_path)


def test_what_cannot_be_shards(tmp_path):
    data, split = li_hang(), Shards.split
    for kind, words, call, *arguments in (
        (ValueError, "count is 4, but data has 3 samples", split, data, 4),
        (ValueError, "count is 0", split, data, 0),
        (ValueError, "the sizes add up to 2; expected 3", split, data, [1, 1]),
        (TypeError, "data is a list", split, [[1]], 1),
        (ValueError, "has no file whose name ends in .parquet", Shards.from_folder, tmp_path),
        (FileNotFoundError, "nowhere", Shards.from_folder, tmp_path / "nowhere"),
    ):
        refuses(kind, words, call, *arguments)
    refuses(ValueError, "rows is 0", list, split(data, 1)[0].blocks(rows=0))


# -------------------------------------------------------------------------------- the place


def test_one_file_or_a_folder_of_csv_will_do_by_path_home_or_address(tmp_path, data, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    table = frame(data)
    table.to_parquet(tmp_path / "one.parquet", index=False)
    (tmp_path / "csv").mkdir()
    for k, part in enumerate((table[:40], table[40:])):
        part.to_csv(tmp_path / "csv" / f"{k}.csv", index=False)
    for path in ("one.parquet", "csv"):
        for given in (tmp_path / path, f"~/{path}", f"file://{tmp_path / path}"):
            assert all_of(Shards.from_folder(given)) == data
    assert len(Shards.from_folder(tmp_path / "csv")) == 2
    with pytest.raises(FileNotFoundError, match="two slashes"):
        Shards.from_folder("s3:/bucket/folder")


@pytest.mark.parametrize("on", [3, "nobody", object()])
def test_what_is_no_place(on, data):
    kind = ClusterError if isinstance(on, str) else TypeError
    with pytest.raises(kind, match=r"on is|no scheduler answers at nobody"):
        each(len, Shards.split(data, 2), on=on)


@pytest.mark.parametrize("module", ["distributed", "pyarrow"])
def test_a_missing_module_is_named_with_what_brings_it(module, tmp_path, monkeypatch):
    (tmp_path / "0.parquet").touch()
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"{module}.parquet", raising=False)
    calls = {
        "distributed": lambda: each(len, (), on="tcp://127.0.0.1:1"),
        "pyarrow": lambda: Shards.from_folder(tmp_path),
    }
    with pytest.raises(ImportError, match=rf"{module} is not installed"):
        calls[module]()


# ------------------------------------------------------------------------------- the memory

PEAK = """
import sys
from pathlib import Path
from perceptron_notes.scale import Shards, error_counts_over

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) >> 10

shards = Shards.from_folder(sys.argv[1])
before = peak()
error_counts_over([[0.0] * (shards.d + 1)], shards)
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
