"""Grade on the workers of a Dask cluster, each in the sandbox of its own machine.

A worker gets the master once, and of each submission the cells of code and the seeds of its data:
no name, and never the secret. What it says is looked at before it is believed. A worker that is
lost or refused costs nobody anything: its submissions go to another, with the same seeds.
"""

from __future__ import annotations

import asyncio
import json
import logging
import platform
import secrets
import warnings
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib import metadata
from multiprocessing import current_process
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

import numpy as np

from perceptron_classroom.grading import batch, doctor, journal
from perceptron_classroom.grading.batch import NOTHING, Class
from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.sandbox import Refused, Sandbox, gather_fonts
from perceptron_classroom.grading.submission import (
    REMARK,
    REMARKS,
    REPORT,
    STATUSES,
    Graded,
    Paper,
    prepared,
    unmarked,
)
from perceptron_classroom.grading.terminal import install
from perceptron_classroom.inside.calls import clean, hear
from perceptron_classroom.problem_sets import ProblemSet, own_checks, read

__all__ = ["Cluster", "Lost"]

#: Seconds between two looks at the workers; to connect; for any answer; to disconnect.
TICK, CONNECT, ANSWER, FAREWELL = 0.5, 15, 20, 5
#: Seconds that a worker may take to get ready; that the grader waits for one; after which an idle
#: worker cleans up.
READY, WAIT, IDLE = 180, 60, 60
#: After so many workers were lost with a submission, it is suspected.
LOSSES = 3
#: Characters and values of the longest answer of a worker.
LONGEST, VALUES = 10_000_000, 100_000
#: Seconds; nobody grades one notebook for longer.
DAY = 86_400


class Lost(Refused):
    """The cluster went away; what has been graded stays."""


# ------------------------------------------------------------------------------ on a worker


