"""Partnership: what a team of two players is worth beyond what each of them is worth.

Every ordered pair (i, j) of k players plays as a team against a fixed panel, player i in the lower
seat. The mean margins m are split as in an analysis of variance of two factors,

    m[i, j] = mean + first[i] + second[j] + synergy[i, j],

where effects add up to zero and so does the synergy along each row and column: it is the
interaction, what the two do together that a sum of strengths does not explain.

Whether there is any is told by a permutation test (Fisher, 1935). Each deal has its own matrix of
synergies, whose mean over deals is the one above. If there is none, a deal's matrix is as likely
as its negative; so the signs of whole matrices, one sign a deal, are drawn at random many times,
and the root mean square of the synergies is compared with those so found. Signs of whole deals are
exchanged, not players within a deal: some teams' results vary more than others', and that stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.intervals import (
    CONFIDENCE,
    Floats,
    Interval,
    bounds,
    resampled_means,
)
from xabitha_env.evaluation.run import Pairing, Played
from xabitha_env.evaluation.teams import Team

FEWEST_PLAYERS = 2
FLIPS = 4000
SEED = 1935
"""Of the permutations."""


class Fit(NamedTuple):
    """The parts of square matrices of margins."""

    mean: Floats  # (...)
    first: Floats  # (..., k)
    second: Floats  # (..., k)
    synergy: Floats  # (..., k, k)


class Permutation(NamedTuple):
    """The test for synergy.

    Attributes:
        strength: root mean square of the synergies, points a round.
        low, high: the middle 95% of what it would be without any.
        chance: of at least this strength without any (the p-value).
        threshold: a single pair's synergy is beyond chance from this size on, with an error of 5%
            for all pairs together.
    """

    strength: float
    low: float
    high: float
    chance: float
    threshold: float


@dataclass(frozen=True)
class Partnership:
    """What came of cross-play of k players; intervals are (mean, low, high).

    Attributes:
        names: of the players.
        panel: of the teams that they played against.
        deals: D.
        margins: (k, k, 3) points a round, the row's player in the lower seat.
        mean: over all teams.
        first, second: (k, 3) effects of the player in the lower and in the higher seat.
        synergy: (k, k, 3).
        test: whether there is synergy.
        gap: how far players with themselves are ahead of players with others.
        gaps: by player, the same: its margin with itself over that with others.
    """

    names: list[str]
    panel: list[str]
    deals: int
    margins: Floats
    mean: Interval
    first: Floats
    second: Floats
    synergy: Floats
    test: Permutation
    gap: Interval
    gaps: list[Interval]


def pairings_of(players: Sequence[str], panel: Sequence[Team]) -> list[Pairing]:
    """Return every ordered pair of players as a team against each team of the panel.

    Raises:
        ValueError: fewer than two players, one of them twice, or no panel.
    """
    if len(players) < FEWEST_PLAYERS:
        raise ValueError(f"cross-play needs at least {FEWEST_PLAYERS} players, not {len(players)}")
    if len(set(players)) < len(players):
        raise ValueError(f"a player is named twice among {', '.join(players)}")
    if not panel:
        raise ValueError("cross-play needs a panel to play against")
    return [Pairing(Team(a, b), team) for a in players for b in players for team in panel]


def margins_of(played: Played, players: int) -> Floats:
    """Return (D, k, k) each deal's margin of each team, over both sides and the panel."""
    by_deal = played.rows["margin"].mean(axis=2).T  # (D, k * k * panel)
    margins: Floats = by_deal.reshape(len(by_deal), players, players, -1).mean(axis=3)
    return margins


def summarise_partnership(
    players: Sequence[str], panel: Sequence[Team], margins: NDArray[Any]
) -> Partnership:
    """Return the results of margins (D, k, k) by deal; see `margins_of`."""
    means, resampled = margins.mean(axis=0), resampled_means(margins)
    parts, drawn = fit(means), fit(resampled)
    gap, gaps = (_stacked(one, other) for one, other in zip(_gaps(means), _gaps(resampled)))
    return Partnership(
        list(players),
        [team.text for team in panel],
        len(margins),
        _stacked(means, resampled),
        Interval(*map(float, _stacked(parts.mean, drawn.mean))),
        _stacked(parts.first, drawn.first),
        _stacked(parts.second, drawn.second),
        _stacked(parts.synergy, drawn.synergy),
        permutation_test(margins),
        Interval(*map(float, gap)),
        [Interval(*map(float, one)) for one in gaps],
    )


def fit(margins: NDArray[Any]) -> Fit:
    """Split matrices (..., k, k) into mean, effects and synergy, by least squares."""
    mean = margins.mean(axis=(-1, -2))
    first = margins.mean(axis=-1) - mean[..., None]
    second = margins.mean(axis=-2) - mean[..., None]
    explained = mean[..., None, None] + first[..., :, None] + second[..., None, :]
    return Fit(mean, first, second, margins - explained)


def permutation_test(margins: NDArray[Any], flips: int = FLIPS, seed: int = SEED) -> Permutation:
    """Test margins (D, k, k) by deal for synergy, by exchanging the signs of whole deals."""
    deals = len(margins)
    synergy = fit(margins).synergy.reshape(deals, -1)
    generator = np.random.default_rng(seed)
    found = np.empty((flips, synergy.shape[1]))
    for row in range(flips):
        found[row] = (generator.integers(0, 2, deals) * 2 - 1) @ synergy / deals
    strengths = _strength(found)
    observed = float(_strength(synergy.mean(axis=0)))
    low, high = bounds(strengths)
    chance = (1 + np.count_nonzero(strengths >= observed)) / (1 + flips)
    threshold = np.quantile(np.abs(found).max(axis=1), CONFIDENCE)
    return Permutation(observed, float(low), float(high), float(chance), float(threshold))


def _strength(synergy: Floats) -> Floats:
    strength: Floats = (synergy**2).mean(axis=-1) ** 0.5
    return strength


def _gaps(margins: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the gap (...) and each player's (..., k), of matrices (..., k, k)."""
    players = margins.shape[-1]
    own = margins.diagonal(axis1=-2, axis2=-1)
    both = margins + margins.swapaxes(-1, -2)
    others = (both.sum(axis=-1) - 2 * own) / (2 * (players - 1))
    gaps: Floats = own - others
    return gaps.mean(axis=-1), gaps


def _stacked(means: NDArray[Any], resampled: Floats) -> Floats:
    """Return (..., 3) means with their intervals from resampled ones (R, ...)."""
    return np.stack([means, *bounds(resampled)], axis=-1)
