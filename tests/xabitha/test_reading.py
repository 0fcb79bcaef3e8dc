"""What a seat can read from the table, counted anew in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.reference.xabitha import ALL_CARDS
from tests.xabitha.hidden import cards_of
from tests.xabitha.kernels import from_python, mask_cards, record
from tests.xabitha.walks import SEATS, Step, engine_for, starts_round, walks
from xabitha_env.cards import JOKER, card_text
from xabitha_env.xabitha import reading
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.melds import MELDS, RUN, SET
from xabitha_env.xabitha.validate import table_cards

_table_cards = from_python(reading.table_cards)
_seen_cards = from_python(reading.seen_cards)
_unseen_cards = from_python(reading.unseen_cards)
_staged_masks = from_python(reading.staged_masks)
_hidden_count = from_python(reading.hidden_count)

Cards = Counter[str]


def named(kinds: Any) -> Cards:
    return Counter(card_text(int(kind)) for kind in kinds)


def on_table(game: Any) -> Cards:
    """The cards of all melds that lie on the table."""
    cards: Cards = Counter()
    for slot in range(int(game["num_melds"])):
        if game["slot_type"][slot]:
            cards += named(table_cards(game, slot))
    return cards


def staged(game: Any) -> Cards:
    rows = game["staged_rows"][: int(game["staged"])].tolist()
    return named(kind for row in rows for kind in MELDS[row].cards)


def fire(game: Any) -> Cards:
    return named(game["fire"][: int(game["fire_count"])])


def whole(game: Any, seat: int) -> Cards:
    """A seat's cards, what it has staged included."""
    return named(cards_of(game, seat).elements())


def moved(move: str) -> list[str]:
    """The cards that a move brings from a hand to where all see them (a meld of an opening later:
    see `Known`)."""
    name, _, rest = move.partition(":")
    if name in ("add", "steal"):
        return [rest.partition("@")[0]]
    return rest.split("-") if name in ("meld", "discard") else []


class Known:
    """Who is known to hold what, from the moves of a round alone (X4.3, X8.1)."""

    def __init__(self) -> None:
        self.cards: list[Cards] = [Counter() for _ in SEATS]

    def lose(self, seat: int, cards: Any) -> None:
        """Of a kind that is known in the hand one less is sure to be left."""
        self.cards[seat] -= Counter(cards)

    def follow(self, game: Any, move: str, laid: list[str]) -> None:
        """Take note of a move before it is made; ``laid`` is what lies on the table by it."""
        seat = int(game["seat"])
        if move == "draw:fire":
            self.cards[seat][card_text(int(game["fire"][game["fire_count"] - 1]))] += 1
        self.lose(seat, laid)
        if move.startswith("steal"):
            self.cards[seat]["JK"] += 1


def laid_by(game: Any, move: str, formed: list[str]) -> list[str]:
    """The cards that go from the hand for all to see."""
    if move == "open":
        return list(staged(game).elements())
    if move == "formation":
        return formed
    staging = move.startswith("meld") and not game["opened"][game["seat"]]
    return [] if staging else moved(move)


def formation_of(engine: XabithaEngine) -> list[str]:
    """The cards of the formation that the seat to act would lay."""
    ahead, seat = engine.copy(), int(engine.seats[0])
    ahead.step([ahead.parse("formation")])
    return list((whole(engine.games[0], seat) - whole(ahead.games[0], seat)).elements())


def followed(steps: Iterator[Step]) -> Iterator[tuple[Any, list[Cards]]]:
    """The record at every decision, and who is known to hold what."""
    known = Known()
    for engine, move in steps:
        game = engine.games[0]
        if starts_round(engine):
            known = Known()
        yield game, known.cards
        formed = formation_of(engine) if move == "formation" else []
        known.follow(game, move, laid_by(game, move, formed))


