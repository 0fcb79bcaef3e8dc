"""A game is the same alone or in any batch, goes on from its record, and refuses bad input."""

from __future__ import annotations

import copy
import hashlib
import itertools
import multiprocessing
import pickle
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xeri.biased_deals import biased_deal
from tests.xeri.walks import as_head, engine_for
from xabitha_env.batched import OUTPUTS
from xabitha_env.protocol import EXTERNAL
from xabitha_env.xeri.actions import NUM_ACTIONS
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.observation import NUM_RAW_FEATURES
from xabitha_env.xeri.players import COUNTING, GREEDY, RANDOM
from xabitha_env.xeri.state import STATE

STEPS = 120
SHORT = {"num_rounds": 2, "show_bottom_card": True}
PLAYERS = np.array([EXTERNAL, RANDOM, COUNTING, EXTERNAL], np.int8)
CODES = (RANDOM, GREEDY, COUNTING)


def all_codes(engine: XeriEngine, code: int) -> np.ndarray:
    return np.full(engine.num_games, code, np.int8)


def make_move(engine: XeriEngine, number: int) -> None:
    """One move a game, made in a way that goes by its number."""
    way = number % 5
    places = (number * 7919) % np.maximum(engine.legal_count, 1)
    actions = engine.legal[np.arange(engine.num_games), places]
    if way == 4:
        engine.advance(np.tile(PLAYERS, (engine.num_games, 1)), actions)
        return
    engine.step(actions if way == 3 else engine.choose(all_codes(engine, CODES[way])))


def trace(engine: XeriEngine, steps: int = STEPS) -> list[str]:
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


# --- the same game --------------------------------------------------------------------------


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
def test_games_that_restart_are_the_same_in_any_batch(threads: int) -> None:
    engine = engine_for(SHORT, 4, threads=threads, auto_restart=True)
    engine.reset(seed=100)
    assert trace(engine) == [alone(100 + index, True) for index in range(4)]
    assert alone(100, True) != alone(100)


def test_seeds_give_different_games() -> None:
    assert len({alone(seed) for seed in range(100, 107)}) == 7


def trace_in_child(seed: int) -> str:
    return alone.__wrapped__(seed)  # type: ignore[attr-defined]


