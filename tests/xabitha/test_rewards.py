"""The three reward schemes: what, when, and to whom (X11, X2.2)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.xabitha.walks import engine_for
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import GREEDY
from xabitha_env.xabitha.state import (
    REWARDS,
)


def rewards_of(reward: str, seed: int) -> tuple[np.ndarray, XabithaEngine]:
    """All rewards of a match, one row a round, by seat."""
    engine = engine_for({"num_rounds": 3}, reward=reward)
    engine.reset(seed=seed)
    codes, rows = np.full(1, GREEDY, np.int8), []
    while not engine.over[0]:
        rounds = int(engine.rounds_played[0])
        engine.step(engine.choose(codes))
        assert engine.rewards.dtype == np.float32
        if engine.rounds_played[0] == rounds:
            assert not engine.rewards.any()
        else:
            rows.append(engine.rewards[0].copy())
    return np.array(rows), engine


@pytest.mark.parametrize("seed", range(4))
def test_team_difference(seed: int) -> None:
    """Opponents' penalties minus own, over 100, at each round's end; X11.1."""
    rewards, engine = rewards_of("team_difference", seed)
    first, second = engine.match_result()["totals"]
    assert len(rewards) == 3
    assert (rewards[:, 0] == rewards[:, 2]).all() and (rewards[:, 1] == rewards[:, 3]).all()
    assert (rewards.sum(1) == 0).all()
    assert rewards[:, 0].sum() == pytest.approx((second - first) / 100, abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_own_penalties(seed: int) -> None:
    """Minus own penalties, over 100, at each round's end."""
    rewards, engine = rewards_of("own_penalties", seed)
    totals = np.array(engine.match_result()["totals"])
    assert (rewards[:, :2] == rewards[:, 2:]).all() and (rewards <= 0).all()
    assert rewards.sum(0)[:2] == pytest.approx(-totals / 100, abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_match_result(seed: int) -> None:
    """1, 0 or -1 at the match's end (X2.2), nothing before."""
    rewards, engine = rewards_of("match_result", seed)
    first, second = engine.match_result()["totals"]
    assert not rewards[:-1].any()
    assert rewards[-1].tolist() == [np.sign(second - first), np.sign(first - second)] * 2


def test_an_even_match_rewards_nobody() -> None:
    for reward in REWARDS:
        engine = engine_for({"num_rounds": 1, "max_turns": 1}, reward=reward)
        engine.reset(seed=1)
        while not engine.over[0]:
            engine.step(engine.choose(np.zeros(1, np.int8)))
        assert engine.round_result()["reason"] == "cancelled" and not engine.rewards.any()


def test_an_advance_adds_up_its_rewards() -> None:
    """All that happens until an outside seat must act; here whole matches."""
    for reward in REWARDS:
        engine = engine_for({"num_rounds": 3}, reward=reward)
        engine.reset(seed=2)
        engine.advance(np.full((1, 4), GREEDY, np.int8))
        rows, stepped = rewards_of(reward, 2)
        assert engine.over[0] and engine.match_result() == stepped.match_result()
        assert engine.rewards[0] == pytest.approx(rows.sum(0), abs=1e-5)
