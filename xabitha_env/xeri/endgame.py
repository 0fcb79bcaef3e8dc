"""The exact end of a round: what every play leads to when all four seats play best.

With the stock dealt out and few cards left, every way in which the unseen cards can lie is played
out exactly, as if all hands were open (alpha-beta search), and the results are averaged. Nothing
calls itself: numba cannot keep compiled recursion.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JACK, NUM_RANKS, NUM_SEATS, NUM_TEAMS
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xeri.actions import NUM_CARDS, PLAYS
from xabitha_env.xeri.observation import rank_bits
from xabitha_env.xeri.odds import (
    JACKS,
    chance_of_passing,
    denied_cards,
    points_of,
    shown_card,
    unseen_cards,
    worth_passed,
)
from xabitha_env.xeri.play import MOST_CARDS_POINTS, pile_mask, xeri_points
from xabitha_env.xeri.resample import list_kinds
from xabitha_env.xeri.state import NO_KIND, NO_SEAT

EXACT_PLAYS = 8
"""With no more plays left in the round, at most 90 deals are possible, and all are solved."""
FAR = np.int64(1 << 40)
"""Beyond any lead of points."""
SLIP = 0.05
"""How likely a seat let lie what it could have taken with the same rank, against not having it."""

# Columns of a level: the table after so many plays, as seen by the team of the seat to act.
(
    PILE,  # mask
    TOP,  # kind, or -1 without a pile
    LAST,  # who captured last: 1 the own team, -1 the other, 0 nobody
    POINTS,  # lead so far, xeris included
    CARDS,  # lead in captured cards
    UNTRIED,  # mask of the cards that the seat has not tried
    TRIED,  # mask of the card that is being tried
    LOW,  # what the own team can reach for certain
    HIGH,  # what the other team can hold it down to
) = range(9)
COLUMNS = HIGH + 1
LEVELS = EXACT_PLAYS + 1


@kernel
def copy_table(g, level):
    """Write the table of a game as a level."""
    team = int(g.seat) % NUM_TEAMS
    own, theirs = g.captured[team], g.captured[1 - team]
    level[PILE] = pile_mask(g)
    level[TOP] = NO_KIND if g.pile_count == 0 else g.pile[g.pile_count - 1]
    level[LAST] = 0
    if g.last_capturer != NO_SEAT:
        level[LAST] = 1 if g.last_capturer % NUM_TEAMS == team else -1
    level[POINTS] = points_of(own) + xeri_points(g, team)
    level[POINTS] -= points_of(theirs) + xeri_points(g, 1 - team)
    level[CARDS] = count_bits(own) - count_bits(theirs)


@kernel
def xeri_bonus(g, pile, kind, last):
    """Return what a card that takes a pile of its rank or with a jack gains as a xeri (R3.4)."""
    if count_bits(pile) > 1 or lowest_bit(pile) % NUM_RANKS != kind % NUM_RANKS:
        return np.int64(0)
    if last and not g.dealer_last_card_xeri:  # R3.6
        return np.int64(0)
    return np.int64(g.jack_xeri_points if kind % NUM_RANKS == JACK else g.xeri_points)


@kernel
def follow(g, here, below, kind, sign, last):
    """Write the level below: a card is played (R3.2) by the own team (1) or the other (-1)."""
    pile = here[PILE]
    rank = kind % NUM_RANKS
    below[LAST] = here[LAST]
    below[POINTS] = here[POINTS]
    below[CARDS] = here[CARDS]
    if pile != 0 and (rank == JACK or rank == here[TOP] % NUM_RANKS):
        taken = pile | bit(kind)
        below[POINTS] += sign * (points_of(taken) + xeri_bonus(g, pile, kind, last))
        below[CARDS] += sign * count_bits(taken)
        below[LAST] = sign
        below[PILE] = 0
        below[TOP] = NO_KIND
    else:
        below[PILE] = pile | bit(kind)
        below[TOP] = kind


@kernel
def settle(level):
    """Return the lead of points of a finished round (R3.5, R4.1)."""
    cards = level[CARDS] + level[LAST] * count_bits(level[PILE])
    points = level[POINTS] + level[LAST] * points_of(level[PILE])
    return points + MOST_CARDS_POINTS * (int(cards > 0) - int(cards < 0))


@kernel
def play_out(g, level, hands, seat, sign, count):
    """Return the lead after the last plays, in which no seat has a choice; `level` changes."""
    for place in range(count):
        kind = lowest_bit(hands[(seat + place) % NUM_SEATS])
        follow(g, level, level, kind, sign, place + 1 == count)
        sign = -sign
    return settle(level)


@kernel
def next_card(level):
    """Return the mask of a card to try, out of `UNTRIED`: first those that take the pile."""
    cards = level[UNTRIED]
    if level[PILE] != 0:
        taking = cards & (rank_bits(level[TOP] % NUM_RANKS) | JACKS)
        cards = taking if taking != 0 else cards
    card = cards & -cards
    level[UNTRIED] &= ~card
    return card


@kernel
def narrow(level, own, value):
    """Take note of what a card leads to: the own team wants the most, the other the least."""
    if own:
        level[LOW] = max(level[LOW], value)
    else:
        level[HIGH] = min(level[HIGH], value)


@kernel
def enter(level, hand, low, high):
    """Begin to try the cards of a hand."""
    level[UNTRIED] = hand
    level[LOW] = low
    level[HIGH] = high


@kernel
def solve(g, levels, hands, start, left):
    """Return the lead of the team of `g.seat` when all play best from a level on, hands open.

    Args:
        g: the game, for its rules and the seat to act.
        levels: (LEVELS, COLUMNS) int64; `start` is the table after so many plays.
        hands: (NUM_SEATS,) masks after those plays; the same again in the end.
        start: 0, or 1 after a play of `g.seat`.
        left: plays to the end of the round from level 0 on.
    """
    depth = start
    enter(levels[depth], hands[(g.seat + depth) % NUM_SEATS], -FAR, FAR)
    while True:
        level = levels[depth]
        own = depth % NUM_TEAMS == 0
        seat = (g.seat + depth) % NUM_SEATS
        if level[UNTRIED] == 0 or level[LOW] >= level[HIGH]:
            value = level[LOW] if own else level[HIGH]
            if depth == start:
                return value
            depth -= 1
            hands[(g.seat + depth) % NUM_SEATS] |= levels[depth, TRIED]
            narrow(levels[depth], not own, value)
            continue
        card = next_card(level)
        sign = 1 if own else -1
        rest = left - depth - 1
        follow(g, level, levels[depth + 1], lowest_bit(card), sign, rest == 0)
        hands[seat] &= ~card
        if rest <= NUM_SEATS:
            narrow(level, own, play_out(g, levels[depth + 1], hands, seat + 1, -sign, rest))
            hands[seat] |= card
        else:
            level[TRIED] = card
            depth += 1
            enter(levels[depth], hands[(seat + 1) % NUM_SEATS], level[LOW], level[HIGH])


@kernel
def add_solutions(g, levels, hands, weight, sums):
    """Add what each own card leads to in one deal, lowest kind first."""
    seat = int(g.seat)
    left = PLAYS - g.plays
    own = hands[seat]
    place = 0
    while own != 0:
        kind = lowest_bit(own)
        own &= own - 1
        follow(g, levels[0], levels[1], kind, 1, left == 1)
        hands[seat] &= ~bit(kind)
        sums[place] += weight * solve(g, levels, hands, np.int64(1), left)
        hands[seat] |= bit(kind)
        place += 1


@kernel
def next_subset(subset, end):
    """Return the next larger number with as many bits set; `end` if there is none."""
    if subset == 0:
        return end
    low = subset & -subset
    carried = subset + low
    return carried | ((carried ^ subset) >> (lowest_bit(subset) + 2))


@kernel
def pick_kinds(kinds, subset):
    """Return the mask of the kinds at the places of a subset."""
    mask = np.int64(0)
    while subset != 0:
        mask |= bit(np.int64(kinds[lowest_bit(subset)]))
        subset &= subset - 1
    return mask


@kernel
def describe_seats(g, public, denied, passing):
    """Write by seat what all know: shown cards, cards it lacks, the chance to pass with a jack."""
    for seat in range(NUM_SEATS):
        public[seat] = shown_card(g, seat)
        denied[seat] = denied_cards(g, seat)
        passing[seat] = chance_of_passing(worth_passed(g, seat))


@kernel
def weigh(hands, seat, denied, passing):
    """Return how likely the other hands made the plays that were seen, against others."""
    weight = 1.0
    for other in range(NUM_SEATS):
        if other != seat:
            if hands[other] & denied[other] != 0:
                weight *= SLIP
            if hands[other] & JACKS != 0:
                weight *= passing[other]
    return weight


@kernel
def average_plays(g, sums):
    """Write what each card of the seat to act leads to, over all deals that can be.

    Args:
        g: a game with an empty stock and at most `EXACT_PLAYS` plays left.
        sums: (HAND_CARDS,) float64, written: by the cards in hand, lowest kind first.
    """
    seat = int(g.seat)
    levels = np.empty((LEVELS, COLUMNS), np.int64)
    hands = np.empty(NUM_SEATS, np.int64)
    public, denied = np.empty(NUM_SEATS, np.int64), np.empty(NUM_SEATS, np.int64)
    passing = np.empty(NUM_SEATS)
    describe_seats(g, public, denied, passing)
    kinds = np.empty(NUM_CARDS, np.int64)
    end = bit(list_kinds(unseen_cards(g, seat), kinds))
    first, second, third = (seat + 1) % NUM_SEATS, (seat + 2) % NUM_SEATS, (seat - 1) % NUM_SEATS
    copy_table(g, levels[0])
    hands[seat] = g.hand[seat]
    for place in range(sums.size):
        sums[place] = 0.0
    total = 0.0
    one = bit(count_bits(g.hand[first] & ~public[first])) - 1
    while one < end:
        hands[first] = public[first] | pick_kinds(kinds, one)
        two = bit(count_bits(g.hand[second] & ~public[second])) - 1
        while two < end:
            if one & two == 0:
                hands[second] = public[second] | pick_kinds(kinds, two)
                hands[third] = public[third] | pick_kinds(kinds, end - 1 & ~one & ~two)
                weight = weigh(hands, seat, denied, passing)
                add_solutions(g, levels, hands, weight, sums)
                total += weight
            two = next_subset(two, end)
        one = next_subset(one, end)
    for place in range(sums.size):  # loops compile in a fraction of the time of array operations
        sums[place] /= total
