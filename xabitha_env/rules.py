"""What the rules configurations of both games share: fields with ranges, checked and named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self


def bounded(default: int | None, low: int, high: int, meaning: str, optional: bool = False) -> Any:
    """Declare a whole number with its range; an optional one may be None."""
    data = {"low": low, "high": high, "meaning": meaning, "optional": optional}
    return field(default=default, metadata=data)


def switch(default: bool, meaning: str) -> Any:
    """Declare a switch."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class RulesFields:
    """The base of a rules configuration, whose fields are declared by `bounded` and `switch`."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if "low" not in item.metadata:
                if not isinstance(value, bool):
                    raise ValueError(f"{item.name} must be true or false, not {value!r}")
                continue
            low, high, optional = (item.metadata[key] for key in ("low", "high", "optional"))
            if optional and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                none = "none or " if optional else ""
                raise ValueError(
                    f"{item.name} must be {none}a whole number from {low} to {high}, not {value!r}"
                )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
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
