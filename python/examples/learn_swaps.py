"""A policy learns which cells to swap: REINFORCE on NumPy, a minute or two on one core.

The policy scores each candidate by a weighted sum of its features and picks by softmax. It is
trained on one generated design and tried on another, from the same kind of scrambled placement,
against a policy that picks at random. Every seed trains from nothing.

    python learn_swaps.py [SEEDS] [EPISODES]
"""

from __future__ import annotations

import sys
import tempfile

import numpy as np
from numpy.typing import NDArray

import cellwright as cw
from cellwright.envs import CellMoves

Weights = NDArray[np.float64]
SCALE = 30.0
"""Features are parts of the core's half perimeter, so small; this brings them near 1."""


def scrambled(cells: int, seed: int, share: float = 0.6) -> cw.Snapshot:
    """A placed design of which a share of the cells was exchanged at random within their sizes."""
    with tempfile.TemporaryDirectory() as folder:
        path = cw.generate(folder, "tiny", cells=cells, seed=seed)
        placed, _ = cw.place(cw.Design.load(path).snapshot, effort="quick")
    rng = np.random.default_rng(seed)
    movable = np.flatnonzero(placed.movable)
    chosen = movable[rng.random(len(movable)) < share]
    to = chosen.copy()
    for width in np.unique(placed.width[chosen]):
        same = np.flatnonzero(placed.width[chosen] == width)
        to[same] = chosen[same][rng.permutation(len(same))]
    return placed.moved(chosen, placed.x[to], placed.y[to], orient=placed.orient[to])


def pick(
    weights: Weights, seen: NDArray[np.float32], mask: NDArray[np.int8], rng: np.random.Generator
) -> tuple[int, Weights]:
    """A row by softmax over the candidates, and the gradient of its log probability."""
    features = seen[: int(mask.sum())].astype(np.float64)
    features[:, :4] *= SCALE
    scores = features @ weights
    odds = np.exp(scores - scores.max())
    odds /= odds.sum()
    row = int(rng.choice(len(odds), p=odds))
    return row, features[row] - odds @ features


def train(env: CellMoves, episodes: int, seed: int, rate: float = 0.3) -> Weights:
    """Weights after some episodes, from zero (which picks evenly)."""
    rng = np.random.default_rng(seed)
    weights = np.zeros(env.observation_space.shape[1])
    usual = 0.0
    for episode in range(episodes):
        seen, info = env.reset(seed=seed * 1_000_003 + episode)
        step = np.zeros_like(weights)
        over = False
        while not over:
            row, slope = pick(weights, seen, info["action_mask"], rng)
            seen, reward, _, over, info = env.step(np.int64(row))
            # A swap's reward is its own: what comes later hardly depends on it.
            step += (reward - usual) * slope
            usual += 0.01 * (reward - usual)
        weights += rate * step / env.length
    return weights


def shortening(env: CellMoves, weights: Weights, seed: int) -> float:
    """By how much an episode shortens all wires, %."""
    rng = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    start, over = info["hpwl_um"], False
    while not over:
        row, _ = pick(weights, seen, info["action_mask"], rng)
        seen, _, _, over, info = env.step(np.int64(row))
    assert info["violations"] == 0
    return 100.0 * (1.0 - info["hpwl_um"] / start)


def learn(seeds: int, episodes: int, length: int = 256) -> NDArray[np.float64]:
    """Shortening (%) on the unseen design by seed: trained, evenly random."""
    school = CellMoves(scrambled(600, 11), length=length)
    unseen = CellMoves(scrambled(600, 12), length=length)
    nothing = np.zeros(unseen.observation_space.shape[1])
    rows = []
    for seed in range(1, seeds + 1):
        weights = train(school, episodes, seed)
        tries = range(10_000 * seed, 10_000 * seed + 4)
        rows.append([np.mean([shortening(unseen, w, k) for k in tries]) for w in (weights, nothing)])
        print(f"seed {seed}: trained {rows[-1][0]:+.2f} %, random {rows[-1][1]:+.2f} %", flush=True)
    return np.array(rows)


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    rows = learn(seeds, int(sys.argv[2]) if len(sys.argv) > 2 else 60)
    gain = rows[:, 0] - rows[:, 1]
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    print(f"trained shortens wires by {rows[:, 0].mean():.2f} %, random by {rows[:, 1].mean():.2f} %")
    print(f"difference {gain.mean():.2f} points, standard error {error:.2f}, {len(gain)} seeds")
