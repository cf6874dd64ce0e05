"""Every command of the page "Bring your agent: in Python" runs."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "agent-api" / "docs" / "python.md"
BLOCK = re.compile(r"^```(\w+)(?: needs (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PAGE.read_text())
    kinds = {kind for kind, _, _ in blocks}
    assert kinds == {"python", "sh", "text"}
    # Installing is tests/pytest.rs's, and `text` is what the page says that nothing here installs
    # or what tests of its own cover (a cluster).
    names: dict[str, object] = {"__name__": "page"}
    ran = 0
    for kind, needs, code in blocks:
        if kind == "python" and (not needs or find_spec(needs)):
            exec(compile(code, f"{PAGE.name}, block {ran}", "exec"), names)
            ran += 1
    assert ran >= 6
