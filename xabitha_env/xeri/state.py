"""The record that holds everything of one game of Xeri, as a numpy structured type.

Every card is a kind of its own, so a set of cards is a *mask*: a 64-bit integer with a bit a kind.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.xeri.actions import NUM_CARDS, PLAYS
from xabitha_env.xeri.rules import XeriRules

# Reward schemes, by name.
REWARDS = ("team_difference", "round_result", "game_result")
TEAM_DIFFERENCE, ROUND_RESULT, GAME_RESULT = range(len(REWARDS))

NO_KIND = -1
NO_SEAT = -1
NO_TEAM = -1
NO_TARGET = -1  # target_score None
MOST_XERIS = PLAYS // 2
"""Of a team in a round: a xeri takes two cards."""
PLAIN_XERI, JACK_XERI = 1, 2  # entries of `xeris`

STATE = np.dtype(
    [
        # Rules: every field of the configuration by its own name; None is -1.
        *((item.name, np.int64) for item in fields(XeriRules)),
        ("reward_scheme", np.int64),  # index in REWARDS
        # Random streams: next deals, compiled players' choices.
        ("deal_word", np.uint64),
        ("player_word", np.uint64),
        # Game.
        ("rounds", np.int64),  # finished
        ("totals", np.int64, (NUM_TEAMS,)),  # points
        ("round_wins", np.int64, (NUM_TEAMS,)),
        ("extended", np.bool_),  # both teams reached the first target at once (R5.2)
        ("over", np.bool_),
        ("reward", np.float32, (NUM_SEATS,)),  # of the last step, or all of the last advance
        # Round.
        ("dealer", np.int64),
        ("seat", np.int64),  # to play
        ("plays", np.int64),  # made this round, 0 to 48
        ("hand", np.int64, (NUM_SEATS,)),  # masks
        ("stock", np.int8, (NUM_CARDS,)),  # kinds, the next to be dealt last
        ("stock_count", np.int64),
        ("bottom_card", np.int64),  # shown at the cut, or -1 (R2.3)
        ("pile", np.int8, (NUM_CARDS,)),  # kinds, bottom first
        ("pile_count", np.int64),
        ("captured", np.int64, (NUM_TEAMS,)),  # masks
        ("xeris", np.int8, (NUM_TEAMS, MOST_XERIS)),  # PLAIN_XERI or JACK_XERI, in order
        ("xeri_count", np.int64, (NUM_TEAMS,)),
        ("last_capturer", np.int64),  # seat or -1
        ("played", np.int64, (NUM_SEATS,)),  # masks, of the round
        # The last finished round.
        ("last_points", np.int64, (NUM_TEAMS,)),
        ("last_cards", np.int64, (NUM_TEAMS,)),
        ("last_xeris", np.int8, (NUM_TEAMS, MOST_XERIS)),
        ("last_xeri_count", np.int64, (NUM_TEAMS,)),
        ("last_winner", np.int64),  # team or -1 (R4.4)
    ],
    align=True,
)
