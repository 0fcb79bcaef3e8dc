"""Milliseconds a decision; kept apart from results, which never depend on a clock."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from xabitha_env.cards import NUM_SEATS
from xabitha_env.evaluation.deals import LISTS
from xabitha_env.evaluation.outcomes import outcomes
from xabitha_env.evaluation.play import Setup
from xabitha_env.games import make_engine
from xabitha_env.players import Agent, CompiledPlayer, Table, View, load_player
from xabitha_env.protocol import Engine

MILLISECONDS = 1000
_GAMES = 64
"""Matches that a compiled player is timed on, if one of them is over within `_QUICK` seconds."""
_QUICK = 0.1


class Spent(NamedTuple):
    """What a player did, and how long it took."""

    decisions: int = 0
    seconds: float = 0.0

    def plus(self, other: Spent) -> Spent:
        """Return both together."""
        return Spent(self.decisions + other.decisions, self.seconds + other.seconds)

    @property
    def milliseconds(self) -> float | None:
        """Of one decision; None if there was none."""
        return self.seconds / self.decisions * MILLISECONDS if self.decisions else None


class Timed(Agent):
    """A player whose decisions are counted and timed."""

    def __init__(self, player: Agent) -> None:
        self.player = player
        self.name = player.name
        self.spent = Spent()

    def reset(self, engine: Engine, seed: int) -> None:
        """Prepare the player."""
        self.player.reset(engine, seed)

    def act(self, view: View) -> Any:
        """Return the player's answer."""
        start = time.perf_counter()
        answer = self.player.act(view)
        seconds = time.perf_counter() - start
        self.spent = self.spent.plus(Spent(len(view.seat), seconds))
        return answer

    def take(self) -> Spent:
        """Return what was spent since the last call."""
        spent, self.spent = self.spent, Spent()
        return spent


def timed(player: Agent) -> Agent:
    """Return a player that is timed, or a compiled one as it is: the engine calls no `act`."""
    return player if isinstance(player, CompiledPlayer) else Timed(player)


def time_compiled(setup: Setup, names: Iterable[str]) -> dict[str, Spent]:
    """Time those players that are compiled, each at a table with itself, rules included.

    Development deals are played. The engine's part is counted with the player's (both are one
    call), so the figure is an upper bound.
    """
    found = {}
    for name in names:
        player = load_player(name, setup.game)
        if isinstance(player, CompiledPlayer):
            _self_play(setup, player, 1)  # compiles
            found[name] = _self_play(setup, player, 1)
            if found[name].seconds < _QUICK:
                found[name] = _self_play(setup, player, _GAMES)
    return found


def _self_play(setup: Setup, player: Agent, games: int) -> Spent:
    engine = make_engine(setup.game, games, rules=setup.rules, outputs=())
    table = Table(engine, [player] * NUM_SEATS)
    engine.reset(LISTS["development"])
    start = time.perf_counter()
    table.play()
    seconds = time.perf_counter() - start
    rows = outcomes(setup.game, engine.games, [0] * games, 0)
    return Spent(int(rows["decisions_a"].sum() + rows["decisions_b"].sum()), seconds)
