"""The one layout of what a seat sees, and the kernel that writes it.

All features are 0 or 1: sets of kinds a bit a kind, numbers as thermometers (bit i: at least the
i-th level). Seats are relative to the observer: 0 itself, 1 the next, 2 its partner, 3 the one
before. Everything public is remembered for the whole round (X4.3); nothing hidden is shown.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.buffers import write_bits, write_levels
from xabitha_env.cards import NUM_KINDS, NUM_RANKS, NUM_SEATS, NUM_SUITS, NUM_TEAMS
from xabitha_env.layout import Block, ObsLayout
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xabitha.actions import MAX_LEGAL, NUM_SLOTS
from xabitha_env.xabitha.hands import JOKER_BIT, NO_TAKE, NONE
from xabitha_env.xabitha.legal import staged_points, staged_run
from xabitha_env.xabitha.melds import CARDS, NUM_JOKERS, NUM_POSITIONS, RUN
from xabitha_env.xabitha.opening import (
    SUIT_BITS,
    best_packing,
    best_total,
    suits_of_rank,
    usable,
)
from xabitha_env.xabitha.reading import staged_masks
from xabitha_env.xabitha.state import FORMED, HAND_CARDS, REASONS

HAND_LEVELS = np.arange(2, HAND_CARDS + 2)
DECK_LEVELS = np.array([1, 2, 4, 8, 12, 18, 24, 32, 40, 48])
RESHUFFLE_LEVELS = np.array([1, 2])
TURN_LEVELS = np.array([5, 9, 17, 33, 65, 129, 257])
ROUND_LEVELS = np.array([2, 3, 4, 5])
LEAD_LEVELS = np.array([-400, -200, -100, -50, 0, 1, 50, 100, 200, 400])
THRESHOLD_LEVELS = np.array([40, 52, 58, 64, 72, 90])
POINTS_LEVELS = np.array([10, 20, 30, 40, 51, 60, 70, 80, 100])
NUM_PHASES = 5  # declaring, drawing, playing, formation down, staging
STAGING = FORMED + 1
NUM_OTHERS = NUM_SEATS - 1
SLOT_FEATURES = 1 + NUM_SUITS + NUM_POSITIONS + NUM_JOKERS

FEATURES = ObsLayout(
    [
        Block("hand", (2, NUM_KINDS), "own cards: kinds held at least once, held twice"),
        Block("fire_card", (NUM_KINDS,), "the take that can still be undone, else the pile's top"),
        Block("fire_pile", (2, NUM_KINDS), "kinds in the fire pile: at least once, twice"),
        Block("discarded", (NUM_SEATS, NUM_KINDS), "by seat: kinds discarded this round"),
        Block("took", (NUM_OTHERS, NUM_KINDS), "by other seat: kinds taken from the fire pile"),
        Block("laid", (NUM_OTHERS, NUM_KINDS), "by other seat: kinds put on the table"),
        Block("known", (NUM_OTHERS, NUM_KINDS), "by other seat: kinds surely still in its hand"),
        Block(
            "table",
            (NUM_SLOTS, SLOT_FEATURES),
            "by meld: is a set; suit of the run or real suits of the set; positions of the run or "
            "the set's rank (1 low ace to 14 high ace); at least one, two jokers",
        ),
        Block(
            "joker_place", (NUM_JOKERS, NUM_POSITIONS), "positions of the jokers in runs, in order"
        ),
        Block("hand_count", (NUM_OTHERS, len(HAND_LEVELS)), "by other seat: at least 2 ... 15"),
        Block("opened", (NUM_SEATS,), "by seat: is down"),
        Block(
            "threshold",
            (NUM_SEATS, len(THRESHOLD_LEVELS)),
            f"by seat: at least {', '.join(map(str, THRESHOLD_LEVELS))} points",
        ),
        Block("declared", (1,), "own answer: Xabitha mode"),
        Block("phase", (NUM_PHASES,), "declaring, drawing, playing, formation down, own staging"),
        Block("actor", (NUM_SEATS,), "the seat to act"),
        Block("starter", (NUM_SEATS,), "the seat that started the round"),
        Block("take_pending", (1,), "the last take can still be undone"),
        Block("fire_locked", (1,), "the fire pile cannot be taken this turn"),
        Block("staged", (len(POINTS_LEVELS),), "own staged points, levels as in `packing`"),
        Block("staged_run", (1,), "a run is among the own staged melds, or none is needed"),
        Block(
            "deck_count",
            (len(DECK_LEVELS),),
            f"cards in the deck: at least {', '.join(map(str, DECK_LEVELS))}",
        ),
        Block("reshuffles", (len(RESHUFFLE_LEVELS),), "reshuffles left: at least 1, 2"),
        Block("turn", (len(TURN_LEVELS),), f"at least turn {', '.join(map(str, TURN_LEVELS))}"),
        Block("rounds", (len(ROUND_LEVELS),), "rounds left with this one: at least 2, 3, 4, 5"),
        Block(
            "lead",
            (len(LEAD_LEVELS),),
            f"own team leads by at least {', '.join(map(str, LEAD_LEVELS))} points",
        ),
        Block("last_reason", (len(REASONS) - 1,), "last round: normal, xabitha, cancelled"),
        Block("last_winner", (NUM_SEATS,), "last round: the seat that went out"),
        Block("last_declared", (NUM_SEATS,), "last round: the seats in Xabitha mode"),
        Block(
            "packing",
            (len(POINTS_LEVELS),),
            f"best melds of the hand: at least {', '.join(map(str, POINTS_LEVELS))} points",
            optional=True,
        ),
        Block("can_open", (1,), "the hand and what is staged reach the threshold", optional=True),
        Block(
            "potential",
            (NUM_KINDS,),
            "kinds that make, or would make, a meld with two real cards in hand",
            optional=True,
        ),
    ]
)
RAW_FEATURES = ObsLayout([block for block in FEATURES if not block.optional])
NUM_FEATURES = FEATURES.size
NUM_RAW_FEATURES = RAW_FEATURES.size


def _at(name: str) -> np.int64:
    return np.int64(FEATURES.offset(name))  # a plain number would be compiled for its value


HAND = _at("hand")
FIRE_CARD = _at("fire_card")
FIRE_PILE = _at("fire_pile")
DISCARDED = _at("discarded")
TOOK = _at("took")
LAID = _at("laid")
KNOWN = _at("known")
TABLE = _at("table")
JOKER_PLACE = _at("joker_place")
HAND_COUNT = _at("hand_count")
OPENED = _at("opened")
THRESHOLD = _at("threshold")
DECLARED = _at("declared")
PHASE = _at("phase")
ACTOR = _at("actor")
STARTER = _at("starter")
TAKE_PENDING = _at("take_pending")
FIRE_LOCKED = _at("fire_locked")
STAGED = _at("staged")
STAGED_RUN = _at("staged_run")
DECK_COUNT = _at("deck_count")
RESHUFFLES = _at("reshuffles")
TURN = _at("turn")
ROUNDS = _at("rounds")
LEAD = _at("lead")
LAST_REASON = _at("last_reason")
LAST_WINNER = _at("last_winner")
LAST_DECLARED = _at("last_declared")
PACKING = _at("packing")
CAN_OPEN = _at("can_open")
POTENTIAL = _at("potential")
KINDS = np.int64(NUM_KINDS)
TABLE_SUITS = 1
TABLE_POSITIONS = TABLE_SUITS + NUM_SUITS
TABLE_JOKERS = TABLE_POSITIONS + NUM_POSITIONS


@kernel
def staged_cards(g):
    """Return how many cards are staged; to other seats they are still in hand (X6.4)."""
    total = 0
    for place in range(int(g.staged)):
        total += int(CARDS[g.staged_rows[place]])
    return total


@kernel
def hand_size(g, seat):
    """Return the number of cards that everyone takes to be in a seat's hand (X6.4)."""
    size = int(g.hand_count[seat])
    return size + staged_cards(g) if seat == g.seat else size


