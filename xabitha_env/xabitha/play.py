"""What actions do: dealing, declaring, drawing, laying, discarding (X2 to X10).

All functions change one game's record `g` and take legal actions; `step` checks first.
"""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import kernel
from xabitha_env.cards import JOKER, NUM_RANKS, NUM_SEATS, NUM_TEAMS
from xabitha_env.masks import bit, count_bits
from xabitha_env.xabitha.actions import (
    ADD_LOW,
    DECLARE,
    DISCARD,
    DRAW_DECK,
    DRAW_FIRE,
    FORMATION,
    JOKER_LOW,
    MELD,
    OPEN,
    SLOT,
    SLOT_ACTIONS,
    STEAL_FIRST,
    STEAL_SECOND,
)
from xabitha_env.xabitha.formation import find_formation, without_formation
from xabitha_env.xabitha.hands import (
    JOKER_BIT,
    NONE,
    ONE,
    add_card,
    pending_take,
    remove_cards,
    remove_meld,
)
from xabitha_env.xabitha.legal import is_legal, slot_card, staged_points
from xabitha_env.xabitha.melds import (
    COPIES,
    FORMATION_RUN,
    JOKERS,
    LARGEST_SET,
    NEED,
    NUM_CARDS,
    NUM_RUNS,
    RUN,
    SET,
    SLOT_HIGH,
    SLOT_JOKERS,
    SLOT_LOW,
    SLOT_SUITS,
)
from xabitha_env.xabitha.scoring import score_round
from xabitha_env.xabitha.state import (
    CANCELLED,
    DECLARING,
    DRAWING,
    DRAWN,
    FORMED,
    HAND_CARDS,
    NO_KIND,
    NO_SEAT,
    NORMAL,
    PLAYING,
    XABITHA,
)
from xabitha_env.xabitha.trail import follow, follow_shown, forget_trail

ALL_SUITS = (1 << LARGEST_SET) - 1


@kernel
def start_match(g):
    """Begin a match: no points, a starter drawn at random (X2.3), the first deal."""
    g.rounds = 0
    g.over = False
    g.reward[:] = 0
    g.last_reason = 0
    g.last_winner = NO_SEAT
    g.turns = 0
    g.cancellations = 0
    for seat in range(NUM_SEATS):
        g.totals[seat % NUM_TEAMS] = 0
        g.last_penalties[seat] = 0
        g.last_declared[seat] = False
        g.decisions[seat] = 0
        g.openings[seat] = 0
        g.declarations[seat] = 0
        g.formations[seat] = 0
    g.deal_word = _random.advance(g.deal_word)
    start_round(g, _random.below(g.deal_word, np.int64(NUM_SEATS)))


@kernel
def start_round(g, starter):
    """Shuffle and deal (X3.1), forget the last round; the starter declares first (X3.3).

    Deals and the reshuffles of a round have streams of their own, so that how a round is played
    does not change the cards of the next.
    """
    for card in range(NUM_CARDS):
        g.deck[card] = card // COPIES
    word = _random.shuffle(g.deck, np.int64(NUM_CARDS), g.deal_word)
    g.deal_word = _random.advance(word)
    g.shuffle_word = _random.branch(g.deal_word)
    g.deck_count = NUM_CARDS
    clear_round(g, starter)
    for card in range(HAND_CARDS * NUM_SEATS + 1):
        give_card(g, (starter + card) % NUM_SEATS, pop_deck(g))
    fix_draws(g)


@kernel
def clear_round(g, starter):
    """Set everything of a round, but the deck, to how it is before the deal."""
    g.starter = starter
    g.seat = starter
    g.phase = DECLARING
    g.turn = 0
    g.reshuffles = 0
    g.fire_count = 0
    g.fire_one = 0
    g.fire_two = 0
    g.staged = 0
    g.num_melds = 0
    g.fire[:] = 0  # nothing of other rounds is left: equal games have equal bytes
    g.staged_rows[:] = 0
    g.slot_type[:] = 0
    g.slot_suits[:] = 0
    g.slot_low[:] = 0
    g.slot_high[:] = 0
    g.slot_jokers[:] = 0
    start_turn(g)
    for seat in range(NUM_SEATS):
        g.declared[seat] = False
        g.opened[seat] = False
        g.threshold[seat] = g.opening_points  # X6.2
        g.hand_one[seat] = 0
        g.hand_two[seat] = 0
        g.hand_count[seat] = 0
        g.discarded[seat] = 0
        g.last_discard[seat] = NO_KIND
        g.took[seat] = 0
        g.laid[seat] = 0
        g.known_one[seat] = 0
        g.known_two[seat] = 0
    forget_trail(g)


@kernel
def start_turn(g):
    """Forget what belongs to the last turn."""
    g.taken = NO_KIND
    g.fire_locked = False
    g.set_filled = False


