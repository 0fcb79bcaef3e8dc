"""What became of the questions to a program, counted and told."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Any


@dataclass
class Tally:
    """What became of the questions to a program.

    Attributes:
        decisions: questions in all.
        answered: of which it was the program that decided.
        replaced: of which the fallback did.
        refused: answers that were no legal move or no answer at all, and were asked again.
        silences: questions that it did not answer in time.
        crashes: how often it ended by itself, or had to be ended.
        restarts: how often it was started again after that, within a match.
        seconds: time that the questions took.
        slowest: the longest of them.
    """

    decisions: int = 0
    answered: int = 0
    replaced: int = 0
    refused: int = 0
    silences: int = 0
    crashes: int = 0
    restarts: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    @property
    def faultless(self) -> bool:
        """Whether the program always answered with a legal move, in time."""
        return not (self.replaced or self.refused or self.crashes)

    def to_dict(self) -> dict[str, Any]:
        """Return every count by name."""
        return asdict(self)


def print_error(line: str) -> None:
    """Print a line on standard error at once."""
    print(line, file=sys.stderr, flush=True)