@kernel
def write_seats(g, seat, out):
    """Write what is remembered of each seat."""
    for relative in range(NUM_SEATS):
        other = (seat + relative) % NUM_SEATS
        write_bits(out, DISCARDED + relative * NUM_KINDS, g.discarded[other], KINDS)
        out[OPENED + relative] = g.opened[other]
        start = THRESHOLD + relative * THRESHOLD_LEVELS.size
        write_levels(out, start, THRESHOLD_LEVELS, g.threshold[other])
        out[ACTOR + relative] = other == g.seat
        out[STARTER + relative] = other == g.starter
        out[LAST_WINNER + relative] = other == g.last_winner
        out[LAST_DECLARED + relative] = g.last_declared[other]
        if relative == 0:
            continue
        place = relative - 1
        write_bits(out, TOOK + place * NUM_KINDS, g.took[other], KINDS)
        write_bits(out, LAID + place * NUM_KINDS, g.laid[other], KINDS)
        write_bits(out, KNOWN + place * NUM_KINDS, g.known_one[other], KINDS)
        start = HAND_COUNT + place * HAND_LEVELS.size
        write_levels(out, start, HAND_LEVELS, hand_size(g, other))


@kernel
def write_table(g, out):
    """Write the melds on the table."""
    jokers_in_runs = 0
    out[TABLE : TABLE + NUM_SLOTS * SLOT_FEATURES] = 0
    out[JOKER_PLACE : JOKER_PLACE + NUM_JOKERS * NUM_POSITIONS] = 0
    for slot in range(int(g.num_melds)):
        if g.slot_type[slot] == 0:
            continue
        start = TABLE + slot * SLOT_FEATURES
        run = g.slot_type[slot] == RUN
        low, high = np.int64(g.slot_low[slot]), np.int64(g.slot_high[slot])
        jokers = np.int64(g.slot_jokers[slot])
        out[start] = not run
        write_bits(out, start + TABLE_SUITS, np.int64(g.slot_suits[slot]), np.int64(NUM_SUITS))
        out[start + TABLE_POSITIONS + low - 1 : start + TABLE_POSITIONS + high] = 1
        number = count_bits(jokers)
        for joker in range(NUM_JOKERS):
            out[start + TABLE_JOKERS + joker] = number > joker
        while run and jokers != 0:
            place = JOKER_PLACE + jokers_in_runs * NUM_POSITIONS
            out[place + lowest_bit(jokers) - 1] = 1
            jokers &= jokers - 1
            jokers_in_runs += 1


