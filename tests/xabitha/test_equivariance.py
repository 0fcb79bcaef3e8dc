"""Names do not matter: a match with other seats or other suits is the same match.

Seats have no order but the way round the table (X2.1), suits none at all (X1.2). The one exception
is X9.2: which of several formations is laid, and so which card is left for the last discard,
follows the order of suits; the result does not depend on it.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from tests.xabitha.biased_deals import KINDS, random_rules
from tests.xabitha.walks import SEATS, engine_for, reshuffled_by, starts_round, walk
from xabitha_env.cards import NUM_KINDS, NUM_RANKS, SUITS
from xabitha_env.layout import Block
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import CHASE, EXPERT, GREEDY
from xabitha_env.xabitha.state import FORMED

CODES = [np.full(1, code, np.int8) for code in (GREEDY, EXPERT, CHASE)]
PERMUTATIONS = ["".join(order) for order in itertools.permutations(SUITS)]


def kinds_for(seed: int) -> tuple[str, ...]:
    """Every fourth match is rich in formations."""
    return ("near_formation",) if seed % 4 == 3 else KINDS


def rules_for(seed: int) -> dict[str, Any]:
    """The default rules and random ones in turn; two rounds."""
    rules = random_rules(random.Random(seed)) if seed % 2 else {"max_turns": 150}
    return {**rules, "num_rounds": 2}


# --- seats ----------------------------------------------------------------------------------


def rotate_deal(deal: dict[str, Any]) -> dict[str, Any]:
    """The same deal for the seats one further on."""
    hands = deal["deal"]["hands"]
    cards = {"hands": [hands[-1], *hands[:-1]], "deck": deal["deal"]["deck"]}
    return {"starter": (deal["starter"] + 1) % 4, "deal": cards}


def assert_rotated(engine: XabithaEngine, twin: XabithaEngine) -> None:
    """The twin is the engine with every seat one further on."""
    assert twin.seats[0] == (engine.seats[0] + 1) % 4
    assert (twin.legal_count, twin.legal.tobytes()) == (engine.legal_count, engine.legal.tobytes())
    assert twin.observation.tobytes() == engine.observation.tobytes()
    assert (np.roll(engine.rewards[0], 1) == twin.rewards[0]).all()
    for seat in SEATS:
        assert (engine.observe(0, seat) == twin.observe(0, (seat + 1) % 4)).all()
    for codes in CODES:
        assert engine.choose(codes) == twin.choose(codes)


def assert_rotated_results(engine: XabithaEngine, twin: XabithaEngine) -> None:
    own, other = engine.round_result(), twin.round_result()
    winner = own["winner"]
    own["winner"] = None if winner is None else (winner + 1) % 4
    own["penalties"] = np.roll(own["penalties"], 1).tolist()
    assert own == other
    assert engine.match_result()["totals"] == twin.match_result()["totals"][::-1]
    assert (engine.rewards[0] == np.roll(twin.rewards[0], -1)).all()


@pytest.mark.parametrize("seed", range(10))
def test_a_rotated_deal_gives_the_rotated_match(seed: int) -> None:
    """X2.1: legal actions, observations, rewards and results, over two rounds."""
    twin = engine_for(rules_for(seed))
    twin.reset(seed=seed)
    for engine, move in walk(seed, rules_for(seed), kinds_for(seed)):
        if starts_round(engine):
            twin.set_deal(rotate_deal(engine.deal_record()))
        assert_rotated(engine, twin)
        twin.step([engine.parse(move)])
    assert twin.over[0]
    assert_rotated_results(engine, twin)


def test_a_rotated_first_deal_rotates_the_whole_match() -> None:
    """X2.3, X3.1: the engine's own later deals go round with the starter, reshuffles as well."""
    rng = random.Random(4)
    engine, twin = engine_for({"num_rounds": 4}), engine_for({"num_rounds": 4})
    engine.reset(seed=11)
    twin.reset(seed=11, deals=[rotate_deal(engine.deal_record())])
    while not engine.over[0]:
        assert_rotated(engine, twin)
        action = [int(rng.choice(engine.legal[0, : engine.legal_count[0]]))]
        engine.step(action)
        twin.step(action)
    assert_rotated_results(engine, twin)


# --- suits ----------------------------------------------------------------------------------


