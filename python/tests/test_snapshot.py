"""Snapshots: identity, columns, children."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import cellwright as cw

COLUMNS = (
    "x", "y", "orient", "width", "height", "master", "placed", "movable", "block",
    "net_start", "pin_cell", "pin_x", "pin_y", "pin_drives", "rows", "row_step",
)  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_views_that_cannot_be_written(placed: cw.Snapshot, name: str) -> None:
    column = getattr(placed, name)
    assert not column.flags.writeable and not column.flags.owndata
    assert getattr(placed, name) is column, "a second read makes no copy"
    with pytest.raises(ValueError):
        column[...] = 0
    with pytest.raises(ValueError):
        column.flags.writeable = True


def test_a_column_outlives_everything_else(tiny) -> None:  # type: ignore[no-untyped-def]
    x = cw.place(cw.Design.load(tiny).snapshot)[0].x
    kept = x.copy()
    np.zeros(1 << 20)
    assert np.array_equal(x, kept)


def test_the_root_is_the_content(placed: cw.Snapshot) -> None:
    cell = int(np.flatnonzero(placed.movable)[0])
    x, y = int(placed.x[cell]), int(placed.y[cell])
    child = placed.moved(cell, x + 380, y)
    assert child != placed and child.root != placed.root and placed.x[cell] == x
    back = child.moved([cell], [x], [y])
    assert back == placed and hash(back) == hash(placed) and back.root == placed.root


def test_diff_and_patch_are_inverse(design: cw.Design, placed: cw.Snapshot) -> None:
    assert design.snapshot.patched(design.snapshot.diff(placed)) == placed
    assert placed.diff(placed) == design.snapshot.diff(design.snapshot)
    with pytest.raises(cw.errors.ArgumentError):
        placed.patched(b"nonsense")


def test_pickles_to_the_same_root(placed: cw.Snapshot) -> None:
    again = pickle.loads(pickle.dumps(placed))
    assert again == placed and np.array_equal(again.x, placed.x)
    assert copy.copy(placed) == placed


def test_hpwl_by_hand(placed: cw.Snapshot) -> None:
    """The columns are enough to compute wire length, and it is the engines' to the last DBU."""
    total = 0
    start = placed.net_start
    for net in range(len(start) - 1):
        span = slice(start[net], start[net + 1])
        x, y = placed.pin_x[span], placed.pin_y[span]
        if len(x) >= 2:
            total += int(np.ptp(x)) + int(np.ptp(y))
    assert total == cw.measure(placed)["hpwl"]["exact"] == cw.Session(placed).hpwl


def test_names(placed: cw.Snapshot) -> None:
    for cell in (0, len(placed) - 1):
        assert placed.cell(placed.cell_name(cell)) == cell
    for call in (lambda: placed.cell_name(-1), lambda: placed.cell("no such"), lambda: placed.net_name(10**9)):
        with pytest.raises(cw.errors.DeltaError) as raised:
            call()
        assert raised.value.code == "missing"


def test_orientations_are_those_of_def(design: cw.Design, placed: cw.Snapshot, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """`ORIENTS` names what the written DEF says."""
    path = tmp_path / "placed.def"
    design.write_def(placed, path)
    written = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["-"] and "PLACED" in words:
            at = words.index("PLACED")
            written[words[1]] = (int(words[at + 2]), int(words[at + 3]), words[at + 5])
    assert len(written) >= 300
    for cell in range(len(placed)):
        x, y, orient = written[placed.cell_name(cell)]
        assert (x, y) == (placed.x[cell], placed.y[cell])
        assert orient == cw.ORIENTS[placed.orient[cell]]
    assert len({orient for _, _, orient in written.values()}) >= 2
