"""Why an action is illegal: the rule and a sentence, for errors and infos (X4.6)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from xabitha_env._jit import records
from xabitha_env.cards import JOKER, card_text
from xabitha_env.xabitha import batch
from xabitha_env.xabitha.actions import (
    DISCARD,
    DRAW_DECK,
    FORMATION,
    MELD,
    NUM_ACTIONS,
    OPEN,
    SLOT_ACTIONS,
    STEAL_FIRST,
)
from xabitha_env.xabitha.melds import LARGEST_SET, MELDS, SET
from xabitha_env.xabitha.notation import slot_parts
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED

Reason = tuple[str, str]
_WAITS_FOR = {
    DECLARING: ("X3.2", "the seat has to answer whether it plays in Xabitha mode"),
    DRAWING: ("X4.1", "the turn begins with a draw"),
    FORMED: ("X9.2", "after the formation only the last card can be discarded"),
}


def reason(games: NDArray[Any], index: int, action: int) -> Reason:
    """Return the rule that forbids an illegal action and what is wrong, without the move's text."""
    game = games[index]
    if game["over"]:
        return "X2.2", "the match is over"
    if not 0 <= action < NUM_ACTIONS:
        return "X12", f"actions are numbered 0 to {NUM_ACTIONS - 1}"
    if action < DRAW_DECK:
        return "X3.2", "mode is declared once, before the first card is played"
    if action < MELD:
        return _no_draw(game)
    if game["phase"] in _WAITS_FOR:
        return _WAITS_FOR[int(game["phase"])]
    if action >= DISCARD:
        if game["staged"] > 0:
            return "X6.4", "while melds are staged only further melds and the commit are legal"
        return "X4.1", f"{card_text(action - DISCARD)} is not in hand"
    return _no_table_action(games, index, action)


def _no_draw(game: Any) -> Reason:
    if game["phase"] != DRAWING:
        return "X4.1", "a card is drawn only at the beginning of a turn"
    if game["fire_locked"]:
        return "X4.4", "after an undo the fire pile cannot be taken again this turn"
    return "X4.3", "the fire pile is empty"


def _no_table_action(games: NDArray[Any], index: int, action: int) -> Reason:
    game = games[index]
    if game["turn"] <= 1:
        return "X4.2", "the starter's first turn is only a discard"
    declared = bool(game["declared"][game["seat"]])
    if action == FORMATION:
        if not declared:
            return "X9.2", "only a player in Xabitha mode lays a formation"
        return "X9.1", "the hand has no formation that keeps a card to discard"
    if declared:
        return "X9.1", "a player in Xabitha mode cannot open, add or steal"
    if action == OPEN:
        return _no_commit(game)
    if action < OPEN:
        return _no_meld(game, action - MELD)
    return _no_slot_action(games, index, action)


def _no_commit(game: Any) -> Reason:
    if game["opened"][game["seat"]]:
        return "X6.1", "the player is down already"
    if game["staged"] == 0:
        return "X6.4", "no meld is staged"
    threshold = int(game["threshold"][game["seat"]])
    needs = " with a run" if game["opening_needs_run"] else ""
    return "X6.1", f"the staged melds do not make {threshold} points{needs}"


def _no_meld(game: Any, row: int) -> Reason:
    seat, meld = game["seat"], MELDS[row]
    one, two = int(game["hand_one"][seat]), int(game["hand_two"][seat])
    jokers = (one >> JOKER & 1) + (two >> JOKER & 1)
    missing = [card_text(k) for k in meld.cards if k != JOKER and not one >> k & 1]
    missing += ["JK"] * max(0, meld.jokers - jokers)
    if missing:
        return "X4.6", f"not in hand: {', '.join(missing)}"
    if game["opened"][seat]:
        return "X4.5", "no card would be left whose discard ends the turn"
    threshold = int(game["threshold"][seat])
    needs = " with a run" if game["opening_needs_run"] else ""
    return "X6.4", f"no further melds of the hand make {threshold} points{needs} and keep a discard"


def _no_slot_action(games: NDArray[Any], index: int, action: int) -> Reason:
    game = games[index]
    slot, what = slot_parts(action)
    if not game["opened"][game["seat"]]:
        return "X6.5", "only a player who is down adds to melds or steals"
    kind = batch.slot_kind(records(games), index, slot, what)
    if kind < 0:
        return _no_place(game, slot, what)
    if not int(game["hand_one"][game["seat"]]) >> kind & 1:
        return "X4.6", f"{card_text(kind)} is not in hand"
    return "X4.5", "no card would be left whose discard ends the turn"


def _no_place(game: Any, slot: int, what: int) -> Reason:
    if slot >= game["num_melds"] or game["slot_type"][slot] == 0:
        return "X12", f"there is no meld {slot} on the table"
    jokers = int(game["slot_jokers"][slot]).bit_count()
    cards = int(game["slot_suits"][slot]).bit_count() + jokers
    if game["slot_type"][slot] == SET and cards == LARGEST_SET:
        return (
            ("X8.2", "a joker in a set of four stays")
            if what >= STEAL_FIRST
            else ("X7.1", "a set of four takes nothing more")
        )
    if STEAL_FIRST <= what < SLOT_ACTIONS:
        return "X8.1", f"meld {slot} has no such joker"
    return "X7.1", f"meld {slot} cannot grow there"
