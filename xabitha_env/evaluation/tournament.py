"""Every team against every other: comparisons, the payoff matrix, ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from xabitha_env.cards import NUM_TEAMS
from xabitha_env.evaluation import ratings
from xabitha_env.evaluation.comparison import Comparison, summarise
from xabitha_env.evaluation.intervals import Floats, Interval, resampled_means
from xabitha_env.evaluation.run import Pairing, Played
from xabitha_env.evaluation.teams import Team

FEWEST_TEAMS = 2


@dataclass(frozen=True)
class Tournament:
    """What came of a tournament of k teams.

    Attributes:
        names: of the teams.
        pairs: who met, as numbers of teams (first, second).
        comparisons: of each pair, the first team against the second.
        payoff: (k, k) mean margin of row against column; nan on the diagonal.
        ratings: by team, on the Elo scale with mean 0.
        warnings: where the ratings mislead.
    """

    names: list[str]
    pairs: list[tuple[int, int]]
    comparisons: list[Comparison]
    payoff: Floats
    ratings: list[Interval]
    warnings: list[str]


def pairings_of(teams: Sequence[Team]) -> list[Pairing]:
    """Return every pair of teams.

    Raises:
        ValueError: fewer than two teams.
    """
    if len(teams) < FEWEST_TEAMS:
        raise ValueError(f"a tournament needs at least {FEWEST_TEAMS} teams, not {len(teams)}")
    return [Pairing(a, b) for a, b in combinations(teams, 2)]


def summarise_tournament(game: str, teams: Sequence[Team], played: Played) -> Tournament:
    """Return the results of what `run.play_pairings` played of `pairings_of`."""
    names = [team.text for team in teams]
    pairs = list(combinations(range(len(teams)), 2))
    found = [summarise(game, rows) for rows in played.rows]
    payoff = np.full((len(teams), len(teams)), np.nan)
    for (a, b), one in zip(pairs, found, strict=True):
        payoff[a, b], payoff[b, a] = one.margin, -one.margin
    won = played.rows["won"].mean(axis=2).T  # (D, P)
    shares = ratings.square(pairs, won.mean(axis=0), len(teams))
    resampled = ratings.square(pairs, resampled_means(won), len(teams))
    matches = NUM_TEAMS * len(won)
    return Tournament(
        names,
        pairs,
        found,
        payoff,
        ratings.rate(shares, resampled, matches),
        ratings.warnings(names, shares, resampled, matches),
    )