def test_another_process_plays_the_same() -> None:
    """In a process that was started afresh."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(trace_in_child, [100, 101]) == [alone(100), alone(101)]


def players_game(outputs: tuple[str, ...], derived: bool = True) -> list[bytes]:
    """The states of a game of compiled players, by what the engine keeps up to date."""
    engine = engine_for(SHORT, 3, outputs=outputs, derived=derived)
    engine.reset(seed=5)
    states = []
    for number in range(100):
        engine.step(engine.choose(all_codes(engine, CODES[number % 3])))
        states.append(engine.get_state().tobytes())
    return states


@pytest.mark.parametrize(
    "outputs", [some for size in range(4) for some in itertools.combinations(OUTPUTS, size)]
)
def test_what_is_shown_changes_nothing(outputs: tuple[str, ...]) -> None:
    assert players_game(outputs) == players_game(OUTPUTS)
    engine = engine_for(SHORT, 3, outputs=outputs)
    for name in OUTPUTS:
        assert len(getattr(engine, name)) == (3 if name in outputs else 0)


def test_derived_sections_change_nothing() -> None:
    assert players_game(OUTPUTS, derived=False) == players_game(OUTPUTS)
    full, raw = engine_for(SHORT, 2), engine_for(SHORT, 2, derived=False)
    full.reset(seed=8)
    raw.reset(seed=8)
    for number in range(100):
        assert (full.observation[:, :NUM_RAW_FEATURES] == raw.observation).all()
        assert (full.observe(1, number % 4)[:NUM_RAW_FEATURES] == raw.observe(1, number % 4)).all()
        make_move(full, number)
        make_move(raw, number)


@pytest.mark.parametrize("rules", [{"num_rounds": 4}, {"num_rounds": 4, "show_bottom_card": True}])
def test_later_deals_do_not_depend_on_play(rules: dict[str, Any]) -> None:
    """Cards and dealers of the next rounds follow from the seed (R1.2), however one plays."""
    deals = []
    for seed in range(6):
        engine = engine_for(rules)
        engine.reset(seed=77)
        rng = random.Random(seed)
        heads = [engine.deal_record()]
        while engine.rounds_played[0] < 3:
            engine.step([int(rng.choice(engine.legal[0, : engine.legal_count[0]]))])
            if engine.games["plays"][0] == 0:
                heads.append(engine.deal_record())
        deals.append(heads)
    assert all(heads == deals[0] for heads in deals)
    dealers = [head["dealer"] for head in deals[0]]
    assert dealers == [(dealers[0] + number) % 4 for number in range(4)]
    assert len({str(head["deal"]) for head in deals[0]}) == 4


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
    """Equal games have equal bytes, also after other games."""
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
        for name in ("deal_word", "player_word"):
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


def through_state(engine: XeriEngine) -> XeriEngine:
    other = engine_for(SHORT, engine.num_games)
    other.set_state(engine.get_state())
    return other


COPIES: dict[str, Callable[[XeriEngine], XeriEngine]] = {
    "copy": lambda engine: engine.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda engine: pickle.loads(pickle.dumps(engine)),
    "state": through_state,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("moves", [0, 1, 17, 48, 60, 150])
def test_copies_go_on_the_same(way: str, moves: int) -> None:
    """At several moments of a game, the end among them, and without a tie to the original."""
    engine = engine_for(SHORT, 3)
    engine.reset(seed=100)
    for number in range(moves):
        make_move(engine, number)
    before = engine.get_state()
    twin = COPIES[way](engine)
    assert twin.get_state().tobytes() == before.tobytes()
    played = trace(twin, 40)
    assert engine.get_state().tobytes() == before.tobytes()
    assert trace(engine, 40) == played


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
    while not engine.over.any():
        engine.step(engine.choose(all_codes(engine, RANDOM)))
        for twin in (engine.copy(), pickle.loads(pickle.dumps(engine))):
            for name in ("mask", "legal_count", "observation", "refused", "rewards", "over"):
                own, other = getattr(engine, name), getattr(twin, name)
                assert own.tobytes() == other.tobytes(), name
    assert twin.outputs == engine.outputs and twin.threads == 2 and not twin.derived


def test_equal_games_have_equal_bytes() -> None:
    """Records of the same play are the same to the last byte, gaps included."""
    engine = engine_for(SHORT, 2)
    engine.reset(seed=[6, 6])
    for _ in range(96):
        first, second = engine.get_state()
        assert first.tobytes() == second.tobytes()
        assert engine.copy().get_state().tobytes() == engine.get_state().tobytes()
        engine.step(engine.choose(all_codes(engine, RANDOM)))


def test_a_state_is_a_copy() -> None:
    engine = engine_for(SHORT)
    engine.reset(seed=1)
    state = engine.get_state()
    before = state.tobytes()
    assert state.dtype == STATE
    for _ in range(2):
        engine.step([int(engine.legal[0, 0])])
        assert state.tobytes() == before
        engine.set_state(state)


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


@pytest.mark.interpreted
@pytest.mark.parametrize("action", [-1, -(2**63), NUM_ACTIONS, 63, 64, 2**31, 2**63 - 1, None])
def test_illegal_actions_change_nothing(action: int | None) -> None:
    """R6, also for numbers that are no action; the other game goes on."""
    engine = engine_for(SHORT, 2)
    engine.reset(seed=1)
    if action is None:  # a card that is not in hand
        action = int(np.flatnonzero(engine.mask[0] == 0)[0])
    before, shown = engine.get_state(), engine.observation.copy()
    assert engine.step([action, int(engine.legal[1, 0])]).tolist() == [True, False]
    assert engine.get_state()[0].tobytes() == before[0].tobytes()
    assert engine.get_state()[1].tobytes() != before[1].tobytes()
    assert (engine.observation[0] == shown[0]).all()
    refusal = engine.refusal(action)
    assert refusal is not None and refusal.rule == "R6" and refusal.rule in refusal.message


@pytest.mark.parametrize("shape", [(2,), (2, 3), (1, 4), (4, 2)])
def test_codes_of_a_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="codes"):
        engine_for(SHORT, 2).advance(np.zeros(shape, np.int8))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"reward": "own_penalties"}, "team_difference"),
        ({"outputs": ("masks",)}, "outputs"),
        ({"threads": 0}, "threads"),
        ({"num_games": 0}, "num_games"),
    ],
)
def test_options_that_are_out_of_range_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        engine_for(**options)


def finished(**options: Any) -> XeriEngine:
    """Two games, the first of them over."""
    engine = engine_for({"num_rounds": 1}, 2, **options)
    engine.reset(seed=1)
    while not engine.over[0]:
        engine.step([engine.choose(all_codes(engine, RANDOM))[0], -1])
    return engine


def test_a_finished_game_ignores_its_action() -> None:
    engine = finished()
    assert engine.legal_count[0] == 0 and not engine.mask[0].any()
    assert engine.choose(all_codes(engine, RANDOM))[0] == -1
    before = engine.get_state()
    before["reward"] = 0
    for action in (-1, 0, 17):
        assert engine.step([action, -1]).tolist() == [True, True]
        engine.advance(np.full((2, 4), EXTERNAL, np.int8), [action, -1])
        assert engine.refused.tolist() == [True, True]
        assert engine.get_state().tobytes() == before.tobytes()
    refusal = engine.refusal(0)
    assert refusal is not None and "over" in refusal.message


def test_a_finished_game_restarts_where_asked() -> None:
    """The step that would act deals the next game, with the next cards of its generator."""
    engine = finished(auto_restart=True)
    assert engine.games["totals"][0].any()
    word = engine.games["deal_word"][0]
    assert not engine.step([-1, -1])[0]
    assert not engine.over[0] and engine.games["plays"][0] == 0
    assert engine.rounds_played[0] == 0 and not engine.rewards[0].any()
    assert not engine.games["totals"][0].any() and engine.games["deal_word"][0] != word
    assert engine.legal_count[0] == 6


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


# --- deals given and refused ----------------------------------------------------------------

OPEN: dict[str, Any] = {"num_rounds": 2, "redeal_pile": False}
SHOWN: dict[str, Any] = {**OPEN, "show_bottom_card": True}


def given(kind: str = "uniform", rules: dict[str, Any] = OPEN, seed: int = 1) -> dict[str, Any]:
    """The head of a round by these rules, as a record has it."""
    return as_head(biased_deal(random.Random(seed), kind, rules))


def change(deal: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The deal with another value in a place such as ``deal.pile``; None takes it away."""
    new = copy.deepcopy(deal)
    *steps, last = path.split(".")
    place = new
    for step in steps:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return new


