"""Intervals by resampling deals, and how many deals an interval of some width needs.

The bootstrap (Efron, 1979): draw as many deals as there are, with replacement, many times; the
middle 95% of the means so found is the interval. Statistics of several teams come from the same
draws of the same deals, so that whatever the deals do to all of them is accounted for.
"""

from __future__ import annotations

from math import ceil
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.deals import FEWEST_DEALS

CONFIDENCE = 0.95
RESAMPLES = 4000
SEED = 1979
"""Of the resampling, so that the same deals have the same intervals."""
POWER = 0.8
_BLOCK = 4_000_000
"""Deals drawn at once, for the memory's sake."""

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A mean and its 95% confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def clear_of_zero(self) -> bool:
        """Whether zero lies outside."""
        return not self.low <= 0 <= self.high


def resampled_means(values: NDArray[Any], resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Return means of resampled deals.

    Args:
        values: (deals, ...) at least two deals.
        resamples: R, how many means.
        seed: of the draws.

    Returns:
        (R, ...), spread around the mean by sqrt(deals / (deals - 1)) more than drawn, since a
        sample varies less around its own mean than around the true one.
    """
    deals = len(values)
    flat = np.asarray(values, np.float64).reshape(deals, -1)
    generator = np.random.default_rng(seed)
    means = np.empty((resamples, flat.shape[1]))
    block = max(1, _BLOCK // deals)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = generator.integers(0, deals, (size, deals))
        drawn += np.arange(size)[:, None] * deals
        counts = np.bincount(drawn.ravel(), minlength=size * deals).reshape(size, deals)
        means[start : start + size] = counts @ flat / deals
    centre = flat.mean(axis=0)
    widened: Floats = centre + (means - centre) * (deals / (deals - 1)) ** 0.5
    return widened.reshape(resamples, *np.shape(values)[1:])


def bounds(samples: Floats) -> tuple[Floats, Floats]:
    """Return the ends (low, high) of the middle 95% of samples (R, ...), each (...)."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(samples, (tail, 1 - tail), axis=0)
    return low, high


def intervals(values: NDArray[Any]) -> list[Interval]:
    """Return the mean and interval of each column of (deals, columns)."""
    means = np.asarray(values, np.float64).mean(axis=0)
    return [
        Interval(float(mean), float(low), float(high))
        for mean, low, high in zip(means, *bounds(resampled_means(values)), strict=True)
    ]


def interval(values: NDArray[Any]) -> Interval:
    """Return the mean and interval of (deals,) values."""
    return intervals(np.asarray(values)[:, None])[0]


def deals_for_width(deviation: float, half_width: float) -> int:
    """Return how many deals an interval of plus or minus `half_width` needs.

    Args:
        deviation: the standard deviation of a deal's value, from a pilot.
        half_width: in the same unit, above 0.
    """
    return _deals(deviation, half_width, 0.0)


def deals_to_tell(deviation: float, difference: float, power: float = POWER) -> int | None:
    """Return how many deals show a true difference as one, with this probability.

    "Show" means that the 95% interval is clear of zero. None if the difference is zero.
    """
    if difference == 0:
        return None
    return _deals(deviation, abs(difference), NormalDist().inv_cdf(power))


def _deals(deviation: float, distance: float, more: float) -> int:
    errors = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) + more  # standard errors in the distance
    return max(FEWEST_DEALS, ceil((errors * deviation / distance) ** 2))
