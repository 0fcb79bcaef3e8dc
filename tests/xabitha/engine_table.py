"""The compiled engine behind the interface of the rule tests."""

from __future__ import annotations

from typing import Any

from tests.xabitha.table import CHECKERS, IMPLEMENTATIONS, Event, Rules
from xabitha_env.cards import card_text
from xabitha_env.games import make_engine, make_rules
from xabitha_env.record import verify_record
from xabitha_env.xabitha.melds import MELDS
from xabitha_env.xabitha.validate import hand_kinds, table_cards


class EngineTable:
    """One round of a match that could go on: `num_rounds` leaves room for another."""

    def __init__(self, rules: Rules, starter: int, hands: list[list[str]], deck: list[str]) -> None:
        deal = {"starter": starter, "hands": hands, "deck": deck}
        own = {**rules, "num_rounds": 1}
        self.engine = make_engine("xabitha", 1, rules=make_rules("xabitha", own))
        self.engine.reset(seed=0, deals=[deal])

    @property
    def game(self) -> Any:
        return self.engine.games[0]

    @property
    def seat(self) -> int:
        return int(self.engine.seats[0])

    @property
    def over(self) -> bool:
        return bool(self.engine.over[0])

    @property
    def result(self) -> dict[str, Any] | None:
        return self.engine.round_result() if self.over else None

    @property
    def thresholds(self) -> list[int]:
        return self.game["threshold"].tolist()

    @property
    def opened(self) -> list[bool]:
        return self.game["opened"].astype(bool).tolist()

    @property
    def fire_top(self) -> str | None:
        count = int(self.game["fire_count"])
        return card_text(int(self.game["fire"][count - 1])) if count else None

    @property
    def deck_size(self) -> int:
        return int(self.game["deck_count"])

    def legal(self) -> list[str]:
        return self.engine.legal_texts()

    def play(self, move: str) -> Event:
        before = self.engine.get_state()
        action = self.engine.parse(move)
        if self.engine.step([action])[0]:
            before["reward"] = 0  # of a step that was refused
            assert (self.engine.get_state() == before).all()
            refusal = self.engine.refusal(action)
            assert refusal is not None
            raise ValueError(refusal.message)
        return self.engine.event_record(before, action)

    def hand(self, seat: int) -> list[str]:
        kinds = hand_kinds(self.game, seat)
        if seat == self.seat:
            for row in self.game["staged_rows"][: int(self.game["staged"])].tolist():
                kinds += MELDS[row].cards
        return sorted(map(card_text, kinds))

    def meld(self, number: int) -> list[str] | None:
        if self.game["slot_type"][number] == 0:
            return None
        return [card_text(kind) for kind in table_cards(self.game, number)]


def check_with_engine(record: dict[str, Any]) -> str | None:
    """Verify a record as the command does; the first difference as text, or None."""
    difference = verify_record(record)
    return None if difference is None else str(difference)


IMPLEMENTATIONS["engine"] = EngineTable
CHECKERS["engine"] = check_with_engine
