"""The one numbering of Xabitha's actions, declared once as ordered blocks (X12)."""

from __future__ import annotations

from xabitha_env.cards import NUM_KINDS
from xabitha_env.layout import ActionLayout, Block
from xabitha_env.xabitha.melds import NUM_MELDS

NUM_SLOTS = 16
"""Melds of a round: a seat lays at most 14 cards from its hand, so at most 4 melds of 3."""

# What can be done to the meld in a slot: a run's meaning, then a set's.
ADD_LOW = 0  # the real card at the low end; the first missing suit
ADD_HIGH = 1  # the real card at the high end; the second missing suit
JOKER_LOW = 2  # a joker at the low end; a joker
JOKER_HIGH = 3  # a joker at the high end; nothing
STEAL_FIRST = 4  # the lowest joker; the joker, with the first missing suit
STEAL_SECOND = 5  # the second joker; the joker, with the second missing suit
SLOT_ACTIONS = 6

ACTIONS = ActionLayout(
    [
        Block("declare", (2,), "`declare:no`, `declare:yes` (X3.2)"),
        Block("draw", (2,), "`draw:deck`, `draw:fire` (X4.1)"),
        Block("meld", (NUM_MELDS,), "`meld:...`, lay or stage a row of the meld table (X5, X6.4)"),
        Block("open", (1,), "`open`, commit the staged opening (X6.4)"),
        Block("formation", (1,), "`formation` (X9)"),
        Block(
            "slot",
            (NUM_SLOTS, SLOT_ACTIONS),
            "by meld on the table: add low, add high, joker low, joker high, steal first, steal "
            "second; for a set: add either missing suit, joker, none, steal with either (X7, X8)",
        ),
        Block("discard", (NUM_KINDS,), "`discard:...` by kind (X4.1)"),
    ]
)
NUM_ACTIONS = ACTIONS.size
DECLARE = ACTIONS.offset("declare")
DRAW_DECK = ACTIONS.offset("draw")
DRAW_FIRE = DRAW_DECK + 1
MELD = ACTIONS.offset("meld")
OPEN = ACTIONS.offset("open")
FORMATION = ACTIONS.offset("formation")
SLOT = ACTIONS.offset("slot")
DISCARD = ACTIONS.offset("discard")

MAX_LEGAL = 448
"""Bound of the number of legal actions; a test derives it from the meld table."""
