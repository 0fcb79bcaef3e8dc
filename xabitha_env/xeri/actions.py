"""The one numbering of Xeri's actions (R6)."""

from __future__ import annotations

from xabitha_env.cards import JOKER, NUM_SEATS
from xabitha_env.layout import ActionLayout, Block

NUM_CARDS = JOKER
"""Cards of the pack, each a kind of its own (R1.1)."""
HAND_CARDS = 6  # R2.1
PILE_CARDS = 4  # R2.1
DEALS = 2  # R2.1
STOCK_CARDS = NUM_CARDS - PILE_CARDS - NUM_SEATS * HAND_CARDS  # after the first hands
PLAYS = DEALS * NUM_SEATS * HAND_CARDS
"""Plays of a round."""

ACTIONS = ActionLayout([Block("play", (NUM_CARDS,), "`play:...` by kind (R3.1)")])
NUM_ACTIONS = ACTIONS.size
MAX_LEGAL = HAND_CARDS
