"""Candidates for swaps, with what an agent may know of them before it tries.

A swap exchanges two cells of one width and height, so it cannot make two cells overlap. Features
are cheap geometry, not answers: how far each cell is from where its nets pull it, before and after.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import Session, Snapshot

FEATURES = (
    "distance of the cell from its pull",
    "the same after the swap",
    "distance of the partner from its pull",
    "the same after the swap",
    "nets of the cell",
    "nets of the partner",
    "they share a net",
    "is a swap",
)
"""Names of the feature columns. Distances are parts of the core's half perimeter."""

LARGE = 16
"""Nets with more pins pull nowhere in particular and are left out of pulls."""


class Swaps:
    """Candidates on the state of a session."""

    def __init__(self, session: Session, snapshot: Snapshot, candidates: int) -> None:
        self.session = session
        self.candidates = candidates
        self.x, self.y = session.x, session.y
        left, bottom, right, top = snapshot.core
        self.scale = float(max(1, right - left + top - bottom))
        movable = np.flatnonzero(snapshot.movable)
        size = np.stack([snapshot.width[movable], snapshot.height[movable]], axis=1)
        _, kind = np.unique(size, axis=0, return_inverse=True)
        self.kinds = [movable[kind.ravel() == k] for k in range(int(kind.max(initial=-1)) + 1)]
        self.kinds = [cells for cells in self.kinds if len(cells) >= 2]
        if not self.kinds:
            raise ValueError("no two movable cells of the design have the same size")
        self.swappable = np.concatenate(self.kinds)
        self.kind_of = np.full(len(snapshot), -1, dtype=np.int64)
        for k, cells in enumerate(self.kinds):
            self.kind_of[cells] = k
        start, pin_cell = snapshot.net_start, snapshot.pin_cell
        pins = np.diff(start)
        net = np.repeat(np.arange(len(pins)), pins)
        used = ((pins >= 2) & (pins <= LARGE))[net]
        self.net, self.cell = net[used], pin_cell[used].astype(np.int64)
        self.nets = len(pins)
        inside = self.cell >= 0
        owner = np.where(inside, self.cell, 0)
        # A pin moves with its cell; a port stays.
        self.dx = snapshot.pin_x[used] - np.where(inside, snapshot.x[owner], 0)
        self.dy = snapshot.pin_y[used] - np.where(inside, snapshot.y[owner], 0)
        self.inside, self.owner = inside, owner
        self.degree = np.bincount(self.cell[inside], minlength=len(snapshot)).astype(np.float64)
        self.count = np.bincount(self.net, minlength=self.nets).astype(np.float64)
        order = np.argsort(owner[inside], kind="stable")
        self.cell_nets = self.net[inside][order]
        self.cell_start = np.searchsorted(owner[inside][order], np.arange(len(snapshot) + 1))
        self.pull()

    def pull(self) -> None:
        """Computes anew where nets pull each cell: the mean over its nets of the other pins."""
        px = self.dx + np.where(self.inside, self.x[self.owner], 0)
        py = self.dy + np.where(self.inside, self.y[self.owner], 0)
        others = np.maximum(self.count[self.net] - 1.0, 1.0)
        cells, inside = len(self.x), self.inside
        weight = np.maximum(self.degree, 1.0)
        pulls = []
        for pin, at, offset in ((px, self.x, self.dx), (py, self.y, self.dy)):
            total = np.bincount(self.net, weights=pin, minlength=self.nets)
            mean = (total[self.net] - pin) / others - offset
            sums = np.bincount(self.cell[inside], weights=mean[inside], minlength=cells)
            pulls.append(np.where(self.degree > 0, sums / weight, at))
        self.pull_x, self.pull_y = pulls

    def propose(
        self, rng: np.random.Generator, pool: NDArray[np.int64] | None = None
    ) -> tuple[int, NDArray[np.int64], NDArray[np.float32]]:
        """A cell, its candidate partners and the features of each swap.

        The first candidate is the cell itself: nothing is swapped. Half of the others are those of
        a sample that stand nearest the cell's pull, half are random. `pool` limits both.
        """
        cell = int(rng.choice(self.swappable if pool is None else pool))
        mates = self.kinds[self.kind_of[cell]]
        if pool is not None:
            mates = np.intersect1d(mates, pool)
        wanted = self.candidates - 1
        sample = np.unique(rng.choice(mates, size=min(len(mates), 8 * wanted)))
        sample = sample[sample != cell]
        far = np.abs(self.x[sample] - self.pull_x[cell]) + np.abs(self.y[sample] - self.pull_y[cell])
        near = sample[np.argsort(far, kind="stable")[: wanted // 2]]
        rest = rng.permutation(np.setdiff1d(sample, near))[: wanted - len(near)]
        partners = np.concatenate([[cell], near, rest]).astype(np.int64)
        return cell, partners, self.features(cell, partners)

    def features(self, cell: int, partners: NDArray[np.int64]) -> NDArray[np.float32]:
        """One row a candidate up to ``candidates``; rows beyond the partners are 0."""
        out = np.zeros((self.candidates, len(FEATURES)), dtype=np.float32)
        x, y, px, py = self.x, self.y, self.pull_x, self.pull_y

        def far(who: object, at: object) -> NDArray[np.float64]:
            return (np.abs(x[at] - px[who]) + np.abs(y[at] - py[who])) / self.scale

        rows = len(partners)
        out[:rows, 0] = far(cell, cell)
        out[:rows, 1] = far(cell, partners)
        out[:rows, 2] = far(partners, partners)
        out[:rows, 3] = far(partners, cell)
        out[:rows, 4] = self.degree[cell] / 8.0
        out[:rows, 5] = self.degree[partners] / 8.0
        own = self.cell_nets[self.cell_start[cell] : self.cell_start[cell + 1]]
        for row, partner in enumerate(partners):
            nets = self.cell_nets[self.cell_start[partner] : self.cell_start[partner + 1]]
            out[row, 6] = float(np.isin(nets, own).any())
        out[:rows, 7] = partners != cell
        return out

    def moves(
        self, pairs: list[tuple[int, int]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
        """Cells, x, y and orientation that make these swaps."""
        a = np.array([pair[0] for pair in pairs], dtype=np.int64)
        b = np.array([pair[1] for pair in pairs], dtype=np.int64)
        cells, to = np.concatenate([a, b]), np.concatenate([b, a])
        return cells, self.x[to], self.y[to], self.session.orient[to]
