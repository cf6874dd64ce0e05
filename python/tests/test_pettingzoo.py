"""The PettingZoo environment: its API test, exact resets, rewards."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")

from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: E402

import cellwright as cw  # noqa: E402
from cellwright.pettingzoo import Regions  # noqa: E402


@pytest.mark.parametrize("reward", ["team", "own"])
def test_pettingzoos_own_tests(placed: cw.Snapshot, reward: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*observation.*", category=UserWarning)
        parallel_api_test(Regions(placed, length=30, reward=reward), num_cycles=100)
        parallel_seed_test(lambda: Regions(placed, length=30, reward=reward), num_cycles=40)


def play(env: Regions, seed: int):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    seen, infos = env.reset(seed=seed)
    total, trace = dict.fromkeys(env.agents, 0.0), []
    while env.agents:
        actions = {a: np.int64(rng.choice(np.flatnonzero(infos[a]["action_mask"]))) for a in env.agents}
        seen, rewards, _, truncated, infos = env.step(actions)
        for agent, reward in rewards.items():
            total[agent] += reward
        trace.append(([seen[a].tobytes() for a in seen], rewards))
    return total, trace


def test_team_rewards_are_the_wire(placed: cw.Snapshot) -> None:
    env = Regions(placed, length=50, penalty=0.0)
    assert len(env.possible_agents) == 4
    total, trace = play(env, 1)
    start = cw.Session(placed).hpwl
    gained = (start - env.session.hpwl) / env.reward_scale
    assert sum(total.values()) == pytest.approx(gained)
    assert len(set(total.values())) == 1 and env.session.violations == 0 and env.session.exact()
    assert play(env, 1)[1] == trace, "a reset takes everything back"
    env.reset()
    assert env.session.root == placed.root


def test_own_rewards_are_each_swaps(placed: cw.Snapshot) -> None:
    env = Regions(placed, across=1, up=1, length=50, penalty=0.0, reward="own")
    total, _ = play(env, 2)
    start = cw.Session(placed).hpwl
    assert total["tile_0"] == pytest.approx((start - env.session.hpwl) / env.reward_scale)
    many = Regions(placed, length=20, reward="own")
    total, _ = play(many, 2)
    assert len(set(total.values())) > 1


def test_tiles_share_no_cells(placed: cw.Snapshot) -> None:
    env = Regions(placed, across=3, up=2)
    pools = np.concatenate(list(env.pools.values()))
    assert len(pools) == len(set(pools.tolist()))
    with pytest.raises(ValueError):
        Regions(placed, reward="mine")
    with pytest.raises(ValueError):
        Regions(placed, across=0)
