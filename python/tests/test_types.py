"""Stubs and docstrings say what is there."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import cellwright as cw
from cellwright import _native


def test_everything_has_a_docstring() -> None:
    for name in cw.__all__:
        thing = getattr(cw, name)
        if name in ("METRICS", "ORIENTS", "__version__", "errors"):
            continue
        assert thing.__doc__, name
        if inspect.isclass(thing) and thing.__module__.startswith("cellwright"):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.slow
def test_stubs_are_those_of_the_module() -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    checked = [sys.executable, "-m", "mypy.stubtest", "cellwright._native", "--ignore-missing-stub"]
    done = subprocess.run(checked, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_metrics_are_those_of_the_engines(placed: cw.Snapshot) -> None:
    session = cw.Session(placed, timing=True, congestion=True)
    assert set(session.metrics()) == set(cw.METRICS)
    assert _native.__version__ == cw.__version__