def assert_refused(rules: dict[str, Any], deal: Any, named: str) -> None:
    """A deal that cannot be is refused by `set_deal` and `reset`, and nothing changes."""
    engine = engine_for(rules, 2)
    engine.reset(seed=1)
    before = engine.get_state()
    with pytest.raises(ValueError, match=named):
        engine.set_deal(deal, 1)
    with pytest.raises(ValueError, match=named):
        engine.reset(seed=4, deals=[None, deal])
    assert engine.get_state().tobytes() == before.tobytes()


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("dealer", None, "no 'dealer'"),
        ("dealer", 4, "dealer"),
        ("dealer", True, "dealer"),
        ("dealer", "0", "dealer"),
        ("deal.hands", None, "no 'hands'"),
        ("deal.hands", [[], [], []], "4 lists"),
        ("deal.hands", "2C", "4 lists"),
        ("deal.hands", [["2C"] * 7, *[["2C"] * 6] * 3], r"hands\[0\] must have 6 cards"),
        ("deal.hands", [["2C"] * 6] * 4, "not the 52 cards"),
        ("deal.hands", [["1C"] * 6] * 4, r"hands\[0\]: '1C' is no card"),
        ("deal.pile", None, "no 'pile'"),
        ("deal.pile", ["2C"] * 5, "pile must have 4 cards"),
        ("deal.pile", "2C3C", "pile must be a list"),
        ("deal.pile", ["JK"] * 4, "not the 52 cards"),
        ("deal.stock", None, "no 'stock'"),
        ("deal.stock", ["2C"] * 23, "stock must have 24 cards"),
        ("deal.stock", ["2C"] * 24, "not the 52 cards"),
        ("bottom_card", "2C", "the rules show none"),
    ],
)
def test_deals_that_cannot_be_are_refused(path: str, value: Any, named: str) -> None:
    """R1.1, R2.1; what is wrong is named."""
    assert_refused(OPEN, change(given(), path, value), named)


@pytest.mark.parametrize("deal", [3, None, [], "deal"])
def test_what_is_no_deal_is_refused(deal: Any) -> None:
    engine = engine_for(OPEN)
    with pytest.raises(ValueError, match="a deal is a mapping"):
        engine.set_deal(deal)