@kernel
def write_turn(g, seat, out):
    """Write the state of the turn and of the round."""
    mine = seat == g.seat
    pending = g.taken >= 0
    out[TAKE_PENDING] = pending
    out[FIRE_LOCKED] = g.fire_locked
    out[FIRE_CARD : FIRE_CARD + NUM_KINDS] = 0
    if pending:
        out[FIRE_CARD + g.taken] = 1
    elif g.fire_count > 0:
        out[FIRE_CARD + g.fire[g.fire_count - 1]] = 1
    staging = mine and g.staged > 0
    out[PHASE : PHASE + NUM_PHASES] = 0
    out[PHASE + (STAGING if staging else int(g.phase))] = 1
    write_levels(out, STAGED, POINTS_LEVELS, np.int64(staged_points(g) if staging else 0))
    out[STAGED_RUN] = staging and staged_run(g)
    write_levels(out, DECK_COUNT, DECK_LEVELS, g.deck_count)
    write_levels(out, RESHUFFLES, RESHUFFLE_LEVELS, g.max_reshuffles - g.reshuffles)
    write_levels(out, TURN, TURN_LEVELS, g.turn)


@kernel
def write_match(g, seat, out):
    """Write the state of the match."""
    team = seat % NUM_TEAMS
    write_levels(out, ROUNDS, ROUND_LEVELS, g.num_rounds - g.rounds)
    write_levels(out, LEAD, LEAD_LEVELS, g.totals[1 - team] - g.totals[team])
    for reason in range(1, len(REASONS)):
        out[LAST_REASON + reason - 1] = g.last_reason == reason


@kernel
def potential(one):
    """Return the mask of kinds that make a meld with two real cards of a hand (X5.1, X5.2)."""
    kinds = np.int64(0)
    pairs = False
    for suit in range(NUM_SUITS):
        held = (one >> (suit * NUM_RANKS)) & SUIT_BITS
        held |= (held & 1) << NUM_RANKS
        below, above = held << 1, held >> 1
        fits = (below & (held << 2)) | (below & above) | (above & (held >> 2))
        fits |= (fits >> NUM_RANKS) & 1  # an ace may be needed at the high end
        kinds |= (fits & SUIT_BITS) << (suit * NUM_RANKS)
        pairs = pairs or (held & (above | (held >> 2))) != 0
    for rank in range(NUM_RANKS):
        suits = suits_of_rank(one, rank)
        pairs = pairs or count_bits(suits) > 1
        for suit in range(NUM_SUITS):
            if count_bits(suits & ~(1 << suit)) > 1:
                kinds |= bit(suit * NUM_RANKS + rank)
    return kinds | JOKER_BIT if pairs else kinds


