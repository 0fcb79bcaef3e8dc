"""The compiled engine behind the interface of the rule tests."""

from __future__ import annotations

from typing import Any

from tests.xeri.table import CHECKERS, IMPLEMENTATIONS, Event, Rules
from xabitha_env.cards import card_text
from xabitha_env.games import make_engine, make_rules
from xabitha_env.record import FieldError, verify_record
from xabitha_env.xeri.validate import hand_kinds


class EngineTable:
    """One round: a game without a target that is over with it (R5.1)."""

    def __init__(
        self,
        rules: Rules,
        dealer: int,
        hands: list[list[str]],
        pile: list[str],
        stock: list[str],
        bottom_card: str | None = None,
    ) -> None:
        deal: dict[str, Any] = {"dealer": dealer, "hands": hands, "pile": pile, "stock": stock}
        if bottom_card is not None:
            deal["bottom_card"] = bottom_card
        own = {**rules, "num_rounds": 1, "target_score": None}
        self.engine: Any = make_engine("xeri", 1, rules=make_rules("xeri", own))
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
    def pile(self) -> list[str]:
        return [card_text(kind) for kind in self.game["pile"][: int(self.game["pile_count"])]]

    @property
    def stock_size(self) -> int:
        return int(self.game["stock_count"])

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
        return sorted(map(card_text, hand_kinds(self.game, seat)))


def check_with_engine(record: dict[str, Any]) -> str | None:
    """Verify a record as the command does; what is wrong or differs first as text, or None."""
    try:
        difference = verify_record(record)
    except FieldError as error:
        return str(error)
    return None if difference is None else str(difference)


IMPLEMENTATIONS["engine"] = EngineTable
CHECKERS["engine"] = check_with_engine
