"""Every section of the observation against the state and the history of a reference round.

What each section must hold is written down here from the layout's descriptions: the reference
engine plays the same moves, and what is public is remembered from the moves themselves (X4.3).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.reference.xabitha import JOKER, RANKS, SUITS, Round, as_meld, best_completion, melds_in
from tests.xabitha.biased_deals import random_rules
from tests.xabitha.table import fill_deal
from tests.xabitha.walks import SEATS, engine_for, reshuffled_by, starts_round, walk
from xabitha_env.cards import CARD_NAMES, KIND_OF
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.observation import FEATURES, GLOBAL_FEATURES, RAW_FEATURES
from xabitha_env.xabitha.state import DECLARING, FORMED

DERIVED = ("packing", "can_open", "potential")
Expected = dict[str, np.ndarray]


# --- what is remembered ---------------------------------------------------------------------


class Memory:
    """What everyone could have written down of a round: cards by seat."""

    def __init__(self) -> None:
        self.discarded: list[set[str]] = [set() for _ in SEATS]
        self.took: list[set[str]] = [set() for _ in SEATS]
        self.laid: list[set[str]] = [set() for _ in SEATS]
        self.known: list[Counter[str]] = [Counter() for _ in SEATS]

    def show(self, seat: int, cards: tuple[str, ...]) -> None:
        """Cards go from a hand to the table."""
        self.laid[seat].update(cards)
        self.known[seat] -= Counter(cards)

    def note(self, table: Round, event: dict[str, Any], shown: list[tuple[str, ...]]) -> None:
        """Note a move; ``shown`` are the melds that it puts on the table."""
        seat = event["seat"]
        name, _, rest = event["move"].partition(":")
        card = rest.partition("@")[0]
        if event["move"] == "draw:fire":
            self.took[seat].add(event["drawn"])
            self.known[seat][event["drawn"]] += 1
        elif name == "discard":
            self.known[seat] -= Counter([card])
            if "undo" not in event:
                self.discarded[seat].add(card)
        elif name in ("add", "steal"):
            self.show(seat, (card,))
            self.known[seat] += Counter([JOKER] * (name == "steal"))
        for meld in shown:
            self.show(seat, meld)


def melds_shown(table: Round, move: str) -> list[tuple[str, ...]]:
    """The melds that a move puts on the table, seen before it is made."""
    if move == "open":
        return [tuple(meld) for meld in table.staged]
    if move == "formation":
        formation = table._formation()
        assert formation is not None
        return [formation.run.cards, formation.set.cards]
    if move.startswith("meld:") and table.opened[table.seat]:
        return [tuple(move[5:].split("-"))]
    return []


class Match:
    """The reference's rounds one after another, with what is remembered of them."""

    def __init__(self, rules: dict[str, Any]) -> None:
        self.rules = rules
        self.rounds = 0
        self.totals = [0, 0]
        self.last: dict[str, Any] = {"reason": None, "winner": None}
        self.last_declared = [False] * 4

    def begin(self, record: dict[str, Any]) -> None:
        deal = record["deal"]
        self.table = Round(self.rules, record["starter"], deal["hands"], deal["deck"])
        self.memory = Memory()

    def play(self, move: str, reshuffled: list[str] | None) -> None:
        shown = melds_shown(self.table, move)
        event = self.table.play(move, reshuffled)
        self.memory.note(self.table, event, shown)
        if self.table.over:
            result = self.table.result
            assert result is not None
            self.rounds += 1
            self.last, self.last_declared = result, list(self.table.declared)
            for seat in SEATS:
                self.totals[seat % 2] += result["penalties"][seat]


def matches(seeds: range) -> Iterator[tuple[XabithaEngine, Match]]:
    """Every decision of matches of both engines side by side; random rules for every other."""
    for seed in seeds:
        rules = random_rules(random.Random(seed)) if seed % 2 else {"max_turns": 150}
        rules = {**rules, "num_rounds": 3}
        match = Match(rules)
        for engine, move in walk(seed, rules):
            if starts_round(engine):
                match.begin(engine.deal_record())
            yield engine, match
            match.play(move, reshuffled_by(engine, move))


# --- how things are written -----------------------------------------------------------------


def levels_of(name: str) -> list[int]:
    """The levels of a thermometer, as its description lists them."""
    meaning = FEATURES[name].meaning
    if name == "staged":
        return levels_of("packing")
    numbers = [int(number) for number in re.findall(r"-?\d+", meaning.partition("at least")[2])]
    return list(range(numbers[0], numbers[-1] + 1)) if "..." in meaning else numbers


