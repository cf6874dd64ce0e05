"""Shorten wires by swapping cells."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from .. import Session
from ._start import Source, placed
from ._swaps import FEATURES, Swaps


class CellMoves(gym.Env[NDArray[np.float32], np.int64]):
    """Each step shows a cell and candidates to swap it with; the agent picks one.

    Observation: ``candidates`` rows of the features named in ``cellwright.envs.moves.FEATURES``
    (float32). Row 0 is to leave the cell where it is; rows without a candidate are 0.

    Action: the row. Picking a row without a candidate changes nothing and costs ``penalty``;
    ``info["action_mask"]`` and :meth:`action_masks` say which rows have one.

    Reward: how much shorter the wires got, in mean wire lengths of a net, less ``penalty`` for each
    placement rule that the swap broke anew.

    Every episode starts from the same placement and is ``length`` steps long (truncation). Which
    cells are shown follows from the seed.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        design: Source,
        *,
        candidates: int = 8,
        length: int = 256,
        refresh: int = 16,
        penalty: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        if candidates < 2 or length < 1 or refresh < 1:
            raise ValueError("candidates must be at least 2, length and refresh at least 1")
        snapshot = placed(design)
        self.session = Session(snapshot)
        self.swaps = Swaps(self.session, snapshot, candidates)
        self.length, self.refresh, self.penalty = length, refresh, penalty
        self.render_mode = render_mode
        self.reward_scale = max(1.0, self.session.hpwl / max(1, self.swaps.nets))
        self.dbu = snapshot.design.dbu_per_micron
        shape = (candidates, len(FEATURES))
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, shape, np.float32)
        self.action_space = gym.spaces.Discrete(candidates)
        self.steps = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Takes every swap back. ``options`` are not used."""
        super().reset(seed=seed)
        self.session.undo(self.session.depth)
        self.steps = 0
        self.swaps.pull()
        return self._show(), self._info()

    def step(
        self, action: np.int64
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Makes the swap of a row."""
        row = int(action)
        reward = 0.0
        if row >= len(self.partners):
            reward = -self.penalty
        elif row > 0:
            cells, x, y, orient = self.swaps.moves([(self.cell, int(self.partners[row]))])
            cost = self.session.move(cells, x, y, orient=orient)
            reward = -float(cost.hpwl[0]) / self.reward_scale
            reward -= self.penalty * float(max(0, cost.violations[0]))
        self.steps += 1
        if self.steps % self.refresh == 0:
            self.swaps.pull()
        return self._show(), reward, False, self.steps >= self.length, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Which rows have a candidate."""
        return np.arange(self.swaps.candidates) < len(self.partners)

    def _show(self) -> NDArray[np.float32]:
        self.cell, self.partners, seen = self.swaps.propose(self.np_random)
        return seen

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.action_masks().astype(np.int8),
            "hpwl_um": self.session.hpwl / self.dbu,
            "violations": self.session.violations,
        }
