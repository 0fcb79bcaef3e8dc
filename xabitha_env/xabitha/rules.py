"""The rules configuration of Xabitha: every value that a table could set otherwise."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

MOST_POINTS = 1_000_000
"""Bound of every points field: totals of a million rounds still fit 64 bits."""
MOST_ACE_POINTS = 10_000
MOST_ROUNDS = 1_000_000
MOST_TURNS = 1_000_000_000


def _bounded(default: int, low: int, high: int, meaning: str) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "meaning": meaning})


def _switch(default: bool, meaning: str) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class XabithaRules:
    """Rules values, by the names that the rules give them; all are whole numbers or switches.

    Raises:
        ValueError: a value of the wrong type or out of its range; the message names both.
    """

    ace_high_points: int = _bounded(11, 0, MOST_ACE_POINTS, "ace in a set or atop a run (X1.3)")
    ace_low_points: int = _bounded(1, 0, MOST_ACE_POINTS, "ace at the bottom of a run (X1.3)")
    num_rounds: int = _bounded(5, 1, MOST_ROUNDS, "rounds of a match (X2.2)")
    declare_seconds: int = _bounded(10, 0, 86_400, "seconds to answer, for people (X3.2)")
    opening_points: int = _bounded(51, 0, MOST_POINTS, "everyone's first threshold (X6.2)")
    opening_needs_run: bool = _switch(True, "an opening needs a run (X6.1)")
    climbing_threshold: bool = _switch(True, "opponents' bars climb (X6.3)")
    threshold_step: int = _bounded(1, 0, MOST_POINTS, "how far above the opening (X6.3)")
    max_reshuffles: int = _bounded(2, 0, MOST_ROUNDS, "reshuffles a round (X10.1)")
    max_turns: int = _bounded(1000, 1, MOST_TURNS, "turns before a round is cancelled (X10.2)")
    joker_penalty: int = _bounded(25, 0, MOST_POINTS, "a joker left in hand (X11.2)")
    closed_penalty: int = _bounded(100, 0, MOST_POINTS, "not down at a normal win (X11.2)")
    xabitha_closed_penalty: int = _bounded(200, 0, MOST_POINTS, "not down at a Xabitha win (X11.3)")

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(item.default, bool):
                if not isinstance(value, bool):
                    raise ValueError(f"{item.name} must be true or false, not {value!r}")
                continue
            low, high = item.metadata["low"], item.metadata["high"]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(
                    f"{item.name} must be a whole number from {low} to {high}, not {value!r}"
                )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> XabithaRules:
        """Return the rules with these fields, the others at their defaults.

        Raises:
            ValueError: an unknown field, or a value out of its range.
        """
        known = {item.name for item in fields(cls)}
        for name in values:
            if name not in known:
                raise ValueError(f"no rules field {name!r}; there are {', '.join(sorted(known))}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name."""
        return asdict(self)

    def hash(self) -> str:
        """Return a short hash of all fields."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]
