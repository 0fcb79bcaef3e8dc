"""The compiled players of Xeri; they see only what their seat sees and play in compiled loops.

`random` plays any card with equal chance. `greedy` captures when it can, prefers xeris, keeps its
jacks, and on an empty pile leaves a card that the others are unlikely to match, by its own hand.
`counting` remembers all cards seen, estimates the chance that a card gives a capture or a xeri to
the next players, and weighs points. `expert` does so with the exact odds and many more terms, and
plays the end of a round exactly (see `xeri.expert`).
"""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import kernel
from xabitha_env.cards import JACK, NUM_RANKS, NUM_SEATS, NUM_TEAMS
from xabitha_env.masks import bit, count_bits
from xabitha_env.xeri import expert
from xabitha_env.xeri.actions import HAND_CARDS, NUM_CARDS
from xabitha_env.xeri.observation import PACK_BITS, rank_bits, seen_cards
from xabitha_env.xeri.play import (
    EXTRA_BITS,
    MOST_CARDS_POINTS,
    POINT_BITS,
    captures,
    makes_xeri,
    pile_mask,
)
from xabitha_env.xeri.state import JACK_XERI, PLAIN_XERI
from xabitha_env.xeri.terms import NUM_TERMS

PLAYER_CODES = {"random": 0, "greedy": 1, "counting": 2, "expert": 3}
RANDOM, GREEDY, COUNTING, EXPERT = PLAYER_CODES.values()

CARD_WORTH = MOST_CARDS_POINTS / NUM_CARDS
"""What one captured card more is worth towards the points for most cards (R4.1)."""
JACK_WORTH = 2.0
"""What a jack in hand is worth beyond its point: it takes any pile later."""
PARTNER_SHARE = 0.5
"""How much of a pile counts that the partner may take, if the next seat leaves it."""


@kernel
def pick_random(g, ids, count):
    """Return one of the legal actions, drawn from the game's stream for players."""
    g.player_word = _random.advance(g.player_word)
    return int(ids[_random.below(g.player_word, np.int64(count))])


@kernel
def worth(mask):
    """Return what a set of cards is worth to the team that captures it (R4)."""
    points = count_bits(mask & POINT_BITS) + count_bits(mask & EXTRA_BITS)
    return points + CARD_WORTH * count_bits(mask)


@kernel
def xeri_worth(g, xeri):
    """Return what a xeri gives (R4.3)."""
    if xeri == JACK_XERI:
        return float(g.jack_xeri_points)
    return float(g.xeri_points) if xeri == PLAIN_XERI else 0.0


@kernel
def capture_worth(g, kind):
    """Return what playing a card captures, less what a spent jack is worth."""
    if not captures(g, kind):
        return 0.0
    gain = worth(pile_mask(g) | bit(kind)) + xeri_worth(g, makes_xeri(g, kind))
    return gain - JACK_WORTH if kind % NUM_RANKS == JACK else gain


@kernel
def greedy_value(g, kind):
    """Return how much `greedy` likes to play a card."""
    if captures(g, kind):
        return NUM_CARDS + capture_worth(g, kind)
    kept = JACK_WORTH if kind % NUM_RANKS == JACK else 0.0
    own = count_bits(g.hand[g.seat] & rank_bits(kind % NUM_RANKS))
    return own - worth(bit(kind)) - kept


@kernel
def chance_of_one(wanted, unseen, cards):
    """Return the chance that a hand of so many of the unseen cards has one that is wanted."""
    none = 1.0
    for card in range(cards):
        left = unseen - card
        if left <= 0:
            break
        none *= max(left - wanted, 0) / left
    return 1.0 - none


@kernel
def counting_value(g, kind):
    """Return how many points `counting` expects from playing a card."""
    if captures(g, kind):
        return capture_worth(g, kind)
    seat = int(g.seat)
    unseen = PACK_BITS & ~seen_cards(g, seat)
    total = count_bits(unseen)
    same = count_bits(unseen & rank_bits(kind % NUM_RANKS))
    takers = same if kind % NUM_RANKS == JACK else same + count_bits(unseen & rank_bits(JACK))
    following = count_bits(g.hand[(seat + 1) % NUM_SEATS])
    beyond = count_bits(g.hand[(seat + NUM_TEAMS) % NUM_SEATS])
    taken = chance_of_one(takers, total, following)
    partner = (1.0 - taken) * chance_of_one(takers, total, beyond)
    pile = worth(pile_mask(g) | bit(kind))
    value = pile * (PARTNER_SHARE * partner - taken)
    if g.pile_count == 0:  # a lone card: the same rank makes a xeri (R3.4)
        bonus = xeri_worth(g, JACK_XERI if kind % NUM_RANKS == JACK else PLAIN_XERI)
        matched = chance_of_one(same, total, following)
        own = (1.0 - taken) * chance_of_one(same, total, beyond)
        value += bonus * (PARTNER_SHARE * own - matched)
    return value - JACK_WORTH if kind % NUM_RANKS == JACK else value


@kernel
def pick(g, code, ids, count):
    """Return what a compiled player does, given the legal actions."""
    if code == RANDOM:
        return pick_random(g, ids, count)
    if code == EXPERT:
        terms, values = np.empty(NUM_TERMS), np.empty(HAND_CARDS)
        return int(ids[expert.rate(g, ids, count, terms, values)])
    best, most = int(ids[0]), -np.inf
    for place in range(count):
        kind = np.int64(ids[place])
        value = greedy_value(g, kind) if code == GREEDY else counting_value(g, kind)
        if value > most:
            best, most = int(kind), value
    return best
