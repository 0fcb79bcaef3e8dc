"""What a seat sees, as a JSON object: the scene, and everything public that it can remember.

Whatever is in here the seat may know: its own cards, the table, and what happened in front of all
eyes this round. `schema` describes every field.
"""

from __future__ import annotations

from typing import Any

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS, partner_of
from xabitha_env.protocol import Engine
from xabitha_env.stdio import xabitha, xeri

_GAMES: dict[str, Any] = {"xabitha": xabitha, "xeri": xeri}


def observe(engine: Engine, index: int, seat: int) -> dict[str, Any]:
    """Return what a seat sees of one game, to act or not, as data that JSON can hold.

    Args:
        engine: the games.
        index: which of them.
        seat: whose view it is.

    Raises:
        ValueError: there is no such seat; IndexError: no such game.
    """
    if not 0 <= seat < NUM_SEATS:
        raise ValueError(f"no seat {seat}; there are 0 to {NUM_SEATS - 1}")
    scene, game = engine.scene(index, seat), engine.games[index]
    return {
        "game": engine.game,
        "seat": seat,
        "team": seat % NUM_TEAMS,
        "partner": partner_of(seat),
        "actor": scene.actor,
        "over": scene.actor is None,
        "hand": list(scene.seats[seat].hand.cards),
        **_GAMES[engine.game].describe(scene, game, seat),
        "last_round": last_round(engine, index),
        "rules": engine.rules.to_dict(),
    }


def last_round(engine: Engine, index: int) -> dict[str, Any] | None:
    """Return how the last finished round of the match ended; None in the first."""
    if not engine.rounds_played[index]:
        return None
    shown: dict[str, Any] = _GAMES[engine.game].shown_after(engine.games[index])
    return {**engine.round_result(index), **shown}
