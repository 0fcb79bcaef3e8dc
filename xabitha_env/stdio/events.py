"""What a seat sees happen at the table, as messages: nothing that only others know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xabitha_env.protocol import Engine
from xabitha_env.stdio.observation import last_round


class Sight:
    """The events of one game as one seat sees them.

    What others draw from the deck and how they answer is not told (X3.3, X4.1), and melds that they
    stage are told when they are down (X6.4).

    Args:
        seat: who sees.
        game: the number of the game, for the messages.
    """

    def __init__(self, seat: int, game: int = 0) -> None:
        self.seat, self.game = seat, game
        self._number = 0
        self._down: set[int] = set()
        self._staged: list[list[str]] = []

    def begin(self, entry: Mapping[str, Any], number: int) -> dict[str, Any]:
        """Return what is seen of a new round.

        Args:
            entry: the head of its record.
            number: from 1.
        """
        self._number = number
        self._down.clear()
        self._staged.clear()
        seen = {name: entry[name] for name in ("starter", "dealer", "bottom_card") if name in entry}
        deal = entry["deal"]
        if "pile" in deal:
            seen["pile"] = list(deal["pile"])
        return self._message("round", **seen, hand=list(deal["hands"][self.seat]))

    def event(
        self, event: Mapping[str, Any], melds: Sequence[Sequence[str]]
    ) -> dict[str, Any] | None:
        """Return what is seen of an event; None for nothing.

        Args:
            event: its record.
            melds: the cards of all melds on the table after it.
        """
        seat, move = event["seat"], event["move"]
        verb, _, rest = move.partition(":")
        own = seat == self.seat
        seen = {name: event[name] for name in ("undo", "captured", "xeri") if name in event}
        if verb == "meld" and seat not in self._down:
            self._staged.append(rest.split("-"))
            return self._message("event", seat=seat, move=move) if own else None
        if verb == "open":
            seen["melds"] = list(self._staged)
        elif verb == "formation":
            seen["melds"] = [list(cards) for cards in melds[-2:]]
        if verb in ("open", "formation"):
            self._down.add(seat)
            self._staged.clear()
        if verb == "declare" and not own:
            move = verb
        if "reshuffled" in event:
            seen["reshuffled"] = True
        if "drawn" in event and (own or move == "draw:fire"):
            seen["drawn"] = event["drawn"]
        return self._message("event", seat=seat, move=move, **seen)

    def _message(self, kind: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "game": self.game, "number": self._number, **more}


def round_result(engine: Engine, game: int) -> dict[str, Any]:
    """Return the message that tells how the last round ended."""
    return {
        "type": "result",
        "of": "round",
        "game": game,
        "number": int(engine.rounds_played[game]),
        "result": last_round(engine, game),
    }


def match_result(engine: Engine, game: int) -> dict[str, Any]:
    """Return the message that tells how a match ended."""
    return {"type": "result", "of": "match", "game": game, "result": engine.match_result(game)}
