"""Pictures of results (PNG), by matplotlib, which is imported nowhere else in the library."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.partnership import Partnership
from xabitha_env.evaluation.report import VERSUS
from xabitha_env.evaluation.tournament import Tournament
from xabitha_env.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = "PuOr_r"
"""Orange to purple: told apart by the colour-blind, and by light and dark in print."""
DARK = 0.6
"""From this share of the scale on, numbers are written in white."""
DOTS_PER_INCH = 110


def check_library() -> None:
    """See that pictures can be drawn.

    Raises:
        ImportError: matplotlib is missing; the message names the extra.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"pictures need matplotlib: install xabitha-env[plot] ({error})"
        ) from error


def draw_tournament(path: Path, found: Tournament) -> None:
    """Draw the payoff matrix, the margins and the ratings of a tournament.

    Raises:
        ImportError: as in `check_library`; FileError: the file cannot be written.
    """
    figure, (left, middle, right) = _figure(3, max(len(found.pairs), len(found.names)))
    _heat_map(left, found.payoff, found.names, "points a round, row against column")
    titles = [found.names[a] + VERSUS + found.names[b] for a, b in found.pairs]
    margins = np.array([(one.margin, one.low, one.high) for one in found.comparisons])
    _intervals(middle, titles, margins, "points a round, 95% intervals")
    _intervals(right, found.names, np.array(found.ratings), "ratings (Elo points), 95% intervals")
    save_picture(figure, path)


def draw_crossplay(path: Path, found: Partnership) -> None:
    """Draw the margins and the synergies of cross-play, and each player's self-play gap.

    Raises:
        ImportError: as in `check_library`; FileError: the file cannot be written.
    """
    figure, (left, middle, right) = _figure(3, len(found.names))
    against = ", ".join(found.panel)
    _heat_map(left, found.margins[..., 0], found.names, f"points a round against {against}")
    _heat_map(middle, found.synergy[..., 0], found.names, "synergy, points a round")
    for axes in (left, middle):
        axes.set_xlabel("player in the higher seat")
        axes.set_ylabel("player in the lower seat")
    _intervals(right, found.names, np.array(found.gaps), "with itself over with others, points")
    save_picture(figure, path)


def _figure(columns: int, rows: int) -> tuple[Figure, Sequence[Axes]]:
    check_library()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2 * columns, max(3.6, 0.55 * rows + 1.5)), layout="constrained")
    return figure, figure.subplots(1, columns)


def _heat_map(axes: Axes, values: NDArray[Any], names: Sequence[str], title: str) -> None:
    """Draw a square matrix of points, its numbers in the cells, white being zero."""
    scale = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    axes.imshow(values, cmap=COLOURS, vmin=-scale, vmax=scale)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            shade = "white" if abs(value) > DARK * scale else "black"
            axes.text(column, row, f"{value:+.1f}", ha="center", va="center", color=shade)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set_title(title)


def _intervals(axes: Axes, names: Sequence[str], values: NDArray[Any], title: str) -> None:
    """Draw means with intervals (n, 3), one a line, the first on top."""
    mean, low, high = values.T
    places = np.arange(len(names))
    axes.errorbar(mean, places, xerr=[mean - low, high - mean], fmt="o", color="black", capsize=4)
    axes.axvline(0, color="grey", linewidth=1, linestyle="--")
    axes.set_yticks(places, names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.3)
    axes.set_title(title)


def save_picture(figure: Figure, path: Path) -> None:
    """Write a figure; see `picture_bytes`.

    Raises:
        FileError: the file cannot be written.
    """
    write_bytes(path, picture_bytes(figure))


def picture_bytes(figure: Figure) -> bytes:
    """Return a figure as PNG, the same bytes for the same picture."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return buffer.getvalue()
