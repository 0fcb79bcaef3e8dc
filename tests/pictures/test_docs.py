"""The example of the documentation that opens a window (`test_readme` runs the others)."""

from __future__ import annotations

import pytest

from tests.pictures.helpers import use_dummy_display
from tests.test_readme import README, blocks


def test_window_example(monkeypatch: pytest.MonkeyPatch) -> None:
    use_dummy_display(monkeypatch)
    (block,) = blocks(README.parent / "docs" / "rendering.md", "py")
    exec(compile(block, "rendering.md", "exec"), {"__name__": "__main__"})
