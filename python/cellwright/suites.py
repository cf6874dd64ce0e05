"""Suites: agents × designs × seeds, each a run with an invocation id of its own.

A suite runs on this machine (:func:`run`) or on a Ray cluster (:func:`cellwright.ray.run`) and
leaves the same results, digest for digest::

    out/suite.json               what is to be run
    out/results.json             one record a run, in the order of invocation ids
    out/runs/<invocation id>/    the run directory, for replay and verify; record.json beside

An invocation id is the digest of everything that decides how a run comes out. A run that is there
is not made again, so a suite that was interrupted goes on where it was.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from . import Design, __version__
from . import run as _run
from ._native import copy_bundle
from .errors import ArgumentError, Error, RunError

__all__ = ["Results", "Suite", "Task", "run", "suite"]


def canonical(value: Any) -> bytes:
    """JSON with sorted keys and no blanks: what digests are made over."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Task:
    """One run. ``design`` is the content hash of a bundle of the suite."""

    design: str
    agent: str
    seed: int
    params: str = "{}"
    proposals: int | None = None
    work_units: int | None = None
    place: bool = True
    density: float | None = None

    @property
    def invocation(self) -> str:
        """Digest of everything that decides how the run comes out, the engine's version included."""
        return digest(canonical({"engine": __version__, **asdict(self)}))


@dataclass
class Suite:
    """Tasks, and the bundles that they name: by content hash, file names with their bytes."""

    tasks: list[Task]
    bundles: dict[str, dict[str, bytes]] = field(repr=False)
    names: dict[str, str] = field(default_factory=dict)

    def description(self) -> dict[str, Any]:
        """What ``suite.json`` says."""
        tasks = [{"invocation": task.invocation, **asdict(task)} for task in self.tasks]
        return {"engine": __version__, "designs": self.names, "tasks": tasks}


@dataclass
class Results:
    """What a suite came to."""

    folder: Path
    records: list[dict[str, Any]]
    lost: int = 0
    """How often work was lost with a worker and given to another."""
    duplicates: int = 0
    """How often a result came that was there already, and was dropped."""

    @property
    def digest(self) -> str:
        """Digest of ``results.json``: the same wherever the suite ran."""
        return digest(canonical(self.records))


def pack(design: str | PathLike[str]) -> tuple[str, dict[str, bytes]]:
    """The files of a bundle and their content hash."""
    with tempfile.TemporaryDirectory() as folder:
        copy_bundle(design, folder)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
    return digest(canonical({name: digest(data) for name, data in files.items()})), files


