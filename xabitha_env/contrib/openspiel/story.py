"""What everyone at a table knows of a match, in order: one line for each deal, move and result.

Together with a seat's own cards it is what the seat knows. Answers to the declaration (X3.3), cards
drawn from the deck and melds that are staged (X6.4) are not in it.
"""

from __future__ import annotations

import json
from typing import Any

from numpy.typing import NDArray

from xabitha_env.protocol import Engine

STAGED = "meld"
"""The block of actions, and the verb, that stages a meld before the opening."""


def deal_line(engine: Engine) -> str:
    """Return what all see of a round's deal; valid before its first decision."""
    head = engine.deal_record()
    seen = {name: value for name, value in head.items() if name != "deal"}
    if "pile" in head["deal"]:
        seen["pile"] = head["deal"]["pile"]
    return json.dumps({"round": int(engine.rounds_played[0]) + 1, **seen})


def move_line(engine: Engine, before: NDArray[Any], action: int, text: str) -> str:
    """Return what all see of a move just made; empty if that is nothing.

    Args:
        engine: after the move.
        before: `get_state` ahead of it.
        action: the move.
        text: its text form then.
    """
    seat = int(before["seat"][0])
    verb = text.partition(":")[0]
    if verb == "declare":
        text = verb
    elif verb == STAGED and not before["opened"][0, seat]:
        return ""
    elif verb == "open":
        first = engine.actions.offset(STAGED)
        rows = before["staged_rows"][0, : int(before["staged"][0])].tolist()
        text = " ".join([verb, *(engine.text(first + row) for row in rows)])
    elif verb == "formation":
        laid = engine.scene().melds[-2:]  # a run and a set (X9.1)
        text = " ".join([verb, *("-".join(meld.cards) for meld in laid)])
    return f"{seat} {text}"


def result_line(engine: Engine) -> str:
    """Return how the round that has just ended did so, declarations included (X3.3)."""
    result = engine.round_result()
    if "last_declared" in (engine.games.dtype.names or ()):
        result["declared"] = engine.games["last_declared"][0].tolist()
    return json.dumps(result)


def view(state: Any, seat: int) -> str:
    """Return the table of a `TableState` as a seat sees it now."""
    return str(state) if state.engine is None else str(state.engine.render(0, seat))


def knowledge(state: Any, seat: int) -> str:
    """Return all that a seat knows: the story, its own cards and its own secrets."""
    if state.engine is None:
        return str(state)
    own = state.engine.scene(0, seat).seats[seat]
    staged = ["staged", *("-".join(meld.cards) for meld in own.staged)] if own.staged else []
    words = [f"seat {seat}:", *own.hand.cards, *staged, *filter(None, [own.secret])]
    return "\n".join([*state.story, " ".join(words)])
