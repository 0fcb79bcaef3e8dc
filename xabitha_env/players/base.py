"""The interface of players: what a seat sees goes in, an action comes out.

A player decides for a batch of games at once. It sees a `View` for each game in which one of its
seats is to act: observations, masks and legal lists, nothing hidden.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from xabitha_env.protocol import Engine


class View(NamedTuple):
    """What the seats to act see, one row a game (n rows)."""

    observation: NDArray[np.int8]  # (n, O)
    mask: NDArray[np.int8]  # (n, A)
    legal: NDArray[np.int32]  # (n, L) ids, ascending
    legal_count: NDArray[np.int32]  # (n,)
    seat: NDArray[np.int64]  # (n,) 0-3
    game: NDArray[np.int64]  # (n,) which game of the batch a row belongs to


class Player(Protocol):
    """Anything that decides; memory between its turns, if any, is its own business."""

    name: str

    def reset(self, engine: Engine, seed: int) -> None:
        """Prepare for new matches on an engine's games; `seed` fixes every random choice."""

    def act(self, view: View) -> NDArray[np.int64] | Any:
        """Return one legal action a row, (n,) integers."""
