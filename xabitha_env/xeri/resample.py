"""Other deals that a seat cannot tell from the real one: everything hidden is drawn anew.

Every placement of the unseen cards that agrees with the sizes of the hands and with the bottom card
(R2.3) is as likely as any other. What the other seats chose to play tells more; `search` weighs it.
"""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import kernel
from xabitha_env.cards import NUM_SEATS
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xeri.observation import PACK_BITS, seen_cards
from xabitha_env.xeri.state import NO_KIND


@kernel
def list_kinds(mask, kinds):
    """Write the kinds of a set of cards, ascending; returns their number."""
    count = 0
    while mask != 0:
        kinds[count] = lowest_bit(mask)
        mask &= mask - 1
        count += 1
    return count


@kernel
def place_pool(g, seat, pool):
    """Fill the other hands, then the stock, from a pool of cards, but for the bottom card."""
    shown = g.bottom_card != NO_KIND
    public = bit(g.bottom_card) if shown else np.int64(0)
    place = 0
    for other in range(NUM_SEATS):
        if other != seat:
            drawn = count_bits(g.hand[other] & ~public)
            g.hand[other] &= public
            for card in range(place, place + drawn):
                g.hand[other] |= bit(np.int64(pool[card]))
            place += drawn
    lowest = int(shown and g.stock_count > 0)  # the bottom card stays the last to be dealt
    for card in range(lowest, g.stock_count):
        g.stock[card] = pool[place + card - lowest]
    g.stock[g.stock_count :] = 0  # where the hands came from


@kernel
def redraw(g, seat, pool, word):
    """Draw anew what is hidden from a seat, later deals included; returns the stream's new word.

    Args:
        g: a game's record, changed. Of its hidden cards only the numbers are looked at.
        seat: whose hand stays.
        pool: room for `NUM_CARDS` kinds.
        word: a stream.
    """
    count = list_kinds(PACK_BITS & ~seen_cards(g, seat), pool)
    word = _random.shuffle(pool, np.int64(count), word)
    place_pool(g, seat, pool)
    word = _random.advance(word)
    g.deal_word = _random.branch(word)
    word = _random.advance(word)
    g.player_word = _random.branch(word)
    return word
