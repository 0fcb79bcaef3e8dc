"""The searching players: what fixes their choices, what they may know, and budgets."""

from __future__ import annotations

import random
import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xabitha.hidden import resampled, rules_of
from tests.xabitha.walks import engine_for, sample_states
from xabitha_env.players import (
    CheatingSearchAgent,
    SearchAgent,
    Table,
    Verdict,
    View,
    load_player,
    player_names,
)
from xabitha_env.players.search import CHUNK
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import EXPERT


@cache
def states() -> np.ndarray:
    """States of short matches."""
    return sample_states(range(8), 1, rules={"max_turns": 50})


def singles(every: int = 1) -> list[np.ndarray]:
    return [state.reshape(1) for state in states()[::every]]


def engine_in(state: np.ndarray) -> XabithaEngine:
    engine: XabithaEngine = engine_for(rules_of(state[0]), len(state))
    state = state.copy()
    state["reward"] = 0
    engine.set_state(state)
    return engine


def found(state: np.ndarray, agent: SearchAgent, index: int = 0) -> Verdict:
    agent.reset(engine_in(state), 0)
    return agent.search(index)


def same(one: Verdict, other: Verdict) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def view_of(engine: XabithaEngine, games: list[int]) -> View:
    buffers = (engine.observation, engine.mask, engine.legal, engine.legal_count, engine.seats)
    return View(*(buffer[games] for buffer in buffers), np.array(games))


# --- what fixes a choice --------------------------------------------------------------------


def test_a_choice_is_the_same_alone_in_a_batch_and_again() -> None:
    batch = engine_in(states())
    agent = SearchAgent(worlds=CHUNK)
    agent.reset(batch, 0)
    games = list(range(0, len(states()), 3))
    together = agent.act(view_of(batch, games))
    assert together.dtype == np.int64 and together.shape == (len(games),)
    assert agent.act(view_of(batch, games[::-1])).tolist() == together.tolist()[::-1]
    before = batch.get_state().tobytes()
    for place, game in enumerate(games):
        verdict = agent.search(game)
        assert verdict.best == together[place]
        assert same(verdict, found(states()[game : game + 1], SearchAgent(worlds=CHUNK)))
        assert batch.mask[game, together[place]]
    assert batch.get_state().tobytes() == before


def test_the_seed_of_the_table_does_not_matter_and_its_own_does() -> None:
    differ = 0
    for state in singles(3):
        engine = engine_in(state)
        agents = SearchAgent(worlds=8), SearchAgent(worlds=8), SearchAgent(worlds=8, seed=1)
        for seed, agent in enumerate(agents):
            agent.reset(engine, seed)
        first, again, other = (agent.search(0) for agent in agents)
        assert same(first, again)
        differ += not same(first, other)
    assert differ > 3


def test_it_does_not_see_hidden_cards() -> None:
    """The whole verdict is the same in every state that the seat cannot tell apart."""
    rng = random.Random(1)
    for state in singles(2):
        twin = resampled(rng, state, int(state["seat"][0]))
        for weighted in (0, 1):
            one, other = (found(game, SearchAgent(8, weighted=weighted)) for game in (state, twin))
            assert same(one, other)


def test_the_cheating_search_does_see_them() -> None:
    """So that the test above can fail."""
    rng = random.Random(2)
    differ = 0
    for state in singles():
        twin = resampled(rng, state, int(state["seat"][0]))
        one, other = (found(game, CheatingSearchAgent()) for game in (state, twin))
        assert set(one.worlds.tolist()) <= {0, 1}  # chance has no part
        assert (one.actions == other.actions).all()
        differ += one.best != other.best
    assert differ > 5


def test_candidates_are_legal_and_begin_with_the_choice_of_expert() -> None:
    for state in singles():
        engine = engine_in(state)
        verdict = found(state, SearchAgent(worlds=1))
        assert verdict.actions[0] == engine.choose(np.full(1, EXPERT, np.int8))[0]
        assert engine.mask[0, verdict.actions].all()
        assert verdict.best in verdict.actions
        assert len(verdict.means) == len(verdict.errors) == len(verdict.worlds)
        assert verdict.errors[0] == 0


def test_a_single_candidate_is_not_played_out() -> None:
    class Idle(SearchAgent):
        def _roll_out(self, *_: Any) -> Any:
            raise AssertionError("played out")

    single = several = 0
    for state in singles():
        if len(found(state, SearchAgent(worlds=1)).actions) == 1:
            verdict = found(state, Idle())
            assert verdict.worlds.tolist() == [0] and verdict.best == verdict.actions[0]
            single += 1
        else:
            with pytest.raises(AssertionError, match="played out"):
                found(state, Idle())
            several += 1
    assert single > 5 and several > 5


