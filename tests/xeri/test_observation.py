"""Every section of the observation against the state and the history of a reference round.

What each section must hold is written down here from the layout's descriptions: the reference
engine plays the same moves, and what is public is remembered from the moves themselves (R3.3).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.reference.xeri import RANKS, Round, Score
from tests.xeri.walks import SEATS, TEAMS, engine_for, starts_round, walk, walk_rules
from xabitha_env.cards import CARD_NAMES
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.observation import FEATURES, GLOBAL_FEATURES, RAW_FEATURES

DERIVED = ("captures", "unseen")
KINDS = CARD_NAMES[:52]
Expected = dict[str, np.ndarray]


# --- what is remembered ---------------------------------------------------------------------


class Memory:
    """What everyone could have written down of a round."""

    def __init__(self, pile: list[str], bottom: str | None) -> None:
        self.bottom = bottom
        self.pile = list(pile)
        self.seen = set(pile)
        self.played: list[list[str]] = [[] for _ in SEATS]
        self.captured: list[list[str]] = [[] for _ in TEAMS]
        self.xeris: list[list[bool]] = [[] for _ in TEAMS]  # whether of jacks
        self.last: int | None = None

    def note(self, event: dict[str, Any]) -> None:
        seat, card = event["seat"], event["move"].removeprefix("play:")
        self.played[seat].append(card)
        self.seen.add(card)
        self.pile.append(card)
        if "xeri" in event:
            self.xeris[seat % 2].append(card[0] == "J")
        if "captured" in event:
            assert event["captured"] == len(self.pile)
            self.captured[seat % 2] += self.pile
            self.pile, self.last = [], seat


class Match:
    """The reference's rounds one after another, with what is remembered of them."""

    def __init__(self, rules: dict[str, Any]) -> None:
        self.score = Score(rules)
        self.rules = rules
        self.last_winner: int | None = None

    def begin(self, head: dict[str, Any]) -> None:
        deal, bottom = head["deal"], head.get("bottom_card")
        cards = (deal["hands"], deal["pile"], deal["stock"], bottom)
        self.table = Round(self.rules, head["dealer"], *cards)
        self.memory = Memory(deal["pile"], bottom)

    def play(self, move: str) -> None:
        self.memory.note(self.table.play(move))
        if self.table.result is not None:
            self.score.add(self.table.result)
            self.last_winner = self.table.result["winner"]


def matches(seeds: Iterable[int], rules: dict[str, Any] | None = None) -> Iterator[Any]:
    """Every decision of games of both engines side by side; random rules for every other."""
    for seed in seeds:
        own = walk_rules(seed) if rules is None else rules
        match = None
        for engine, move in walk(seed, own):
            if match is None:
                match = Match(engine.rules.to_dict())
            if starts_round(engine):
                match.begin(engine.deal_record())
            yield engine, match
            match.play(move)


# --- how things are written -----------------------------------------------------------------


def levels_of(name: str) -> list[int]:
    """The levels of a thermometer, as its description lists them."""
    meaning = FEATURES[name].meaning.partition("at least")[2]
    numbers = [int(number) for number in re.findall(r"-?\d+", meaning)]
    if "..." not in meaning:
        return numbers
    step = numbers[1] - numbers[0] if len(numbers) > 2 else 1
    return list(range(numbers[0], numbers[-1] + 1, step))


THERMOMETERS = (
    "pile_count hand_count plays xeris jack_xeris rounds round_wins lead to_target unseen".split()
)
LEVELS = {name: levels_of(name) for name in THERMOMETERS} | {"round_wins": [1, 2, 3]}


def thermometer(name: str, number: float) -> list[bool]:
    return [number >= level for level in LEVELS[name]]


def kinds(cards: Iterable[str | None]) -> list[bool]:
    """A bit a kind."""
    held = set(cards)
    return [card in held for card in KINDS]


def one_of(size: int, place: int | None) -> list[bool]:
    return [index == place for index in range(size)]


def from_seat(values: Any, seat: int) -> list[Any]:
    """By relative seat: the observer itself first, then clockwise."""
    return [values[(seat + step) % 4] for step in SEATS]


