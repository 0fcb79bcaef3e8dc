"""The formation of a player in Xabitha mode (X9)."""

from __future__ import annotations

from xabitha_env._jit import kernel
from xabitha_env.cards import NUM_RANKS, NUM_SUITS
from xabitha_env.masks import bit, count_bits
from xabitha_env.xabitha.hands import (
    NONE,
    can_discard,
    held_jokers,
    pending_take,
    remove_cards,
    remove_meld,
)
from xabitha_env.xabitha.melds import (
    FORMATION_CARDS,
    FORMATION_LOWS,
    FORMATION_RUN,
    SHORTEST_MELD,
)
from xabitha_env.xabitha.opening import SUIT_BITS

RUN_BITS = (1 << FORMATION_RUN) - 1
FIRST_BITS = (1 << SHORTEST_MELD) - 1
NOTHING = (-1, 0, 0)


@kernel
def find_formation(one, two, taken):
    """Return the formation that a hand of 15 lays: (suit, low, rank), or (-1, 0, 0) without one.

    It is the first that keeps a discard (X4.5) in the order suit, low, rank, with a joker only
    where a card is not held (X9.2); `low` is the run's lowest position, 1 to 5. A card that both
    the run and the set want and that is held once goes to the run, which is the harder to fill:
    a set has two real cards whatever two jokers replace (X5.4).
    """
    jokers = held_jokers(one, two)
    for suit in range(NUM_SUITS):
        held = int((one >> (suit * NUM_RANKS)) & SUIT_BITS)
        positions = held | ((held & 1) << NUM_RANKS)
        for low in range(FORMATION_LOWS):
            gaps = RUN_BITS & ~(positions >> low)
            if count_bits(gaps) > jokers or count_bits(gaps & FIRST_BITS) > 1:  # X5.4
                continue
            for rank in range(NUM_RANKS):
                if leaves_discard(one, two, taken, suit, low + 1, rank):
                    return (suit, low + 1, rank)
    return NOTHING


@kernel
def formation_kinds(suit, low, rank):
    """Return the masks of the kinds that a formation's run and its set are made of."""
    run = bit(suit * NUM_RANKS + low - 1)
    for place in range(low, low + FORMATION_RUN - 1):
        run |= bit(suit * NUM_RANKS + place % NUM_RANKS)
    quads = bit(rank)
    for other in range(1, NUM_SUITS):
        quads |= bit(other * NUM_RANKS + rank)
    return run, quads


@kernel
def without_formation(one, two, suit, low, rank):
    """Return a hand without a formation: its two masks, the real cards laid, the jokers used.

    The masks mean nothing when the hand has fewer jokers than are used.
    """
    run, quads = formation_kinds(suit, low, rank)
    run &= one
    one, two = remove_cards(one, two, run)
    quads &= one
    one, two = remove_cards(one, two, quads)
    used = FORMATION_CARDS - count_bits(run) - count_bits(quads)
    one, two = remove_meld(one, two, NONE, used)
    return one, two, run, quads, used


@kernel
def leaves_discard(one, two, taken, suit, low, rank):
    """Return whether a hand can lay this formation and keeps a discard (X9.1, X4.5)."""
    jokers = held_jokers(one, two)
    one, two, run, quads, used = without_formation(one, two, suit, low, rank)
    return used <= jokers and can_discard(one, pending_take(taken, run | quads, used))
