"""The player `chase`: it plays only for the formation (X9), as every player that has declared does.

It aims at the run of ten and the set of four that are nearest to complete, keeps what belongs to
them, takes from the fire pile only what they miss, and discards the rest with care.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from xabitha_env.masks import bit, count_bits
from xabitha_env.xabitha.actions import DISCARD, DRAW_DECK, DRAW_FIRE, FORMATION
from xabitha_env.xabitha.formation import find_formation, formation_kinds
from xabitha_env.xabitha.hands import NONE, held_jokers
from xabitha_env.xabitha.legal import may_act_on_table, may_draw_fire
from xabitha_env.xabitha.melds import FORMATION_LOWS
from xabitha_env.xabitha.reading import unseen_cards
from xabitha_env.xabitha.state import DRAWING
from xabitha_env.xabitha.values import safest

MISSING = 1.0  # cost of a card that is missing, with both copies unseen
SCARCE = 0.6  # more where one copy is unseen
GONE = 4.0  # more where none is
FAR = 1e9


@kernel
def missing_cards(one, two, suit, low, rank):
    """Return the masks of what a hand lacks for a run of ten and for a set of four (X9.1).

    A card that both want and that is held once goes to the run.
    """
    run, quads = formation_kinds(suit, low, rank)
    return run & ~one, quads & ~(one & ~run) & ~(two & run)


@kernel
def cost(missing, once, twice):
    """Return how far away the cards of a mask are, in cards."""
    single = count_bits(missing & once & ~twice)
    gone = count_bits(missing & ~once)
    return MISSING * count_bits(missing) + SCARCE * single + GONE * gone


@kernel
def nearest_formation(one, two, once, twice):
    """Return the formation that is nearest to complete, as (suit, low, rank).

    Args:
        one, two: masks of the hand.
        once, twice: masks of the unseen cards.
    """
    best = (NONE, NONE + 1, NONE)
    least = FAR
    for suit in range(NUM_SUITS):
        for low in range(1, FORMATION_LOWS + 1):
            run = formation_kinds(suit, low, 0)[0]
            run_cost = cost(run & ~one, once, twice)
            if run_cost >= least:
                continue
            for rank in range(NUM_RANKS):
                quads = missing_cards(one, two, suit, low, rank)[1]
                total = run_cost + cost(quads, once, twice)
                if total < least:
                    best, least = (np.int64(suit), np.int64(low), np.int64(rank)), total
    return best


@kernel
def formation_distance(one, two):
    """Return how many cards a hand lacks for the nearest formation, jokers counted as any card."""
    least = JOKER
    for suit in range(NUM_SUITS):
        for low in range(1, FORMATION_LOWS + 1):
            lacks = count_bits(formation_kinds(suit, low, 0)[0] & ~one)
            if lacks >= least:
                continue
            for rank in range(NUM_RANKS):
                quads = missing_cards(one, two, suit, low, rank)[1]
                least = min(least, lacks + count_bits(quads))
    return max(least - held_jokers(one, two), 0)


@kernel
def wanted_cards(g, seat):
    """Return the masks of what the nearest formation lacks and of what it would use of the hand."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    once, twice = unseen_cards(g, seat)
    suit, low, rank = nearest_formation(one, two, once, twice)
    run, quads = formation_kinds(suit, low, rank)
    lacks_run, lacks_quads = missing_cards(one, two, suit, low, rank)
    return lacks_run | lacks_quads, (run | quads) & one, run & quads & two


@kernel
def act(g):
    """Return what `chase` does for a seat that has declared, after the declarations."""
    seat = int(g.seat)
    if g.phase == DRAWING:
        if not may_draw_fire(g):
            return DRAW_DECK
        top = np.int64(g.fire[g.fire_count - 1])
        lacks, _, _ = wanted_cards(g, seat)
        return DRAW_FIRE if top == JOKER or (lacks >> top) & 1 else DRAW_DECK
    one, two = g.hand_one[seat], g.hand_two[seat]
    if may_act_on_table(g) and find_formation(one, two, int(g.taken))[0] >= 0:
        return FORMATION
    return DISCARD + pick_loose(g, seat)


@kernel
def pick_loose(g, seat):
    """Return the kind to discard: of what the formation does not use, what helps others least."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    _, uses, uses_both = wanted_cards(g, seat)
    loose = (one & ~uses) | (two & ~uses_both)
    taken = bit(int(g.taken)) if g.taken >= 0 else NONE
    for choice in (loose & ~bit(JOKER) & ~taken, one & ~bit(JOKER) & ~taken, one & ~taken):
        if choice != 0:
            return safest(g, seat, choice)
    return safest(g, seat, one)
