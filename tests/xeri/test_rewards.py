"""The three reward schemes: what, when, and to whom (R4.4, R5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.xeri.walks import engine_for, walk
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.players import COUNTING, RANDOM
from xabitha_env.xeri.state import REWARDS

RULES: list[dict[str, Any]] = [{"num_rounds": 3}, {"target_score": 60}, {"xeri_points": 3}]
ALL = pytest.mark.parametrize("rules", RULES, ids=["rounds", "target", "few points"])


def rewards_of(
    reward: str, seed: int, rules: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray, XeriEngine]:
    """All rewards of a game, one row a round, by seat; and the points of each round, by team."""
    engine = engine_for(rules, reward=reward)
    engine.reset(seed=seed)
    rows, points = [], []
    codes = (np.full(1, RANDOM, np.int8), np.full(1, COUNTING, np.int8))
    while not engine.over[0]:
        rounds = int(engine.rounds_played[0])
        engine.step(engine.choose(codes[engine.seats[0] % 2]))
        assert engine.rewards.dtype == np.float32
        if engine.rounds_played[0] == rounds:
            assert not engine.rewards.any()
        else:
            rows.append(engine.rewards[0].copy())
            points.append(engine.round_result()["points"])
    return np.array(rows), np.array(points), engine


def test_the_schemes_by_name() -> None:
    assert REWARDS == ("team_difference", "round_result", "game_result")
    assert engine_for().reward == "team_difference"
    for reward in REWARDS:
        assert engine_for(reward=reward).reward == reward


@ALL
@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_are_equal_for_partners_and_sum_to_zero(reward: str, rules: dict[str, Any]) -> None:
    for seed in range(4):
        rewards, _, _ = rewards_of(reward, seed, rules)
        assert (rewards[:, :2] == rewards[:, 2:]).all() and (rewards.sum(1) == 0).all()


@ALL
@pytest.mark.parametrize("seed", range(4))
def test_team_difference(seed: int, rules: dict[str, Any]) -> None:
    """Own points minus the opponents', over 25, at each round's end; in all, of the totals."""
    rewards, points, engine = rewards_of("team_difference", seed, rules)
    first, second = engine.match_result()["totals"]
    assert rewards[:, 0] == pytest.approx((points[:, 0] - points[:, 1]) / 25, abs=1e-6)
    assert rewards[:, 0].sum() == pytest.approx((first - second) / 25, abs=1e-5)
    assert rewards[:, 3].sum() == pytest.approx((second - first) / 25, abs=1e-5)


@ALL
@pytest.mark.parametrize("seed", range(4))
def test_round_result(seed: int, rules: dict[str, Any]) -> None:
    """1, 0 or -1 at each round's end (R4.4); in all, the difference of rounds won."""
    rewards, points, engine = rewards_of("round_result", seed, rules)
    first, second = engine.match_result()["round_wins"]
    assert rewards[:, 0].tolist() == np.sign(points[:, 0] - points[:, 1]).tolist()
    assert rewards[:, 0].sum() == first - second


@ALL
@pytest.mark.parametrize("seed", range(4))
def test_game_result(seed: int, rules: dict[str, Any]) -> None:
    """1, 0 or -1 at the game's end (R5), nothing before."""
    rewards, _, engine = rewards_of("game_result", seed, rules)
    winners = engine.match_result()["winners"]
    assert not rewards[:-1].any()
    expected = 0 if winners == [0, 1] else 1 if winners == [0] else -1
    assert rewards[-1].tolist() == [expected, -expected] * 2


def test_a_shared_game_rewards_nobody() -> None:
    """R5.1: equal round wins share the game, whatever the points are."""
    shared = 0
    for seed in range(12):
        rewards, _, engine = rewards_of("game_result", seed, {"num_rounds": 2})
        if engine.match_result()["winners"] == [0, 1]:
            assert not rewards.any()
            assert engine.match_result()["totals"][0] != engine.match_result()["totals"][1]
            shared += 1
    assert shared


def test_more_points_decide_a_game_with_a_target() -> None:
    """R5.2: the team that reaches it has won, also with fewer rounds."""
    fewer = 0
    for seed in range(80):
        rewards, _, engine = rewards_of("game_result", seed, {"target_score": 60})
        result = engine.match_result()
        winner = result["winners"][0]
        assert rewards[-1, winner] == 1 and result["totals"][winner] == max(result["totals"])
        fewer += result["round_wins"][winner] <= result["round_wins"][1 - winner]
    assert fewer


@pytest.mark.parametrize("reward", REWARDS)
def test_an_even_round_rewards_nobody(reward: str) -> None:
    """R4.4."""
    even = 0
    rules = {"num_rounds": 1, "redeal_pile": False}
    for seed in range(40):
        for engine, move in walk(seed, rules, ("dry",), reward=reward):
            last = engine.games["plays"][0] == 47
            assert last or not engine.rewards.any(), move
        points = engine.round_result()["points"]
        if points[0] == points[1]:
            assert engine.round_result()["winner"] is None and not engine.rewards.any()
            even += 1
        else:
            assert engine.rewards.all()
    assert even


def test_an_advance_adds_up_its_rewards() -> None:
    """All that happens until an outside seat must act; here whole games."""
    for reward in REWARDS:
        engine = engine_for({"num_rounds": 3}, reward=reward)
        engine.reset(seed=2)
        engine.advance(np.array([[RANDOM, COUNTING] * 2], np.int8))
        rows, _, stepped = rewards_of(reward, 2, {"num_rounds": 3})
        assert engine.over[0] and engine.match_result() == stepped.match_result()
        assert engine.rewards[0] == pytest.approx(rows.sum(0), abs=1e-5)
