"""What a trained policy believes of the hidden hands: its auxiliary head, as a believer.

xabitha research belief agents.beliefs:Believer
xabitha research belief 'agents.beliefs:Believer?game=xeri' --game xeri
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.encoding import Encoder, lists_of
from agents.network import Policy
from agents.policy import PolicyAgent, learned
from xabitha_env.players import View
from xabitha_env.protocol import Engine
from xabitha_env.research.beliefs import OTHERS, Belief


def guess_hands(
    policy: Policy, encoder: Encoder, engine: Engine, games: Any
) -> NDArray[np.float64]:
    """Return how likely a policy thinks that the other seats hold each kind, (n, 3, K)."""
    inputs = encoder.encode(engine, games)
    same = np.arange(policy.first.weight.shape[0], dtype=np.int32)
    with torch.no_grad():
        seen = policy.look(lists_of(inputs, np.arange(inputs.size), same, False))
        odds = policy.hands(seen).view(inputs.size, OTHERS, -1)
    return torch.sigmoid(odds).double().numpy()  # type: ignore[no-any-return]


class Believer(PolicyAgent):
    """A policy that plays, and says what it believes.

    Args:
        game: which game.
        path: of a policy; `learned` by default.
    """

    def __init__(self, game: str = "xabitha", path: str = "") -> None:
        made = learned(game, path=path)
        super().__init__(made.policy, made.encoder, name=made.name)

    def beliefs(self, view: View) -> Belief:
        """Return what the seats of a view believe of the other hands."""
        if self._engine is None:
            raise RuntimeError(f"player {self.name!r} needs reset(engine, seed) first")
        return Belief(guess_hands(self.policy, self.encoder, self._engine, view.game))
