"""Workers of a Dask cluster: local processes, or a scheduler that is already there.

A task is a pure function of what it is sent, so that a worker which dies changes nothing: Dask runs it again elsewhere. Whoever waits for
a task holds all that it was made of, and can submit it once more where Dask has given up on it.
"""

from __future__ import annotations

import platform
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from multiprocessing import resource_tracker
from time import perf_counter
from typing import Any
from uuid import uuid4

import dask
from distributed import Client, KilledWorker, LocalCluster, get_worker
from distributed.client import FutureCancelledError

from littlestone._version import __version__
from littlestone.errors import LittlestoneError, Lost, require
from littlestone.protocol.workers import itself

ATTEMPTS = 100  # deaths of workers under one task, after which it is the task that kills them
PATIENCE = 10.0  # seconds in which a scheduler must answer
LOOK = 5.0  # seconds between looks at whether the workers that we started are still there
BANDWIDTH = "1 GB"  # a second, between processes of one machine: what Dask begins with is ten times less
LARGE = "1 TiB"  # what is sent is meant to be
MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": 2**28,
    "MALLOC_MMAP_THRESHOLD_": 2**27,
}  # a worker keeps what it will want again


@cache
def versions() -> dict[str, str]:
    """What must be the same wherever a task may run, or its result may be another."""
    return {"littlestone": __version__, "numpy": version("numpy"), "python": platform.python_version()}


def refuse_other(who: str, theirs: dict[str, str], ours: dict[str, str]) -> None:
    """Refuse a worker by name whose versions are others."""
    other = [f"{name} {theirs.get(name) or 'missing'}, expected {ours[name]}" for name in ours if theirs.get(name) != ours[name]]
    require(not other, f"worker {who}: {'; '.join(other)}: results might differ from one machine to the next")


def checked(ours: dict[str, str], work: Callable[..., Any], *arguments: Any) -> Any:
    """A task, on a worker that may have joined after the others were looked at."""
    refuse_other(get_worker().address, versions(), ours)
    return work(*arguments)


