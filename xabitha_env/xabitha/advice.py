"""What learners may be told beside the observation: numbers that `expert` works with.

*Insight* are 0/1 features of the seat to act, *traits* describe each of its legal actions: what it
does, what it costs, what `expert` thinks of it. All follow from what the seat sees.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from xabitha_env._jit import entry, kernel
from xabitha_env.buffers import write_bits, write_levels
from xabitha_env.cards import JOKER, NUM_KINDS, NUM_SEATS
from xabitha_env.layout import ActionLayout, Block, Layout, ObsLayout
from xabitha_env.masks import bit, count_bits
from xabitha_env.xabitha import expert
from xabitha_env.xabitha.actions import (
    ACTIONS,
    ADD_HIGH,
    DECLARE,
    DISCARD,
    DRAW_DECK,
    DRAW_FIRE,
    FORMATION,
    JOKER_HIGH,
    MELD,
    OPEN,
    SLOT,
    SLOT_ACTIONS,
    STEAL_FIRST,
    STEAL_SECOND,
)
from xabitha_env.xabitha.chase import formation_distance
from xabitha_env.xabitha.expert import (
    CARDS_FIRST,
    RUN_FIRST,
    WEIGHTS,
    cards_left,
    closed_worth,
    hold_value,
    plan_melds,
)
from xabitha_env.xabitha.hands import (
    add_card,
    pending_take,
    remove_cards,
    remove_meld,
)
from xabitha_env.xabitha.legal import slot_card, staged_points, staged_run, staged_take
from xabitha_env.xabitha.melds import CARDS, JOKERS, NEED, NUM_RUNS, SET
from xabitha_env.xabitha.observation import KINDS, observe
from xabitha_env.xabitha.opening import MOST_MELDS, row_points
from xabitha_env.xabitha.packing import best_melds, without_melds
from xabitha_env.xabitha.reading import unseen_cards
from xabitha_env.xabitha.scoring import POINTS_PER_REWARD
from xabitha_env.xabitha.state import HAND_CARDS
from xabitha_env.xabitha.values import (
    card_points,
    completes_meld,
    meld_danger,
    table_wants,
    unseen_rate,
)

COUNT_LEVELS = np.arange(2, HAND_CARDS + 2)
SPARE_LEVELS = np.arange(1, HAND_CARDS + 1)
LOOSE_LEVELS = np.array([1, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80])
OVER_LEVELS = np.array([-30, -20, -10, -5, 0, 5, 10, 15, 20, 30, 45])
TURN_LEVELS = np.arange(3, 61, 3)
PLAN = (
    Block("planned", (NUM_KINDS,), "kinds bound in the best melds of the hand"),
    Block("count", (len(COUNT_LEVELS),), "own cards: at least 2 ... 15"),
    Block("spare", (len(SPARE_LEVELS),), "own cards in no meld: at least 1 ... 14"),
    Block("stuck", (len(SPARE_LEVELS),), "of these, cards that do not fit the table, likewise"),
    Block("loose", (len(LOOSE_LEVELS),), "points of the own cards in no meld, by levels"),
    Block("over", (len(OVER_LEVELS),), "points of the best melds above the bar, by levels"),
)
INSIGHT = ObsLayout(
    [
        *PLAN,
        Block("unseen", (2, NUM_KINDS), "kinds of which one copy at least, both, were never seen"),
        Block("turn", (len(TURN_LEVELS),), "at least turn 3, 6 ... 60"),
    ]
)
PLANNED, COUNT, SPARE, STUCK, LOOSE, OVER, UNSEEN, TURN = (
    INSIGHT.offset(block.name) for block in INSIGHT
)
PLAN_SIZE = UNSEEN
NEXT_CARDS = 8
SECRETS = ObsLayout(
    [
        *(
            Block(f"{block.name}_{seat}", block.shape, f"the same of seat {seat} from the own")
            for seat in range(1, NUM_SEATS)
            for block in PLAN
        ),
        Block("hands", (NUM_SEATS - 1, 2, NUM_KINDS), "by other seat: kinds held once, twice"),
        Block("modes", (NUM_SEATS - 1,), "by other seat: in Xabitha mode"),
        Block("deck", (2, NUM_KINDS), "kinds in the deck: at least once, twice"),
        Block("next_cards", (NEXT_CARDS, NUM_KINDS), "the next cards of the deck, in order"),
    ]
)
HANDS, MODES, DECK, NEXT = (
    SECRETS.offset(name) for name in ("hands", "modes", "deck", "next_cards")
)

TOKENS = ActionLayout(
    [
        *(ACTIONS[name] for name in ("declare", "draw", "meld", "open", "formation")),
        Block("give", (NUM_KINDS,), "add a card of this kind to a meld, or steal a joker for it"),
        ACTIONS["discard"],
    ]
)
"""What actions are to a learner: as `ACTIONS`, but that those on melds go by the card given."""
GIVE_TOKEN, DISCARD_TOKEN = TOKENS.offset("give"), TOKENS.offset("discard")
REWARD_POINTS = float(POINTS_PER_REWARD)
"""Points of a reward of 1."""
DECLARATIONS = 2
"""The first tokens are answers to whether the seat declares (X3.2)."""
PLAYS = "discarded"
"""Section of the observation that tells, by seat, what was played."""
MATCH_SECTIONS = ("rounds", "lead", "last_reason", "last_winner", "last_declared")
"""Sections of the observation that tell of other rounds than the present one."""

# What a trait of size 1 stands for, where it is no share and no yes or no.
MANY_POINTS, MANY_CARDS, MUCH_VALUE, LITTLE_VALUE, FAR_AWAY = 50.0, 5.0, 20.0, 5.0, 5.0
MOST = 4.0
"""Values of discards go no further than this."""
TRAITS = Layout(
    [
        Block("expert", (1,), "what `expert` would do"),
        Block("yes", (1,), "declares Xabitha mode"),
        Block("fire", (1,), "takes the fire card"),
        Block("meld", (1,), "lays or stages a meld"),
        Block("open", (1,), "commits the opening"),
        Block("formation", (1,), "lays the formation"),
        Block("add", (1,), "adds to a meld"),
        Block("steal", (1,), "steals a joker"),
        Block("discard", (1,), "discards"),
        Block("missing", (1,), "cards missing for a formation, if it declares"),
        Block("points", (1,), "of the meld or the card"),
        Block("cards", (1,), "of the meld"),
        Block("jokers", (1,), "of the meld, or added"),
        Block("set", (1,), "the meld is a set"),
        Block("planned", (1,), "all of its cards are bound in the best melds"),
        Block("left", (1,), "own cards left, as a share of 14"),
        Block("over", (1,), "points staged above the bar, then"),
        Block("gain", (1,), "worth that the fire card adds to the melds of a closed hand"),
        Block("fewer", (1,), "cards that it lets a seat that is down lay"),
        Block("completes", (1,), "the card makes a meld with two others in hand"),
        Block("fits", (1,), "the card fits the table"),
        Block("gives", (1,), "discards what the next seat can lay on the table"),
        Block("danger", (1,), "melds that the next seat could make with the discard"),
        Block("value", (1,), "of the discard, if it were kept"),
        Block("lag", (1,), "this above that of the least card"),
        Block("twin", (1,), "the other copy stays in hand"),
        Block("undo", (1,), "puts back the card just taken"),
        Block("unseen", (1,), "copies of the card that were never seen, as a share of both"),
        Block("refused", (1,), "the next seat has discarded this kind"),
        Block("length", (1,), "cards of the meld on the table that it adds to or steals from"),
        Block("high", (1,), "adds at the high end, or the second of two that could be"),
        Block("rest", (1,), "own cards left after it on the table and as many melds as can be"),
        Block("blocked", (1,), "of these, cards that do not fit the table as it is now"),
        Block("out", (1,), "one card is left then: with it the seat goes out"),
        Block("most", (1,), "points above the bar that an opening with it can come to"),
    ]
)
NUM_TRAITS = TRAITS.size
EXPERT, YES, FIRE, MELDS, OPENS, FORMS, ADDS, STEALS, DISCARDS, MISSING = range(10)
POINTS, CARDS_OF, JOKERS_OF, IS_SET, BINDS, LEFT, OVER_BAR, GAIN, FEWER = range(10, 19)
COMPLETES, FITS, GIVES, DANGER, VALUE, LAG, TWIN, UNDO, UNSEEN_OF, REFUSED = range(19, 29)
LENGTH, IS_HIGH, REST, BLOCKED, OUT, MOST_OVER = range(29, 35)


class Sight(NamedTuple):
    """What is the same for all actions of a decision."""

    seat: int
    bound: int  # points of the best melds of the hand
    loose: Any  # two masks: cards in none of them
    once: int  # masks of the unseen cards
    twice: int
    wants: int  # mask of the kinds that fit the table
    rate: float  # how likely the next seat holds an unseen card


@kernel
def plan(g, seat, chosen):
    """Return the points of the best melds of a hand, and the two masks of the other cards."""
    laid, _ = plan_melds(g, seat, WEIGHTS, chosen)
    points = 0
    for place in range(laid):
        row = np.int64(chosen[place])
        points += row_points(row, int(g.ace_high_points), int(g.ace_low_points))
    return points, without_melds(g.hand_one[seat], g.hand_two[seat], chosen, laid)


@kernel
def look(g):
    """Return what the seat to act sees."""
    seat = int(g.seat)
    chosen = np.empty(MOST_MELDS, np.int64)
    bound, loose = plan(g, seat, chosen)
    once, twice = unseen_cards(g, seat)
    rate = unseen_rate(g, (seat + 1) % NUM_SEATS, once, twice)
    return Sight(seat, bound, loose, once, twice, table_wants(g), rate)


@kernel
def points_of(g, mask):
    """Return the points of the cards of a mask, jokers aside."""
    total = 0
    for kind in range(JOKER):
        if (mask >> kind) & 1:
            total += card_points(g, kind)
    return total


@kernel
def write_plan(g, seat, bound, loose, wants, out):
    """Write what the best melds of a hand come to; the first sections of `INSIGHT`."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    write_bits(out, PLANNED, (one & ~loose[0]) | (two & ~loose[1]), KINDS)
    write_levels(out, COUNT, COUNT_LEVELS, g.hand_count[seat])
    write_levels(out, SPARE, SPARE_LEVELS, count_bits(loose[0]) + count_bits(loose[1]))
    stuck = count_bits(loose[0] & ~wants) + count_bits(loose[1] & ~wants)
    write_levels(out, STUCK, SPARE_LEVELS, stuck)
    left = points_of(g, loose[0]) + points_of(g, loose[1])
    write_levels(out, LOOSE, LOOSE_LEVELS, np.int64(left))
    if seat == g.seat:
        bound += staged_points(g)
    write_levels(out, OVER, OVER_LEVELS, np.int64(bound - g.threshold[seat]))


