"""What a seat can read from the table: which cards it has seen, and how many copies are left.

Collections of cards are two masks, as in `state`: kinds seen at least once, and twice.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER, NUM_RANKS, NUM_SEATS, NUM_SUITS
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xabitha.hands import JOKER_BIT, NONE, add_card
from xabitha_env.xabitha.melds import JOKERS, NEED, RUN

RUN_OF_SUIT = (1 << NUM_RANKS) - 1
WHOLE_PACK = np.int64((1 << (JOKER + 1)) - 1)


@kernel
def join(one, two, more_one, more_two):
    """Return the two masks of two collections together (a kind has two copies, X1.1)."""
    return one | more_one, two | more_two | (one & more_one)


@kernel
def slot_cards(g, slot):
    """Return the real cards of a meld on the table as a mask; no meld holds a kind twice.

    But for one: a run of 14 may hold two aces of its suit, which this shows as one.
    """
    suits = np.int64(g.slot_suits[slot])
    low, high = np.int64(g.slot_low[slot]), np.int64(g.slot_high[slot])
    mask = NONE
    if g.slot_type[slot] == RUN:
        suit = lowest_bit(suits)
        spots = (bit(high + 1) - bit(low)) & ~np.int64(g.slot_jokers[slot])
        spots = (spots >> 1) | ((spots >> (NUM_RANKS + 1)) & 1)  # the high ace is the ace
        mask = (spots & RUN_OF_SUIT) << (suit * NUM_RANKS)
    else:
        for suit in range(NUM_SUITS):
            if (suits >> suit) & 1:
                mask |= bit(suit * NUM_RANKS + low - 1)
    return mask


@kernel
def two_aces(g, slot):
    """Return the mask of the ace that a run of 14 holds twice, else 0."""
    if g.slot_type[slot] != RUN or g.slot_low[slot] != 1 or g.slot_high[slot] <= NUM_RANKS:
        return NONE
    ends = bit(1) | bit(np.int64(g.slot_high[slot]))
    if (np.int64(g.slot_jokers[slot]) & ends) != 0:
        return NONE
    return bit(lowest_bit(np.int64(g.slot_suits[slot])) * NUM_RANKS)


@kernel
def table_cards(g):
    """Return the two masks of the cards that lie in melds on the table."""
    one, two = NONE, NONE
    for slot in range(int(g.num_melds)):
        if g.slot_type[slot] == 0:
            continue
        one, two = join(one, two, slot_cards(g, slot), NONE)
        one, two = join(one, two, two_aces(g, slot), NONE)
        for _ in range(count_bits(np.int64(g.slot_jokers[slot]))):
            one, two = add_card(one, two, np.int64(JOKER))
    return one, two


@kernel
def staged_masks(g):
    """Return the two masks of the cards that the seat to act has staged (X6.4)."""
    one, two = NONE, NONE
    for place in range(int(g.staged)):
        row = np.int64(g.staged_rows[place])
        one, two = join(one, two, NEED[row], NONE)
        if JOKERS[row] > 0:
            one, two = join(one, two, JOKER_BIT, JOKER_BIT if JOKERS[row] > 1 else NONE)
    return one, two


@kernel
def seen_cards(g, seat):
    """Return the two masks of the cards whose place a seat knows.

    Its own, those it has staged, the fire pile (X4.3), the table, and what the others took or
    stole and still hold.
    """
    one, two = join(g.hand_one[seat], g.hand_two[seat], g.fire_one, g.fire_two)
    more_one, more_two = table_cards(g)
    one, two = join(one, two, more_one, more_two)
    if g.seat == seat:
        more_one, more_two = staged_masks(g)
        one, two = join(one, two, more_one, more_two)
    for other in range(NUM_SEATS):
        if other != seat:
            one, two = join(one, two, g.known_one[other], g.known_two[other])
    return one, two


@kernel
def unseen_cards(g, seat):
    """Return the masks of the kinds of which a seat has not seen one copy at least, and both."""
    one, two = seen_cards(g, seat)
    return WHOLE_PACK & ~two, WHOLE_PACK & ~one


@kernel
def hidden_count(g, seat):
    """Return how many cards of another hand nobody else knows."""
    known = count_bits(g.known_one[seat]) + count_bits(g.known_two[seat])
    return int(g.hand_count[seat]) - known