def from_team(values: Any, seat: int) -> list[Any]:
    """By relative team: the observer's own first."""
    return [values[seat % 2], values[1 - seat % 2]]


# --- what a seat must see -------------------------------------------------------------------


def expected_cards(match: Match, seat: int) -> Expected:
    table, memory = match.table, match.memory
    sections: dict[str, Any] = {
        "hand": kinds(table.hands[seat]),
        "pile": kinds(memory.pile),
        "top": kinds(memory.pile[-1:]),
        "played": [kinds(cards) for cards in from_seat(memory.played, seat)],
        "captured": [kinds(cards) for cards in from_team(memory.captured, seat)],
        "bottom_card": kinds([memory.bottom]),
        "pile_count": thermometer("pile_count", len(memory.pile)),
        "plays": thermometer("plays", sum(map(len, memory.played))),
    }
    return {name: np.array(bits).ravel() for name, bits in sections.items()}


def expected_seats(match: Match, seat: int) -> Expected:
    table, memory = match.table, match.memory
    counts = from_seat([len(hand) for hand in table.hands], seat)[1:]
    last = None if memory.last is None else (memory.last - seat) % 4
    xeris = from_team(memory.xeris, seat)
    sections: dict[str, Any] = {
        "hand_count": [thermometer("hand_count", count) for count in counts],
        "xeris": [thermometer("xeris", len(own)) for own in xeris],
        "jack_xeris": [thermometer("jack_xeris", sum(own)) for own in xeris],
        "last_capturer": one_of(4, last),
        "dealer": one_of(4, (table.dealer - seat) % 4),
        "actor": one_of(4, (table.seat - seat) % 4),
    }
    return {name: np.array(bits).ravel() for name, bits in sections.items()}


def expected_game(match: Match, seat: int) -> Expected:
    score, rules = match.score, match.rules
    own, theirs = from_team(score.totals, seat)
    target = rules["extended_target_score" if score.extended else "target_score"]
    by_rounds = rules["target_score"] is None
    missing = [-1 if by_rounds else target - total for total in (own, theirs)]
    left = rules["num_rounds"] - score.rounds if by_rounds else 0
    winner = match.last_winner
    sections: dict[str, Any] = {
        "rounds": thermometer("rounds", left),
        "round_wins": [thermometer("round_wins", won) for won in from_team(score.round_wins, seat)],
        "lead": thermometer("lead", own - theirs),
        "to_target": [thermometer("to_target", points) for points in missing],
        "extended": [score.extended],
        "last_winner": from_team([winner == team for team in TEAMS], seat),
    }
    return {name: np.array(bits).ravel() for name, bits in sections.items()}


def expected_derived(match: Match, seat: int) -> Expected:
    """R3.2; and by rank, the cards that the seat has never seen."""
    hand, memory = match.table.hands[seat], match.memory
    takes = [card for card in hand if memory.pile and card[0] in ("J", memory.pile[-1][0])]
    seen = memory.seen | set(hand) | {memory.bottom}
    unseen = Counter(card[0] for card in KINDS if card not in seen)
    sections = {
        "captures": kinds(takes),
        "unseen": [thermometer("unseen", unseen[rank]) for rank in RANKS],
    }
    return {name: np.array(bits).ravel() for name, bits in sections.items()}


SECTIONS = (expected_cards, expected_seats, expected_game, expected_derived)


def differences(engine: XeriEngine, seat: int, expected: Expected) -> list[str]:
    """The sections that are not as expected."""
    seen = engine.observe(0, seat)
    return [
        name
        for name, bits in expected.items()
        if not np.array_equal(seen[engine.features.slice(name)], bits.astype(np.int8))
    ]


def note(seen: Counter[str], expected: Expected) -> None:
    """Count what sections show something."""
    seen.update(name for name, bits in expected.items() if bits.any())


def assert_as_described(engine: XeriEngine, match: Match, seen: Counter[str]) -> None:
    for seat in SEATS:
        for part in SECTIONS:
            expected = part(match, seat)
            note(seen, expected)
            assert differences(engine, seat, expected) == []


