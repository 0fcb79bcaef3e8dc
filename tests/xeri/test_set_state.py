"""Records that no game can be in are refused, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xeri.biased_deals import KINDS
from tests.xeri.hidden import has_public_card, rules_of
from tests.xeri.walks import engine_for, walk, walk_rules
from xabitha_env.cards import JACK, rank_of
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.rules import XeriRules
from xabitha_env.xeri.state import STATE
from xabitha_env.xeri.validate import hand_kinds

SHOWN = {"num_rounds": 3, "show_bottom_card": True}
TARGET = {"target_score": 20, "extended_target_score": 40}


@cache
def rich_state(second_deal: bool = False) -> np.ndarray:
    """A state of the second round with something in every field.

    In the second deal the dealer still holds the bottom card, and all hands are equal.
    """
    for seed in range(100):
        for engine, _ in walk(seed, SHOWN):
            game = engine.games[0]
            late = has_public_card(game) and game["plays"] in (28, 32, 36)
            early = 10 < game["plays"] < 20 and game["pile_count"] > 2
            full = game["captured"].all() and game["xeri_count"].all()
            if game["rounds"] == 1 and (late if second_deal else early and full):
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


def move_card(game: Any) -> None:
    """A card goes from one hand to another."""
    card = 1 << hand_kinds(game, 1)[0]
    game["hand"][1] -= card
    game["hand"][2] += card


def two_hands_for_one(game: Any) -> None:
    game["hand"][1] = game["hand"][0]


def stock_to_pile(game: Any) -> None:
    game["stock_count"] -= 1
    game["pile"][game["pile_count"]] = game["stock"][game["stock_count"]]
    game["pile_count"] += 1


def played_by_another(game: Any) -> None:
    """What one seat has played is said of another, too."""
    dealer = int(game["dealer"])
    seats = [(dealer + step) % 4 for step in (2, 3)]
    counts = [int(game["played"][seat]).bit_count() for seat in seats]
    assert counts[0] >= counts[1]
    cards = int(game["played"][seats[0]])
    while cards.bit_count() > counts[1]:
        cards &= cards - 1
    game["played"][seats[1]] = cards


def played_and_held(game: Any) -> None:
    count = int(game["played"][1]).bit_count()
    game["played"][1] = sum(1 << kind for kind in hand_kinds(game, 2)[:count])


def nobody_has_captured(game: Any) -> None:
    game["last_capturer"] = -1


def the_other_team_captured_all(game: Any) -> None:
    team = int(game["last_capturer"]) % 2
    game["captured"][1 - team] |= game["captured"][team]
    game["captured"][team] = 0


def bottom_card_elsewhere(game: Any) -> None:
    stock = game["stock"]
    stock[0], stock[1] = int(stock[1]), int(stock[0])


def a_jack_at_the_bottom(game: Any) -> None:
    """A jack, wherever it is, changes places with the card at the bottom of the stock."""
    own = int(game["stock"][0])
    jack = next(kind for kind in range(52) if rank_of(kind) == JACK)
    for name in ("hand", "captured", "played"):
        for place in range(len(game[name])):
            if game[name][place] >> jack & 1:
                game[name][place] ^= 1 << jack | 1 << own
    for name, count in (("stock", "stock_count"), ("pile", "pile_count")):
        row = game[name][: game[count]]
        row[row == jack] = own
    game["stock"][0] = game["bottom_card"] = jack


Damage = tuple[str, Callable[[Any], None], str]
DAMAGES: list[Damage] = [
    ("deal_word", put("deal_word", 0), "deal_word"),
    ("player_word", put("player_word", 0), "player_word"),
    ("rounds below 0", put("rounds", -1), "rounds"),
    ("rounds of a game that is over", put("rounds", 3), "over"),
    ("totals", put("totals", -1, 0), "totals"),
    ("round_wins below 0", put("round_wins", -1, 0), "round_wins"),
    ("round_wins", put("round_wins", 2, 1), "round_wins"),
    ("extended", put("extended", True), "extended"),
    ("over", put("over", True), "over"),
    ("reward", put("reward", np.nan, 0), "reward"),
    ("dealer", put("dealer", 4), "dealer"),
    ("dealer of other hands", put("dealer", 0), "seat"),
    ("seat", put("seat", -1), "seat"),
    ("plays", put("plays", 49), "plays"),
    ("plays too few", put("plays", 3), ""),
    ("hand", put("hand", 1 << 52, 1), "hand"),
    ("hand of another", two_hands_for_one, "cards"),
    ("hand too large", move_card, "holds"),
    ("stock", put("stock", 52, 0), "stock"),
    ("stock of one kind", put("stock", 7), "cards"),
    ("stock_count below 0", put("stock_count", -1), "stock_count"),
    ("stock_count", put("stock_count", 2), "cards"),
    ("stock_count of cards in the pile", stock_to_pile, "stock_count"),
    ("bottom_card", put("bottom_card", 52), "bottom_card"),
    ("bottom_card none", put("bottom_card", -1), "bottom_card"),
    ("bottom_card elsewhere", bottom_card_elsewhere, "bottom_card"),
    ("bottom_card a jack", a_jack_at_the_bottom, "bottom_card"),
    ("pile", put("pile", -1, 0), "pile"),
    ("pile of one kind", put("pile", 3), "cards"),
    ("pile_count", put("pile_count", 53), "pile_count"),
    ("pile_count too small", put("pile_count", 1), "cards"),
    ("captured", put("captured", -1, 0), "captured"),
    ("captured nothing", put("captured", 0, 0), "cards"),
    ("captured by others", the_other_team_captured_all, "last_capturer"),
    ("xeris", put("xeris", 3, (0, 0)), "xeris"),
    ("xeris fewer", put("xeris", 0, (0, 0)), "xeris"),
    ("xeri_count", put("xeri_count", 25, 0), "xeri_count"),
    ("xeri_count too large", put("xeri_count", 24, 0), "xeri"),
    ("last_capturer", put("last_capturer", 4), "last_capturer"),
    ("last_capturer nobody", nobody_has_captured, "last_capturer"),
    ("played", put("played", 1 << 52, 0), "played"),
    ("played nothing", put("played", 0, 0), "played"),
    ("played twice", played_by_another, "played"),
    ("played and held", played_and_held, "played"),
    ("last_points", put("last_points", -1, 0), "last_points"),
    ("last_cards", put("last_cards", 53, 0), "last_cards"),
    ("last_xeris", put("last_xeris", 3, (1, 0)), "last_xeris"),
    ("last_xeri_count", put("last_xeri_count", -1, 0), "last_xeri_count"),
    ("last_winner", put("last_winner", 2), "last_winner"),
]


def assert_refused(state: np.ndarray, damage: Callable[[Any], None], named: str) -> None:
    """With the second of two games damaged; nothing changes and the problem is named."""
    rules = rules_of(state[0])
    engine = engine_for(rules, 2)
    engine.reset(seed=1)
    before, shown = engine.get_state(), engine.observation.copy()
    both = np.concatenate([state, state])
    engine_for(rules, 2).set_state(both)
    damage(both[1])
    with pytest.raises(ValueError, match=f"game 1 .*{named}"):
        engine.set_state(both)
    assert engine.get_state().tobytes() == before.tobytes()
    assert (engine.observation == shown).all()


@pytest.mark.parametrize(
    ("damage", "named"), [case[1:] for case in DAMAGES], ids=[d[0] for d in DAMAGES]
)
def test_a_damaged_state_is_refused(damage: Callable[[Any], None], named: str) -> None:
    assert_refused(rich_state(), damage, named)


@pytest.mark.parametrize(("damage", "named"), [
    (put("stock_count", 1), "cards"),
    (move_card, "holds"),
    (lambda game: game["hand"].__setitem__(slice(None), np.roll(game["hand"], 2)), "bottom_card"),
])  # fmt: skip
def test_a_damaged_state_of_the_second_deal_is_refused(
    damage: Callable[[Any], None], named: str
) -> None:
    assert_refused(rich_state(second_deal=True), damage, named)


@cache
def target_state(extended: bool) -> np.ndarray:
    """A state of a game with a target (R5.2) that has gone on for a round at least."""
    for seed in range(100):
        for engine, _ in walk(seed, TARGET):
            game = engine.games[0]
            if game["rounds"] and game["extended"] == extended and game["totals"].any():
                return engine.get_state()
    raise AssertionError("no such state")


@pytest.mark.parametrize(("extended", "damage", "named"), [
    (False, put("totals", [20, 3]), "over"),
    (False, put("totals", [20, 25]), "extended"),
    (False, put("extended", True), "extended"),
    (True, put("extended", False), "extended"),
    (True, put("totals", [40, 39]), "over"),
    (True, put("totals", [45, 44]), "over"),
    (True, put("totals", [19, 25]), "extended"),
])  # fmt: skip
def test_points_that_would_have_ended_the_game_are_refused(
    extended: bool, damage: Callable[[Any], None], named: str
) -> None:
    """R5.2."""
    assert_refused(target_state(extended), damage, named)


def test_even_points_at_the_extended_target_are_accepted() -> None:
    """R5.2: equal totals play another round."""
    state = target_state(True).copy()
    state["totals"] = 41
    engine_for(TARGET).set_state(state)


def test_every_field_of_a_state_is_damaged() -> None:
    rules = {*XeriRules().to_dict(), "reward_scheme"}
    text = " ".join(case[0] for case in DAMAGES)
    assert [name for name in STATE.names if name not in rules and name not in text] == []


def accepted(engine: XeriEngine) -> None:
    """The engine takes its own state, and a fresh engine too."""
    state = engine.get_state()
    for other in (engine, engine_for(rules_of(state[0]), outputs=())):
        other.set_state(state)
        after = other.get_state()
        after["reward"] = state["reward"]
        assert after.tobytes() == state.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_every_state_of_play_is_accepted(kind: str) -> None:
    """At every third decision of biased games, around the second deal, and at their ends."""
    ends = 0
    for seed in range(6):
        for number, (engine, _) in enumerate(walk(seed, walk_rules(seed), (kind,))):
            if number % 3 == 0 or engine.games["plays"][0] in (23, 24, 25, 47):
                accepted(engine)
        accepted(engine)
        ends += bool(engine.over[0])
    assert ends > 3


@pytest.mark.parametrize("name", [*XeriRules().to_dict(), "reward_scheme"])
def test_a_state_of_other_rules_is_refused(name: str) -> None:
    engine = engine_for(rules_of(rich_state()[0]))
    state = rich_state().copy()
    switch = isinstance(XeriRules().to_dict().get(name), bool)
    state[name] = 1 - state[name] if switch else state[name] + 5
    with pytest.raises(ValueError, match=f"other rules: {name}"):
        engine.set_state(state)


@pytest.mark.parametrize(
    "state",
    [None, [], np.zeros(1), b"", np.zeros(2, STATE), np.zeros((1, 1), STATE), np.zeros(0, STATE)],
)
def test_what_is_no_state_is_refused(state: Any) -> None:
    with pytest.raises(ValueError, match="state"):
        engine_for().set_state(state)
