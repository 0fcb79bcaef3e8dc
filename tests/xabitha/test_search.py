"""The kernels of the search: candidates, and rollouts of them in worlds."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import numpy as np

from tests.xabitha.hidden import resampled, rules_of
from tests.xabitha.kernels import from_python, record
from tests.xabitha.walks import SEATS, engine_for, sample_states, walks
from xabitha_env._jit import records
from xabitha_env._random import seed_streams
from xabitha_env.xabitha import plausible, search
from xabitha_env.xabitha.actions import DISCARD, MAX_LEGAL
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import EXPERT
from xabitha_env.xabitha.search import draw_worlds
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, PLAYING, STATE
from xabitha_env.xabitha.validate import state_problem

_plausibility = from_python(plausible.plausibility)
CODE = np.full(1, EXPERT, np.int8)
SHORT = {"max_turns": 60}  # so that rounds end soon


@cache
def states() -> np.ndarray:
    """States of all kinds of situations of short matches, and later ones."""
    late = sample_states(range(30, 36), 4, lambda game: int(game["reshuffles"]), {"max_turns": 130})
    return np.concatenate([sample_states(range(14), 1, rules=SHORT), late])


def singles() -> list[np.ndarray]:
    return [state.reshape(1) for state in states()]


def engine_in(state: np.ndarray) -> XabithaEngine:
    engine: XabithaEngine = engine_for(rules_of(state[0]))
    state = state.copy()
    state["reward"] = 0
    engine.set_state(state)
    return engine


def candidates(state: np.ndarray) -> list[int]:
    ids = np.empty(MAX_LEGAL, np.int32)
    return ids[: search.list_candidates(records(state), 0, ids)].tolist()


def roll_out(
    state: np.ndarray,
    actions: list[int],
    words: np.ndarray | int = 1,
    open_cards: bool = False,
    weighted: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Margins (worlds, actions) and weights; so many words of a seed, or the words."""
    words = seed_streams(9, words) if isinstance(words, int) else words
    margins, weights = np.empty((len(words), len(actions))), np.empty(len(words))
    before = state.tobytes()
    ids = np.array(actions, np.int64)
    search.roll_out(records(state), 0, ids, words, open_cards, weighted, margins, weights)
    assert state.tobytes() == before
    return margins, weights


# --- candidates -----------------------------------------------------------------------------


def test_candidates_are_legal_and_begin_with_the_choice_of_expert() -> None:
    seen: Counter[str] = Counter()
    for engine, _ in walks(range(12)):
        game, found = engine.games[0], candidates(engine.games)
        assert found[0] == engine.choose(CODE)[0]
        assert len(set(found)) == len(found)
        assert set(found) <= set(engine.legal[0, : engine.legal_count[0]].tolist())
        alone = game["phase"] == FORMED or game["staged"] > 0
        alone |= game["declared"][game["seat"]] and game["phase"] == PLAYING
        assert not alone or len(found) == 1
        if game["phase"] == DRAWING:
            assert len(found) == engine.legal_count[0]
        seen[f"{game['phase']}, {'one' if len(found) == 1 else 'several'}"] += 1
        seen["acts"] += game["opened"][game["seat"]] and any(
            action < DISCARD and game["phase"] == PLAYING for action in found[1:]
        )
    assert seen["acts"] > 20 and seen[f"{FORMED}, one"]
    for phase in (DECLARING, DRAWING, PLAYING):
        assert seen[f"{phase}, one"] > 5 and seen[f"{phase}, several"] > 5, seen


def test_every_decision_has_a_word_of_its_own() -> None:
    """It does not depend on hidden cards, nor on the place in a batch."""
    rng = random.Random(1)
    batch = records(states())
    words = [search.describe_decision(batch, index) for index in range(len(states()))]
    assert len(set(words)) > 0.9 * len(words)
    for index, state in enumerate(singles()[:20]):
        twin = resampled(rng, state, int(state["seat"][0]))
        assert search.describe_decision(records(twin), 0) == words[index]
    seen: list[int] = []
    for engine, _ in walks([3]):
        if engine.rounds_played[0] == 0:
            seen.append(search.describe_decision(records(engine.games), 0))
    assert len(set(seen)) == len(seen) > 50


# --- rollouts -------------------------------------------------------------------------------


def play_on(engine: XabithaEngine, action: int) -> int:
    """Take an action and let `expert` play the round to its end; the lead of the seat's team."""
    seat, rounds = int(engine.seats[0]), int(engine.rounds_played[0])
    engine.step([action])
    while engine.rounds_played[0] == rounds:
        assert not engine.step(engine.choose(CODE))[0]
    penalties = engine.games["last_penalties"][0]
    return int(sum(penalties[other] * (-1) ** (other + seat + 1) for other in SEATS))


