"""Data beyond one machine: shards, and workers that learn from them.

Without a cluster everything runs in this process. The extra ``scale`` installs what a cluster and
Parquet files need: ``pip install 'perceptron_notes[scale]'``.
"""

from perceptron_notes.scale.cluster import ClusterError, at
from perceptron_notes.scale.counting import (
    AveragedEpoch,
    AveragedMixing,
    PocketOver,
    average_mixing,
    error_counts_over,
    pocket_over,
)
from perceptron_notes.scale.mixing import Epoch, Mixing, mixable, mixing
from perceptron_notes.scale.proving import MixingLedger, MixingRow, mixing_ledger
from perceptron_notes.scale.separating import Separation, separate_over
from perceptron_notes.scale.shards import Shard, Shards

__all__ = [
    "AveragedEpoch",
    "AveragedMixing",
    "ClusterError",
    "Epoch",
    "Mixing",
    "MixingLedger",
    "MixingRow",
    "PocketOver",
    "Separation",
    "Shard",
    "Shards",
    "at",
    "average_mixing",
    "error_counts_over",
    "mixable",
    "mixing",
    "mixing_ledger",
    "pocket_over",
    "separate_over",
]
