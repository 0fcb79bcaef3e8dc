"""The trail of a deck: what all saw since the last reshuffle that tells of hidden cards (X10.1)."""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER, NUM_SEATS
from xabitha_env.masks import lowest_bit
from xabitha_env.xabitha.hands import held_jokers
from xabitha_env.xabitha.state import MOST_TRAIL


@kernel
def forget_trail(g):
    """Begin the trail of a new deck; before a reshuffle nothing need be followed."""
    g.reshuffled_one = g.fire_one
    g.reshuffled_two = g.fire_two
    g.trail[:] = 0
    g.trail_count = 0
    for seat in range(NUM_SEATS):
        g.drew_one[seat] = 0
        g.drew_two[seat] = 0


@kernel
def follow(g, seat, kind):
    """Add to the trail, after a reshuffle: a draw, or a card shown that was not known in a hand."""
    if g.reshuffles > 0 and g.trail_count < MOST_TRAIL:
        g.trail[g.trail_count] = kind * NUM_SEATS + seat
        g.trail_count += 1


@kernel
def follow_shown(g, seat, need, jokers):
    """Add the cards to the trail that are shown from a hand and were not known in it."""
    hidden = need & ~g.known_one[seat]
    while hidden != 0:
        follow(g, seat, lowest_bit(hidden))
        hidden &= hidden - 1
    for _ in range(jokers - held_jokers(g.known_one[seat], g.known_two[seat])):
        follow(g, seat, np.int64(JOKER))
