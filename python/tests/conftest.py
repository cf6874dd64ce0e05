"""What the tests share: generated designs, placed once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import cellwright as cw


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("CELLWRIGHT_ALL"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow; set CELLWRIGHT_ALL=1"))


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys of the tests' own, not the user's."""
    home = tmp_path_factory.mktemp("home")
    os.environ["XDG_DATA_HOME"] = str(home)
    return home


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a design of about 300 cells."""
    folder = tmp_path_factory.mktemp("tiny")
    cw.generate(folder, "tiny")
    return folder


@pytest.fixture(scope="session")
def design(tiny: Path) -> cw.Design:
    return cw.Design.load(tiny)


@pytest.fixture(scope="session")
def placed(design: cw.Design) -> cw.Snapshot:
    snapshot, _ = cw.place(design.snapshot)
    return snapshot
