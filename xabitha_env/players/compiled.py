"""Players that are compiled into a game's engine, such as ``random`` and ``greedy``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xabitha_env.players.base import Agent, View
from xabitha_env.protocol import EXTERNAL, Engine


class CompiledPlayer(Agent):
    """One of the engine's own players, by name.

    Its random choices come from each game's own generator, so that they are the same in any
    batch; the seed of `reset` changes nothing.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._engine: Engine | None = None

    def code(self, engine: Engine) -> int:
        """Return the number under which an engine knows this player.

        Raises:
            ValueError: the engine has no player of this name.
        """
        if self.name not in engine.player_codes:
            names = ", ".join(engine.player_codes)
            raise ValueError(f"{engine.game} has no player {self.name!r}; there are {names}")
        return engine.player_codes[self.name]

    def reset(self, engine: Engine, seed: int) -> None:
        """Play on this engine's games from now on."""
        self.code(engine)
        self._engine = engine

    def act(self, view: View) -> NDArray[np.int64]:
        """Return one legal action a row, (n,), as the engine's games stand now.

        Raises:
            RuntimeError: `reset` was never called.
        """
        if self._engine is None:
            raise RuntimeError(f"player {self.name!r} needs reset(engine, seed) before act(view)")
        codes = np.full(self._engine.num_games, EXTERNAL, np.int8)
        codes[view.game] = self.code(self._engine)
        return self._engine.choose(codes)[view.game]
