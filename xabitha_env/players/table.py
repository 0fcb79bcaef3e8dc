"""Four players at an engine's games: who is to act decides, and answers are checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS
from xabitha_env.players.base import Agent, View, view_of
from xabitha_env.players.compiled import CompiledPlayer
from xabitha_env.protocol import EXTERNAL, Engine


class PlayerError(ValueError):
    """A player failed, or answered with something that is no legal action."""


class Table:
    """Plays an engine's games with the same four players in each.

    Compiled players decide in one call for all games; the others in one call each, for the games
    in which one of their seats is to act. Those need all of the engine's outputs.

    Args:
        engine: the games.
        players: four, by seat; one object may sit in several seats.

    Raises:
        ValueError: not four players, or a compiled player that the engine does not have.
    """

    def __init__(self, engine: Engine, players: Sequence[Agent]) -> None:
        if len(players) != NUM_SEATS:
            raise ValueError(f"a table needs {NUM_SEATS} players by seat, not {len(players)}")
        self.engine = engine
        self.players = tuple(players)
        self._codes = np.full(NUM_SEATS, EXTERNAL, np.int8)  # by seat
        self._others: list[tuple[Agent, NDArray[np.bool_]]] = []  # and the seats of each
        for seat, player in enumerate(self.players):
            if isinstance(player, CompiledPlayer):
                self._codes[seat] = player.code(engine)
            elif seat == self._first_seat(player):
                sits = np.array([other is player for other in self.players])
                self._others.append((player, sits))

    def reset(self, seed: int) -> None:
        """Prepare the players for new matches, each with a seed of its own from `seed`."""
        for seat, player in enumerate(self.players):
            if seat == self._first_seat(player):
                own_seed = np.random.SeedSequence([seed, seat]).generate_state(1)
                player.reset(self.engine, int(own_seed[0]))

    def get_state(self) -> list[Any]:
        """Return what the players remember, by seat; with the engine's state it is a whole match.

        A player without `get_state` remembers nothing.
        """
        return [
            player.get_state()
            if seat == self._first_seat(player) and hasattr(player, "get_state")
            else None
            for seat, player in enumerate(self.players)
        ]

    def set_state(self, state: Sequence[Any]) -> None:
        """Go on from what `get_state` returned for the same players.

        Raises:
            ValueError: not one state a seat, or one that a player cannot have.
        """
        if len(state) != NUM_SEATS:
            raise ValueError(f"a table has {NUM_SEATS} states by seat, not {len(state)}")
        for player, kept in zip(self.players, state, strict=True):
            if kept is not None:
                if not hasattr(player, "set_state"):
                    raise ValueError(f"player {player.name!r} keeps no state, but is given one")
                player.set_state(kept)

    def choose(self) -> NDArray[np.int64]:
        """Return what the seats to act would do: (N,) actions, 0 where the match is over.

        Raises:
            PlayerError: a player failed or gave no legal action; the message names it, its seat
                and what is wrong.
        """
        seats = self.engine.seats
        playing = ~self.engine.over
        codes = np.where(playing, self._codes[seats], np.int8(EXTERNAL))
        if (codes != EXTERNAL).any():
            actions = np.where(codes != EXTERNAL, self.engine.choose(codes), 0)
        else:
            actions = np.zeros(self.engine.num_games, np.int64)
        for player, sits in self._others:
            games = np.flatnonzero(playing & sits[seats])
            if games.size:
                actions[games] = ask(self.engine, player, games)
        return actions

    def step(self) -> NDArray[np.int64]:
        """Play one decision in each unfinished game; returns the (N,) actions."""
        actions = self.choose()
        self.engine.step(actions)
        return actions

    def play(self) -> None:
        """Play every game to the end of its match."""
        codes = np.tile(self._codes, (self.engine.num_games, 1))
        self.engine.advance(codes)
        while not self.engine.over.all():
            self.engine.advance(codes, self.choose())

    def _first_seat(self, player: Agent) -> int:
        return next(seat for seat in range(NUM_SEATS) if self.players[seat] is player)


def ask(engine: Engine, player: Agent, games: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what a player that is not compiled would do in some games of an engine.

    Args:
        engine: with all of its outputs.
        player: it sees what the seats to act see.
        games: (n,) indices of unfinished games.

    Returns:
        (n,) legal actions.

    Raises:
        PlayerError: it failed or gave no legal action; the message names it, its seat and what
            is wrong.
    """
    view = view_of(engine, games)
    try:
        answer = np.asarray(player.act(view))
    except Exception as error:
        raise PlayerError(
            f"player {player.name!r} (seats {_listed(view.seat)}) failed: "
            f"{type(error).__name__}: {error}"
        ) from error
    return _checked(engine, player, view, answer)


def _checked(engine: Engine, player: Agent, view: View, answer: NDArray[Any]) -> NDArray[np.int64]:
    if answer.shape != view.game.shape or answer.dtype.kind not in "iu":
        raise PlayerError(
            f"player {player.name!r} (seats {_listed(view.seat)}) answered with an array of "
            f"{answer.dtype} of shape {answer.shape}; act must return one whole number "
            f"a row, shape {view.game.shape}"
        )
    outside = (answer < 0) | (answer >= engine.actions.size)
    legal = engine.mask[view.game, np.where(outside, 0, answer)] != 0
    if (outside | ~legal).any():
        row = int(np.argmax(outside | ~legal))
        raise PlayerError(_complaint(engine, player, view, row, int(answer[row])))
    return answer.astype(np.int64)


def _complaint(engine: Engine, player: Agent, view: View, row: int, action: int) -> str:
    who = f"player {player.name!r} in seat {view.seat[row]} answered with action {action}"
    if not 0 <= action < engine.actions.size:
        return f"{who}, but actions are 0 to {engine.actions.size - 1}"
    refusal = engine.refusal(action, int(view.game[row]))
    return f"{who}: {refusal.message if refusal else 'the mask forbids it'}"


def _listed(seats: NDArray[np.int64]) -> str:
    return ", ".join(str(seat) for seat in np.unique(seats))