LEVELS = {
    name: levels_of(name)
    for name in ("hand_count", "threshold", "staged", "deck_count", "reshuffles", "turn", "rounds")
} | {name: levels_of(name) for name in ("lead", "packing")}


def thermometer(name: str, number: float) -> list[bool]:
    return [number >= level for level in LEVELS[name]]


def kinds(cards: Any) -> list[bool]:
    """A bit a kind."""
    held = set(cards)
    return [card in held for card in CARD_NAMES]


def twice(cards: Any) -> list[list[bool]]:
    """Kinds there at least once, twice."""
    counts = Counter(cards)
    return [[counts[card] >= times for card in CARD_NAMES] for times in (1, 2)]


def one_of(size: int, place: int | None) -> list[bool]:
    return [index == place for index in range(size)]


def from_seat(values: Any, seat: int) -> list[Any]:
    """By relative seat: the observer itself first, then clockwise."""
    return [values[(seat + step) % 4] for step in SEATS]


def meld_row(meld: Any) -> list[bool]:
    """A meld on the table: is a set, suits, positions, at least one and two jokers."""
    if meld is None:
        return [False] * (1 + 4 + 14 + 2)
    if meld.kind == "run":
        suits, places = {meld.suit}, {*meld.positions()}
    else:
        suits, places = {card[1] for card in meld.reals}, {RANKS.index(meld.rank) + 1}
    jokers = meld.cards.count(JOKER)
    bits = [suit in suits for suit in SUITS] + [place in places for place in range(1, 15)]
    return [meld.kind == "set", *bits, jokers >= 1, jokers >= 2]


def joker_places(table: Round) -> list[list[bool]]:
    """Positions of the jokers in runs, by number of the meld and upwards in it."""
    found = [
        position - 1
        for _, meld in sorted(table.table.items())
        if meld.kind == "run"
        for position, card in zip(meld.positions(), meld.cards)
        if card == JOKER
    ]
    return [one_of(14, place) for place in [*found, None, None][:2]]


# --- what a seat must see -------------------------------------------------------------------


def free_cards(table: Round, seat: int) -> list[str]:
    """A hand without what is staged of it."""
    staged = Counter(card for meld in table.staged for card in meld if seat == table.seat)
    return list((Counter(table.hands[seat]) - staged).elements())


def expected_cards(match: Match, seat: int) -> Expected:
    table, memory = match.table, match.memory
    taken = table._taken
    fire_card = taken or (table.fire[-1] if table.fire else None)
    laid = [table.table.get(number) for number in range(16)]
    sections = {
        "hand": twice(free_cards(table, seat)),
        "fire_card": kinds([fire_card]),
        "fire_pile": twice(table.fire),
        "discarded": [kinds(cards) for cards in from_seat(memory.discarded, seat)],
        "took": [kinds(cards) for cards in from_seat(memory.took, seat)[1:]],
        "laid": [kinds(cards) for cards in from_seat(memory.laid, seat)[1:]],
        "known": [kinds(cards) for cards in from_seat(memory.known, seat)[1:]],
        "table": [meld_row(meld) for meld in laid],
        "joker_place": joker_places(table),
        "take_pending": [taken is not None],
        "fire_locked": [table._fire_locked],
    }
    return {name: np.array(bits).ravel() for name, bits in sections.items()}


def phase_of(table: Round, staging: bool) -> int:
    """Declaring, drawing, playing, formation down, own staging."""
    if staging:
        return 4
    return 3 if table._formation_laid else ("declare", "draw", "act").index(table._phase)


def expected_seats(match: Match, seat: int) -> Expected:
    table = match.table
    staging = table.seat == seat and bool(table.staged)
    counts = from_seat([len(hand) for hand in table.hands], seat)[1:]
    winner = match.last["winner"]
    run = staging and not table._lacks_run(table._staged)
    sections: dict[str, Any] = {
        "hand_count": [thermometer("hand_count", count) for count in counts],
        "opened": from_seat(table.opened, seat),
        "threshold": [thermometer("threshold", bar) for bar in from_seat(table.thresholds, seat)],
        "declared": [table.declared[seat]],
        "phase": one_of(5, phase_of(table, staging)),
        "actor": one_of(4, (table.seat - seat) % 4),
        "starter": one_of(4, (table.starter - seat) % 4),
        "staged": thermometer("staged", table._points(table._staged) if staging else 0),
        "staged_run": [run],
        "last_winner": one_of(4, None if winner is None else (winner - seat) % 4),
        "last_declared": from_seat(match.last_declared, seat),
    }
    return {name: np.array(bits).ravel() for name, bits in sections.items()}