def peak_memory() -> int:
    """The most memory that this process has had, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


@dataclass(eq=False)
class Sent:
    """What was submitted, so that it can be submitted once more."""

    work: Callable[..., Any] | None
    arguments: tuple[Any, ...]
    place: int | None = None
    future: Any = None

    @property
    def name(self) -> str:
        return getattr(getattr(self.work, "func", self.work), "__name__", "")  # of a partial, too


class Cluster:
    """A connection to workers, with the methods of `protocol.workers.OneProcess`."""

    def __init__(self, client: Client, started: LocalCluster | None = None) -> None:
        self.client, self.ours, self.started = client, versions(), started
        self.address = client.scheduler_info(n_workers=0)["address"]
        known: Any = client.get_versions(packages=["littlestone", "numpy"])
        for name, theirs in known["workers"].items():
            packages = {key: str(value) for key, value in theirs["packages"].items() if value}
            python = ".".join(theirs["host"]["python"].split(".")[:3])
            refuse_other(name, {**packages, "python": python}, self.ours)
        self.workers = [address for address, threads in client.nthreads().items() for _ in range(threads)] or [""]
        self.count, self.looked = len(self.workers), perf_counter()
        self.ahead = 2 * self.count
        self.submitted = self.done = 0  # tasks so far

    @property
    def dashboard(self) -> str:
        return self.client.dashboard_link

    def memory_now(self) -> list[int]:
        """The memory that each worker had when it last told the scheduler, in bytes."""
        known: Any = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return [worker["metrics"].get("memory", 0) for worker in known]

    def memory(self) -> dict[str, int]:
        """The most memory that each worker has had, in bytes."""
        most: Any = self.client.run(peak_memory)
        return dict(most)

    def submit(self, work: Callable[..., Any], *arguments: Any, place: int | None = None) -> Sent:
        """A task; tasks of one place go to one worker while it is there, for what they need of each other to lie there."""
        task = Sent(work, arguments, place)
        self.submitted += 1
        self._send(task)
        task.future.add_done_callback(self._finished)
        return task

    def _send(self, task: Sent) -> None:
        arguments = list(map(self._of_task, task.arguments))
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": LARGE}):
            key = f"{task.name}-{uuid4().hex}"  # Dask learns by its first part how long such tasks take
            where: dict[str, Any] = {}
            if task.place is not None:
                where = {"workers": [self._worker_at(task.place)], "allow_other_workers": True}
            task.future = self.client.submit(checked, self.ours, task.work, *arguments, key=key, pure=False, **where)

    def _of_task(self, argument: Any) -> Any:
        """What a task is given: of another task what it gives, and of Dask's own objects what they come to."""
        if isinstance(argument, Sent):
            return argument.future
        return self.client.compute(argument) if dask.is_dask_collection(argument) else argument

    def _worker_at(self, place: int) -> str:
        """The worker of a place; they are looked at anew where one of them may be another."""
        if perf_counter() > self.looked + LOOK:
            known: Any = self.client.scheduler_info(n_workers=-1)["workers"]
            self.workers = [address for address, worker in known.items() for _ in range(worker["nthreads"])] or self.workers
            self.looked = perf_counter()
        return self.workers[place % len(self.workers)]

    def send(self, value: Any) -> Sent:
        """Through the scheduler, which keeps it: a worker that dies with it takes nothing away."""
        return self.submit(itself, value)

    def is_done(self, task: Sent) -> None:
        """What a task was made of need not be held here any longer: Dask knows it, should a worker die with the result."""
        task.work, task.arguments = None, ()

    def _finished(self, future: Any) -> None:
        self.done += 1

    def gather(self, tasks: Iterable[Sent]) -> list[Any]:
        return [self._result(task) for task in list(tasks)]

    def _result(self, task: Sent) -> Any:
        deaths = 0
        while deaths < ATTEMPTS:
            try:
                result = task.future.result(timeout=LOOK)
                task.work, task.arguments = itself, (result,)  # what came before need not be kept: nobody has to do it again
                return result
            except TimeoutError:
                if self.started is not None:  # a worker that dies before its nanny knows of it is not begun again, unless somebody asks
                    self.started.scale(self.count)
            except KilledWorker:
                deaths += 1
                self._again(task)
            except FutureCancelledError as error:
                raise Lost(f"the scheduler {self.address} was lost ({error.reason})") from None
        raise LittlestoneError(f"{ATTEMPTS} workers of {self.address} died under one task ({task.name}): is there memory for it?")

    def _again(self, task: Sent) -> None:
        """Submit a task once more, and what it was made of."""
        if task.work is None:
            raise Lost(f"{self.address}: workers died, with what they had made of all rounds so far, more often than its scheduler allows")
        for argument in task.arguments:
            if isinstance(argument, Sent):
                self._again(argument)
        self._send(task)


@contextmanager
def deaf() -> Iterator[None]:
    """A terminal tells Ctrl-C to all that run there. Processes that are started in here do not hear it: who started them ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else its start in between would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def connected(cluster: Any) -> Iterator[Cluster]:
    """Workers, while they are needed: of a Dask Client, of a scheduler by its address, or so many processes of this machine.

    What was opened here is closed again; a Client, or a Cluster, stays open.
    """
    if isinstance(cluster, Cluster):
        yield cluster
        return
    with ExitStack() as stack:
        if isinstance(cluster, Client):
            yield Cluster(cluster)
            return
        if isinstance(cluster, str):
            require(cluster.startswith(("tcp://", "tls://")), f"cluster {cluster!r}: expected tcp://HOST:8786, or tls://HOST:8786")
            yield Cluster(_reached(cluster, stack))
            return
        count = isinstance(cluster, int) and not isinstance(cluster, bool) and cluster >= 1
        require(count, f"cluster={cluster!r}: expected a number of workers, the address of a scheduler, or a Dask Client")
        own = {"distributed.scheduler.allowed-failures": ATTEMPTS, "distributed.deploy.lost-worker-timeout": f"{LOOK}s"}
        own["distributed.scheduler.bandwidth"] = BANDWIDTH
        own |= {f"distributed.nanny.pre-spawn-environ.{name}": size for name, size in MEMORY.items()}
        stack.enter_context(dask.config.set(own))
        with deaf():
            local = stack.enter_context(LocalCluster(n_workers=cluster, threads_per_worker=1, dashboard_address=":0"))
        yield Cluster(stack.enter_context(Client(local, direct_to_workers=True)), local)


def _reached(address: str, stack: ExitStack) -> Client:
    try:
        return stack.enter_context(Client(address, timeout=PATIENCE))
    except (OSError, ValueError, TypeError) as error:
        raise LittlestoneError(f"cluster {address}: no scheduler was reached there ({error})") from None
