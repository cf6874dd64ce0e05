"""The judge, runs with agents in Python, replay and verification."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

import cellwright as cw


class Swapper:
    """Swaps the two cells of one size that shorten wires most, of a few hundred pairs."""

    name = "swapper"

    def __init__(self, turns: int = 3) -> None:
        self.turns = turns
        self.heard: list[dict] = []  # type: ignore[type-arg]

    def begin(self, view: cw.View, scenario: dict, seed: int) -> None:  # type: ignore[type-arg]
        self.rng = np.random.default_rng(seed)
        self.scenario = scenario["name"]

    def propose(self, view: cw.View, feedback: dict | None) -> dict | None:  # type: ignore[type-arg]
        if feedback:
            self.heard.append(feedback)
        if len(self.heard) == self.turns:
            return None
        head = view.snapshot
        assert head.root == view.head
        session = cw.Session(head)
        cells = np.flatnonzero(head.movable)
        a, b = self.rng.choice(cells, 300), self.rng.choice(cells, 300)
        fits = (head.width[a] == head.width[b]) & (a != b)
        pairs = np.stack([a[fits], b[fits]], axis=1)
        who, to = pairs.ravel(), pairs[:, ::-1].ravel()
        costs = session.whatif_moves(who, head.x[to], head.y[to], orient=head.orient[to], groups=[2] * len(pairs))
        best = int(np.argmin(costs.hpwl))
        who, to = pairs[best], pairs[best][::-1]
        session.move(who, head.x[to], head.y[to], orient=head.orient[to])
        proposal = session.proposal("unused")
        del proposal["id"], proposal["intent_ref"], proposal["parent_snap"]  # may be left out
        return proposal


@pytest.fixture(scope="module")
def swapped(tiny: Path, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    out = tmp_path_factory.mktemp("runs") / "swapped"
    agent = Swapper()
    return out, agent, cw.run(tiny, out, agent=agent, seed=7)


def test_a_python_agent_leaves_a_checkable_run(swapped) -> None:  # type: ignore[no-untyped-def]
    out, agent, summary = swapped
    assert summary["stop"] == "AgentDone" and summary["proposals"] == 4
    assert summary["accepted"] == 4 and len(agent.heard) == 3 and agent.scenario == "standard"
    assert all(feedback["accepted"] for feedback in agent.heard)
    assert json.loads((out / "subject.json").read_text())["name"] == "swapper"
    assert cw.replay(out) == {"outcome": "VERIFIED"}
    found = cw.verify(summary["certificates"][-1])
    assert found["outcome"] == "verified" and all(f["agrees"] for f in found["figures"])


def test_the_same_seed_gives_the_same_run(tiny: Path, swapped, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    _, _, first = swapped
    warm = cw.Design.load(tiny)
    again = cw.run(tiny, tmp_path / "again", agent=Swapper(), seed=7, warm=warm)
    for key in ("repro_id", "journal_digest", "world_digest", "end"):
        assert again[key] == first[key], key
    other = cw.run(tiny, tmp_path / "other", agent=Swapper(), seed=8)
    assert other["journal_digest"] != first["journal_digest"]


def test_a_warm_design_must_be_the_same(tiny: Path, tmp_path: Path) -> None:
    other = tmp_path / "design"
    shutil.copytree(tiny, other)
    warm = cw.Design.load(other)
    sdc = next(other.glob("*.sdc"))
    sdc.write_text(sdc.read_text() + "\n# another file\n")
    with pytest.raises(cw.Error) as raised:
        cw.run(other, tmp_path / "run", agent="random", proposals=1, warm=warm)
    assert raised.value.code == "INPUT_CHANGED"


def test_tampering_is_told_with_the_command_lines_codes(swapped, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out, _, summary = swapped
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    certificate = copy / "certificates" / Path(summary["certificates"][-1]).name
    text = certificate.read_text()
    certificate.write_text(text.replace('"payload":"', '"payload":"AAAA'))
    with pytest.raises(cw.errors.VerifyError) as raised:
        cw.verify(certificate)
    assert (raised.value.code, raised.value.exit_code) == ("SIGNATURE_INVALID", 20)
    certificate.write_text(text)
    journal = copy / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]))
    assert cw.replay(copy)["outcome"] != "VERIFIED"
    (copy / "verdict.json").unlink()
    with pytest.raises(cw.errors.RunError) as raised_run:
        cw.replay(copy)
    assert raised_run.value.code == "interrupted"


def test_an_agents_exception_comes_out(tiny: Path, tmp_path: Path) -> None:
    class Broken:
        def propose(self, view: cw.View, feedback: object) -> None:
            self.view = view
            raise KeyError("of its own")

    agent = Broken()
    with pytest.raises(KeyError, match="of its own"):
        cw.run(tiny, tmp_path / "run", agent=agent)
    assert json.loads((tmp_path / "run" / "verdict.json").read_text())
    with pytest.raises(cw.errors.RunError) as raised:
        _ = agent.view.head
    assert raised.value.code == "over"


def test_nonsense_ends_the_run_and_is_told(tiny: Path, tmp_path: Path) -> None:
    class Nonsense:
        def propose(self, view: cw.View, feedback: object) -> dict:  # type: ignore[type-arg]
            return {"expected_delta": {"moved_cells": [{"cell_id": "nobody"}]}}

    summary = cw.run(tiny, tmp_path / "run", agent=Nonsense())
    assert summary["stop"] == "AgentFailed" and "proposal" in summary["agent_error"]


def test_views_answer(tiny: Path, tmp_path: Path) -> None:
    seen: dict[str, object] = {}

    class Curious:
        def propose(self, view: cw.View, feedback: object) -> None:
            seen["design"] = view.design
            cells = view.cells(0, 5)
            seen["cells"] = cells
            cell = next(c for c in view.cells(0, 400) if c["resizable"])
            seen["one"] = view.cell(cell["id"]) == cell
            seen["net"] = view.net(cell["nets"][0])
            seen["variants"] = view.variants(cell["master"])
            seen["rows"] = view.rows()
            seen["paths"] = view.worst_paths("setup", 2)
            seen["slacks"] = view.slacks([c["id"] for c in cells])
            seen["metrics"] = view.metrics()
            seen["remaining"] = view.remaining()
            seen["tried"] = view.evaluate({})
            with pytest.raises(cw.errors.JudgeError) as raised:
                view.cell("i:99999")
            seen["code"] = raised.value.code

    summary = cw.run(tiny, tmp_path / "run", agent=Curious())
    assert summary["stop"] == "AgentDone", summary
    assert len(seen["cells"]) == 5 and seen["one"] and seen["code"] == "not-found"  # type: ignore[arg-type]
    assert len(seen["paths"]) == 2 and len(seen["slacks"]) == 5  # type: ignore[arg-type]


def test_the_judge_gates_and_ranks(placed: cw.Snapshot) -> None:
    judge = cw.Judge(placed)
    session = cw.Session(placed)
    cells = np.flatnonzero(placed.movable)
    a = int(cells[0])
    b = int(next(c for c in cells[1:] if placed.width[c] == placed.width[a]))
    session.move(a, placed.x[b], placed.y[b])
    overlap = judge.commit(session.proposal("overlap"))
    assert not overlap["accepted"] and judge.head == placed.root
    failed = [g["id"] for g in overlap["judgment"]["gates"] if g["status"] != "pass"]
    assert any("legality" in gate for gate in failed), failed
    session.undo()
    session.move([a, b], placed.x[[b, a]], placed.y[[b, a]], orient=placed.orient[[b, a]])
    proposal = session.proposal("swap", rationale="a test")
    assert judge.judge(proposal, effort="exhaustive")["passed"] and judge.head == placed.root
    tried = judge.what_if(proposal["expected_delta"])
    done = judge.commit(proposal)
    assert done["accepted"] and judge.head == session.root == done["child"]
    assert judge.snapshot == session.snapshot and judge.front()[0][0] == "swap"
    assert tried["metrics"] == done["metrics"]
    assert not judge.commit(proposal)["accepted"], "its parent is no longer the head"


def test_errors_keep_codes_files_and_lines(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "design"
    shutil.copytree(tiny, folder)
    netlist = next(folder.glob("*.v"))
    lines = netlist.read_text().splitlines(keepends=True)
    lines[40] = "  this is no Verilog ((\n" + lines[40]
    netlist.write_text("".join(lines))
    with pytest.raises(cw.errors.InputError) as raised:
        cw.Design.load(folder)
    error = raised.value
    assert error.file is not None and error.file.endswith(".v") and error.line is not None
    assert f"{netlist.name}:{error.line}" in str(error) and abs(error.line - 41) <= 2
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.file, again.line, str(again)) == (error.code, error.file, error.line, str(error))
    with pytest.raises(cw.errors.InputError) as raised:
        cw.Design.load(tmp_path / "nowhere")
    assert "nowhere" in str(raised.value)
    with pytest.raises(cw.errors.ArgumentError):
        cw.generate(tmp_path / "x", "no such preset")
    with pytest.raises(cw.errors.ArgumentError):
        cw.run(tiny, tmp_path / "y", agent="no such agent")
    assert not (tmp_path / "y").exists()


def test_every_error_is_ours() -> None:
    kinds = [getattr(cw.errors, name) for name in cw.errors.__all__]
    assert all(issubclass(kind, cw.Error) for kind in kinds)
