"""What mirroring and fixed draws are worth: the same pairing measured in three ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.comparison import BATCH
from xabitha_env.evaluation.intervals import Floats, Interval, bounds, interval, resampled_means
from xabitha_env.evaluation.play import Agents, Setup, play_deals


@dataclass(frozen=True)
class DrawModes:
    """Margins of the same deals with draws from the top of the deck, and with fixed ones.

    Attributes:
        plain, fixed: mean margin a round and its interval.
        difference: fixed minus plain, over the same deals; around zero if the means agree.
        mirrored: variance of a plain deal's margin over that of the mean of two rounds of
            different deals: below 1, mirroring saves as many deals.
        variance: variance of a fixed deal's margin over that of a plain deal's: below 1,
            fixed draws save as many deals again. With its interval over resampled deals.
    """

    plain: Interval
    fixed: Interval
    difference: Interval
    mirrored: float
    variance: Interval


def compare_draws(a: Agents, b: Agents, seeds: Sequence[int], setup: Setup) -> DrawModes:
    """Play the same deals both ways.

    Args:
        a, b: teams that differ (the margin of a team against itself has no variance).
        seeds: of the matches.
        setup: the game.

    Raises:
        ValueError: the game has no fixed draws.
    """
    sides = [_margins(a, b, seeds, replace(setup, fixed_draws=mode)) for mode in (False, True)]
    plain, fixed = (margins.mean(axis=1) for margins in sides)
    moments = np.stack([plain, plain**2, fixed, fixed**2], axis=1)
    ratio = _ratio(moments.mean(axis=0))
    return DrawModes(
        interval(plain),
        interval(fixed),
        interval(fixed - plain),
        float(plain.var() / (sides[0].var() / sides[0].shape[1])),
        Interval(*map(float, (ratio, *bounds(_ratio(resampled_means(moments)))))),
    )


def _margins(a: Agents, b: Agents, seeds: Sequence[int], setup: Setup) -> Floats:
    """Return (D, 2) margins by deal and side."""
    starts = range(0, len(seeds), BATCH)
    rows = [play_deals(setup, a, b, seeds[start : start + BATCH]) for start in starts]
    margins: Floats = np.concatenate(rows)["margin"]
    return margins


def _ratio(moments: NDArray[np.float64]) -> Floats:
    """Return variances of the second over the first, of means and mean squares (..., 4)."""
    plain, plain_square, fixed, fixed_square = np.moveaxis(moments, -1, 0)
    ratio: Floats = (fixed_square - fixed**2) / (plain_square - plain**2)
    return ratio
