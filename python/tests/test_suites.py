"""Suites: on one machine and on a Ray cluster that loses a worker and a node."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

import cellwright as cw
from cellwright import suites


class Flipper:
    """Mirrors one cell a turn; with ``marker`` the first process to come this far dies of it."""

    def __init__(self, turns: int = 2, marker: str | None = None) -> None:
        self.turns, self.marker = turns, marker

    def begin(self, view: cw.View, scenario: dict, seed: int) -> None:  # type: ignore[type-arg]
        self.seed = seed

    def propose(self, view: cw.View, feedback: dict | None) -> dict | None:  # type: ignore[type-arg]
        if self.turns == 0:
            return None
        self.turns -= 1
        if self.marker is not None and self.turns == 0:
            try:
                os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        cells = [cell for cell in view.cells(0, 400) if cell["movable"]]
        cell = cells[(self.seed * 7 + self.turns) % len(cells)]
        mirror = {"N": "FN", "FN": "N", "FS": "S", "S": "FS"}[cell["position"]["orient"]]
        to = {**cell["position"], "orient": mirror}
        return {"expected_delta": {"moved_cells": [{"cell_id": cell["id"], "from": cell["position"], "to": to}]}}


def failing(**_: object) -> object:
    class Failing:
        def propose(self, view: cw.View, feedback: object) -> None:
            raise LookupError("nothing to be found")

    return Failing()


def make(tiny: Path, **params: object) -> suites.Suite:
    agents = ["random", ("test_suites:Flipper", params), "test_suites:failing"]
    return suites.suite([tiny], agents, [1, 2], proposals=3)


def test_a_suite_on_this_machine(tiny: Path, tmp_path: Path) -> None:
    suite = make(tiny)
    results = suites.run(suite, tmp_path / "a")
    assert len(results.records) == 6
    for record in results.records:
        folder = tmp_path / "a" / "runs" / record["invocation"]
        assert json.loads((folder / "record.json").read_bytes()) == record
        if record["agent"] == "test_suites:failing":
            assert record["error"]["code"] == "LookupError"
        else:
            assert record["error"] is None and cw.replay(folder) == {"outcome": "VERIFIED"}
    again = suites.run(make(tiny), tmp_path / "b", key=tmp_path / "a" / "issuer.key")
    assert again.digest == results.digest
    written = (tmp_path / "a" / "results.json").read_bytes()
    assert suites.digest(written) == results.digest
    certificates = (tmp_path / "a" / "runs").glob("*/certificates/*.json")
    named = {name for record in results.records for name in record.get("certificates", ())}
    assert named == {path.stem for path in certificates} and len(named) > 0


def test_an_interrupted_suite_goes_on(tiny: Path, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    suite = suites.suite([tiny], ["random"], [1, 2, 3], proposals=2)
    perform, made = suites.Bench.perform, []

    def counted(self, task, out):  # type: ignore[no-untyped-def]
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(task.invocation)
        return perform(self, task, out)

    monkeypatch.setattr(suites.Bench, "perform", counted)
    with pytest.raises(KeyboardInterrupt):
        suites.run(suite, tmp_path / "a")
    monkeypatch.setattr(suites.Bench, "perform", perform)
    results = suites.run(suite, tmp_path / "a")
    assert len(results.records) == 3 and results.duplicates == 0
    whole = suites.run(suite, tmp_path / "b")
    assert results.digest == whole.digest
    with pytest.raises(cw.errors.RunError) as raised:
        suites.run(suites.suite([tiny], ["random"], [4], proposals=2), tmp_path / "a")
    assert raised.value.code == "conflict"


def test_a_result_that_comes_twice_is_kept_once(tiny: Path, tmp_path: Path) -> None:
    suite = suites.suite([tiny], ["random"], [1], proposals=1)
    suites.run(suite, tmp_path)
    store = suites.Store(suite, tmp_path, None)
    record = next(iter(store.records.values()))
    assert not store.keep({**record, "end": "another"}, store.staging(record["invocation"]))
    results = store.close()
    assert results.duplicates == 1 and results.records == [record]


def test_invocation_ids_are_what_decides(tiny: Path) -> None:
    base = suites.Task("d", "random", 1, proposals=3)
    others = [
        suites.Task("e", "random", 1, proposals=3),
        suites.Task("d", "anneal", 1, proposals=3),
        suites.Task("d", "random", 2, proposals=3),
        suites.Task("d", "random", 1, '{"a":1}', proposals=3),
        suites.Task("d", "random", 1, proposals=4),
        suites.Task("d", "random", 1, proposals=3, place=False),
        suites.Task("d", "random", 1, proposals=3, density=0.5),
        suites.Task("d", "random", 1, proposals=3, work_units=5),
    ]
    ids = {task.invocation for task in (base, *others)}
    assert len(ids) == len(others) + 1
    with pytest.raises(cw.errors.ArgumentError):
        suites.suite([tiny], ["random"], [1])
    with pytest.raises(cw.errors.ArgumentError):
        suites.suite([tiny], ["random"], [1, 1], proposals=1)


@pytest.fixture
def cluster(monkeypatch):  # type: ignore[no-untyped-def]
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster

    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))
    small = {"object_store_memory": 80 << 20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **small})
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=80 << 20) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()


def test_a_cluster_that_loses_a_worker_and_a_node(cluster, tiny: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from cellwright import ray as cluster_runs

    cluster, nodes = cluster
    marker = tmp_path / "somebody-died"
    suite = make(tiny, marker=str(marker))
    heard: list[str] = []

    def on_result(record: dict) -> None:  # type: ignore[type-arg]
        heard.append(record["invocation"])
        if len(heard) == 1:
            cluster.remove_node(nodes[0], allow_graceful=False)

    results = cluster_runs.run(suite, tmp_path / "cluster", workers=3, on_result=on_result)
    assert marker.exists(), "a worker was killed in the middle of a run"
    assert results.lost >= 1
    assert sorted(heard) == sorted(task.invocation for task in suite.tasks), "each exactly once"
    assert len(list((tmp_path / "cluster" / "runs").iterdir())) == len(suite.tasks)
    # On one machine nobody dies: the marker is there.
    alone = suites.run(suite, tmp_path / "alone", key=tmp_path / "cluster" / "issuer.key")
    assert results.digest == alone.digest
    for record in alone.records:
        if record["error"] is None:
            folder = tmp_path / "cluster" / "runs" / record["invocation"]
            assert cw.replay(folder) == {"outcome": "VERIFIED"}
    again = cluster_runs.run(suite, tmp_path / "cluster")
    assert again.digest == alone.digest and again.lost == 0
