"""What cards are worth: to hold, and to the seat that plays next."""

from __future__ import annotations

from xabitha_env._jit import kernel
from xabitha_env.cards import ACE, JOKER, NUM_RANKS, NUM_SEATS, NUM_SUITS
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xabitha.actions import SLOT_ACTIONS
from xabitha_env.xabitha.hands import NONE
from xabitha_env.xabitha.legal import slot_card
from xabitha_env.xabitha.melds import NUM_LOWS, SHORTEST_MELD
from xabitha_env.xabitha.opening import KIND_POINTS, SUIT_BITS, suits_of_rank
from xabitha_env.xabitha.reading import hidden_count, unseen_cards

WINDOW = (1 << SHORTEST_MELD) - 1
ALL_SUITS = (1 << NUM_SUITS) - 1
BELOW, AROUND, ABOVE = 0b00011, 0b01010, 0b11000
MOST_POINTS = int(KIND_POINTS.max())
FAR = 1e9
FIT_DANGER = 1.0
"""For `safest`: a card that fits the table, against one that surely makes a meld."""


@kernel
def spots(mask, suit):
    """Return a suit's kinds in a mask as places of a run, bit 0 the low ace (X5.2)."""
    held = (mask >> (suit * NUM_RANKS)) & SUIT_BITS
    return held | ((held & 1) << NUM_RANKS)


@kernel
def run_outs(held, once, twice, spot, made):
    """Return how many unseen cards make a run of three with a card and one that is held.

    Args:
        held, once, twice: places of a suit that are held, unseen once at least, unseen twice.
        spot: the card's place.
        made: what counts where both other cards are held.
    """
    outs = 0.0
    for first in range(max(spot - 2, 0), min(spot, NUM_LOWS - 1) + 1):
        others = (WINDOW << first) & ~(1 << spot)
        have = held & others
        if have == others:
            outs += made
        elif have != 0:
            outs += count_bits(once & others & ~have) + count_bits(twice & others & ~have)
    return outs


@kernel
def set_outs(held, once, twice, kind, made):
    """Return how many unseen cards make a set of three with a card and one that is held."""
    suit, rank = kind // NUM_RANKS, kind % NUM_RANKS
    others = ALL_SUITS & ~(1 << suit)
    have = suits_of_rank(held, rank) & others
    if have == 0:
        return 0.0
    if have & (have - 1) != 0:
        return made
    left = others & ~have
    once_left = count_bits(suits_of_rank(once, rank) & left)
    return 1.0 * (once_left + count_bits(suits_of_rank(twice, rank) & left))


@kernel
def completes_meld(one, kind):
    """Return whether a card makes a meld of three with two real cards of a hand (X5)."""
    suit, rank = kind // NUM_RANKS, kind % NUM_RANKS
    others = suits_of_rank(one, rank) & ~(1 << suit)
    if others & (others - 1) != 0:
        return True
    held = spots(one, suit)
    near = held << 2 >> rank  # bit 2 is the card itself
    if (near & BELOW) == BELOW or (near & AROUND) == AROUND or (near & ABOVE) == ABOVE:
        return True
    return rank == ACE and ((held >> (NUM_RANKS - 2)) & BELOW) == BELOW  # queen and king


@kernel
def prospects(held, once, twice, kind, run_out, set_out, made):
    """Return what a card may become with what is held, in unseen cards that make it a meld.

    Args:
        held: mask of the other cards.
        once, twice: masks of the unseen cards.
        kind: the card.
        run_out, set_out: what such a card counts.
        made: how many of them it counts to have both other cards.
    """
    suit, rank = kind // NUM_RANKS, kind % NUM_RANKS
    row, one, two = spots(held, suit), spots(once, suit), spots(twice, suit)
    outs = run_outs(row, one, two, rank, made)
    if rank == ACE:
        outs += run_outs(row, one, two, NUM_RANKS, made)
    return run_out * outs + set_out * set_outs(held, once, twice, kind, made)


@kernel
def card_points(g, kind):
    """Return a card's points, the ace high (X1.3)."""
    return int(g.ace_high_points) if kind % NUM_RANKS == ACE else int(KIND_POINTS[kind])


@kernel
def chance_held(g, seat, kind, once, twice, rate):
    """Return about how likely a seat holds a kind; `rate` is that of one unseen card."""
    if (g.known_one[seat] >> kind) & 1:
        return 1.0
    return rate * (((once >> kind) & 1) + ((twice >> kind) & 1))


@kernel
def run_danger(g, seat, suit, spot, once, twice, rate):
    """Return about how many runs of three a seat could make with a card at a place."""
    danger = 0.0
    for first in range(max(spot - 2, 0), min(spot, NUM_LOWS - 1) + 1):
        chance = 1.0
        for other in range(first, first + SHORTEST_MELD):
            if other != spot:
                near = suit * NUM_RANKS + other % NUM_RANKS
                chance *= chance_held(g, seat, near, once, twice, rate)
        danger += chance
    return danger


@kernel
def meld_danger(g, seat, kind, once, twice, rate):
    """Return about how many melds of three a seat could make with a card."""
    suit, rank = kind // NUM_RANKS, kind % NUM_RANKS
    danger = run_danger(g, seat, suit, rank, once, twice, rate)
    if rank == ACE:
        danger += run_danger(g, seat, suit, NUM_RANKS, once, twice, rate)
    total, squares = 0.0, 0.0
    for other in range(NUM_SUITS):
        if other != suit:
            chance = chance_held(g, seat, other * NUM_RANKS + rank, once, twice, rate)
            total += chance
            squares += chance * chance
    return danger + (total * total - squares) / 2  # pairs of other suits


@kernel
def unseen_rate(g, seat, once, twice):
    """Return how likely a seat holds one given unseen card."""
    return hidden_count(g, seat) / max(count_bits(once) + count_bits(twice), 1)


@kernel
def table_wants(g):
    """Return the mask of the kinds that some meld on the table would take (X7, X8)."""
    kinds = NONE
    for slot in range(int(g.num_melds)):
        for what in range(SLOT_ACTIONS):
            kind = slot_card(g, slot, what)
            if kind >= 0:
                kinds |= bit(kind)
    return kinds


@kernel
def safest(g, seat, choice):
    """Return the kind of a mask that helps the next seat least; a joker only when alone."""
    once, twice = unseen_cards(g, seat)
    following = (seat + 1) % NUM_SEATS
    rate = unseen_rate(g, following, once, twice)
    wants = table_wants(g) if g.opened[following] else NONE
    best, least = JOKER, FAR
    choice &= ~bit(JOKER)
    while choice != 0:
        kind = lowest_bit(choice)
        choice &= choice - 1
        danger = meld_danger(g, following, kind, once, twice, rate)
        if (wants >> kind) & 1:
            danger += FIT_DANGER
        if danger < least:
            best, least = kind, danger
    return best
