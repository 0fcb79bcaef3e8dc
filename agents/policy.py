"""A trained policy as a player."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.checkpoint import load_policy
from agents.encoding import Encoder, Inputs, lists_of
from agents.network import Policy, log_softmax
from xabitha_env._jit import entry
from xabitha_env.players.base import Agent, View
from xabitha_env.players.opinion import Opinion
from xabitha_env.protocol import Engine


def log_odds(
    policy: Policy, inputs: Inputs, rows: NDArray[np.int64] | None = None
) -> NDArray[np.float32]:
    """Return the logarithms of the probabilities of the actions of some decisions, (k,).

    Args:
        policy: the network.
        inputs: decisions.
        rows: which of them; all by default.
    """
    if rows is None:
        rows = np.arange(inputs.size)
    places, group, _ = inputs.actions_of(rows)
    same = np.arange(policy.first.weight.shape[0], dtype=np.int32)
    with torch.no_grad():
        owner = torch.from_numpy(group)
        seen = policy.look(lists_of(inputs, rows, same, False))
        tokens, traits = inputs.tokens[places], inputs.traits[places]
        logits = policy.score(seen, torch.from_numpy(tokens), torch.from_numpy(traits), owner)
        return log_softmax(logits, owner, len(rows)).numpy()


@entry
def likeliest(odds, starts, chosen):
    """Write the place of the likeliest action of each decision, counted over all actions."""
    for row in range(chosen.size):
        best = starts[row]
        for place in range(starts[row] + 1, starts[row + 1]):
            if odds[place] > odds[best]:
                best = place
        chosen[row] = best


@entry
def draw(odds, starts, uniform, chosen):
    """Write the place of an action drawn by its probability, for each decision.

    Args:
        odds: (m,) logarithms of probabilities.
        starts: (n + 1,) where the actions of each decision begin.
        uniform: (n,) numbers from 0 to 1.
        chosen: (n,) written.
    """
    for row in range(chosen.size):
        left = uniform[row]
        place = starts[row]
        for place in range(starts[row], starts[row + 1]):
            left -= np.exp(odds[place])
            if left < 0:
                break
        chosen[row] = place


class PolicyAgent(Agent):
    """Plays a policy's likeliest action, or draws one.

    Args:
        policy: the network.
        encoder: of the same game.
        sampled: whether actions are drawn with their probabilities.
        name: how tables call it.
    """

    def __init__(
        self, policy: Policy, encoder: Encoder, sampled: bool = False, name: str = "learned"
    ) -> None:
        self.policy, self.encoder, self.sampled, self.name = policy, encoder, sampled, name
        self._engine: Engine | None = None

    def reset(self, engine: Engine, seed: int) -> None:
        """Play on this engine's games from now on; `seed` fixes what is drawn."""
        self._engine = engine
        self._random = np.random.default_rng(seed)

    def act(self, view: View) -> NDArray[np.int64] | Any:
        """Return one legal action a row, (n,)."""
        inputs, odds = self._look(view)
        chosen = np.empty(inputs.size, np.int64)
        if self.sampled:
            draw(odds, inputs.starts, self._random.random(inputs.size), chosen)
        else:
            likeliest(odds, inputs.starts, chosen)
        return inputs.actions[chosen].astype(np.int64)

    def opinion(self, view: View) -> Opinion:
        """Return the probabilities of the legal actions, the likeliest being the choice."""
        inputs, odds = self._look(view)
        actions = inputs.actions.astype(np.int64)
        shares = np.exp(odds).astype(np.float64)
        return Opinion(int(actions[np.argmax(shares)]), actions, shares, None, "probability")

    def get_state(self) -> Any:
        """Return the state of the generator, if actions are drawn."""
        return self._random.bit_generator.state if self.sampled else None

    def set_state(self, state: Any) -> None:
        """Go on from what `get_state` returned."""
        if (state is None) == self.sampled:
            raise ValueError(f"player {self.name!r} has no such state")
        if self.sampled:
            try:
                self._random.bit_generator.state = state
            except (KeyError, TypeError) as error:
                raise ValueError(f"player {self.name!r} has no such state: {error!r}") from error

    def _look(self, view: View) -> tuple[Inputs, NDArray[np.float32]]:
        """Return the decisions of a view and the logarithms of their actions' probabilities."""
        if self._engine is None:
            raise RuntimeError(f"player {self.name!r} needs reset(engine, seed) before act(view)")
        inputs = self.encoder.encode(self._engine, view.game)
        return inputs, log_odds(self.policy, inputs)


FOLDER = Path(__file__).parent / "checkpoints"
"""Policies that `make ship` put here, ``GAME.pt``, and their model cards."""


def learned(game: str, sampled: int = 0, path: str = "") -> PolicyAgent:
    """Return the player `learned`: the policy of `make ship`.

    Args:
        game: which game.
        sampled: 1 to draw actions with their probabilities.
        path: another policy.

    Raises:
        ValueError: the file holds no policy, or one for another game.
        OSError: it cannot be read.
    """
    file = Path(path) if path else FOLDER / f"{game}.pt"
    policy, encoder, _ = load_policy(file)
    if encoder.game != game:
        raise ValueError(f"{str(file)!r} plays {encoder.game}, not {game}")
    return PolicyAgent(policy, encoder, bool(sampled), file.stem if path else "learned")


def policy_file(game: str, path: str, sampled: int = 0) -> PolicyAgent:
    """Return the player of a policy in a file; see `learned`."""
    return learned(game, sampled, path)