# --- budgets --------------------------------------------------------------------------------


@pytest.mark.parametrize("worlds", [1, 8, 13, 40])
def test_a_budget_in_worlds(worlds: int) -> None:
    """The first candidate and the best are played out in all of them, none in more."""
    for state in singles(6):
        verdict = found(state, SearchAgent(worlds=worlds))
        if len(verdict.actions) > 1:
            assert verdict.worlds[0] == verdict.worlds.max() == worlds
            assert verdict.worlds[np.argmax(verdict.bounds)] == worlds
            assert verdict.worlds.min() >= min(worlds, CHUNK)


def test_weaker_candidates_are_dropped() -> None:
    """The longer the search, the fewer are left."""
    for state in singles():
        verdict = found(state, SearchAgent(worlds=10 * CHUNK))
        if len(verdict.actions) > 5 and verdict.worlds.max() == 10 * CHUNK:
            assert np.count_nonzero(verdict.worlds == 10 * CHUNK) == 2
            assert len(set(verdict.worlds.tolist())) > 2
            return
    raise AssertionError("no state with many candidates")


def test_a_budget_in_time() -> None:
    """At least a chunk is played; no search goes on for long."""
    state = next(s for s in singles() if len(found(s, SearchAgent(worlds=1)).actions) > 1)
    assert found(state, SearchAgent(ms=1)).worlds.max() >= CHUNK
    started = time.perf_counter()
    found(state, SearchAgent(ms=200))
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"worlds": 0}, "worlds must be a whole number of at least 1, not 0"),
        ({"worlds": -3}, "worlds must be"),
        ({"worlds": 1.5}, "worlds must be a whole number of at least 1, not 1.5"),
        ({"worlds": "many"}, "worlds must be a whole number of at least 1, not 'many'"),
        ({"ms": 0}, "ms must be a whole number of at least 1, not 0"),
        ({"ms": 5, "worlds": 5}, "give worlds or ms, not both"),
    ],
)
def test_wrong_budgets(budget: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SearchAgent(**budget)


# --- by name, at a table --------------------------------------------------------------------


def test_searches_are_found_by_name() -> None:
    assert {"search", "cheating-search"} <= set(player_names())
    agent = load_player("search?worlds=8&weighted=1")
    assert isinstance(agent, SearchAgent) and not isinstance(agent, CheatingSearchAgent)
    assert (agent.name, agent.worlds, agent.ms, agent.weighted) == ("search", 8, None, True)
    assert load_player("search?ms=50").ms == 50
    cheat = load_player("cheating-search")
    assert isinstance(cheat, CheatingSearchAgent) and cheat.name == "cheating-search"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search?worlds=0", "'search' cannot be made: ValueError: worlds must be"),
        ("search?worlds=ten", "'search' cannot be made: ValueError: worlds must be .* not 'ten'"),
        ("search?depth=3", "'search' cannot be made: TypeError: .*depth"),
        ("search?worlds", "arguments are written .key=value"),
        ("serch", "did you mean 'search'"),
    ],
)
def test_wrong_arguments_give_one_clear_line(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        load_player(spec)
    assert "\n" not in str(error.value)


def test_it_needs_a_reset() -> None:
    engine = engine_in(states()[:1])
    with pytest.raises(RuntimeError, match=r"'search' needs reset\(engine, seed\)"):
        SearchAgent().act(view_of(engine, [0]))


def test_it_remembers_nothing() -> None:
    agent = SearchAgent(worlds=8)
    assert agent.get_state() is None
    agent.set_state(None)
    with pytest.raises(ValueError, match="'search' keeps no state"):
        agent.set_state([1])


def test_a_match_is_the_same_every_time() -> None:
    """At a table with a compiled player; every choice is legal."""

    def totals() -> list[int]:
        engine = engine_for({"num_rounds": 1, "max_turns": 24}, 2)
        engine.reset(seed=5)
        table = Table(engine, [SearchAgent(worlds=4), load_player("expert")] * 2)
        table.reset(1)
        table.play()
        assert engine.over.all()
        kept: list[int] = engine.games["decisions"].tolist() + engine.games["totals"].tolist()
        return kept

    assert totals() == totals()