@kernel
def give_card(g, seat, kind):
    """Put a card into a hand."""
    g.hand_one[seat], g.hand_two[seat] = add_card(g.hand_one[seat], g.hand_two[seat], kind)
    g.hand_count[seat] += 1


@kernel
def take_cards(g, seat, need, jokers):
    """Take cards, one of each real kind in `need`, and jokers out of a hand."""
    one, two = remove_meld(g.hand_one[seat], g.hand_two[seat], need, jokers)
    g.hand_one[seat] = one
    g.hand_two[seat] = two
    g.hand_count[seat] -= count_bits(need) + jokers


@kernel
def show_cards(g, seat, need, jokers):
    """Note that cards went from a hand to the table, for all to see (X4.4)."""
    follow_shown(g, seat, need, jokers)
    forget_known(g, seat, need, jokers)
    g.laid[seat] |= need
    if jokers > 0:
        g.laid[seat] |= JOKER_BIT
    g.taken = pending_take(int(g.taken), need, jokers)


@kernel
def forget_known(g, seat, need, jokers):
    """Note that cards left a hand: of a kind known in it, one less is sure to be left."""
    one, two = remove_meld(g.known_one[seat], g.known_two[seat], need, jokers)
    g.known_one[seat] = one
    g.known_two[seat] = two


@kernel
def learn_known(g, seat, kind):
    """Note that a card that all have seen went into a hand."""
    one, two = add_card(g.known_one[seat], g.known_two[seat], kind)
    g.known_one[seat] = one
    g.known_two[seat] = two


@kernel
def pop_deck(g):
    """Take the next card off the deck."""
    g.deck_count -= 1
    return np.int64(g.deck[g.deck_count])


@kernel
def fix_draws(g):
    """Share the deck out to the seats in turn, where each seat's draws are to be fixed."""
    g.deck_seat[:] = NO_SEAT
    if g.fixed_draws and g.reshuffles == 0:
        for card in range(int(g.deck_count)):
            g.deck_seat[card] = (int(g.deck_count) - 1 - card) % NUM_SEATS


@kernel
def pop_own(g, seat):
    """Take the next card that is fixed for a seat; when there is none, the last one of the deck.

    Each card is as likely as in a draw from the top, since the deck is in random order.
    """
    place = int(g.deck_count) - 1
    while place > 0 and g.deck_seat[place] != seat:
        place -= 1
    kind = np.int64(g.deck[place])
    for card in range(place + 1, int(g.deck_count)):
        g.deck[card - 1] = g.deck[card]
        g.deck_seat[card - 1] = g.deck_seat[card]
    g.deck_count -= 1
    return kind


@kernel
def push_fire(g, kind):
    """Lay a card on top of the fire pile."""
    g.fire[g.fire_count] = kind
    g.fire_count += 1
    g.fire_one, g.fire_two = add_card(g.fire_one, g.fire_two, kind)


@kernel
def pop_fire(g):
    """Take the top card off the fire pile."""
    g.fire_count -= 1
    kind = np.int64(g.fire[g.fire_count])
    g.fire_one, g.fire_two = remove_cards(g.fire_one, g.fire_two, bit(kind))
    return kind


@kernel
def may_reshuffle(g):
    """Return whether the fire pile can become a new deck (X10.1, X10.2)."""
    return g.reshuffles < g.max_reshuffles and g.fire_count > 1


@kernel
def reshuffle(g):
    """Turn the fire pile, except its top card, into a new deck (X10.1)."""
    top = pop_fire(g)
    for card in range(int(g.fire_count)):
        g.deck[card] = g.fire[card]
    g.deck_count = g.fire_count
    g.shuffle_word = _random.shuffle(g.deck, int(g.deck_count), g.shuffle_word)
    forget_trail(g)
    g.fire_count = 0
    g.fire_one = 0
    g.fire_two = 0
    push_fire(g, top)
    g.reshuffles += 1
    fix_draws(g)


@kernel
def end_round(g, reason, winner):
    """Score the round; the next begins with its winner, or the same starter (X2.3)."""
    score_round(g, reason, winner)
    if not g.over:
        start_round(g, int(g.starter) if reason == CANCELLED else winner)


@kernel
def declare(g, seat, answer):
    """Take an answer; the starter plays after the fourth (X3.2, X3.3, X4.2)."""
    g.declared[seat] = answer
    g.seat = (seat + 1) % NUM_SEATS
    if g.seat == g.starter:
        g.phase = PLAYING
        g.turn = 1


