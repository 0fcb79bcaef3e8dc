"""Nothing hidden shows: what a seat sees does not change when what it cannot know changes.

From many states of matches, everything that is hidden from a seat is drawn anew (other hands but
for the cards known in them, the deck, staged melds and answers of others, the random streams of
deals and reshuffles), and what the seat is shown must stay the same (X3.3, X4.3, X6.4).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xabitha.hidden import resampled, rules_of
from tests.xabitha.walks import SEATS, engine_for, sample_states, walk
from xabitha_env import xabitha_v0
from xabitha_env.xabitha.actions import NUM_ACTIONS
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import PLAYER_CODES
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, PLAYING, STATE

View = Callable[[XabithaEngine, int, int], Any]  # engine, game, seat -> what the seat is shown
ANEW = 4  # states drawn anew from each


@cache
def states() -> np.ndarray:
    """States of all kinds of situations."""
    return sample_states(range(30), 1, rules={"max_turns": 150})


@cache
def engine() -> XabithaEngine:
    """A batch for a state and those drawn anew."""
    return engine_for(rules_of(states()[0]), ANEW + 1)


def together(rng: random.Random, state: np.ndarray, seat: int) -> np.ndarray:
    """A state and others that the seat cannot tell from it."""
    group = [state, *(resampled(rng, state, seat) for _ in range(ANEW))]
    return np.concatenate(group).view(STATE)


def shown(tables: XabithaEngine, index: int, seat: int) -> dict[str, Any]:
    """What any seat is shown."""
    return {
        "observation": tables.observe(index, seat).tobytes(),
        "render": tables.render(index, seat),
        "rewards": tables.rewards[index].tobytes(),
    }


def shown_to_actor(tables: XabithaEngine, index: int, seat: int) -> dict[str, Any]:
    """What the seat to act is shown besides: actions, and refusals of some others."""
    rng = random.Random(str(tables.observation[index].tobytes()))
    asked = [rng.randrange(-1, NUM_ACTIONS + 1) for _ in range(8)]
    return {
        "buffer": tables.observation[index].tobytes(),
        "legal": tables.legal[index, : tables.legal_count[index]].tolist(),
        "mask": tables.mask[index].tobytes(),
        "texts": tables.legal_texts(index),
        "refusals": [tables.refusal(action, index) for action in asked],
    }


def changed(view: View, tables: XabithaEngine, seat: int) -> bool:
    """Whether a view of the tables differs between them, as it must not."""
    first = view(tables, 0, seat)
    return any(view(tables, index, seat) != first for index in range(1, ANEW + 1))


def count_changes(view: View, own_turn: bool = False, every: int = 1) -> Counter[bool]:
    """How often a view changes, over the states and seats (only the seat to act, if asked)."""
    rng = random.Random(1)
    seen: Counter[bool] = Counter()
    for state in states()[::every]:
        for seat in SEATS:
            if not own_turn or seat == state["seat"]:
                engine().set_state(together(rng, state.reshape(1), seat))
                seen[changed(view, engine(), seat)] += 1
    return seen


def test_the_states_cover_what_can_be_hidden() -> None:
    games = states()
    assert set(games["phase"]) == {DECLARING, DRAWING, PLAYING, FORMED}
    print(len(games), "states")
    for name in ("staged", "reshuffles", "rounds", "fire_locked", "opened", "declared"):
        assert (games[name].reshape(len(games), -1) > 0).any(1).sum() >= 10, name
    pending = (games["taken"] >= 0) & (games["staged"] > 0)
    assert pending.sum() >= 5 and (games["known_one"] > 0).any(1).sum() >= 20


def test_what_a_seat_is_shown_does_not_change() -> None:
    """Observations of all four seats, derived sections included, and the table as text."""
    assert set(count_changes(shown)) == {False}


def test_what_the_seat_to_act_is_shown_does_not_change() -> None:
    """Legal actions, mask and refusals depend on public facts and the own hand alone."""
    assert set(count_changes(shown_to_actor, own_turn=True)) == {False}


def with_choices(game: Any) -> tuple[bool, ...]:
    """States are kept for the players that plan: declared or not, down or not, early or late."""
    seat, playing = int(game["seat"]), game["phase"] == PLAYING
    own = bool(game["declared"][seat]), bool(game["opened"][seat])
    return bool(playing), *own, bool(game["opened"].any()), bool(game["reshuffles"])


@cache
def states_with_choices() -> np.ndarray:
    more = sample_states(range(40, 60), 8, with_choices, {"max_turns": 150})
    return np.concatenate([states(), more])


def test_the_states_have_choices() -> None:
    games = states_with_choices()
    actors = np.arange(len(games)), games["seat"]
    for late in (games["reshuffles"] == 0, games["reshuffles"] > 0):
        for name in ("declared", "opened"):
            assert (late & (games["phase"] == PLAYING) & (games[name][actors] > 0)).sum() >= 8
            assert (late & (games["phase"] == DRAWING) & (games[name][actors] > 0)).sum() >= 8


@pytest.mark.parametrize("code", PLAYER_CODES.values(), ids=PLAYER_CODES)
def test_choices_of_compiled_players_do_not_change(code: int) -> None:
    """With the same stream of their own (`player_word`) they choose the same."""
    rng = random.Random(2)
    codes = np.full(ANEW + 1, code, np.int8)
    seen = set()
    for state in states_with_choices():
        engine().set_state(together(rng, state.reshape(1), int(state["seat"])))
        (choice,) = set(engine().choose(codes).tolist())
        seen.add(choice)
    assert len(seen) > 30


# --- the test can fail ----------------------------------------------------------------------


def test_hidden_cards_do_change() -> None:
    """What is drawn anew is really another state, and `global_state` shows it."""
    seen = count_changes(lambda tables, index, _: tables.global_state(index).tobytes(), every=3)
    assert seen[True] > 0.99 * seen.total(), seen


@pytest.mark.parametrize(
    "leak",
    [
        lambda game, seat: game["hand_one"][(seat + 1) % 4],
        lambda game, seat: game["hand_two"][(seat + 2) % 4],
        lambda game, seat: game["declared"][(seat + 2) % 4],
        lambda game, seat: game["deck"][game["deck_count"] - 1],
        lambda game, seat: game["hand_count"].tolist(),
        lambda game, seat: game["staged"],
        lambda game, seat: game["shuffle_word"],
    ],
    ids=["next hand", "pairs of the partner", "answer", "next card", "counts", "staged", "stream"],
)
def test_a_leak_would_be_seen(leak: Callable[[Any, int], Any]) -> None:
    """Views that show one hidden thing."""

    def view(tables: XabithaEngine, index: int, seat: int) -> Any:
        return leak(tables.games[index], seat)

    assert count_changes(view, every=6)[True] > 0


# --- staging and answers, move by move ------------------------------------------------------


def others_see(tables: XabithaEngine, actor: int) -> list[Any]:
    return [shown(tables, 0, seat) for seat in SEATS if seat != actor]


def test_staging_shows_to_nobody_else() -> None:
    """X6.4: until the commit the melds count as cards in the hand."""
    staged = 0
    for seed in range(12):
        before, actor = None, 0
        for tables, move in walk(seed, {"num_rounds": 1}):
            if before is not None:
                assert others_see(tables, actor) == before
                staged += 1
            actor = int(tables.seats[0])
            before = None
            if move.startswith("meld") and not tables.games["opened"][0, actor]:
                before = others_see(tables, actor)
    assert staged > 20


def test_answers_show_to_nobody_else() -> None:
    """X3.3: both answers of a seat look the same to the others, the next to answer included."""
    for seed in range(8):
        yes = engine_for({"num_rounds": 1})
        yes.reset(seed=seed)
        for _ in SEATS:
            actor = int(yes.seats[0])
            no = yes.copy()
            yes.step([yes.parse("declare:yes")])
            no.step([no.parse("declare:no")])
            assert others_see(yes, actor) == others_see(no, actor)
            assert (yes.observe(0, actor) != no.observe(0, actor)).any()


# --- the AEC environment --------------------------------------------------------------------


def aec_view(env: Any, state: np.ndarray, agent: str, action: int) -> Any:
    """What the environment shows an agent in a state, and when the seat to act errs."""
    env.reset(options={"state": state})
    seen = [{name: part.tobytes() for name, part in env.observe(agent).items()}]
    if agent == env.agent_selection:
        env.step(action)
        seen.append({name: part.tobytes() for name, part in env.observe(agent).items()})
    last = env.infos[agent], env.rewards[agent], env.terminations[agent]
    return seen, last


def test_the_aec_environment_shows_the_same() -> None:
    """Observation, mask and info, also after a refused action (X4.6)."""
    rng = random.Random(3)
    env = xabitha_v0.raw_env(rules=rules_of(states()[0]))
    tables = engine_for(rules_of(states()[0]))
    refused = 0
    for state in states()[::7]:
        single = state.reshape(1)
        tables.set_state(single)
        illegal = rng.choice(np.flatnonzero(tables.mask[0] == 0).tolist())
        for seat, agent in enumerate(env.possible_agents):
            own = aec_view(env, single, agent, illegal)
            other = aec_view(env, resampled(rng, single, seat), agent, illegal)
            assert own == other
            refused += "illegal_action" in own[1][0]
    assert refused >= len(states()[::7])
