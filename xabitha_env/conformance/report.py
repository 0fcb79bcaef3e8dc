"""What a check found."""

from __future__ import annotations

from typing import Any, NamedTuple

PASS, FAIL, SKIP = "pass", "fail", "skipped"


class Finding(NamedTuple):
    """The result of one check.

    Attributes:
        check: what was looked at.
        result: ``pass``, ``fail`` or ``skipped``.
        detail: how much was looked at, or the first thing that is wrong.
        game: of which game; empty for none.
    """

    check: str
    result: str
    detail: str
    game: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name."""
        return self._asdict()
