"""Mirrored deals: how many points a round one team of players is ahead of another.

The unit is a deal, a round's cards and its starter. Each is played twice, the second time with the
teams in each other's seats, so that the luck of the cards largely cancels out; deals are
independent, the two rounds of a deal are not, and so the interval is taken over deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import Agent, Table

GAME = "xabitha"
NORMAL_95 = 1.96
"""Half the width of a 95% interval, in standard errors."""
BATCH = 512
"""Deals played side by side; it changes no result of players that draw no lots of their own."""
FEWEST_DEALS = 2


class Rounds(NamedTuple):
    """What came of D deals, as the player's team sees it; column s: it sat in seats s and s + 2."""

    margin: NDArray[np.int64]  # (D, 2) points by which the team was ahead (behind in penalties)
    won: NDArray[np.bool_]  # (D, 2) the team won the round
    cancelled: NDArray[np.bool_]  # (D, 2) neither did (X10, R4.4)
    declared: NDArray[np.float64]  # (D, 2) share of the team's seats in Xabitha mode


@dataclass(frozen=True)
class Comparison:
    """A team against another over mirrored deals, a round being the unit of all but `deals`."""

    deals: int
    margin: float  # mean points a round
    low: float  # 95% confidence interval of the mean
    high: float
    won: float  # shares of the rounds, from 0 to 1
    cancelled: float
    declared: float  # share of the team's seats


def compare(
    player: Agent, opponent: Agent, first_seed: int, deals: int, game: str = GAME
) -> Comparison:
    """Play mirrored deals, two of the player against two of the opponent, and sum them up.

    Args:
        player, opponent: each sits in both seats of its team.
        first_seed: the first deal's; the others count up from it.
        deals: how many deals, each played twice.
        game: which game.

    Raises:
        ValueError: fewer than two deals, or a player that fails (`PlayerError`).
    """
    return summarise(play_mirrored(player, opponent, first_seed, deals, game))


def play_mirrored(
    player: Agent, opponent: Agent, first_seed: int, deals: int, game: str = GAME
) -> Rounds:
    """Play every deal twice, one round each; see `compare`."""
    if deals < FEWEST_DEALS:
        raise ValueError(f"an interval needs at least {FEWEST_DEALS} deals, not {deals}")
    sides = [
        [
            _play(game, player, opponent, side, first_seed + start, min(BATCH, deals - start))
            for start in range(0, deals, BATCH)
        ]
        for side in range(NUM_TEAMS)
    ]
    joined = [map(np.concatenate, zip(*batches)) for batches in sides]
    return Rounds(*(np.stack(columns, axis=1) for columns in zip(*joined)))


def _play(
    game: str, player: Agent, opponent: Agent, side: int, first_seed: int, deals: int
) -> tuple[NDArray[np.generic], ...]:
    """Play deals once, the player in the seats of one team; returns columns of `Rounds`."""
    engine = make_engine(game, deals, rules=make_rules(game, {"num_rounds": 1}))
    engine.reset(first_seed)
    seated = [player if seat % NUM_TEAMS == side else opponent for seat in range(NUM_SEATS)]
    table = Table(engine, seated)
    table.reset(first_seed)
    table.play()
    return _OUTCOMES[game](engine.get_state(), side)


def _xabitha_outcome(ended: NDArray[Any], side: int) -> tuple[NDArray[np.generic], ...]:
    penalties = ended["last_penalties"].reshape(len(ended), -1, NUM_TEAMS).sum(axis=1)
    winner = ended["last_winner"]  # a seat
    return (
        penalties[:, 1 - side] - penalties[:, side],
        (winner >= 0) & (winner % NUM_TEAMS == side),
        winner < 0,
        (ended["last_declared"][:, side::NUM_TEAMS] != 0).mean(axis=1),
    )


def _xeri_outcome(ended: NDArray[Any], side: int) -> tuple[NDArray[np.generic], ...]:
    points, winner = ended["last_points"], ended["last_winner"]  # a team
    nobody = np.zeros(len(ended))
    return points[:, side] - points[:, 1 - side], winner == side, winner < 0, nobody


_OUTCOMES = {"xabitha": _xabitha_outcome, "xeri": _xeri_outcome}
"""Columns of `Rounds` from the records of finished games, by game."""


def summarise(rounds: Rounds) -> Comparison:
    """Return means over rounds, and the interval of the margin over deals (normal)."""
    deals = rounds.margin.mean(axis=1)  # both rounds of a deal are one observation
    mean = float(deals.mean())
    half = NORMAL_95 * float(deals.std(ddof=1)) / len(deals) ** 0.5
    return Comparison(
        deals=len(deals),
        margin=mean,
        low=mean - half,
        high=mean + half,
        won=float(rounds.won.mean()),
        cancelled=float(rounds.cancelled.mean()),
        declared=float(rounds.declared.mean()),
    )