@kernel
def write_insight(g, sight, out):
    """Write the insight of the seat to act; `out` is int8, as long as `INSIGHT`."""
    write_plan(g, sight.seat, sight.bound, sight.loose, sight.wants, out)
    write_bits(out, UNSEEN, sight.once, KINDS)
    write_bits(out, UNSEEN + NUM_KINDS, sight.twice, KINDS)
    write_levels(out, TURN, TURN_LEVELS, g.turn)


@kernel
def write_secrets(g, out):
    """Write what is hidden from the seat to act; `out` is int8, as long as `SECRETS`."""
    chosen, wants = np.empty(MOST_MELDS, np.int64), table_wants(g)
    for place in range(NUM_SEATS - 1):
        seat = (int(g.seat) + place + 1) % NUM_SEATS
        one, two = g.hand_one[seat], g.hand_two[seat]
        bound, loose = plan(g, seat, chosen)
        own = out[place * PLAN_SIZE : (place + 1) * PLAN_SIZE]
        write_plan(g, seat, bound, loose, wants, own)
        start = HANDS + 2 * place * NUM_KINDS
        write_bits(out, start, one, KINDS)
        write_bits(out, start + NUM_KINDS, two, KINDS)
        out[MODES + place] = g.declared[seat]
    out[DECK:] = 0
    for order in range(int(g.deck_count)):
        kind = int(g.deck[g.deck_count - 1 - order])
        out[DECK + NUM_KINDS * int(out[DECK + kind]) + kind] = 1
        if order < NEXT_CARDS:
            out[NEXT + order * NUM_KINDS + kind] = 1


