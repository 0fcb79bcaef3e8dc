"""The player `expert`: it plans with the best packing of its hand and discards with care.

It lays what `packing.best_melds` says. Every other card has a value: by the unseen cards that would
make it and another a meld, by its points, and by what the next seat could do with it. All numbers
are in `WEIGHTS`, so that players that differ in them can be compared; `tools/tune_expert.py` found
most of them so.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER, NUM_SEATS, NUM_TEAMS
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xabitha import chase
from xabitha_env.xabitha.actions import (
    DECLARE,
    DISCARD,
    DRAW_DECK,
    DRAW_FIRE,
    JOKER_HIGH,
    JOKER_LOW,
    MAX_LEGAL,
    MELD,
    OPEN,
    SLOT,
    SLOT_ACTIONS,
    STEAL_FIRST,
    STEAL_SECOND,
)
from xabitha_env.xabitha.declaring import wants_formation
from xabitha_env.xabitha.finish import winning_action
from xabitha_env.xabitha.hands import JOKER_BIT, NONE, add_card, held_jokers
from xabitha_env.xabitha.legal import (
    keeps_discard,
    list_legal,
    may_act_on_table,
    may_draw_fire,
    may_open,
    slot_legal,
    staged_points,
    staged_run,
    staged_take,
)
from xabitha_env.xabitha.melds import CARDS, RUN, SET
from xabitha_env.xabitha.opening import MOST_MELDS
from xabitha_env.xabitha.packing import best_melds, without_melds
from xabitha_env.xabitha.reading import unseen_cards
from xabitha_env.xabitha.state import DECLARING, DRAWING, HAND_CARDS, NO_KIND
from xabitha_env.xabitha.values import (
    FAR,
    MOST_POINTS,
    card_points,
    completes_meld,
    meld_danger,
    prospects,
    table_wants,
    unseen_rate,
)

# What a card that is in no meld is worth to hold, while the seat is closed and when it is down:
# RUN_OUT, SET_OUT: an unseen card that makes it and another card a run, a set.
# HIGH: how much more prospects count for a card of ten points.
# MADE: prospects of having both other cards, which are bound elsewhere.
# PACKED: the share that counts of prospects with cards that are bound in melds.
# TWIN: the share that is left to a card whose other copy is held, too.
# POINTS: a point of the card itself.
# DANGER, FITS: a meld that the next seat could make with it; that it fits the table, for a seat
#   that is down.
RUN_OUT, SET_OUT, HIGH, MADE, PACKED, TWIN, POINTS, DANGER, FITS, STAGE = range(10)
CLOSED, DOWN = 0, STAGE
# TAKE_GAIN: points by which the fire card must better the melds of a closed hand to be taken.
# RUN_WORTH, CARD_WORTH: what a run and a card count beside points in the melds of a closed hand.
# OPEN_CARD, OPEN_JOKER: what a card counts for, and a joker against, in an opening.
# JOKER_COUNT: jokers are laid alone when an opponent who is down holds so few cards.
# HOLD_MARGIN, HOLD_TURNS: while nobody is down, an opening that is not so many points above the bar
#   waits until that turn at most. Whoever waits longest gains against those who do not wait and
#   loses to those who wait a little less; these values lose little to any.
DECIDE = 2 * STAGE
TAKE_GAIN = DECIDE
RUN_WORTH, CARD_WORTH, OPEN_CARD, OPEN_JOKER, JOKER_COUNT = range(DECIDE + 1, DECIDE + 6)
HOLD_MARGIN, HOLD_TURNS = range(DECIDE + 6, DECIDE + 8)
WEIGHTS = np.array(
    [
        *(1.0, 0.625, 0.72, 2.5, 0.312, 0.2, 0.3, 4.0, 8.0),
        *(1.6, 1.0, 0.3, 2.5, 0.5, 0.2, -0.188, 6.4, 2.0),
        *(4.3, 16.0, 1.0, 0.0, 0.0, 2.9, 45.0, 7.0),
    ]
)
CARDS_FIRST = 100
"""What laying a card counts beside its points for a seat that is down."""
RUN_FIRST = 1_000_000
"""What a run counts in an opening that needs one (X6.1): more than all points of a hand."""


@kernel
def hold_value(g, seat, kind, loose, wants, once, twice, w):
    """Return how much a loose card is worth to hold.

    Args:
        loose: the two masks of the cards in no meld.
        wants: mask of the kinds that fit the table.
        once, twice: masks of the unseen cards.
        w: weights.
    """
    stage = DOWN if g.opened[seat] else CLOSED
    one = g.hand_one[seat]
    run_out, set_out, made = w[stage + RUN_OUT], w[stage + SET_OUT], w[stage + MADE]
    free = prospects(loose[0] & ~bit(kind), once, twice, kind, run_out, set_out, made)
    whole = prospects(one & ~bit(kind), once, twice, kind, run_out, set_out, made)
    points = card_points(g, kind)
    value = free + w[stage + PACKED] * (whole - free)
    value *= 1.0 + w[stage + HIGH] * points / MOST_POINTS
    if (g.hand_two[seat] >> kind) & 1:
        value *= w[stage + TWIN]
    value += w[stage + POINTS] * points
    following = (seat + 1) % NUM_SEATS
    rate = unseen_rate(g, following, once, twice)
    value += w[stage + DANGER] * meld_danger(g, following, kind, once, twice, rate)
    if g.opened[following] and (wants >> kind) & 1:
        value += w[stage + FITS]
    return value


@kernel
def plan_melds(g, seat, w, chosen):
    """Find the melds that a hand is kept for; returns their number, and what they are worth.

    No other melds are worth more, so that the worth bounds what an opening can be worth.
    """
    one, two = g.hand_one[seat], g.hand_two[seat]
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    card, worth = CARDS_FIRST, 0
    if not g.opened[seat]:
        card, worth = int(w[CARD_WORTH]), int(w[RUN_WORTH])
    laid, points, run = best_melds(one, two, card, worth, 0, NO_KIND, high, low, chosen)
    most = points + worth if run else points
    for place in range(laid):
        most += card * int(CARDS[chosen[place]])
    return laid, most


@kernel
def discard_choice(g, seat, loose_one):
    """Return the mask of the kinds to choose a discard from: loose ones, no joker, no undo."""
    one = g.hand_one[seat]
    kept = bit(JOKER) | (bit(int(g.taken)) if g.taken >= 0 else NONE)
    for choice in (loose_one & ~kept, one & ~kept, one & ~(kept & ~bit(JOKER))):
        if choice != 0:
            return choice
    return one


@kernel
def rank_discards(g, seat, w, laid, chosen, kinds, values):
    """Write the kinds to choose a discard from and what each is worth; returns their number.

    Args:
        laid, chosen: the melds that the hand is kept for, as `plan_melds` finds them.
        kinds, values: room for a hand.
    """
    loose = without_melds(g.hand_one[seat], g.hand_two[seat], chosen, laid)
    once, twice = unseen_cards(g, seat)
    wants = table_wants(g)
    choice = discard_choice(g, seat, loose[0])
    count = 0
    while choice != 0:
        kind = lowest_bit(choice)
        choice &= choice - 1
        kinds[count] = kind
        values[count] = FAR
        if kind != JOKER:
            values[count] = hold_value(g, seat, kind, loose, wants, once, twice, w)
        count += 1
    return count


@kernel
def pick_discard(g, seat, w, laid, chosen):
    """Return the discard of the card that is worth least."""
    kinds, values = np.empty(HAND_CARDS + 1, np.int64), np.empty(HAND_CARDS + 1, np.float64)
    count = rank_discards(g, seat, w, laid, chosen, kinds, values)
    return DISCARD + int(kinds[np.argmin(values[:count])])


@kernel
def cards_left(one, two, high, low, chosen):
    """Return how many cards a seat that is down is left with after its melds."""
    laid = best_melds(one, two, CARDS_FIRST, 0, 0, NO_KIND, high, low, chosen)[0]
    one, two = without_melds(one, two, chosen, laid)
    return count_bits(one) + count_bits(two)


@kernel
def closed_worth(one, two, high, low, w, chosen):
    """Return what the melds of a closed hand are worth: points, and more for a run."""
    card, worth = int(w[CARD_WORTH]), int(w[RUN_WORTH])
    _, points, run = best_melds(one, two, card, worth, 0, NO_KIND, high, low, chosen)
    return points + worth if run else points


@kernel
def pick_draw(g, seat, w, chosen):
    """Return the draw: the fire card where it betters the hand enough."""
    if not may_draw_fire(g):
        return DRAW_DECK
    top = np.int64(g.fire[g.fire_count - 1])
    if top == JOKER or (g.opened[seat] and (table_wants(g) >> top) & 1):
        return DRAW_FIRE
    one, two = g.hand_one[seat], g.hand_two[seat]
    if (one & JOKER_BIT) == 0 and not completes_meld(one, top):
        return DRAW_DECK
    more_one, more_two = add_card(one, two, top)
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    if g.opened[seat]:
        better = cards_left(more_one, more_two, high, low, chosen) < cards_left(
            one, two, high, low, chosen
        )
    else:
        gain = closed_worth(more_one, more_two, high, low, w, chosen)
        gain -= closed_worth(one, two, high, low, w, chosen)
        better = gain >= w[TAKE_GAIN]
    return DRAW_FIRE if better else DRAW_DECK


@kernel
def anyone_down(g):
    """Return whether some seat has opened."""
    for seat in range(NUM_SEATS):
        if g.opened[seat]:
            return True
    return False


@kernel
def first_legal(g):
    """Return the legal action with the lowest number."""
    ids = np.empty(MAX_LEGAL, np.int32)
    list_legal(g, ids)
    return int(ids[0])


@kernel
def pick_opening(g, seat, w, most):
    """Return the next action of an opening, or -1 where none is possible or wanted yet.

    Args:
        most: what the best melds of the hand are worth to `plan_melds`.
    """
    one, two = g.hand_one[seat], g.hand_two[seat]
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    has_run = staged_run(g)
    wanted = int(g.threshold[seat]) - staged_points(g)
    if g.staged == 0 and most - (0 if has_run else int(w[RUN_WORTH])) < wanted:
        return -1
    chosen = np.empty(MOST_MELDS, np.int64)
    run_worth = 0 if has_run else RUN_FIRST
    card, joker = int(w[OPEN_CARD]), int(w[OPEN_JOKER])
    taken = staged_take(g)
    laid, points, run = best_melds(one, two, card, run_worth, joker, taken, high, low, chosen)
    if g.staged == 0:
        short = points - wanted < w[HOLD_MARGIN]
        if short and g.turn <= w[HOLD_TURNS] and not anyone_down(g):
            return -1
    if laid > 0 and points >= wanted and (run or has_run):
        return MELD + int(chosen[0])
    if may_open(g, seat):
        return OPEN
    return first_legal(g) if g.staged > 0 else -1  # where the search for melds was cut short


@kernel
def pick_slot(g, seat, jokers):
    """Return a steal, else an addition of a real card, or one of a joker; -1 if there is none.

    A run that grows has a new end to add to, a set that is filled has no place left; so it adds to
    a run when its partner is nearer to going out than the opponents who are down, else to a set.
    """
    if not jokers and (table_wants(g) & g.hand_one[seat] & ~JOKER_BIT) == 0:
        return -1
    partner = (seat + NUM_TEAMS) % NUM_SEATS
    helps = g.opened[partner] and g.hand_count[partner] < fewest_cards(g, seat)
    liked = RUN if helps else SET
    found, most = -1, 0
    for slot in range(int(g.num_melds)):
        for what in range(SLOT_ACTIONS):
            joker = what == JOKER_LOW or what == JOKER_HIGH
            if joker == jokers and slot_legal(g, seat, slot, what):
                steals = what == STEAL_FIRST or what == STEAL_SECOND
                worth = 1 + int(g.slot_type[slot] == liked) + 2 * int(steals)
                if worth > most:
                    found, most = SLOT + slot * SLOT_ACTIONS + what, worth
    return found


@kernel
def fewest_cards(g, seat):
    """Return the fewest cards that an opponent who is down holds."""
    fewest = HAND_CARDS + 1
    for other in (seat + 1, seat + NUM_SEATS - 1):
        if g.opened[other % NUM_SEATS]:
            fewest = min(fewest, int(g.hand_count[other % NUM_SEATS]))
    return fewest


@kernel
def pick_on_table(g, seat, w, chosen):
    """Return what a seat that is down does next on the table, or -1 to discard."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    if (one & JOKER_BIT) != 0:  # of many ways to use a joker one may win at once
        action = winning_action(g, seat)
        if action >= 0:
            return action
    laid = best_melds(one, two, CARDS_FIRST, 0, 0, int(g.taken), high, low, chosen)[0]
    for place in range(laid):
        if keeps_discard(g, seat, chosen[place]):
            return MELD + int(chosen[place])
    action = pick_slot(g, seat, False)
    jokers = held_jokers(one, two)
    if action >= 0 or jokers == 0:
        return action
    last = int(g.hand_count[seat]) - jokers <= 1  # with the jokers laid, the round is won
    if last or fewest_cards(g, seat) <= w[JOKER_COUNT]:
        return pick_slot(g, seat, True)
    return -1


@kernel
def act(g, w):
    """Return what `expert` does.

    Args:
        g: a game's record.
        w: weights, as in `WEIGHTS`.
    """
    seat = int(g.seat)
    if g.phase == DECLARING:
        return DECLARE + int(wants_formation(g, g.hand_one[seat], g.hand_two[seat]))
    if g.declared[seat]:
        return chase.act(g)
    chosen = np.empty(MOST_MELDS, np.int64)
    if g.phase == DRAWING:
        return pick_draw(g, seat, w, chosen)
    action = -1
    if g.opened[seat]:
        action = pick_on_table(g, seat, w, chosen)
    laid, most = 0, 0
    if action < 0:
        laid, most = plan_melds(g, seat, w, chosen)
    if not g.opened[seat] and may_act_on_table(g):
        action = pick_opening(g, seat, w, most)
    return action if action >= 0 else pick_discard(g, seat, w, laid, chosen)
