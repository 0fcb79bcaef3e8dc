"""One team against another: means over mirrored deals, and their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.deals import FEWEST_DEALS
from xabitha_env.evaluation.intervals import intervals
from xabitha_env.evaluation.outcomes import GAMES_COLUMNS
from xabitha_env.evaluation.play import Agents, Setup, play_deals

BATCH = 512
"""Deals played side by side where one process plays all of them."""


@dataclass(frozen=True)
class Comparison:
    """How team `a` did against team `b`.

    Attributes:
        deals: D, each played on both sides.
        margin, low, high: points a round by which `a` was ahead, and the 95% interval.
        won, won_low, won_high: share of matches that `a` won, a shared one counting half.
        deviation: of a deal's margin, for how many deals an interval needs.
        means: of the columns that only this game has, by name.
    """

    deals: int
    margin: float
    low: float
    high: float
    won: float
    won_low: float
    won_high: float
    deviation: float
    means: dict[str, float]


def compare(
    a: Agents, b: Agents, seeds: Sequence[int], setup: Setup, batch: int = BATCH
) -> Comparison:
    """Play mirrored deals in this process and sum them up.

    Args:
        a, b: the teams; a player may sit in both seats of its team.
        seeds: of the matches.
        setup: the game.
        batch: deals played side by side.

    Raises:
        ValueError: fewer than two deals, or a player that fails (`PlayerError`).
    """
    if len(seeds) < FEWEST_DEALS:
        raise ValueError(f"an interval needs at least {FEWEST_DEALS} deals, not {len(seeds)}")
    starts = range(0, len(seeds), batch)
    rows = [play_deals(setup, a, b, seeds[start : start + batch]) for start in starts]
    return summarise(setup.game, np.concatenate(rows))


def summarise(game: str, rows: NDArray[Any]) -> Comparison:
    """Return the comparison of rows (D, 2) of a game."""
    both = np.stack([rows["margin"].mean(axis=1), rows["won"].mean(axis=1)], axis=1)
    margin, won = intervals(both)
    return Comparison(
        len(rows),
        *margin,
        won.mean,
        max(won.low, 0.0),
        min(won.high, 1.0),
        float(both[:, 0].std(ddof=1)),
        {name: float(rows[name].mean()) for name in GAMES_COLUMNS[game].names},
    )