@kernel
def write_fire(g, sight, out):
    """Write the traits of taking the fire card."""
    top = np.int64(g.fire[g.fire_count - 1])
    one, two = g.hand_one[sight.seat], g.hand_two[sight.seat]
    out[FIRE] = 1.0
    out[LEFT] += 1.0 / HAND_CARDS
    write_card(g, sight, top, out)
    more_one, more_two = add_card(one, two, top)
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    chosen = np.empty(MOST_MELDS, np.int64)
    if g.opened[sight.seat]:
        fewer = cards_left(one, two, high, low, chosen)
        out[FEWER] = 1.0 + fewer - cards_left(more_one, more_two, high, low, chosen)
    else:
        gain = closed_worth(more_one, more_two, high, low, WEIGHTS, chosen)
        gain -= closed_worth(one, two, high, low, WEIGHTS, chosen)
        out[GAIN] = max(gain, 0.0) / MANY_POINTS


@kernel
def write_card(g, sight, kind, out):
    """Write the traits of a single card."""
    one = g.hand_one[sight.seat]
    if kind == JOKER:
        out[JOKERS_OF] = 1.0
    else:
        out[POINTS] = card_points(g, kind) / MANY_POINTS
        out[COMPLETES] = completes_meld(one, kind)
    out[FITS] = (sight.wants >> kind) & 1
    out[UNSEEN_OF] = (((sight.once >> kind) & 1) + ((sight.twice >> kind) & 1)) / 2.0


