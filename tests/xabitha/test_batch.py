"""A match is the same alone or in any batch, goes on from its record, and refuses bad input."""

from __future__ import annotations

import copy
import hashlib
import itertools
import multiprocessing
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xabitha.biased_deals import biased_deal
from tests.xabitha.walks import engine_for
from xabitha_env.batched import OUTPUTS
from xabitha_env.games import make_engine, make_rules
from xabitha_env.protocol import EXTERNAL
from xabitha_env.xabitha.actions import DRAW_DECK, NUM_ACTIONS
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.observation import NUM_RAW_FEATURES
from xabitha_env.xabitha.players import GREEDY, RANDOM
from xabitha_env.xabitha.state import (
    DECLARING,
    STATE,
)

STEPS = 260
SHORT = {"num_rounds": 2, "max_turns": 40}
PLAYERS = np.array([EXTERNAL, RANDOM, GREEDY, EXTERNAL], np.int8)


def all_codes(engine: XabithaEngine, code: int) -> np.ndarray:
    return np.full(engine.num_games, code, np.int8)


def make_move(engine: XabithaEngine, number: int) -> None:
    """One move a game, made in a way that goes by its number."""
    way = number % 4
    places = (number * 7919) % np.maximum(engine.legal_count, 1)
    actions = engine.legal[np.arange(engine.num_games), places]
    if way == 1:
        actions = engine.choose(all_codes(engine, RANDOM))
    elif way == 2:
        actions = engine.choose(all_codes(engine, GREEDY))
    if way == 3:
        engine.advance(np.tile(PLAYERS, (engine.num_games, 1)), actions)
    else:
        engine.step(actions)


def trace(engine: XabithaEngine, steps: int = STEPS) -> list[str]:
    """Play on; for each game a hash of all that its seats to act were shown and given."""
    hashes = [hashlib.sha256() for _ in range(engine.num_games)]
    for number in range(steps):
        for index, digest in enumerate(hashes):
            count = engine.legal_count[index]
            digest.update(engine.observation[index].tobytes() + engine.mask[index].tobytes())
            digest.update(engine.legal[index, :count].tobytes() + bytes([engine.seats.item(index)]))
        make_move(engine, number)
        for index, digest in enumerate(hashes):
            digest.update(engine.rewards[index].tobytes() + bytes([engine.refused.item(index)]))
    return [digest.hexdigest() for digest in hashes]


@cache
def alone(seed: int, auto_restart: bool = False) -> str:
    """The trace of a game on its own."""
    engine = engine_for(SHORT, auto_restart=auto_restart)
    engine.reset(seed=seed)
    return trace(engine)[0]


# --- the same match -------------------------------------------------------------------------


@pytest.mark.parametrize(("games", "threads"), [(1, 1), (2, 3), (5, 2), (7, 1), (7, 3)])
def test_a_game_is_the_same_in_any_batch(games: int, threads: int) -> None:
    """Game k of a batch that was seeded with s is a game alone that was seeded with s + k."""
    engine = engine_for(SHORT, games, threads=threads)
    engine.reset(seed=100)
    assert trace(engine) == [alone(100 + index) for index in range(games)]
    assert engine.over.all()


def test_a_game_is_the_same_at_any_place() -> None:
    """Seeds in any order, one a game."""
    seeds = [105, 100, 103, 103]
    engine = engine_for(SHORT, len(seeds))
    engine.reset(seed=seeds)
    assert trace(engine) == [alone(seed) for seed in seeds]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_matches_that_restart_are_the_same_in_any_batch(threads: int) -> None:
    engine = engine_for(SHORT, 4, threads=threads, auto_restart=True)
    engine.reset(seed=100)
    assert trace(engine) == [alone(100 + index, True) for index in range(4)]
    assert alone(100, True) != alone(100)


def test_seeds_give_different_games() -> None:
    assert len({alone(seed) for seed in range(100, 107)}) == 7


def trace_in_child(seed: int) -> str:
    return alone.__wrapped__(seed)  # type: ignore[attr-defined]


