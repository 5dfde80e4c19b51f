"""Executors of work on shards: this process, or the workers of a Dask cluster.

An executor runs the same task on every shard and returns the results in the order of the shards.
A task is a function of the shard and of arguments, and of nothing else; so it does not matter where
and how often it runs, and the unfinished work of a lost worker is simply repeated elsewhere.
"""

import time
from asyncio import CancelledError as Cancelled
from asyncio import run_coroutine_threadsafe
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypeVar
from uuid import uuid4

__all__ = ["ClusterError", "Here", "Place", "There", "at", "lacking"]

_R = TypeVar("_R")

#: How many seconds a scheduler may take to answer, and a cluster may be without a worker.
_PATIENCE = 25.0
#: The interval, in seconds, at which the workers are checked while no result arrives.
_BEAT = 0.5


class ClusterError(RuntimeError):
    """A cluster cannot do what was asked; the message says what is wrong, and what helps."""


class Here:
    """The executor in this process: one shard after the other."""

    def each(self, task: Callable[..., _R], shards: Iterable[Any], *arguments: Any) -> list[_R]:
        """Return the results of all shards, in their order."""
        return [task(shard, *arguments) for shard in shards]

    def run(self, function: Callable[..., _R], *arguments: Any) -> _R:
        """Return the result of the function."""
        return function(*arguments)


class There:
    """The executor on a cluster, whose workers keep samples as long as it is open.

    Dask repeats the work of a lost worker. No task is bound to a worker, because Dask would
    wait for that one even if it never comes back.
    """

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise TypeError("on is an asynchronous Client; expected one that waits for answers")
        self.client = client
        self.kept: dict[int, tuple[Any, Any]] = {}
        self.met = False
        self.address = getattr(client.scheduler, "address", "?")
        if client.status != "running":
            raise ClusterError(f"the client of {self.address} is {client.status}; make a new one")

    def each(self, task: Callable[..., _R], shards: Iterable[Any], *arguments: Any) -> list[_R]:
        """Return the results of all shards, in their order, whichever worker computes them."""
        asked = list(shards)
        # Dask may take many tasks of the same name for tasks that make samples, and give them to
        # the least busy worker: so the tasks of each round have a name of their own.
        name = f"on_shard-{uuid4().hex}"
        with self.in_one_sentence():
            kept = [self.keep(shard.source) for shard in asked]
            pairs = zip(asked, kept, strict=True)
            bare = [s if k is None else replace(s, source=None) for s, k in pairs]
            given = [task] * len(asked), bare, kept, [arguments] * len(asked)
            keys = [(name, k) for k in range(len(asked))]
            futures = self.client.map(_on_shard, *given, key=keys, pure=False)
        return self.answers(futures)

    def keep(self, source: Any) -> Any:
        """Return the future of samples that workers keep; None if they are read each time."""
        if id(source) not in self.kept:
            self.kept[id(source)] = source, source.sent(self.client)
        return self.kept[id(source)][1]

    def run(self, function: Callable[..., _R], *arguments: Any) -> _R:
        """Return the result of the function on one of the workers."""
        with self.in_one_sentence():
            future = self.client.submit(_on_worker, function, *arguments, pure=False)
        (answer,) = self.answers([future])
        return answer

    def answers(self, futures: Sequence[Any]) -> list[Any]:
        """Return the results of tasks, as long as the cluster can deliver them."""
        loop = self.client.loop.asyncio_loop
        with self.in_one_sentence():
            try:
                gathered = self.client.gather(list(futures), asynchronous=True)
                answers = run_coroutine_threadsafe(gathered, loop)
                while not wait([answers], _BEAT).done:
                    self.wait_for_workers()
                return answers.result()
            finally:  # cancel what is no longer needed
                late = [future for future in futures if not future.done()]
                if late and self.client.status == "running":
                    run_coroutine_threadsafe(self.client.cancel(late, asynchronous=True), loop)

    def wait_for_workers(self) -> None:
        """Wait until there is a worker; raise ClusterError if that takes too long."""
        until = time.monotonic() + _PATIENCE
        while not self.call(self.client.scheduler.ncores_running):
            if time.monotonic() > until:
                if self.call(self.client.scheduler.ncores):
                    raise ClusterError(f"all workers of {self.address} are paused; {self.why()}")
                if self.met or self.filled():
                    raise ClusterError(f"the workers of {self.address} are gone; {self.why()}")
                raise ClusterError(
                    f"the cluster of {self.address} has no worker; "
                    f"`dask worker {self.address}` on any machine starts one"
                )
            time.sleep(_BEAT)
        self.met = True

    def filled(self) -> int:
        """Return how often Dask has restarted a worker because its memory was full."""
        return len(self.call(partial(self.client.scheduler.events, topic="worker-restart-memory")))

    def why(self) -> str:
        """Return the probable reason why workers died, and what helps."""
        times = self.filled()
        ended = f"Dask ended {times} of them because their memory was full"
        cause = ended if times else "most likely they lack memory"
        return f"{cause}: a larger memory_limit, smaller row groups or fewer columns help"

    def call(self, function: Callable[..., Any]) -> Any:
        """Return the scheduler's answer to a request."""
        return self.client.sync(function, callback_timeout=_PATIENCE)

    @contextmanager
    def in_one_sentence(self) -> Iterator[None]:
        """Raise the cluster's errors as one sentence; errors of a task pass unchanged."""
        from distributed import KilledWorker

        try:
            yield
        except KilledWorker as error:
            raise ClusterError(
                f"workers died of the same shard {error.allowed_failures + 1} times, the last at "
                f"{error.last_worker.address}; {self.why()}"
            ) from error
        except ModuleNotFoundError as error:
            raise ClusterError(
                f"a worker has no module {error.name!r}; every worker needs what you use"
            ) from error
        except (Exception, CancelledError, Cancelled) as error:
            gone = isinstance(error, CancelledError | Cancelled)
            if not gone and not isinstance(error, OSError) and self.client.status == "running":
                raise
            raise ClusterError(
                f"the scheduler at {self.address} is gone, or does not answer: "
                f"{type(error).__name__}"
            ) from error


