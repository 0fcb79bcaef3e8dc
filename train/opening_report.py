"""What is known of openings, from those that were played out in every way."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from agents.opening import FEATURES, HOLD, LEAST, MOST, WAYS
from agents.regression import Regression
from xabitha_env.cli.output import print_table
from xabitha_env.evaluation.intervals import interval
from xabitha_env.evaluation.plots import COLOURS, save_picture
from xabitha_env.files import write_text

if TYPE_CHECKING:
    from train.opening import Samples

FEWEST = 20
"""Openings below which no mean is shown."""
ABOVE = tuple(range(0, 80, 10))
TURNS = (1, 5, 9, 13, 17, 21, 29)
CLOSED = ("both closed", "one closed", "both down")
RESULTS, HEAT_MAP, BLOCKING = "opening.json", "opening.png", "blocking.png"


def column(samples: Samples, name: str) -> NDArray[np.float32]:
    """Return one feature, (n,)."""
    return samples.features[:, FEATURES.index(name)]


def opponents_down(samples: Samples) -> NDArray[np.int64]:
    """Return how many opponents are down, (n,)."""
    down = column(samples, "next seat is down") + column(samples, "seat before is down")
    return down.astype(np.int64)


def gain_over_hold(samples: Samples) -> NDArray[np.float64]:
    """Return by how many points opening with the most is better than holding, (n,)."""
    return samples.points[:, MOST] - samples.points[:, HOLD]


def value_of_more(samples: Samples) -> NDArray[np.float64]:
    """Return by how many points opening with the most is better than with the least, (n,)."""
    return samples.points[:, MOST] - samples.points[:, LEAST]


def table(samples: Samples, values: NDArray[np.float64], down: int) -> NDArray[np.float64]:
    """Return means by points above the bar and turn, NaN where there are too few.

    Args:
        samples: n openings.
        values: (n,).
        down: how many opponents are down.
    """
    above = np.digitize(column(samples, "most: points above the bar"), ABOVE) - 1
    turn = np.digitize(column(samples, "turn"), TURNS) - 1
    means = np.full((len(ABOVE), len(TURNS)), np.nan)
    kind = opponents_down(samples) == down
    for row, line in np.ndindex(means.shape):
        cell = kind & (above == row) & (turn == line)
        if cell.sum() >= FEWEST:
            means[row, line] = values[cell].mean()
    return means


def write(
    out: Path,
    regression: Regression,
    climbing: Samples,
    level: Samples,
    arguments: dict[str, Any],
) -> dict[str, Any]:
    """Write results and pictures.

    Args:
        out: folder.
        regression: what was learnt.
        climbing, level: openings of other rounds than those, by the default rules and with
            `climbing_threshold` off.
        arguments: of the run.
    """
    best = regression.estimate(climbing.features).argmax(axis=1)
    rows = np.arange(len(best))
    chosen = climbing.points[rows, best]
    info: dict[str, Any] = {
        "arguments": arguments,
        "openings": len(best),
        "shares": {way: float((best == place).mean()) for place, way in enumerate(WAYS)},
        "gain_over": {
            way: interval(chosen - climbing.points[:, place])._asdict()
            for place, way in enumerate(WAYS)
        },
        "more_than_least": {
            name: {
                CLOSED[down]: interval(value_of_more(one)[opponents_down(one) == down])._asdict()
                for down in range(len(CLOSED))
                if (opponents_down(one) == down).sum() >= FEWEST
            }
            for name, one in (("climbing", climbing), ("level", level))
        },
    }
    write_text(out / RESULTS, json.dumps(info, indent=2) + "\n")
    draw_heat_maps(out / HEAT_MAP, climbing)
    draw_blocking(out / BLOCKING, info["more_than_least"])
    return info


def show(info: dict[str, Any]) -> None:
    """Print results."""
    lines = [
        (way, f"{info['shares'][way]:.1%}", f"{one['mean']:+.2f}", _range(one))
        for way, one in info["gain_over"].items()
    ]
    head = ("way to open", "chosen", "points lost by always going it", "95% interval")
    print_table(f"{info['openings']:,} openings", head, lines)
    lines = [
        (f"{name}, {closed}", f"{one['mean']:+.2f}", _range(one))
        for name, own in info["more_than_least"].items()
        for closed, one in own.items()
    ]
    head = ("bars, opponents", "points won by more than the least", "95% interval")
    print_table("What blocking is worth", head, lines)


def _range(one: dict[str, float]) -> str:
    return f"{one['low']:+.2f} to {one['high']:+.2f}"


def draw_heat_maps(path: Path, samples: Samples) -> None:
    """Draw what opening gains over holding, by points above the bar, turn and opponents down."""
    figure = Figure(figsize=(14, 4.8), layout="constrained")
    axes = figure.subplots(1, len(CLOSED), sharey=True)
    maps = [table(samples, gain_over_hold(samples), down) for down in range(len(CLOSED))]
    scale = max(float(np.nanmax(np.abs(one), initial=1.0)) for one in maps)
    for axis, means, title in zip(axes, maps, CLOSED):
        axis.imshow(means, origin="lower", cmap=COLOURS, vmin=-scale, vmax=scale, aspect="auto")
        for (row, line), mean in np.ndenumerate(means):
            if not np.isnan(mean):
                shade = "white" if abs(mean) > 0.6 * scale else "black"
                axis.text(line, row, f"{mean:+.0f}", ha="center", va="center", color=shade)
        axis.set_xticks(range(len(TURNS)), _spans(TURNS))
        axis.set_yticks(range(len(ABOVE)), _spans(ABOVE))
        axis.set_xlabel("turn")
        axis.set_title(f"opponents: {title}")
    axes[0].set_ylabel("points of the melds above the bar")
    figure.suptitle("What opening gains over holding (points a round)")
    save_picture(figure, path)


def _spans(steps: tuple[int, ...]) -> list[str]:
    ends = [f"{low}–{high - 1}" for low, high in pairwise(steps)]
    return [*ends, f"{steps[-1]}+"]


def draw_blocking(path: Path, found: dict[str, dict[str, Any]]) -> None:
    """Draw what more than the least is worth, with and without bars that climb."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axis = figure.subplots()
    labels = {"climbing": "bars climb (default)", "level": "bars stay"}
    for shift, (name, own) in enumerate(found.items()):
        places = np.array([CLOSED.index(closed) for closed in own]) + 0.1 * (2 * shift - 1)
        mean, low, high = (np.array([one[key] for one in own.values()]) for key in KEYS)
        ends = [mean - low, high - mean]
        axis.errorbar(places, mean, ends, fmt="o", capsize=4, label=labels[name])
    axis.axhline(0, color="grey", linewidth=1, linestyle="--")
    axis.set_xticks(range(len(CLOSED)), CLOSED)
    axis.set_xlabel("opponents")
    axis.set_ylabel("gain of the most over the least\n(points a round)")
    axis.set_title("Opening with more than is needed")
    axis.legend()
    axis.grid(alpha=0.3)
    save_picture(figure, path)


KEYS = ("mean", "low", "high")
