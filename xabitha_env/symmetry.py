"""Renamings of suits: what features and actions become when suits change their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from xabitha_env.layout import Layout

Order = Sequence[int]
"""The new number of each suit."""


def kind_map(order: Order, kinds: int) -> NDArray[np.int64]:
    """Return the new number of each of the first so many kinds; a joker has no suit."""
    numbers = np.arange(kinds)
    suits = np.array(order)[np.minimum(numbers // NUM_RANKS, NUM_SUITS - 1)]
    return np.where(numbers < JOKER, suits * NUM_RANKS + numbers % NUM_RANKS, numbers)


def layout_map(
    layout: Layout, order: Order, kinds: int, suits_at: Mapping[str, int]
) -> NDArray[np.int64]:
    """Return the new place of each feature of a layout.

    Args:
        layout: blocks whose last dimension is `kinds` hold a feature a kind.
        order: the renaming.
        kinds: how many kinds there are.
        suits_at: for blocks with a feature a suit in their last dimension: the first one's place.
    """
    renamed, start = [], 0
    for block in layout:
        last = block.shape[-1]
        within = np.arange(last)
        if last == kinds:
            within = kind_map(order, kinds)
        elif block.name in suits_at:
            first = suits_at[block.name]
            within[first : first + NUM_SUITS] = first + np.array(order)
        groups = np.arange(block.size // last)[:, None] * last
        renamed.append(start + (groups + within).ravel())
        start += block.size
    return np.concatenate(renamed)
