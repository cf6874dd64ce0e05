"""Sessions: what is tried is what comes, what is undone never was."""

from __future__ import annotations

import os
import threading
import time
import warnings

import numpy as np
import pytest

import cellwright as cw


def some_moves(placed: cw.Snapshot, count: int, seed: int):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    cells = rng.choice(np.flatnonzero(placed.movable), count)
    rows, step = placed.rows, int(placed.row_step[0])
    x = placed.x[cells] + rng.integers(-30, 31, count) * step
    y = rows[rng.integers(0, len(rows), count), 1]
    return cells, np.clip(x, rows[0, 0], rows[0, 2] - 20 * step), y


def state(session: cw.Session) -> tuple[object, ...]:
    return (session.root, tuple(session.metrics().items()), session.x.tobytes(), session.y.tobytes(),
            session.orient.tobytes(), session.master.tobytes())  # fmt: skip


@pytest.mark.parametrize("timing", [False, True])
def test_what_is_tried_is_what_comes(placed: cw.Snapshot, timing: bool) -> None:
    session = cw.Session(placed, timing=timing, congestion=True)
    before = state(session)
    cells, x, y = some_moves(placed, 60, 1)
    tried = session.whatif_moves(cells, x, y, timing=timing)
    assert state(session) == before, "trying leaves no trace"
    assert (tried.tns_setup is None) == (not timing)
    wire = session.whatif_moves(cells, x, y, wirelength_only=True)
    assert np.array_equal(wire.hpwl, tried.hpwl)
    for k in range(len(cells)):
        hpwl, overflow, violations = session.hpwl, session.overflow, session.violations
        made = session.move(cells[k], x[k], y[k])
        assert made.hpwl[0] == tried.hpwl[k] == session.hpwl - hpwl
        assert made.violations[0] == tried.violations[k] == session.violations - violations
        assert made.overflow[0] == tried.overflow[k]
        assert session.overflow - overflow == pytest.approx(tried.overflow[k], abs=1e-12)
        if timing:
            assert tried.tns_setup is not None and tried.wns_hold is not None
            assert session.metrics()["tns_setup"] == tried.tns_setup[k]
            assert session.metrics()["wns_hold"] == tried.wns_hold[k]
        assert session.x[cells[k]] == x[k] and session.y[cells[k]] == y[k]
        assert session.undo() == 1
        assert state(session) == before
    assert session.exact()


def test_many_levels_of_undo_and_commit(placed: cw.Snapshot) -> None:
    session = cw.Session(placed, timing=True)
    cells, x, y = some_moves(placed, 40, 2)
    states = [state(session)]
    for k in range(40):
        session.move(cells[k], x[k], y[k])
        states.append(state(session))
    assert session.depth == 40 and session.exact()
    for k in reversed(range(20, 40)):
        session.undo()
        assert state(session) == states[k]
    child = session.commit()
    assert child.root == states[20][0] and session.depth == 0 and session.undo() == 0
    fresh = cw.Session(child, timing=True)
    assert fresh.metrics() == session.metrics() and session.exact()
    assert placed.root == states[0][0], "the parent stays"


def test_resizes(placed: cw.Snapshot) -> None:
    session = cw.Session(placed, timing=True)
    before = state(session)
    cell = next(c for c in range(len(placed)) if len(session.variants(c)) > 2)
    variants = session.variants(cell)
    tried = session.whatif_resizes([cell] * len(variants), variants, timing=True)
    by_name = session.whatif_resizes([cell] * len(variants), [placed.masters[v] for v in variants])
    assert np.array_equal(tried.area, by_name.area) and state(session) == before
    own = variants.index(int(placed.master[cell]))
    assert tried.area[own] == 0 and tried.hpwl[own] == 0
    area = session.metrics()["area"]
    for k, master in enumerate(variants):
        session.resize(cell, master)
        assert session.master[cell] == master
        assert session.metrics()["area"] - area == pytest.approx(tried.area[k], abs=1e-9)
        assert tried.tns_setup is not None
        assert session.metrics()["tns_setup"] == tried.tns_setup[k]
        session.undo()
    assert state(session) == before


