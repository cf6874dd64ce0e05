"""The examples do what they say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import cellwright as cw

EXAMPLES = Path(__file__).parent.parent / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_optuna_tunes_the_placer(design: cw.Design) -> None:
    pytest.importorskip("optuna", reason="optuna is not installed")
    tuner = example("tune_placer")
    default, study = tuner.tune(design.snapshot, trials=12)
    assert len(study.trials) == 12
    # On so small a design the placer's own settings may well be as good as the best of twelve.
    assert study.best_value <= default
    assert len({trial.value for trial in study.trials}) > 1, "settings matter"
    assert tuner.wires(design.snapshot, **study.best_params) == study.best_value, "exactly repeatable"


def learned(seeds: int, episodes: int) -> None:
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    rows = example("learn_swaps").learn(seeds, episodes)
    gain = rows[:, 0] - rows[:, 1]
    # Every seed learned, and the mean is far from chance.
    assert (gain > 0).all(), rows
    assert gain.mean() > 5 * gain.std(ddof=1) / np.sqrt(seeds), rows


def test_a_policy_learns_to_swap() -> None:
    learned(3, 8)


@pytest.mark.slow
def test_a_policy_learns_to_swap_with_many_seeds() -> None:
    learned(8, 60)
