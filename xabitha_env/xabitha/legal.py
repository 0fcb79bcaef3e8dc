"""Which actions are legal: the list for the seat to act, and the test of a single action.

Both are built on the same conditions, one function a rule; `g` is one game's record.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER, NUM_RANKS, NUM_SUITS
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xabitha.actions import (
    ADD_HIGH,
    ADD_LOW,
    DECLARE,
    DISCARD,
    DRAW_DECK,
    DRAW_FIRE,
    FORMATION,
    JOKER_HIGH,
    JOKER_LOW,
    MELD,
    NUM_ACTIONS,
    OPEN,
    SLOT,
    SLOT_ACTIONS,
    STEAL_FIRST,
    STEAL_SECOND,
)
from xabitha_env.xabitha.formation import find_formation
from xabitha_env.xabitha.hands import (
    REAL_BITS,
    add_card,
    can_discard,
    held_jokers,
    pending_take,
    remove_cards,
    remove_meld,
)
from xabitha_env.xabitha.melds import (
    COPIES,
    HIGH_ACE,
    JOKERS,
    LARGEST_SET,
    LONGEST_LAID,
    LOW_ACE,
    NEED,
    NUM_RUNS,
    RUN,
)
from xabitha_env.xabitha.opening import layable, reaches_with, row_points, stageable
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, PLAYING

ALL_SUITS = (1 << NUM_SUITS) - 1
ALWAYS_KEEPS = COPIES + 1
"""With this many cards left, one of them is not of the taken kind (X4.5)."""


@kernel
def staged_points(g):
    """Return the points of the melds that are staged."""
    total = 0
    for place in range(int(g.staged)):
        row = np.int64(g.staged_rows[place])
        total += row_points(row, int(g.ace_high_points), int(g.ace_low_points))
    return total


@kernel
def staged_run(g):
    """Return whether a run is staged, or none is needed (X6.1)."""
    run = not g.opening_needs_run
    for place in range(int(g.staged)):
        run = run or int(g.staged_rows[place]) < NUM_RUNS
    return run


@kernel
def staged_take(g):
    """Return the kind of the pending take, or -1 also when it is among the staged cards (X4.4)."""
    taken = int(g.taken)
    for place in range(int(g.staged)):
        row = np.int64(g.staged_rows[place])
        taken = pending_take(taken, NEED[row], int(JOKERS[row]))
    return taken


@kernel
def position_kind(suit, position):
    """Return the kind at a position of a run, 1 (low ace) to 14 (high ace) (X5.2)."""
    return suit * NUM_RANKS + (position - 1) % NUM_RANKS


@kernel
def run_card(g, slot, what):
    """Return the kind to give for an action on a run, or -1 where there is no such action."""
    suit = lowest_bit(np.int64(g.slot_suits[slot]))
    low, high = np.int64(g.slot_low[slot]), np.int64(g.slot_high[slot])
    if what == ADD_LOW or what == JOKER_LOW:  # X7.1
        if low == LOW_ACE:
            return -1
        return JOKER if what == JOKER_LOW else position_kind(suit, low - 1)
    if what == ADD_HIGH or what == JOKER_HIGH:
        if high == HIGH_ACE:
            return -1
        return JOKER if what == JOKER_HIGH else position_kind(suit, high + 1)
    jokers = np.int64(g.slot_jokers[slot])  # X8.1
    if jokers == 0:
        return -1
    first = position_kind(suit, lowest_bit(jokers))
    if what == STEAL_FIRST:
        return first
    jokers &= jokers - 1
    if jokers == 0:
        return -1
    second = position_kind(suit, lowest_bit(jokers))
    return -1 if second == first else second  # X8.1: an ace takes the lower one


@kernel
def set_card(g, slot, what):
    """Return the kind to give for an action on a set, or -1 where there is no such action."""
    suits = np.int64(g.slot_suits[slot])
    jokers = count_bits(np.int64(g.slot_jokers[slot]))
    if count_bits(suits) + jokers == LARGEST_SET or what == JOKER_HIGH:  # X7.1, X8.2
        return -1
    if what == JOKER_LOW:
        return JOKER
    steal = what == STEAL_FIRST or what == STEAL_SECOND
    missing = ALL_SUITS & ~suits
    if what == ADD_HIGH or what == STEAL_SECOND:
        missing &= missing - 1
    if missing == 0 or (steal and jokers == 0):
        return -1
    return position_kind(lowest_bit(missing), np.int64(g.slot_low[slot]))  # X5.5


@kernel
def slot_card(g, slot, what):
    """Return the kind that the seat gives for an action on a meld, or -1 where there is none."""
    if g.slot_type[slot] == 0:
        return -1
    return run_card(g, slot, what) if g.slot_type[slot] == RUN else set_card(g, slot, what)


@kernel
def slot_legal(g, seat, slot, what):
    """Return whether a seat that is down may add to a meld or steal from it (X7, X8, X4.5)."""
    kind = slot_card(g, slot, what)
    one, two = g.hand_one[seat], g.hand_two[seat]
    if kind < 0 or (one >> kind) & 1 == 0:
        return False
    if g.hand_count[seat] > ALWAYS_KEEPS:
        return True
    taken = int(g.taken)
    if kind == taken:
        taken = -1
    one, two = remove_cards(one, two, bit(kind))
    if what == STEAL_FIRST or what == STEAL_SECOND:
        one, two = add_card(one, two, np.int64(JOKER))
    return can_discard(one, taken)


@kernel
def keeps_discard(g, seat, row):
    """Return whether laying a row leaves a card to end the turn with (X4.5)."""
    if g.hand_count[seat] >= LONGEST_LAID + ALWAYS_KEEPS:
        return True
    need, used = NEED[row], int(JOKERS[row])
    one, two = remove_meld(g.hand_one[seat], g.hand_two[seat], need, used)
    return can_discard(one, pending_take(int(g.taken), need, used))


@kernel
def may_open(g, seat):
    """Return whether the staged melds are enough to commit (X6.1, X6.2)."""
    return g.staged > 0 and staged_run(g) and staged_points(g) >= g.threshold[seat]


@kernel
def may_act_on_table(g):
    """Return whether this part of the turn allows table actions (X4.1, X4.2)."""
    return g.phase == PLAYING and g.turn > 1


@kernel
def list_melds(g, seat, ids):
    """Write the melds that may be laid or staged, ascending; returns their number."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    if g.opened[seat]:
        count = 0
        for place in range(layable(one, two, ids)):
            row = np.int64(ids[place])
            if keeps_discard(g, seat, row):
                ids[count] = MELD + row
                count += 1
        return count
    wanted = int(g.threshold[seat]) - staged_points(g)
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    count = stageable(one, two, wanted, staged_run(g), staged_take(g), high, low, ids)
    for place in range(count):
        ids[place] += MELD
    return count


