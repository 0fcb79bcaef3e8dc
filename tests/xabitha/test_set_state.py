"""Records that no game can be in are refused, and nothing changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xabitha.biased_deals import KINDS, random_rules
from tests.xabitha.hidden import rules_of
from tests.xabitha.table import fill_deal
from tests.xabitha.walks import engine_for, walk
from xabitha_env.cards import KIND_OF
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.melds import MELDS
from xabitha_env.xabitha.rules import XabithaRules
from xabitha_env.xabitha.state import (
    DECLARING,
    DRAWING,
    FORMED,
    STATE,
)


@cache
def rich_state() -> np.ndarray:
    """A state with something in every field: seat 0 has taken a card, other seats are down."""
    for seed in range(200):
        for engine, _ in walk(seed, {"num_rounds": 2, "max_turns": 150}):
            game = engine.games[0]
            full = game["rounds"] and game["fire_count"] > 4 and game["deck_count"] > 5
            normal = not game["opened"][game["seat"]] and not game["declared"][game["seat"]]
            run = game["slot_type"][0] == 1
            taken = game["taken"] >= 0 and game["staged"] == 0 and game["seat"] == 0
            if full and normal and run and taken and game["declared"].any():
                return engine.get_state()
    raise AssertionError("no such state")


def put(name: str, value: Any, place: Any = ...) -> Callable[[Any], None]:
    """A damage: a field, or an entry of it, gets a value."""

    def damage(game: Any) -> None:
        if place is ...:
            game[name] = value
        else:
            game[name][place] = value

    return damage


def both_down_and_declared(game: Any) -> None:
    game["opened"] = game["declared"] = 1


def fire_beyond_masks(game: Any) -> None:
    game["fire"][0] = (game["fire"][0] + 1) % 52


def known_but_not_held(game: Any) -> None:
    seat = (int(game["seat"]) + 1) % 4
    game["known_one"][seat] = ~int(game["hand_one"][seat]) & (1 << 53) - 1


def known_twice(game: Any) -> None:
    game["known_two"] = ~game["known_one"] & (1 << 53) - 1


def two_hands_for_one(game: Any) -> None:
    game["hand_one"][1] = game["hand_one"][0]


def copies_that_are_not_there(game: Any) -> None:
    game["hand_two"][0] = game["hand_one"][0]


DAMAGES: list[tuple[str, Callable[[Any], None], str]] = [
    ("deal_word", put("deal_word", 0), "deal_word"),
    ("shuffle_word", put("shuffle_word", 0), "shuffle_word"),
    ("player_word", put("player_word", 0), "player_word"),
    ("rounds below 0", put("rounds", -1), "rounds"),
    ("rounds", put("rounds", 3), "rounds"),
    ("rounds of a match that is over", put("rounds", 2), "over"),
    ("totals", put("totals", -1, 0), "totals"),
    ("over", put("over", True), "over"),
    ("decisions", put("decisions", -1, 0), "decisions"),
    ("turns", put("turns", -1), "turns"),
    ("cancellations", put("cancellations", -1), "cancellations"),
    ("openings", put("openings", 2, 0), "openings"),
    ("declarations", put("declarations", -1, 3), "declarations"),
    ("formations", put("formations", 2, 0), "formations"),
    ("fixed_draws", put("fixed_draws", 2), "fixed_draws"),
    ("deck_seat", put("deck_seat", 4, 0), "deck_seat"),
    ("last_discard", put("last_discard", 53, 0), "last_discard"),
    ("starter", put("starter", 4), "starter"),
    ("seat", put("seat", -1), "seat"),
    ("phase", put("phase", 4), "phase"),
    ("declaring with cards on the table", put("phase", DECLARING), ""),
    ("drawing with 15 cards", put("phase", DRAWING), ""),
    ("formed without a formation", put("phase", FORMED), ""),
    ("turn below 0", put("turn", -1), "turn"),
    ("turn beyond the last", put("turn", 151), "turn"),
    ("declared", put("declared", 2, 1), "declared"),
    ("opened", put("opened", 2, 1), "opened"),
    ("down in Xabitha mode", both_down_and_declared, ""),
    ("threshold", put("threshold", -1, 3), "threshold"),
    ("reshuffles below 0", put("reshuffles", -1), "reshuffles"),
    ("reshuffles", put("reshuffles", 3), "reshuffles"),
    ("hand_one", put("hand_one", 1 << 53, 1), "hand_one"),
    ("hand_one of another", two_hands_for_one, ""),
    ("hand_two", put("hand_two", -1, 1), "hand_two"),
    ("hand_two of no card", copies_that_are_not_there, ""),
    ("hand_count", put("hand_count", 3, 0), "cards"),
    ("hand_count beyond 15", put("hand_count", 16, 0), "hand_count"),
    ("deck", put("deck", 53, 0), "deck"),
    ("deck of one kind", put("deck", 7), "cards"),
    ("deck_count below 0", put("deck_count", -1), "deck_count"),
    ("deck_count", put("deck_count", 2), "cards"),
    ("fire", put("fire", -1, 0), "fire"),
    ("fire without masks", fire_beyond_masks, "fire"),
    ("fire_count", put("fire_count", 107), "fire_count"),
    ("fire_count too small", put("fire_count", 1), "fire"),
    ("fire_one", put("fire_one", 1), "fire_one"),
    ("fire_two", put("fire_two", 1), "fire_two"),
    ("taken", put("taken", 53), "taken"),
    ("taken and not in hand", put("taken", KIND_OF["JK"]), "taken"),
    ("staged", put("staged", 5), "staged"),
    ("staged twice", put("staged", 1), "cards"),
    ("staged_rows", put("staged_rows", len(MELDS), 3), "staged_rows"),
    ("num_melds", put("num_melds", 17), "num_melds"),
    ("num_melds too small", put("num_melds", 0), "cards"),
    ("slot_type", put("slot_type", 3, 0), "slot_type"),
    ("slot_type empty", put("slot_type", 0, 0), "cards"),
    ("slot_suits", put("slot_suits", 3, 0), "slot 0"),
    ("slot_low", put("slot_low", 0, 0), "slot 0"),
    ("slot_high", put("slot_high", 15, 0), "slot 0"),
    ("slot_jokers", put("slot_jokers", -1, 0), "slot 0"),
    ("discarded", put("discarded", -1, 0), "discarded"),
    ("took", put("took", 1 << 53, 0), "took"),
    ("laid", put("laid", -1, 0), "laid"),
    ("known_one", put("known_one", -1, 0), "known_one"),
    ("known_two", put("known_two", 1 << 53, 0), "known_two"),
    ("known and not held", known_but_not_held, "known"),
    ("known twice and not once", known_twice, "known"),
    ("reshuffled_one", put("reshuffled_one", 1 << 53), "reshuffled_one"),
    ("reshuffled_two", put("reshuffled_two", -1), "reshuffled_two"),
    ("drew_one", put("drew_one", -1, 3), "drew_one"),
    ("drew_two", put("drew_two", 1 << 53, 0), "drew_two"),
    ("trail below 0", put("trail", -1, 5), "trail"),
    ("trail", put("trail", 54 * 4, 0), "trail"),
    ("trail_count below 0", put("trail_count", -1), "trail_count"),
    ("trail_count", put("trail_count", 3 * 106 + 1), "trail_count"),
    ("last_reason", put("last_reason", 4), "last_reason"),
    ("last_winner", put("last_winner", 4), "last_winner"),
    ("last_penalties", put("last_penalties", -1, 0), "last_penalties"),
    ("last_declared", put("last_declared", 2, 0), "last_declared"),
]
# Fields of which any value is one that some game has.
FREE_FIELDS = {"reward", "fire_locked", "set_filled"}


@pytest.mark.parametrize(
    ("damage", "named"), [case[1:] for case in DAMAGES], ids=[d[0] for d in DAMAGES]
)
def test_a_damaged_state_is_refused(damage: Callable[[Any], None], named: str) -> None:
    """With the second of two games damaged; nothing changes and the problem is named."""
    rules = rules_of(rich_state()[0])
    engine = engine_for(rules, 2)
    engine.reset(seed=1)
    before, shown = engine.get_state(), engine.observation.copy()
    state = np.concatenate([rich_state(), rich_state()])
    engine_for(rules, 2).set_state(state)
    damage(state[1])
    with pytest.raises(ValueError, match=f"game 1 .*{named}"):
        engine.set_state(state)
    assert engine.get_state().tobytes() == before.tobytes()
    assert (engine.observation == shown).all()


def test_every_field_of_a_state_is_damaged() -> None:
    rules = {*XabithaRules().to_dict(), "reward_scheme"}
    text = " ".join(case[0] for case in DAMAGES)
    assert [n for n in STATE.names if n not in rules | FREE_FIELDS and n not in text] == []


def accepted(engine: XabithaEngine) -> None:
    """The engine takes its own state, and a fresh engine too."""
    state = engine.get_state()
    state["reward"] = 0  # of the last step; see `test_a_state_keeps_its_rewards`
    for other in (engine, engine_for(rules_of(state[0]), outputs=())):
        other.set_state(state)
        assert other.get_state().tobytes() == state.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_every_state_of_play_is_accepted(kind: str) -> None:
    """At every third decision of biased matches, and at their ends."""
    for seed in range(3):
        rules = random_rules(random.Random(seed)) if seed % 2 else {"max_turns": 120}
        for number, (engine, _) in enumerate(walk(seed, {**rules, "num_rounds": 2}, (kind,))):
            if number % 3 == 0 or engine.games["phase"][0] == FORMED:
                accepted(engine)
        accepted(engine)


def with_formation(undo: bool) -> XabithaEngine:
    """Seat 0 has laid a formation, after an undo if asked for; one card is left (X9.2)."""
    hand = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QS".split()
    hands, deck = fill_deal(1, {0: hand, 3: ["4C"]}, "7C 9C 2D 4D".split())
    engine = engine_for({"num_rounds": 1})
    engine.reset(seed=1, deals=[{"starter": 1, "hands": hands, "deck": deck}])
    for seat in (1, 2, 3, 0):
        assert engine.seats[0] == seat
        engine.step([engine.parse("declare:yes" if seat == 0 else "declare:no")])
    while engine.seats[0] != 0:
        draw = engine.games["phase"][0] == DRAWING
        moves = engine.legal_texts()
        own = "discard:4C" if engine.seats[0] == 3 else moves[-1]
        engine.step([engine.parse("draw:deck" if draw else own)])
    undone = ["draw:fire", "discard:4C"] if undo else []
    for move in [*undone, "draw:deck", "formation"]:
        assert move in engine.legal_texts()
        engine.step([engine.parse(move)])
    return engine


@pytest.mark.parametrize("undo", [False, True])
def test_a_formation_that_is_down_is_accepted(undo: bool) -> None:
    """X9.2; also where the fire pile is locked by an undo in the same turn (X4.4)."""
    engine = with_formation(undo)
    assert engine.games["phase"][0] == FORMED and engine.games["fire_locked"][0] == undo
    accepted(engine)


def test_a_match_won_by_a_formation_is_accepted() -> None:
    engine = with_formation(False)
    engine.step([engine.parse(engine.legal_texts()[0])])
    assert engine.over[0] and engine.round_result()["reason"] == "xabitha"
    accepted(engine)


@pytest.mark.parametrize("name", [*XabithaRules().to_dict(), "reward_scheme"])
def test_a_state_of_other_rules_is_refused(name: str) -> None:
    engine = engine_for(rules_of(rich_state()[0]))
    state = rich_state().copy()
    state[name] = state[name] + 1 if name not in ("opening_needs_run", "climbing_threshold") else 0
    with pytest.raises(ValueError, match=f"other rules: {name}"):
        engine.set_state(state)


@pytest.mark.parametrize(
    "state",
    [None, [], np.zeros(1), b"", np.zeros(2, STATE), np.zeros((1, 1), STATE), np.zeros(0, STATE)],
)
def test_what_is_no_state_is_refused(state: Any) -> None:
    with pytest.raises(ValueError, match="state"):
        engine_for().set_state(state)
