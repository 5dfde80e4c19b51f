"""Where work on shards is done: in this process, or by the workers of a Dask cluster.

`each` asks the same of every shard and returns the answers in the order of the shards. What is
asked is a function of the shard and of arguments, and of nothing else; so it does not matter where
and how often it runs, and what a lost worker had not finished is simply done again elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias, TypeVar

__all__ = ["ClusterError", "Here", "Place", "There", "at", "each", "lacking"]

_R = TypeVar("_R")
#: ``progress(done, total)``: told whenever another shard has answered.
_Progress = Callable[[int, int], Any]

#: How many seconds a scheduler may take to answer, and a cluster may be without a worker.
_PATIENCE = 60.0
#: How often to look whether all is well while nothing comes back, in seconds.
_BEAT = 0.5
#: When no answer comes for so many times as long as the first one took, and so many seconds more,
#: idle workers are asked for what is missing.
_SLOW, _MORE = 3.0, 5.0


class ClusterError(RuntimeError):
    """A cluster cannot do what was asked of it; the message says what is wrong, and what helps.

    Examples
    --------
    >>> from perceptron_notes.scale import ClusterError
    >>> issubclass(ClusterError, RuntimeError)
    True
    """


class Here:
    """Within this process: one shard after the other."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[Any, Any]] = {}

    def each(
        self,
        task: Callable[..., _R],
        shards: Iterable[Any],
        *arguments: Any,
        progress: _Progress | None = None,
    ) -> list[_R]:
        """Return the answers of all shards, in their order."""
        asked, answers = list(shards), []
        for shard in asked:
            answers.append(task(self.at_hand(shard), *arguments))
            if progress is not None:
                progress(len(answers), len(asked))
        return answers

    def at_hand(self, shard: Any) -> Any:
        """Return the shard with its samples, if they are worth keeping."""
        source = shard.source
        if not source.kept_here:
            return shard
        if id(source) not in self.kept:
            self.kept[id(source)] = source, source.settled()
        return shard.at(self.kept[id(source)][1])

    def run(self, function: Callable[..., _R], *arguments: Any) -> _R:
        """Return what the function returns."""
        return function(*arguments)