@kernel
def draw_deck(g, seat):
    """Draw from the deck, which may have to be made anew, or cannot be (X10)."""
    if g.deck_count == 0:
        if not may_reshuffle(g):
            end_round(g, np.int64(CANCELLED), np.int64(NO_SEAT))
            return
        reshuffle(g)
    fixed = g.fixed_draws and g.reshuffles == 0
    kind = pop_own(g, seat) if fixed else pop_deck(g)
    give_card(g, seat, kind)
    if g.reshuffles > 0:
        one, two = add_card(g.drew_one[seat], g.drew_two[seat], kind)
        g.drew_one[seat] = one
        g.drew_two[seat] = two
        follow(g, seat, np.int64(DRAWN))
    g.phase = PLAYING


@kernel
def draw_fire(g, seat):
    """Take the top fire card (X4.3)."""
    kind = pop_fire(g)
    give_card(g, seat, kind)
    learn_known(g, seat, kind)
    g.took[seat] |= bit(kind)
    g.taken = kind
    g.phase = PLAYING


@kernel
def put_slot(g, kind_of_meld, suits, low, high, jokers):
    """Lay a meld in the next slot; its number is the slot (X12)."""
    slot = int(g.num_melds)
    g.slot_type[slot] = kind_of_meld
    g.slot_suits[slot] = suits
    g.slot_low[slot] = low
    g.slot_high[slot] = high
    g.slot_jokers[slot] = jokers
    g.num_melds += 1
    if kind_of_meld == SET and suits == ALL_SUITS:
        g.set_filled = True


@kernel
def lay(g, seat, row):
    """Show a meld whose cards have left the hand (X6.5)."""
    kind_of_meld = np.int64(RUN if row < NUM_RUNS else SET)
    put_slot(g, kind_of_meld, SLOT_SUITS[row], SLOT_LOW[row], SLOT_HIGH[row], SLOT_JOKERS[row])
    show_cards(g, seat, NEED[row], int(JOKERS[row]))


@kernel
def lay_or_stage(g, seat, row):
    """Lay a meld, or stage it when the seat is not yet down (X6.4)."""
    take_cards(g, seat, NEED[row], int(JOKERS[row]))
    if g.opened[seat]:
        lay(g, seat, row)
    else:
        g.staged_rows[g.staged] = row
        g.staged += 1


@kernel
def commit_opening(g, seat):
    """Go down with the staged melds and move the bars (X6.3)."""
    total = staged_points(g)
    for place in range(int(g.staged)):
        lay(g, seat, np.int64(g.staged_rows[place]))
    g.staged = 0
    g.opened[seat] = True
    g.threshold[(seat + NUM_TEAMS) % NUM_SEATS] = g.opening_points
    left, right = (seat + 1) % NUM_SEATS, (seat - 1) % NUM_SEATS
    if g.climbing_threshold and not g.opened[left] and not g.opened[right]:
        bar = total + int(g.threshold_step)
        g.threshold[left] = max(int(g.threshold[left]), bar)
        g.threshold[right] = max(int(g.threshold[right]), bar)


