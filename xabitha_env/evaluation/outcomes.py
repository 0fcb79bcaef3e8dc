"""What came of a match: the columns of a result, for each game from its own record.

A result is a row for each deal and side. `a` is the team that is looked at, `b` the other one; on
side s team `a` sits in seats s and s + 2. Shares are from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS

SEATS_PER_TEAM = NUM_SEATS // NUM_TEAMS
Columns: TypeAlias = dict[str, NDArray[Any]]

COMMON = (
    ("seed", np.int64),  # of the match
    ("side", np.int64),  # 0 or 1
    ("rounds", np.int64),  # of the match
    ("margin", np.float64),  # points a round by which `a` was ahead
    ("won", np.float64),  # 1 if `a` won the match, 1/2 if nobody did, 0
    ("decisions_a", np.int64),  # of the match
    ("decisions_b", np.int64),
)


class GameColumns(NamedTuple):
    """What one game's matches tell beyond their result.

    Attributes:
        single: columns that concern the whole table.
        by_team: columns that exist once a team; in a row with the endings ``_a`` and ``_b``.
        read: returns all columns but seed and side of finished games' records (n,), given the
            side; without endings they would be `margin`, `won` and so on.
    """

    single: tuple[str, ...]
    by_team: tuple[str, ...]
    read: Callable[[NDArray[Any], int], Columns]

    @property
    def names(self) -> tuple[str, ...]:
        """All columns of the game, with their endings."""
        endings = ("_a", "_b")
        return (*self.single, *(name + end for name in self.by_team for end in endings))


def outcome_type(game: str) -> np.dtype[Any]:
    """Return the type of a row of a game's results."""
    return np.dtype([*COMMON, *((name, np.float64) for name in GAMES_COLUMNS[game].names)])


def outcomes(game: str, ended: NDArray[Any], seeds: list[int], side: int) -> NDArray[Any]:
    """Return the rows (n,) of finished matches.

    Args:
        game: which game.
        ended: (n,) records of its engine.
        seeds: the seed of each.
        side: 0 or 1.
    """
    rows = np.zeros(len(ended), outcome_type(game))
    rows["seed"], rows["side"], rows["rounds"] = seeds, side, ended["rounds"]
    for name, values in GAMES_COLUMNS[game].read(ended, side).items():
        rows[name] = values
    return rows


def _won(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.float64]:
    won: NDArray[np.float64] = (np.sign(mine - theirs) + 1) / 2
    return won


def _by_team(name: str, of_seats: NDArray[Any], side: int) -> Columns:
    """Return sums over the seats of each team, of an (n, 4) array."""
    return {
        name + "_a": of_seats[:, side::NUM_TEAMS].sum(axis=1),
        name + "_b": of_seats[:, 1 - side :: NUM_TEAMS].sum(axis=1),
    }


def _xabitha(ended: NDArray[Any], side: int) -> Columns:
    rounds = ended["rounds"]
    by_seat = rounds[:, None] * SEATS_PER_TEAM
    mine, theirs = ended["totals"][:, side], ended["totals"][:, 1 - side]
    return {
        "margin": (theirs - mine) / rounds,  # penalties
        "won": _won(theirs, mine),  # X2.2
        "cancelled": ended["cancellations"] / rounds,
        "turns": ended["turns"] / rounds,
        **_by_team("decisions", ended["decisions"], side),
        **_by_team("opened", ended["openings"] / by_seat, side),
        **_by_team("declared", ended["declarations"] / by_seat, side),
        **_by_team("formation", ended["formations"] / rounds[:, None], side),
    }


def _xeri(ended: NDArray[Any], side: int) -> Columns:
    from xabitha_env.xeri.actions import PLAYS

    rounds, totals, wins = ended["rounds"], ended["totals"], ended["round_wins"]
    decides = np.where(ended["target_score"][:, None] < 0, wins, totals)  # R5.1, R5.2
    plays = rounds * PLAYS // NUM_TEAMS
    return {
        "margin": (totals[:, side] - totals[:, 1 - side]) / rounds,
        "won": _won(decides[:, side], decides[:, 1 - side]),
        "decisions_a": plays,
        "decisions_b": plays,
        "rounds_won_a": wins[:, side] / rounds,
        "rounds_won_b": wins[:, 1 - side] / rounds,
    }


GAMES_COLUMNS = {
    "xabitha": GameColumns(("cancelled", "turns"), ("opened", "declared", "formation"), _xabitha),
    "xeri": GameColumns((), ("rounds_won",), _xeri),
}
"""By game. Opened and declared are shares of the team's seats in its rounds, formation is the
share of rounds that the team won by one, turns are a round's."""
