"""The Gymnasium environment with one learner."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from tests.envs.helpers import SHORT, any_illegal, any_legal, same_games, same_state
from tests.pictures.helpers import use_dummy_display
from xabitha_env.envs.single_agent import SingleAgentEnv
from xabitha_env.players import FunctionPlayer, PlayerError

ID = "xabitha_env/Xabitha-v0"


def bare(**options):
    return SingleAgentEnv("xabitha", **{"rules": SHORT, **options})


def lowest(observation, mask):
    """A player: the first legal action."""
    return int(np.flatnonzero(mask)[0])


class Highest:
    """A player: the last legal action; it counts how often it was asked."""

    name = "highest"

    def __init__(self):
        self.seeds = []
        self.calls = 0
        self.seats = set()

    def reset(self, engine, seed):
        self.seeds.append(seed)

    def act(self, view):
        self.calls += 1
        self.seats |= set(view.seat.tolist())
        assert view.legal_count.tolist() == view.mask.sum(axis=1).tolist()
        return np.array([row[: int(n)][-1] for row, n in zip(view.legal, view.legal_count)])


def play(env, seed, rng, options=None):
    """Play an episode; returns its return, its steps and the last flags."""
    observation, info = env.reset(seed=seed, options=options)
    total, steps = 0.0, 0
    while True:
        assert env.observation_space.contains(observation)
        observation, reward, terminated, truncated, info = env.step(
            any_legal(info["action_mask"], rng)
        )
        total += reward
        steps += 1
        if terminated or truncated:
            return total, steps, terminated, truncated


@pytest.mark.parametrize("options", [{}, {"seat": "random", "episode": "round", "derived": False}])
def test_check_env(options, monkeypatch):
    use_dummy_display(monkeypatch)
    check_env(gymnasium.make(ID, **options).unwrapped)


@pytest.mark.parametrize("seat", [0, 1, 2, 3, "random"])
@pytest.mark.parametrize("opponents", ["greedy", ("random", lowest)])
def test_return_is_the_teams_difference(seat, opponents):
    env = bare(seat=seat, partner="greedy", opponents=opponents)
    rng = np.random.default_rng(0)
    seen = set()
    for seed in range(8):
        total, _, terminated, _ = play(env, seed, rng)
        assert terminated
        totals = env.engine.match_result()["totals"]
        own = env.seat % 2
        assert total == pytest.approx((totals[1 - own] - totals[own]) / 100, abs=1e-5)
        seen.add(env.seat)
    assert len(seen) > 1 if seat == "random" else seen == {seat}


def test_rewards_of_the_others_turns_are_not_lost():
    """Rounds that end while another seat acts pay the learner, too."""
    env = bare(seat=0, opponents="greedy")
    rng = np.random.default_rng(1)
    paid = []
    for seed in range(10):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            before = env.engine.rounds_played.item()
            _, reward, terminated, truncated, info = env.step(any_legal(info["action_mask"], rng))
            if env.engine.rounds_played.item() > before:
                winner = env.engine.round_result()["winner"]
                paid.append((winner, reward))
            else:
                assert reward == 0
            done = terminated or truncated
    assert any(winner in (1, 3) and reward < 0 for winner, reward in paid)
    assert any(winner == 2 and reward > 0 for winner, reward in paid)


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_the_last_observation_is_the_learners(seat):
    env = bare(seat=seat, opponents="greedy")
    rng = np.random.default_rng(seat)
    others = 0
    for seed in range(5):
        _, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            observation, _, terminated, _, info = env.step(any_legal(info["action_mask"], rng))
            assert np.array_equal(observation, env.engine.observe(0, seat))
        assert not info["action_mask"].any()
        others += env.engine.seats[0] != seat
    assert others


def test_same_seed_same_episode():
    results = [
        play(gymnasium.make(ID, episode="round"), 5, np.random.default_rng(3)) for _ in range(2)
    ]
    assert results[0] == results[1]


def test_unseeded_resets_go_on_from_the_seed():
    first, second = bare(seat="random"), bare(seat="random")
    for env in (first, second):
        env.reset(seed=11)
    for _ in range(3):
        for env in (first, second):
            env.reset()
        assert same_games(first.engine, second.engine) and first.seat == second.seat
    third = bare()
    third.reset()
    assert not same_games(first.engine, third.engine)


@pytest.mark.interpreted
def test_refused_action():
    env = bare()
    observation, info = env.reset(seed=2)
    action = any_illegal(info["action_mask"])
    refusal = env.engine.refusal(action)
    for _ in range(2):
        before = env.engine.get_state()
        again, reward, terminated, truncated, told = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert np.array_equal(again, observation)
        assert np.array_equal(told.pop("action_mask"), info["action_mask"])
        assert told == {"illegal_action": True, "rule": refusal.rule, "message": refusal.message}
        assert same_state(env.engine.get_state(), before)
    _, _, _, _, told = env.step(any_legal(info["action_mask"], np.random.default_rng(0)))
    assert set(told) == {"action_mask"}


def test_illegal_raise_and_terminate():
    env = bare(illegal="raise")
    _, info = env.reset(seed=2)
    action = any_illegal(info["action_mask"])
    with pytest.raises(ValueError, match="illegal"):
        env.step(action)
    assert np.array_equal(env.action_masks(), info["action_mask"])
    env = bare(illegal="terminate")
    env.reset(seed=2)
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"]
    with pytest.raises(ResetNeeded, match="over"):
        env.step(action)


def test_truncation_counts_refused_steps():
    env = bare(max_episode_steps=7)
    _, info = env.reset(seed=1)
    action = any_illegal(info["action_mask"])
    flags = [env.step(action)[2:4] for _ in range(7)]
    assert flags == [(False, False)] * 6 + [(False, True)]
    assert bare().tables.max_episode_steps == 10_000


def test_action_masks():
    env = gymnasium.make(ID)
    _, info = env.reset(seed=1)
    masks = env.unwrapped.action_masks()
    assert masks.dtype == np.bool_ and np.array_equal(masks, info["action_mask"])
    assert info["action_mask"].dtype == np.int8


def test_players_of_all_kinds():
    highest = Highest()
    env = bare(partner=highest, opponents=(FunctionPlayer(lowest), highest))
    for seed in (4, 5):
        play(env, seed, np.random.default_rng(0))
    assert highest.calls > 10 and highest.seats == {2, 3}
    assert len(highest.seeds) == 2 and highest.seeds[0] != highest.seeds[1]
    env.reset(seed=4)
    assert highest.seeds[2] == highest.seeds[0]


def test_external_and_compiled_players_play_the_same():
    """The same policy, asked from outside, gives the same match."""

    class Outside:
        name = "outside greedy"

        def reset(self, engine, seed):
            self.engine = engine

        def act(self, view):
            codes = np.full(self.engine.num_games, -1, np.int8)
            codes[view.game] = self.engine.player_codes["greedy"]
            return self.engine.choose(codes)[view.game]

    results = []
    for player in ("greedy", Outside()):
        env = bare(partner=player, opponents=player, seat=1)
        results.append(play(env, 3, np.random.default_rng(2)))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("player", "words"),
    [
        (lambda observation, mask: int(np.flatnonzero(mask == 0)[0]), "illegal"),
        (lambda observation, mask: 10**6, "1000000"),
        (lambda observation, mask: 0.5, "whole number"),
        (lambda observation, mask: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_players_that_fail(player, words):
    env = bare(partner=player, opponents="random")
    with pytest.raises(PlayerError, match=words):
        play(env, 0, np.random.default_rng(0))
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)
    env.tables.set_players(partner="greedy")
    play(env, 0, np.random.default_rng(0))


def test_reset_with_a_deal():
    env = bare()
    env.reset(seed=1)
    deal = bare()
    deal.reset(seed=2)
    record = deal.engine.copy()
    record.reset(2)
    env.reset(seed=5, options={"deal": record.deal_record()})
    hands = env.engine.deal_record()["deal"]["hands"]
    assert hands == record.deal_record()["deal"]["hands"]


def test_reset_with_a_state_plays_to_the_learners_turn():
    other = bare(seat=2)
    _, info = other.reset(seed=3)
    rng = np.random.default_rng(4)
    for _ in range(40):
        _, _, terminated, _, info = other.step(any_legal(info["action_mask"], rng))
        assert not terminated
    state = other.engine.get_state()
    env = bare(seat=3)
    _, info = env.reset(seed=1, options={"state": state})
    assert env.engine.seats[0] == 3 and info["action_mask"].any()
    again = bare(seat=2)
    observation, info = again.reset(options={"state": state})
    assert same_games(again.engine, other.engine)
    assert np.array_equal(observation, other.engine.observation[0])


def test_a_state_that_ends_before_the_learner_acts_is_refused():
    """One draw of a deck without cards, by another seat, ends this match."""
    rules = {"num_rounds": 1, "max_reshuffles": 0, "max_turns": 5}
    env = bare(rules=rules, seat=0, partner="random", opponents="random")
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    terminated = False
    while not terminated:
        last = env.engine.get_state()
        before = env.engine.copy()
        action = any_legal(info["action_mask"], rng)
        _, _, terminated, _, info = env.step(action)
    before.step([action])
    if before.over[0]:
        pytest.fail("choose a seed by which another seat ends the match")
    stuck = before.get_state()
    env.reset(seed=1)
    was = env.engine.get_state()
    with pytest.raises(ValueError, match="before the learner"):
        env.reset(options={"state": stuck})
    assert same_state(env.engine.get_state(), was)
    env.reset(options={"state": last})
    assert same_state(env.engine.get_state(), last)


@pytest.mark.parametrize(
    ("options", "words"), [({"dael": 1}, "'dael'"), ({"deal": 3}, "deal"), ({"state": 3}, "state")]
)
def test_bad_reset_options(options, words):
    env = bare()
    env.reset(seed=1)
    before = env.engine.get_state()
    with pytest.raises(ValueError, match=words):
        env.reset(seed=2, options=options)
    assert same_state(env.engine.get_state(), before)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"partner": "gredy"}, "gredy.*greedy"),
        ({"opponents": ("random",) * 3}, "3 opponents"),
        ({"seat": 4}, "seat.*4"),
        ({"seat": "north"}, "seat.*north"),
        ({"seat": 1.5}, "seat.*1.5"),
        ({"seat": [0, 1]}, "seat"),
        ({"illegal": "no"}, "illegal"),
        ({"render_mode": "rgb"}, "render_mode"),
        ({"max_episode_steps": -3}, "max_episode_steps"),
        ({"rules": {"joker_penalty": "x"}}, "joker_penalty"),
    ],
)
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        bare(**options)


@pytest.mark.parametrize("action", [-1, 10**6, 0.0, None, "0", np.array([0])])
def test_what_is_no_action(action):
    env = bare()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action"):
        env.step(action)


def test_step_before_reset():
    with pytest.raises(ResetNeeded, match="reset"):
        bare().step(0)


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_the_same(twin):
    env = bare(seat="random")
    _, info = env.reset(seed=6)
    rng = np.random.default_rng(0)
    for _ in range(20):
        info = env.step(any_legal(info["action_mask"], rng))[-1]
    other = twin(env)
    results = []
    for game in (env, other):
        rng = np.random.default_rng(1)
        seen = []
        mask = game.action_masks()
        for _ in range(300):
            observation, reward, terminated, truncated, info = game.step(any_legal(mask, rng))
            mask = info["action_mask"]
            seen.append((observation.tobytes(), reward, terminated, truncated))
            if terminated:
                _, info = game.reset()
                mask = info["action_mask"]
        results.append(seen)
    assert results[0] == results[1]


def test_render():
    env = gymnasium.make(ID, render_mode="ansi", seat=1)
    env.reset(seed=1)
    assert env.render() == env.unwrapped.engine.render(0, 1)
