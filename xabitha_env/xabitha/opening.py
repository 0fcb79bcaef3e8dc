"""The exact search for openings (X6.4): which melds can be staged.

A meld can be staged when some further melds from the rest of the hand bring the total to the
threshold, with a run, and keep a discard (X4.5). `search` answers this, for all melds at once or
for one, and gives the points of the best packing of a hand.

The search branches on the lowest real kind that is still free: either some row that has it as its
lowest real kind is laid, or no copy of it is used any more. Every set of disjoint melds is met
once (but for swapping equal cards), since each meld has a lowest real kind (X5.4: a meld has real
cards). Its bound is proved as follows: a free card adds at most its own value to any total, an
ace the larger of its two; a joker at most `joker_cap`; kinds that no row needs that the whole hand
can lay add nothing, as rows only vanish while cards go.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import ACE, JOKER, KING, NUM_RANKS, NUM_SUITS, QUEEN
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xabitha.hands import (
    JOKER_BIT,
    NO_TAKE,
    NONE,
    ONE,
    REAL_BITS,
    YES,
    can_discard,
    held_jokers,
    pending_take,
    remove_meld,
)
from xabitha_env.xabitha.melds import (
    BASE_POINTS,
    FIT_RUNS,
    FIT_SETS,
    HIGH_ACES,
    JOKERS,
    LONGEST_LAID,
    LOW_ACES,
    LOWEST_ROWS,
    LOWEST_START,
    NEED,
    NUM_FIT_RUNS,
    NUM_FIT_SETS,
    NUM_LOWS,
    NUM_MELDS,
    NUM_RUNS,
    PARTNERS,
    REAL_ACES,
    REAL_POINTS,
    RUNS_AT,
    RUNS_FROM,
    SETS_PER_RANK,
    SHORTEST_MELD,
    rank_points,
)
from xabitha_env.xabitha.state import HAND_CARDS

KIND_POINTS = np.array([rank_points(kind % NUM_RANKS) for kind in range(JOKER)] + [0], np.int64)
"""Points by kind, but for aces and jokers."""
ACE_BITS = np.int64(sum(1 << (suit * NUM_RANKS + ACE) for suit in range(NUM_SUITS)))
RUN_STARTS = np.int64(
    sum(
        1 << (suit * NUM_RANKS + rank)
        for suit in range(NUM_SUITS)
        for rank in range(NUM_RANKS - SHORTEST_MELD + 1)
    )
)
"""Kinds that can be the lowest of a run that does not end with the high ace."""
SUIT_BITS = np.int64((1 << NUM_RANKS) - 1)
WINDOW_BITS = np.int64((1 << LONGEST_LAID) - 1)
MOST_MELDS = (HAND_CARDS + 1) // SHORTEST_MELD
VALUE, POINTS, RUN_FLAG, TAKEN, PLACE, FRAME = range(3, 9)  # columns of the stack; masks first
OUT_OF_REACH = np.int64(1 << 40)
MANY_NODES = np.int64(3000)
"""Where the openings of a hand are more than can be listed in so many nodes, the rows that are not
yet met in one are searched for one by one: with so many openings, most are soon found."""


@kernel
def row_points(row, ace_high, ace_low):
    """Return a row's points (X1.3)."""
    return int(BASE_POINTS[row]) + int(HIGH_ACES[row]) * ace_high + int(LOW_ACES[row]) * ace_low


@kernel
def layable(one, two, rows):
    """List the rows that a collection of cards can lay, ascending; returns their number.

    Args:
        one, two: masks of the cards (two masks, see `state`).
        rows: room for the rows, int32.
    """
    jokers = held_jokers(one, two)
    count = 0
    for suit in range(NUM_SUITS):
        held = (one >> (suit * NUM_RANKS)) & SUIT_BITS
        positions = held | ((held & 1) << NUM_RANKS)  # the ace is low and high (X1.2)
        for low in range(NUM_LOWS):
            window = (positions >> low) & WINDOW_BITS
            most = int(RUNS_AT[low])
            first = int(RUNS_FROM[suit, low])
            for place in range(int(NUM_FIT_RUNS[jokers, window])):
                row = int(FIT_RUNS[jokers, window, place])
                if row >= most:
                    break
                rows[count] = first + row
                count += 1
    for rank in range(NUM_RANKS):
        suits = suits_of_rank(one, rank)
        first = NUM_RUNS + rank * SETS_PER_RANK
        for place in range(int(NUM_FIT_SETS[jokers, suits])):
            rows[count] = first + int(FIT_SETS[jokers, suits, place])
            count += 1
    return count


@kernel
def suits_of_rank(mask, rank):
    """Return the suits in which a mask has a rank, as a bit mask of 4."""
    suits = 0
    for suit in range(NUM_SUITS):
        suits |= int((mask >> (suit * NUM_RANKS + rank)) & 1) << suit
    return suits


