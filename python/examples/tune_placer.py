"""Optuna tunes the placer by ask and tell: target density, effort and seed for short wires.

    python tune_placer.py [DESIGN] [TRIALS]
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import optuna

import cellwright as cw


def wires(snapshot: cw.Snapshot, **settings: Any) -> float:
    """Wire length (µm) of the placement that these settings give; exact and repeatable."""
    placed, _ = cw.place(snapshot, **settings)
    measured = cw.measure(placed)
    assert measured["legality_violations"]["exact"] == 0
    return float(measured["hpwl"]["value"])


def tune(snapshot: cw.Snapshot, trials: int, seed: int = 1) -> tuple[float, optuna.study.Study]:
    """Wire length with the placer's own settings, and the study."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="minimize", sampler=optuna.samplers.TPESampler(seed=seed))
    # What to beat: the placer's own choice of density, at standard effort.
    default = wires(snapshot)
    for _ in range(trials):
        trial = study.ask()
        settings = {
            "density": trial.suggest_float("density", 0.7, 1.0),
            "effort": trial.suggest_categorical("effort", ["quick", "standard", "high"]),
            "seed": trial.suggest_int("seed", 1, 8),
        }
        study.tell(trial, wires(snapshot, **settings))
    return default, study


if __name__ == "__main__":
    path = sys.argv[1] if len(sys.argv) > 1 else cw.generate(tempfile.mkdtemp(), "demo")
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    default, study = tune(cw.Design.load(path).snapshot, trials)
    print(f"placer's own settings: {default:.1f} um")
    change = 100 * (study.best_value / default - 1)
    print(f"best of {trials} trials:    {study.best_value:.1f} um ({change:+.2f} %) {study.best_params}")
