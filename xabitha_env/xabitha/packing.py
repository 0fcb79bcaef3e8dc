"""The best way to lay melds from a hand: a search over the rows that the hand can lay.

`opening.search` answers whether a total can be reached; this one says with which rows, and counts
cards as well as points. It lays rows in the order of the meld table, a row as often as it fits, so
that every set of disjoint melds is met once (but for swapping equal cards). A branch is cut when
even all its cards that some row needs, and its jokers, could not better the best.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.masks import count_bits
from xabitha_env.xabitha.actions import MAX_LEGAL
from xabitha_env.xabitha.hands import (
    NONE,
    can_discard,
    held_jokers,
    pending_take,
    remove_meld,
)
from xabitha_env.xabitha.melds import CARDS, JOKERS, NEED, NUM_RUNS
from xabitha_env.xabitha.opening import (
    MOST_MELDS,
    joker_cap,
    layable,
    most_value,
    row_points,
)

MOST_NODES = np.int64(4000)
"""The search ends after so many steps down and back, with the best so far; only hands with jokers
and many melds come near, and lose a few points at most."""
ONE_OF, TWO_OF, WORTH, TOTAL, RUN_IN, TAKE, NEXT, FIELDS = range(8)  # columns of the stack


@kernel
def best_melds(one, two, card_worth, run_worth, joker_cost, taken, ace_high, ace_low, chosen):
    """Find the melds of a hand that are worth most while a discard is kept (X4.5).

    Args:
        one, two: masks of the hand.
        card_worth: what a card laid counts beside its points; at least 0.
        run_worth: what having a run among the melds counts; at least 0.
        joker_cost: what laying a joker counts against it; at least 0.
        taken: kind of a pending take or -1 (X4.4).
        ace_high, ace_low: rules values.
        chosen: room for `MOST_MELDS` rows, written.

    Returns:
        How many rows were chosen, their points, and whether a run is among them.
    """
    rows = np.empty(MAX_LEGAL, np.int32)
    count = layable(one, two, rows)
    if count == 0:
        return 0, 0, False
    free = NONE
    for place in range(count):
        free |= NEED[rows[place]]
    cap = joker_cap(ace_high, ace_low) + card_worth
    ace_most = max(ace_high, ace_low)
    stack = np.empty((MOST_MELDS + 1, FIELDS), np.int64)
    fill(stack[0], one, two, NONE, NONE, NONE, np.int64(taken))
    depth, best, laid, points, run = 0, 0, 0, 0, False
    for _ in range(MOST_NODES):
        frame = stack[depth]
        place = next_fit(frame, rows, count)
        if place < 0:
            if depth == 0:
                break
            depth -= 1
            stack[depth][NEXT] += 1
            continue
        frame[NEXT] = place
        child = stack[depth + 1]
        lay_row(frame, child, np.int64(rows[place]), card_worth, joker_cost, ace_high, ace_low)
        worth = child[WORTH] + child[RUN_IN] * run_worth
        if worth > best and can_discard(child[ONE_OF], child[TAKE]):
            best, laid, points, run = worth, depth + 1, child[TOTAL], child[RUN_IN] != 0
            for level in range(depth + 1):
                chosen[level] = rows[stack[level][NEXT]]
        left_one, left_two = child[ONE_OF] & free, child[TWO_OF] & free
        most = most_value(left_one, ace_most) + most_value(left_two, ace_most)
        most += (count_bits(left_one) + count_bits(left_two)) * card_worth
        most += held_jokers(child[ONE_OF], child[TWO_OF]) * cap
        if child[WORTH] + most + run_worth > best:
            depth += 1
        else:
            frame[NEXT] = place + 1
    return laid, points, run


@kernel
def fill(frame, one, two, worth, points, run, taken):
    """Write a node of the search, which has tried no row yet."""
    frame[ONE_OF], frame[TWO_OF], frame[WORTH] = one, two, worth
    frame[TOTAL], frame[RUN_IN], frame[TAKE], frame[NEXT] = points, run, taken, 0


@kernel
def next_fit(frame, rows, count):
    """Return the next place in the list whose row the cards left can lay, or -1."""
    one = frame[ONE_OF]
    jokers = held_jokers(one, frame[TWO_OF])
    for place in range(frame[NEXT], count):
        row = rows[place]
        if (NEED[row] & ~one) == 0 and JOKERS[row] <= jokers:
            return place
    return -1


@kernel
def lay_row(frame, child, row, card_worth, joker_cost, ace_high, ace_low):
    """Write the node below that lays a row; it goes on with this row or a later one."""
    need, used = NEED[row], int(JOKERS[row])
    one, two = remove_meld(frame[ONE_OF], frame[TWO_OF], need, used)
    points = row_points(row, ace_high, ace_low)
    worth = frame[WORTH] + points + int(CARDS[row]) * card_worth - used * joker_cost
    run = frame[RUN_IN] | np.int64(row < NUM_RUNS)
    taken = np.int64(pending_take(int(frame[TAKE]), need, used))
    fill(child, one, two, worth, frame[TOTAL] + points, run, taken)
    child[NEXT] = frame[NEXT]


@kernel
def without_melds(one, two, chosen, laid):
    """Return the two masks of a hand without the rows chosen."""
    for place in range(laid):
        row = chosen[place]
        one, two = remove_meld(one, two, NEED[row], int(JOKERS[row]))
    return one, two
