"""Gymnasium environments: its own checks, exact resets, vectors."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import cellwright as cw  # noqa: E402
import cellwright.envs as envs  # noqa: E402

IDS = ("cellwright/CellMoves-v0", "cellwright/Sizing-v0")


@pytest.mark.parametrize("id", IDS)
def test_gymnasiums_own_check(tiny: Path, id: str) -> None:
    env = gym.make(id, design=str(tiny), length=20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Bounds of features are not known beforehand, and nothing is rendered: these two it may say.
        warnings.filterwarnings("ignore", message=".*Box observation space m(in|ax)imum value is.*")
        warnings.filterwarnings("ignore", message=".*not have a `reset` for the render.*")
        check_env(env.unwrapped, skip_render_check=True)
    env.close()


def rollout(env, seed: int, steps: int):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    trace = [(seen.tobytes(), info["action_mask"].tobytes())]
    total = 0.0
    for _ in range(steps):
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        seen, reward, terminated, truncated, info = env.step(action)
        total += reward
        trace.append((seen.tobytes(), reward, terminated, truncated))
    return trace, total, info


@pytest.mark.parametrize("kind", [envs.CellMoves, envs.Sizing])
def test_reset_takes_everything_back(placed: cw.Snapshot, kind) -> None:  # type: ignore[no-untyped-def]
    env = kind(placed, length=40)
    first, _, _ = rollout(env, 3, 40)
    assert env.session.root != placed.root
    second, _, _ = rollout(env, 3, 40)
    assert first == second and first[-1][3] is True
    env.reset(seed=4)
    assert env.session.root == placed.root and env.session.exact()


def test_moves_reward_is_the_wire(placed: cw.Snapshot) -> None:
    env = envs.CellMoves(placed, length=200, penalty=0.0)
    _, total, info = rollout(env, 5, 200)
    start = cw.Session(placed).hpwl
    assert total == pytest.approx((start - env.session.hpwl) / env.reward_scale)
    assert info["hpwl_um"] == env.session.metrics()["hpwl"]
    assert env.session.violations == 0, "swaps of one size keep a placement legal"
    assert env.session.exact()


def test_sizing_reward_is_slack_less_area(placed: cw.Snapshot) -> None:
    env = envs.Sizing(placed, length=60)
    before = cw.Session(placed, timing=True).metrics()
    _, total, info = rollout(env, 6, 60)
    after = env.session.metrics()
    expected = (after["tns_setup"] - before["tns_setup"]) / env.scale
    expected -= env.area_weight * (after["area"] - before["area"]) / env.cell_area
    assert total == pytest.approx(expected, abs=1e-9)
    assert info["tns_setup_ns"] == after["tns_setup"] and env.session.violations == 0
    assert env.session.exact()


@pytest.mark.parametrize("kind", [envs.CellMoves, envs.Sizing])
def test_masked_actions_cost_and_change_nothing(placed: cw.Snapshot, kind) -> None:  # type: ignore[no-untyped-def]
    env = kind(placed, length=400, **({"candidates": 64} if kind is envs.CellMoves else {"sizes": 6}))
    _, info = env.reset(seed=1)
    for _ in range(400):
        closed = np.flatnonzero(info["action_mask"] == 0)
        if len(closed):
            root = env.session.root
            _, reward, *_ = env.step(closed[0])
            assert reward == -env.penalty and env.session.root == root
            return
        _, _, _, _, info = env.step(0)
    pytest.fail("no action was ever masked")


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("id", IDS)
def test_vectors(tiny: Path, id: str, mode: str) -> None:
    # A forked process would lack the engines' threads; the package refuses to work there.
    how = {"vector_kwargs": {"context": "spawn"}} if mode == "async" else {}
    many = gym.make_vec(id, num_envs=2, vectorization_mode=mode, design=str(tiny), length=10, **how)
    seen, info = many.reset(seed=[1, 2])
    assert seen.shape[0] == 2 and not np.array_equal(seen[0], seen[1])
    one = gym.make(id, design=str(tiny), length=10)
    alone, _ = one.reset(seed=1)
    assert np.array_equal(alone, seen[0])
    for step in range(12):
        actions = np.zeros(2, dtype=np.int64)
        seen, rewards, terminated, truncated, info = many.step(actions)
        assert rewards.shape == (2,) and bool(truncated.all()) == (step == 9)
    many.close()


def test_bad_settings_are_refused(placed: cw.Snapshot) -> None:
    with pytest.raises(ValueError):
        envs.CellMoves(placed, candidates=1)
    with pytest.raises(ValueError):
        envs.Sizing(placed, sizes=1)
    with pytest.raises(cw.errors.InputError):
        envs.CellMoves("/nowhere/at/all")