@kernel
def lay_formation(g, seat):
    """Lay the formation; one card is left (X9.2)."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    suit, low, rank = find_formation(one, two, int(g.taken))
    one, two, run, quads, used = without_formation(one, two, suit, low, rank)
    take_cards(g, seat, run, NONE)
    take_cards(g, seat, quads, used)
    gaps = NONE
    for position in range(low, low + FORMATION_RUN):
        kind = suit * NUM_RANKS + (position - 1) % NUM_RANKS
        if (run >> kind) & 1 == 0:
            gaps |= bit(position)
    suits = NONE
    for other in range(LARGEST_SET):
        suits |= ((quads >> (other * NUM_RANKS + rank)) & 1) << other
    put_slot(g, np.int64(RUN), bit(suit), low, low + FORMATION_RUN - 1, gaps)
    jokers = bit(LARGEST_SET - count_bits(suits)) - 1
    put_slot(g, np.int64(SET), suits, rank + 1, rank + 1, jokers)
    show_cards(g, seat, run, NONE)
    show_cards(g, seat, quads, used)
    g.phase = FORMED


@kernel
def add_to_slot(g, seat, slot, what):
    """Add a card to a meld (X7)."""
    kind = slot_card(g, slot, what)
    joker = kind == JOKER
    take_and_show(g, seat, kind)
    if g.slot_type[slot] == SET:
        if joker:
            g.slot_jokers[slot] = 2 * int(g.slot_jokers[slot]) + 1
        else:
            fill_suit(g, slot, kind)
        return
    low_end = what == JOKER_LOW or what == ADD_LOW
    position = int(g.slot_low[slot]) - 1 if low_end else int(g.slot_high[slot]) + 1
    if low_end:
        g.slot_low[slot] = position
    else:
        g.slot_high[slot] = position
    if joker:
        g.slot_jokers[slot] = int(g.slot_jokers[slot]) | (1 << position)


@kernel
def fill_suit(g, slot, kind):
    """Put a real card into a set (X5.5, X7.2)."""
    suits = int(g.slot_suits[slot]) | (1 << (kind // NUM_RANKS))
    g.slot_suits[slot] = suits
    if suits == ALL_SUITS:
        g.set_filled = True


@kernel
def take_and_show(g, seat, kind):
    """Move one card of a kind, real or joker, from a hand to the table."""
    need, jokers = (NONE, ONE) if kind == JOKER else (bit(kind), NONE)
    take_cards(g, seat, need, jokers)
    show_cards(g, seat, need, jokers)


@kernel
def steal_joker(g, seat, slot, what):
    """Give the card that a joker stands for and take the joker (X8.1)."""
    kind = slot_card(g, slot, what)
    take_and_show(g, seat, kind)
    jokers = np.int64(g.slot_jokers[slot])
    rest = jokers & (jokers - 1)  # without the lowest
    if g.slot_type[slot] == SET:
        fill_suit(g, slot, kind)
        g.slot_jokers[slot] = 0
    elif what == STEAL_FIRST:
        g.slot_jokers[slot] = rest
    else:
        g.slot_jokers[slot] = jokers & ~rest
    give_card(g, seat, np.int64(JOKER))
    learn_known(g, seat, np.int64(JOKER))


@kernel
def act_on_slot(g, seat, index):
    """Add to a meld or steal from it."""
    slot, what = index // SLOT_ACTIONS, index % SLOT_ACTIONS
    if what == STEAL_FIRST or what == STEAL_SECOND:
        steal_joker(g, seat, slot, what)
    else:
        add_to_slot(g, seat, slot, what)


@kernel
def bury_sets(g):
    """Move sets of four real cards from the table to the bottom of the fire pile (X5.6)."""
    for slot in range(int(g.num_melds)):
        if g.slot_type[slot] != SET or g.slot_suits[slot] != ALL_SUITS:
            continue
        g.slot_type[slot] = 0
        for card in range(int(g.fire_count) - 1, -1, -1):
            g.fire[card + LARGEST_SET] = g.fire[card]
        g.fire_count += LARGEST_SET
        for suit in range(LARGEST_SET):
            kind = suit * NUM_RANKS + int(g.slot_low[slot]) - 1
            g.fire[suit] = kind
            g.fire_one, g.fire_two = add_card(g.fire_one, g.fire_two, kind)


@kernel
def discard(g, seat, kind):
    """Discard: undo a take (X4.4), go out (X4.7), or end the turn (X4.1)."""
    undo = kind == g.taken
    one, two = remove_cards(g.hand_one[seat], g.hand_two[seat], bit(kind))
    g.hand_one[seat] = one
    g.hand_two[seat] = two
    g.hand_count[seat] -= 1
    if (g.known_one[seat] >> kind) & 1 == 0:
        follow(g, seat, kind)
    one, two = remove_cards(g.known_one[seat], g.known_two[seat], bit(kind))
    g.known_one[seat] = one
    g.known_two[seat] = two
    push_fire(g, kind)
    if undo:
        g.taken = NO_KIND
        g.fire_locked = True
        g.phase = DRAWING
        return
    g.discarded[seat] |= bit(kind)
    g.last_discard[seat] = kind
    if g.hand_count[seat] == 0:
        end_round(g, np.int64(XABITHA if g.phase == FORMED else NORMAL), seat)
    else:
        end_turn(g, seat)


@kernel
def end_turn(g, seat):
    """Bury full sets (X5.6) and pass the turn on, unless it was the last (X10.2)."""
    if g.set_filled:
        bury_sets(g)
    if g.turn == g.max_turns:
        end_round(g, np.int64(CANCELLED), np.int64(NO_SEAT))
        return
    g.turn += 1
    g.seat = (seat + 1) % NUM_SEATS
    g.phase = DRAWING
    start_turn(g)


@kernel
def play(g, action):
    """Carry out a legal action of the seat to act."""
    seat = int(g.seat)
    g.decisions[seat] += 1
    if action >= DISCARD:
        discard(g, seat, action - DISCARD)
    elif action < DRAW_DECK:
        declare(g, seat, action > DECLARE)
    elif action == DRAW_DECK:
        draw_deck(g, seat)
    elif action == DRAW_FIRE:
        draw_fire(g, seat)
    elif action < OPEN:
        lay_or_stage(g, seat, action - MELD)
    elif action == OPEN:
        commit_opening(g, seat)
    elif action == FORMATION:
        lay_formation(g, seat)
    else:
        act_on_slot(g, seat, action - SLOT)


@kernel
def step(g, action):
    """Carry out an action; returns False, with nothing changed, when it is illegal (X4.6)."""
    if not is_legal(g, action):
        return False
    play(g, action)
    return True
