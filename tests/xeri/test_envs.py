"""The environments over Xeri: PettingZoo, Gymnasium, vectors of them, Stable-Baselines3."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from tests.envs.helpers import (
    any_illegal,
    any_legal,
    same_games,
    same_state,
    some_legal,
    step_randomly,
)
from tests.envs.test_vector import same_infos
from tests.pictures.helpers import use_dummy_display
from xabitha_env import make_engine, make_rules, xeri_v0
from xabitha_env.envs.entry import OrderedTableEnv
from xabitha_env.envs.single_agent import SingleAgentEnv
from xabitha_env.envs.vector import TablesVectorEnv

with warnings.catch_warnings():  # where pygame is installed, they import an environment of old
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.test.state_test import state_test

THIRD_PARTY = pytest.mark.filterwarnings(
    # PettingZoo knows by name the environments whose observations are dictionaries,
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box",
    # and looks at the masks of agents that are done.
    "ignore:Action mask numpy array is all zeros",
)
ID = "xabitha_env/Xeri-v0"
RULES = {"num_rounds": 2, "show_bottom_card": True}
TARGET = {"target_score": 30}
N = 3
OPTIONS: dict[str, Any] = {"episode": "round", "seat": "random"}


def difference(engine: Any, seat: int, index: int = 0) -> float:
    """The return of a seat: its team's points minus the others', over 25."""
    totals = engine.match_result(index)["totals"]
    return (totals[seat % 2] - totals[1 - seat % 2]) / 25


# --- PettingZoo -----------------------------------------------------------------------------


@THIRD_PARTY
@pytest.mark.parametrize("make", [xeri_v0.env, xeri_v0.raw_env])
@pytest.mark.parametrize("options", [{}, {"episode": "round", "derived": False}])
def test_api(make, options):
    api_test(make(**options), num_cycles=500)


@THIRD_PARTY
def test_api_with_truncation():
    api_test(xeri_v0.env(max_cycles=40), num_cycles=100)


def test_seed():
    seed_test(xeri_v0.env, num_cycles=200)


def test_render(monkeypatch):
    use_dummy_display(monkeypatch)
    render_test(xeri_v0.env, {"ansi": lambda text: "seat 0" in text})


@THIRD_PARTY
@pytest.mark.parametrize("mode", ["human", "rgb_array"])
def test_api_with_pictures(monkeypatch, mode):
    use_dummy_display(monkeypatch)
    env = xeri_v0.env(render_mode=mode, max_cycles=60)
    api_test(env, num_cycles=150)
    env.close()


def test_state():
    state_test(xeri_v0.env(), xeri_v0.env(), num_cycles=50)


def test_registry():
    env = pettingzoo.make("aec", ID, rules={"xeri_points": 5})
    assert isinstance(env, OrderedTableEnv)
    assert env.unwrapped.rules == make_rules("xeri", {"xeri_points": 5})
    assert str(env) == str(env.unwrapped) == env.metadata["name"] == "xeri_v0"


@pytest.fixture
def aec():
    env = xeri_v0.raw_env(rules=RULES)
    env.reset(seed=3)
    return env


def test_mask_is_the_engines_legal_list(aec):
    rng = np.random.default_rng(0)
    for _ in range(40):
        mask = aec.observe(aec.agent_selection)["action_mask"]
        texts = sorted(aec.engine.text(int(action)) for action in np.flatnonzero(mask))
        assert texts == aec.engine.legal_texts()
        for action in np.flatnonzero(mask == 0):
            assert aec.engine.refusal(int(action)) is not None
        step_randomly(aec, rng, 2)


def test_observe_is_safe_for_all(aec):
    rng = np.random.default_rng(1)
    for _ in range(50):
        for seat, agent in enumerate(aec.possible_agents):
            seen = aec.observe(agent)
            assert aec.observation_space(agent).contains(seen)
            assert seen["action_mask"].any() == (agent == aec.agent_selection)
            assert np.array_equal(seen["observation"], aec.engine.observe(0, seat))
        step_randomly(aec, rng, 1)


@pytest.mark.parametrize("make", [xeri_v0.env, xeri_v0.raw_env])
@pytest.mark.parametrize("reward", ["team_difference", "round_result", "game_result"])
@pytest.mark.parametrize("rules", [RULES, TARGET], ids=["rounds", "target"])
def test_whole_games(make, reward, rules):
    """The rewards told to each agent add up to its return; agents act clockwise (R3.1)."""
    env = make(rules=rules, reward=reward)
    rng = np.random.default_rng(2)
    for seed in range(3):
        env.reset(seed=seed)
        told = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, amount, terminated, truncated, info = env.last()
            told[agent] += amount
            assert info == {} and not truncated
            env.step(None if terminated else any_legal(observation["action_mask"], rng))
        assert list(told.values()) == pytest.approx(_expected(env.unwrapped.engine, reward))


def _expected(engine, reward):
    """The return of each seat, from the result of the game."""
    result = engine.match_result()
    if reward == "team_difference":
        return [difference(engine, seat) for seat in range(4)]
    if reward == "round_result":
        lead = result["round_wins"][0] - result["round_wins"][1]
        return [lead, -lead] * 2
    won = [team in result["winners"] for team in range(2)]
    return [int(won[0]) - int(won[1]), int(won[1]) - int(won[0])] * 2


def test_rewards_come_to_all_when_a_round_ends(aec):
    rng = np.random.default_rng(5)
    while aec.engine.rounds_played[0] == 0:
        assert not any(aec.rewards.values())
        step_randomly(aec, rng, 1)
    first, second = aec.engine.round_result()["points"]
    lead = (first - second) / 25
    assert list(aec.rewards.values()) == pytest.approx([lead, -lead] * 2)
    step_randomly(aec, rng, 1)
    assert not any(aec.rewards.values())


@pytest.mark.interpreted
def test_a_refused_action_changes_nothing(aec):
    """R6."""
    step_randomly(aec, np.random.default_rng(7), 30)
    agent, before = aec.agent_selection, aec.engine.copy()
    seen = aec.observe(agent)
    action = any_illegal(seen["action_mask"])
    aec.step(action)
    refusal = aec.engine.refusal(action)
    assert refusal.rule == "R6"
    told = {"illegal_action": True, "rule": "R6", "message": refusal.message}
    assert aec.agent_selection == agent and aec.infos[agent] == told
    assert all(aec.infos[other] == {} for other in aec.agents if other != agent)
    assert not any(aec.rewards.values()) and not any(aec.terminations.values())
    for name, part in aec.observe(agent).items():
        assert np.array_equal(part, seen[name])
    before.step(np.array([action]))
    assert same_games(before, aec.engine)
    aec.step(int(np.flatnonzero(seen["action_mask"])[0]))
    assert aec.agent_selection != agent and all(info == {} for info in aec.infos.values())


def test_illegal_raise_and_terminate():
    env = xeri_v0.raw_env(illegal="raise")
    env.reset(seed=1)
    agent = env.agent_selection
    action = any_illegal(env.observe(agent)["action_mask"])
    with pytest.raises(ValueError) as caught:
        env.step(action)
    assert str(caught.value) == env.engine.refusal(action).message
    assert env.agent_selection == agent and env.infos[agent] == {}
    env = xeri_v0.env(illegal="terminate")
    env.reset(seed=1)
    env.step(action)
    assert env.rewards[agent] == -1 and env.infos[agent]["illegal_action"]
    assert all(env.terminations.values()) and all(env.truncations.values())


@pytest.mark.parametrize("action", [-1, 52, 1.0, "0", None])
def test_what_is_no_action(aec, action):
    before = aec.engine.get_state()
    with pytest.raises(ValueError, match="action|None"):
        aec.step(action)
    assert same_state(aec.engine.get_state(), before)


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("steps", [0, 30, 1000])
def test_copies_go_on_the_same(twin, steps):
    env = xeri_v0.env(episode="round")
    env.reset(seed=9)
    step_randomly(env, np.random.default_rng(9), steps)
    seen = []
    for game in (env, twin(env)):
        rng = np.random.default_rng(10)
        seen.append([])
        while game.agents:
            seen[-1].append((game.agent_selection, *map(repr, game.last()), game.state().tobytes()))
            step_randomly(game, rng, 1)
    assert seen[0] == seen[1]


def test_reset_with_a_deal_and_with_a_state(aec):
    other = xeri_v0.raw_env(rules=RULES)
    other.reset(seed=99, options={"deal": aec.engine.deal_record()})
    assert other.engine.deal_record() == aec.engine.deal_record()
    step_randomly(aec, np.random.default_rng(3), 60)
    other.reset(options={"state": aec.engine.get_state()})
    for game in (aec, other):
        step_randomly(game, np.random.default_rng(4), 300)
    assert same_games(aec.engine, other.engine) and other.agents == aec.agents == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reward": "own_penalties"}, "own_penalties.*game_result"),
        ({"rules": {"opening_points": 1}}, "opening_points"),
        ({"rules": {"target_score": 0}}, "target_score"),
        ({"rules": make_rules("xabitha")}, "rules must be .* of xeri"),
    ],
)
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        xeri_v0.env(**options)


# --- Gymnasium ------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"seat": "random", "episode": "round", "derived": False}])
def test_check_env(options, monkeypatch):
    use_dummy_display(monkeypatch)
    check_env(gymnasium.make(ID, **options).unwrapped)


@pytest.mark.parametrize("seat", [0, 1, 2, 3, "random"])
@pytest.mark.parametrize(
    ("partner", "opponents", "rules"),
    [("counting", "greedy", RULES), ("greedy", ("random", "counting"), TARGET)],
)
def test_returns_telescope(seat, partner, opponents, rules):
    """The learner's rewards are its team's difference of points in all, over 25 (R4)."""
    env = gymnasium.make(ID, seat=seat, partner=partner, opponents=opponents, rules=rules)
    bare, rng, seats = env.unwrapped, np.random.default_rng(0), set()
    for seed in range(6):
        _, info = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            observation, reward, done, truncated, info = env.step(
                any_legal(info["action_mask"], rng)
            )
            assert not truncated and env.observation_space.contains(observation)
            total += reward
        seats.add(bare.seat)
        assert np.array_equal(observation, bare.engine.observe(0, bare.seat))
        assert total == pytest.approx(difference(bare.engine, bare.seat), abs=1e-5)
    assert len(seats) > 1 if seat == "random" else seats == {seat}


def test_refused_actions_of_the_learner():
    env = SingleAgentEnv("xeri", rules=RULES)
    observation, info = env.reset(seed=2)
    action = any_illegal(info["action_mask"])
    again, reward, terminated, truncated, told = env.step(action)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert np.array_equal(again, observation)
    assert np.array_equal(told.pop("action_mask"), info["action_mask"])
    assert told["rule"] == "R6" and told["illegal_action"]


def test_every_player_may_sit_at_the_table():
    with pytest.raises(ValueError, match=r"countng.*counting"):
        SingleAgentEnv("xeri", partner="countng")
    env = SingleAgentEnv("xeri", partner=lambda observation, mask: int(mask.argmax()))
    env.reset(seed=1)


# --- vectors of environments ----------------------------------------------------------------


def vector(num_envs: int = N, **options: Any) -> TablesVectorEnv:
    return TablesVectorEnv("xeri", num_envs, **{**OPTIONS, **options})


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("limit", [None, 9])
def test_as_gymnasiums_own_vector_of_single_environments(mode, limit):
    """Observations, rewards, flags and infos are those of SyncVectorEnv, refused steps included."""
    options = {**OPTIONS, "max_episode_steps": limit}
    batch = vector(max_episode_steps=limit, autoreset_mode=mode)
    make = [lambda: SingleAgentEnv("xeri", **options)] * N
    singles = gymnasium.vector.SyncVectorEnv(make, autoreset_mode=mode)
    results = [env.reset(seed=20) for env in (batch, singles)]
    episodes = 0
    for step in range(60):
        assert np.array_equal(results[0][0], results[1][0])
        same_infos(results[0][-1], results[1][-1])
        masks = results[0][-1]["action_mask"]
        actions = some_legal(masks, step)
        if step % 11 == 5:
            actions[step % N] = any_illegal(masks[step % N])
        results = [env.step(actions) for env in (batch, singles)]
        for ours, theirs in zip(results[0][1:4], results[1][1:4]):
            assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs), step
        done = results[0][2] | results[0][3]
        episodes += done.sum()
        if mode is AutoresetMode.DISABLED and done.any():
            given = [env.reset(options={"reset_mask": done.copy()}) for env in (batch, singles)]
            assert np.array_equal(given[0][0], given[1][0])
            results = [(given[0][0], given[0][1]), (given[1][0], given[0][1])]
    assert episodes > N


@pytest.mark.parametrize("mode", [None, "vector_entry_point", "sync"])
def test_make_vec(mode):
    env = gymnasium.make_vec(ID, num_envs=4, vectorization_mode=mode, seat=2, partner="counting")
    assert isinstance(env, TablesVectorEnv) == (mode != "sync")
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations) and infos["_action_mask"].all()
    step = env.step(some_legal(infos["action_mask"], 0))
    assert env.observation_space.contains(step[0])
    assert env.spec.id == ID and env.num_envs == 4 and env.single_action_space.n == 52
    env.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_make_vec_in_all_autoreset_modes(mode):
    env = gymnasium.make_vec(ID, num_envs=2, autoreset_mode=mode.value, **OPTIONS)
    assert env.metadata["autoreset_mode"] is mode
    env.reset(seed=1)


def test_returns_of_a_vector_telescope():
    """For every seat."""
    env = vector(4, autoreset_mode="Disabled", seat=[0, 1, 2, 3], opponents="greedy")
    _, infos = env.reset(seed=8)
    total, step, ended = np.zeros(4), 0, np.zeros(4, bool)
    while not ended.all():
        step += 1
        _, rewards, terminated, _, infos = env.step(some_legal(infos["action_mask"], step))
        total += rewards
        for table in np.flatnonzero(terminated):
            expected = difference(env.engine, int(env.seats[table]), int(table))
            assert total[table] == pytest.approx(expected, abs=1e-5)
        ended |= terminated
        if terminated.any():
            _, infos = env.reset(options={"reset_mask": terminated})
            total[terminated] = 0


# --- Stable-Baselines3 ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def sb3():
    """The bridge, with a torch that runs on one thread."""
    pytest.importorskip("sb3_contrib")
    import torch

    from xabitha_env.contrib import sb3

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield sb3
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def model(sb3):
    """A model that has learned for one rollout."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecMonitor

    env = VecMonitor(sb3.TablesVecEnv(N, game="xeri", partner="greedy", **OPTIONS))
    options = {"n_steps": 16, "batch_size": 48, "n_epochs": 1, "seed": 0, "device": "cpu"}
    return MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, **options).learn(48)


