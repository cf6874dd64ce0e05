"""Suites on a Ray cluster.

:func:`run` spreads the runs of a :func:`cellwright.suites.suite` over actors that keep a warm
engine. Bundles are put into Ray's object store once and named by content hash; an actor fetches
each once. Results come back as run directories. Invocation ids decide what counts: work that was
lost with a worker or a node is given to another, and a result that comes twice is kept once, so the
merged suite equals the same suite run on one machine, digest for digest.

The machines of the cluster must have this package and, for agents of your own, their modules. The
suite's signing key goes to every worker: use one that is meant for it (the default is made for the
suite), not your own.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import ray

from .errors import RunError
from .suites import Bench, Results, Store, Suite, Task, tasks_of

__all__ = ["run"]


class _Worker:
    """A warm engine on some node."""

    def __init__(self, key: bytes) -> None:
        self.bench = Bench(key)

    def ready(self) -> str:
        """The node that it is on."""
        return str(ray.get_runtime_context().get_node_id())

    def perform(
        self, tasks: list[dict[str, Any]], bundles: dict[str, Any]
    ) -> list[tuple[dict[str, Any], dict[str, bytes]]]:
        """Runs tasks; gives their records and the files of their run directories."""
        done = []
        for task in tasks_of(tasks):
            if not self.bench.knows(task.design):
                self.bench.add(task.design, ray.get(bundles[task.design]))
            folder = Path(tempfile.mkdtemp(dir=self.bench.folder)) / "run"
            record = self.bench.perform(task, folder)
            files = {
                str(path.relative_to(folder)): path.read_bytes()
                for path in sorted(folder.rglob("*"))
                if path.is_file()
            }
            shutil.rmtree(folder.parent, ignore_errors=True)
            done.append((record, files))
        return done


def run(
    suite: Suite,
    out: str | PathLike[str],
    *,
    address: str | None = None,
    workers: int | None = None,
    batch: int = 1,
    attempts: int = 5,
    key: str | PathLike[str] | None = None,
    on_result: Callable[[dict[str, Any]], object] | None = None,
) -> Results:
    """Runs a suite on an existing Ray cluster.

    Connects to ``address`` (``"auto"`` when not given) unless Ray is connected already. ``workers``
    actors of one CPU each, by default as many as the cluster has CPUs or the suite has runs, work on
    ``batch`` runs at a time; a batch that is lost midway is run again whole. A run that is lost
    ``attempts`` times ends the suite with ``RunError`` (``lost``); what is done stays, and the same
    call goes on from there. ``on_result`` hears each record as it is kept.
    """
    if batch < 1 or attempts < 1 or (workers is not None and workers < 1):
        raise RunError("batch, attempts and workers must be at least 1", code="input")
    if not ray.is_initialized():
        ray.init(address=address or "auto", log_to_driver=False)
    store = Store(suite, out, key)
    missing = store.missing()
    if not missing:
        return store.close()
    if workers is None:
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
    workers = min(workers, -(-len(missing) // batch))
    work = _Work(store, missing, batch, attempts, on_result)
    try:
        work.until_done(workers)
    finally:
        work.stop()
    return store.close(work.lost)


class _Work:
    """The driver's side: who is idle, what is under way, what is left."""

    def __init__(
        self,
        store: Store,
        missing: list[Task],
        batch: int,
        attempts: int,
        on_result: Callable[[dict[str, Any]], object] | None,
    ) -> None:
        self.store, self.attempts, self.on_result = store, attempts, on_result
        self.left = deque(missing[k : k + batch] for k in range(0, len(missing), batch))
        needed = {task.design for task in missing}
        self.bundles = {d: ray.put(store.suite.bundles[d]) for d in sorted(needed)}
        self.key = store.key
        self.tries: dict[str, int] = {}
        self.lost = 0
        self.starting: dict[Any, Any] = {}
        self.idle: list[Any] = []
        self.busy: dict[Any, tuple[Any, list[Task]]] = {}
        self.remote = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Worker)

    def start(self) -> None:
        """Asks for a worker; it gets work when it says that it is there."""
        actor = self.remote.options(scheduling_strategy="SPREAD").remote(self.key)
        self.starting[actor.ready.remote()] = actor

    def until_done(self, workers: int) -> None:
        """Gives out work until every invocation has a result."""
        for _ in range(workers):
            self.start()
        while self.left or self.busy:
            while self.left and self.idle:
                actor, tasks = self.idle.pop(), self.left.popleft()
                bundles = {task.design: self.bundles[task.design] for task in tasks}
                ref = actor.perform.remote([asdict(task) for task in tasks], bundles)
                self.busy[ref] = (actor, tasks)
            # A worker that the cluster cannot start any more holds no work and holds up nothing.
            ready, _ = ray.wait([*self.busy, *self.starting], num_returns=1, timeout=1.0)
            for ref in ready:
                if ref in self.starting:
                    self._started(ref)
                else:
                    self._finished(ref)

    def _started(self, ref: Any) -> None:
        actor = self.starting.pop(ref)
        try:
            ray.get(ref)
        except ray.exceptions.RayError:
            self.start()
        else:
            self.idle.append(actor)

    def _finished(self, ref: Any) -> None:
        actor, tasks = self.busy.pop(ref)
        try:
            done = ray.get(ref)
        except (ray.exceptions.RayTaskError, ray.exceptions.TaskCancelledError):
            raise
        except ray.exceptions.RayError as error:
            self._lost(tasks, error)
            self.start()
            return
        self.idle.append(actor)
        for record, files in done:
            folder = self.store.staging(record["invocation"])
            for name, data in files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            if self.store.keep(record, folder) and self.on_result is not None:
                self.on_result(record)

    def _lost(self, tasks: list[Task], error: BaseException) -> None:
        self.lost += len(tasks)
        for task in tasks:
            tries = self.tries[task.invocation] = self.tries.get(task.invocation, 0) + 1
            if tries >= self.attempts:
                raise RunError(
                    f"run {task.invocation} was lost {tries} times, the last time to {error}",
                    code="lost",
                ) from error
        # One by one from now on: what is lost again takes nothing with it.
        self.left.extendleft([task] for task in reversed(tasks))

    def stop(self) -> None:
        """Ends the workers."""
        actors = [*self.starting.values(), *self.idle, *(actor for actor, _ in self.busy.values())]
        for actor in actors:
            ray.kill(actor)
