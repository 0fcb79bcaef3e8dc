"""The interface of agents: what a seat sees goes in, an action comes out.

An agent decides for a batch of games at once. It sees a `View` for each game in which one of its
seats is to act: observations, masks and legal lists, nothing hidden.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.protocol import Engine

if TYPE_CHECKING:
    from xabitha_env.players.opinion import Opinion


class View(NamedTuple):
    """What the seats to act see, one row a game (n rows)."""

    observation: NDArray[np.int8]  # (n, O)
    mask: NDArray[np.int8]  # (n, A)
    legal: NDArray[np.int32]  # (n, L) ids, ascending
    legal_count: NDArray[np.int32]  # (n,)
    seat: NDArray[np.int64]  # (n,) 0-3
    game: NDArray[np.int64]  # (n,) which game of the batch a row belongs to


def view_of(engine: Engine, games: NDArray[np.int64]) -> View:
    """Return what the seats to act see in some games, (n,), of an engine with all its outputs."""
    return View(
        engine.observation[games],
        engine.mask[games],
        engine.legal[games],
        engine.legal_count[games],
        engine.seats[games],
        games,
    )


class Agent(ABC):
    """Anything that decides.

    A class with ``name``, ``reset`` and ``act`` is an agent, too, without inheriting from this
    one. What an agent remembers between its turns is part of it: `get_state` and `set_state` keep
    a match that is interrupted.
    """

    name: str

    def reset(self, engine: Engine, seed: int) -> None:  # noqa: B027 (most have nothing to do)
        """Prepare for new matches on an engine's games; `seed` fixes every random choice."""

    @abstractmethod
    def act(self, view: View) -> NDArray[np.int64] | Any:
        """Return one legal action a row, (n,) integers."""

    def opinion(self, view: View) -> Opinion | None:
        """Return what it thinks of the moves of a decision, a view of one row; None: just act."""
        return None

    def get_state(self) -> Any:
        """Return what must be kept to go on later, as something that pickles; None is nothing."""
        return None

    def set_state(self, state: Any) -> None:
        """Go on from what `get_state` returned, after a `reset`.

        Raises:
            ValueError: it is not a state of this agent.
        """
        if state is not None:
            raise ValueError(f"agent {self.name!r} keeps no state, but is given one")
