"""Worlds that a seat cannot tell from a game: what they keep, and what they do not depend on.

How likely each is, is checked in `test_resample_odds`.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xabitha.hidden import cards_of, drawn_by, hidden_of, resampled, rules_of
from tests.xabitha.kernels import from_python, record
from tests.xabitha.placements import Case, exact, state_of
from tests.xabitha.walks import SEATS, engine_for, sample_states, walk
from xabitha_env._jit import records
from xabitha_env._random import seed_streams
from xabitha_env.xabitha import declaring
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.search import draw_worlds
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, PLAYING, STATE
from xabitha_env.xabitha.validate import state_problem

_wants_formation = from_python(declaring.wants_formation)

WORLDS = 5
HIDDEN = {
    *("hand_one", "hand_two", "deck", "drew_one", "drew_two", "declared"),
    *("deal_word", "shuffle_word", "player_word", "fixed_draws"),
}
"""Fields in which a world may differ from its game."""


def worlds_of(
    state: np.ndarray, seed: int = 1, count: int = WORLDS
) -> tuple[np.ndarray, np.ndarray]:
    """Worlds for the seat to act, and their weights."""
    worlds, weights = np.zeros(count, STATE), np.empty(count)
    words = seed_streams(seed, count)
    draw_worlds(records(state), 0, False, words, records(worlds), weights)
    return worlds, weights


def facts(worlds: np.ndarray) -> list[bytes]:
    """All bytes but those between the fields."""
    return [worlds[name].tobytes() for name in STATE.names]


@cache
def states() -> np.ndarray:
    """States of all kinds of situations, many of them after a reshuffle."""
    long = {"max_turns": 400, "max_reshuffles": 6}
    return np.concatenate(
        [sample_states(range(25), 1, rules=long), sample_states(range(30, 45), 6, late, long)]
    )


def late(game: Any) -> tuple[int, bool]:
    """Of states before a reshuffle few are kept."""
    return int(game["reshuffles"]), bool(game["trail_count"] > 20)


def singles() -> list[np.ndarray]:
    return [state.reshape(1) for state in states()]


def table() -> XabithaEngine:
    return engine_for(rules_of(states()[0]), WORLDS + 1)


def test_the_states_cover_what_matters() -> None:
    games = states()
    assert set(games["phase"]) == {DECLARING, DRAWING, PLAYING, FORMED}
    assert (games["reshuffles"] > 1).sum() > 20 and (games["trail_count"] > 30).sum() > 20
    assert (games["staged"] > 0).sum() > 10 and (games["declared"] > 0).any(1).sum() > 20
    assert (games["known_one"] > 0).any(1).sum() > 50


def test_worlds_are_states_that_look_the_same_to_the_seat() -> None:
    """Observation, legal list and all public facts; cards are conserved (X1.1)."""
    engine = table()
    for state in singles():
        worlds, _ = worlds_of(state)
        seat = int(state["seat"][0])
        worlds["reward"] = 0  # of the last step; a state that is set has none
        state["reward"] = 0
        assert [state_problem(world) for world in worlds] == [""] * WORLDS
        engine.set_state(np.concatenate([state, worlds]).view(STATE))
        shown = [engine.observe(index, seat).tobytes() for index in range(WORLDS + 1)]
        assert len(set(shown)) == 1
        lists = [
            engine.legal[index, : engine.legal_count[index]].tolist() for index in range(WORLDS + 1)
        ]
        assert all(legal == lists[0] for legal in lists)


def test_worlds_keep_all_but_what_is_hidden() -> None:
    for state in singles():
        game, seat = state[0], int(state["seat"][0])
        for world in worlds_of(state)[0]:
            for name in set(STATE.names) - HIDDEN:
                assert (world[name] == game[name]).all(), name
            for name in ("hand_one", "hand_two", "drew_one", "drew_two", "declared"):
                assert world[name][seat] == game[name][seat], name
            pool: Counter[int] = Counter(world["deck"][: int(world["deck_count"])].tolist())
            own: Counter[int] = Counter(game["deck"][: int(game["deck_count"])].tolist())
            for other in set(SEATS) - {seat}:
                assert cards_of(world, other).total() == cards_of(game, other).total()
                pool += hidden_of(world, other)
                own += hidden_of(game, other)
            assert pool == own
            assert not world["deck"][int(world["deck_count"]) :].any()
            assert all(world[f"{name}_word"] for name in ("deal", "shuffle", "player"))


def test_after_a_reshuffle_the_deck_is_of_the_pile(many: int = 20) -> None:
    """X10.1: nothing that lay in a hand when the pile was shuffled."""
    checked = 0
    for state in singles():
        if not state["reshuffles"][0]:
            continue
        game, seat = state[0], int(state["seat"][0])
        one, two = int(game["reshuffled_one"]), int(game["reshuffled_two"])
        pile = Counter(kind for kind in range(53) for mask in (one, two) if mask >> kind & 1)
        for world in worlds_of(state, count=many)[0]:
            deck = Counter(world["deck"][: int(world["deck_count"])].tolist())
            assert deck + drawn_by(game, seat) <= pile
            checked += 1
    assert checked > 1000


def test_weights() -> None:
    """Before a reshuffle all worlds count the same; later none counts nothing."""
    varied = 0
    for state in singles():
        weights = worlds_of(state)[1]
        assert (weights > 0).all()
        if not state["reshuffles"][0]:
            assert (weights == 1).all()
        varied += len(set(weights.tolist())) > 1
    assert varied > 10


def test_declarations_follow_the_cards() -> None:
    """X3.3: those that have answered do as `expert`; seats that are down did not declare (X9.1)."""
    seen: Counter[str] = Counter()
    for state in [*singles(), *near_formations()]:
        game, seat = state[0], int(state["seat"][0])
        asked = (seat - int(game["starter"])) % 4 if game["phase"] == DECLARING else 4
        for world in worlds_of(state)[0]:
            for other in set(SEATS) - {seat}:
                if game["opened"][other] or (other - int(game["starter"])) % 4 >= asked:
                    assert world["declared"][other] == 0
                    seen["down" if game["opened"][other] else "not asked"] += 1
                    continue
                masks = world["hand_one"][other], world["hand_two"][other]
                wants = _wants_formation(record(np.array([world])), *masks)
                assert world["declared"][other] == wants
                seen["wants" if wants else "does not"] += 1
    assert min(seen[name] for name in ("down", "not asked", "does not")) > 20, seen


FORMATION = tuple("2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QS".split())


@pytest.mark.parametrize("opened", [0, 1])
def test_a_seat_that_is_down_has_not_declared(opened: int) -> None:
    """X9.1: with whatever cards; else it would have with these."""
    case = Case((0, 1, 1), ("3H", "4S"), known=(FORMATION, ("KD",), ("KC",)))
    state = state_of(case, max(exact(case)))
    state["opened"][0, 1] = opened
    assert (worlds_of(state)[0]["declared"] == [0, 1 - opened, 0, 0]).all()


def near_formations() -> list[np.ndarray]:
    """Rounds of which the first discard is due."""
    found = []
    for seed in range(6):
        for engine, _ in walk(seed, rules_of(states()[0]), ("near_formation",)):
            if engine.games["turn"][0] == 1:
                found.append(engine.get_state())
    return found


def test_worlds_do_not_depend_on_what_is_hidden() -> None:
    """The same words give the same bytes in every state that the seat cannot tell apart."""
    rng = random.Random(1)
    for state in singles():
        seat = int(state["seat"][0])
        worlds, weights = worlds_of(state)
        for _ in range(2):
            twin = resampled(rng, state, seat)
            others, same = worlds_of(twin)
            assert facts(others) == facts(worlds)
            assert same.tobytes() == weights.tobytes()


def test_other_words_give_other_worlds() -> None:
    for state in singles()[::5]:
        worlds, _ = worlds_of(state)
        assert len({str(facts(worlds[place : place + 1])) for place in range(WORLDS)}) == WORLDS
        again, _ = worlds_of(state, 2)
        assert facts(again) != facts(worlds)


def test_a_batch_and_its_order_change_nothing() -> None:
    """The world of a word is the same alone, and whichever game of a batch it is for."""
    batch = np.concatenate([states()[7:8], states()[40:41]]).view(STATE)
    for index in (0, 1):
        single = batch[index : index + 1]
        worlds, weights = worlds_of(single)
        for place, word in enumerate(seed_streams(1, WORLDS)):
            alone, weight = np.zeros(1, STATE), np.empty(1)
            words = np.array([word])
            draw_worlds(records(batch), index, False, words, records(alone), weight)
            assert facts(alone) == facts(worlds[place : place + 1])
            assert weight[0] == weights[place]


@pytest.mark.interpreted
def test_a_game_is_not_changed_by_its_worlds() -> None:
    for seed in range(2):
        for number, (engine, _) in enumerate(walk(seed, {"num_rounds": 1, "max_turns": 12})):
            if number % 9 == 0:
                before = engine.get_state()
                worlds_of(engine.games)
                assert engine.get_state().tobytes() == before.tobytes()


def test_a_trail_that_does_not_fit_is_left_out() -> None:
    """A state from outside may hold any trail: its worlds are drawn from one pool."""
    rng = random.Random(4)
    later = states()[(states()["reshuffles"] > 0) & ~states()["over"]][:12]
    assert len(later) > 5
    for state in later.reshape(-1, 1):
        broken = state.copy()
        broken["trail"] = [rng.randrange(54 * 4) for _ in range(broken["trail"].shape[1])]
        broken["trail_count"] = broken["trail"].shape[1]
        worlds, weights = worlds_of(broken.view(STATE))
        assert not any(state_problem(world) for world in worlds) and (weights == 1).all()
