"""Suits of Xeri that count alike (R1.1): what inputs and tokens become when they change names."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SUITS
from xabitha_env.symmetry import Order, kind_map, layout_map
from xabitha_env.xeri.actions import NUM_CARDS
from xabitha_env.xeri.advice import TOKENS
from xabitha_env.xeri.play import EXTRA_BITS, POINT_BITS

KINDS = NUM_CARDS
SUITS_AT: Mapping[str, int] = {}
"""No section of the observation has a feature a suit."""
_POINTS = [(int(POINT_BITS) >> kind & 1) + (int(EXTRA_BITS) >> kind & 1) for kind in range(KINDS)]


def _keeps_points(order: Order) -> bool:
    """Return whether all cards keep their points (R4.2)."""
    return [_POINTS[kind] for kind in kind_map(order, KINDS)] == _POINTS


SUIT_ORDERS: tuple[Order, ...] = tuple(filter(_keeps_points, permutations(range(NUM_SUITS))))
"""Clubs and diamonds have a card that counts otherwise (R4.2); hearts and spades can change."""


def token_map(order: Order) -> NDArray[np.int64]:
    """Return the new number of each token."""
    return layout_map(TOKENS, order, KINDS, SUITS_AT)
