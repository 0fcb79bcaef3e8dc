"""What happened at the table, line by line, for one seat: only what that seat may know.

It is told from a match's record, which holds everything, so a match that is continued has the
same story as one that was never interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xabitha_env.cards import NUM_TEAMS
from xabitha_env.replay.words import Voice
from xabitha_env.terminal.moves import verb_of

_ENDINGS = {"normal": ("go", "out"), "xabitha": ("win", "by a formation")}


class Teller:
    """Tells a match as it goes on, as one seat sees it.

    Melds that are staged are told when they are committed (X6.4), what others draw from the deck
    and how they declare is not told at all (X3.3, X4.1).

    Args:
        seat: for whom; None is told everything.
    """

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self.voice = Voice(seat, str)
        self._down: set[int] = set()
        self._staged: list[str] = []

    def team(self, team: int) -> str:
        """Return how a team is called."""
        if self.seat is None:
            return f"team {team}"
        return "your team" if self.seat % NUM_TEAMS == team else "the other team"

    def begin(self, entry: Mapping[str, Any], number: int) -> list[str]:
        """Tell that a round begins.

        Args:
            entry: its record.
            number: from 1.
        """
        self._down.clear()
        self._staged.clear()
        if "starter" in entry:
            return [f"--- round {number}: {self._inside(entry['starter'], 'start')}"]
        lines = [f"--- round {number}: {self._inside(entry['dealer'], 'deal')}"]
        if "bottom_card" in entry:
            lines.append(f"The bottom card is {entry['bottom_card']}.")
        return lines

    def event(self, event: Mapping[str, Any]) -> list[str]:
        """Tell an event; some are told later, or not at all."""
        seat, verb = event["seat"], verb_of(event["move"])
        if verb == "meld" and seat not in self._down:
            self._staged.append(event["move"].partition(":")[2].replace("-", " "))
            return []
        staged = tuple(self._staged)
        if verb in ("open", "formation"):
            self._down.add(seat)
            self._staged.clear()
        seen = self.seat is None or seat == self.seat
        return [self.voice.tell(event, staged, seen) + "."]

    def result(self, game: str, result: Mapping[str, Any]) -> list[str]:
        """Tell how a round ended."""
        if game == "xeri":
            first, second = result["points"]
            cards, xeris = result["cards"], [len(made) for made in result["xeris"]]
            winner = result["winner"]
            won = "nobody wins" if winner is None else f"{self.team(winner)} wins"
            return [
                f"The round is over: {won}.",
                f"Points {first} : {second}, cards {cards[0]} : {cards[1]}, "
                f"xeris {xeris[0]} : {xeris[1]}.",
            ]
        if result["winner"] is None:
            return ["The round is cancelled: nobody scores."]
        ending = self.voice.says(result["winner"], *_ENDINGS[result["reason"]])
        paid = ", ".join(
            f"{_lower(self.voice.who(seat))} {points}"
            for seat, points in enumerate(result["penalties"])
        )
        return [f"{ending}.", f"Penalties: {paid}."]

    def _inside(self, seat: int, verb: str) -> str:
        """Return what a seat does, within a sentence."""
        return _lower(self.voice.says(seat, verb))


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def tell_record(record: Mapping[str, Any], seat: int | None) -> tuple[Teller, list[str]]:
    """Return a teller that has told a match so far, and what it said."""
    teller = Teller(seat)
    lines: list[str] = []
    for number, entry in enumerate(record["rounds"], 1):
        lines += teller.begin(entry, number)
        for event in entry["events"]:
            lines += teller.event(event)
        if entry["result"] is not None:
            lines += teller.result(record["game"], entry["result"])
    return teller, lines


def tell_match_result(
    record: Mapping[str, Any], teller: Teller, scores: Sequence[tuple[str, int, int]]
) -> list[str]:
    """Return how a match stands, or ended, in a few lines."""
    lines = [f"Team 0 : team 1 - {name} {first} : {second}." for name, first, second in scores]
    result = record["result"]
    if result is not None:
        if len(result["winners"]) == 1:
            name = teller.team(result["winners"][0])
            lines.insert(0, f"{name[0].upper()}{name[1:]} wins the match.")
        else:
            lines.insert(0, "Both teams share the match.")
    return lines
