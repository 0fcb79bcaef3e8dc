"""The learning curve of a run: a table for all figures, a picture for the one that counts."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from xabitha_env.evaluation import plots
from xabitha_env.evaluation.comparison import Comparison
from xabitha_env.files import write_bytes

TABLE, PICTURE, BOARD = "curve.csv", "curve.png", "tensorboard"
FIRST = ("stage", "step", "decisions", "seconds")


class Curve:
    """Figures by step.

    Args:
        folder: where they are written.
        board: whether TensorBoard can read them, too.

    Raises:
        ImportError: TensorBoard is wanted and not installed.
    """

    def __init__(self, folder: Path, board: bool = False) -> None:
        self.folder = folder
        self.rows: list[dict[str, Any]] = []
        self._board: Any = None
        if board:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError as error:
                raise ImportError(
                    f"--tensorboard needs TensorBoard: install xabitha-env[train] ({error})"
                ) from error
            self._board = SummaryWriter(folder / BOARD)

    def note(
        self, stage: str, step: int, decisions: int, seconds: float, figures: Mapping[str, float]
    ) -> None:
        """Add a row."""
        row = {"stage": stage, "step": step, "decisions": decisions, "seconds": round(seconds, 1)}
        self.rows.append({**row, **{name: round(one, 5) for name, one in figures.items()}})
        if self._board is not None:
            for name, figure in figures.items():
                self._board.add_scalar(f"{stage}/{name}", figure, step)

    def take(self, rows: list[dict[str, Any]]) -> None:
        """Go on after these rows."""
        self.rows = rows

    def write(self, tests: Mapping[str, Comparison] | None = None) -> None:
        """Write the table and the picture.

        Args:
            tests: the last measurement, by rival.
        """
        names = [*FIRST, *sorted({name for row in self.rows for name in row} - set(FIRST))]
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        write_bytes(self.folder / TABLE, text.getvalue().encode())
        write_bytes(self.folder / PICTURE, self._picture(tests or {}))
        if self._board is not None:
            self._board.flush()

    def _picture(self, tests: Mapping[str, Comparison]) -> bytes:
        figure = Figure(figsize=(12, 4.4), layout="constrained")
        left, right = figure.subplots(1, 2)
        rows = [row for row in self.rows if "margin" in row]
        draw_margins(left, rows, "development deals")
        for name, one in list(tests.items())[-1:]:
            ends = [[one.margin - one.low], [one.high - one.margin]]
            place = [rows[-1]["decisions"] / 1e6] if rows else [0.0]
            style = {"fmt": "s", "color": "tab:red", "capsize": 4}
            left.errorbar(place, [one.margin], ends, label=f"kept, test deals, {name}", **style)
        left.axhline(0, color="black", linewidth=1, linestyle="--")
        left.set_title("A team of the policy")
        left.set_ylabel("margin (points a round)")
        left.legend(loc="best", fontsize=8)
        played = [row for row in self.rows if row["stage"] == "ppo"]
        millions = [row["decisions"] / 1e6 for row in played]
        for name in ("entropy", "explained", "clipped"):
            right.plot(millions, [row.get(name) for row in played], label=name)
        right.set_title("Learning")
        right.legend(loc="best", fontsize=8)
        for axis in (left, right):
            axis.set_xlabel("decisions of the policy (millions)")
            axis.grid(alpha=0.3)
        return plots.picture_bytes(figure)


def draw_margins(axis: Any, rows: list[dict[str, Any]], label: str) -> None:
    """Draw margins over decisions with their intervals."""
    millions = [row["decisions"] / 1e6 for row in rows]
    margin, low, high = ([row[name] for row in rows] for name in ("margin", "low", "high"))
    plots.draw_line(axis, millions, margin, low, high, label, marker="o")
