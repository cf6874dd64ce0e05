"""How fast moves are tried through the Python door, and what a call costs.

    python doors.py [PRESET]

Figures are per second of processor time of this thread, the best of five: what else the machine
does only adds. The engines without this door: ``cargo bench -p cellwright-benches --bench moves``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

import cellwright as cw


def best(count: int, run: Callable[[], object], rounds: int = 5) -> float:
    """Seconds of processor time a piece."""
    times = []
    for _ in range(rounds):
        start = time.thread_time()
        run()
        times.append((time.thread_time() - start) / count)
    return min(times)


def main(preset: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        design = cw.Design.load(cw.generate(folder, preset))
        placed, _ = cw.place(design.snapshot, effort="quick")
    session = cw.Session(placed)
    rng = np.random.default_rng(1)
    count = 100_000
    cells = rng.choice(np.flatnonzero(placed.movable), count).astype(np.int32)
    rows, step = placed.rows, int(placed.row_step[0])
    height = int(rows[0, 3] - rows[0, 1])
    x = placed.x[cells] + rng.integers(-20, 21, count) * step
    x = np.clip(x, rows[0, 0], rows[0, 2] - 40 * step).astype(np.int32)
    row = np.clip((placed.y[cells] - rows[0, 1]) // height + rng.integers(-4, 5, count), 0, len(rows) - 1)
    y = rows[row, 1].astype(np.int32)
    few = 10_000
    one = [(cells[k : k + 1], x[k : k + 1], y[k : k + 1]) for k in range(few)]
    nothing = np.empty(0, np.int32)

    def single() -> None:
        for move in one:
            session.whatif_moves(*move)

    def empty() -> None:
        for _ in range(few):
            session.whatif_moves(nothing, nothing, nothing)

    print(f"{preset}: {len(placed)} cells, moves of up to 20 sites and 4 rows")
    each = best(count, lambda: session.whatif_moves(cells, x, y))
    print(f"batch, wire length, density, legality: {1 / each:12,.0f} moves/s")
    each = best(count, lambda: session.whatif_moves(cells, x, y, wirelength_only=True))
    print(f"batch, wire length alone:              {1 / each:12,.0f} moves/s")
    each = best(few, single)
    print(f"one move a call:                       {1 / each:12,.0f} moves/s")
    print(f"an empty call:                         {best(few, empty) * 1e6:12.2f} us")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "mix100k")
