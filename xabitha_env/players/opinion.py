"""What an agent thinks of the moves of one decision: what it would do, and its reasons."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.games import make_engine
from xabitha_env.players.base import Agent, view_of
from xabitha_env.players.table import ask
from xabitha_env.players.worlds import draw_worlds
from xabitha_env.protocol import Engine


class Opinion(NamedTuple):
    """What an agent thinks of the moves of one decision.

    Attributes:
        choice: the action that it would choose.
        actions: (k,) what it looked at; empty where it gives no more than its choice.
        values: (k,) what each is worth to it.
        errors: (k,) standard errors of the values, or of their differences; None for exact ones.
        unit: what the values are, such as ``probability``.
    """

    choice: int
    actions: NDArray[np.int64] = np.empty(0, np.int64)
    values: NDArray[np.float64] = np.empty(0)
    errors: NDArray[np.float64] | None = None
    unit: str = ""


def opinion_of(engine: Engine, index: int, agent: Agent) -> Opinion:
    """Return what an agent thinks of the decision of the seat to act in a game.

    The agent is asked in a world in which all that the seat cannot know is dealt anew, so that
    nothing hidden shows in the answer, whatever the agent looks at. It is reset for that: let it
    sit at no table.

    Args:
        engine: the games.
        index: one that is not over.
        agent: any player; one without a method ``opinion`` just chooses.

    Raises:
        PlayerError: its choice fails or is illegal.
        ValueError: the match is over.
    """
    world, _ = draw_worlds(engine, index, 1)
    room = make_engine(engine.game, 1, rules=engine.rules)
    room.set_state(world)
    agent.reset(room, 0)
    game = np.zeros(1, np.int64)
    found = agent.opinion(view_of(room, game)) if hasattr(agent, "opinion") else None
    return Opinion(int(ask(room, agent, game)[0])) if found is None else found
