"""The three seats of a table that are not the learner's, and who plays them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, partner_of
from xabitha_env.players import Agent, CompiledPlayer, ask, load_player
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.protocol import EXTERNAL, Engine

SKIP = -1
"""In an array of actions: a game whose action is refused, so that it stays as it is."""
_LEARNER, _NEXT, _LAST = 0, 1, NUM_SEATS - 1  # seats counted from the learner's
_PARTNER = partner_of(_LEARNER)

OpponentSpec: TypeAlias = "PlayerSpec | Sequence[PlayerSpec]"


class Others:
    """The players of the seats around the learner's, the same at every table.

    Compiled players play inside the engine. The others are asked from here, each in one call for
    all the tables that wait for it; one object may sit in several seats.

    Args:
        engine: the tables.
        partner: the player opposite the learner, as `load_player` takes it.
        opponents: one for both opponents, or a pair: the next seat's, the previous seat's.

    Raises:
        ValueError: no such player, or not one or two opponents.
    """

    def __init__(self, engine: Engine, partner: PlayerSpec, opponents: OpponentSpec) -> None:
        pair = _pair(opponents)
        specs = {_NEXT: pair[0], _PARTNER: partner, _LAST: pair[1]}
        self.players: dict[int, Agent] = {}
        for place, spec in specs.items():
            same = next((other for other in self.players if specs[other] is spec), None)
            self.players[place] = (
                load_player(spec, engine.game) if same is None else self.players[same]
            )
        self._codes = np.full(NUM_SEATS, EXTERNAL, np.int8)  # by place
        self._asked: list[tuple[Agent, NDArray[np.bool_]]] = []  # and the places of each
        for place, player in self.players.items():
            if isinstance(player, CompiledPlayer):
                self._codes[place] = player.code(engine)
            elif all(player is not known for known, _ in self._asked):
                sits = [self.players.get(other) is player for other in range(NUM_SEATS)]
                self._asked.append((player, np.array(sits)))
        self._engine = engine

    def codes(self, seats: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the codes for `Engine.advance`, (N, 4), for the learners' seats, (N,)."""
        codes: NDArray[np.int8] = self._codes[self._places(np.arange(NUM_SEATS), seats[:, None])]
        return codes

    def reset(self, seed: int) -> None:
        """Prepare the players that are not compiled, each with a seed of its own from `seed`."""
        for number, (player, _) in enumerate(self._asked):
            own_seed = np.random.SeedSequence([seed, number]).generate_state(1)
            player.reset(self._engine, int(own_seed[0]))

    @property
    def need_seed(self) -> bool:
        """Whether any player is not compiled."""
        return bool(self._asked)

    def choose(self, seats: NDArray[np.int8]) -> NDArray[np.int64] | None:
        """Return the actions of the players that are not compiled, wherever they are to act.

        Args:
            seats: (N,) the learners' seats.

        Returns:
            (N,) actions, `SKIP` where none of them is to act; None if that is everywhere.

        Raises:
            PlayerError: a player failed or gave no legal action.
        """
        if not self._asked:
            return None
        places = self._places(self._engine.seats, seats)
        waiting = ~self._engine.over & (places != _LEARNER)
        if not waiting.any():
            return None
        actions = np.full(self._engine.num_games, SKIP, np.int64)
        for player, sits in self._asked:
            games = np.flatnonzero(waiting & sits[places])
            if games.size:
                actions[games] = ask(self._engine, player, games)
        return actions

    @staticmethod
    def _places(seats: NDArray[Any], learners: NDArray[Any]) -> NDArray[np.int64]:
        """Return seats counted from the learners'."""
        places: NDArray[np.int64] = (seats.astype(np.int64) - learners) % NUM_SEATS
        return places


def _pair(opponents: OpponentSpec) -> tuple[PlayerSpec, PlayerSpec]:
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return opponents, opponents
    if len(opponents) != 2:
        raise ValueError(
            f"{len(opponents)} opponents: name one for both seats, or two, the player to the "
            "learner's left and the one to its right"
        )
    return opponents[0], opponents[1]
