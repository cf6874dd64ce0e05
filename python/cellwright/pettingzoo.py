"""A PettingZoo environment: several agents swap cells, each in its own part of the core."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from . import Session
from .envs._start import Source, placed
from .envs._swaps import FEATURES, Swaps

__all__ = ["Regions"]

Seen = NDArray[np.float32]


class Regions(ParallelEnv[str, Seen, np.int64]):
    """``across`` × ``up`` agents, one a tile of the core; each swaps cells of its tile.

    All agents act at once. What one sees and does is as in :class:`cellwright.envs.CellMoves`: a
    cell and candidates to swap it with. Tiles share no cells, so actions never meet, but nets cross
    tiles, so rewards do.

    Reward: ``"team"`` gives every agent the shortening of all wires by all swaps together, divided
    by the number of agents; ``"own"`` gives each what its swap alone would have brought. Units and
    ``penalty`` are those of ``CellMoves``.

    Tiles in which no two movable cells have the same size get no agent. All agents are truncated
    after ``length`` steps.
    """

    metadata: dict[str, Any] = {"name": "cellwright_regions_v0", "render_modes": []}

    def __init__(
        self,
        design: Source,
        *,
        across: int = 2,
        up: int = 2,
        candidates: int = 8,
        length: int = 128,
        refresh: int = 16,
        penalty: float = 1.0,
        reward: str = "team",
        render_mode: str | None = None,
    ) -> None:
        if across < 1 or up < 1 or candidates < 2 or length < 1 or refresh < 1:
            raise ValueError("across, up, length and refresh must be at least 1, candidates 2")
        if reward not in ("team", "own"):
            raise ValueError(f"reward must be team or own, not {reward!r}")
        snapshot = placed(design)
        self.session = Session(snapshot)
        self.swaps = Swaps(self.session, snapshot, candidates)
        self.length, self.refresh, self.penalty, self.reward = length, refresh, penalty, reward
        self.render_mode = render_mode
        self.reward_scale = max(1.0, self.session.hpwl / max(1, self.swaps.nets))
        left, bottom, right, top = snapshot.core
        column = (snapshot.x.astype(np.int64) - left) * across // max(1, right - left)
        row = (snapshot.y.astype(np.int64) - bottom) * up // max(1, top - bottom)
        tile = np.clip(row, 0, up - 1) * across + np.clip(column, 0, across - 1)
        self.pools: dict[str, NDArray[np.int64]] = {}
        for number in range(across * up):
            pool = self.swaps.swappable[tile[self.swaps.swappable] == number]
            kinds = np.bincount(self.swaps.kind_of[pool], minlength=len(self.swaps.kinds))
            pool = np.sort(pool[kinds[self.swaps.kind_of[pool]] >= 2])
            if len(pool):
                self.pools[f"tile_{number}"] = pool
        if not self.pools:
            raise ValueError("no tile has two movable cells of the same size; use fewer tiles")
        self.possible_agents = list(self.pools)
        self.agents: list[str] = []
        shape = (candidates, len(FEATURES))
        self.observation_spaces = {
            agent: gym.spaces.Box(-np.inf, np.inf, shape, np.float32) for agent in self.pools
        }
        self.action_spaces = {agent: gym.spaces.Discrete(candidates) for agent in self.pools}
        self.rng = np.random.default_rng()
        self.steps = 0

    def observation_space(self, agent: str) -> gym.spaces.Space[Any]:
        """The same object at every call, as PettingZoo asks."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym.spaces.Space[Any]:
        """The same object at every call, as PettingZoo asks."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Takes every swap back. ``options`` are not used."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.session.undo(self.session.depth)
        self.agents = list(self.possible_agents)
        self.steps = 0
        self.swaps.pull()
        return self._show(), self._infos()

    def step(
        self, actions: dict[str, np.int64]
    ) -> tuple[
        dict[str, Seen],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Makes the swaps of all agents together."""
        rewards = dict.fromkeys(self.agents, 0.0)
        pairs: list[tuple[int, int]] = []
        actors: list[str] = []
        for agent in self.agents:
            row = int(actions[agent])
            cell, partners = self.shown[agent]
            if row >= len(partners):
                rewards[agent] -= self.penalty
            elif row > 0:
                pairs.append((cell, int(partners[row])))
                actors.append(agent)
        if pairs:
            cells, x, y, orient = self.swaps.moves(pairs)
            if self.reward == "own":
                order = np.arange(len(cells)).reshape(2, -1).T.ravel()
                tried = self.session.whatif_moves(
                    cells[order], x[order], y[order], orient=orient[order], groups=[2] * len(pairs)
                )
                for k, agent in enumerate(actors):
                    rewards[agent] += self._worth(tried.hpwl[k], tried.violations[k])
            made = self.session.move(cells, x, y, orient=orient)
            if self.reward == "team":
                share = self._worth(made.hpwl[0], made.violations[0]) / len(self.agents)
                for agent in self.agents:
                    rewards[agent] += share
        self.steps += 1
        if self.steps % self.refresh == 0:
            self.swaps.pull()
        over = self.steps >= self.length
        seen, infos = self._show(), self._infos()
        terminated = dict.fromkeys(self.agents, False)
        truncated = dict.fromkeys(self.agents, over)
        if over:
            self.agents = []
        return seen, rewards, terminated, truncated, infos

    def render(self) -> None:
        """Nothing is rendered."""

    def _worth(self, hpwl: np.int64, violations: np.int64) -> float:
        return -float(hpwl) / self.reward_scale - self.penalty * float(max(0, violations))

    def _show(self) -> dict[str, Seen]:
        self.shown: dict[str, tuple[int, NDArray[np.int64]]] = {}
        seen = {}
        for agent in self.agents:
            cell, partners, seen[agent] = self.swaps.propose(self.rng, self.pools[agent])
            self.shown[agent] = (cell, partners)
        return seen

    def _infos(self) -> dict[str, dict[str, Any]]:
        candidates = np.arange(self.swaps.candidates)
        return {
            agent: {"action_mask": (candidates < len(self.shown[agent][1])).astype(np.int8)}
            for agent in self.agents
        }
