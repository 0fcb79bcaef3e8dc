"""The terms in which `expert` judges a play: numbers that what its seat knows decides.

A card either takes the pile or is left on it. Left on it, what counts is whether the next seat can
take it: with the same rank (a lone card then is a xeri, R3.4) or with a jack. Either way a hand
remains, and what it can take later: cards whose rank the others still hold.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from xabitha_env._jit import kernel
from xabitha_env.cards import JACK, NUM_RANKS, NUM_SEATS, NUM_SUITS, NUM_TEAMS
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xeri.actions import NUM_CARDS
from xabitha_env.xeri.observation import rank_bits
from xabitha_env.xeri.odds import (
    JACKS,
    Holder,
    chance_of,
    chance_of_jack,
    holder,
    points_of,
    unseen_cards,
)
from xabitha_env.xeri.play import captures, makes_xeri, pile_mask
from xabitha_env.xeri.state import JACK_XERI

# The terms, by place; `expert` gives each a weight.
TERMS = (
    "taken",  # worth of the pile that the card takes
    "xeri",  # points of a xeri that it makes
    "lead",  # it takes, so that the next seat must lead: 1 / its cards
    "lead_early",  # the same, times the own cards left
    "lone",  # a card on an empty pile: points of a xeri x chance that the next seat makes it
    "left_to_rank",  # worth of the pile left x chance that the next seat holds the rank
    "left_to_jack",  # worth x chance that it has only a jack to take it
    "left_to_own_jack",  # worth x chance that it stays, with a jack in the own hand
    "jack",  # a jack is played
    "jack_of_many",  # jacks unseen then
    "jack_of_two",  # another one stays in hand
    "dead",  # the card played was of a rank of which no card is unseen
    "two_unseen",  # of a rank of which two are
    "all_unseen",  # of a rank of which all the others are
    "match",  # share of the unseen cards that it matches, times the own cards left
    "met_before",  # chance that the seat before the own holds its rank
    "reach",  # share of the unseen cards that the cards left in hand match
    "reach_square",  # its square
    "safe",  # a card of a dead rank stays in hand: it can be led without danger
)
NUM_TERMS = len(TERMS)
(
    TAKEN,
    XERI,
    LEAD,
    LEAD_EARLY,
    LONE,
    LEFT_TO_RANK,
    LEFT_TO_JACK,
    LEFT_TO_OWN_JACK,
    JACK_PLAYED,
    JACK_OF_MANY,
    JACK_OF_TWO,
    DEAD,
    TWO_UNSEEN,
    ALL_UNSEEN,
    MATCH,
    MET_BEFORE,
    REACH,
    REACH_SQUARE,
    SAFE,
) = range(NUM_TERMS)
OTHERS_OF_RANK = NUM_SUITS - 1

CARD_SPREAD = 2.5
"""The final lead in cards strays by so much times the root of the cards not yet captured."""
CARD_PEAK = 2.4
"""Points by which the lead of points grows with a card, when both teams have as many (R4.1), times
the spread: about 6 (3 for one team instead of 3 for the other) by the peak of a normal density."""
CARD_FALL = 0.5
"""How quickly a card counts less with a lead."""


class Sight(NamedTuple):
    """What the seat to act knows, as far as it is the same for all of its cards."""

    unseen: int  # mask of the cards that it cannot place
    total: int  # their number
    card_worth: float  # points that a captured card counts for (R4.1)
    following: Holder  # the next seat
    following_jack: float  # chance that it has a jack
    before: Holder  # the seat that plays before the own next turn


@kernel
def card_worth(own, theirs):
    """Return what a card more is worth, from the numbers of cards that the teams have (R4.1)."""
    spread = CARD_SPREAD * sqrt(float(NUM_CARDS - own - theirs))
    lead = (own - theirs) / spread
    fall = 1.0 + CARD_FALL * lead * lead
    return CARD_PEAK / (spread * fall * fall)


@kernel
def look(g):
    """Return what the seat to act knows."""
    seat = int(g.seat)
    team = seat % NUM_TEAMS
    unseen = unseen_cards(g, seat)
    following = holder(g, (seat + 1) % NUM_SEATS)
    return Sight(
        unseen,
        count_bits(unseen),
        card_worth(count_bits(g.captured[team]), count_bits(g.captured[1 - team])),
        following,
        chance_of_jack(g, (seat + 1) % NUM_SEATS, unseen, following),
        holder(g, (seat + NUM_SEATS - 1) % NUM_SEATS),
    )


@kernel
def write_taking(g, kind, sight, worth, out):
    """Write the terms of a card that takes the pile."""
    xeri = makes_xeri(g, kind)
    left = count_bits(g.hand[g.seat]) - 1
    out[TAKEN] = worth
    if xeri > 0:
        out[XERI] = float(g.jack_xeri_points if xeri == JACK_XERI else g.xeri_points)
    out[LEAD] = 1.0 / max(count_bits(sight.following.shown) + sight.following.held, 1)
    out[LEAD_EARLY] = left


@kernel
def write_leaving(g, kind, sight, worth, out):
    """Write the terms of a card that is left on the pile."""
    rank = kind % NUM_RANKS
    matched = chance_of(rank_bits(rank), sight.unseen, sight.following)
    jack = 0.0 if rank == JACK else (1.0 - matched) * sight.following_jack
    if g.pile_count == 0:  # a lone card (R3.4)
        out[LONE] = matched * (g.jack_xeri_points if rank == JACK else g.xeri_points)
    out[LEFT_TO_RANK] = worth * matched
    out[LEFT_TO_JACK] = worth * jack
    if g.hand[g.seat] & ~bit(kind) & JACKS != 0:
        out[LEFT_TO_OWN_JACK] = worth * (1.0 - matched - jack)


@kernel
def write_played(kind, left, sight, out):
    """Write the terms of parting with a card, when `left` is the mask of the others."""
    rank = kind % NUM_RANKS
    unseen = count_bits(sight.unseen & rank_bits(rank))
    if rank == JACK:
        out[JACK_PLAYED] = 1.0
        out[JACK_OF_MANY] = unseen
        out[JACK_OF_TWO] = left & JACKS != 0
        return
    out[DEAD] = unseen == 0
    out[TWO_UNSEEN] = unseen == 2
    out[ALL_UNSEEN] = unseen == OTHERS_OF_RANK
    out[MATCH] = unseen / max(sight.total, 1) * count_bits(left)
    out[MET_BEFORE] = chance_of(rank_bits(rank), sight.unseen, sight.before)


@kernel
def write_hand(left, sight, out):
    """Write the terms of the cards that stay in hand, jacks apart."""
    met = 0
    left &= ~JACKS
    while left != 0:
        rank = rank_bits(lowest_bit(left) % NUM_RANKS)
        unseen = count_bits(sight.unseen & rank)
        met += unseen
        if unseen == 0:
            out[SAFE] = 1.0
        left &= ~rank
    reach = met / max(sight.total, 1)
    out[REACH] = reach
    out[REACH_SQUARE] = reach * reach


@kernel
def write_terms(g, kind, sight, out):
    """Write the terms of playing a card.

    Args:
        g: a game's record.
        kind: a card of the seat to act.
        sight: what that seat knows.
        out: `NUM_TERMS` long, written.
    """
    for place in range(NUM_TERMS):
        out[place] = 0.0
    worth = points_of(pile_mask(g) | bit(kind)) + sight.card_worth * (g.pile_count + 1)
    if captures(g, kind):
        write_taking(g, kind, sight, worth, out)
    else:
        write_leaving(g, kind, sight, worth, out)
    left = g.hand[g.seat] & ~bit(kind)
    write_played(kind, left, sight, out)
    write_hand(left, sight, out)
