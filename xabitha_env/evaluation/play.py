"""Mirrored deals: two teams play the same cards and starter twice, exchanging their seats.

The luck of the cards largely cancels out between the two. Deals are independent of each other, the
two sides of a deal are not; so the deal is the unit of all statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.evaluation.outcomes import outcomes
from xabitha_env.games import engine_class, make_engine, make_rules
from xabitha_env.players import Agent, CompiledPlayer, Table
from xabitha_env.protocol import Rules

Agents: TypeAlias = tuple[Agent, Agent]
"""A team's players, in the lower and in the higher of its seats."""

FIXED_DRAWS = "fixed_draws"


@dataclass(frozen=True)
class Setup:
    """What is played.

    Attributes:
        game: which game.
        rules: its rules; ``num_rounds`` says how long a match is.
        fixed_draws: whether each seat's k-th draw from the deck is fixed with the deal, so that
            a player who draws more often does not change what the others will draw.

    Raises:
        ValueError: no such game, or it has no fixed draws.
    """

    game: str
    rules: Rules
    fixed_draws: bool = False

    def __post_init__(self) -> None:
        if self.fixed_draws and FIXED_DRAWS not in (engine_class(self.game).state_type.names or ()):
            raise ValueError(f"{self.game} has no fixed draws: leave them out")


def one_round(game: str) -> Setup:
    """Return the setup of single rounds by the default rules."""
    return Setup(game, make_rules(game, {"num_rounds": 1}))


def play_deals(setup: Setup, a: Agents, b: Agents, seeds: Sequence[int]) -> NDArray[Any]:
    """Play each deal on both sides, all of them side by side.

    Args:
        setup: the game.
        a, b: the teams.
        seeds: of the matches.

    Returns:
        (deals, 2) rows of `outcomes.outcome_type`, by side.

    Raises:
        PlayerError: a player failed.
    """
    sides = [_play_side(setup, a, b, list(seeds), side) for side in range(NUM_TEAMS)]
    return np.stack(sides, axis=1)


def _play_side(setup: Setup, a: Agents, b: Agents, seeds: list[int], side: int) -> NDArray[Any]:
    table = start_side(setup, a, b, seeds, side)
    table.play()
    return outcomes(setup.game, table.engine.games, seeds, side)


def start_side(setup: Setup, a: Agents, b: Agents, seeds: Sequence[int], side: int) -> Table:
    """Return a table with the deals of one side, ready to play.

    Args:
        setup: the game.
        a, b: the teams.
        seeds: of the matches.
        side: 0 if team `a` has the seats 0 and 2, 1 if it has the others.
    """
    teams = (a, b) if side == 0 else (b, a)
    players = [teams[seat % NUM_TEAMS][seat // NUM_TEAMS] for seat in range(NUM_SEATS)]
    compiled = all(isinstance(player, CompiledPlayer) for player in players)
    options: dict[str, Any] = {"outputs": ()} if compiled else {}
    if setup.fixed_draws:
        options[FIXED_DRAWS] = True
    engine = make_engine(setup.game, len(seeds), rules=setup.rules, **options)
    engine.reset(seeds)
    table = Table(engine, players)
    table.reset(seeds[0])
    return table