class There:
    """The workers of a cluster, which keep the samples for as long as this place is used."""

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise TypeError("on is an asynchronous Client; expected one that waits for answers")
        self.client = client
        self.kept: dict[int, tuple[Any, Any]] = {}
        self.turn = self.in_turn()
        self.address = getattr(client.scheduler, "address", "?")
        if client.status != "running":
            raise ClusterError(f"the client of {self.address} is {client.status}; make a new one")

    def each(
        self,
        task: Callable[..., _R],
        shards: Iterable[Any],
        *arguments: Any,
        progress: _Progress | None = None,
    ) -> list[_R]:
        """Return the answers of all shards, in their order, whoever gives them and when."""
        shards = list(shards)
        with self.in_one_sentence():
            asked = {future: k for k, future in enumerate(self.ask(task, shards, arguments))}
            ready: dict[int, Any] = {}
            clock, helped = _Clock(), set[int]()
            while asked:
                done = self.wait(list(asked))
                for future in done:
                    if future.status == "error":
                        self.fetch([future])  # which raises it
                    ready.setdefault(asked[future], future)
                    clock.stop()
                    if progress is not None:
                        progress(len(ready), len(shards))
                asked = {future: k for future, k in asked.items() if k not in ready}
                if not done and self.is_well() and clock.is_late():
                    late = sorted(set(asked.values()) - helped)
                    help_coming = self.help(task, shards, arguments, late)
                    helped |= set(help_coming.values())
                    asked |= help_coming
            return self.fetch([ready[k] for k in range(len(shards))])

    def run(self, function: Callable[..., _R], *arguments: Any) -> _R:
        """Return what the function returns on one of the workers."""
        with self.in_one_sentence():
            future = self.client.submit(_on_worker, function, arguments, pure=False)
            while not self.wait([future]):
                self.is_well()
            (answer,) = self.fetch([future])
            return answer

    def in_turn(self) -> Iterator[str]:
        """Yield the workers, once for each of their threads, so that each keeps its share."""
        while True:
            threads = self.call(self.client.scheduler.ncores)
            for k in range(max(threads.values(), default=0)):
                yield from (worker for worker in sorted(threads) if k < threads[worker])
            if not threads:
                self.is_well()

    def ask(
        self, task: Callable[..., _R], shards: Sequence[Any], arguments: tuple[Any, ...]
    ) -> list[Any]:
        """Have a task done for every shard, where its samples are if they are somewhere.

        Only a task that is bound, be it to all workers, goes where its samples are: of others Dask
        may take it that they make samples, and give them to whoever is least busy.
        """
        bare = [shard.at(None) if shard.source.kept_there else shard for shard in shards]
        settled = [self.settled(shard.source) for shard in shards]
        workers = list(self.call(self.client.scheduler.ncores)) or None
        futures: list[Any] = self.client.map(
            _on_shard,
            [task] * len(shards),
            bare,
            settled,
            [arguments] * len(shards),
            pure=False,
            workers=workers,
            allow_other_workers=workers is not None,
        )
        return futures

    def settled(self, source: Any) -> Any:
        """Return what a worker keeps of a source, if it is worth keeping."""
        if not source.kept_there:
            return None
        if id(source) not in self.kept:
            self.kept[id(source)] = source, source.future(self.client, next(self.turn))
        return self.kept[id(source)][1]

    def help(
        self,
        task: Callable[..., _R],
        shards: Sequence[Any],
        arguments: tuple[Any, ...],
        late: list[int],
    ) -> dict[Any, int]:
        """Ask those who have nothing to do for what is late; the first answer will count."""
        busy = self.call(self.client.scheduler.processing)
        idle = [worker for worker, keys in busy.items() if not keys]
        late = [k for k in late if shards[k].source.can_travel]
        return {
            self.client.submit(
                _on_shard, task, shards[k], None, arguments, workers=[worker], pure=False
            ): k
            for worker, k in zip(idle, late, strict=False)
        }

    def wait(self, futures: list[Any]) -> list[Any]:
        """Return those that are done, after a moment in which perhaps none is."""
        from distributed import wait

        try:
            with self.client.as_current():  # wait asks the current client, whose ever it is
                done = wait(futures, timeout=_BEAT, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            return []
        return [future for future in futures if future in done]

    def fetch(self, futures: list[Any]) -> list[Any]:
        """Return the answers of tasks that were done; what has been lost since is done again."""
        gather = partial(self.client.gather, futures, asynchronous=True)
        while True:
            try:
                answers: list[Any] = self.client.sync(gather, callback_timeout=_PATIENCE)
            except TimeoutError:
                self.is_well()
            else:
                return answers

    def is_well(self) -> bool:
        """Wait until the scheduler answers and has a worker, or raise an error."""
        until = time.monotonic() + _PATIENCE
        while not self.call(self.client.scheduler.ncores):
            if time.monotonic() > until:
                raise ClusterError(
                    f"the cluster of {self.address} has no worker; "
                    f"`dask worker {self.address}` on any machine starts one"
                )
            time.sleep(_BEAT)
        return True

    def call(self, function: Callable[..., Any]) -> Any:
        """Return what the scheduler says."""
        return self.client.sync(function, callback_timeout=_PATIENCE)

    @contextmanager
    def in_one_sentence(self) -> Iterator[None]:
        """Say what went wrong with the cluster in a sentence; errors of a task pass as they are."""
        from asyncio import CancelledError as Cancelled
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            yield
        except KilledWorker as error:
            raise ClusterError(
                f"workers died of the same shard {error.allowed_failures + 1} times, the last at "
                f"{error.last_worker.address}; most likely they lack memory: smaller shards help"
            ) from error
        except ModuleNotFoundError as error:
            raise ClusterError(
                f"a worker has no module {error.name!r}; every worker needs what you use"
            ) from error
        except (Exception, CancelledError, Cancelled) as error:
            lost = isinstance(error, CancelledError | Cancelled | OSError)
            if not lost and self.client.status == "running":
                raise
            raise ClusterError(
                f"the scheduler at {self.address} is gone, or does not answer: "
                f"{type(error).__name__}"
            ) from error


#: Where work is done.
Place: TypeAlias = Here | There


class _Clock:
    """How long a shard takes, to know when one is late."""

    def __init__(self) -> None:
        self.latest, self.first = time.monotonic(), 0.0

    def stop(self) -> None:
        """Note that a shard has answered."""
        now = time.monotonic()
        self.first, self.latest = self.first or now - self.latest, now

    def is_late(self) -> bool:
        """Return whether the next answer takes much longer than the first one took."""
        usual = self.first or _PATIENCE  # nobody knows before the first answer
        return time.monotonic() - self.latest > _SLOW * usual + _MORE


def _on_shard(task: Callable[..., _R], shard: Any, settled: Any, arguments: tuple[Any, ...]) -> _R:
    """Do a task on a worker, with the samples that are there if there are some."""
    source = shard.source if settled is None else settled
    return _on_worker(task, (shard.at(source.settled()), *arguments))


def _on_worker(function: Callable[..., _R], arguments: tuple[Any, ...]) -> _R:
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
        Its ``each`` can be called any number of times. It can also be passed as `on`, so that
        samples stay with the workers from one call to the next.

    Raises
    ------
    TypeError
        If `on` is none of these.
    ClusterError
        If no scheduler answers at the address.

    Examples
    --------
    >>> from perceptron_notes.scale import at
    >>> with at(None) as place:
    ...     place.run(max, 3, 5)
    5
    """
    if on is None:
        yield Here()
    elif isinstance(on, Place):
        yield on
    elif hasattr(on, "scheduler_address") or isinstance(on, str):
        with _connected(on) as client:
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


@contextmanager
def _connected(on: Any) -> Iterator[Any]:
    """Open a client of our own."""
    try:
        from distributed import Client
    except ImportError:
        raise lacking("distributed") from None
    try:
        client = Client(on, set_as_default=False, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at {on}: {error}") from error
    with client:
        yield client


def lacking(module: str) -> ImportError:
    """Return what to say when a module of the extra is missing."""
    return ImportError(
        f"{module} is not installed; `pip install 'perceptron_notes[scale]'` brings it", name=module
    )


def each(
    task: Callable[..., _R],
    shards: Iterable[Any],
    *arguments: Any,
    on: Any = None,
    progress: _Progress | None = None,
) -> list[_R]:
    """Do a task for every shard, and collect the answers.

    Parameters
    ----------
    task : callable
        ``task(shard, *arguments)``. It must depend on nothing else and change nothing, so that it
        does not matter where and how often it runs. A cluster pickles it, and what it returns.
    shards : Shards, or some of its shards
        The shards for which it is done.
    *arguments
        What is sent along; small things, such as weights.
    on : None, distributed.Client, cluster, str or Place, optional
        Where it is done, as for `at`.
    progress : callable, optional
        ``progress(done, total)`` is called whenever another shard has answered.

    Returns
    -------
    list
        The answers in the order of the shards. If a worker is lost, others do its work; if one is
        slow, an idle one does the same task, and the first answer counts.

    Raises
    ------
    ClusterError
        If the cluster cannot do it: no worker, no scheduler, workers that die of a shard, or one
        that lacks a module or a file. Other exceptions of the task are passed on unchanged.

    References
    ----------
    Dean, J. and Ghemawat, S., "MapReduce: simplified data processing on large clusters",
    *OSDI* 2004.

    Examples
    --------
    >>> from perceptron_notes.datasets import li_hang
    >>> from perceptron_notes.scale import Shards, each
    >>> each(len, Shards.split(li_hang(), 2))
    [1, 2]
    """
    if not callable(task):
        raise TypeError(f"task is {task!r}; expected a function of a shard")
    with at(on) as place:
        return place.each(task, shards, *arguments, progress=progress)
