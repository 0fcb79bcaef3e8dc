"""The table as RLlib sees it: its own checks, no reward lost, all masks honoured."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

pytest.importorskip("ray", reason="needs Ray, in an environment of its own (docs/ray.md)")

import torch
from gymnasium.error import ResetNeeded
from ray.rllib.core.columns import Columns
from ray.rllib.env.env_context import EnvContext
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from train import rllib_ppo
from xabitha_env.contrib.rllib import (
    ALL,
    LEARNER,
    LearningModule,
    TableMultiAgentEnv,
    module_of,
    seat_of,
)
from xabitha_env.contrib.rllib_player import FORBIDDEN
from xabitha_env.envs.aec import AGENTS, TableEnv
from xabitha_env.games import GAMES

pytestmark = pytest.mark.filterwarnings(  # RLlib registers its table for each algorithm
    "ignore:.*Overriding environment rllib-multi-agent-env-v0"
)
UNIT = {"xabitha": -100, "xeri": 25}
"""Points for a reward of 1."""
LEAGUE = {"league": ("self", "past", "greedy", "search?ms=1"), "past": 2}
MATCH = {"rules": {"num_rounds": 3}, "episode": "match"}


def play(env, seed, rng, look=lambda *given: None):
    """Play an episode at random; returns the sums of rewards by agent, and the last step."""
    sums = defaultdict(float)
    seen, _ = env.reset(seed=seed)
    while True:
        ((agent, one),) = seen.items()
        action = int(rng.choice(np.flatnonzero(one["action_mask"])))
        look(agent, one, action)
        step = env.step({agent: action})
        seen, rewards, terminated, truncated, _ = step
        for name, reward in rewards.items():
            sums[name] += reward
        if terminated[ALL] or truncated[ALL]:
            return sums, step


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("league", [{}, LEAGUE])
def test_rllib_finds_nothing_wrong(game, league):
    check_multiagent_environments(TableMultiAgentEnv({"game": game, **league}))


@pytest.mark.parametrize("game", GAMES)
def test_it_is_the_table_of_pettingzoo(game):
    """Step by step: what agents see, and what each is given over a match."""
    env, table = TableMultiAgentEnv({"game": game, **MATCH}), TableEnv(game, game, **MATCH)
    table.reset(seed=5)
    given = defaultdict(float)

    def look(agent, seen, action):
        assert agent == table.agent_selection
        other = table.observe(agent)
        assert all(np.array_equal(seen[name], other[name]) for name in other)
        table.step(action)
        for name, reward in table.rewards.items():
            given[name] += reward

    sums, (seen, _, terminated, truncated, infos) = play(env, 5, np.random.default_rng(0), look)
    assert sums == given and any(given.values())
    assert set(seen) == set(infos) == set(AGENTS)
    assert all(terminated.values()) and not any(truncated.values())
    assert not any(one["action_mask"].any() for one in seen.values())
    assert all(env.observation_spaces[name].contains(one) for name, one in seen.items())
    with pytest.raises(ResetNeeded):
        env.step({AGENTS[0]: 0})


@pytest.mark.parametrize("game", GAMES)
def test_rewards_are_those_of_the_engine_whoever_plays(game):
    env, rng = TableMultiAgentEnv({"game": game, **LEAGUE, **MATCH}), np.random.default_rng(1)
    sizes = set()
    for seed in range(8):
        sums, _ = play(env, seed, rng)
        totals = env.engine.match_result()["totals"]
        ahead = (totals[0] - totals[1]) / UNIT[game]
        assert len(sums) == len(env.agents)
        for agent, total in sums.items():
            assert total == pytest.approx(ahead if seat_of(agent) % 2 == 0 else -ahead, abs=1e-5)
        sizes.add(len(sums))
    assert sizes == {2, 4}  # with players inside, and without


def test_who_plays_is_drawn_from_the_seed():
    envs = [TableMultiAgentEnv({"game": "xeri", **LEAGUE}) for _ in range(2)]
    drawn = [
        [tuple(env.reset(seed=seed)[0]) + tuple(env.agents) for seed in range(40)] for env in envs
    ]
    assert drawn[0] == drawn[1]
    names = {name for agents in drawn[0] for name in agents}
    assert names == set(envs[0].possible_agents)
    assert {module_of(name) for name in names} == {LEARNER, "past_0", "past_1"}
    for agents in drawn[0]:
        teams = {seat_of(name) % 2: module_of(name) for name in agents}
        assert all(module_of(name) == teams[seat_of(name) % 2] for name in agents)
        assert LEARNER in teams.values()


def test_runners_have_deals_of_their_own():
    """RLlib's seeds of runner 1's second table and runner 2's first are the same."""
    one, two = (
        TableMultiAgentEnv(EnvContext({"game": "xeri"}, worker_index=index, num_workers=2))
        for index in (1, 2)
    )
    one.reset(seed=7), two.reset(seed=7)
    assert one.engine.deal_record() != two.engine.deal_record()


