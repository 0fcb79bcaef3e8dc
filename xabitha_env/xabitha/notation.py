"""Moves as text and back, for one game's table (X12)."""

from __future__ import annotations

import re
from typing import Any

from numpy.typing import NDArray

from xabitha_env._jit import records
from xabitha_env.cards import JOKER, card_text, parse_card
from xabitha_env.xabitha import batch
from xabitha_env.xabitha.actions import (
    ACTIONS,
    ADD_HIGH,
    ADD_LOW,
    DECLARE,
    DISCARD,
    DRAW_DECK,
    DRAW_FIRE,
    FORMATION,
    JOKER_HIGH,
    JOKER_LOW,
    MELD,
    NUM_ACTIONS,
    NUM_SLOTS,
    OPEN,
    SLOT,
    SLOT_ACTIONS,
    STEAL_FIRST,
    STEAL_SECOND,
)
from xabitha_env.xabitha.melds import MELDS, ROW_OF, RUN

FIXED = {
    "declare:no": DECLARE,
    "declare:yes": DECLARE + 1,
    "draw:deck": DRAW_DECK,
    "draw:fire": DRAW_FIRE,
    "open": OPEN,
    "formation": FORMATION,
}
_FIXED_TEXT = {action: text for text, action in FIXED.items()}
_END = {ADD_LOW: "low", JOKER_LOW: "low", ADD_HIGH: "high", JOKER_HIGH: "high"}
_ON_SLOT = re.compile(r"(add|steal):([0-9A-Z]{2})@(0|[1-9][0-9]?)(?::(low|high))?")


def slot_parts(action: int) -> tuple[int, int]:
    """Return the slot and what is done to its meld, of an action in the block ``slot``."""
    return divmod(action - SLOT, SLOT_ACTIONS)


def move_text(games: NDArray[Any], index: int, action: int) -> str:
    """Return an action's text form; of one on a meld that cannot be, a description."""
    if action in _FIXED_TEXT:
        return _FIXED_TEXT[action]
    if not 0 <= action < NUM_ACTIONS:
        return f"action {action}"
    if action >= DISCARD:
        return f"discard:{card_text(action - DISCARD)}"
    if action < OPEN:
        return f"meld:{MELDS[action - MELD].text()}"
    slot, what = slot_parts(action)
    kind = batch.slot_kind(records(games), index, slot, what)
    verb = "steal" if what in (STEAL_FIRST, STEAL_SECOND) else "add"
    if kind < 0:
        return f"{verb}@{slot} (no. {what} of {ACTIONS['slot'].name} {slot})"
    end = f":{_END[what]}" if verb == "add" and games["slot_type"][index, slot] == RUN else ""
    return f"{verb}:{card_text(kind)}@{slot}{end}"


def parse_move(games: NDArray[Any], index: int, text: str) -> int:
    """Return the action that a text form names; the inverse of `move_text`.

    Raises:
        ValueError: no move is written like this, or its meld is not on the table.
    """
    if text in FIXED:
        return FIXED[text]
    head, _, rest = text.partition(":")
    if head == "discard":
        return DISCARD + parse_card(rest)
    if head == "meld":
        if rest not in ROW_OF:
            raise ValueError(f"{text!r} names no meld that can be laid from a hand (X5)")
        return MELD + ROW_OF[rest]
    match = _ON_SLOT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no move (X12)")
    return _parse_slot(games, index, text, match)


def _parse_slot(games: NDArray[Any], index: int, text: str, match: re.Match[str]) -> int:
    kind, slot = parse_card(match[2]), int(match[3])
    if slot >= NUM_SLOTS or slot >= games["num_melds"][index]:
        raise ValueError(f"{text!r}: there is no meld {slot} on the table (X12)")
    steal = match[1] == "steal"
    run = games["slot_type"][index, slot] == RUN
    if (match[4] is not None) != (run and not steal):
        raise ValueError(f"{text!r}: only adding to a run names its end, low or high (X12)")
    for what in range(SLOT_ACTIONS):
        if (what in (STEAL_FIRST, STEAL_SECOND)) != steal:
            continue
        if match[4] is not None and _END[what] != match[4]:
            continue
        if batch.slot_kind(records(games), index, slot, what) == kind:
            return SLOT + slot * SLOT_ACTIONS + what
    named = "the joker" if kind == JOKER else card_text(kind)
    raise ValueError(f"{text!r}: meld {slot} has no place for {named} (X7, X8)")