@kernel
def write_rest(g, sight, one, two, taken, points, run, out):
    """Write what is left of a hand after an action on the table and the most further melds.

    Args:
        g, sight: as in `write_traits`.
        one, two: the masks of the hand after the action.
        taken: the pending take then, or -1 (X4.4).
        points: staged then, for a closed seat.
        run: whether no run is needed any more then (X6.1).
        out: the traits.
    """
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    chosen = np.empty(MOST_MELDS, np.int64)
    first = 0 if run else RUN_FIRST
    laid, more, _ = best_melds(one, two, CARDS_FIRST, first, 0, taken, high, low, chosen)
    one, two = without_melds(one, two, chosen, laid)
    left = count_bits(one) + count_bits(two)
    out[REST] = left / MANY_CARDS
    blocked = count_bits(one & ~sight.wants) + count_bits(two & ~sight.wants)
    out[BLOCKED] = blocked / MANY_CARDS
    out[OUT] = left == 1
    if not g.opened[sight.seat]:
        out[MOST_OVER] = (points + more - g.threshold[sight.seat]) / MANY_POINTS


@kernel
def write_meld(g, sight, row, out):
    """Write the traits of laying or staging a meld."""
    points = row_points(row, int(g.ace_high_points), int(g.ace_low_points))
    out[MELDS] = 1.0
    out[POINTS] = points / MANY_POINTS
    out[CARDS_OF] = CARDS[row] / MANY_CARDS
    out[JOKERS_OF] = JOKERS[row]
    out[IS_SET] = row >= NUM_RUNS
    out[BINDS] = (NEED[row] & sight.loose[0]) == 0
    out[LEFT] -= CARDS[row] / HAND_CARDS
    closed = not g.opened[sight.seat]
    total = points + staged_points(g)
    if closed:
        out[OVER_BAR] = (total - g.threshold[sight.seat]) / MANY_POINTS
    one, two = g.hand_one[sight.seat], g.hand_two[sight.seat]
    one, two = remove_meld(one, two, NEED[row], int(JOKERS[row]))
    taken = pending_take(int(staged_take(g)), NEED[row], int(JOKERS[row]))
    run = not closed or row < NUM_RUNS or staged_run(g)
    write_rest(g, sight, one, two, taken, total, run, out)


