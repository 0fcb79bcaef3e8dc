"""Compiled helpers on masks of kinds and on two-mask collections of cards (see `state`)."""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER
from xabitha_env.masks import bit
from xabitha_env.xabitha.state import NO_KIND

JOKER_BIT = np.int64(1 << JOKER)
REAL_BITS = np.int64((1 << JOKER) - 1)
"""Every kind but the joker."""
NONE = np.int64(0)
"""An empty mask, or no jokers; as arguments, plain numbers would be compiled for their value."""
ONE = np.int64(1)
NO_TAKE = np.int64(NO_KIND)
YES = np.bool_(True)


@kernel
def held_jokers(one, two):
    """Return how many jokers a collection holds."""
    return int((one >> JOKER) & 1) + int((two >> JOKER) & 1)


@kernel
def add_card(one, two, kind):
    """Return the two masks with one card more."""
    card = bit(kind)
    return one | card, two | (one & card)


@kernel
def remove_cards(one, two, need):
    """Return the two masks with one card less of every kind in `need`."""
    return (one & ~need) | (two & need), two & ~need


@kernel
def remove_meld(one, two, need, jokers):
    """Return the two masks without a meld's real cards and its jokers."""
    if jokers > 0:
        need = need | JOKER_BIT
    one, two = remove_cards(one, two, need)
    if jokers == 2:
        one, two = remove_cards(one, two, JOKER_BIT)
    return one, two


@kernel
def can_discard(one, taken):
    """Return whether some card's discard would end the turn (X4.5).

    That is any card when no take is pending, else any card of another kind (X4.4).
    """
    if taken < 0:
        return one != 0
    return (one & ~bit(taken)) != 0


@kernel
def pending_take(taken, need, jokers):
    """Return the kind of the pending take after these cards went to the table (X4.4)."""
    if taken >= 0 and ((need >> taken) & 1 or (jokers > 0 and taken == JOKER)):
        return -1
    return taken