@pytest.mark.parametrize("kind", ["equal_pile", "jack_pile"])
def test_piles_that_are_dealt_anew_are_refused(kind: str) -> None:
    """R2.2; with the variation they are accepted."""
    rng = random.Random(kind)
    engine = engine_for(OPEN)
    refused = 0
    for _ in range(30):
        deal = as_head(biased_deal(rng, kind, OPEN))
        engine.set_deal(deal)
        assert engine.deal_record()["deal"]["pile"] == deal["deal"]["pile"]
        pile = deal["deal"]["pile"]
        if pile[-1][0] == "J" or len({card[0] for card in pile}) < 4:
            assert_refused({}, deal, "R2.2")
            refused += 1
        else:
            engine_for().set_deal(deal)
    assert refused > 10


def test_jacks_below_the_top_are_accepted() -> None:
    """R2.2: only two cards of a rank or a jack on top are dealt anew."""
    deal = given("jack_pile", {"redeal_pile": True})
    pile = deal["deal"]["pile"]
    engine_for().set_deal(deal)
    assert any(card[0] == "J" for card in pile) and pile[-1][0] != "J"


def test_bottom_cards_that_cannot_be_are_refused() -> None:
    """R2.3: it is the last card of the stock and no jack."""
    deal = given(rules=SHOWN)
    stock = deal["deal"]["stock"]
    engine = engine_for(SHOWN)
    engine.set_deal(deal)
    assert engine.deal_record()["bottom_card"] == stock[-1]
    assert_refused(SHOWN, change(deal, "bottom_card", None), "no 'bottom_card'")
    assert_refused(SHOWN, change(deal, "bottom_card", stock[0]), "last card of the stock")
    assert_refused(SHOWN, change(deal, "bottom_card", "no"), "is no card")
    place = next((n for n, card in enumerate(stock) if card[0] == "J"), None)
    assert place is not None, "choose a seed with a jack in the stock"
    stock[place], stock[-1] = stock[-1], stock[place]
    assert_refused(SHOWN, change(deal, "bottom_card", stock[-1]), "no jack")


def test_given_deals_are_dealt() -> None:
    """To the game that they are for; hands lose their order."""
    deal = given(rules=SHOWN)
    engine = engine_for(SHOWN, 2)
    engine.reset(seed=4, deals=[deal, None])
    own = engine.deal_record()
    assert own["deal"]["stock"] == deal["deal"]["stock"] and own["dealer"] == deal["dealer"]
    hands = [sorted(hand) for hand in own["deal"]["hands"]]
    assert hands == [sorted(hand) for hand in deal["deal"]["hands"]]
    other = engine_for(SHOWN, 1)
    other.reset(seed=5)
    assert engine.deal_record(1) == other.deal_record()
    flat = {"dealer": deal["dealer"], **deal["deal"], "bottom_card": deal["bottom_card"]}
    engine.set_deal(flat, 1)
    assert engine.deal_record(1) == own


def test_a_deal_can_be_given_before_the_first_play_alone() -> None:
    """Of each round (R2.1)."""
    engine = engine_for(OPEN)
    engine.reset(seed=1)
    while not engine.over[0]:
        fresh = engine.games["plays"][0] == 0
        deal = change(given(), "dealer", int(engine.games["dealer"][0]))
        if fresh:
            engine.set_deal(deal)
        else:
            before = engine.get_state()
            with pytest.raises(ValueError, match="before the first decision"):
                engine.set_deal(deal)
            assert engine.get_state().tobytes() == before.tobytes()
        engine.step(engine.choose(all_codes(engine, GREEDY)))
    with pytest.raises(ValueError, match="before the first decision"):
        engine.set_deal(given())


@pytest.mark.parametrize("text", ["", "play", "play:", "play:JK", "play:1C", "TD", "draw:deck"])
def test_what_is_no_move_is_refused(text: str) -> None:
    """R6."""
    engine = engine_for()
    with pytest.raises(ValueError):
        engine.parse(text)


def test_texts_and_actions_are_the_same() -> None:
    """R6: each way and back."""
    engine = engine_for()
    texts = [engine.text(action) for action in range(NUM_ACTIONS)]
    assert [engine.parse(text) for text in texts] == list(range(NUM_ACTIONS))
    assert len(set(texts)) == 52 and "play:TD" in texts
