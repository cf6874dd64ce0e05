"""Snapshots back from a pickle."""

from __future__ import annotations

from functools import lru_cache

from ._native import Design, Snapshot
from .errors import InputError


@lru_cache(maxsize=8)
def _design(path: str, calculator: str) -> Design:
    return Design.load(path, calculator=calculator)  # type: ignore[arg-type]


def snapshot(path: str, calculator: str, change: bytes, root: str) -> Snapshot:
    """The snapshot of that root; the files at ``path`` must be those it was pickled with."""
    found = _design(str(path), calculator).snapshot.patched(change)
    if found.root != root:
        _design.cache_clear()
        found = _design(str(path), calculator).snapshot.patched(change)
    if found.root != root:
        raise InputError(
            f"{path}: its files are not those that the snapshot {root} was made from",
            code="INPUT_CHANGED",
            file=str(path),
        )
    return found
