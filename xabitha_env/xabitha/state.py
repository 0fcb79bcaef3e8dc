"""The record that holds everything of one game, as a numpy structured type.

A batch is a plain array of N such records: clone is ``copy()``, save is bytes. Numbers have 64
bits, so that a kernel is compiled for one type of argument, but for the long arrays. A *mask* is a
64-bit integer with a bit a kind (53 used). Hands and other piles whose order does not matter are
two masks: `*_one` has the kinds held at least once, `*_two` those held twice (X1.1).
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from xabitha_env.cards import NUM_KINDS, NUM_SEATS, NUM_TEAMS
from xabitha_env.xabitha.actions import NUM_SLOTS
from xabitha_env.xabitha.melds import NUM_CARDS, SHORTEST_MELD
from xabitha_env.xabitha.rules import XabithaRules

# Phases of a round, by what the seat to act must decide.
DECLARING = 0  # X3.2
DRAWING = 1  # X4.1 (1)
PLAYING = 2  # X4.1 (2) and (3), also the starter's first discard (X4.2)
FORMED = 3  # the formation is down, the last discard is left (X9.2)

# Why the last round ended; 0 before the first end.
NORMAL = 1
XABITHA = 2
CANCELLED = 3
REASONS = ("", "normal", "xabitha", "cancelled")

# Reward schemes, by name.
REWARDS = ("team_difference", "own_penalties", "match_result")
TEAM_DIFFERENCE, OWN_PENALTIES, MATCH_RESULT = range(len(REWARDS))

HAND_CARDS = 14  # X3.1; the starter gets one more
MOST_STAGED = HAND_CARDS // SHORTEST_MELD  # a hand of 15 keeps one card (X4.5)
MOST_TRAIL = 3 * NUM_CARDS
"""Events between reshuffles: no card is drawn twice, none that lay hidden in a hand is shown twice,
and none that was drawn then."""
DRAWN = NUM_KINDS
NO_KIND = -1
NO_SEAT = -1

STATE = np.dtype(
    [
        # Rules: every field of the configuration by its own name.
        *((item.name, np.int64) for item in fields(XabithaRules)),
        ("reward_scheme", np.int64),  # index in REWARDS
        # Random streams: next deals, this round's reshuffles, compiled players' choices.
        ("deal_word", np.uint64),
        ("shuffle_word", np.uint64),
        ("player_word", np.uint64),
        # Match.
        ("rounds", np.int64),  # finished (`round` is a method of interpreted records)
        ("totals", np.int64, (NUM_TEAMS,)),  # penalty points (X2.2)
        ("over", np.bool_),  # the match is over
        # Tally of the match, for statistics.
        ("decisions", np.int64, (NUM_SEATS,)),
        ("turns", np.int64),  # of all finished rounds
        ("cancellations", np.int64),  # rounds that were cancelled
        ("openings", np.int64, (NUM_SEATS,)),  # finished rounds in which a seat was down
        ("declarations", np.int64, (NUM_SEATS,)),  # and in which it had declared
        ("formations", np.int64, (NUM_SEATS,)),  # and won by a formation
        ("reward", np.float32, (NUM_SEATS,)),  # of the last step, or all of the last advance
        # Round.
        ("starter", np.int64),
        ("seat", np.int64),  # to act
        ("phase", np.int64),
        ("turn", np.int64),  # the starter's first discard is turn 1 (X10.2)
        # (0 or 1; numba has no nested arrays of booleans)
        ("declared", np.int64, (NUM_SEATS,)),  # private until the round is over (X3.3)
        ("opened", np.int64, (NUM_SEATS,)),  # down (X6.1)
        ("threshold", np.int64, (NUM_SEATS,)),  # points (X6.2)
        ("reshuffles", np.int64),  # done this round (X10.1)
        ("hand_one", np.int64, (NUM_SEATS,)),  # masks
        ("hand_two", np.int64, (NUM_SEATS,)),
        ("hand_count", np.int64, (NUM_SEATS,)),  # cards
        ("deck", np.int8, (NUM_CARDS,)),  # kinds, the next to be drawn last
        ("deck_count", np.int64),
        ("fixed_draws", np.int64),  # 1: until a reshuffle, a seat's k-th draw is fixed (no rule)
        ("deck_seat", np.int8, (NUM_CARDS,)),  # then by card of the deck, for whom it is
        ("fire", np.int8, (NUM_CARDS,)),  # kinds, bottom first
        ("fire_count", np.int64),
        ("fire_one", np.int64),  # masks of the fire pile
        ("fire_two", np.int64),
        # Turn.
        ("taken", np.int64),  # kind of a fire card that is still to stand (X4.4)
        ("fire_locked", np.bool_),  # an undo locks the fire pile for this turn (X4.4)
        ("set_filled", np.bool_),  # some set got its fourth real card this turn (X5.6)
        ("staged", np.int64),  # number of melds staged, private until the commit (X6.4)
        ("staged_rows", np.int16, (MOST_STAGED,)),  # rows of the meld table
        # Table: a slot a meld, in the order in which they were laid (X12).
        ("num_melds", np.int64),
        ("slot_type", np.int8, (NUM_SLOTS,)),  # 0 empty or buried, RUN or SET
        ("slot_suits", np.int8, (NUM_SLOTS,)),  # bit mask: suit of a run, real suits of a set
        ("slot_low", np.int8, (NUM_SLOTS,)),  # lowest position of a run; 1 + rank of a set
        ("slot_high", np.int8, (NUM_SLOTS,)),  # highest position of a run; 1 + rank of a set
        ("slot_jokers", np.int16, (NUM_SLOTS,)),  # bits as in `Meld.joker_bits`
        # Public memory of the round, masks by seat.
        ("discarded", np.int64, (NUM_SEATS,)),  # kinds discarded (X4.3)
        ("last_discard", np.int64, (NUM_SEATS,)),  # kind, or -1
        ("took", np.int64, (NUM_SEATS,)),  # kinds taken from the fire pile (X4.3)
        ("laid", np.int64, (NUM_SEATS,)),  # kinds put on the table
        ("known_one", np.int64, (NUM_SEATS,)),  # taken or stolen, and surely still in hand
        ("known_two", np.int64, (NUM_SEATS,)),
        # Since the last reshuffle, for whoever asks where cards may be: what the deck was made of,
        # what each seat drew (private), and, in order, who drew from the deck and which cards that
        # nobody had seen in a hand were shown from it.
        ("reshuffled_one", np.int64),
        ("reshuffled_two", np.int64),
        ("drew_one", np.int64, (NUM_SEATS,)),
        ("drew_two", np.int64, (NUM_SEATS,)),
        ("trail", np.int16, (MOST_TRAIL,)),  # kind * seats + seat; a draw has `DRAWN` as its kind
        ("trail_count", np.int64),
        # The last finished round.
        ("last_reason", np.int64),
        ("last_winner", np.int64),
        ("last_penalties", np.int64, (NUM_SEATS,)),
        ("last_declared", np.int64, (NUM_SEATS,)),  # shown when the round is over (X3.3)
    ],
    align=True,
)