#: An executor of work on shards.
Place: TypeAlias = Here | There


def _on_shard(task: Callable[..., _R], shard: Any, kept: Any, arguments: tuple[Any, ...]) -> _R:
    """Run a task on a worker, with the samples that it keeps, if any."""
    return _on_worker(task, shard if kept is None else replace(shard, source=kept), *arguments)


def _on_worker(function: Callable[..., _R], *arguments: Any) -> _R:
    """Run a function on a worker; name the worker if its file is missing."""
    from distributed import get_worker

    try:
        return function(*arguments)
    except OSError as error:
        raise ClusterError(f"worker {get_worker().address}: {error}") from None


# ----------------------------------------------------------------------------------- where


@contextmanager
def at(on: Any = None) -> Iterator[Place]:
    """Connect to the executor named by `on`, as a context.

    Parameters
    ----------
    on : None, distributed.Client, cluster, str or Place, optional
        None is this process. A cluster is an object such as ``LocalCluster``; a string is the
        address of a scheduler. A Place that is already open is used as it is.

    Yields
    ------
    Place
        It can be passed as `on`, so that samples stay with the workers from one call to the next.
        ``place.each(task, shards, *arguments)`` returns ``task(shard, *arguments)`` for all shards,
        in their order. The arguments should be small, such as weights. The task must depend on
        nothing else and change nothing: if a worker is lost, others repeat its work. One that hangs
        is lost after Dask's ``distributed.scheduler.worker-ttl``, 5 minutes by default.

    Raises
    ------
    TypeError
        If `on` is none of these.
    ClusterError
        If no scheduler answers at the address; or later, if the cluster cannot do the work:
        no worker, no scheduler, workers that die of a shard, or one that lacks a module or a file.
        Other exceptions of a task are passed on unchanged.

    References
    ----------
    Dean, J. and Ghemawat, S., "MapReduce: simplified data processing on large clusters",
    *OSDI* 2004.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, at
    >>> with at(None) as place:
    ...     place.each(len, Shards.split(li_hang(), 2))
    [1, 2]
    """
    if on is None:
        yield Here()
    elif isinstance(on, Place):
        yield on
    elif hasattr(on, "scheduler_address") or isinstance(on, str):
        with _client_of(on) as client:
            yield There(client)
    elif hasattr(on, "submit") and hasattr(on, "scheduler"):
        place = There(on)
        try:
            yield place
        finally:
            place.kept.clear()  # the workers need not keep it any longer
    else:
        expected = "None, a distributed.Client, or the address of a scheduler"
        raise TypeError(f"on is {on!r}; expected {expected}")


def _client_of(on: Any) -> Any:
    """Return a client of our own, connected to the scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise lacking("distributed") from None
    try:
        return Client(on, set_as_default=False, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at {on}: {error}") from error


def lacking(module: str) -> ImportError:
    """Return the ImportError for a missing module of the extra."""
    return ImportError(
        f"{module} is not installed; `pip install 'perceptron_notes[scale]'` brings it", name=module
    )