@kernel
def write_slot(g, sight, slot, what, out):
    """Write the traits of adding to a meld on the table, or stealing from it."""
    out[ADDS] = what < STEAL_FIRST
    out[STEALS] = what >= STEAL_FIRST
    out[IS_SET] = g.slot_type[slot] == SET
    kind = np.int64(slot_card(g, slot, what))
    write_card(g, sight, kind, out)
    out[BINDS] = (sight.loose[0] >> kind) & 1 == 0
    if g.slot_type[slot] == SET:
        suits, jokers = np.int64(g.slot_suits[slot]), np.int64(g.slot_jokers[slot])
        out[LENGTH] = (count_bits(suits) + count_bits(jokers)) / MANY_CARDS
    else:
        out[LENGTH] = (g.slot_high[slot] + 1 - g.slot_low[slot]) / MANY_CARDS
        out[IS_HIGH] = what == ADD_HIGH or what == JOKER_HIGH or what == STEAL_SECOND
    one, two = remove_cards(g.hand_one[sight.seat], g.hand_two[sight.seat], bit(kind))
    if what < STEAL_FIRST:
        out[LEFT] -= 1.0 / HAND_CARDS
    else:
        one, two = add_card(one, two, JOKER)
    taken = pending_take(int(g.taken), bit(kind), 0)
    write_rest(g, sight, one, two, taken, 0, True, out)


@kernel
def write_discard(g, sight, kind, out):
    """Write the traits of a discard."""
    following = (sight.seat + 1) % NUM_SEATS
    out[DISCARDS] = 1.0
    out[LEFT] -= 1.0 / HAND_CARDS
    out[BINDS] = (sight.loose[0] >> kind) & 1 == 0
    out[TWIN] = (g.hand_two[sight.seat] >> kind) & 1
    out[UNDO] = kind == g.taken
    out[REFUSED] = (g.discarded[following] >> kind) & 1
    write_card(g, sight, kind, out)
    if kind == JOKER:
        out[VALUE] = MOST
        return
    out[GIVES] = out[FITS] * g.opened[following]
    out[DANGER] = meld_danger(g, following, kind, sight.once, sight.twice, sight.rate)
    value = hold_value(
        g, sight.seat, kind, sight.loose, sight.wants, sight.once, sight.twice, WEIGHTS
    )
    out[VALUE] = min(value / MUCH_VALUE, MOST)


