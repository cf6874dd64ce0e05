"""Placement: exact, seeded, told about, stopped."""

from __future__ import annotations

import numpy as np
import pytest

import cellwright as cw


def test_the_same_at_any_number_of_threads(design: cw.Design) -> None:
    roots = {cw.place(design.snapshot, threads=threads, seed=3)[0].root for threads in (1, 2, 3)}
    assert len(roots) == 1
    assert cw.place(design.snapshot, seed=4)[0].root not in roots


def test_legal_and_reported(design: cw.Design) -> None:
    heard: list[str] = []
    snapshot, report = cw.place(design.snapshot, progress=lambda stage, *rest: heard.append(stage))
    measured = cw.measure(snapshot)
    assert measured["legality_violations"]["exact"] == 0
    assert report["stages"][-1]["hpwl"] == measured["hpwl"]["exact"]
    assert [stage["stage"] for stage in report["stages"]] == ["global", "legalize", "detailed"]
    assert {"global", "legalize"} <= set(heard)


def test_stages_and_only(placed: cw.Snapshot) -> None:
    cells = np.flatnonzero(placed.movable)[:20]
    again, report = cw.place(placed, stages=["legalize", "detailed"], only=cells)
    still = np.setdiff1d(np.arange(len(placed)), cells)
    assert np.array_equal(again.x[still], placed.x[still])
    assert [stage["stage"] for stage in report["stages"]] == ["legalize", "detailed"]


def test_a_progress_that_raises_ends_it(design: cw.Design) -> None:
    def stop(*_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cw.place(design.snapshot, progress=stop)


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"density": 3.0}, cw.errors.PlaceError),
        ({"effort": "heroic"}, cw.errors.ArgumentError),
        ({"stages": ["magic"]}, cw.errors.ArgumentError),
        ({"only": [10**7]}, cw.errors.PlaceError),
        ({"only": [-1]}, cw.errors.DeltaError),
    ],
)
def test_bad_settings_are_refused(design: cw.Design, settings: dict, kind: type) -> None:  # type: ignore[type-arg]
    with pytest.raises(kind):
        cw.place(design.snapshot, **settings)