@kernel
def list_slots(g, seat, ids, count):
    """Append what may be done to melds on the table, ascending; returns the new count."""
    for slot in range(int(g.num_melds)):
        for what in range(SLOT_ACTIONS):
            if slot_legal(g, seat, slot, what):
                ids[count] = SLOT + slot * SLOT_ACTIONS + what
                count += 1
    return count


@kernel
def list_kinds(mask, base, ids, count):
    """Append one action a kind in a mask, ascending; returns the new count."""
    while mask != 0:
        ids[count] = base + lowest_bit(mask)
        mask &= mask - 1
        count += 1
    return count


@kernel
def list_legal(g, ids):
    """Write the ids of all legal actions of the seat to act, ascending; returns their number.

    Args:
        g: a game's record.
        ids: room for `MAX_LEGAL` ids, int32.
    """
    seat = int(g.seat)
    if g.over:
        return 0
    if g.phase == DECLARING:
        ids[0], ids[1] = DECLARE, DECLARE + 1
        return 2
    if g.phase == DRAWING:
        ids[0], ids[1] = DRAW_DECK, DRAW_FIRE
        return 2 if may_draw_fire(g) else 1
    count = 0
    if may_act_on_table(g):
        if g.declared[seat]:
            if find_formation(g.hand_one[seat], g.hand_two[seat], int(g.taken))[0] >= 0:
                ids[count] = FORMATION
                count += 1
        else:
            count = list_melds(g, seat, ids)
        if g.staged > 0:
            if may_open(g, seat):
                ids[count] = OPEN
                count += 1
            return count
        if g.opened[seat]:
            count = list_slots(g, seat, ids, count)
    return list_kinds(g.hand_one[seat], DISCARD, ids, count)


@kernel
def may_draw_fire(g):
    """Return whether the top fire card may be taken (X4.3, X4.4)."""
    return g.fire_count > 0 and not g.fire_locked


@kernel
def meld_legal(g, seat, row):
    """Return whether one row may be laid or staged (X5, X6.4, X4.5)."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    if (NEED[row] & ~one) != 0 or JOKERS[row] > held_jokers(one, two) or g.declared[seat]:
        return False
    if g.opened[seat]:
        return keeps_discard(g, seat, row)
    wanted = int(g.threshold[seat]) - staged_points(g)
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    run, taken = staged_run(g), staged_take(g)
    return reaches_with(one, two, row, wanted, run, taken, high, low, REAL_BITS)


@kernel
def is_legal(g, action):
    """Return whether the seat to act may take an action; any integer may be asked for."""
    seat = int(g.seat)
    if g.over or action < 0 or action >= NUM_ACTIONS:
        return False
    if action < DRAW_DECK:
        return g.phase == DECLARING
    if action < MELD:
        return g.phase == DRAWING and (action == DRAW_DECK or may_draw_fire(g))
    if action >= DISCARD:
        held = (g.hand_one[seat] >> (action - DISCARD)) & 1 == 1
        return held and g.staged == 0 and (g.phase == PLAYING or g.phase == FORMED)
    if not may_act_on_table(g):
        return False
    if action < OPEN:
        return meld_legal(g, seat, action - MELD)
    if action == OPEN:
        return may_open(g, seat)
    if action == FORMATION:
        if not g.declared[seat]:
            return False
        return find_formation(g.hand_one[seat], g.hand_two[seat], int(g.taken))[0] >= 0
    if not g.opened[seat]:
        return False
    slot, what = (action - SLOT) // SLOT_ACTIONS, (action - SLOT) % SLOT_ACTIONS
    return slot_legal(g, seat, slot, what)
