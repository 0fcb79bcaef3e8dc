"""What a seat sees of a table of Xeri, as a JSON object."""

from __future__ import annotations

from typing import Any

from xabitha_env.cards import NUM_KINDS, NUM_SEATS, NUM_TEAMS, card_text
from xabitha_env.scene import Scene
from xabitha_env.xeri.state import JACK_XERI, NO_KIND, NO_SEAT, NO_TARGET


def describe(scene: Scene, game: Any, seat: int) -> dict[str, Any]:
    """Return the fields that only Xeri has.

    Args:
        scene: what the seat sees.
        game: the game's record, of which only what all saw is read.
        seat: whose view it is.
    """
    pile, stock, *_ = scene.piles
    bottom, last = int(game["bottom_card"]), int(game["last_capturer"])
    return {
        "round": {
            "number": int(game["rounds"]) + (scene.actor is not None),
            "of": int(game["num_rounds"]) if game["target_score"] == NO_TARGET else None,
            "target": _target(game),
            "dealer": int(game["dealer"]),
            "plays": int(game["plays"]),
        },
        "totals": game["totals"].tolist(),
        "round_wins": game["round_wins"].tolist(),
        "seats": [
            {
                "seat": other,
                "cards": scene.seats[other].hand.count,
                "played": _texts(game["played"][other]),
            }
            for other in range(NUM_SEATS)
        ],
        "teams": [_team(game, team) for team in range(NUM_TEAMS)],
        "pile": list(pile.cards),
        "stock": {
            "cards": stock.count,
            "bottom_card": None if bottom == NO_KIND else card_text(bottom),
        },
        "last_capturer": None if last == NO_SEAT else last,
    }


def shown_after(game: Any) -> dict[str, Any]:
    """Return what is shown when a round is over, beside its result: nothing more."""
    return {}


def _target(game: Any) -> int | None:
    """Return the points that end the game as it stands (R5.2)."""
    if game["target_score"] == NO_TARGET:
        return None
    return int(game["extended_target_score" if game["extended"] else "target_score"])


def _team(game: Any, team: int) -> dict[str, Any]:
    """Return what a team has captured, as all saw it lie in the pile (R3.3)."""
    xeris = game["xeris"][team, : int(game["xeri_count"][team])].tolist()
    names = ["jack_xeri_points" if xeri == JACK_XERI else "xeri_points" for xeri in xeris]
    return {
        "team": team,
        "captured": _texts(game["captured"][team]),
        "xeris": [int(game[name]) for name in names],
    }


def _texts(mask: Any) -> list[str]:
    return [card_text(kind) for kind in range(NUM_KINDS) if int(mask) >> kind & 1]
