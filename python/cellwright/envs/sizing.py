"""Choose sizes of cells for slack and area."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from .. import Session
from ._start import Source, placed

FEATURES = ("slack", "is late", "size", "sizes", "nets", "fan-out", "steps left")
"""Names of the first entries of an observation; which size the cell has (one-hot) follows."""


class Sizing(gym.Env[NDArray[np.float32], np.int64]):
    """Each step shows a cell; the agent picks its size.

    Half of the cells shown are among those with the least slack, half are random.

    Observation: the entries named in ``cellwright.envs.sizing.FEATURES``, then one-hot the present
    size among ``sizes`` (float32). Slack is in units of the worst slack at the start.

    Action: a size, least area first. A size that the cell does not have, or one that would break a
    placement rule anew (a wider cell needs room beside it), is masked: it changes nothing and costs
    ``penalty``. ``info["action_mask"]`` and :meth:`action_masks` say which are open.

    Reward: gain in total negative setup slack, in units of the start's, less ``area_weight`` times
    the area added, in units of a mean cell.

    Every episode starts from the same sizes and is ``length`` steps long (truncation).
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        design: Source,
        *,
        sizes: int = 4,
        length: int = 64,
        area_weight: float = 0.02,
        penalty: float = 0.1,
        render_mode: str | None = None,
    ) -> None:
        if sizes < 2 or length < 1:
            raise ValueError("sizes must be at least 2, length at least 1")
        snapshot = placed(design)
        self.session = Session(snapshot, timing=True)
        self.sizes, self.length, self.penalty = sizes, length, penalty
        self.area_weight = area_weight
        self.render_mode = render_mode
        cells = np.flatnonzero(snapshot.movable)
        self.variants = {int(c): self.session.variants(int(c))[:sizes] for c in cells}
        own = snapshot.master
        self.cells = np.array(
            [c for c, list_ in self.variants.items() if len(list_) > 1 and own[c] in list_],
            dtype=np.int64,
        )
        if len(self.cells) == 0:
            raise ValueError("no movable cell of the design comes in more than one size")
        metrics = self.session.metrics()
        self.scale = max(1e-3, -metrics["tns_setup"])
        self.slack_scale = max(1e-3, -metrics["wns_setup"])
        self.cell_area = max(1e-9, metrics["area"] / max(1, len(cells)))
        self.degree, self.fanout = _connections(snapshot)
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (len(FEATURES) + sizes,), np.float32)
        self.action_space = gym.spaces.Discrete(sizes)
        self.steps = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Takes every change back. ``options`` are not used."""
        super().reset(seed=seed)
        self.session.undo(self.session.depth)
        self.steps = 0
        self.tns = self.session.metrics()["tns_setup"]
        return self._show(), self._info()

    def step(
        self, action: np.int64
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Gives the cell a size."""
        size = int(action)
        reward = 0.0
        if not self.open[size]:
            reward = -self.penalty
        elif size != self.size:
            cost = self.session.resize([self.cell], [self.variants[self.cell][size]])
            assert cost.tns_setup is not None
            tns = float(cost.tns_setup[0])
            reward = (tns - self.tns) / self.scale
            reward -= self.area_weight * float(cost.area[0]) / self.cell_area
            self.tns = tns
        self.steps += 1
        return self._show(), reward, False, self.steps >= self.length, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Which sizes are open."""
        return self.open.copy()

    def _show(self) -> NDArray[np.float32]:
        rng, cells = self.np_random, self.cells
        slack = self.session.slack()
        if rng.random() < 0.5:
            late = np.nan_to_num(slack[cells], nan=np.inf)
            few = max(1, min(len(cells), 16))
            self.cell = int(cells[rng.choice(np.argpartition(late, few - 1)[:few])])
        else:
            self.cell = int(rng.choice(cells))
        variants = self.variants[self.cell]
        self.size = variants.index(int(self.session.master[self.cell]))
        tried = self.session.whatif_resizes([self.cell] * len(variants), variants)
        self.open = np.zeros(self.sizes, dtype=np.bool_)
        self.open[: len(variants)] = tried.violations <= 0
        own = float(np.nan_to_num(slack[self.cell], nan=0.0))
        seen = np.zeros(len(FEATURES) + self.sizes, dtype=np.float32)
        seen[: len(FEATURES)] = (
            own / self.slack_scale,
            own < 0,
            self.size / self.sizes,
            len(variants) / self.sizes,
            self.degree[self.cell] / 8.0,
            self.fanout[self.cell] / 8.0,
            1.0 - self.steps / self.length,
        )
        seen[len(FEATURES) + self.size] = 1.0
        return seen

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.open.astype(np.int8),
            "tns_setup_ns": self.tns,
            "area_um2": self.session.metrics()["area"],
            "violations": self.session.violations,
        }


def _connections(snapshot: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nets of each cell, and pins on the nets that it drives."""
    pins = np.diff(snapshot.net_start)
    net = np.repeat(np.arange(len(pins)), pins)
    cell, drives = snapshot.pin_cell, snapshot.pin_drives
    inside = cell >= 0
    degree = np.bincount(cell[inside], minlength=len(snapshot)).astype(np.float64)
    out = inside & drives
    weight = (pins[net[out]] - 1).astype(np.float64)
    return degree, np.bincount(cell[out], weights=weight, minlength=len(snapshot))