@kernel
def most_value(mask, ace_most):
    """Return the most points that one card of each real kind in a mask can add."""
    total = count_bits(mask & ACE_BITS) * ace_most
    mask &= REAL_BITS & ~ACE_BITS
    while mask != 0:
        kind = lowest_bit(mask)
        mask &= mask - 1
        total += int(KIND_POINTS[kind])
    return total


@kernel
def row_value(row, ace_most):
    """Return the most points that a row's real cards can add."""
    return int(REAL_POINTS[row]) + int(REAL_ACES[row]) * ace_most


@kernel
def next_row(one, two, free, place):
    """Return the next place in `LOWEST_ROWS`, from `place` on, whose row can be laid.

    Only rows whose lowest real kind is the lowest free kind count; -1 without one.
    """
    open_kinds = one & free
    kind = lowest_bit(open_kinds)
    if (open_kinds & PARTNERS[kind]) == 0:
        return -1
    jokers = held_jokers(one, two)
    for other in range(place, int(LOWEST_START[kind + 1])):
        row = int(LOWEST_ROWS[other])
        if (NEED[row] & ~open_kinds) == 0 and JOKERS[row] <= jokers:
            return other
    return -1


@kernel
def search(
    one,
    two,
    free,
    value,
    points,
    run,
    taken,
    ace_high,
    ace_low,
    cap,
    best,
    enough,
    marks,
    unmarked,
    nodes,
):
    """Search the sets of disjoint melds from a hand for totals above `best`.

    A depth-first search with a stack of its own (numba's cache cannot hold recursive functions).

    Args:
        one, two: masks of the cards in hand.
        free: mask of the real kinds that may still be used.
        value: the most that free cards and jokers can add.
        points, run: total so far and whether a run is in it (or none is needed).
        taken: kind of a pending take or -1 (X4.4).
        ace_high, ace_low: rules values.
        cap: the most that one joker can add.
        best: totals up to this are of no interest.
        enough: stop at a total of this or more.
        marks: (0,) to raise `best` with each better total; or a flag a row, set for the rows of
            every set of melds found, `best` staying as it is.
        unmarked: stop when so many rows have been marked.
        nodes: give up after so many melds laid.

    Returns:
        The best total, and how many of the nodes are left (0: the search was given up).
    """
    stack = np.empty((MOST_MELDS, FRAME), np.int64)
    depth = 0
    ace_most = max(ace_high, ace_low)
    place = np.int64(-1)  # of the row to try next; -1: none of the lowest free kind was tried
    if run and points > best and can_discard(one, taken) and marks.size == 0:
        best = points
    while best < enough and unmarked > 0 and nodes > 0:
        open_kinds = one & free
        if open_kinds == 0 or points + value <= best:
            if depth == 0:
                break
            depth -= 1
            one, two, free, value, points, run, taken, place = load_frame(stack[depth])
            continue
        kind = lowest_bit(open_kinds)
        place = next_row(one, two, free, max(place, int(LOWEST_START[kind])))
        if place < 0:  # no copy of this kind is used any more
            copies = 1 + int((two >> kind) & 1)
            value -= copies * (ace_most if (ACE_BITS >> kind) & 1 else int(KIND_POINTS[kind]))
            free &= ~bit(kind)
            continue
        save_frame(stack[depth], one, two, free, value, points, run, taken, place + 1)
        depth += 1
        nodes -= 1
        row = int(LOWEST_ROWS[place])
        used = int(JOKERS[row])
        one, two = remove_meld(one, two, NEED[row], used)
        value -= row_value(row, ace_most) + used * cap
        points += row_points(row, ace_high, ace_low)
        run = run or row < NUM_RUNS
        taken = pending_take(taken, NEED[row], used)
        place = np.int64(-1)
        if run and points > best and can_discard(one, taken):
            if marks.size == 0:
                best = points
            else:
                unmarked -= mark_path(stack, depth, marks)
    return best, nodes


@kernel
def mark_path(stack, depth, marks):
    """Mark the rows that the search has laid down to this depth; returns how many were not yet."""
    fresh = 0
    for level in range(depth):
        row = LOWEST_ROWS[stack[level, PLACE] - 1]
        fresh += not marks[row]
        marks[row] = True
    return fresh


@kernel
def save_frame(frame, one, two, free, value, points, run, taken, place):
    """Keep a node of the search and the place at which it goes on."""
    frame[0], frame[1], frame[2] = one, two, free
    frame[VALUE], frame[POINTS], frame[RUN_FLAG] = value, points, run
    frame[TAKEN], frame[PLACE] = taken, place


@kernel
def load_frame(frame):
    """Return what `save_frame` kept."""
    head = (frame[0], frame[1], frame[2], frame[VALUE], frame[POINTS])
    return (*head, frame[RUN_FLAG] != 0, frame[TAKEN], frame[PLACE])


@kernel
def joker_cap(ace_high, ace_low):
    """Return the most points that a joker can stand for."""
    return max(int(KIND_POINTS.max()), ace_high, ace_low)


@kernel
def hand_value(one, two, free, ace_high, ace_low):
    """Return the most that the free cards and the jokers of a hand can add to a total."""
    ace_most = max(ace_high, ace_low)
    value = most_value(one & free, ace_most) + most_value(two & free, ace_most)
    return value + held_jokers(one, two) * joker_cap(ace_high, ace_low)