def expected_match(match: Match, seat: int) -> Expected:
    table, rules = match.table, match.table.rules
    lead = match.totals[1 - seat % 2] - match.totals[seat % 2]
    reasons = ("normal", "xabitha", "cancelled")
    sections = {
        "deck_count": thermometer("deck_count", len(table.deck)),
        "reshuffles": thermometer("reshuffles", rules["max_reshuffles"] - table.reshuffles),
        "turn": thermometer("turn", table.turn),
        "rounds": thermometer("rounds", rules["num_rounds"] - match.rounds),
        "lead": thermometer("lead", lead),
        "last_reason": [match.last["reason"] == reason for reason in reasons],
    }
    return {name: np.array(bits) for name, bits in sections.items()}


@cache
def triples() -> dict[str, list[frozenset[str]]]:
    """By kind: the pairs of other real cards with which it makes a meld of three."""
    pairs: dict[str, list[frozenset[str]]] = {card: [] for card in CARD_NAMES}
    for meld in melds_in(tuple(sorted([*CARD_NAMES, JOKER]))):
        if len(meld.cards) == 3:
            for card in set(meld.cards):
                others = [other for other in meld.cards if other != card]
                if JOKER not in others:
                    pairs[card].append(frozenset(others))
    return pairs


def potential(hand: list[str]) -> list[bool]:
    """Kinds that make, or would make, a meld with two real cards in hand."""
    held = set(hand)
    return [any(pair <= held for pair in triples()[card]) for card in CARD_NAMES]


def expected_derived(match: Match, seat: int) -> Expected:
    table, rules = match.table, match.table.rules
    hand = tuple(sorted(free_cards(table, seat)))
    aces = (rules["ace_high_points"], rules["ace_low_points"])
    acts = seat == table.seat
    staged = table._staged if acts else []
    gone = [card for meld in staged for card in meld.cards]
    taken = table._taken if acts and table._taken not in gone else None
    more = best_completion(hand, taken, table._lacks_run(staged), aces)
    reach = more is not None and table._points(staged) + more >= table.thresholds[seat]
    packing = best_completion(hand, None, False, aces)
    closed = not table.opened[seat] and not table.declared[seat]
    return {
        "packing": np.array(thermometer("packing", packing or 0)),
        "can_open": np.array([reach and closed]),
        "potential": np.array(potential(list(hand))),
    }


def differences(engine: XabithaEngine, seat: int, expected: Expected) -> list[str]:
    """The sections that are not as expected."""
    seen = engine.observe(0, seat)
    return [
        name
        for name, bits in expected.items()
        if not np.array_equal(seen[engine.features.slice(name)], bits.astype(np.int8))
    ]


SECTIONS = (expected_cards, expected_seats, expected_match)


def test_sections_are_as_described() -> None:
    """All sections of all four seats but the derived ones."""
    rng = random.Random(0)
    names: set[str] = set()
    phases: Counter[int] = Counter()
    for engine, match in matches(range(15)):
        game = engine.games[0]
        rare = game["staged"] or game["fire_locked"] or game["phase"] == DECLARING
        if game["phase"] != FORMED and rng.random() > (0.5 if rare else 0.1):
            continue
        phases[int(game["phase"])] += 1
        for seat in SEATS:
            for part in SECTIONS:
                expected = part(match, seat)
                names.update(expected)
                assert differences(engine, seat, expected) == []
    assert names == {block.name for block in RAW_FEATURES}
    assert min(phases.values()) > 2 and len(phases) == 4, phases


def test_derived_sections_are_as_described() -> None:
    """The best packing, whether the hand can open, and what makes melds, of all four seats."""
    rng = random.Random(1)
    opens: Counter[bool] = Counter()
    for engine, match in matches(range(20, 34)):
        if rng.random() < 0.9 and not engine.games["staged"][0]:
            continue
        for seat in SEATS:
            hand = tuple(sorted(match.table.hands[seat]))
            if len(melds_in(hand)) > 40:  # the reference would take long
                continue
            expected = expected_derived(match, seat)
            assert set(expected) == set(DERIVED)
            assert differences(engine, seat, expected) == [], hand
            opens[bool(expected["can_open"][0])] += 1
    assert min(opens[False], opens[True]) > 50, opens


