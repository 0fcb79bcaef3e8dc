"""The layers of a MaskablePPO policy, and what the main job does to them by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from torch import nn

from xabitha_env.protocol import Engine


class Layers(nn.Module):
    """Two layers of the model with a ReLU between them, from observations to outputs.

    Args:
        hidden: what the model made of its hidden layer: the layer and the ReLU.
        outputs: the layer of logits, or of the value.
    """

    def __init__(self, hidden: Any, outputs: Any) -> None:
        super().__init__()
        self.hidden: nn.Linear = hidden[0]
        self.outputs: nn.Linear = outputs

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the outputs, (n, ...), for observations (n, O)."""
        found: torch.Tensor = self.outputs(torch.relu(self.hidden(observation.float())))
        return found


def actor(model: MaskablePPO) -> Layers:
    """Return the policy's layers, whose outputs are logits (n, A)."""
    return Layers(model.policy.mlp_extractor.policy_net, model.policy.action_net)


def critic(model: MaskablePPO) -> Layers:
    """Return the critic's layers, whose outputs are values (n, 1)."""
    return Layers(model.policy.mlp_extractor.value_net, model.policy.value_net)


def watch_fire_pile(model: MaskablePPO, engine: Engine) -> None:
    """Start a hidden unit for each kind as the detector of a conjunction.

    It fires when the top of the fire pile is of this kind and would complete a meld. That is what
    `greedy` draws by; gradient descent finds these products of features only after a few hundred
    thousand decisions. From here on the units learn like all others.
    """
    top, wanted = (engine.features.slice(name) for name in ("fire_card", "potential"))
    hidden, outputs = actor(model).hidden, actor(model).outputs
    kinds = torch.arange(min(top.stop - top.start, hidden.out_features))
    take = engine.actions.offset("draw") + 1
    with torch.no_grad():
        nn.init.orthogonal_(outputs.weight)
        hidden.weight[kinds] = 0
        hidden.weight[kinds, top.start + kinds] = 1
        hidden.weight[kinds, wanted.start + kinds] = 1
        hidden.bias[kinds] = -1
        outputs.weight[take, kinds] = 2
        outputs.weight[take - 1, kinds] = -2
        outputs.bias[take - 1] = 2


MATCH_SECTIONS = ("rounds", "lead", "last_reason", "last_winner", "last_declared")
"""Sections of the observation that never change in matches of a single round."""


def blind_to_match(model: MaskablePPO, observation: NDArray[np.int8], engine: Engine) -> None:
    """Make a model that saw matches of one round only play every round of a match like those.

    What it never saw change must not move it: those inputs are cut off, and the value that they
    had is added to the biases. In matches of one round nothing changes.

    Args:
        model: the model.
        observation: any observation of such a match, (O,).
        engine: for the layout.
    """
    columns = np.concatenate(
        [np.arange(engine.features.size)[engine.features.slice(name)] for name in MATCH_SECTIONS]
    )
    seen = torch.from_numpy(observation[columns]).float()
    with torch.no_grad():
        for layers in (actor(model), critic(model)):
            layers.hidden.bias.add_(layers.hidden.weight[:, columns] @ seen)
            layers.hidden.weight[:, columns] = 0
