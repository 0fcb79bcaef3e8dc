"""Linear layers over 0/1 features of which few are 1: rows of weights are added up, nothing more.

A batch of such inputs is three arrays: `found`, the numbers of the features that are 1, row after
row; and where each row's part of it begins and ends. Against a dense product this saves nine tenths
of the work in either direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from xabitha_env._jit import entry
from xabitha_env.masks import lowest_bit

BLOCK = 256
"""Rows whose gradients fit the processor's cache together."""


@entry
def list_active(dense, inputs, split, found, begins, splits):
    """List the features that are 1; returns how many there are in all.

    Args:
        dense: (n, D) int8, 0 or 1; D is a multiple of 8.
        inputs: (D,) int32, the number that each feature has as an input, or -1 for none.
        split: the column at which a row's list is split, a multiple of 8.
        found: room for all, int32, written.
        begins: (n + 1,) int64, written: where each row's list begins, and the end of the last.
        splits: (n,) int64, written: where its features from column `split` on begin.
    """
    count = 0
    words = dense.view(np.int64)
    size = dense.shape[1] // words.shape[1]
    for row in range(dense.shape[0]):
        begins[row] = count
        for word in range(words.shape[1]):
            if word * size == split:
                splits[row] = count
            left = words[row, word]
            while left != 0:  # a byte a feature, the first one lowest
                column = inputs[word * size + lowest_bit(left) // size]
                left &= left - 1
                if column >= 0:
                    found[count] = column
                    count += 1
    begins[dense.shape[0]] = count
    return count


@entry
def gather(found, begins, ends, rows, renamed, out, places):
    """Copy the lists of some rows one after another, with their features renamed.

    Args:
        found, begins, ends: lists by row.
        rows: (n,) which.
        renamed: (inputs,) int32, the new number of each feature.
        out: room for all, int32, written.
        places: (n + 1,) int64, written: where each begins, and the end of the last.
    """
    count = 0
    for place in range(rows.size):
        places[place] = count
        for index in range(begins[rows[place]], ends[rows[place]]):
            out[count] = renamed[found[index]]
            count += 1
    places[rows.size] = count


@entry
def by_feature(found, begins, start, stop, order, ends):
    """List the rows of each feature, feature after feature.

    Args:
        found, begins: lists of features by row.
        start, stop: which rows.
        order: room for all, int32, written: rows.
        ends: (D,) int64, written: where the rows of each feature end in `order`.
    """
    ends[:] = 0
    for index in range(begins[start], begins[stop]):
        ends[found[index]] += 1
    total = 0
    for feature in range(ends.size):
        count = ends[feature]
        ends[feature] = total
        total += count
    for row in range(start, stop):
        for index in range(begins[row], begins[row + 1]):
            order[ends[found[index]]] = row
            ends[found[index]] += 1


@entry
def give_back(grad, found, begins, out):
    """Add each row of `grad` (n, H) to the gradients `out` (D, H) of the row's features.

    It goes through blocks of rows that stay in the processor's cache, in each feature by feature,
    and adds four rows at once, so that a feature's gradient is read and written seldom.
    """
    ends = np.empty(out.shape[0], np.int64)
    for start in range(0, grad.shape[0], BLOCK):
        stop = min(start + BLOCK, grad.shape[0])
        order = np.empty(begins[stop] - begins[start], np.int32)
        by_feature(found, begins, start, stop, order, ends)
        place = 0
        for feature in range(ends.size):
            total, last = out[feature], ends[feature]
            while place + 4 <= last:
                a, b = grad[order[place]], grad[order[place + 1]]
                c, d = grad[order[place + 2]], grad[order[place + 3]]
                for unit in range(total.size):
                    total[unit] += (a[unit] + b[unit]) + (c[unit] + d[unit])
                place += 4
            while place < last:
                share = grad[order[place]]
                for unit in range(total.size):
                    total[unit] += share[unit]
                place += 1


class _Sum(torch.autograd.Function):
    """What `embedding_bag` computes, but with a faster way back."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, weight: torch.Tensor, found: NDArray[np.int32], begins: NDArray[np.int64]
    ) -> torch.Tensor:
        ctx.lists, ctx.shape = (found, begins), weight.shape
        bags = torch.from_numpy(begins.astype(np.int32))
        return functional.embedding_bag(
            torch.from_numpy(found), weight, bags, mode="sum", include_last_offset=True
        )

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:  # type: ignore[override]
        out = torch.zeros(ctx.shape)
        give_back(grad.contiguous().numpy(), *ctx.lists, out.numpy())
        return out, None, None


class SparseLinear(nn.Module):
    """A linear layer over lists of active features, on the CPU.

    Args:
        inputs: D.
        units: H.
        active: about how many features of a row are 1, for the scale of the first weights.
    """

    def __init__(self, inputs: int, units: int, active: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, units) / active**0.5)
        self.bias = nn.Parameter(torch.zeros(units))

    def forward(self, found: NDArray[np.int32], begins: NDArray[np.int64]) -> torch.Tensor:
        """Return (n, H) for n lists of features, `begins` (n + 1,)."""
        total: torch.Tensor = _Sum.apply(self.weight, found, begins)
        return total + self.bias
