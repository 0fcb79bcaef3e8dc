"""The networks: a policy that scores the legal actions alone, and a critic.

The policy turns what a seat sees into a query, and each legal action (its token and traits) into a
key; their product is the action's logit. So the cost does not grow with the number of actions that
a game has, and what is learnt of an action's traits holds for all actions alike.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from agents.encoding import Encoder
from agents.products import Products
from agents.sparse import Lists, SparseLinear

ACTIVE = 250
"""About how many features of a decision are 1."""
SMALL = 0.01
"""Scale of the first weights where all actions are to be worth about the same."""


class Shape(NamedTuple):
    """How large the networks are."""

    width: int = 256  # units of the first hidden layer
    depth: int = 128  # units of the second
    token: int = 32  # numbers that describe a token
    trait: int = 64  # and traits


def dense(
    inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, short: bool
) -> torch.Tensor:
    """Return a dense layer's outputs.

    Args:
        inputs: (n, k).
        weight, bias: (u, k) and (u,).
        short: whether factors are rounded to bfloat16, which processors that have it multiply two
            to three times as fast; sums stay long, and so do the weights that learn.
    """
    if not short:
        return functional.linear(inputs, weight, bias)
    short_type = torch.bfloat16
    return functional.linear(
        inputs.to(short_type), weight.to(short_type), bias.to(short_type)
    ).float()


class Policy(nn.Module):
    """Logits of legal actions, and a guess at the hidden hands.

    Args:
        encoder: for the sizes of the inputs.
        shape: sizes.
        short: as in `dense`.
    """

    def __init__(self, encoder: Encoder, shape: Shape, short: bool = False) -> None:
        super().__init__()
        self.shape, self.short = shape, short
        self.first = SparseLinear(encoder.seen, shape.width, ACTIVE)
        self.second = nn.Linear(shape.width, shape.depth)
        self.query = nn.Linear(shape.depth, shape.token + shape.trait + encoder.traits)
        self.token = nn.Embedding(encoder.tokens, shape.token)
        self.trait = nn.Linear(encoder.traits, shape.trait)
        self.common = nn.Linear(encoder.traits, 1)  # what traits are worth in any situation
        self.hands = nn.Linear(shape.depth, 3 * encoder.kinds)
        nn.init.normal_(self.token.weight, std=0.1)
        nn.init.normal_(self.query.weight, std=SMALL)
        nn.init.zeros_(self.query.bias)
        nn.init.zeros_(self.common.weight)

    def look(self, lists: Lists) -> torch.Tensor:
        """Return what the policy makes of n situations, (n, depth)."""
        first, second = torch.relu(self.first(lists)), self.second
        return torch.relu(dense(first, second.weight, second.bias, self.short))

    def score(
        self,
        seen: torch.Tensor,
        tokens: torch.Tensor,
        traits: torch.Tensor,
        rows: torch.Tensor,
    ) -> torch.Tensor:
        """Return the logits (m,) of m actions.

        Args:
            seen: (n, depth) as `look` returns it.
            tokens: (m,).
            traits: (m, T).
            rows: (m,) the situation of each.
        """
        common = functional.pad(self.common.weight[0], (self.shape.token + self.shape.trait, 0))
        query = dense(seen, self.query.weight, self.query.bias + common, self.short)
        hidden = torch.relu(self.trait(traits))
        own = Products.apply(query, self.token.weight, hidden, traits, tokens, rows)
        return own + self.common.bias  # type: ignore[no-any-return]


class Critic(nn.Module):
    """The points, in hundreds, by which the team of the seat to act will win the round.

    Args:
        inputs: how many features it sees.
        shape: sizes.
        short: as in `dense`.
    """

    def __init__(self, inputs: int, shape: Shape, short: bool = False) -> None:
        super().__init__()
        self.short = short
        self.first = SparseLinear(inputs, shape.width, ACTIVE)
        self.second = nn.Linear(shape.width, shape.depth)
        self.value = nn.Linear(shape.depth, 1)

    def forward(self, lists: Lists) -> torch.Tensor:
        """Return the values (n,) of n situations."""
        first, second = torch.relu(self.first(lists)), self.second
        seen = torch.relu(dense(first, second.weight, second.bias, self.short))
        return self.value(seen).squeeze(1)


def log_softmax(logits: torch.Tensor, rows: torch.Tensor, count: int) -> torch.Tensor:
    """Return the logarithms of the probabilities of actions, (m,), by their decisions.

    Args:
        logits: (m,).
        rows: (m,) the decision of each, ascending.
        count: n, how many decisions there are; each has an action.
    """
    with torch.no_grad():
        most = logits.new_full((count,), -torch.inf).scatter_reduce(0, rows, logits, "amax")
    above = logits - most.index_select(0, rows)
    total = logits.new_zeros(count).index_add(0, rows, above.exp())
    return above - total.log().index_select(0, rows)
