"""Data beyond one machine: shards, and workers that learn from them.

Without a cluster everything runs in this process. The extra `scale` brings what a cluster and
Parquet files need: ``pip install 'perceptron_notes[scale]'``.
"""

from perceptron_notes.scale.cluster import ClusterError, at, each
from perceptron_notes.scale.shards import Block, Shard, Shards

__all__ = ["Block", "ClusterError", "Shard", "Shards", "at", "each"]
