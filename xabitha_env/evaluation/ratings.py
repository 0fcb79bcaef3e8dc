"""Ratings of a round robin, and what a single number a team hides.

The model (Bradley and Terry, 1952): team i wins against j with the probability
1 / (1 + exp(s_j - s_i)). The strengths s are the most likely ones, which exist and are unique when
no group of teams wins everything (Hunter, 2004); to be sure of that, each pair of teams has
`PRIOR` drawn matches added, which pulls the strengths together a little.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.intervals import Floats, Interval, bounds

ELO = 400 / log(10)
"""Points of a unit of strength: 400 points are odds of ten to one."""
PRIOR = 1.0
LEAST_MISS = 0.02
"""A difference of win shares that is worth a warning."""
_MOST_STEPS = 200
_LONGEST_STEP = 1.0
_PRECISION = 1e-10


def fit(shares: NDArray[Any], matches: int) -> Floats:
    """Return the strengths of teams by the Bradley-Terry model, by Newton's method.

    Args:
        shares: (..., k, k) the share of its matches that the row's team won against the
            column's, a shared match counting half; the diagonal is ignored.
        matches: that each pair played.

    Returns:
        (..., k) points on the Elo scale, with mean 0.
    """
    teams = shares.shape[-1]
    others = 1 - np.eye(teams)
    won = (np.clip(shares, 0, 1) * matches + PRIOR / 2) * others
    played = (matches + PRIOR) * others
    strength = np.zeros(shares.shape[:-1])
    for _ in range(_MOST_STEPS):
        expected = _chances(strength)
        gradient = (won - played * expected).sum(axis=-1)
        weight = played * expected * (1 - expected)
        curvature = weight.sum(axis=-1)[..., None] * np.eye(teams) - weight
        curvature += weight.mean(axis=(-1, -2))[..., None, None]  # the mean stays where it is
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True)
        strength += step / np.maximum(1, longest / _LONGEST_STEP)
        if longest.max() < _PRECISION:
            break
    return strength * ELO


def _chances(strength: Floats) -> Floats:
    """Return (..., k, k) the chances of rows against columns for strengths (..., k)."""
    ahead = strength[..., :, None] - strength[..., None, :]
    chances: Floats = 1 / (1 + np.exp(-ahead))
    return chances


def square(pairs: Sequence[tuple[int, int]], values: NDArray[Any], teams: int) -> Floats:
    """Return (..., k, k) win shares of the values (..., pairs) of row against column."""
    shares = np.full((*values.shape[:-1], teams, teams), 0.5)
    for place, (one, other) in enumerate(pairs):
        shares[..., one, other] = values[..., place]
        shares[..., other, one] = 1 - values[..., place]
    return shares


def rate(shares: Floats, resampled: Floats, matches: int) -> list[Interval]:
    """Return the rating of each team with its interval.

    Args:
        shares: (k, k) win shares.
        resampled: (R, k, k) those of resampled deals.
        matches: that each pair played.
    """
    low, high = bounds(fit(resampled, matches))
    means = fit(shares, matches)
    return [Interval(*map(float, one)) for one in zip(means, low, high, strict=True)]


def warnings(names: Sequence[str], shares: Floats, resampled: Floats, matches: int) -> list[str]:
    """Say where ratings mislead: cycles, and pairs whose result they miss.

    Arguments are those of `rate`, and the teams' names.
    """
    return [*_cycles(names, resampled), *_misses(names, shares, resampled, matches)]


def _cycles(names: Sequence[str], resampled: Floats) -> list[str]:
    beats = bounds(resampled)[0] > 1 / 2
    return [
        f"a cycle that ratings cannot show: {names[a]} beats {names[b]} beats {names[c]} "
        f"beats {names[a]}, each surely"
        for a, b, c in permutations(range(len(names)), 3)
        if a < min(b, c) and beats[a, b] and beats[b, c] and beats[c, a]
    ]


def _misses(names: Sequence[str], shares: Floats, resampled: Floats, matches: int) -> list[str]:
    predicted = _chances(fit(shares, matches) / ELO)
    low, high = bounds(resampled - _chances(fit(resampled, matches) / ELO))
    missed = ((low > 0) | (high < 0)) & (np.abs(shares - predicted) > LEAST_MISS)
    return [
        f"ratings miss {names[a]} against {names[b]}: {shares[a, b]:.1%} won, "
        f"{predicted[a, b]:.1%} by the ratings"
        for a, b in np.argwhere(np.triu(missed, 1)).tolist()
    ]
