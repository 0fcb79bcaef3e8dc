"""The reference engines of the tests as a third party's engine: over pipes, or from tasks.

``python reference_engine.py`` answers in lines of JSON; ``python reference_engine.py TASKS OUT``
writes records. A third word ``BUG`` after either makes one mistake: it forgets a legal move.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.reference import xabitha, xeri


class Match:
    """A match of either game, told deal by deal."""

    def __init__(self, game: str, rules: dict[str, Any], bug: bool = False) -> None:
        self.game, self.rules, self.bug = game, rules, bug
        self.score = xeri.Score(rules)
        self.totals, self.rounds = [0, 0], 0
        self.first: int | None = None
        self.round: Any = None

    def deal(self, head: dict[str, Any]) -> dict[str, Any]:
        """Begin a round; returns the position."""
        deal = head["deal"]
        if self.game == "xeri":
            dealer = head.get("dealer", self.first)
            self.first = (dealer + 1) % 4
            cards = deal["hands"], deal["pile"], deal["stock"], head.get("bottom_card")
            self.round = xeri.Round(self.rules, dealer, *cards)
        else:
            starter = head.get("starter", self.first)
            self.first = starter
            self.round = xabitha.Round(self.rules, starter, deal["hands"], deal["deck"])
        return self.position()

    def position(self) -> dict[str, Any]:
        legal = self.round.legal()
        if self.bug and len(legal) > 3:
            self.bug, legal = False, legal[:-1]
        return {"seat": self.round.seat, "legal": legal}

    def move(self, move: str, reshuffled: list[str] | None = None) -> dict[str, Any]:
        """Make a move; returns what follows from it, and the position or the results."""
        event = self.round.play(*((move,) if reshuffled is None else (move, reshuffled)))
        answer = {name: value for name, value in event.items() if name not in ("seat", "move")}
        if not self.round.over:
            return answer | self.position()
        answer["result"] = self.round.result
        if (result := self.finish()) is not None:
            answer["match_result"] = result
        return answer

    def finish(self) -> dict[str, Any] | None:
        result = self.round.result
        if self.game == "xeri":
            self.score.add(result)
            return self.score.result()
        self.rounds += 1
        if result["winner"] is not None:
            self.first = result["winner"]
        for seat in range(4):
            self.totals[seat % 2] += result["penalties"][seat]
        if self.rounds < self.rules["num_rounds"]:
            return None
        winners = [team for team in (0, 1) if self.totals[team] == min(self.totals)]
        return {"totals": self.totals, "winners": winners}


def record_of(task: dict[str, Any], bug: bool) -> dict[str, Any]:
    """Return a task as a whole record."""
    match = Match(task["game"], task["rules"], bug)
    rounds, result = [], None
    for given in task["rounds"]:
        position = match.deal(given)
        first = {"dealer": match.round.dealer} if task["game"] == "xeri" else {
            "starter": match.round.starter}  # fmt: skip
        events = []
        for event in given["events"]:
            answer = match.move(event["move"], event.get("reshuffled"))
            follows = {
                name: answer[name]
                for name in ("drawn", "undo", "captured", "xeri")
                if name in answer
            }
            events.append({**position, **event, **follows})
            position = {name: answer[name] for name in ("seat", "legal") if name in answer}
        result = answer.get("match_result")
        rounds.append({**given, **first, "events": events, "result": answer["result"]})
    return {**task, "rounds": rounds, "result": result}


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "BUG"]
    bug = "BUG" in sys.argv
    if words:
        source, target = map(Path, words)
        tasks = [json.loads(line) for line in source.read_text().splitlines()]
        lines = [json.dumps(record_of(task, bug)) for task in tasks]
        target.write_text("\n".join(lines) + "\n")
        return
    match: Any = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "match":
            match = Match(message["game"], message["rules"], bug)
        elif kind == "round":
            print(json.dumps(match.deal(message)), flush=True)
        elif kind == "move":
            print(json.dumps(match.move(message["move"], message.get("reshuffled"))), flush=True)


if __name__ == "__main__":
    main()