def check(game: Any, known: list[Cards]) -> Counter[str]:
    """Compare all that is read from a record; returns what the record has to show."""
    g = record(_as_batch(game))
    table, mine = on_table(game), staged(game)
    assert mask_cards(*_table_cards(g)) == table  # X5.5: a joker lies as a joker
    assert mask_cards(*_staged_masks(g)) == mine  # X6.4
    for seat in SEATS:
        others = [other for other in SEATS if other != seat]
        seen = whole(game, seat) + fire(game) + table
        for other in others:
            assert mask_cards(game["known_one"][other], game["known_two"][other]) == known[other]
            seen += known[other]
        assert mask_cards(*_seen_cards(g, seat)) == seen
        unseen = mask_cards(*_unseen_cards(g, seat))
        assert unseen == Counter(ALL_CARDS) - seen
        hidden = sum((whole(game, other) - known[other] for other in others), Counter())
        assert unseen == hidden + named(game["deck"][: int(game["deck_count"])])
        if seat == game["seat"]:
            for other in others:
                assert _hidden_count(g, other) == (whole(game, other) - known[other]).total()
    return Counter(
        staged=bool(mine),
        known=any(cards for cards in known),
        known_twice=any(max(cards.values(), default=0) > 1 for cards in known),
        jokers="JK" in table,
        reshuffled=bool(game["reshuffles"]),
        buried=any(game["slot_type"][slot] == 0 for slot in range(int(game["num_melds"]))),
        full=any(len(table_cards(game, slot)) == 4 for slot in _sets(game)),
    )


def _sets(game: Any) -> list[int]:
    return [slot for slot in range(int(game["num_melds"])) if game["slot_type"][slot] == SET]


def _as_batch(game: Any) -> np.ndarray:
    batch = np.zeros(1, game.dtype)
    batch[0] = game
    return batch


@pytest.mark.parametrize("kinds", [("uniform", "near_opening", "sets"), ("joker_rich",)])
def test_every_card_is_counted_once(kinds: tuple[str, ...]) -> None:
    """X4.3, X5.5, X5.6, X6.4, X8.1: at decisions of matches of all kinds, for every seat."""
    seen: Counter[str] = Counter()
    for number, (game, known) in enumerate(followed(walks(range(14), kinds=kinds))):
        if number % 5 == 0 or game["staged"]:
            seen.update(check(game, known))
    rare = {"known_twice", "full"} if kinds == ("joker_rich",) else {"known_twice"}
    assert all(count > 10 for name, count in seen.items() if name not in rare), seen


@pytest.mark.interpreted
def test_every_card_is_counted_once_in_a_short_match() -> None:
    for number, (game, known) in enumerate(followed(walks([2], kinds=("near_opening",)))):
        if number % 20 == 0 or game["staged"]:
            check(game, known)


# --- runs with both aces ---------------------------------------------------------------------


def run_of(low: int, high: int, jokers: tuple[int, ...]) -> Any:
    """A record with this run of hearts on the table, jokers at these positions."""
    games = engine_for().get_state()
    for name, value in {
        "num_melds": 1,
        "slot_type": RUN,
        "slot_suits": 4,
        "slot_low": low,
        "slot_high": high,
        "slot_jokers": sum(1 << position for position in jokers),
    }.items():
        games[name] = value
    return games


@pytest.mark.parametrize("low", [1, 2, 5])
@pytest.mark.parametrize("high", [13, 14])
@pytest.mark.parametrize("jokers", [(), (1,), (14,), (1, 14), (7,), (7, 14), (13, 14), (7, 8)])
def test_long_runs(low: int, high: int, jokers: tuple[int, ...]) -> None:
    """X5.2, X5.3: a run of 14 has the ace at both ends, each a card or a joker (X5.5)."""
    jokers = tuple(position for position in jokers if low <= position <= high)
    games = run_of(low, high, jokers)
    ranks = "A23456789TJQKA"
    cards = [
        "JK" if position in jokers else ranks[position - 1] + "H"
        for position in range(low, high + 1)
    ]
    assert mask_cards(*_table_cards(record(games))) == Counter(cards)
    assert named(table_cards(games[0], 0)) == Counter(cards)


def test_two_long_runs_and_a_set_hold_both_copies() -> None:
    games = run_of(1, 14, (1, 14))
    games["num_melds"] = 3
    games["slot_type"][0, :3] = RUN, RUN, SET
    games["slot_suits"][0, :3] = 4, 4, 0b0011
    games["slot_low"][0, :3] = 1, 3, 5
    games["slot_high"][0, :3] = 14, 6, 5
    games["slot_jokers"][0, :3] = (1 << 1) + (1 << 14), 0, 0
    cards = mask_cards(*_table_cards(record(games)))
    assert cards == Counter("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH JK JK 3H 4H 5H 6H 5C 5D".split())
    assert card_text(JOKER) == "JK" and cards["JK"] == 2