@kernel
def best_total(one, two, free, points, run, taken, ace_high, ace_low, best, enough):
    """Return the best total of melds from a hand, if above `best`, else `best` (see `search`)."""
    value = hand_value(one, two, free, ace_high, ace_low)
    cap = joker_cap(ace_high, ace_low)
    marks = np.zeros(0, np.bool_)
    best, _ = search(
        one,
        two,
        free,
        value,
        points,
        run,
        taken,
        ace_high,
        ace_low,
        cap,
        best,
        enough,
        marks,
        ONE,
        OUT_OF_REACH,
    )
    return best


@kernel
def reaches_with(one, two, row, wanted, run, taken, ace_high, ace_low, free):
    """Return whether laying a layable row leads to an opening (X6.4).

    Args:
        one, two: masks of the cards in hand, without what is staged.
        wanted: points that are missing to the threshold, the row's not yet counted.
        run: whether a run is staged, or none is needed.
        taken: kind of a pending take or -1.
        free: mask of the real kinds that any layable row needs (or any larger mask).
    """
    used = int(JOKERS[row])
    one, two = remove_meld(one, two, NEED[row], used)
    points = row_points(row, ace_high, ace_low)
    taken = pending_take(taken, NEED[row], used)
    run = run or row < NUM_RUNS
    best = best_total(one, two, free, points, run, taken, ace_high, ace_low, wanted - 1, wanted)
    return best >= wanted


@kernel
def holds_run(one):
    """Return whether three real cards of a run are among the cards (X5.2)."""
    one = one & REAL_BITS
    low = one & (one >> 1) & (one >> 2) & RUN_STARTS
    high = one & (one >> QUEEN) & (one >> KING) & ACE_BITS
    return (low | high) != 0


@kernel
def may_reach(one, two, rows, count, wanted, run, ace_high, ace_low):
    """Return False where a cheap bound shows that no opening exists.

    The bound: melds without jokers share the cards that any such row needs; melds with jokers are
    at most as many as there are jokers (one, if it takes both).
    """
    plain = np.int64(0)
    best_of = (NONE, NONE)  # most points of a row with one joker, with two
    any_run = run
    for place in range(count):
        row = np.int64(rows[place])
        any_run = any_run or row < NUM_RUNS
        used = int(JOKERS[row])
        if used == 0:
            plain |= NEED[row]
        elif used == 1:
            best_of = (max(best_of[0], row_points(row, ace_high, ace_low)), best_of[1])
        else:
            best_of = (best_of[0], max(best_of[1], row_points(row, ace_high, ace_low)))
    ace_most = max(ace_high, ace_low)
    bound = most_value(one & plain, ace_most) + most_value(two & plain, ace_most)
    bound += max(held_jokers(one, two) * best_of[0], best_of[1])
    return any_run and bound >= wanted


@kernel
def stageable(one, two, wanted, run, taken, ace_high, ace_low, rows):
    """List the rows that can be staged, ascending; returns their number (X6.4).

    Args:
        one, two: masks of the cards in hand, without what is staged.
        wanted: points that are missing to the threshold.
        run: whether a run is staged, or none is needed.
        taken: kind of a pending take or -1.
        ace_high, ace_low: rules values.
        rows: room for the rows, int32.
    """
    if not run and (one & JOKER_BIT) == 0 and not holds_run(one):
        return 0
    count = layable(one, two, rows)
    if not may_reach(one, two, rows, count, wanted, run, ace_high, ace_low):
        return 0
    free = usable(one, two, rows)
    marks = np.zeros(NUM_MELDS, np.bool_)
    value = hand_value(one, two, free, ace_high, ace_low)
    cap = joker_cap(ace_high, ace_low)
    _, left = search(
        one,
        two,
        free,
        value,
        NONE,
        run,
        taken,
        ace_high,
        ace_low,
        cap,
        wanted - 1,
        OUT_OF_REACH,
        marks,
        count,
        MANY_NODES,
    )
    kept = 0
    for place in range(count):
        row = np.int64(rows[place])
        found = marks[row]
        if not found and left == 0:
            found = reaches_with(one, two, row, wanted, run, taken, ace_high, ace_low, free)
        if found:
            rows[kept] = row
            kept += 1
    return kept


@kernel
def usable(one, two, rows):
    """Return the mask of the real kinds that some row needs that the hand can lay."""
    kinds = np.int64(0)
    for place in range(layable(one, two, rows)):
        kinds |= NEED[rows[place]]
    return kinds


@kernel
def best_packing(one, two, free, ace_high, ace_low):
    """Return the most points that melds from a hand can have while one card is kept.

    Args:
        one, two: masks of the cards in hand.
        free: what `usable` says of them.
        ace_high, ace_low: rules values.
    """
    return best_total(one, two, free, NONE, YES, NO_TAKE, ace_high, ace_low, NONE, OUT_OF_REACH)
