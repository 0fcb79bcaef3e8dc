"""The AEC environment: what PettingZoo's tests do not look at."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from tests.envs.helpers import SHORT, any_illegal, any_legal, same_games, same_state, step_randomly
from xabitha_env import make_engine, make_rules, xabitha_v0


@pytest.fixture
def env():
    env = xabitha_v0.raw_env(rules=SHORT)
    env.reset(seed=3)
    return env


def test_mask_is_the_engines_legal_list(env):
    rng = np.random.default_rng(0)
    engine = env.engine
    for _ in range(60):
        mask = env.observe(env.agent_selection)["action_mask"]
        legal = np.flatnonzero(mask)
        assert sorted(engine.text(int(action)) for action in legal) == engine.legal_texts()
        assert all(engine.refusal(int(action)) is None for action in legal)
        for action in rng.choice(np.flatnonzero(mask == 0), 5):
            assert engine.refusal(int(action)) is not None
        step_randomly(env, rng, 4)


def test_observe_is_safe_for_all(env):
    rng = np.random.default_rng(1)
    for _ in range(50):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].any() == (agent == env.agent_selection)
            assert np.array_equal(
                seen["observation"], env.engine.observe(0, env.possible_agents.index(agent))
            )
        step_randomly(env, rng, 3)


def test_observations_are_copies(env):
    for agent in env.possible_agents:
        before = env.observe(agent)
        spoiled = env.observe(agent)
        spoiled["observation"][:] = 7
        spoiled["action_mask"][:] = 7
        after = env.observe(agent)
        assert all(np.array_equal(before[key], after[key]) for key in before)
    env.state()[:] = 7
    assert env.state().max() == 1
    kept = env.observe(env.agent_selection)
    was = {key: value.copy() for key, value in kept.items()}
    step_randomly(env, np.random.default_rng(0), 20)
    assert all(np.array_equal(was[key], kept[key]) for key in was)


@pytest.mark.parametrize("make", [xabitha_v0.env, xabitha_v0.raw_env])
@pytest.mark.parametrize("reward", ["team_difference", "own_penalties", "match_result"])
def test_whole_matches(make, reward):
    env = make(rules=SHORT, reward=reward)
    rng = np.random.default_rng(2)
    for seed in range(4):
        env.reset(seed=seed)
        given = dict.fromkeys(env.possible_agents, 0.0)
        told = dict.fromkeys(env.possible_agents, 0.0)
        ended = []
        for agent in env.agent_iter():
            observation, amount, terminated, truncated, info = env.last()
            told[agent] += amount
            assert info == {} and not truncated
            if terminated:
                assert not observation["action_mask"].any()
                ended.append(agent)
                env.step(None)
                continue
            env.step(any_legal(observation["action_mask"], rng))
            for other in env.agents:
                given[other] += env.rewards[other]
        assert sorted(ended) == env.possible_agents and not env.agents
        assert given == pytest.approx(told)
        assert list(told.values()) == pytest.approx(_expected(env.unwrapped.engine, reward))


def _expected(engine, reward):
    """The return of each seat, from the result of the match."""
    totals = engine.match_result()["totals"]
    difference = (totals[1] - totals[0]) / 100
    if reward == "team_difference":
        return [difference, -difference] * 2
    if reward == "own_penalties":
        return [-totals[0] / 100, -totals[1] / 100] * 2
    return [np.sign(difference), -np.sign(difference)] * 2


def test_rewards_come_to_all_when_a_round_ends(env):
    rng = np.random.default_rng(5)
    while env.engine.rounds_played[0] == 0:
        assert not any(env.rewards.values())
        step_randomly(env, rng, 1)
    first = env.engine.round_result()["penalties"]
    expected = (first[1] + first[3] - first[0] - first[2]) / 100
    assert list(env.rewards.values()) == pytest.approx([expected, -expected] * 2)
    assert list(env._cumulative_rewards.values()) == pytest.approx([expected, -expected] * 2)
    step_randomly(env, rng, 1)
    assert not any(env.rewards.values())


def test_an_agent_acts_many_times_in_a_row(env):
    rng = np.random.default_rng(6)
    order = []
    for _ in range(200):
        order.append(env.agent_selection)
        assert env.agent_selection == env.possible_agents[env.engine.seats[0]]
        step_randomly(env, rng, 1)
    assert any(first == second for first, second in itertools.pairwise(order))


@pytest.mark.interpreted
def test_refused_action_changes_nothing(env):
    step_randomly(env, np.random.default_rng(7), 30)
    agent = env.agent_selection
    before = env.engine.copy()
    seen = env.observe(agent)
    action = any_illegal(seen["action_mask"])
    env.step(action)
    assert env.agent_selection == agent
    info = env.infos[agent]
    refusal = env.engine.refusal(action)
    assert info == {"illegal_action": True, "rule": refusal.rule, "message": refusal.message}
    assert all(env.infos[other] == {} for other in env.agents if other != agent)
    assert not any(env.rewards.values()) and not any(env.terminations.values())
    assert np.array_equal(env.observe(agent)["action_mask"], seen["action_mask"])
    assert np.array_equal(env.observe(agent)["observation"], seen["observation"])
    before.step(np.array([action]))
    assert same_games(before, env.engine)
    env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    assert all(info == {} for info in env.infos.values())
    assert info["illegal_action"]  # what was handed out stays as it was


def test_illegal_raise():
    env = xabitha_v0.raw_env(illegal="raise", max_cycles=100)
    env.reset(seed=1)
    agent, before = env.agent_selection, env.engine.copy()
    action = any_illegal(env.observe(agent)["action_mask"])
    with pytest.raises(ValueError) as caught:
        env.step(action)
    assert str(caught.value) == env.engine.refusal(action).message
    assert env.agent_selection == agent and env.infos[agent] == {}
    assert np.array_equal(env.observe(agent)["action_mask"], before.mask[0])


def test_illegal_terminate_is_as_in_pettingzoo(caplog):
    ours = xabitha_v0.env(illegal="terminate")
    theirs = TerminateIllegalWrapper(xabitha_v0.env(), illegal_reward=-1)
    for env in (ours, theirs):
        env.reset(seed=4)
        step_randomly(env, np.random.default_rng(8), 25)
        offender = env.agent_selection
        env.step(any_illegal(env.observe(offender)["action_mask"]))
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.rewards[offender] == -1
    assert ours.infos[offender]["illegal_action"]
    for _ in range(4):
        assert ours.agent_selection == theirs.agent_selection
        assert ours.last(observe=False)[1:4] == theirs.last(observe=False)[1:4]
        ours.step(None)
        theirs.step(None)
    assert ours.agents == theirs.agents == []


@pytest.mark.parametrize("legal", [True, False])
def test_truncation_counts_every_step(legal):
    env = xabitha_v0.raw_env(max_cycles=12)
    env.reset(seed=2)
    for count in range(12):
        assert not any(env.truncations.values()), count
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(any_legal(mask, np.random.default_rng(count)) if legal else any_illegal(mask))
    assert all(env.truncations.values()) and not any(env.terminations.values())
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()
    for left in (3, 2, 1, 0):
        assert env.last()[3]
        env.step(None)
        assert len(env.agents) == left
    env.reset(seed=2)
    assert len(env.agents) == 4 and not any(env.truncations.values())


def test_default_limit_is_far_above_legal_play():
    env = xabitha_v0.raw_env()
    assert env.max_cycles == 100_000
    assert xabitha_v0.raw_env(episode="round").max_cycles == 20_000


@pytest.mark.parametrize("make", [xabitha_v0.env, xabitha_v0.raw_env])
@pytest.mark.parametrize("twin", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("steps", [0, 70, 10_000])
def test_copies_go_on_the_same(make, twin, steps):
    env = make(episode="round")
    env.reset(seed=9)
    step_randomly(env, np.random.default_rng(9), steps)
    other = twin(env)
    states = []
    for game in (env, other):
        rng = np.random.default_rng(10)
        seen = []
        for _ in range(200):
            if not game.agents:
                break
            seen.append((game.agent_selection, *map(repr, game.last()), game.state().tobytes()))
            step_randomly(game, rng, 1)
        states.append(seen)
    assert states[0] == states[1]


def test_copies_are_independent(env):
    other = copy.deepcopy(env)
    seen = other.observe(other.agent_selection)
    step_randomly(env, np.random.default_rng(0), 40)
    after = other.observe(other.agent_selection)
    assert all(np.array_equal(seen[key], after[key]) for key in seen)
    step_randomly(other, np.random.default_rng(0), 40)
    assert same_games(env.engine, other.engine)
    for agent in env.possible_agents:
        first, second = env.observe(agent), other.observe(agent)
        assert all(np.array_equal(first[key], second[key]) for key in first)


def test_a_copy_before_the_first_reset():
    env = copy.deepcopy(xabitha_v0.env())
    env.reset(seed=1)
    other = xabitha_v0.env()
    other.reset(seed=1)
    assert same_games(env.unwrapped.engine, other.unwrapped.engine)


def test_seeds(env):
    other = xabitha_v0.raw_env(rules=SHORT)
    other.reset(seed=3)
    assert same_games(env.engine, other.engine)
    env.reset()
    assert not same_games(env.engine, other.engine)
    other.reset()
    assert same_games(env.engine, other.engine)  # None goes on with the generator
    env.reset(seed=np.int64(3))
    other.reset(seed=4)
    assert not same_games(env.engine, other.engine)
    other.reset(seed=3)
    assert same_games(env.engine, other.engine)
    batch = make_engine("xabitha", 3, rules=env.rules)
    batch.reset(1)
    assert batch.observation[2].tolist() == env.observe(env.agent_selection)["observation"].tolist()


def test_a_first_reset_without_a_seed_draws_one():
    games = [xabitha_v0.raw_env() for _ in range(2)]
    for game in games:
        game.reset()
    assert not same_games(games[0].engine, games[1].engine)


def test_reset_keeps_the_configuration():
    rules = make_rules("xabitha", {"opening_points": 77, "num_rounds": 3, "joker_penalty": 1})
    env = xabitha_v0.env(rules=rules, reward="own_penalties", derived=False)
    for seed in (1, None, 2):
        env.reset(seed=seed)
        assert env.unwrapped.rules == env.unwrapped.engine.rules == rules
        assert env.unwrapped.engine.reward == "own_penalties"
    assert env.observation_space("player_0")["observation"].shape < (
        xabitha_v0.raw_env().observation_space("player_0")["observation"].shape
    )


def test_episode_round():
    env = xabitha_v0.raw_env(rules={"opening_points": 60}, episode="round")
    assert env.rules == make_rules("xabitha", {"opening_points": 60, "num_rounds": 1})
    env.reset(seed=1)
    step_randomly(env, np.random.default_rng(1), 30_000)
    assert not env.agents and env.engine.rounds_played[0] == 1


def test_reset_with_a_deal(env):
    deal = env.engine.deal_record()
    other = xabitha_v0.raw_env(rules=SHORT)
    other.reset(seed=99, options={"deal": deal})
    assert other.engine.deal_record() == deal
    for agent in env.possible_agents:
        assert np.array_equal(
            other.observe(agent)["observation"], env.observe(agent)["observation"]
        )


def test_reset_with_a_state(env):
    step_randomly(env, np.random.default_rng(3), 150)
    state = env.engine.get_state()
    other = xabitha_v0.raw_env(rules=SHORT)
    other.reset(options={"state": state})
    assert other.agent_selection == env.agent_selection
    for game in (env, other):
        step_randomly(game, np.random.default_rng(4), 300)
    assert same_games(env.engine, other.engine)
    assert other.agents == env.agents


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dael": 1}, "'dael'"),
        ([1], "mapping"),
        ({"deal": {"hands": []}}, "hands|deal"),
        ({"deal": 3}, "deal"),
        ({"state": np.zeros(1)}, "state"),
        ({"state": 3}, "state"),
    ],
)
def test_bad_options_change_nothing(env, options, words):
    step_randomly(env, np.random.default_rng(3), 50)
    before = copy.deepcopy(env)
    with pytest.raises(ValueError, match=words):
        env.reset(seed=1, options=options)
    assert same_games(env.engine, before.engine)
    assert env.agent_selection == before.agent_selection
    seen, was = (game.observe(game.agent_selection) for game in (env, before))
    assert all(np.array_equal(seen[key], was[key]) for key in seen)


def test_deal_and_state_exclude_each_other(env):
    options = {"deal": env.engine.deal_record(), "state": env.engine.get_state()}
    with pytest.raises(ValueError, match="both"):
        env.reset(options=options)


def test_state_of_a_finished_match_is_refused(env):
    step_randomly(env, np.random.default_rng(3), 100_000)
    finished = env.engine.get_state()
    env.reset(seed=8)
    before = env.engine.get_state()
    with pytest.raises(ValueError, match="finished"):
        env.reset(options={"state": finished})
    assert same_state(env.engine.get_state(), before)


@pytest.mark.parametrize("action", [-1, 10**6, 1.0, "0", [0], np.array([0]), np.float32(1)])
def test_what_is_no_action(env, action):
    before = env.engine.get_state()
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    with pytest.raises(ValueError, match="None"):
        env.step(None)
    assert same_state(env.engine.get_state(), before)


def test_integers_of_other_types(env):
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(np.int32(np.flatnonzero(mask)[0]))
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(np.array(np.flatnonzero(mask)[0]))
    assert all(info == {} for info in env.infos.values())


def test_calls_out_of_order():
    env = xabitha_v0.raw_env(max_cycles=1)
    calls = [
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        env.last,
        env.state,
    ]
    for call in calls:
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="player_7"):
        env.observe("player_7")
    env.step(any_illegal(env.observe(env.agent_selection)["action_mask"]))
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    for _ in range(4):
        env.step(None)
    for call in (env.last, lambda: env.step(None)):
        with pytest.raises(ResetNeeded, match="reset"):
            call()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"illegal": "ignore"}, "illegal.*refuse"),
        ({"episode": "day"}, "episode.*match"),
        ({"render_mode": "depth_array"}, "render_mode.*ansi"),
        ({"max_cycles": 0}, "max_cycles"),
        ({"max_cycles": 2.5}, "max_cycles"),
        ({"reward": "gold"}, "gold"),
        ({"rules": {"opening_points": -1}}, "opening_points"),
        ({"rules": {"no_such": 1}}, "no_such"),
        ({"rules": 3}, "rules"),
    ],
)
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        xabitha_v0.env(**options)


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
def test_bad_seeds(env, seed):
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)


def test_render():
    env = xabitha_v0.raw_env(render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == env.engine.render(0)
    env.close()