def test_groups_are_tried_together(placed: cw.Snapshot) -> None:
    session = cw.Session(placed)
    cells = np.flatnonzero(placed.movable)
    same = cells[placed.width[cells] == placed.width[cells[0]]][:2]
    other = same[::-1]
    pair = session.whatif_moves(same, placed.x[other], placed.y[other], orient=placed.orient[other], groups=[2])
    assert len(pair) == 1 and pair.violations[0] == 0
    single = session.whatif_moves(same[:1], placed.x[other[:1]], placed.y[other[:1]])
    assert single.violations[0] > 0, "alone it would stand on the other"
    for groups in ([1], [3], [0, 2], [-1, 3]):
        with pytest.raises(cw.errors.ArgumentError):
            session.whatif_moves(same, placed.x[other], placed.y[other], groups=groups)


def test_arrays_follow_and_cannot_be_written(placed: cw.Snapshot) -> None:
    session = cw.Session(placed)
    view = session.x
    cell = int(np.flatnonzero(placed.movable)[0])
    session.move(cell, int(view[cell]) + 380, int(session.y[cell]))
    assert view[cell] == placed.x[cell] + 380
    assert np.shares_memory(view, session.x)
    with pytest.raises(ValueError):
        view[0] = 1
    # Its own views are taken as arguments, while they change.
    everything = np.flatnonzero(placed.movable)
    session.move(np.arange(len(view))[everything], view[everything], session.y[everything])
    session.undo(10)
    assert np.array_equal(view, placed.x)


def test_refusals_change_nothing(placed: cw.Snapshot) -> None:
    session = cw.Session(placed)
    before = state(session)
    cell = int(np.flatnonzero(placed.movable)[0])
    cases = [
        (lambda: session.move([cell, 10**9], [0, 0], [0, 0]), cw.errors.DeltaError, "missing"),
        (lambda: session.move(-1, 0, 0), cw.errors.DeltaError, "missing"),
        (lambda: session.move(cell, 2**40, 0), cw.errors.ArgumentError, "argument"),
        (lambda: session.move([cell], [0, 1], [0]), cw.errors.ArgumentError, "argument"),
        (lambda: session.move(np.array([0.5]), [0], [0]), cw.errors.ArgumentError, "argument"),
        (lambda: session.move(np.zeros((2, 2), np.int32), [0], [0]), cw.errors.ArgumentError, "argument"),
        (lambda: session.move(cell, 0, 0, orient=9), cw.errors.ArgumentError, "argument"),
        (lambda: session.resize(cell, "no such"), cw.errors.DeltaError, "no-master"),
        (lambda: session.resize(cell, 10**6), cw.errors.DeltaError, "no-master"),
        (lambda: session.whatif_moves([cell, -5], [0, 0], [0, 0]), cw.errors.DeltaError, "missing"),
        (lambda: session.whatif_moves(cell, 0, 0, timing=True), cw.errors.TimingError, "untimed"),
        (lambda: session.slack(), cw.errors.TimingError, "untimed"),
        (lambda: session.apply({"moved_cells": 3}), cw.errors.ArgumentError, "schema"),
        (lambda: session.apply('{"a": 1, "a": 2}'), cw.errors.ArgumentError, "json"),
        (lambda: session.variants(10**6), cw.errors.DeltaError, "missing"),
    ]
    for number, (call, kind, code) in enumerate(cases):
        with pytest.raises(kind) as raised:
            call()
        assert raised.value.code == code, (number, raised.value)
        assert isinstance(raised.value, cw.Error)
        assert state(session) == before and session.exact()


def test_other_masters_are_refused(placed: cw.Snapshot) -> None:
    session = cw.Session(placed)
    names = placed.masters
    cell = next(c for c in range(len(placed)) if names[placed.master[c]].startswith("DFF"))
    other = next(name for name in names if name.startswith("NAND"))
    with pytest.raises(cw.errors.DeltaError) as raised:
        session.resize(cell, other)
    assert raised.value.code == "other-pins"


def test_forks_are_apart(placed: cw.Snapshot) -> None:
    session = cw.Session(placed, timing=True)
    cells, x, y = some_moves(placed, 4, 3)
    session.move(cells, x, y)
    fork = session.fork()
    assert state(fork) == state(session) and fork.depth == 0
    fork.move(cells[:1], placed.x[cells[:1]], placed.y[cells[:1]])
    assert fork.root != session.root and session.exact() and fork.exact()


