"""The placed snapshot that an environment starts from."""

from __future__ import annotations

from os import PathLike

import numpy as np

from .. import Design, Snapshot, place

Source = str | PathLike[str] | Snapshot
"""What an environment takes for a design."""


def placed(design: Source) -> Snapshot:
    """A snapshot with every movable cell placed; placed here (seed 1) where it is not."""
    snapshot = design if isinstance(design, Snapshot) else Design.load(design).snapshot
    movable = snapshot.movable
    if not np.all(snapshot.placed[movable]):
        snapshot, _ = place(snapshot, seed=1)
    return snapshot
