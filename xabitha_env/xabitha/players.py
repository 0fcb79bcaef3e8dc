"""The compiled players; they see only what their seat sees and play inside compiled loops.

`random` picks any legal action with equal chance. `greedy` draws the fire card when it completes a
meld or fits the table, opens as soon as it can, lays, adds and steals whatever it can while
keeping a discard, discards the card that it can use least, and never declares. `expert` and `chase`
have files of their own; every player but `random` plays as `chase` once it has declared.
"""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER, NUM_RANKS
from xabitha_env.masks import bit, count_bits
from xabitha_env.xabitha import chase, expert
from xabitha_env.xabitha.actions import (
    DECLARE,
    DISCARD,
    DRAW_DECK,
    DRAW_FIRE,
    MELD,
    OPEN,
)
from xabitha_env.xabitha.legal import may_draw_fire
from xabitha_env.xabitha.melds import CARDS
from xabitha_env.xabitha.observation import potential
from xabitha_env.xabitha.opening import KIND_POINTS, SUIT_BITS, row_points, suits_of_rank
from xabitha_env.xabitha.state import DECLARING, DRAWING
from xabitha_env.xabitha.values import fits_table

PLAYER_CODES = {"random": 0, "greedy": 1, "expert": 2, "chase": 3}
RANDOM, GREEDY, EXPERT, CHASE = PLAYER_CODES.values()

# What makes a card useful to `greedy`, in the order in which it matters.
MELD_USE = 1000  # it makes a meld with two other cards in hand
NEIGHBOUR_USE = 100  # each card in hand that could make a meld with it and a third
POINTS_SCALE = 1  # of two cards of equal use, the one with more points goes


@kernel
def pick_random(g, ids, count):
    """Return one of the legal actions, drawn from the game's stream for players."""
    g.player_word = _random.advance(g.player_word)
    return int(ids[_random.below(g.player_word, count)])


@kernel
def wants_fire(g, seat):
    """Return whether the top fire card completes a meld or fits the table (for `greedy`)."""
    top = np.int64(g.fire[g.fire_count - 1])
    if top == JOKER or (potential(g.hand_one[seat]) & bit(top)) != 0:
        return True
    return g.opened[seat] and fits_table(g, top)


@kernel
def neighbours(one, kind):
    """Return how many kinds in hand could make a meld with this one and a third card."""
    suit, rank = kind // NUM_RANKS, kind % NUM_RANKS
    held = (one >> (suit * NUM_RANKS)) & SUIT_BITS
    held |= (held & 1) << NUM_RANKS  # the ace is high, too
    spot = (np.int64(1) << rank) | (np.int64(rank == 0) << NUM_RANKS)
    near = (spot << 1) | (spot << 2) | (spot >> 1) | (spot >> 2)
    others = suits_of_rank(one, rank) & ~(1 << suit)
    return count_bits(held & near) + count_bits(others)


@kernel
def usefulness(g, one, melded, kind):
    """Return how much `greedy` would rather keep a card."""
    if kind == JOKER:
        return 2 * MELD_USE
    points = int(KIND_POINTS[kind]) if kind % NUM_RANKS != 0 else int(g.ace_high_points)
    use = NEIGHBOUR_USE * neighbours(one, kind) - POINTS_SCALE * points
    return use + MELD_USE if (melded >> kind) & 1 else use


@kernel
def worst_discard(g, seat, ids, first, count):
    """Return the discard of the least use; undoing a take only when nothing else is left."""
    one = g.hand_one[seat]
    melded = potential(one)
    best, least = int(ids[first]), MELD_USE * MELD_USE
    for place in range(first, count):
        kind = np.int64(ids[place]) - DISCARD
        use = usefulness(g, one, melded, kind)
        if kind == g.taken:
            use += MELD_USE * NEIGHBOUR_USE
        if use < least:
            best, least = int(ids[place]), use
    return best


@kernel
def richest_meld(g, ids, count):
    """Return the meld action with the most cards, of those the most points; -1 without one."""
    best, most = -1, -1
    for place in range(count):
        row = np.int64(ids[place]) - MELD
        if row < 0 or int(ids[place]) >= OPEN:
            break
        points = row_points(row, int(g.ace_high_points), int(g.ace_low_points))
        value = int(CARDS[row]) * MELD_USE * NEIGHBOUR_USE + points
        if value > most:
            best, most = int(ids[place]), value
    return best


@kernel
def pick_greedy(g, ids, count):
    """Return what `greedy` does."""
    seat = int(g.seat)
    if g.phase == DECLARING:
        return int(ids[0])
    if g.phase == DRAWING:
        return DRAW_FIRE if may_draw_fire(g) and wants_fire(g, seat) else DRAW_DECK
    meld = richest_meld(g, ids, count)
    if meld >= 0:
        return meld
    if int(ids[0]) < DISCARD:  # the commit, or something on the table
        return int(ids[0])
    return worst_discard(g, seat, ids, 0, count)


@kernel
def needs_list(code):
    """Return whether a player looks at the list of legal actions.

    `chase` does where it has not declared, as when it takes over from another player.
    """
    return code != EXPERT


@kernel
def pick(g, code, ids, count):
    """Return what a compiled player does.

    Args:
        g: a game's record.
        code: one of `PLAYER_CODES`.
        ids, count: the legal actions; only the players that `needs_list` names look at them.
    """
    if code == RANDOM:
        return pick_random(g, ids, count)
    if g.declared[g.seat] and g.phase != DECLARING:
        return chase.act(g)
    if code == GREEDY:
        return pick_greedy(g, ids, count)
    if code == EXPERT:
        return expert.act(g, expert.WEIGHTS)
    return DECLARE + 1 if g.phase == DECLARING else pick_greedy(g, ids, count)