def test_sections_are_as_described() -> None:
    """All sections of all four seats, derived ones included."""
    rng = random.Random(0)
    seen: Counter[str] = Counter()
    for engine, match in matches(range(24)):
        if rng.random() < 0.25 or starts_round(engine):
            assert_as_described(engine, match, seen)
    assert {block.name for block in FEATURES} == {*seen}
    assert min(seen.values()) >= 20, seen


def test_the_game_is_shown_over_many_rounds() -> None:
    """Rounds left, rounds won, points and targets (R5), at the beginning of each round."""
    seen: Counter[str] = Counter()
    targets = {"target_score": 2, "extended_target_score": 150}
    for rules in ({"num_rounds": 8}, targets, {"target_score": 151, "show_bottom_card": True}):
        for engine, match in matches(range(3), rules):
            if starts_round(engine):
                assert_as_described(engine, match, seen)
    names = ("rounds", "round_wins", "lead", "to_target", "extended", "last_winner", "bottom_card")
    assert all(seen[name] >= 20 for name in names), seen


# --- the layouts ----------------------------------------------------------------------------


def test_levels_of_the_descriptions_have_the_right_number() -> None:
    for name, levels in LEVELS.items():
        assert len(levels) == FEATURES[name].shape[-1] and levels == sorted(set(levels)), name


def test_the_raw_layout_is_the_beginning_of_the_whole() -> None:
    raw, whole = list(RAW_FEATURES), list(FEATURES)
    assert whole[: len(raw)] == raw
    assert [block.name for block in whole[len(raw) :]] == list(DERIVED)
    assert all(block.optional for block in whole[len(raw) :])


def test_all_features_are_written_and_0_or_1() -> None:
    """Also at the end of a game, and into an array that held other things."""
    for seed in range(4):
        for derived in (False, True):
            for engine, _ in walk(seed, {"num_rounds": 1}, derived=derived):
                assert_written(engine, (int(engine.seats[0]) + 1) % 4)
            assert engine.over[0]
            for seat in SEATS:
                assert_written(engine, seat)


def assert_written(engine: XeriEngine, seat: int) -> None:
    ones, zeros = (np.full(len(engine.features), value, np.int8) for value in (7, 0))
    engine.observe(0, seat, out=ones)
    engine.observe(0, seat, out=zeros)
    assert (ones == zeros).all() and set(np.unique(ones)) <= {0, 1}


@pytest.mark.interpreted
def test_the_buffer_is_the_view_of_the_seat_to_act() -> None:
    for engine, _ in walk(3, {"num_rounds": 1}):
        assert (engine.observation[0] == engine.observe(0, int(engine.seats[0]))).all()


def test_a_fresh_game_shows_the_hand_and_the_pile_alone() -> None:
    engine = engine_for()
    engine.reset(seed=5)
    seen = engine.observe(0, int(engine.seats[0]))
    for name in ("played", "captured", "bottom_card", "xeris", "last_capturer", "last_winner"):
        assert not seen[FEATURES.slice(name)].any(), name
    assert seen[FEATURES.slice("hand")].sum() == 6 and seen[FEATURES.slice("pile")].sum() == 4
    assert seen[FEATURES.slice("top")].sum() == 1


# --- everything of a game -------------------------------------------------------------------


def next_hands(table: Round) -> list[list[bool]]:
    """The stock is dealt one card at a time from the dealer's left (R2.1)."""
    hands: list[list[str]] = [[], [], [], []]
    for place, card in enumerate(table.stock):
        hands[(table.dealer + 1 + place) % 4].append(card)
    return [kinds(hand) for hand in hands]


def test_the_global_state_shows_everything() -> None:
    rng = random.Random(2)
    for engine, match in matches(range(80, 88)):
        if rng.random() < 0.7:
            continue
        seen = engine.global_state(0)
        assert set(np.unique(seen)) <= {0, 1}
        expected = {
            "hands": [kinds(hand) for hand in match.table.hands],
            "next_hands": next_hands(match.table),
            "public": engine.observe(0, 0)[: len(RAW_FEATURES)],
        }
        assert {block.name for block in GLOBAL_FEATURES} == set(expected)
        for name, bits in expected.items():
            assert (seen[GLOBAL_FEATURES.slice(name)] == np.array(bits).ravel()).all(), name
