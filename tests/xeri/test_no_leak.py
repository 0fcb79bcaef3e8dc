"""Nothing hidden shows: what a seat sees does not change when what it cannot know changes.

From many states of games, everything that is hidden from a seat is drawn anew (other hands, the
stock and the stream of later deals, but for a bottom card that was shown), and what the seat is
shown must stay the same (R2.1, R2.3, R3.3).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xeri.hidden import has_public_card, resampled, rules_of
from tests.xeri.walks import SEATS, engine_for, sample_states
from xabitha_env import xeri_v0
from xabitha_env.xeri.actions import NUM_ACTIONS
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.players import PLAYER_CODES
from xabitha_env.xeri.state import NO_KIND, STATE

View = Callable[[XeriEngine, int, int], Any]  # engine, game, seat -> what the seat is shown
ANEW = 4  # states drawn anew from each
RULES = [
    {"num_rounds": 2, "redeal_pile": False},
    {"num_rounds": 2, "show_bottom_card": True},
    {"target_score": 40, "show_bottom_card": True, "dealer_last_card_xeri": False},
]
VARIATIONS = range(len(RULES))


@cache
def states(variation: int) -> np.ndarray:
    """States of all kinds of situations."""
    return sample_states(range(10), 1, RULES[variation])


@cache
def engine(variation: int) -> XeriEngine:
    """A batch for a state and those drawn anew."""
    return engine_for(RULES[variation], ANEW + 1)


def together(rng: random.Random, state: np.ndarray, seat: int) -> np.ndarray:
    """A state and others that the seat cannot tell from it."""
    group = [state, *(resampled(rng, state, seat) for _ in range(ANEW))]
    return np.concatenate(group).view(STATE)


def shown(tables: XeriEngine, index: int, seat: int) -> dict[str, Any]:
    """What any seat is shown."""
    return {
        "observation": tables.observe(index, seat).tobytes(),
        "render": tables.render(index, seat),
        "rewards": tables.rewards[index].tobytes(),
    }


def shown_to_actor(tables: XeriEngine, index: int, seat: int) -> dict[str, Any]:
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


def changed(view: View, tables: XeriEngine, seat: int) -> bool:
    """Whether a view of the tables differs between them, as it must not."""
    first = view(tables, 0, seat)
    return any(view(tables, index, seat) != first for index in range(1, ANEW + 1))


def count_changes(
    view: View, variation: int = 1, own_turn: bool = False, every: int = 1
) -> Counter[bool]:
    """How often a view changes, over the states and seats (only the seat to act, if asked)."""
    rng = random.Random(1)
    seen: Counter[bool] = Counter()
    for state in states(variation)[::every]:
        for seat in SEATS:
            if not own_turn or seat == state["seat"]:
                engine(variation).set_state(together(rng, state.reshape(1), seat))
                seen[changed(view, engine(variation), seat)] += 1
    return seen


@pytest.mark.parametrize("variation", VARIATIONS)
def test_the_states_cover_what_can_be_hidden(variation: int) -> None:
    games = states(variation)
    assert len(games) > 50
    assert (games["plays"] >= 24).sum() > 10 and (games["plays"] < 24).sum() > 10
    assert (games["rounds"] > 0).sum() > 10 and games["xeri_count"].any(1).sum() > 10
    public = sum(map(has_public_card, games))
    assert public > 20 if RULES[variation].get("show_bottom_card") else public == 0


@pytest.mark.parametrize("variation", VARIATIONS)
def test_what_a_seat_is_shown_does_not_change(variation: int) -> None:
    """Observations of all four seats, derived sections included, and the table as text."""
    assert set(count_changes(shown, variation, every=2)) == {False}


@pytest.mark.parametrize("variation", VARIATIONS)
def test_what_the_seat_to_act_is_shown_does_not_change(variation: int) -> None:
    """Legal actions, mask and refusals depend on public facts and the own hand alone."""
    assert set(count_changes(shown_to_actor, variation, own_turn=True)) == {False}


@pytest.mark.parametrize("variation", VARIATIONS)
@pytest.mark.parametrize("code", PLAYER_CODES.values(), ids=PLAYER_CODES)
def test_choices_of_compiled_players_do_not_change(variation: int, code: int) -> None:
    """With the same stream of their own (`player_word`) they choose the same."""
    rng = random.Random(2)
    codes = np.full(ANEW + 1, code, np.int8)
    for state in states(variation):
        tables = engine(variation)
        tables.set_state(together(rng, state.reshape(1), int(state["seat"])))
        assert len(set(tables.choose(codes).tolist())) == 1


# --- the test can fail ----------------------------------------------------------------------


def test_hidden_cards_do_change() -> None:
    """What is drawn anew is really another state, and `global_state` shows it.

    At the end of a deal hardly a card may be left that a seat does not know.
    """
    seen = count_changes(lambda tables, index, _: tables.global_state(index).tobytes(), every=3)
    assert seen[True] > 0.9 * seen.total(), seen


@pytest.mark.parametrize(
    "leak",
    [
        lambda game, seat: game["hand"][(seat + 1) % 4],
        lambda game, seat: game["hand"][(seat + 2) % 4],
        lambda game, seat: game["stock"][max(game["stock_count"] - 1, 0)],
        lambda game, seat: game["stock"][min(1, game["stock_count"])],
        lambda game, seat: game["deal_word"],
    ],
    ids=["next hand", "partner's hand", "next card", "second to last card", "stream"],
)
def test_a_leak_would_be_seen(leak: Callable[[Any, int], Any]) -> None:
    """Views that show one hidden thing."""

    def view(tables: XeriEngine, index: int, seat: int) -> Any:
        return leak(tables.games[index], seat)

    assert count_changes(view, every=4)[True] > 0


def test_the_bottom_card_is_public() -> None:
    """R2.3: it stays where it is, in the stock or the dealer's hand, and all seats see it."""
    rng = random.Random(4)
    held = 0
    for state in states(1):
        game = state.copy()
        kind = int(game["bottom_card"])
        assert kind != NO_KIND
        for seat in SEATS:
            other = resampled(rng, state.reshape(1), seat)[0]
            if game["stock_count"]:
                assert other["stock"][0] == kind
            elif has_public_card(game):
                assert int(other["hand"][int(game["dealer"])]) >> kind & 1
                held += 1
    assert held > 10


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
    """Observation, mask and info, also after a refused action (R6)."""
    rng = random.Random(3)
    rules = rules_of(states(1)[0])
    env, tables = xeri_v0.raw_env(rules=rules), engine_for(rules)
    refused = 0
    for state in states(1)[::5]:
        single = state.reshape(1)
        tables.set_state(single)
        illegal = rng.choice(np.flatnonzero(tables.mask[0] == 0).tolist())
        for seat, agent in enumerate(env.possible_agents):
            own = aec_view(env, single, agent, illegal)
            other = aec_view(env, resampled(rng, single, seat), agent, illegal)
            assert own == other
            refused += "illegal_action" in own[1][0]
    assert refused >= len(states(1)[::5])