class Room:
    """What a worker keeps for a run: the master, and processes that grade.

    They are those of the pool, so that what a notebook does to one costs no other, and end with
    the worker's own process.
    """

    def __init__(self, kit: dict[str, Any], place: str) -> None:
        self.folder = TemporaryDirectory(prefix="grading-", dir=place)
        for name, text in kit["files"].items():
            path = Path(self.folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        shelter = Sandbox(seconds=kit["processor"], fonts=gather_fonts())
        if (seen := shelter.exposed(Path(place))) is not None:
            raise Refused(f"{place}, where Dask keeps files, lies in {seen}, which students see")
        self.group = Class(Path(self.folder.name, kit["master"]), b"", shelter, kit["seconds"])
        read(self.group.master)  # its own checks may need packages that are missing here
        # As a daemon this process could not start others; they end with it all the same.
        current_process().daemon = False
        self.idle: list[batch.Worker] = []
        self.busy: list[batch.Worker] = []
        self.lock, self.closed, self.used = Lock(), Event(), monotonic()
        Thread(target=self.watch, daemon=True).start()

    def grade(self, paper: Paper) -> Graded | str | Refused:
        """Return the result, or why there is none; see `batch.attempt`."""
        with self.lock:
            worker = self.idle.pop() if self.idle else batch.Worker(self.group)
            self.busy.append(worker)
        answer: Any = batch.too_long(self.group)
        worker.give(paper, 0)
        if worker.line.poll(batch.most(self.group)):
            answer = worker.answer()
        with self.lock:
            self.busy.remove(worker)
            self.used = monotonic()
            if isinstance(answer, Graded) and not self.closed.is_set():
                self.idle.append(worker)
                return answer
        worker.close()
        return answer

    def watch(self) -> None:
        """Put everything away when nobody asks for it any more."""
        while not self.closed.wait(TICK):
            if not self.busy and monotonic() > self.used + IDLE:
                self.close()

    def close(self) -> None:
        """End the processes; those at work are closed by who waits for them."""
        self.closed.set()
        with self.lock:
            idle, self.idle = self.idle, []
            for worker in self.busy:
                worker.stop()
        for worker in idle:
            worker.close()
        self.folder.cleanup()


#: The runs that this worker takes part in.
ROOMS: dict[str, Room] = {}


def admit(run: str, kit: dict[str, Any]) -> str:
    """Get ready for a run, or say why this worker cannot; as JSON, like all that it says."""
    why = lack(kit)
    if not why:
        try:
            from distributed import get_worker

            ROOMS[run] = Room(kit, get_worker().local_directory)
        except (OSError, ValueError, Refused) as error:
            why = str(error)
    return json.dumps({"refused": why} if why else {"ready": True})


def lack(kit: dict[str, Any]) -> str:
    """Say what keeps this worker from grading, as the doctor finds it; or nothing."""
    here: dict[str, str] = versions()
    unlike = [
        f"{name} {here.get(name)} (the grader has {version})"
        for name, version in kit["versions"].items()
        if here.get(name) != version
    ]
    if unlike:
        return f"it has {' and '.join(unlike)}"
    sign = next((sign for sign in doctor.examine() if sign.good is False), None)
    if sign is not None:
        return f"{sign.what}. {sign.advice}".rstrip(". ")
    return ""


def work(run: str, code: tuple[str, ...], seeds: dict[str, int]) -> str:
    """Grade a submission."""
    room = ROOMS.get(run)
    if room is None or room.closed.is_set():
        return json.dumps({"stranger": True})
    answer = room.grade(Paper(tuple(code), seeds))
    if isinstance(answer, Graded):
        return json.dumps({"graded": asdict(answer)})
    return json.dumps({"refused" if isinstance(answer, Refused) else "failed": str(answer)})


def leave(run: str) -> None:
    """Put away what a run needed."""
    if room := ROOMS.pop(run, None):
        Thread(target=room.close, daemon=True).start()


# ------------------------------------------------------------------------------ what is sent


def versions() -> dict[str, str]:
    """Return what must be the same for the same marks; the package, down to its sources."""
    return {
        "perceptron_notes": f"{metadata.version('perceptron_notes')}+{journal.grader().hex()[:8]}",
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "numpy": np.__version__,
    }


def kit_of(group: Class) -> dict[str, Any]:
    """Return what a worker needs to take part in a run; a submission adds its `Paper`."""
    own = own_checks(group.master)
    names = {group.master.name: group.master}
    if own is not None:
        with suppress(ValueError):
            names[str(own.resolve().relative_to(group.master.parent.resolve()))] = own
        if own not in names.values():
            raise Refused(f"{own} lies outside of the master's folder, and cannot be sent on")
    return {
        "master": group.master.name,
        "files": {name: path.read_bytes() for name, path in names.items()},
        "seconds": group.seconds,
        "processor": group.sandbox.seconds,
        "versions": versions(),
    }


def heard(text: Any, problems: ProblemSet, mine: Graded) -> Graded:
    """Return the result that a worker sent, as far as it can be one; a `ValueError` if it cannot.

    Seeds are the grader's own, points are in bounds, and texts are no longer than they may be.
    """
    try:
        said = journal.result(text)
        mine.status = STATUSES[STATUSES.index(said.status)]
        mine.remarks = [clean(remark, REMARK) for remark in said.remarks[:REMARKS]]
        mine.seconds = within(said.seconds, DAY)
        for question in problems.questions:
            if question.check is None:
                continue
            own, theirs = mine.questions[question.id], said.questions[question.id]
            if theirs["seed"] != own["seed"]:
                raise ValueError("a seed of its own")
            own["points"] = within(theirs["points"], question.points)
            for name, most in (("sentence", REMARK), ("report", REPORT)):
                if name in theirs:
                    own[name] = clean(theirs[name], most)
            if "slips" in theirs:
                known = [slip.name for slip in question.check.slips]
                own["slips"] = [known[known.index(name)] for name in theirs["slips"]]
            for part, criterion in enumerate(own.get("criteria", ())):
                earned = theirs["criteria"][part]["earned"]
                criterion["earned"] = within(earned, criterion["points"])
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return mine


def within(number: Any, most: float) -> Any:
    """Return a number from 0 to the most, or none; a `ValueError` for what else may come."""
    if number is not None and not (type(number) in (int, float) and 0 <= number <= most):
        raise ValueError(f"{number!r} where 0 to {most} was expected")
    return number


# ------------------------------------------------------------------------------ the grader


@dataclass
class Task:
    """What a worker was asked: to judge a submission, or, without one, to get ready."""

    future: Any
    address: str
    until: float
    this: Submission | None = None
    mine: Graded = field(default_factory=Graded)


class Cluster:
    """The workers of a Dask scheduler, and who of them grades what.

    `tell` is called with a sentence on each worker that is refused. `Refused` is raised if there is
    no scheduler at `address`, or no Dask here.
    """

    def __init__(self, address: str, group: Class, tell: Callable[[str], None]) -> None:
        self.address, self.tell, self.run = address, tell, secrets.token_hex(8)
        self.problems, self.kit = read(group.master), kit_of(group)
        self.client = connect(address)
        self.there: dict[str, int] = {}  # all workers, and how many threads each has
        self.fit: set[str] = set()
        self.refused: set[str] = set()
        self.tasks: dict[str, Task] = {}
        self.done: SimpleQueue[str] = SimpleQueue()
        self.tried: dict[Submission, set[str]] = defaultdict(set)
        self.since = monotonic()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.tasks.clear()
        if self.client.status == "running":
            farewell = Thread(target=self.farewell, daemon=True)
            farewell.start()
            farewell.join(FAREWELL)
        with suppress(Exception):
            self.client.close(timeout=FAREWELL)

    def farewell(self) -> None:
        """Have the workers put everything away, also those that are at work."""
        with suppress(Exception):
            self.client.run(leave, self.run, on_error="ignore")

    def share(
        self, group: Class, waiting: deque[Submission], jobs: int
    ) -> Iterator[tuple[Submission, Graded | str]]:
        """Grade submissions on the workers; see `batch.Share`."""
        losses: Counter[Submission] = Counter()
        while waiting or self.papers():
            for this, result in self.news():
                losses[this] += result is None
                if result is not None:
                    yield this, result
                elif losses[this] < LOSSES:
                    waiting.appendleft(this)
                else:
                    yield this, f"{LOSSES} workers were lost while they graded this notebook"
            while waiting and self.papers() < jobs and (free := self.free(waiting[0])):
                this = waiting.popleft()
                paper = self.paper(this, group)
                if not isinstance(paper, Paper):
                    yield this, paper
                    continue
                task = Task(None, free, batch.most(group) + ANSWER, this)
                if this != NOTHING:
                    task.mine = unmarked(self.problems, paper.seeds)
                self.tried[this].add(free)
                self.ask(task, work, self.run, paper.code, paper.seeds)

    def paper(self, this: Submission, group: Class) -> Paper | Graded | str:
        """Return what a worker must know of a submission: all but the secret."""
        if this == NOTHING:
            return Paper()
        try:
            return prepared(self.problems, this.paths[0], this.student, group.secret)
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def papers(self) -> int:
        """Return how many submissions are being graded."""
        return sum(task.this is not None for task in self.tasks.values())

    def free(self, this: Submission) -> str | None:
        """Return a worker with an idle thread, if any; rather one that has not tried this."""
        load = Counter(task.address for task in self.tasks.values())
        idle = {each: self.there[each] - load[each] for each in self.fit}
        rank = {each: (each not in self.tried[this], n) for each, n in idle.items() if n > 0}
        return max(rank, key=rank.__getitem__, default=None)

    def ask(self, task: Task, function: Callable[..., str], *arguments: Any) -> None:
        """Have a worker, and no other, call a function."""
        task.until += monotonic()
        task.future = self.client.submit(function, *arguments, workers=[task.address], pure=False)
        self.tasks[task.future.key] = task
        task.future.add_done_callback(lambda future: self.done.put(future.key))

    def news(self) -> Iterator[tuple[Submission, Graded | str | None]]:
        """Yield what has come of submissions since the last look; `None` for what to send again."""
        self.look()
        for key, task in list(self.tasks.items()):
            if task.address in self.there and monotonic() > task.until:
                self.refuse(task.address, "it has not answered in time")
            if task.address not in self.there or task.address in self.refused:
                del self.tasks[key]
                task.future.cancel()
                if task.this is not None:
                    yield task.this, None
        with suppress(Empty):
            key = self.done.get(timeout=TICK)
            while True:
                if (done := self.tasks.pop(key, None)) is not None:
                    result = self.answer(done)
                    if done.this is not None:
                        yield done.this, result
                key = self.done.get_nowait()

    def look(self) -> None:
        """See who is there, and ask those who are new to get ready."""
        try:
            if self.client.status != "running":
                raise OSError("the connection broke")
            self.there = self.client.sync(self.client.scheduler.ncores, callback_timeout=ANSWER)
        except (OSError, RuntimeError) as error:
            why = str(error) or "it does not answer"
            raise Lost(
                f"the scheduler {self.address} is gone ({why}); give the same command again to go "
                "on"
            ) from error
        self.fit &= self.there.keys()
        self.refused &= self.there.keys()
        asked = {task.address for task in self.tasks.values()}
        for address in self.there.keys() - asked - self.fit - self.refused:
            self.ask(Task(None, address, READY), admit, self.run, self.kit)
        if self.fit or self.tasks:
            self.since = monotonic()
        elif self.refused:
            raise Lost(f"no worker of {self.address} can grade; above stands what each one lacks")
        elif monotonic() > self.since + WAIT:
            raise Lost(
                f"{self.address} has had no worker for {WAIT} seconds; start some, and give the "
                "same command again to go on"
            )

    def refuse(self, address: str, why: str) -> None:
        """Ask nothing more of a worker."""
        if address not in self.refused:
            self.refused.add(address)
            self.fit.discard(address)
            self.tell(f"{address} is refused: {clean(' '.join(why.split()), REMARK)}")

    def answer(self, task: Task) -> Graded | str | None:
        """Return what came of a submission; `None` if it must be sent again, or if it is none."""
        try:
            if task.future.status == "error":
                error = task.future.exception(timeout=ANSWER)
                if type(error).__name__ == "KilledWorker":
                    return None
                what = f"{type(error).__name__}: {error}".partition("\n")[0]
                raise ValueError(
                    f"the grader's code does not run there ({what}); workers and scheduler need "
                    "the same perceptron_notes"
                )
            said = task.future.result(timeout=ANSWER)
        except ValueError as error:
            self.refuse(task.address, str(error))
            return None
        except Exception:  # cancelled, or lost with its worker
            return None
        return self.believe(task, said)

    def believe(self, task: Task, said: Any) -> Graded | str | None:
        """Read what an answer means, if it is one."""
        try:
            if not isinstance(said, str) or len(said) > LONGEST:
                raise ValueError("text expected")
            match hear(said.encode(), VALUES):
                case {"graded": graded} if task.this is not None:
                    return heard(graded, self.problems, task.mine)
                case {"failed": str(why)} if task.this is not None:
                    return clean(why, REMARK)
                case {"refused": str(why)}:
                    self.refuse(task.address, why)
                case {"ready": True} if task.this is None:
                    self.fit.add(task.address)
                case {"stranger": True}:  # a new process, or one that had cleaned up
                    self.fit.discard(task.address)
                case _:
                    raise ValueError("none of the expected")
        except ValueError as error:
            self.refuse(task.address, f"its answer is none: {error}")
        return None


def connect(address: str) -> Any:
    """Connect to the scheduler, or refuse."""
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise Refused(
            f"--cluster needs Dask; install it with: {install('perceptron_classroom[cluster]')}"
        ) from error
    # Our own sentence replaces what they would log.
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module="distributed")
    client: Any = distributed.Client

    async def knock() -> None:
        """See that a scheduler speaks there; a client would wait for ever for what is silent."""
        caller: Any = distributed.rpc
        security: Any = distributed.Security
        how = security().get_connection_args("client")
        async with asyncio.timeout(CONNECT), caller(address, connection_args=how) as scheduler:
            if (await scheduler.identity()).get("type") != "Scheduler":
                raise ValueError("somebody else does")

    try:
        with ThreadPoolExecutor(1) as other:  # here a loop may be running already
            other.submit(asyncio.run, knock()).result()
        return client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        why = str(error) or f"nothing was heard for {CONNECT} seconds"
        raise Refused(f"no scheduler answers at {address}: {why}") from error