def test_the_last_round_is_shown_in_the_next() -> None:
    """X3.3: the answers of all seats are shown when the round is over."""
    seen: Counter[str] = Counter()
    for engine, match in matches(range(41, 79, 2)):
        if starts_round(engine) and match.rounds:
            for seat in SEATS:
                assert differences(engine, seat, expected_seats(match, seat)) == []
                assert differences(engine, seat, expected_match(match, seat)) == []
            seen[str(match.last["reason"])] += 1
            seen["declared"] += any(match.last_declared)
    assert all(seen[name] for name in ("normal", "xabitha", "cancelled", "declared")), seen


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
    """Also at the end of a match, and into an array that held other things."""
    for seed in range(4):
        for derived in (False, True):
            for engine, _ in walk(seed, {"num_rounds": 1, "max_turns": 40}, derived=derived):
                seat = (int(engine.seats[0]) + 1) % 4
                assert_written(engine, seat)
            assert engine.over[0]
            for seat in SEATS:
                assert_written(engine, seat)


def assert_written(engine: XabithaEngine, seat: int) -> None:
    ones, zeros = (np.full(len(engine.features), value, np.int8) for value in (7, 0))
    engine.observe(0, seat, out=ones)
    engine.observe(0, seat, out=zeros)
    assert (ones == zeros).all() and set(np.unique(ones)) <= {0, 1}


def test_the_buffer_is_the_view_of_the_seat_to_act() -> None:
    for engine, _ in walk(3, {"num_rounds": 1}):
        assert (engine.observation[0] == engine.observe(0, int(engine.seats[0]))).all()


# --- everything of a game -------------------------------------------------------------------


def expected_global(match: Match) -> Expected:
    table = match.table
    sections: dict[str, Any] = {
        "hands": [twice(free_cards(table, seat)) for seat in SEATS],
        "staged": twice([card for meld in table.staged for card in meld]),
        "modes": table.declared,
        "deck": twice(table.deck),
        "next_cards": [kinds([card]) for card in [*table.deck, None, None, None, None][:4]],
    }
    return {name: np.array(bits).ravel() for name, bits in sections.items()}


def test_the_global_state_shows_everything() -> None:
    rng = random.Random(2)
    staged = 0
    for engine, match in matches(range(80, 86)):
        hidden = bool(match.table.staged) and match.table.seat != 0
        staged += hidden
        if rng.random() < 0.7 and not hidden:
            continue
        seen = engine.global_state(0)
        assert set(np.unique(seen)) <= {0, 1}
        for name, bits in expected_global(match).items():
            assert (seen[GLOBAL_FEATURES.slice(name)] == bits).all(), name
        public = seen[GLOBAL_FEATURES.slice("public")]
        assert (public == engine.observe(0, 0)[: len(RAW_FEATURES)]).all()
    assert staged >= 5


# --- cases by hand --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "wanted"),
    [
        ("4S 5S", "3S 6S JK"),
        ("4S 6S", "5S JK"),
        ("AS 2S", "3S JK"),
        ("KS AS", "QS JK"),
        ("QS KS", "JS AS JK"),
        ("KS 2S", ""),
        ("QC QD", "QH QS JK"),
        ("QC QC", ""),
        ("4S 5S 6S", "3S 4S 5S 6S 7S JK"),
        ("JK JK 4S", ""),
    ],
)
def test_kinds_that_make_melds(hand: str, wanted: str) -> None:
    """The description of `potential`, as this file reads it."""
    held = hand.split()
    assert {card for card, bit in zip(CARD_NAMES, potential(held)) if bit} == set(wanted.split())
    assert as_meld(["4S", "5S", "6S"]) is not None and KIND_OF[JOKER] == 52


def test_a_fresh_match_shows_nothing_but_the_hand() -> None:
    engine = engine_for()
    engine.reset(seed=5)
    seat = int(engine.seats[0])
    seen = engine.observe(0, seat)
    for name in ("fire_card", "fire_pile", "discarded", "took", "laid", "known", "table"):
        assert not seen[FEATURES.slice(name)].any(), name
    assert seen[FEATURES.slice("hand")].sum() == 15


def test_a_take_binds_only_the_seat_that_took() -> None:
    """X4.4, X4.5: seat 1 may not keep just the card that it took; seat 2 may keep such a card."""
    melds = "2H 3H 4H 5H 6H 8D 9D TD JD QD 4S 5S 6S"  # all of them make the 82 points
    hands, deck = fill_deal(0, {0: ["9C"], 2: [*melds.split(), "9C"]}, [])
    engine = engine_for({"opening_points": 82})
    engine.reset(seed=1, deals=[{"starter": 0, "hands": hands, "deck": deck}])
    for move in ["declare:no"] * 4 + ["discard:9C", "draw:fire"]:
        assert engine.observe(0, 2)[FEATURES.slice("can_open")] == 1
        engine.step([engine.parse(move)])
    assert engine.games["taken"][0] == KIND_OF["9C"]
    assert engine.observe(0, 2)[FEATURES.slice("can_open")] == 1
