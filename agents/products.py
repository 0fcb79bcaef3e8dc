"""The product of each action's key with its decision's query, without the copies that torch makes.

A key has three parts: the token's row of a table, hidden units, and traits; a query is as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from xabitha_env._jit import entry, kernel

LANES = 16
"""So many sums go side by side, for the processor's vector units."""


@kernel
def dot(left, right):
    """Return the product of two vectors."""
    whole = left.size - left.size % LANES
    sums = np.zeros(LANES, np.float32)
    for start in range(0, whole, LANES):
        for lane in range(LANES):
            sums[lane] += left[start + lane] * right[start + lane]
    total = sums.sum()
    for place in range(whole, left.size):
        total += left[place] * right[place]
    return total


@kernel
def add(total, factor, vector):
    """Add a multiple of a vector."""
    for place in range(total.size):
        total[place] += factor * vector[place]


@entry
def multiply(query, table, hidden, traits, tokens, rows, out):
    """Write the products (m,) of m actions.

    Args:
        query: (n, K + J + T).
        table: (V, K) by token.
        hidden: (m, J).
        traits: (m, T).
        tokens: (m,).
        rows: (m,) the decision of each action.
        out: (m,) written.
    """
    first = table.shape[1]
    second = first + hidden.shape[1]
    for place in range(rows.size):
        own = query[rows[place]]
        out[place] = dot(own[:first], table[tokens[place]])
        out[place] += dot(own[first:second], hidden[place])
        out[place] += dot(own[second:], traits[place])


@entry
def give_back(grad, query, table, hidden, traits, tokens, rows, to_query, to_table, to_hidden):
    """Add what the gradients (m,) of products mean for query, table and hidden units."""
    first = table.shape[1]
    second = first + hidden.shape[1]
    for place in range(rows.size):
        own, share = query[rows[place]], to_query[rows[place]]
        add(share[:first], grad[place], table[tokens[place]])
        add(share[first:second], grad[place], hidden[place])
        add(share[second:], grad[place], traits[place])
        add(to_table[tokens[place]], grad[place], own[:first])
        add(to_hidden[place], grad[place], own[first:second])


class Products(torch.autograd.Function):
    """`multiply` with its way back; the traits get no gradients."""

    @staticmethod
    def forward(ctx: Any, *parts: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        ctx.save_for_backward(*parts)
        out = torch.empty(len(parts[-1]))
        multiply(*(part.detach().numpy() for part in parts), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:  # type: ignore[override]
        parts = ctx.saved_tensors
        shares = [torch.zeros_like(part) for part in parts[:3]]
        arrays = [one.detach().numpy() for one in (grad.contiguous(), *parts, *shares)]
        give_back(*arrays)
        return (*shares, None, None, None)
