"""What is known of declarations, from deals that were played with both answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from agents.declaring import FORMED, GAME, MOST_MISSING, DeclaringAgent, always, gain_of_yes
from agents.regression import Regression
from train.fitting import Reliability, reliability
from xabitha_env.cli.output import print_table
from xabitha_env.evaluation.intervals import Interval, bounds, interval, resampled_means
from xabitha_env.evaluation.plots import save_picture
from xabitha_env.files import write_text
from xabitha_env.games import make_rules
from xabitha_env.players import load_player
from xabitha_env.record import record_matches, write_records

if TYPE_CHECKING:
    from train.declaration import Deals, Samples

PENALTIES = (200, 800)
"""`xabitha_closed_penalty` by the default rules, and where a formation is worth four times that."""
FEWEST = 10
"""Deals below which no mean is shown."""
RESULTS, RELIABILITY, DISTANCE, BREAK_EVEN = (
    "declaration.json",
    "reliability.png",
    "distance.png",
    "break-even.png",
)


def gains(samples: Samples, regression: Regression) -> list[dict[str, Any]]:
    """Return what acting on the regression gains over always giving one answer."""
    estimates, rows = regression.estimate(samples.features), []
    for penalty in PENALTIES:
        pick, gain = gain_of_yes(estimates, penalty) > 0, samples.gain(penalty)
        for name, kind in (("the pack", ~samples.near), ("near formations", samples.near)):
            for other, wins in (("never", pick * gain), ("always", (pick - 1.0) * gain)):
                found = interval(wins[kind])
                rows.append(
                    {
                        "deals": name,
                        "penalty": penalty,
                        "over": other,
                        "declares": float(pick[kind].mean()),
                        "count": int(kind.sum()),
                        **found._asdict(),
                    }
                )
    return rows


def by_distance(samples: Samples, penalty: float) -> dict[int, Interval]:
    """Return by how many points a declaration is better, by the cards that are missing."""
    gain = samples.gain(penalty)
    rows = {missing: samples.missing == missing for missing in range(MOST_MISSING + 1)}
    return {missing: interval(gain[kind]) for missing, kind in rows.items() if kind.sum() >= FEWEST}


def break_even(samples: Samples) -> dict[int, Interval]:
    """Return the penalty from which on a declaration wins more, by the cards that are missing.

    Left out are distances from which no formation was ever laid while an opponent was closed.
    """
    found = {}
    for missing in range(MOST_MISSING):
        kind = samples.missing == missing
        if kind.sum() < FEWEST or not samples.closed[kind].any():
            continue
        both = np.stack([(samples.no - samples.yes)[kind], samples.closed[kind]], axis=1)
        means = resampled_means(both)
        means = means[means[:, 1] > 0]
        low, high = bounds(means[:, 0] / means[:, 1])
        mean = both.mean(axis=0)
        found[missing] = Interval(float(mean[0] / mean[1]), float(low), float(high))
    return found


def regrets(samples: Samples, regression: Regression) -> NDArray[np.float64]:
    """Return by how many points the other answer than the chosen one was better, (n,).

    By the default rules.
    """
    penalty = PENALTIES[0]
    pick = gain_of_yes(regression.estimate(samples.features), penalty) > 0
    gain = samples.gain(penalty)
    return np.maximum(gain, 0) - pick * gain


def named(line: dict[int, Interval]) -> dict[str, dict[str, float]]:
    """Return intervals by cards missing as JSON has them."""
    return {str(missing): one._asdict() for missing, one in line.items()}


def write_regrets(path: Path, drawn: Deals, player: str) -> None:
    """Write records of deals, each played without and with a declaration."""
    records: list[dict[str, Any]] = []
    for seed, seat, deal in zip(drawn.seeds, drawn.seats, drawn.deals):
        for answer in (False, True):
            base = load_player(player, GAME)
            quiet, speaks = (DeclaringAgent(base, always(one)) for one in (False, answer))
            players = [speaks if other == seat else quiet for other in range(4)]
            rules = {"num_rounds": 1}
            records += record_matches(players, [seed], game=GAME, rules=rules, deals=[deal])
    write_records(path, records)


def write(
    out: Path,
    regression: Regression,
    tests: dict[str, Samples],
    player: str,
    arguments: dict[str, Any],
) -> dict[str, Any]:
    """Write results and pictures, and print them.

    Args:
        out: folder.
        regression: what was learnt.
        tests: test deals by the player at all other decisions.
        player: the one that the regression learnt from.
        arguments: of the run.
    """
    samples = tests[player]
    said = 1 / (1 + np.exp(-regression.estimate(samples.features)[:, FORMED].astype(np.float64)))
    judged = reliability(said, samples.formed)
    default = make_rules(GAME).to_dict()["xabitha_closed_penalty"]
    distance = {penalty: by_distance(samples, penalty) for penalty in PENALTIES}
    info = {
        "arguments": arguments,
        "gains": gains(samples, regression),
        "brier": judged.brier,
        "brier_base": judged.base,
        "distance": {str(penalty): named(line) for penalty, line in distance.items()},
        "break_even": {
            name: {"turns": float(own.turns.mean()), "penalty": named(break_even(own))}
            for name, own in tests.items()
        },
    }
    write_text(out / RESULTS, json.dumps(info, indent=2) + "\n")
    draw_reliability(out / RELIABILITY, judged)
    draw_distance(out / DISTANCE, distance, default)
    draw_break_even(out / BREAK_EVEN, tests, default)
    return info


def show(info: dict[str, Any]) -> None:
    """Print results."""
    rows = [
        (
            f"{row['deals']}, penalty {row['penalty']}, over {row['over']}",
            f"{row['declares']:.1%}",
            f"{row['mean']:+.2f}",
            f"{row['low']:+.2f} to {row['high']:+.2f}",
            f"{row['count']:,}",
        )
        for row in info["gains"]
    ]
    head = ("learned declaration", "declares", "points a round", "95% interval", "deals")
    print_table("Test deals", head, rows)
    print(f"Brier score {info['brier']:.4f} (of the share alone: {info['brier_base']:.4f})")
    lines: list[Sequence[object]] = []
    for name, own in info["break_even"].items():
        cells = [
            f"{one['mean']:.0f} ({one['low']:.0f} to {one['high']:.0f})"
            if (one := own["penalty"].get(str(missing)))
            else ""
            for missing in range(4)
        ]
        lines.append((name, f"{own['turns']:.1f}", *cells))
    head = ("among", "turns a round", *(f"{missing} missing" for missing in range(4)))
    print_table("Break-even of the penalty", head, lines)


def draw_reliability(path: Path, judged: Reliability) -> None:
    """Draw what was said against what happened."""
    figure = Figure(figsize=(5.5, 5), layout="constrained")
    axis = figure.subplots()
    axis.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle="--")
    sizes = 20 + 180 * judged.count / judged.count.max()
    axis.scatter(judged.said, judged.happened, s=sizes, color="tab:purple", zorder=3)
    for said, happened, count in zip(judged.said, judged.happened, judged.count):
        axis.annotate(f"{count:,}", (said, happened), xytext=(8, -10), textcoords="offset points")
    axis.set_xlabel("estimated probability that the formation is laid")
    axis.set_ylabel("share of declarations in which it was")
    axis.set_title(f"Reliability; Brier score {judged.brier:.3f}")
    axis.grid(alpha=0.3)
    save_picture(figure, path)


def draw_distance(path: Path, found: dict[int, dict[int, Interval]], default: int) -> None:
    """Draw what declaring gains by the cards that are missing."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axis = figure.subplots()
    for shift, (penalty, line) in enumerate(found.items()):
        places = np.array(list(line)) + 0.08 * (2 * shift - 1)
        mean, low, high = np.array(list(line.values())).T
        label = f"penalty {penalty}" + (" (default)" if penalty == default else "")
        axis.errorbar(places, mean, [mean - low, high - mean], fmt="o-", capsize=4, label=label)
    axis.axhline(0, color="grey", linewidth=1, linestyle="--")
    axis.set_xticks(
        range(MOST_MISSING + 1), [*map(str, range(MOST_MISSING)), f"{MOST_MISSING} or more"]
    )
    axis.set_xlabel("cards missing for the nearest formation")
    axis.set_ylabel("gain of declaring (points a round)")
    axis.legend()
    axis.grid(alpha=0.3)
    save_picture(figure, path)


def draw_break_even(path: Path, tests: dict[str, Samples], default: int) -> None:
    """Draw from which penalty on a declaration is worth it, by the pace of the table."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axis = figure.subplots()
    for shift, (name, samples) in enumerate(tests.items()):
        line = break_even(samples)
        if not line:
            continue
        mean, low, high = np.maximum(np.array(list(line.values())).T, 1)
        label = f"among {name}, {samples.turns.mean():.0f} turns a round"
        places = np.array(list(line)) + 0.08 * (shift - (len(tests) - 1) / 2)
        axis.errorbar(places, mean, [mean - low, high - mean], fmt="o-", capsize=4, label=label)
    axis.axhline(default, color="grey", linewidth=1, linestyle="--", label="default rules")
    axis.set_yscale("log")
    axis.set_xticks(range(MOST_MISSING))
    axis.set_xlabel("cards missing for the nearest formation")
    axis.set_ylabel("break-even of xabitha_closed_penalty (points)")
    axis.legend()
    axis.grid(alpha=0.3, which="both")
    save_picture(figure, path)
