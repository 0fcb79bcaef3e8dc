"""Players that see another table than the true one.

A mirror is a copy of the engine. Before each decision the records of the games in question are
written into it with some change, and the player decides there, whatever it looks at: observations,
masks and legal lists, or the mirror's own games, as compiled players and networks do.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from xabitha_env.batched import BatchedEngine
from xabitha_env.players import Agent, View, ask
from xabitha_env.protocol import Engine

WORD = "player_word"
"""Field of the random stream of compiled players: the mirror goes on with its own."""


class MirrorAgent(Agent):
    """A player at a changed copy of the table.

    Args:
        player: who decides.
        name: what tables call it.
    """

    def __init__(self, player: Agent, name: str) -> None:
        self.player, self.name = player, name
        self._mirror: Engine | None = None

    def reset(self, engine: Engine, seed: int) -> None:
        """Play on this engine's games from now on."""
        self._mirror, self._engine = engine.copy(), engine
        self.player.reset(self._mirror, seed)

    def act(self, view: View) -> NDArray[np.int64]:
        """Return the player's answers, (n,), as actions of the true table.

        Raises:
            RuntimeError: `reset` was never called.
            PlayerError: the player failed or gave no action that is legal at its table.
        """
        if self._mirror is None:
            raise RuntimeError(f"player {self.name!r} needs reset(engine, seed) before act(view)")
        games = self._mirror.games
        words = games[WORD][view.game].copy()
        games[view.game] = self.changed(self._engine.games[view.game].copy(), view)
        games[WORD][view.game] = words
        cast(BatchedEngine, self._mirror).refresh()
        return self.restored(ask(self._mirror, self.player, view.game), games[view.game], view)

    def get_state(self) -> Any:
        """Return what the player remembers, and the streams of the mirror."""
        assert self._mirror is not None
        kept = self.player.get_state() if hasattr(self.player, "get_state") else None
        return kept, self._mirror.games[WORD].copy()

    def set_state(self, state: Any) -> None:
        """Go on from what `get_state` returned, after a `reset`."""
        assert self._mirror is not None
        try:
            kept, words = state
            self._mirror.games[WORD][:] = words
        except (TypeError, ValueError) as error:
            raise ValueError(f"player {self.name!r} has no such state: {error}") from error
        if kept is not None:
            self.player.set_state(kept)

    @abstractmethod
    def changed(self, games: NDArray[Any], view: View) -> NDArray[Any]:
        """Return copies of the records (n,) of a view's games as the player is to see them."""

    def restored(
        self, actions: NDArray[np.int64], games: NDArray[Any], view: View
    ) -> NDArray[np.int64]:
        """Return what actions at the mirror (n,) are at the true table.

        Args:
            actions: the player's.
            games: (n,) records of the mirror.
            view: of the true table.
        """
        return actions
