"""What a seat can tell of the other hands: counted cards, and what others let lie.

The cards that a seat has not seen lie in the other hands and the stock in any order, so that the
chance of a card in a hand is hypergeometric. Two things are known besides: the bottom card (R2.3),
and that a seat which laid a card upon another in this deal held none to take it with (R3.2); for
nearly everybody takes a pile when it can, if not with a jack.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JACK, NUM_RANKS, NUM_SEATS, NUM_SUITS
from xabitha_env.masks import bit, count_bits
from xabitha_env.xeri.actions import HAND_CARDS, NUM_CARDS
from xabitha_env.xeri.observation import PACK_BITS, rank_bits, seen_cards
from xabitha_env.xeri.play import EXTRA_BITS, POINT_BITS
from xabitha_env.xeri.state import NO_KIND

DEAL_PLAYS = np.int64(NUM_SEATS * HAND_CARDS)
"""Plays from one deal of hands to the next (R2.1)."""
JACKS = np.int64(sum(1 << (suit * NUM_RANKS + JACK) for suit in range(NUM_SUITS)))
"""The mask of the jacks."""
PASS_FROM = 1.0
"""Up to here a pile is too poor for a jack: to let it lie says nothing."""
PASS_SLOPE = 0.2
"""With every point beyond, so much less likely a seat with a jack lets the pile lie."""
PASS_LEAST = 0.1
"""The chance that it does, however rich the pile."""
PASS_CARD = 0.15
"""What a card counts for beside its points when a jack is spent."""


def _none_held(unseen: int, held: int, wanted: int) -> float:
    if wanted == 0:
        return 1.0
    return comb(max(unseen - wanted, 0), held) / comb(unseen, held) if held <= unseen else 0.0


NONE_HELD = np.array(
    [
        [
            [_none_held(unseen, held, wanted) for wanted in range(NUM_SUITS + 1)]
            for held in range(HAND_CARDS + 1)
        ]
        for unseen in range(NUM_CARDS + 1)
    ]
)
"""The chance that none of the wanted cards is held: by cards unseen, held and wanted."""


@kernel
def points_of(mask):
    """Return the points of a set of cards (R4.2)."""
    return count_bits(mask & POINT_BITS) + count_bits(mask & EXTRA_BITS)


@kernel
def unseen_cards(g, seat):
    """Return the mask of the cards that a seat cannot place: in other hands or the stock."""
    return PACK_BITS & ~seen_cards(g, seat)


@kernel
def shown_card(g, seat):
    """Return the mask of the bottom card where all know that a seat holds it, else 0 (R2.3)."""
    if g.bottom_card == NO_KIND or g.stock_count > 0 or seat != g.dealer:
        return np.int64(0)
    return bit(g.bottom_card) & ~g.played[seat]


@kernel
def last_laid(g, seat):
    """Return where in the pile the card lies that a seat laid upon another last, else 0.

    Only the cards of this deal count: the hand was another one before.
    """
    ago = (g.seat - seat - 1) % NUM_SEATS + 1
    place = g.pile_count - ago
    return place if place > 0 and ago <= g.plays % DEAL_PLAYS else np.int64(0)


@kernel
def denied_cards(g, seat):
    """Return the mask of the cards that a seat does not hold, as it let their rank lie (R3.2)."""
    mask = np.int64(0)
    place = last_laid(g, seat)
    first = max(g.pile_count - g.plays % DEAL_PLAYS, np.int64(1))
    while place >= first:
        mask |= rank_bits(np.int64(g.pile[place - 1]) % NUM_RANKS)
        place -= NUM_SEATS
    return mask


class Holder(NamedTuple):
    """What an observer knows of another hand."""

    held: int  # cards in it, without the one that is shown
    shown: int  # mask of the card that it is known to hold
    denied: int  # mask of what it does not hold


@kernel
def holder(g, seat):
    """Return what all know of a seat's hand."""
    shown = shown_card(g, seat)
    return Holder(count_bits(g.hand[seat] & ~shown), shown, denied_cards(g, seat))


@kernel
def chance_of(wanted, unseen, other):
    """Return the chance that a hand has one of some cards of one rank.

    Args:
        wanted: the mask of the rank.
        unseen: the mask of the cards that the observer cannot place.
        other: the `Holder` of the hand.
    """
    if wanted & other.shown != 0:
        return 1.0
    able = unseen & ~other.denied
    return 1.0 - NONE_HELD[count_bits(able), other.held, count_bits(able & wanted)]


@kernel
def chance_of_passing(worth):
    """Return the chance that a seat with a jack lets lie a pile that is worth so much."""
    return max(1.0 - PASS_SLOPE * max(worth - PASS_FROM, 0.0), PASS_LEAST)


@kernel
def worth_passed(g, seat):
    """Return what the pile was worth upon which a seat laid a card last in this deal, or 0."""
    mask = np.int64(0)
    for place in range(last_laid(g, seat)):
        mask |= bit(np.int64(g.pile[place]))
    return points_of(mask) + PASS_CARD * count_bits(mask)


@kernel
def chance_of_jack(g, seat, unseen, other):
    """Return the chance that a seat holds a jack, by the cards and by what it let lie."""
    chance = chance_of(rank_bits(JACK), unseen, other)
    passing = chance * chance_of_passing(worth_passed(g, seat))
    return passing / (passing + 1.0 - chance)