def test_with_open_cards_the_true_round_is_played_on() -> None:
    """Whatever the words; by the engine, from a copy."""
    margins = []
    for state in singles():
        actions = candidates(state)[:3]
        found, weights = roll_out(state, actions, 2, open_cards=True)
        assert (found[0] == found[1]).all() and (weights == 1).all()
        assert found[0].tolist() == [play_on(engine_in(state), action) for action in actions]
        margins += found[0].tolist()
    assert min(margins) < 0 < max(margins)


def world_of(state: np.ndarray, word: np.uint64) -> np.ndarray:
    """The world of a word, its deck shared out to the seats until a reshuffle."""
    world = np.zeros(1, STATE)
    draw_worlds(records(state), 0, False, np.array([word]), records(world), np.empty(1))
    world["fixed_draws"] = 1
    world["deck_seat"] = -1
    count = int(world["deck_count"][0])
    if not world["reshuffles"][0]:
        world["deck_seat"][0, :count] = [(count - 1 - card) % 4 for card in range(count)]
    return world


def test_each_candidate_is_played_on_in_the_world_of_the_word() -> None:
    """The hidden cards and the later chances are those of the same world for all candidates."""
    for state in singles()[::2]:
        actions = candidates(state)[:3]
        words = seed_streams(4, 2)
        margins, weights = roll_out(state, actions, words)
        for word, row in zip(words, margins):
            world = world_of(state, word)
            assert row.tolist() == [play_on(engine_in(world), action) for action in actions]
        assert state["reshuffles"][0] or (weights == 1).all()


def test_candidates_do_not_disturb_each_other() -> None:
    """Each has the same margin alone, twice over, and in any order; a word has the same alone."""
    differ = 0
    for state in singles()[::3]:
        actions = candidates(state)
        whole, _ = roll_out(state, actions, 4)
        backwards, _ = roll_out(state, actions[::-1], 4)
        assert (whole == backwards[:, ::-1]).all()
        twice, _ = roll_out(state, actions[:1] * 2, seed_streams(9, 4)[2:])
        assert (twice == whole[2:, :1]).all()
        differ += len(set(whole.ravel().tolist())) > 1
    assert differ > 5


def test_margins_do_not_depend_on_what_is_hidden() -> None:
    """Nor weights; but with open cards margins do."""
    rng = random.Random(2)
    opened = 0
    for state in singles()[::2]:
        actions = candidates(state)[:2]
        twin = resampled(rng, state, int(state["seat"][0]))
        for weighted in (False, True):
            own, other = (roll_out(game, actions, 2, weighted=weighted) for game in (state, twin))
            assert (own[0] == other[0]).all() and (own[1] == other[1]).all()
        own, other = (roll_out(game, actions, 1, open_cards=True) for game in (state, twin))
        opened += bool((own[0] != other[0]).any())
    assert opened > 5


# --- hands by what their seats did --------------------------------------------------------------


def drawn(state: np.ndarray, weighted: bool) -> tuple[np.ndarray, np.ndarray]:
    worlds, weights = np.zeros(20, STATE), np.empty(20)
    draw_worlds(records(state), 0, weighted, seed_streams(5, 20), records(worlds), weights)
    return worlds, weights


def test_weighted_worlds_have_likelier_hands_and_the_same_facts() -> None:
    """Valid worlds, with the weights that the same rounds have without."""
    odds: dict[bool, list[float]] = {False: [], True: []}
    for state in singles():
        if state["phase"][0] in (DECLARING, FORMED):
            continue
        for weighted in (False, True):
            worlds, weights = drawn(state, weighted)
            assert (weights > 0).all() and (state["reshuffles"][0] or (weights == 1).all())
            assert not any(state_problem(world) for world in worlds)
            for other in SEATS:
                if other != state["seat"][0]:
                    plausible = [
                        _plausibility(record(world), other) for world in worlds.reshape(-1, 1)
                    ]
                    odds[weighted].append(float(np.mean(np.log(plausible))))
    assert len(odds[True]) > 100
    assert np.mean(np.array(odds[True]) > np.array(odds[False])) > 0.8


def test_discards_that_expert_would_make_are_likelier() -> None:
    """On average far; and asking changes nothing."""
    own, others = [], []
    for state in singles():
        engine = engine_in(state)
        seat, game = int(state["seat"][0]), state[0]
        if game["phase"] != PLAYING or game["declared"][seat] or game["hand_count"][seat] < 3:
            continue
        choice = int(engine.choose(CODE)[0])
        discards = [
            action
            for action in engine.legal[0, : engine.legal_count[0]].tolist()
            if action >= DISCARD and action - DISCARD != game["taken"]
        ]
        if choice not in discards:
            continue
        before = _plausibility(record(state), seat)
        for action in discards:
            ahead = engine.copy()
            ahead.step([action])
            kept = ahead.get_state()
            likely = _plausibility(record(ahead.games), seat) / before
            assert likely > 0 and ahead.get_state().tobytes() == kept.tobytes()
            (own if action == choice else others).append(likely)
    assert len(own) > 10 and np.median(own) > 2 * np.median(others)
