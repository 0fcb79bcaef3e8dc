"""The player `expert`: legal everywhere, and what it is said to do, whatever its weights."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.reference.xabitha import JOKER
from tests.xabitha.biased_deals import biased_deal
from tests.xabitha.hidden import rules_of
from tests.xabitha.kernels import mask_cards
from tests.xabitha.test_reading import on_table
from tests.xabitha.walks import engine_for, sample_states, walk, walks
from xabitha_env.cards import card_text
from xabitha_env.xabitha.actions import DISCARD, MELD
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import EXPERT, GREEDY, PLAYER_CODES, RANDOM
from xabitha_env.xabitha.state import PLAYING

CODE = np.full(1, EXPERT, np.int8)


def move_of(engine: XabithaEngine) -> str:
    return engine.text(int(engine.choose(CODE)[0]))


def hand_of(game: Any) -> Counter[str]:
    seat = int(game["seat"])
    return mask_cards(game["hand_one"][seat], game["hand_two"][seat])


def own_turn(engine: XabithaEngine) -> Iterator[str]:
    """Let the seat to act play its turn; yields its moves."""
    seat, turn, rounds = engine.seats[0], int(engine.games["turn"][0]), int(engine.rounds_played[0])
    while engine.seats[0] == seat and engine.games["turn"][0] == turn:
        move = move_of(engine)
        yield move
        assert not engine.step([engine.parse(move)])[0]
        if engine.rounds_played[0] != rounds:
            return


# --- legal ----------------------------------------------------------------------------------

RULES = [
    {"opening_needs_run": False, "opening_points": 1},
    {"opening_points": 140, "climbing_threshold": False},
    {"max_reshuffles": 0, "max_turns": 300},
    {"ace_high_points": 0, "ace_low_points": 20, "threshold_step": 20},
]


def test_choices_are_legal_in_situations_of_all_kinds() -> None:
    """By all rules, also in situations that it would not get into, and without chance."""
    seen = 0
    matches = [
        walks(range(24)),
        *(walk(seed, {**r, "num_rounds": 1}) for seed, r in enumerate(RULES)),
    ]
    for match in matches:
        for engine, _ in match:
            before = engine.get_state()
            assert engine.refusal(int(engine.choose(CODE)[0])) is None
            assert engine.get_state().tobytes() == before.tobytes()
            seen += 1
    assert seen > 5000


@pytest.mark.parametrize("rules", [{}, *RULES])
@pytest.mark.parametrize("other", [EXPERT, RANDOM, GREEDY])
def test_choices_are_legal_in_its_own_games(rules: dict[str, Any], other: int) -> None:
    """At tables with biased deals; compiled play does not check them again."""
    rng = random.Random(1)
    kinds = ("near_opening", "joker_rich", "near_formation", "sets", "uniform")
    deals = [biased_deal(rng, kinds[number % 5]) for number in range(40)]
    engine = engine_for({**rules, "num_rounds": 1}, 40, outputs=("legal",))
    engine.reset(
        seed=1, deals=[{"starter": s, "hands": hands, "deck": deck} for s, hands, deck in deals]
    )
    codes = np.array([EXPERT, other] * 2, np.int8)
    for _ in range(3000):
        if engine.over.all():
            break
        actions = engine.choose(codes[engine.seats])
        refused = engine.step(np.where(engine.over, 0, actions))
        assert not (refused & ~engine.over).any()
    assert engine.over.mean() > 0.9


@cache
def states() -> np.ndarray:
    return sample_states(range(16), 1, rules={"max_turns": 200})


@pytest.mark.parametrize("name", [name for name in PLAYER_CODES if name != "random"])
def test_choices_are_the_same_alone_and_in_any_batch(name: str) -> None:
    games, code = states(), PLAYER_CODES[name]
    rules = rules_of(games[0])
    batch, alone = engine_for(rules, len(games), outputs=()), engine_for(rules)
    batch.set_state(games)
    together = batch.choose(np.full(len(games), code, np.int8))
    assert len(set(together.tolist())) > 20
    for state, action in zip(games.reshape(-1, 1), together):
        alone.set_state(state)
        assert alone.choose(np.full(1, code, np.int8))[0] == action


# --- the table ------------------------------------------------------------------------------


def goes_out(engine: XabithaEngine, seen: set[bytes]) -> bool:
    """Whether some moves on the table leave one card (X4.7); tries all."""
    game = engine.games[0]
    if game["hand_count"][game["seat"]] == 1:
        return True
    fields = ("hand_one", "hand_two", "slot_low", "slot_high", "slot_suits", "slot_jokers")
    key = b"".join(game[name].tobytes() for name in fields)
    if key in seen:
        return False
    seen.add(key)
    legal = engine.legal[0, : engine.legal_count[0]]
    for action in legal[(legal >= MELD) & (legal < DISCARD)].tolist():
        ahead = engine.copy()
        ahead.step([action])
        if goes_out(ahead, seen):
            return True
    return False


def test_it_goes_out_when_it_can() -> None:
    """X4.7: always when no joker is about, else nearly always (not if it must steal first)."""
    seen: Counter[tuple[bool, bool]] = Counter()
    for engine, _ in walks(range(100, 170), outputs=("legal",)):
        game, seat = engine.games[0], int(engine.seats[0])
        down = game["phase"] == PLAYING and game["opened"][seat] and game["taken"] < 0
        if not down or game["hand_count"][seat] > 8 or not goes_out(engine.copy(), set()):
            continue
        plain = JOKER not in hand_of(game) + on_table(game)
        rounds, ahead = int(game["rounds"]), engine.copy()
        for _ in own_turn(ahead):
            pass
        won = ahead.rounds_played[0] > rounds and ahead.games["last_winner"][0] == seat
        seen[plain, bool(won)] += 1
    print(seen)
    assert seen[True, True] > 20 and not seen[True, False]
    assert seen[False, True] > 10 * seen[False, False]


def test_it_steals_rather_than_adds_the_card() -> None:
    """X8.1: where both are legal with one card, unless it goes out at once."""
    both = 0
    for engine, _ in walks(range(60), kinds=("joker_rich", "sets")):
        moves = engine.legal_texts()
        steals = {move[6:8] for move in moves if move.startswith("steal")}
        adds = {move[4:6] for move in moves if move.startswith("add")}
        move = move_of(engine)
        if steals and move.startswith("add"):
            assert goes_out(engine.copy(), set()), f"{move} with {moves}"
        both += bool(steals & adds) and move.startswith("steal")
    assert both > 20


def test_it_keeps_jokers_and_takes_while_it_can() -> None:
    """It throws a joker only when no card is left but a pending take (X4.4), and undoes last."""
    seen: Counter[str] = Counter()
    for engine, _ in walks(range(40)):
        game = engine.games[0]
        if game["phase"] != PLAYING:
            continue
        move, hand = move_of(engine), hand_of(game)
        taken = card_text(int(game["taken"])) if game["taken"] >= 0 else ""
        if move == f"discard:{JOKER}":
            assert set(hand) <= {JOKER, taken}
            seen["joker"] += 1
        if move == f"discard:{taken}":
            assert set(hand) == {taken}
        seen["kept"] += JOKER in hand and move.startswith("discard")
        seen["pending"] += bool(taken) and move.startswith("discard")
    assert seen["kept"] > 100 and seen["pending"] > 20, seen


def test_it_takes_a_joker() -> None:
    taken = 0
    for engine, _ in walks(range(30), kinds=("joker_rich",)):
        game = engine.games[0]
        top = int(game["fire"][game["fire_count"] - 1]) if game["fire_count"] else -1
        if "draw:fire" in engine.legal_texts() and top >= 0 and card_text(top) == JOKER:
            assert game["declared"][game["seat"]] or move_of(engine) == "draw:fire"
            taken += 1
    assert taken > 10
