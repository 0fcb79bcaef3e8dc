"""Xabitha's suits count alike (X1.2): what inputs and tokens become when they change names."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_KINDS, NUM_SUITS
from xabitha_env.symmetry import Order, kind_map, layout_map
from xabitha_env.xabitha.advice import TOKENS
from xabitha_env.xabitha.melds import MELDS, RUN, Meld
from xabitha_env.xabitha.observation import TABLE_SUITS

SUIT_ORDERS: tuple[Order, ...] = tuple(permutations(range(NUM_SUITS)))
KINDS = NUM_KINDS
SUITS_AT = {"table": TABLE_SUITS}
"""Sections of the observation with a feature a suit, and where in their last dimension."""


def token_map(order: Order) -> NDArray[np.int64]:
    """Return the new number of each token."""
    renamed = layout_map(TOKENS, order, NUM_KINDS, {})
    rows = {_identity(meld, range(NUM_KINDS)): row for row, meld in enumerate(MELDS)}
    kinds = kind_map(order, NUM_KINDS).tolist()
    renamed[TOKENS.slice("meld")] = [
        TOKENS.offset("meld") + rows[_identity(meld, kinds)] for meld in MELDS
    ]
    return renamed


def _identity(meld: Meld, kinds: range | list[int]) -> tuple[object, ...]:
    """Return what tells a meld from all others, its kinds renamed."""
    cards = tuple(kinds[kind] for kind in meld.cards)
    return (meld.type, meld.low, cards if meld.type == RUN else tuple(sorted(cards)))
