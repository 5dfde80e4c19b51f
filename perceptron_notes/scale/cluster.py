"""Where work on shards is done: in this process, or by the workers of a Dask cluster.

`each` asks the same of every shard and returns the answers in the order of the shards. What is
asked is a function of the shard and of arguments, and of nothing else; so it does not matter where
and how often it runs, and what a lost worker had not finished is simply done again elsewhere.
"""

from __future__ import annotations

import time
from asyncio import run_coroutine_threadsafe
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias, TypeVar
from uuid import uuid4

__all__ = ["ClusterError", "Here", "Place", "There", "at", "each", "lacking"]

_R = TypeVar("_R")
#: ``progress(done, total)``: told whenever another shard has answered.
_Progress = Callable[[int, int], Any]

#: How many seconds a scheduler may take to answer, a cluster may be without a worker, and a worker
#: may be silent.
_PATIENCE = 25.0
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
    """The workers of a cluster, which keep the samples for as long as this place is used.

    No task is bound to a worker, because Dask would wait for that one even if it never comes back.
    """

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise TypeError("on is an asynchronous Client; expected one that waits for answers")
        self.client = client
        self.kept: dict[int, tuple[Any, Any]] = {}
        self.heard: dict[str, tuple[float, float]] = {}
        self.answered = False
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

        def help_with(k: int, worker: str) -> Any:
            self.kept.pop(id(shards[k].source), None)  # the next time it goes elsewhere
            there = {"workers": worker, "pure": False}
            return self.client.submit(_on_shard, task, shards[k], None, arguments, **there)

        travel = {k for k, shard in enumerate(shards) if shard.source.can_travel}
        with self.in_one_sentence():
            futures = self.ask(task, shards, arguments)
        return self.answers(futures, travel, help_with, progress)

    def run(self, function: Callable[..., _R], *arguments: Any) -> _R:
        """Return what the function returns on one of the workers."""

        def have(k: int = 0, worker: str | None = None) -> Any:
            return self.client.submit(_on_worker, function, arguments, workers=worker, pure=False)

        with self.in_one_sentence():
            future = have()
        (answer,) = self.answers([future], {0}, have)
        return answer

    def ask(
        self, task: Callable[..., _R], shards: Sequence[Any], arguments: tuple[Any, ...]
    ) -> list[Any]:
        """Have a task done for every shard, where its samples are if they are somewhere."""
        bare = [shard.at(None) if shard.source.kept_there else shard for shard in shards]
        settled = self.settled([shard.source for shard in shards])
        everyone = [arguments] * len(shards)
        # Of many tasks of one name Dask may take it that they make samples, and give them to
        # whoever is least busy: so those of each round have a name of their own.
        keys = _names(len(shards))
        futures: list[Any] = self.client.map(
            _on_shard, [task] * len(shards), bare, settled, everyone, key=keys, pure=False
        )
        return futures

    def settled(self, sources: Sequence[Any]) -> list[Any]:
        """Return what workers keep of each source, if it is worth keeping."""
        new = {id(s): s for s in sources if s.kept_there and id(s) not in self.kept}
        made = {i: self.client.compute(s.task) for i, s in new.items() if not s.can_travel}
        sent = [s for i, s in new.items() if i not in made]
        # Each has a name of its own: such tasks are dealt out evenly.
        keys = [name for _ in sent for name in _names(1)]
        futures = self.client.map(_settled, sent, key=keys, pure=False) if sent else []
        made |= {id(s): future for s, future in zip(sent, futures, strict=True)}
        self.kept |= {i: (new[i], future) for i, future in made.items()}
        return [self.kept[id(s)][1] if s.kept_there else None for s in sources]

    def answers(
        self,
        futures: Sequence[Any],
        travel: Container[int] = (),
        help_with: Callable[[int, str], Any] = lambda k, worker: None,
        progress: _Progress | None = None,
    ) -> list[Any]:
        """Return the answers of tasks; each is fetched as soon as it is there.

        When one is late, ``help_with(k, worker)`` has it done once more, if k may `travel`.
        """
        asked, answers = list(enumerate(futures)), dict[int, Any]()
        ready, clock, helpers = SimpleQueue[tuple[int, Any]](), _Clock(), dict[int, str]()

        def expect(k: int, future: Any) -> None:
            answer = self.client.gather(future, asynchronous=True)
            coming = run_coroutine_threadsafe(answer, self.client.loop.asyncio_loop)
            coming.add_done_callback(lambda done: ready.put((k, done)))

        with self.in_one_sentence(), self.cancelling(asked):
            for one in asked:
                expect(*one)
            while len(answers) < len(futures):
                try:
                    k, done = ready.get(timeout=_BEAT)
                except Empty:
                    missing = [k for k in range(len(futures)) if k not in answers]
                    late = clock.is_late()
                    for k, worker in self.idle_for(missing, travel, helpers, late).items():
                        helpers[k] = worker
                        asked.append((k, help_with(k, worker)))
                        expect(*asked[-1])
                    continue
                if k not in answers:
                    answers[k] = done.result()
                    clock.stop()
                    self.answered = True
                    if progress is not None:
                        progress(len(answers), len(futures))
            return [answers[k] for k in range(len(futures))]

    def idle_for(
        self, missing: list[int], travel: Container[int], helpers: dict[int, str], is_late: bool
    ) -> dict[int, str]:
        """Return who can help with what is late, if it is; or raise an error if nobody can."""
        silent = self.wait_for_workers()
        busy = self.call(self.client.scheduler.processing)
        well = busy.keys() - silent
        for worker in silent:
            if not well or (is_late and not all(k in travel for k in missing)):
                raise ClusterError(
                    f"the worker at {worker} has not been heard of for long, and no other one can "
                    "do its work; stop it, or start it again"
                )
        idle = (worker for worker in sorted(well) if not busy[worker])
        wanted = (k for k in missing if k in travel and helpers.get(k) not in well)
        return dict(zip(wanted, idle, strict=False)) if is_late else {}

    def wait_for_workers(self) -> set[str]:
        """Wait until there is a worker; return those that have not been heard of for long."""
        until = time.monotonic() + _PATIENCE
        while not self.call(self.client.scheduler.ncores_running):
            if time.monotonic() > until:
                if self.call(self.client.scheduler.ncores):
                    raise ClusterError(
                        f"all workers of {self.address} are paused; most likely they lack memory: "
                        "smaller shards help"
                    )
                raise ClusterError(
                    f"the cluster of {self.address} has no worker; "
                    f"`dask worker {self.address}` on any machine starts one"
                )
            time.sleep(_BEAT)
        now, workers = time.monotonic(), self.call(self.client.scheduler.identity)["workers"]
        for worker, told in workers.items():
            seen = told["last_seen"]  # by a clock that may not be ours
            if self.heard.get(worker, (None, now))[0] != seen:
                self.heard[worker] = seen, now
        # While a worker loads the modules of its first task, nothing is heard of it.
        most = _PATIENCE if self.answered else 4 * _PATIENCE
        return {worker for worker in workers if now - self.heard[worker][1] > most}

    @contextmanager
    def cancelling(self, asked: list[tuple[int, Any]]) -> Iterator[None]:
        """Have nobody go on with what is no longer wanted."""
        try:
            yield
        finally:
            late = [future for _, future in asked if not future.done()]
            if late and self.client.status == "running":
                answer = self.client.cancel(late, asynchronous=True)
                run_coroutine_threadsafe(answer, self.client.loop.asyncio_loop)

    def call(self, function: Callable[..., Any]) -> Any:
        """Return what the scheduler says."""
        return self.client.sync(function, callback_timeout=_PATIENCE)

    def goes_on(self) -> bool:
        """Tell whether the cluster is there, and not about to end: then its workers go first."""
        time.sleep(1)
        until = time.monotonic() + _PATIENCE
        try:
            while self.client.status == "running" and not self.call(self.client.scheduler.ncores):
                if time.monotonic() > until:
                    return True
                time.sleep(_BEAT)
        except Exception:  # of any kind: the scheduler does not answer
            return False
        return self.client.status == "running"

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
            gone = isinstance(error, CancelledError | Cancelled)
            lost = not getattr(error, "reason", "scheduler").startswith("scheduler")
            if gone and lost and self.goes_on():
                raise ClusterError(
                    "a worker that is gone had samples that nobody can make again; expected data "
                    "that are read or computed, not scattered"
                ) from error
            if not gone and not isinstance(error, OSError) and self.client.status == "running":
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
        usual = _SLOW * self.first + _MORE if self.first else _PATIENCE
        return time.monotonic() - self.latest > usual


def _names(count: int) -> list[tuple[str, int]]:
    """Return the names of some tasks, which for Dask are of one kind, and of no other."""
    kind = f"on_shard-{uuid4().hex}"
    return [(kind, k) for k in range(count)]


def _settled(source: Any) -> Any:
    """Return a source with its samples at hand."""
    return source.settled()


def _on_shard(task: Callable[..., _R], shard: Any, settled: Any, arguments: tuple[Any, ...]) -> _R:
    """Do a task on a worker, with the samples that are there if there are some."""

    def with_samples() -> _R:
        source = shard.source if settled is None else settled
        return task(shard.at(source.settled()), *arguments)

    return _on_worker(with_samples, ())


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