def change_cards(text: str, order: str) -> str:
    """The same cards or move with C D H S read as the letters of the order (X12)."""
    names = dict(zip(SUITS, order))
    head, colon, rest = text.rpartition(":") if "@" not in text else ("", "", text)
    if "@" in text:  # add:7S@3:high, steal:5S@3
        verb, _, rest = text.partition(":")
        return f"{verb}:{rest[0]}{names.get(rest[1], rest[1])}{rest[2:]}"
    if head in ("declare", "draw") or (not colon and rest in ("open", "formation")):
        return text
    cards = [card[0] + names.get(card[1], card[1]) for card in rest.split("-")]
    if head == "meld" and len({card[0] for card in cards if card != "JK"}) == 1:
        cards.sort(key=lambda card: (card == "JK", SUITS.find(card[1])))
    return head + colon + "-".join(cards)


def change_deal(deal: dict[str, Any], order: str) -> dict[str, Any]:
    cards = deal["deal"]
    hands = [[change_cards(card, order) for card in hand] for hand in cards["hands"]]
    deck = [change_cards(card, order) for card in cards["deck"]]
    return {"starter": deal["starter"], "deal": {"hands": hands, "deck": deck}}


def change_features(block: Block, part: np.ndarray, order: str) -> np.ndarray:
    """What a section of an observation is with the suits changed."""
    places = [SUITS.index(suit) for suit in order]  # a suit's new place
    if block.name == "table":
        table = part.reshape(block.shape).copy()
        table[:, [1 + place for place in places]] = table[:, 1:5].copy()
        return table.ravel()
    if block.shape[-1] != NUM_KINDS:
        return part
    kinds = part.reshape(-1, NUM_KINDS).copy()
    for suit, place in enumerate(places):
        new = slice(place * NUM_RANKS, (place + 1) * NUM_RANKS)
        old = slice(suit * NUM_RANKS, (suit + 1) * NUM_RANKS)
        kinds[:, new] = part.reshape(-1, NUM_KINDS)[:, old]
    return kinds.ravel()


def assert_changed(engine: XabithaEngine, twin: XabithaEngine, order: str) -> None:
    """The twin is the engine with the suits changed."""
    legal = sorted(change_cards(move, order) for move in engine.legal_texts())
    assert twin.legal_texts() == legal
    for block in engine.features:
        place = engine.features.slice(block.name)
        own = change_features(block, engine.observation[0, place], order)
        assert (own == twin.observation[0, place]).all(), block.name


def prepare_reshuffle(engine: XabithaEngine, twin: XabithaEngine, move: str, order: str) -> None:
    """Let the twin's next reshuffle be the engine's.

    On its own it may differ: a set is buried in suit order (X5.6).
    """
    cards = reshuffled_by(engine, move)
    if cards is not None:
        changed = [change_cards(card, order) for card in cards]
        twin.prepare_event({"move": move, "reshuffled": changed})


def replay(engine: XabithaEngine, twin: XabithaEngine, move: str, order: str) -> None:
    """Check the twin at one decision and let it make the same move."""
    if engine.games["phase"][0] == FORMED:  # X9.2: another card may be left
        assert twin.games["phase"][0] == FORMED
        (move,) = twin.legal_texts()
    else:
        assert_changed(engine, twin, order)
        prepare_reshuffle(engine, twin, move, order)
        move = change_cards(move, order)
    twin.step([twin.parse(move)])


@pytest.mark.parametrize("seed", range(16))
def test_other_suits_give_the_same_match(seed: int) -> None:
    """X1.2: legal moves and observations change their suits, results are the same."""
    order = random.Random(seed).choice(PERMUTATIONS[1:])
    twin = engine_for(rules_for(seed))
    twin.reset(seed=seed)
    for engine, move in walk(seed, rules_for(seed), kinds_for(seed)):
        if starts_round(engine):
            twin.set_deal(change_deal(engine.deal_record(), order))
        replay(engine, twin, move, order)
    assert twin.over[0]
    assert engine.round_result() == twin.round_result()
    assert engine.match_result() == twin.match_result()


def test_changed_cards_are_as_expected() -> None:
    for text, expected in {
        "draw:deck": "draw:deck",
        "open": "open",
        "discard:TD": "discard:TC",
        "discard:JK": "discard:JK",
        "meld:4S-JK-6S": "meld:4H-JK-6H",
        "meld:QC-QH-JK": "meld:QD-QS-JK",
        "meld:QD-QS-JK": "meld:QC-QH-JK",
        "add:7S@13:high": "add:7H@13:high",
        "add:JK@0": "add:JK@0",
        "steal:5C@3": "steal:5D@3",
    }.items():
        assert change_cards(text, "DCSH") == expected
