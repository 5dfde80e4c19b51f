"""Helpers of the tests of shards: samples in Parquet files, and a task for every shard."""

import numpy as np
import pandas as pd

from perceptron_notes.scale import Shards, at


def frame(data):
    """The samples as a table with the columns x0, x1, … and label."""
    return pd.DataFrame({f"x{j}": x for j, x in enumerate(data.points.T)} | {"label": data.y})


def written(data, folder, count=1):
    """Return shards of this many files."""
    for k, rows in enumerate(np.array_split(np.arange(data.n), count)):
        frame(data).iloc[rows].to_parquet(folder / f"{k}.parquet", index=False)
    return Shards.from_folder(folder)


def cuts(data):
    """The samples in one shard, in a few, in many, and each in a shard of its own."""
    return [Shards.split(data, count) for count in sorted({1, 3, 7, data.n}) if count <= data.n]


def each(task, shards, *arguments, on=None):
    """Return the results of a task for every shard."""
    with at(on) as place:
        return place.each(task, shards, *arguments)
