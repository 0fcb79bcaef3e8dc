"""Pictures of results (PNG), by matplotlib, which is imported nowhere else in the library."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import cycle, islice
from math import radians, sin
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.partnership import Partnership
from xabitha_env.evaluation.report import VERSUS
from xabitha_env.evaluation.survival import Survival, rivals_of
from xabitha_env.evaluation.tournament import Tournament
from xabitha_env.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

COLOURS = "PuOr_r"
"""Orange to purple: told apart by the colour-blind, and by light and dark in print."""
DARK = 0.6
"""From this share of the scale on, numbers are written in white."""
DOTS_PER_INCH = 110
CELL, SMALLEST, CHART, LINE, LETTER, MARGIN = 0.6, 3.4, 4.2, 0.3, 0.09, 0.6
"""Inches: of a heat map a cell, and the least side; of a chart of intervals the width, and a line;
of a letter the width; around each picture."""
TILT = 30
"""Degrees by which names below a heat map are turned."""
LINE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9", "#E69F00")
"""Of lines, one after another: those of Okabe and Ito, told apart by the colour-blind."""
LINE_STYLES = ("-", "--", "-.", ":", (0, (7, 2, 1, 2, 1, 2)), (0, (1, 3)))
"""Of lines, one after another; one fewer than colours, so that pairs repeat late."""
BAND = 0.2
"""How dark the band of an interval is."""


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
    titles = [found.names[a] + VERSUS + found.names[b] for a, b in found.pairs]
    figure, (left, middle, right) = _figure(found.names, 1, titles, found.names)
    _heat_map(left, found.payoff, found.names, "points a round, row against column")
    margins = np.array([(one.margin, one.low, one.high) for one in found.comparisons])
    _intervals(middle, titles, margins, "points a round, 95% intervals")
    _intervals(right, found.names, np.array(found.ratings), "ratings (Elo points), 95% intervals")
    save_picture(figure, path)


def draw_crossplay(path: Path, found: Partnership) -> None:
    """Draw the margins and the synergies of cross-play, and each player's self-play gap.

    Raises:
        ImportError: as in `check_library`; FileError: the file cannot be written.
    """
    figure, (left, middle, right) = _figure(found.names, 2, found.names)
    against = ", ".join(found.panel)
    _heat_map(left, found.margins[..., 0], found.names, f"points a round against {against}")
    _heat_map(middle, found.synergy[..., 0], found.names, "synergy, points a round")
    for axes in (left, middle):
        axes.set_xlabel("player in the higher seat")
        axes.set_ylabel("player in the lower seat")
    _intervals(right, found.names, np.array(found.gaps), "with itself over with others, points")
    save_picture(figure, path)


def draw_survival(path: Path, found: Sequence[Survival]) -> None:
    """Draw the share of seats that have not yet opened by turn, and how many are looked at.

    Raises:
        ImportError: as in `check_library`; FileError: the file cannot be written.
    """
    check_library()
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    rows = 0.26 * len(found)  # inches
    figure = Figure(figsize=(8.4, 5.4 + rows), layout="constrained")
    upper, lower = figure.subplots(2, 1, height_ratios=[4.6, rows], sharex=True)
    last = max(1, *(one.turns.shown for one in found))
    ticks = [int(tick) for tick in MaxNLocator(**_LAPS).tick_values(0, last)]
    ticks = [tick for tick in ticks if 0 <= tick <= last]
    _cycle_lines(upper, len(found))
    for one in found:
        _survival_curve(upper, one)
    upper.set(xlim=(0, last), xticks=ticks, ylim=(0, 101), ylabel="seats not yet opened (%)")
    upper.tick_params(labelbottom=True)
    upper.set_title(f"How long until a seat opens, {rivals_of(found)}")
    upper.set_xlabel("turn of the round (the starter's first discard is turn 1)")
    upper.legend(loc="best", handlelength=4)
    upper.grid(alpha=0.3)
    _counts(lower, found, ticks)
    figure.supxlabel(_CENSORING, fontsize=8)
    save_picture(figure, path)


_LAPS: dict[str, Any] = {"nbins": 12, "integer": True, "steps": [1, 2, 4, 8, 10]}
"""Ticks that are whole laps of the table where they can be."""
_CENSORING = (
    "Kaplan-Meier: a seat counts until it opens or its round ends; seats in Xabitha mode "
    "do not count. Bands: 95%, over deals."
)


def _survival_curve(axes: Axes, one: Survival) -> None:
    curve, shown = one.turns, one.turns.shown
    if not shown:
        axes.plot([], [], label=f"{one.player}: always in Xabitha mode")
        return
    share, low, high = (
        100 * np.concatenate([[1.0], ends[:shown]]) for ends in (curve.share, curve.low, curve.high)
    )
    draw_line(axes, range(shown + 1), share, low, high, one.player, step=True)


def _counts(axes: Axes, found: Sequence[Survival], ticks: Sequence[int]) -> None:
    """Write how many seats are looked at in some turns, a line a player."""
    for row, one in enumerate(found):
        counts = one.turns.at_risk
        for tick in ticks:
            count = counts[max(tick, 1) - 1 : max(tick, 1)].sum()
            if count or tick == 0:
                axes.text(tick, row, f"{count:,}", ha="center", va="center", fontsize=8)
    axes.set_yticks(range(len(found)), [one.player for one in found], fontsize=8)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_title("seats that count in the turn", loc="left", fontsize=8)
    axes.tick_params(length=0, pad=22, labelbottom=False)
    axes.spines[:].set_visible(False)


class Learning(NamedTuple):
    """The learning curve of a run.

    Attributes:
        name: of the run.
        x, y: (n,) where it was measured, and what was found.
        low, high: (n,) ends of intervals; nan where there is none.
        tests: (m, 4) x, y, low and high of measurements that are no part of the curve.
    """

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    tests: NDArray[np.float64]


def draw_learning(path: Path, runs: Sequence[Learning], x: str, y: str, title: str) -> None:
    """Draw the learning curves of some runs, with what the axes show, and a title.

    Raises:
        ImportError: as in `check_library`; FileError: the file cannot be written.
    """
    check_library()
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    _cycle_lines(axes, len(runs))
    for run in runs:
        line = draw_line(axes, run.x, run.y, run.low, run.high, run.name, marker="o")
        for place, mean, low, high in run.tests:
            ends = np.nan_to_num([[mean - low], [high - mean]])
            axes.errorbar([place], [mean], ends, fmt="s", color=line.get_color(), capsize=4)
    below, above = axes.get_ylim()
    if below < 0 < above:
        axes.axhline(0, color="black", linewidth=1, linestyle="--")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set(xlabel=x, ylabel=y, title=title)
    axes.legend(loc="best", fontsize=8, handlelength=4)
    axes.grid(alpha=0.3)
    save_picture(figure, path)


def draw_line(
    axes: Axes,
    x: Sequence[float] | NDArray[Any],
    y: Sequence[float] | NDArray[Any],
    low: Sequence[float] | NDArray[Any],
    high: Sequence[float] | NDArray[Any],
    label: str,
    marker: str = "",
    step: bool = False,
) -> Line2D:
    """Draw a line with the band of its intervals, in the axes' next colour and style.

    Args:
        axes: where.
        x, y: (n,) its points.
        low, high: (n,) the ends of the intervals; nan for none.
        label: for the legend.
        marker: of the points, as matplotlib names it.
        step: whether it keeps its height up to the next point.
    """
    drawn = "steps-post" if step else "default"
    (line,) = axes.plot(x, y, marker=marker, markersize=3, label=label, drawstyle=drawn)
    style: dict[str, Any] = {"color": line.get_color(), "step": "post" if step else None}
    axes.fill_between(x, low, high, alpha=BAND, linewidth=0, **style)
    return line


def _cycle_lines(axes: Axes, lines: int) -> None:
    """Give the next lines colours and styles that no two of them share."""
    axes.set_prop_cycle(
        color=list(islice(cycle(LINE_COLOURS), lines)),
        linestyle=list(islice(cycle(LINE_STYLES), lines)),
    )


def _figure(
    names: Sequence[str], maps: int, *charts: Sequence[str]
) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure as large as its numbers and names need.

    Args:
        names: of the rows and columns of heat maps.
        maps: how many of these there are.
        charts: the names of the lines in each chart of intervals beside them.
    """
    check_library()
    from matplotlib.figure import Figure

    side = max(SMALLEST, CELL * len(names))
    widths = [side] * maps + [CHART] * len(charts)
    left = [LETTER * max(map(len, one)) + MARGIN for one in [names] * maps + list(charts)]
    below = LETTER * max(map(len, names)) * sin(radians(TILT))
    height = max(side + below, *(LINE * len(one) for one in charts)) + 2 * MARGIN
    figure = Figure(figsize=(sum(widths) + sum(left), height), layout="constrained")
    return figure, figure.subplots(1, len(widths), width_ratios=widths)


def _heat_map(axes: Axes, values: NDArray[Any], names: Sequence[str], title: str) -> None:
    """Draw a square matrix of points, its numbers in the cells, white being zero."""
    scale = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    axes.imshow(values, cmap=COLOURS, vmin=-scale, vmax=scale)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            shade = "white" if abs(value) > DARK * scale else "black"
            axes.text(column, row, f"{value:+.1f}", ha="center", va="center", color=shade)
    axes.set_xticks(range(len(names)), names, rotation=TILT, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set_title(fill(title, int(max(SMALLEST, CELL * len(names)) / LETTER)))
    axes.set_anchor("N")


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