@kernel
def write_derived(g, seat, out):
    """Write the sections that follow from others."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    free = usable(one, two, np.empty(MAX_LEGAL, np.int32))
    write_levels(out, PACKING, POINTS_LEVELS, best_packing(one, two, free, high, low))
    wanted = int(g.threshold[seat])
    run = not g.opening_needs_run
    if seat == g.seat and g.staged > 0:
        wanted -= staged_points(g)
        run = staged_run(g)
    taken = g.taken if seat == g.seat else NO_TAKE
    reach = best_total(one, two, free, NONE, run, taken, high, low, wanted - 1, wanted)
    out[CAN_OPEN] = not g.opened[seat] and not g.declared[seat] and reach >= wanted
    write_bits(out, POTENTIAL, potential(one), KINDS)


@kernel
def observe(g, seat, out):
    """Write what a seat sees, to act or not.

    Args:
        g: a game's record.
        seat: the observer.
        out: int8, `NUM_FEATURES` long, or `NUM_RAW_FEATURES` to leave out the derived sections.
    """
    write_bits(out, HAND, g.hand_one[seat], KINDS)
    write_bits(out, HAND + NUM_KINDS, g.hand_two[seat], KINDS)
    write_bits(out, FIRE_PILE, g.fire_one, KINDS)
    write_bits(out, FIRE_PILE + NUM_KINDS, g.fire_two, KINDS)
    out[DECLARED] = g.declared[seat]
    write_seats(g, seat, out)
    write_table(g, out)
    write_turn(g, seat, out)
    write_match(g, seat, out)
    if out.size > NUM_RAW_FEATURES:
        write_derived(g, seat, out)


# Everything of a game, for critics and `state()`: nothing is hidden here.
NEXT_CARDS = 4
GLOBAL_FEATURES = ObsLayout(
    [
        Block("public", (NUM_RAW_FEATURES,), "what seat 0 observes, derived sections left out"),
        Block("hands", (NUM_SEATS, 2, NUM_KINDS), "by seat: kinds held, not staged, once, twice"),
        Block("staged", (2, NUM_KINDS), "kinds that the seat to act has staged (X6.4)"),
        Block("modes", (NUM_SEATS,), "by seat: in Xabitha mode"),
        Block("deck", (2, NUM_KINDS), "kinds in the deck: at least once, twice"),
        Block("next_cards", (NEXT_CARDS, NUM_KINDS), "the next cards of the deck, in order"),
    ]
)
NUM_GLOBAL_FEATURES = GLOBAL_FEATURES.size
HANDS = GLOBAL_FEATURES.offset("hands")
STAGED_CARDS = GLOBAL_FEATURES.offset("staged")
MODES = GLOBAL_FEATURES.offset("modes")
DECK = GLOBAL_FEATURES.offset("deck")
NEXT = GLOBAL_FEATURES.offset("next_cards")


@kernel
def observe_all(g, out):
    """Write everything of a game; `out` is int8, `NUM_GLOBAL_FEATURES` long."""
    observe(g, 0, out[:NUM_RAW_FEATURES])
    for seat in range(NUM_SEATS):
        start = HANDS + 2 * seat * NUM_KINDS
        write_bits(out, start, g.hand_one[seat], KINDS)
        write_bits(out, start + NUM_KINDS, g.hand_two[seat], KINDS)
        out[MODES + seat] = g.declared[seat]
    one, two = staged_masks(g)
    write_bits(out, STAGED_CARDS, one, KINDS)
    write_bits(out, STAGED_CARDS + NUM_KINDS, two, KINDS)
    out[DECK:] = 0
    for card in range(int(g.deck_count)):
        kind = int(g.deck[card])
        second = NUM_KINDS * int(out[DECK + kind])
        out[DECK + second + kind] = 1
        order = int(g.deck_count) - 1 - card
        if order < NEXT_CARDS:
            out[NEXT + order * NUM_KINDS + kind] = 1
