"""How likely a hand is, given what its seat was seen to do, if it plays as `expert`.

A seat keeps what makes melds and throws the rest away, so its cards are no random ones: hands are
likely in which what it discarded was worth little, what it took from the fire pile made a meld, and
nothing is left that it would have laid.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xabitha.expert import HOLD_TURNS, WEIGHTS, hold_value, plan_melds
from xabitha_env.xabitha.opening import MOST_MELDS
from xabitha_env.xabitha.packing import without_melds
from xabitha_env.xabitha.reading import unseen_cards
from xabitha_env.xabitha.values import completes_meld, table_wants

TEMPERATURE = 2.0
"""Of the softmax over the values of cards to discard."""
SLIP = 0.01
"""The least that a discard's odds are taken to be: nobody plays quite like this."""
ODD_TAKE = 0.2
"""Factor for a fire card taken that makes no meld."""
LEFT_OVER = 0.1
"""Factor for a card in the hand of a seat that is down that fits the table."""
LEFT_MELD = 0.02
"""Factor for a meld there."""
READY = 0.2
"""Factor for a closed hand that could open."""


@kernel
def discard_odds(g, seat, loose, wants, once, twice):
    """Return how likely the seat's discards are, each from its hand now and the card."""
    total = 0.0
    mask = loose[0] & ~bit(JOKER)
    while mask != 0:
        kind = lowest_bit(mask)
        mask &= mask - 1
        value = hold_value(g, seat, kind, loose, wants, once, twice, WEIGHTS)
        total += np.exp(-value / TEMPERATURE)
    odds = 1.0
    gone = g.discarded[seat] & ~bit(JOKER)
    while gone != 0:
        kind = lowest_bit(gone)
        gone &= gone - 1
        value = hold_value(g, seat, kind, loose, wants, once, twice, WEIGHTS)
        own = np.exp(-value / TEMPERATURE)
        odds *= max(own / (own + total), SLIP)
    return odds


@kernel
def plausibility(g, seat):
    """Return how likely a seat holds the hand that it has in a game, but for a constant factor."""
    chosen = np.empty(MOST_MELDS, np.int64)
    laid, worth = plan_melds(g, seat, WEIGHTS, chosen)
    loose = without_melds(g.hand_one[seat], g.hand_two[seat], chosen, laid)
    once, twice = unseen_cards(g, seat)
    wants = table_wants(g)
    odds = discard_odds(g, seat, loose, wants, once, twice)
    took = g.known_one[seat] & ~bit(JOKER)
    while took != 0:
        kind = lowest_bit(took)
        took &= took - 1
        if not g.opened[seat] and not completes_meld(g.hand_one[seat], kind):
            odds *= ODD_TAKE
    if not g.opened[seat]:
        ready = worth >= g.threshold[seat] + RUN_MARGIN and g.turn > WEIGHTS[HOLD_TURNS]
        return odds * READY if ready else odds
    if laid > 0:
        odds *= LEFT_MELD
    for _ in range(count_bits(loose[0] & wants & ~bit(JOKER))):
        odds *= LEFT_OVER
    return odds


RUN_MARGIN = 24
"""What a run and about eight cards count in `plan_melds` beside their points."""