@pytest.mark.parametrize(("illegal", "ends"), [("refuse", False), ("terminate", True)])
def test_an_illegal_action_is_refused(illegal, ends):
    env = TableMultiAgentEnv({"game": "xeri", "illegal": illegal})
    ((agent, seen),) = env.reset(seed=1)[0].items()
    action = int(np.flatnonzero(seen["action_mask"] == 0)[0])
    after, rewards, terminated, _, infos = env.step({agent: action})
    assert np.array_equal(after[agent]["observation"], seen["observation"])
    assert infos[agent]["rule"] == "R6" and infos[agent]["illegal_action"]
    assert terminated[ALL] is ends and rewards[agent] == (-1.0 if ends else 0.0)
    env = TableMultiAgentEnv({"game": "xeri", "illegal": "raise"})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="not in"):
        env.step({agent: action})


def test_an_episode_is_cut_off():
    env = TableMultiAgentEnv({"game": "xeri", "max_cycles": 3})
    _, (seen, _, terminated, truncated, _) = play(env, 0, np.random.default_rng(0))
    assert truncated == {**dict.fromkeys(AGENTS, True), ALL: True} and not any(terminated.values())
    assert set(seen) == set(AGENTS)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"game": "whist"}, "no game 'whist'"),
        ({"league": ()}, "league must name at least one rival"),
        ({"league": ("past",)}, "there are no frozen modules"),
        ({"league": ("gredy",)}, "did you mean 'greedy'"),
        ({"illegal": "ignore"}, "illegal must be one of"),
    ],
)
def test_a_wrong_configuration_is_told(config, message):
    with pytest.raises(ValueError, match=message):
        TableMultiAgentEnv(config)


def test_wrong_calls_are_told():
    env = TableMultiAgentEnv({"game": "xeri"})
    with pytest.raises(ResetNeeded):
        env.step({})
    with pytest.raises(ValueError, match="has no options"):
        env.reset(options={"deal": {}})
    (agent,) = env.reset(seed=0)[0]
    other = next(name for name in AGENTS if name != agent)
    for actions in ({}, {other: 0}, {agent: 0, other: 0}):
        with pytest.raises(ValueError, match=f"{agent} is to act"):
            env.step(actions)
    with pytest.raises(ValueError, match="there is no action"):
        env.step({agent: 10_000})


def test_illegal_actions_have_no_probability():
    env = TableMultiAgentEnv({"game": "xeri"})
    space = env.observation_spaces[AGENTS[0]]
    module = LearningModule(
        observation_space=space,
        action_space=env.action_spaces[AGENTS[0]],
        model_config={"width": 4},
    )
    mask = torch.zeros(2, space["action_mask"].shape[0], dtype=torch.int8)
    mask[0, 3] = mask[0, 5] = 1  # the second is of a seat that is done
    seen = torch.ones(2, space["observation"].shape[0], dtype=torch.int8)
    batch = {Columns.OBS: {"observation": seen, "action_mask": mask}}
    logits = module.forward_train(batch)[Columns.ACTION_DIST_INPUTS]
    chances = torch.softmax(logits, 1)
    assert (chances[0][mask[0] == 0] == 0).all() and (chances[0] > 0).sum() == 2
    assert (logits[1] == FORBIDDEN).all() and torch.isfinite(chances).all()
    assert module.compute_values(batch).shape == (2,)


@pytest.fixture(scope="module")
def algorithm(two_workers):
    """RLlib's algorithm in this process, with a league."""
    args = rllib_ppo.parse(["--smoke", "--runners", "0", "--envs", "3", "--past", "2"])
    built = rllib_ppo.algorithm_of(args, 0)
    yield built
    built.stop()


def test_a_rollout_honours_masks_and_loses_no_reward(algorithm, monkeypatch):
    """In pieces that are cut anywhere, as PPO gets them."""
    given = []  # by episode, as they end
    step, sums = TableMultiAgentEnv.step, {}

    def noted(env, actions):
        result = step(env, actions)
        own = sums.setdefault(id(env), defaultdict(float))
        for name, reward in result[1].items():
            own[name] += reward
        if result[2][ALL]:
            given.append(sums.pop(id(env)))
        return result

    monkeypatch.setattr(TableMultiAgentEnv, "step", noted)
    got, done, decisions = defaultdict(lambda: defaultdict(float)), [], 0
    for _ in range(20):
        for episode in algorithm.env_runner.sample(num_timesteps=30):
            for name, own in episode.agent_episodes.items():
                got[episode.id_][name] += float(sum(own.get_rewards()))
                seen, actions = own.get_observations(), own.get_actions()
                masks = seen["action_mask"][: len(actions)]
                assert masks[np.arange(len(actions)), actions].all()
                decisions += len(actions)
                assert own.module_id == module_of(name)
            if episode.is_done:
                done.append(episode.id_)
    assert decisions > 500 and len(done) == len(given) >= 6
    key = lambda one: sorted((name, round(total, 4)) for name, total in one.items())  # noqa: E731
    assert sorted(map(key, given)) == sorted(key(got[name]) for name in done)