def test_batches_release_the_interpreter(placed: cw.Snapshot) -> None:
    """While one thread is in a batch, this one goes on."""
    session = cw.Session(placed, timing=True)
    cells, x, y = some_moves(placed, 4000, 4)
    done = threading.Event()

    def batch() -> None:
        session.whatif_moves(cells, x, y, timing=True)
        done.set()

    thread = threading.Thread(target=batch)
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0.0005)
    thread.join()
    # With the interpreter held the loop could turn a few times at most, before and after.
    assert turns > 20


def test_threads_on_one_session_wait_for_each_other(placed: cw.Snapshot) -> None:
    session = cw.Session(placed)
    before = state(session)
    cells, x, y = some_moves(placed, 400, 5)
    expected = session.whatif_moves(cells, x, y)
    wrong = []

    def work(seed: int) -> None:
        for k in range(40):
            if seed % 2:
                got = session.whatif_moves(cells, x, y)
                if not np.array_equal(got.violations + 0, got.violations):
                    wrong.append(k)
            else:
                session.move(cells[k], x[k], y[k])
                _ = session.x, session.hpwl

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and session.depth == 80
    assert session.exact()
    assert np.array_equal(session.x, session.snapshot.x)
    session.undo(80)
    assert state(session) == before
    assert np.array_equal(session.whatif_moves(cells, x, y).hpwl, expected.hpwl)


def test_slacks_and_paths_agree_with_sta(placed: cw.Snapshot) -> None:
    session = cw.Session(placed, timing=True)
    sta = cw.sta(placed, paths=3)
    for side in ("setup", "hold"):
        assert session.metrics()[f"wns_{side}"] == pytest.approx(sta[side]["wns"])
        assert session.metrics()[f"tns_{side}"] == sta[side]["tns"]
        assert session.paths(side, 3) == sta[side]["paths"]  # type: ignore[arg-type]
        assert np.nanmin(session.slack(side)) == pytest.approx(sta[side]["worst_slack"], abs=1e-6)  # type: ignore[arg-type]
        late = sta[side]["slack"]
        assert sta[side]["tns"] == pytest.approx(float(late[late < 0].sum()), abs=1e-5)


def test_buffers_by_delta(placed: cw.Snapshot) -> None:
    """Changes of the netlist come as a contract's delta; columns grow along."""
    session = cw.Session(placed, timing=True)
    before, old_view = state(session), session.x
    buffer = next(name for name in placed.masters if name.startswith("BUF"))
    pins = np.diff(placed.net_start)
    net = int(np.flatnonzero(pins >= 4)[0])
    view_net = next(n for n in range(net, len(pins)) if pins[n] >= 4)
    judge = cw.Judge(placed)
    assert judge.head == placed.root
    span = slice(placed.net_start[view_net], placed.net_start[view_net + 1])
    sink = next(
        int(c) for c, d in zip(placed.pin_cell[span], placed.pin_drives[span]) if c >= 0 and not d
    )
    name = placed.cell_name(sink)
    pin = None
    for candidate in ("A", "A1", "D", "B", "B1", "A2", "CK", "S", "C", "CI"):
        delta = {
            "new_nets": [
                {
                    "insert_buffer": {
                        "net": f"n:{view_net}",
                        "sinks": [f"name:{name}/{candidate}"],
                        "master": buffer,
                        "at": {"x": int(placed.x[sink]), "y": int(placed.y[sink]), "orient": "N"},
                    }
                }
            ]
        }
        try:
            session.apply(delta)
        except cw.errors.DeltaError:
            continue
        pin = candidate
        break
    assert pin is not None
    assert len(session.x) == len(old_view) + 1 and session.exact()
    with pytest.raises(cw.errors.DeltaError) as raised:
        session.proposal("p")
    assert raised.value.code == "netlist"
    session.undo()
    assert state(session) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_is_told_instead_of_hanging(placed: cw.Snapshot) -> None:
    session = cw.Session(placed)
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that forking with threads is dangerous is the point
        child = os.fork()
    if child == 0:
        said = b"nothing"
        try:
            session.move(0, 0, 0)
        except cw.errors.RunError as error:
            said = error.code.encode()
        finally:
            os.write(write, said)
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read, "rb") as pipe:
        assert pipe.read() == b"forked"
