"""Where work on shards is done: in this process, or by the workers of a Dask cluster.

A place asks the same of every shard and returns the answers in the order of the shards. What is
asked is a function of the shard and of arguments, and of nothing else; so it does not matter where
and how often it runs, and what a lost worker had not finished is simply done again elsewhere.
"""

from __future__ import annotations

import time
from asyncio import CancelledError as Cancelled
from asyncio import run_coroutine_threadsafe
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias, TypeVar
from uuid import uuid4

__all__ = ["ClusterError", "Here", "Place", "There", "at", "lacking"]

_R = TypeVar("_R")

#: How many seconds a scheduler may take to answer, and a cluster may be without a worker.
_PATIENCE = 25.0
#: How often to look whether all is well while nothing comes back, in seconds.
_BEAT = 0.5


class ClusterError(RuntimeError):
    """A cluster cannot do what was asked of it; the message says what is wrong, and what helps."""


class Here:
    """Within this process: one shard after the other."""

    def each(self, task: Callable[..., _R], shards: Iterable[Any], *arguments: Any) -> list[_R]:
        """Return the answers of all shards, in their order."""
        return [task(shard, *arguments) for shard in shards]

    def run(self, function: Callable[..., _R], *arguments: Any) -> _R:
        """Return what the function returns."""
        return function(*arguments)


class There:
    """The workers of a cluster, which keep samples for as long as this place is used.

    What a lost worker had, Dask has done again. No task is bound to a worker, because Dask would
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
        """Return the answers of all shards, in their order, whoever gives them and when."""
        asked = list(shards)
        # Of many tasks of one name Dask may take it that they make samples, and give them to
        # whoever is least busy: so those of each round have a name of their own.
        name = f"on_shard-{uuid4().hex}"
        with self.in_one_sentence():
            kept = [self.keep(shard.source) for shard in asked]
            bare = [s if k is None else s.at(None) for s, k in zip(asked, kept, strict=True)]
            given = [task] * len(asked), bare, kept, [arguments] * len(asked)
            keys = [(name, k) for k in range(len(asked))]
            futures = self.client.map(_on_shard, *given, key=keys, pure=False)
        return self.answers(futures)

    def keep(self, source: Any) -> Any:
        """Return the future of samples that workers keep; None of what is read each time."""
        if id(source) not in self.kept:
            self.kept[id(source)] = source, source.sent(self.client)
        return self.kept[id(source)][1]

    def run(self, function: Callable[..., _R], *arguments: Any) -> _R:
        """Return what the function returns on one of the workers."""
        with self.in_one_sentence():
            future = self.client.submit(_on_worker, function, *arguments, pure=False)
        (answer,) = self.answers([future])
        return answer

    def answers(self, futures: Sequence[Any]) -> list[Any]:
        """Return the answers of tasks, for as long as there is anybody to give them."""
        loop = self.client.loop.asyncio_loop
        with self.in_one_sentence():
            try:
                gathered = self.client.gather(list(futures), asynchronous=True)
                answers = run_coroutine_threadsafe(gathered, loop)
                while not wait([answers], _BEAT).done:
                    self.wait_for_workers()
                return answers.result()
            finally:  # nobody goes on with what is no longer wanted
                late = [future for future in futures if not future.done()]
                if late and self.client.status == "running":
                    run_coroutine_threadsafe(self.client.cancel(late, asynchronous=True), loop)

    def wait_for_workers(self) -> None:
        """Wait until there is a worker, but not for ever."""
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
        """Return how often Dask has ended a worker because its memory was full."""
        return len(self.call(partial(self.client.scheduler.events, topic="worker-restart-memory")))

    def why(self) -> str:
        """Say what workers died of, and what helps."""
        times = self.filled()
        ended = f"Dask ended {times} of them because their memory was full"
        cause = ended if times else "most likely they lack memory"
        return f"{cause}: a larger memory_limit, smaller row groups or fewer columns help"

    def call(self, function: Callable[..., Any]) -> Any:
        """Return what the scheduler says."""
        return self.client.sync(function, callback_timeout=_PATIENCE)

    @contextmanager
    def in_one_sentence(self) -> Iterator[None]:
        """Say what went wrong with the cluster in a sentence; errors of a task pass as they are."""
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


#: Where work is done.
Place: TypeAlias = Here | There


def _on_shard(task: Callable[..., _R], shard: Any, kept: Any, arguments: tuple[Any, ...]) -> _R:
    """Do a task on a worker, with the samples that it keeps if it keeps some."""
    return _on_worker(task, shard if kept is None else shard.at(kept), *arguments)


def _on_worker(function: Callable[..., _R], *arguments: Any) -> _R:
    """Do something on a worker; a file that only this worker lacks is said to lack there."""
    from distributed import get_worker

    try:
        return function(*arguments)
    except OSError as error:
        raise ClusterError(f"worker {get_worker().address}: {error}") from None


# ----------------------------------------------------------------------------------- where


@contextmanager
def at(on: Any = None) -> Iterator[Place]:
    """Open the place that `on` names, for as long as work is done there.

    Parameters
    ----------
    on : None, distributed.Client, cluster, str or Place, optional
        None is this process. A cluster is an object such as ``LocalCluster``; a string is the
        address of a scheduler. A place that is already open is used as it is.

    Yields
    ------
    Place
        It can be passed as `on`, so that samples stay with the workers from one call to the next.
        ``place.each(task, shards, *arguments)`` returns ``task(shard, *arguments)`` of all shards,
        in their order. What is sent along should be small, such as weights. The task must depend on
        nothing else and change nothing: if a worker is lost, others do its work. One that hangs is
        lost after Dask's ``distributed.scheduler.worker-ttl``, 5 minutes as Dask comes.

    Raises
    ------
    TypeError
        If `on` is none of these.
    ClusterError
        If no scheduler answers at the address; and while work is done, if the cluster cannot do it:
        no worker, no scheduler, workers that die of a shard, or one that lacks a module or a file.
        Other exceptions of a task are passed on unchanged.

    References
    ----------
    Dean, J. and Ghemawat, S., "MapReduce: simplified data processing on large clusters",
    *OSDI* 2004.

    Examples
    --------
    >>> from perceptron_notes.datasets import li_hang
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
    """Return a client of our own."""
    try:
        from distributed import Client
    except ImportError:
        raise lacking("distributed") from None
    try:
        return Client(on, set_as_default=False, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at {on}: {error}") from error


def lacking(module: str) -> ImportError:
    """Return what to say when a module of the extra is missing."""
    return ImportError(
        f"{module} is not installed; `pip install 'perceptron_notes[scale]'` brings it", name=module
    )
