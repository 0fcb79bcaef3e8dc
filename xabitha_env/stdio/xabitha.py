"""What a seat sees of a table of Xabitha, as a JSON object."""

from __future__ import annotations

from typing import Any

from xabitha_env.cards import NUM_KINDS, NUM_SEATS, card_text
from xabitha_env.scene import Group, Scene
from xabitha_env.xabitha.melds import RUN
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, NO_KIND, PLAYING

PHASES = {DECLARING: "declaring", DRAWING: "drawing", PLAYING: "playing", FORMED: "formation"}
"""What the seat to act decides next: its answer, a draw, moves and a discard, the last discard."""


def describe(scene: Scene, game: Any, seat: int) -> dict[str, Any]:
    """Return the fields that only Xabitha has.

    Args:
        scene: what the seat sees.
        game: the game's record, of which only what all saw is read.
        seat: whose view it is.
    """
    deck, _ = scene.piles
    taken = int(game["taken"])
    return {
        "staged": [list(meld.cards) for meld in scene.seats[seat].staged],
        "declared": bool(scene.seats[seat].secret),
        "round": {
            "number": _round_number(game),
            "of": int(game["num_rounds"]),
            "starter": int(game["starter"]),
            "turn": int(game["turn"]),
            "phase": PHASES[int(game["phase"])],
            "taken": None if taken == NO_KIND else card_text(taken),
            "fire_locked": bool(game["fire_locked"]),
        },
        "totals": game["totals"].tolist(),
        "seats": [_seat(scene, game, other) for other in range(NUM_SEATS)],
        "melds": [_meld(group, game) for group in scene.melds],
        "deck": {
            "cards": deck.count,
            "reshuffles": int(game["reshuffles"]),
            "made_of": _deck_cards(game),
        },
        "fire": [card_text(kind) for kind in game["fire"][: int(game["fire_count"])].tolist()],
    }


def shown_after(game: Any) -> dict[str, Any]:
    """Return what is shown when a round is over, beside its result (X3.3)."""
    return {"declared": [bool(one) for one in game["last_declared"].tolist()]}


def _round_number(game: Any) -> int:
    return min(int(game["rounds"]) + 1, int(game["num_rounds"]))


def _seat(scene: Scene, game: Any, seat: int) -> dict[str, Any]:
    shown = scene.seats[seat]
    return {
        "seat": seat,
        "cards": shown.hand.count + sum(meld.count for meld in shown.staged),  # X6.4
        "opened": bool(game["opened"][seat]),
        "threshold": int(game["threshold"][seat]),
        "discarded": _texts(game["discarded"][seat]),
        "took": _texts(game["took"][seat]),
        "laid": _texts(game["laid"][seat]),
        "known": _texts(game["known_one"][seat], game["known_two"][seat]),
    }


def _meld(group: Group, game: Any) -> dict[str, Any]:
    number = int(group.name.removeprefix("meld "))
    kind = "run" if game["slot_type"][number] == RUN else "set"
    return {"number": number, "type": kind, "cards": list(group.cards)}


def _deck_cards(game: Any) -> list[str] | None:
    """Return the cards of which the deck was last made anew, as all had seen them (X10.1)."""
    if not game["reshuffles"]:
        return None
    return _texts(game["reshuffled_one"], game["reshuffled_two"])


def _texts(*masks: Any) -> list[str]:
    """Return the cards of one mask, or of two that count copies."""
    bits = [int(mask) for mask in masks]
    return [card_text(kind) for kind in range(NUM_KINDS) for mask in bits if mask >> kind & 1]
