"""What the main job shows on the way, and the learning curve that it leaves behind."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from xabitha_env.evaluation import plots
from xabitha_env.evaluation.comparison import Comparison

YARDSTICKS = ("random", "greedy")
"""The players that the agent is measured against."""


class Screen:
    """Stages, their progress, and lines between them.

    Args:
        quiet: show nothing.
    """

    def __init__(self, quiet: bool) -> None:
        self._console = Console(quiet=quiet, highlight=False)

    def say(self, text: str) -> None:
        """Print a line (above the bar, if there is one)."""
        self._console.print(text, markup=False, soft_wrap=True)

    @contextmanager
    def stage(self, title: str, total: int) -> Iterator[Callable[[int], None]]:
        """Announce a stage and show its bar; gives the function that moves it."""
        self.say(f"== {title}")
        columns = (BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
        with Progress(
            *columns,
            console=self._console,
            transient=True,
            disable=self._console.quiet or not self._console.is_terminal,
        ) as bar:
            task = bar.add_task("", total=total)
            yield lambda done: bar.update(task, completed=min(done, total))


CURVE_FIELDS = (
    "stage",  # imitation, ppo or test
    "decisions",  # of the stage so far
    "seconds",  # since the job began
    "agreement",  # share of held-out decisions in which the policy would do what greedy does
    *(f"{name}_{figure}" for name in YARDSTICKS for figure in ("margin", "low", "high")),
    "declared",  # share of seats in Xabitha mode, against the last of the yardsticks
)


class Journal:
    """The rows of the learning curve, and the clock."""

    def __init__(self, time_limit: float) -> None:
        self.start = time.perf_counter()
        self.limit = 60 * time_limit
        self.rows: list[dict[str, Any]] = []

    @property
    def seconds(self) -> float:
        """Seconds since the job began."""
        return time.perf_counter() - self.start

    def note(self, stage: str, decisions: int, **figures: Any) -> None:
        """Add a row."""
        row = {"stage": stage, "decisions": decisions, "seconds": round(self.seconds, 1)}
        self.rows.append({**row, **figures})

    def note_margins(self, stage: str, decisions: int, found: dict[str, Comparison]) -> None:
        """Add a row of margins."""
        figures: dict[str, Any] = {}
        for name, one in found.items():
            for figure in ("margin", "low", "high"):
                figures[f"{name}_{figure}"] = round(getattr(one, figure), 2)
            figures["declared"] = one.means["declared_a"]
        self.note(stage, decisions, **figures)

    def points(self, stage: str, name: str) -> list[dict[str, Any]]:
        """Return the rows of a stage that have a figure of this name."""
        return [row for row in self.rows if row["stage"] == stage and name in row]


def curve_bytes(journal: Journal) -> bytes:
    """Return the learning curve as CSV."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, CURVE_FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(journal.rows)
    return buffer.getvalue().encode()


def picture_bytes(journal: Journal) -> bytes:
    """Return the learning curve as a picture (PNG)."""
    figure = Figure(figsize=(14, 4.4), layout="constrained")
    axes = figure.subplots(1, 3)
    _draw_agreement(axes[0], journal)
    for axis, name in zip(axes[1:], YARDSTICKS):
        _draw_margin(axis, journal, name)
    figure.suptitle("Learning Xabitha: imitation of greedy, then MaskablePPO")
    return plots.picture_bytes(figure)


def _draw_agreement(axis: Any, journal: Journal) -> None:
    rows = journal.points("imitation", "agreement")
    shares = [100 * row["agreement"] for row in rows]
    axis.plot([row["decisions"] / 1000 for row in rows], shares, marker="o", color="tab:green")
    axis.set_title("1. Imitation")
    axis.set_xlabel("decisions of greedy seen (thousands)")
    axis.set_ylabel("held-out decisions like greedy's (%)")
    axis.set_ylim(0, 100)
    axis.grid(alpha=0.3)


def _draw_margin(axis: Any, journal: Journal, name: str) -> None:
    rows = journal.points("ppo", f"{name}_margin")
    decisions = [row["decisions"] / 1000 for row in rows]
    margin, low, high = (
        [row[f"{name}_{one}"] for row in rows] for one in ("margin", "low", "high")
    )
    axis.plot(decisions, margin, marker="o", color="tab:blue", label="development deals")
    axis.fill_between(decisions, low, high, color="tab:blue", alpha=0.2, label="95% interval")
    for row in journal.points("test", f"{name}_margin"):
        mean = row[f"{name}_margin"]
        half = [[mean - row[f"{name}_low"]], [row[f"{name}_high"] - mean]]
        place = [row["decisions"] / 1000]
        style = {"fmt": "s", "color": "tab:red", "capsize": 4, "label": "kept policy, test deals"}
        axis.errorbar(place, [mean], half, **style)
    axis.axhline(0, color="black", linewidth=1, linestyle="--", label=f"level with {name}")
    axis.set_title(f"2. MaskablePPO: team against {name}")
    axis.set_xlabel("decisions of the learner (thousands)")
    axis.set_ylabel("margin (points a round)")
    axis.grid(alpha=0.3)
    axis.legend(loc="best", fontsize=8)
