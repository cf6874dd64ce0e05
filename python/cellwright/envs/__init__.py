"""Gymnasium environments on the engines.

Importing this module registers

- ``cellwright/CellMoves-v0``: :class:`CellMoves`, swap cells to shorten wires;
- ``cellwright/Sizing-v0``: :class:`Sizing`, choose sizes of cells for slack and area.

so that ``gymnasium.make`` and ``gymnasium.make_vec`` find them. Both take a design (a
``design.toml``, its folder, or a :class:`~cellwright.Snapshot`); an episode ends by truncation, and
``reset`` takes every change back exactly instead of loading anything anew.
"""

from gymnasium.envs.registration import register, registry

from .moves import CellMoves
from .sizing import Sizing

__all__ = ["CellMoves", "Sizing"]

for _id, _entry in (
    ("cellwright/CellMoves-v0", "cellwright.envs.moves:CellMoves"),
    ("cellwright/Sizing-v0", "cellwright.envs.sizing:Sizing"),
):
    if _id not in registry:
        register(id=_id, entry_point=_entry)
