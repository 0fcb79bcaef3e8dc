"""No card is lost, and what is cached is what it stands for, along biased play."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.xabitha.hidden import cards_of, held, known_of
from tests.xabitha.walks import SEATS, walks
from xabitha_env.xabitha.melds import MELDS, PACK
from xabitha_env.xabitha.state import (
    DECLARING,
    FORMED,
    PLAYING,
)
from xabitha_env.xabitha.validate import table_cards


def all_cards(game: Any) -> Counter[int]:
    """Where the 106 cards are: hands (with what is staged), deck, fire pile, table."""
    cards = sum((cards_of(game, seat) for seat in SEATS), Counter())
    cards.update(game["deck"][: int(game["deck_count"])].tolist())
    cards.update(game["fire"][: int(game["fire_count"])].tolist())
    for slot in range(int(game["num_melds"])):
        if game["slot_type"][slot]:
            cards.update(table_cards(game, slot))
    return cards


def check_caches(game: Any) -> None:
    """X1.1; each cached number and mask is what it stands for."""
    assert all_cards(game) == dict(enumerate(PACK))
    for seat in SEATS:
        hand = held(int(game["hand_one"][seat]), int(game["hand_two"][seat]))
        assert game["hand_count"][seat] == hand.total()
        assert not game["hand_two"][seat] & ~game["hand_one"][seat]
        assert known_of(game, seat) <= cards_of(game, seat)
        assert not (game["opened"][seat] and game["declared"][seat])
    fire = Counter(game["fire"][: int(game["fire_count"])].tolist())
    assert held(int(game["fire_one"]), int(game["fire_two"])) == fire


def test_no_card_is_lost() -> None:
    """X1.1 at every decision of matches of biased cards and random rules."""
    seen: Counter[str] = Counter()
    for engine, move in walks(range(24)):
        check_caches(engine.games[0])
        assert engine.games["num_melds"][0] <= 16
        seen[move.partition(":")[0]] += 1
    assert all(seen[name] for name in ("open", "steal", "add", "formation")), seen


def test_hands_have_the_right_sizes() -> None:
    """X3.1, X4.1: 14 between turns and 15 within, less what is on the table."""
    for engine, move in walks(range(0, 12)):
        game = engine.games[0]
        seat, phase = int(game["seat"]), int(game["phase"])
        if phase == DECLARING:
            sizes = [int(count) for count in game["hand_count"]]
            assert sizes == [15 if other == game["starter"] else 14 for other in SEATS]
            laid = [0] * 4
        elif phase == FORMED:
            assert game["hand_count"][seat] == 1
        else:
            own = cards_of(game, seat).total() + laid[seat]
            assert own == (15 if phase == PLAYING else 14)
        if move == "open":
            rows = game["staged_rows"][: int(game["staged"])].tolist()
            laid[seat] += sum(len(MELDS[row].cards) for row in rows)
        elif move.startswith("meld") and game["opened"][seat]:
            laid[seat] += move.count("-") + 1
        laid[seat] += move.startswith("add")
