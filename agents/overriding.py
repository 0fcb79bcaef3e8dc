"""Players that leave most decisions to another player."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.players import Agent, View
from xabitha_env.players.opinion import Opinion
from xabitha_env.protocol import Engine


class OverridingAgent(Agent):
    """Decides for another player in some situations.

    Args:
        base: the other player.
    """

    def __init__(self, base: Agent) -> None:
        self.base, self.name = base, base.name
        self.engine: Engine | None = None

    def reset(self, engine: Engine, seed: int) -> None:
        """Play on this engine's games from now on."""
        self.engine = engine
        self.base.reset(engine, seed)

    def act(self, view: View) -> NDArray[np.int64]:
        """Return one legal action a row, (n,)."""
        if self.engine is None:
            raise RuntimeError(f"player {self.name!r} needs reset(engine, seed) before act(view)")
        actions = self.override(self.engine, view)
        left = np.flatnonzero(actions < 0)
        if left.size:
            actions[left] = self.base.act(rows_of(view, left))
        return actions

    def opinion(self, view: View) -> Opinion | None:
        """Return what it would do where it decides, and what the other player thinks elsewhere."""
        if self.engine is None:
            raise RuntimeError(f"player {self.name!r} needs reset(engine, seed) before opinion")
        own = int(self.override(self.engine, view)[0])
        if own >= 0:
            return Opinion(own)
        return self.base.opinion(view) if hasattr(self.base, "opinion") else None

    @abstractmethod
    def override(self, engine: Engine, view: View) -> NDArray[np.int64]:
        """Return one legal action a row, (n,), -1 where the other player decides."""

    def get_state(self) -> Any:
        """Return what the other player remembers."""
        return self.base.get_state() if hasattr(self.base, "get_state") else None

    def set_state(self, state: Any) -> None:
        """Go on from what `get_state` returned."""
        if hasattr(self.base, "set_state"):
            self.base.set_state(state)


def rows_of(view: View, rows: NDArray[Any]) -> View:
    """Return some rows of a view."""
    return View(*(one[rows] for one in view))
