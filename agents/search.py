"""A search that starts from a trained policy, and plays on with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.encoding import Encoder
from agents.network import Critic, Policy
from agents.policy import likeliest, load_for, log_odds
from xabitha_env._jit import records
from xabitha_env.cards import NUM_TEAMS
from xabitha_env.games import make_engine
from xabitha_env.players.search import SearchAgent
from xabitha_env.protocol import Engine

DOUBT = 50
"""Actions that the policy thinks less likely, in thousandths, are not tried."""
MOST_ACTIONS = 8
DEPTH = 2
"""Decisions that the policy makes in a world after an action."""
AHEAD = 10
"""Decisions that `expert` makes there after that, before the critic speaks."""


class LearnedSearchAgent(SearchAgent):
    """Plays the policy's action unless another is clearly better in worlds that may be true.

    A critic says how a world stands after some decisions; without one `expert` ends the round. All
    cards of a world are open to both, as they are drawn, and not the true ones.

    Args:
        policy, encoder: the policy: it names the actions to be tried, and plays on after them.
        critic: one of all cards, or None.
        depth: how many decisions the policy makes in a world.
        ahead: how many `expert` makes there after that, before the critic speaks.
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
        critic: Critic | None = None,
        depth: int = DEPTH,
        ahead: int = AHEAD,
        caution: float = 2.0,
        doubt: float = DOUBT / 1000,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.policy, self.encoder, self.critic = policy, encoder, critic
        self.depth, self.ahead = depth, ahead
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
        leads = self._leads(room.games[:count])
        side = int(games["seat"][game]) % NUM_TEAMS
        return (leads if side == 0 else -leads).reshape(len(words), len(actions))

    def _leads(self, games: NDArray[Any]) -> NDArray[np.float64]:
        """Return by how many points team 0 will lead, (n,)."""
        leads = np.empty(len(games))
        if self.critic is None:
            self._kernels.finish(records(games), leads)
            return leads
        self._kernels.play_on(records(games), self.ahead)
        over = games["over"]
        ended = np.empty(int(over.sum()))
        self._kernels.finish(records(games[over]), ended)
        leads[over] = ended
        going = np.flatnonzero(~over)
        if going.size:
            with torch.no_grad():
                values = self.critic(self.encoder.survey(games, going, True)).numpy()
            team = 1 - 2 * (games["seat"][going] % NUM_TEAMS)
            leads[going] = team * values * self.encoder.points
        return leads

    def _likeliest(self, games: NDArray[np.intp]) -> NDArray[np.int64]:
        inputs = self.encoder.encode(self._room, games)
        chosen = np.empty(inputs.size, np.int64)
        likeliest(log_odds(self.policy, inputs), inputs.starts, chosen)
        return inputs.actions[chosen]


def learned_search(
    game: str,
    path: str = "",
    depth: int = DEPTH,
    ahead: int = AHEAD,
    critic: int = 1,
    caution: int = 20,
    doubt: int = DOUBT,
    **options: Any,
) -> LearnedSearchAgent:
    """Return the player `learned+search`.

    Args:
        game: which game.
        path: another policy than that of `make ship`.
        depth: decisions that the policy makes in a world.
        ahead: decisions that `expert` makes there after that.
        critic: 0 to let `expert` end the round instead of asking the critic.
        caution: tenths of standard errors.
        doubt: thousandths of a probability.
        options: as for `SearchAgent`: ``worlds``, ``ms``, ``weighted``, ``seed``.
    """
    policy, encoder, _, found = load_for(game, path)
    return LearnedSearchAgent(
        policy,
        encoder,
        found if critic else None,
        depth,
        ahead,
        caution / 10,
        doubt / 1000,
        **options,
    )
