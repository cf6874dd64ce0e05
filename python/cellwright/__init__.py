"""Cellwright: an agent optimisation loop with native placement and timing engines.

>>> import cellwright as cw
>>> design = cw.Design.load("designs/demo")          # doctest: +SKIP
>>> placed, report = cw.place(design.snapshot)       # doctest: +SKIP
>>> session = cw.Session(placed, timing=True)        # doctest: +SKIP
>>> costs = session.whatif_moves(cells, x, y)        # doctest: +SKIP

- :class:`Design` reads a bundle, :class:`Snapshot` is an immutable state with NumPy columns.
- :class:`Session` tries, makes, undoes and commits changes; batches release the interpreter.
- :class:`Judge` puts proposals before the gates; :func:`run` leaves a run directory that
  :func:`replay` and :func:`verify` check.
- :func:`place`, :func:`sta`, :func:`measure` work on snapshots.

Gymnasium environments are in :mod:`cellwright.envs`, PettingZoo's in :mod:`cellwright.pettingzoo`,
suites on a Ray cluster in :mod:`cellwright.ray`.

Units: DBU (database units, whole numbers) for geometry, ns for time; metrics by name are in the
units of :data:`METRICS`.
"""

from . import errors
from ._native import (
    Costs,
    Design,
    Judge,
    Session,
    Snapshot,
    View,
    __version__,
    generate,
    measure,
    place,
    presets,
    replay,
    run,
    sta,
    verify,
)
from .errors import Error

ORIENTS = ("N", "S", "W", "E", "FN", "FS", "FW", "FE")
"""DEF orientations by their index in the columns ``orient``."""

METRICS = {
    "hpwl": "um",
    "wns_setup": "ns",
    "tns_setup": "ns",
    "wns_hold": "ns",
    "tns_hold": "ns",
    "area": "um2",
    "leakage": "nW",
    "density_overflow": "1",
    "max_density": "1",
    "congestion": "1",
    "legality_violations": "1",
}
"""Units of the metrics that sessions and judges give."""

__all__ = [
    "METRICS",
    "ORIENTS",
    "Costs",
    "Design",
    "Error",
    "Judge",
    "Session",
    "Snapshot",
    "View",
    "__version__",
    "errors",
    "generate",
    "measure",
    "place",
    "presets",
    "replay",
    "run",
    "sta",
    "verify",
]
