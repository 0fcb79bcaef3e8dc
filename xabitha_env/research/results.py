"""What a research task found: figures with their intervals over deals, and tables of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.deals import FEWEST_DEALS
from xabitha_env.evaluation.intervals import Floats, Interval, interval
from xabitha_env.evaluation.report import Row, Table


class Line(NamedTuple):
    """One figure.

    Attributes:
        name: what it is of.
        values: (D,) by deal; nan where a deal says nothing of it.
        interval: the mean of the others, and its 95% interval over deals.
    """

    name: str
    values: Floats
    interval: Interval


def line_of(name: str, values: NDArray[Any]) -> Line:
    """Return a figure of values (D,) by deal; without two deals that tell of it, it is nan."""
    values = np.asarray(values, np.float64)
    told = values[~np.isnan(values)]
    if len(told) < FEWEST_DEALS:
        return Line(name, values, Interval(np.nan, np.nan, np.nan))
    return Line(name, values, interval(told))


@dataclass(frozen=True)
class Result:
    """What came of a task.

    Attributes:
        task: its name.
        player: who was looked at.
        measure: what the score is, and in which unit.
        settings: all that the figures depend on but for the player.
        lines: the figures, the score first.
        form: how tables write a figure, as `format` takes it.
        notes: what must be known to read them.
    """

    task: str
    player: str
    measure: str
    settings: Mapping[str, Any]
    lines: Sequence[Line]
    form: str = "+.2f"
    notes: Sequence[str] = field(default=())

    @property
    def score(self) -> float:
        """The score."""
        return self.interval.mean

    @property
    def interval(self) -> Interval:
        """The score and its 95% interval over deals."""
        return self.lines[0].interval

    def line(self, name: str) -> Line:
        """Return the figure of a name.

        Raises:
            ValueError: there is none.
        """
        for one in self.lines:
            if one.name == name:
                return one
        names = ", ".join(one.name for one in self.lines)
        raise ValueError(f"{self.task} has no figure {name!r}; there are {names}")

    def table(self) -> Table:
        """Return the figures as a title, a head and rows."""
        title = f"{self.task}, {self.player}: {self.measure}"
        return title, ("figure", "mean", "95% interval"), [self._row(one) for one in self.lines]

    def _row(self, one: Line) -> Row:
        mean, low, high = one.interval
        if np.isnan(mean):
            return one.name, "", ""
        return one.name, f"{mean:{self.form}}", f"{low:{self.form}} to {high:{self.form}}"

    def to_dict(self, by_deal: bool = True) -> dict[str, Any]:
        """Return everything by name, as JSON holds it.

        Args:
            by_deal: also the values of each deal.
        """
        return {
            "task": self.task,
            "player": self.player,
            "measure": self.measure,
            "score": dict(self.interval._asdict()),
            "settings": dict(self.settings),
            "figures": [
                {"name": one.name, **one.interval._asdict()}
                | ({"by_deal": one.values.tolist()} if by_deal else {})
                for one in self.lines
            ],
            "notes": list(self.notes),
        }
