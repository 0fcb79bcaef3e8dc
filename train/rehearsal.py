"""What actions are worth: they are tried in copies of a game, and a critic says how those stand.

In each copy `expert` plays on for some decisions, and then the critic speaks. The longer it plays,
the less the critic's mistakes count, and the more chance does; most of chance is the order of the
cards that are drawn, so that each action is tried in several orders, the same for all actions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.encoding import Encoder
from agents.network import Critic
from xabitha_env._jit import records
from xabitha_env.cards import NUM_TEAMS
from xabitha_env.players.worlds import search_kernels
from xabitha_env.protocol import Engine


class Plan(NamedTuple):
    """How actions are tried."""

    orders: int  # of the cards to be drawn
    ahead: int  # decisions that `expert` makes after an action
    privileged: bool  # whether the critic sees what is hidden


class Rehearsal:
    """Tries actions in copies of games; the games themselves stay as they are.

    Args:
        encoder: of the game.
        plan: how.
    """

    def __init__(self, encoder: Encoder, plan: Plan) -> None:
        self.encoder, self.plan = encoder, plan
        self.kernels = search_kernels(encoder.game)
        self._room = np.empty(0)

    def values(
        self,
        engine: Engine,
        games: NDArray[np.intp],
        actions: NDArray[np.int64],
        bounds: NDArray[np.int64],
        critic: Critic,
        random: np.random.Generator,
    ) -> NDArray[np.float32]:
        """Return the reward that actions lead to for their seats' teams, on average.

        Args:
            engine: the games.
            games: (d,) those in which something is tried; they go on.
            actions: (k,) legal actions, game after game.
            bounds: (d + 1,) where those of a game begin.
            critic: says how games stand.
            random: draws the orders.
        """
        plan = self.plan
        copies = np.empty((plan.orders, len(actions)), np.int64)  # places in the room
        if copies.size > len(self._room):
            self._room = np.zeros(2 * copies.size, engine.games.dtype)
        states, room = records(engine.games), records(self._room)
        for game, first, last in zip(games, bounds[:-1], bounds[1:]):
            words = random.integers(1, 2**63, plan.orders, np.uint64)
            start = plan.orders * first
            own = actions[first:last]
            self.kernels.branch(states, int(game), own, words, plan.ahead, room, int(start))
            places = start + np.arange(plan.orders * own.size)
            copies[:, first:last] = places.reshape(plan.orders, own.size)
        seats = np.empty(copies.size, np.int64)
        seats[copies] = np.repeat(engine.seats[games], np.diff(bounds))
        return self._stand(critic, self._room[: copies.size], seats)[copies].mean(axis=0)

    def _stand(
        self, critic: Critic, games: NDArray[Any], seats: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return how games stand for the teams of some seats; where one is over, its reward."""
        values = games["reward"][np.arange(len(seats)), seats]
        going = np.flatnonzero(~games["over"])
        if going.size:
            lists = self.encoder.survey(games, going, self.plan.privileged)
            with torch.no_grad():
                own = critic(lists).numpy()
            with_it = (games["seat"][going] - seats[going]) % NUM_TEAMS == 0
            values[going] = np.where(with_it, own, -own)
        return values