def test_the_bridge_is_as_the_vector(sb3):
    from sb3_contrib.common.maskable.utils import get_action_masks

    ours, theirs = sb3.TablesVecEnv(N, game="xeri", **OPTIONS), vector(autoreset_mode="SameStep")
    ours.seed(2)
    first, (second, infos) = ours.reset(), theirs.reset(seed=2)
    for step in range(60):
        assert np.array_equal(first, second)
        assert np.array_equal(get_action_masks(ours), infos["action_mask"] != 0)
        actions = some_legal(infos["action_mask"], step)
        first, rewards, _, _ = ours.step(actions)
        second, others, _, _, infos = theirs.step(actions)
        assert np.allclose(rewards, others)


def test_a_saved_model_plays(sb3, model, tmp_path):
    from xabitha_env.players import load_player
    from xabitha_env.record import record_matches, verify_record

    path = tmp_path / "tiny.zip"
    model.save(path)
    player = load_player(str(path), "xeri")
    assert isinstance(player, sb3.SB3Player) and player.name == "tiny"
    (record,) = record_matches([player, "counting"], [1], game="xeri", rules=RULES)
    assert record["agents"] == ["tiny", "counting"] * 2 and verify_record(record) is None
    env = sb3.TablesVecEnv(2, game="xeri", partner=player, opponents=("greedy", str(path)))
    env.seed(3)
    env.reset()
    for step in range(20):
        env.step(some_legal(np.stack(env.env_method("action_masks")), step))


def test_a_model_of_the_other_game_does_not_fit(sb3, model):
    engine = make_engine("xabitha", 1)
    with pytest.raises(ValueError, match="model 'MaskablePPO' was made for"):
        sb3.SB3Player(model).reset(engine, 1)