@kernel
def write_traits(g, sight, action, choice, out):
    """Write the traits of one action.

    Args:
        g: a game's record.
        sight: as `look` returns it.
        action: a legal one.
        choice: what `expert` would do.
        out: float32, `NUM_TRAITS` long, written.
    """
    out[:] = 0.0
    out[EXPERT] = action == choice
    out[LEFT] = g.hand_count[sight.seat] / HAND_CARDS
    if action >= DISCARD:
        write_discard(g, sight, np.int64(action - DISCARD), out)
    elif action >= SLOT:
        slot = (action - SLOT) // SLOT_ACTIONS
        write_slot(g, sight, slot, (action - SLOT) % SLOT_ACTIONS, out)
    elif action == FORMATION:
        out[FORMS] = 1.0
        out[LEFT] = 1.0 / HAND_CARDS
    elif action == DRAW_DECK:
        out[LEFT] += 1.0 / HAND_CARDS
    elif action == OPEN:
        out[OPENS] = 1.0
        total = staged_points(g)
        out[OVER_BAR] = (total - g.threshold[sight.seat]) / MANY_POINTS
        one, two = g.hand_one[sight.seat], g.hand_two[sight.seat]
        write_rest(g, sight, one, two, int(staged_take(g)), total, True, out)
    elif action >= MELD:
        write_meld(g, sight, np.int64(action - MELD), out)
    elif action == DRAW_FIRE:
        write_fire(g, sight, out)
    elif action == DECLARE + 1:
        one, two = g.hand_one[sight.seat], g.hand_two[sight.seat]
        out[YES] = 1.0
        out[MISSING] = formation_distance(one, two) / FAR_AWAY


@kernel
def token_of(g, action):
    """Return the number that an action has in `TOKENS`."""
    if action >= DISCARD:
        return DISCARD_TOKEN + action - DISCARD
    if action < SLOT:
        return action
    slot, what = (action - SLOT) // SLOT_ACTIONS, (action - SLOT) % SLOT_ACTIONS
    return GIVE_TOKEN + int(slot_card(g, slot, what))


@kernel
def write_lags(count, traits):
    """Write how much more each discard is worth than the least."""
    least = np.float32(MOST)
    for place in range(count):
        if traits[place, DISCARDS] > 0:
            least = min(least, traits[place, VALUE])
    for place in range(count):
        if traits[place, DISCARDS] > 0:
            lag = (traits[place, VALUE] - least) * (MUCH_VALUE / LITTLE_VALUE)
            traits[place, LAG] = min(lag, MOST)


@entry
def advise(games, indices, legal, starts, insight, tokens, traits):
    """Write the insight of the seats to act in some games, and what their actions are.

    Args:
        games: (N,) records.
        indices: (n,) games that go on.
        legal: (N, L) their legal actions, as the engine lists them.
        starts: (n + 1,) where in `tokens` and `traits` the actions of each begin, and how many
            there are in all (m).
        insight: (n, `INSIGHT.size`) int8, written.
        tokens: (m,) int64, written: the actions by their numbers in `TOKENS`.
        traits: (m, `TRAITS.size`) float32, written.
    """
    for place in range(indices.size):
        index = indices[place]
        g = games[index]
        sight = look(g)
        write_insight(g, sight, insight[place])
        choice = expert.act(g, WEIGHTS)
        first = starts[place]
        own = traits[first : starts[place + 1]]
        for number in range(own.shape[0]):
            action = int(legal[index, number])
            tokens[first + number] = token_of(g, action)
            write_traits(g, sight, action, choice, own[number])
        write_lags(own.shape[0], own)


@entry
def tell(games, indices, secrets, hidden):
    """Write what is hidden from the seats to act in some games, for training.

    Args:
        games: (N,) records.
        indices: (n,) games that go on.
        secrets: (n, `SECRETS.size`) int8, written.
        hidden: (n, 3) int64, written: masks of the kinds that the next seat, the partner and the
            one before hold.
    """
    for place in range(indices.size):
        g = games[indices[place]]
        write_secrets(g, secrets[place])
        for step in range(1, NUM_SEATS):
            hidden[place, step - 1] = g.hand_one[(int(g.seat) + step) % NUM_SEATS]


@entry
def survey(games, indices, observation, insight, secrets):
    """Write everything that critics see of the seats to act in some games.

    Args:
        games: (N,) records.
        indices: (n,) games that go on.
        observation: (n, `NUM_FEATURES`) int8, written.
        insight, secrets: as in `advise` and `tell`, written.
    """
    for place in range(indices.size):
        g = games[indices[place]]
        observe(g, int(g.seat), observation[place])
        write_insight(g, look(g), insight[place])
        write_secrets(g, secrets[place])