def test_another_process_plays_the_same() -> None:
    """In two processes that were started afresh, at the same time."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        traces = pool.map(trace_in_child, [100, 101], chunksize=1)
    assert traces == [alone(100), alone(101)]


def random_match(outputs: tuple[str, ...], derived: bool = True) -> list[bytes]:
    """The states of a match of random players, by what the engine keeps up to date."""
    engine = engine_for(SHORT, 3, outputs=outputs, derived=derived)
    engine.reset(seed=5)
    states = []
    for number in range(200):
        actions = engine.choose(all_codes(engine, RANDOM if number % 3 else GREEDY))
        engine.step(actions)
        states.append(engine.get_state().tobytes())
    return states


@pytest.mark.parametrize(
    "outputs", [some for size in range(4) for some in itertools.combinations(OUTPUTS, size)]
)
def test_what_is_shown_changes_nothing(outputs: tuple[str, ...]) -> None:
    assert random_match(outputs) == random_match(OUTPUTS)
    engine = engine_for(SHORT, 3, outputs=outputs)
    for name in OUTPUTS:
        assert len(getattr(engine, name)) == (3 if name in outputs else 0)


def test_derived_sections_change_nothing() -> None:
    assert random_match(OUTPUTS, derived=False) == random_match(OUTPUTS)
    full, raw = engine_for(SHORT, 2), engine_for(SHORT, 2, derived=False)
    full.reset(seed=8)
    raw.reset(seed=8)
    for number in range(100):
        assert (full.observation[:, :NUM_RAW_FEATURES] == raw.observation).all()
        assert (full.observe(1, number % 4)[:NUM_RAW_FEATURES] == raw.observe(1, number % 4)).all()
        make_move(full, number)
        make_move(raw, number)


def test_later_deals_do_not_depend_on_play() -> None:
    """Cards of the next round follow from the seed and its starter (X2.3), however one plays."""
    deals: dict[int, list[Any]] = {}
    for seed in range(30):
        engine = engine_for({"num_rounds": 3, "max_turns": 120})
        engine.reset(seed=77)
        rng = random.Random(seed)
        while engine.rounds_played[0] < 2:
            engine.step([int(rng.choice(engine.legal[0, : engine.legal_count[0]]))])
        deals.setdefault(int(engine.games["starter"][0]), []).append(engine.deal_record())
    assert max(map(len, deals.values())) > 5
    assert all(deal == same[0] for same in deals.values() for deal in same)
    decks = [tuple(same[0]["deal"]["deck"]) for same in deals.values()]
    assert len(set(decks)) == 1


def test_reset_of_some_games_leaves_the_others() -> None:
    engine = engine_for(SHORT, 4)
    engine.reset(seed=100)
    for number in range(30):
        make_move(engine, number)
    before, shown = engine.get_state(), engine.observation.copy()
    engine.reset(seed=9, which=[1, 3])
    after = engine.get_state()
    for index in (0, 2):
        assert after[index].tobytes() == before[index].tobytes()
        assert (engine.observation[index] == shown[index]).all()
    assert engine.deal_record(1) == dealt(9) and engine.deal_record(3) == dealt(10)
    engine.reset(seed=9, which=np.array([False, True, False, True]))
    assert engine.get_state().tobytes() == after.tobytes()


def dealt(seed: int) -> dict[str, Any]:
    """The first deal of a fresh game."""
    engine = engine_for(SHORT)
    engine.reset(seed=seed)
    return engine.deal_record()


@pytest.mark.parametrize("seed", [9, 10])
def test_a_game_does_not_depend_on_what_was_played_before(seed: int) -> None:
    """Equal games have equal bytes, also after other matches."""
    engine, fresh = engine_for(SHORT), engine_for(SHORT)
    engine.reset(seed=100)
    trace(engine)
    engine.reset(seed=seed)
    fresh.reset(seed=seed)
    assert engine.get_state().tobytes() == fresh.get_state().tobytes()


def test_a_given_deal_does_not_depend_on_the_one_before() -> None:
    """Equal games have equal bytes, also where the deal was given."""
    engine, fresh = engine_for(SHORT), engine_for(SHORT)
    for other, seed in ((engine, 1), (fresh, 2)):
        other.reset(seed=seed)
        other.set_deal(dealt(3))
        for name in ("deal_word", "shuffle_word", "player_word"):
            other.games[name] = 1
    assert engine.get_state().tobytes() == fresh.get_state().tobytes()


def test_reset_of_no_game_changes_nothing() -> None:
    engine = engine_for(SHORT, 2)
    engine.reset(seed=100)
    before = engine.get_state()
    for none in ([], np.array([False, False]), np.array([], np.int64)):
        engine.reset(which=none)
        engine.reset(seed=3, which=none)
        assert engine.get_state().tobytes() == before.tobytes()


def test_reset_without_a_seed_goes_on_with_the_generator() -> None:
    first, second = engine_for(SHORT), engine_for(SHORT)
    for engine in (first, second):
        engine.reset(seed=1)
        engine.reset()
    assert first.get_state().tobytes() == second.get_state().tobytes()
    start = engine_for(SHORT)
    start.reset(seed=1)
    assert start.deal_record() != first.deal_record()
    assert engine_for(SHORT).deal_record() != engine_for(SHORT).deal_record()


# --- copies ---------------------------------------------------------------------------------


def through_state(engine: XabithaEngine) -> XabithaEngine:
    other = engine_for(SHORT, engine.num_games)
    other.set_state(engine.get_state())
    return other


COPIES: dict[str, Callable[[XabithaEngine], XabithaEngine]] = {
    "copy": lambda engine: engine.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda engine: pickle.loads(pickle.dumps(engine)),
    "state": through_state,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("moves", [0, 1, 17, 60, 300])
def test_copies_go_on_the_same(way: str, moves: int) -> None:
    """At several moments of a match, the end among them, and without a tie to the original."""
    engine = engine_for(SHORT, 3)
    engine.reset(seed=100)
    for number in range(moves):
        make_move(engine, number)
    before = engine.get_state()
    twin = COPIES[way](engine)
    assert twin.get_state().tobytes() == before.tobytes()
    played = trace(twin, 80)
    assert engine.get_state().tobytes() == before.tobytes()
    assert trace(engine, 80) == played


def test_a_state_keeps_its_rewards() -> None:
    """`set_state(get_state())` changes nothing, also where the last step ended a round."""
    engine = engine_for(SHORT)
    engine.reset(seed=100)
    while not engine.rewards.any():
        engine.step(engine.choose(all_codes(engine, GREEDY)))
    before = engine.get_state()
    engine.set_state(before)
    assert engine.get_state().tobytes() == before.tobytes()


def test_copies_show_the_same() -> None:
    """Buffers, rewards and refusals of the last step are those of the original."""
    engine = engine_for(SHORT, 3, derived=False, outputs=("mask", "observation"), threads=2)
    engine.reset(seed=100)
    for _ in range(400):
        engine.step(engine.choose(all_codes(engine, RANDOM)))
        for twin in (engine.copy(), pickle.loads(pickle.dumps(engine))):
            for name in ("mask", "legal_count", "observation", "refused", "rewards", "over"):
                own, other = getattr(engine, name), getattr(twin, name)
                assert own.tobytes() == other.tobytes(), name
        if engine.over.any():
            break
    assert twin.outputs == engine.outputs and twin.threads == 2 and not twin.derived


def test_equal_games_have_equal_bytes() -> None:
    """Records of the same play are the same to the last byte, gaps included."""
    engine = engine_for(SHORT, 2)
    engine.reset(seed=[6, 6])
    for _ in range(120):
        first, second = engine.get_state()
        assert first.tobytes() == second.tobytes()
        assert engine.copy().get_state().tobytes() == engine.get_state().tobytes()
        engine.step(engine.choose(all_codes(engine, RANDOM)))


def test_a_state_is_a_copy() -> None:
    engine = engine_for(SHORT)
    engine.reset(seed=1)
    state = engine.get_state()
    before = state.tobytes()
    engine.step([0])
    assert state.tobytes() == before and state.dtype == STATE
    engine.set_state(state)
    engine.step([0])
    assert state.tobytes() == before


# --- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "actions",
    [[], [1], [1, 2, 3], [[1, 2]], 1, [0.0, 1.0], ["a", "b"], [True, False], None, [None, 1]],
)
def test_actions_of_a_wrong_form_are_refused(actions: Any) -> None:
    engine = engine_for(SHORT, 2)
    engine.reset(seed=1)
    before = engine.get_state()
    with pytest.raises(ValueError, match="actions must be 2 integers"):
        engine.step(actions)
    if actions is not None:
        with pytest.raises(ValueError, match="actions must be 2 integers"):
            engine.advance(np.tile(PLAYERS, (2, 1)), actions)
    assert engine.get_state().tobytes() == before.tobytes()


@pytest.mark.parametrize("action", [-1, -(2**63), NUM_ACTIONS, 2**31, 2**63 - 1, 5])
def test_illegal_actions_change_nothing(action: int) -> None:
    """X4.6, also for numbers that are no action; the other game goes on."""
    engine = engine_for(SHORT, 2)
    engine.reset(seed=1)
    before, shown = engine.get_state(), engine.observation.copy()
    assert engine.step([action, 0]).tolist() == [True, False]
    assert engine.get_state()[0].tobytes() == before[0].tobytes()
    assert engine.get_state()[1].tobytes() != before[1].tobytes()
    assert (engine.observation[0] == shown[0]).all()
    refusal = engine.refusal(action)
    assert refusal is not None and refusal.rule in refusal.message


@pytest.mark.parametrize("shape", [(2,), (2, 3), (1, 4), (4, 2)])
def test_codes_of_a_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="codes"):
        engine_for(SHORT, 2).advance(np.zeros(shape, np.int8))


def finished(**options: Any) -> XabithaEngine:
    """Two games, the first of them over."""
    engine = engine_for({"num_rounds": 1, "max_turns": 8}, 2, **options)
    engine.reset(seed=1)
    for _ in range(5):
        engine.step([-1, 0])
    while not engine.over[0]:
        engine.step([engine.choose(all_codes(engine, RANDOM))[0], -1])
    return engine


def test_a_finished_match_ignores_its_action() -> None:
    engine = finished()
    assert engine.legal_count[0] == 0 and not engine.mask[0].any()
    assert engine.choose(all_codes(engine, RANDOM))[0] == -1
    before = engine.get_state()
    before["reward"] = 0
    for action in (-1, 0, DRAW_DECK):
        assert engine.step([action, -1]).tolist() == [True, True]
        engine.advance(np.full((2, 4), EXTERNAL, np.int8), [action, -1])
        assert engine.refused.tolist() == [True, True]
        assert engine.get_state().tobytes() == before.tobytes()
    refusal = engine.refusal(0)
    assert refusal is not None and "over" in refusal.message


def test_a_finished_match_restarts_where_asked() -> None:
    """The step that would act deals the next match, with the next cards of its generator."""
    engine = finished(auto_restart=True)
    deal = engine.get_state()["deck"][0].copy()
    assert not engine.step([-1, -1])[0]
    assert not engine.over[0] and engine.games["phase"][0] == DECLARING
    assert engine.rounds_played[0] == 0 and not engine.rewards[0].any()
    assert (engine.games["deck"][0] != deal).any()
    assert engine.legal_count[0] == 2


@pytest.mark.parametrize(
    ("seed", "which"), [(-1, None), ([1], None), ([1, 2, 3], None), ([1, 2], [0]), ([1, -2], None)]
)
def test_seeds_that_do_not_fit_are_refused(seed: Any, which: Any) -> None:
    engine = engine_for(SHORT, 2)
    engine.reset(seed=1)
    before = engine.get_state()
    with pytest.raises(ValueError, match="seed"):
        engine.reset(seed=seed, which=which)
    assert engine.get_state().tobytes() == before.tobytes()


def test_deals_that_do_not_fit_are_refused() -> None:
    starter, hands, deck = biased_deal(random.Random(1), "uniform")
    good = {"starter": starter, "hands": hands, "deck": deck}
    engine = engine_for(SHORT, 2)
    engine.reset(seed=1)
    before = engine.get_state()
    swapped = {**good, "deck": [deck[0], *deck[:-1]]}
    for deals in ([good], [good, swapped], [good, {}], [good, 3], [good, {**good, "starter": 4}]):
        with pytest.raises(ValueError):
            engine.reset(seed=4, deals=deals)
        assert engine.get_state().tobytes() == before.tobytes()
    engine.reset(seed=4, deals=[good, None])
    assert engine.deal_record()["deal"]["deck"] == deck


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_games": 0}, "num_games"),
        ({"num_games": 1.5}, "num_games"),
        ({"threads": 0}, "threads"),
        ({"outputs": ["masks"]}, "outputs"),
        ({"reward": "points"}, "team_difference"),
        ({"rules": {"opening_points": 60}}, "XabithaRules"),
        ({"rules": make_rules("xeri")}, "XabithaRules"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make_engine("xabitha", **options)


# Read by a process of its own, which compiled code that reads outside its arrays may kill.
NOT_THERE = """
import numpy as np
from xabitha_env.games import make_engine

engine = make_engine("xabitha", 2)
engine.reset(seed=1)
calls = {
    "observe(2, 0)": lambda: engine.observe(2, 0),
    "observe(0, 4)": lambda: engine.observe(0, 4),
    "observe(0, -1)": lambda: engine.observe(0, -1),
    "observe(0, 0, out) with short out": lambda: engine.observe(0, 0, np.zeros(9, np.int8)),
    "global_state(2)": lambda: engine.global_state(2),
    "choose for one game": lambda: engine.choose(np.zeros(1, np.int8)),
    "legal_texts(2)": lambda: engine.legal_texts(2),
    "text(0, 2)": lambda: engine.text(700, 2),
    "observe(-9, 0)": lambda: engine.observe(-9, 0),
}
for name, call in calls.items():
    try:
        call()
    except (ValueError, IndexError):
        continue
    print(name, flush=True)
"""


def test_games_and_seats_that_are_not_there_are_refused() -> None:
    """With an error, and never with what happens to lie in memory."""
    done = subprocess.run([sys.executable, "-c", NOT_THERE], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr[-500:]