def unpack(files: Mapping[str, bytes], folder: Path) -> Path:
    """Writes the files of a bundle; gives the ``design.toml``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / "design.toml"


def suite(
    designs: Iterable[str | PathLike[str]],
    agents: Iterable[str | tuple[str, Mapping[str, Any]]],
    seeds: Iterable[int],
    *,
    proposals: int | None = None,
    work_units: int | None = None,
    place: bool = True,
    density: float | None = None,
) -> Suite:
    """Every agent on every design with every seed.

    An agent is a name that :func:`cellwright.run` knows, or ``"module:factory"``, which the machine
    that runs it must be able to import; a pair adds its parameters. ``proposals`` or ``work_units``
    must bound the runs: wall time would make results depend on the machine.
    """
    if proposals is None and work_units is None:
        raise ArgumentError(
            "bound a suite with proposals or work_units: the same on every machine", code="argument"
        )
    bundles: dict[str, dict[str, bytes]] = {}
    names: dict[str, str] = {}
    for path in designs:
        key, files = pack(path)
        bundles[key] = files
        names[key] = Design.load(path).reference
    chosen = [(agent, {}) if isinstance(agent, str) else agent for agent in agents]
    seeds = list(seeds)
    tasks = [
        Task(
            design=key,
            agent=name,
            seed=int(seed),
            params=canonical(dict(params)).decode(),
            proposals=proposals,
            work_units=work_units,
            place=place,
            density=density,
        )
        for key in bundles
        for name, params in chosen
        for seed in seeds
    ]
    if len({task.invocation for task in tasks}) != len(tasks):
        raise ArgumentError("an agent, design or seed stands twice in the suite", code="argument")
    return Suite(tasks, bundles, names)


class Bench:
    """A warm place to run tasks: bundles unpacked once, designs parsed once."""

    def __init__(self, key: bytes) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cellwright-suite-"))
        self.key = self.folder / "issuer.key"
        self.key.touch(mode=0o600)
        self.key.write_bytes(key)
        self.designs: dict[str, tuple[Path, Design]] = {}

    def knows(self, design: str) -> bool:
        """Whether the bundle of that hash was added."""
        return design in self.designs

    def add(self, design: str, files: Mapping[str, bytes]) -> None:
        """Unpacks a bundle and reads it. The content must be that of the hash."""
        found = digest(canonical({name: digest(data) for name, data in files.items()}))
        if found != design:
            raise RunError(f"the bundle {design} arrived as {found}", code="input")
        path = unpack(files, self.folder / "designs" / design)
        self.designs[design] = (path, Design.load(path))

    def perform(self, task: Task, out: Path) -> dict[str, Any]:
        """Runs a task; gives its record. An agent's exception is a result, not a failure."""
        path, warm = self.designs[task.design]
        record: dict[str, Any] = {
            "invocation": task.invocation,
            **asdict(task),
            "design_name": warm.reference,
            "error": None,
        }
        try:
            summary = _run(
                path,
                out,
                agent=_agent(task.agent, json.loads(task.params)),
                params=task.params,
                seed=task.seed,
                proposals=task.proposals,
                work_units=task.work_units,
                place=task.place,
                density=task.density,
                key=self.key,
                warm=warm,
            )
        except Error as error:
            record["error"] = {"code": error.code, "message": str(error)}
        except Exception as error:
            record["error"] = {"code": type(error).__name__, "message": str(error)}
        else:
            same = (
                "stop", "agent_error", "proposals", "accepted", "baseline", "head", "front", "best",
                "spent", "start", "end", "repro_id", "journal_digest", "world_digest", "exit_code",
            )  # fmt: skip
            record.update({name: summary[name] for name in same})
            record["certificates"] = [Path(path).stem for path in summary["certificates"]]
        return record

    def close(self) -> None:
        """Removes what was unpacked."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _agent(name: str, params: dict[str, Any]) -> Any:
    if ":" not in name:
        return name
    module, factory = name.split(":", 1)
    return getattr(importlib.import_module(module), factory)(**params)


class Store:
    """Where results go: each invocation once, whole or not at all."""

    def __init__(self, suite: Suite, out: str | PathLike[str], key: str | PathLike[str] | None) -> None:
        self.folder = Path(out)
        self.runs = self.folder / "runs"
        self.runs.mkdir(parents=True, exist_ok=True)
        description = canonical(suite.description())
        path = self.folder / "suite.json"
        if path.exists() and path.read_bytes() != description:
            raise RunError(f"{path} is of another suite; choose another folder", code="conflict")
        path.write_bytes(description)
        self.suite = suite
        self.key = _key(self.folder, key)
        self.records: dict[str, dict[str, Any]] = {}
        self.duplicates = 0
        shutil.rmtree(self.folder / "staging", ignore_errors=True)
        for task in suite.tasks:
            record = self.runs / task.invocation / "record.json"
            if record.exists():
                self.records[task.invocation] = json.loads(record.read_bytes())

    def missing(self) -> list[Task]:
        """Tasks without a result, in the suite's order."""
        return [task for task in self.suite.tasks if task.invocation not in self.records]

    def staging(self, invocation: str) -> Path:
        """An empty folder for a run in the making."""
        folder = self.folder / "staging" / invocation
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder

    def keep(self, record: dict[str, Any], folder: Path) -> bool:
        """Takes a finished run in; false when its invocation is there already."""
        invocation = record["invocation"]
        target = self.runs / invocation
        if target.exists():
            self.duplicates += 1
            shutil.rmtree(folder, ignore_errors=True)
            return False
        folder.mkdir(parents=True, exist_ok=True)
        # The record goes through JSON either way, so that it is the same before and after.
        record = json.loads(canonical(record))
        (folder / "record.json").write_bytes(canonical(record))
        os.replace(folder, target)
        self.records[invocation] = record
        return True

    def close(self, lost: int = 0) -> Results:
        """Writes ``results.json``."""
        records = [self.records[key] for key in sorted(self.records)]
        part = self.folder / "results.part"
        part.write_bytes(canonical(records))
        os.replace(part, self.folder / "results.json")
        shutil.rmtree(self.folder / "staging", ignore_errors=True)
        return Results(self.folder, records, lost, self.duplicates)


def _key(folder: Path, key: str | PathLike[str] | None) -> bytes:
    """The issuer's key of a suite; made in its folder unless one is named."""
    if key is not None:
        return Path(key).read_bytes()
    path = folder / "issuer.key"
    if not path.exists():
        from ._native import new_key

        new_key(path)
    return path.read_bytes()


def run(suite: Suite, out: str | PathLike[str], *, key: str | PathLike[str] | None = None) -> Results:
    """Runs a suite on this machine, one run after the other.

    Certificates are signed with ``key``, or with a key made in ``out`` (``issuer.key``).
    """
    store = Store(suite, out, key)
    bench = Bench(store.key)
    try:
        for task in store.missing():
            if not bench.knows(task.design):
                bench.add(task.design, suite.bundles[task.design])
            folder = store.staging(task.invocation)
            store.keep(bench.perform(task, folder), folder)
    finally:
        bench.close()
    return store.close()


def tasks_of(values: Sequence[Mapping[str, Any]]) -> list[Task]:
    """Tasks from plain dicts, as they travel."""
    return [Task(**value) for value in values]
