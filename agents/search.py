"""A search that starts from a trained policy, and plays on with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.encoding import Encoder
from agents.network import Policy
from agents.policy import learned, likeliest, log_odds
from xabitha_env._jit import records
from xabitha_env.cards import NUM_TEAMS
from xabitha_env.games import make_engine
from xabitha_env.players.search import SearchAgent
from xabitha_env.protocol import Engine

DOUBT = 50
"""Actions that the policy thinks less likely, in thousandths, are not tried."""
MOST_ACTIONS = 8
WORLDS = 512
"""Worlds of a search, unless a budget is given."""
DEPTH = 2
"""Decisions that the policy makes in a world before `expert` ends the round."""


class LearnedSearchAgent(SearchAgent):
    """Plays the policy's action unless another is clearly better in worlds that may be true.

    Args:
        policy, encoder: the policy: it names the actions to be tried, and plays on after them.
        depth: how many decisions it makes there before `expert` ends the round.
        caution: how many standard errors better than the policy's action another must be.
        doubt: the least probability of an action that is tried; where there is one action of that
            kind, nothing is searched.
        options: as for `SearchAgent`.
    """

    name = "learned+search"
    chunk = 16

    def __init__(
        self,
        policy: Policy,
        encoder: Encoder,
        depth: int = DEPTH,
        caution: float = 2.0,
        doubt: float = DOUBT / 1000,
        **options: Any,
    ) -> None:
        budget = {} if {"worlds", "ms"} & set(options) else {"worlds": WORLDS}
        super().__init__(**budget, **options)
        self.policy, self.encoder, self.depth = policy, encoder, depth
        self._caution, self.doubt = caution, doubt

    def reset(self, engine: Engine, seed: int) -> None:
        """Play on this engine's games from now on."""
        super().reset(engine, seed)
        self.caution = self._caution
        self._room = make_engine(engine.game, self.chunk * MOST_ACTIONS, rules=engine.rules)

    def _candidates(self, games: NDArray[Any], game: int) -> NDArray[np.int64]:
        """Return the actions that the policy thinks likeliest, in that order."""
        assert self._engine is not None
        inputs = self.encoder.encode(self._engine, np.array([game]))
        odds = log_odds(self.policy, inputs)
        order = np.argsort(-odds, kind="stable")[:MOST_ACTIONS]
        shares = np.exp(odds[order])
        kept = order[shares >= min(self.doubt, shares[0])]
        return inputs.actions[kept].astype(np.int64)

    def _roll_out(
        self,
        games: NDArray[Any],
        game: int,
        actions: NDArray[np.int64],
        words: NDArray[np.uint64],
        weights: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        room, count = self._room, len(words) * len(actions)
        states = records(room.games)
        self._kernels.spread(games, game, actions, words, self.weighted, states, weights)
        room.games["over"][count:] = True
        for _ in range(self.depth):
            room.refresh()
            going = np.flatnonzero(~room.over)
            if not going.size:
                break
            chosen = np.zeros(room.num_games, np.int64)
            chosen[going] = self._likeliest(going)
            room.step(chosen)
        leads = np.empty(count)
        self._kernels.finish(states[:count], leads)
        side = int(games["seat"][game]) % NUM_TEAMS
        return (leads if side == 0 else -leads).reshape(len(words), len(actions))

    def _likeliest(self, games: NDArray[np.intp]) -> NDArray[np.int64]:
        inputs = self.encoder.encode(self._room, games)
        chosen = np.empty(inputs.size, np.int64)
        likeliest(log_odds(self.policy, inputs), inputs.starts, chosen)
        return inputs.actions[chosen]


def learned_search(
    game: str,
    path: str = "",
    depth: int = DEPTH,
    caution: int = 20,
    doubt: int = DOUBT,
    **options: Any,
) -> LearnedSearchAgent:
    """Return the player `learned+search`.

    Args:
        game: which game.
        path: another policy than that of `make ship`.
        depth: decisions that the policy makes in a world.
        caution: tenths of standard errors.
        doubt: thousandths of a probability.
        options: as for `SearchAgent`: ``worlds``, ``ms``, ``weighted``, ``seed``.
    """
    agent = learned(game, path=path)
    return LearnedSearchAgent(
        agent.policy, agent.encoder, depth, caution / 10, doubt / 1000, **options
    )
