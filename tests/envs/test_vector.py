"""The Gymnasium vector environment: the same episodes as single environments, in one batch."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from tests.envs.helpers import any_illegal, same_state, some_legal
from xabitha_env.envs.single_agent import SingleAgentEnv
from xabitha_env.envs.vector import TablesVectorEnv

ID = "xabitha_env/Xabitha-v0"
N = 3
OPTIONS = {"episode": "round", "seat": "random", "rules": {"max_turns": 30}}


def bare(num_envs=N, **options):
    return TablesVectorEnv("xabitha", num_envs, **{**OPTIONS, **options})


def same_infos(first, second):
    assert first.keys() == second.keys()
    for key, value in first.items():
        if isinstance(value, dict):
            same_infos(value, second[key])
        elif value.dtype == object:
            assert all(np.array_equal(a, b) for a, b in zip(value, second[key])), key
        else:
            assert np.array_equal(value, second[key]), key


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("limit", [None, 9])
def test_as_gymnasiums_own_vector_of_single_environments(mode, limit):
    """Observations, rewards, flags and infos are those of SyncVectorEnv, refused steps included."""
    options = {**OPTIONS, "max_episode_steps": limit}
    batch = bare(max_episode_steps=limit, autoreset_mode=mode)
    singles = gymnasium.vector.SyncVectorEnv(
        [lambda: SingleAgentEnv("xabitha", **options)] * N, autoreset_mode=mode
    )
    results = [env.reset(seed=20) for env in (batch, singles)]
    episodes = 0
    for step in range(120):
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
    env = gymnasium.make_vec(ID, num_envs=4, vectorization_mode=mode, seat=2, partner="random")
    assert isinstance(env, TablesVectorEnv) == (mode != "sync")
    assert isinstance(env.metadata["autoreset_mode"], AutoresetMode)
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert observations.dtype == np.int8 and infos["_action_mask"].all()
    step = env.step(some_legal(infos["action_mask"], 0))
    assert env.observation_space.contains(step[0])
    assert env.spec.id == ID and env.num_envs == 4
    env.close()
    env.close()


def test_make_vec_options():
    env = gymnasium.make_vec(
        ID, num_envs=2, autoreset_mode="SameStep", threads=2, seat=[0, 3], max_episode_steps=5
    )
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    env.reset(seed=1)
    assert env.unwrapped.seats.tolist() == [0, 3]
    masks = env.unwrapped.action_masks()
    assert masks.dtype == np.bool_ and masks.shape == (2, env.single_action_space.n)
    for _ in range(5):
        _, _, _, truncated, _ = env.step([any_illegal(mask) for mask in masks])
    assert truncated.all()


def test_seeds():
    env, single = bare(seat=1), SingleAgentEnv("xabitha", **{**OPTIONS, "seat": 1})
    by_int, _ = env.reset(seed=7)
    by_list, _ = env.reset(seed=[7, 8, 9])
    assert np.array_equal(by_int, by_list)
    assert np.array_equal(by_int[2], single.reset(seed=9)[0])
    mixed, _ = env.reset(seed=[None, 8, None])
    assert np.array_equal(mixed[1], by_int[1]) and not np.array_equal(mixed[0], by_int[0])
    for bad in ([1, 2], -1, [1, 2, "3"]):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=bad)


def test_final_observation_is_of_the_episode_that_ended():
    env = bare(autoreset_mode="SameStep", seat=0)
    _, infos = env.reset(seed=3)
    for step in range(1000):
        _, _rewards, terminated, _, infos = env.step(some_legal(infos["action_mask"], step))
        if terminated.any():
            break
        assert "final_obs" not in infos
    table = int(np.argmax(terminated))
    assert infos["final_obs"][table].shape == env.single_observation_space.shape
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == terminated.tolist()
    assert not infos["final_info"]["action_mask"][table].any()
    single = SingleAgentEnv("xabitha", **{**OPTIONS, "seat": 0})
    observation, info = single.reset(seed=3 + table)
    for earlier in range(step + 1):
        action = some_legal(info["action_mask"][None], earlier)[0]
        observation, *_, info = single.step(action)
    assert np.array_equal(observation, infos["final_obs"][table])
    assert infos["action_mask"][table].any() and env.tables.steps[table] == 0


def test_returns_telescope():
    env = bare(autoreset_mode="Disabled", seat=[0, 1, 2], opponents="greedy")
    _, infos = env.reset(seed=8)
    total = np.zeros(N)
    running = np.ones(N, bool)
    step = 0
    while True:
        step += 1
        _, rewards, terminated, _, infos = env.step(some_legal(infos["action_mask"], step))
        total += rewards
        for table in np.flatnonzero(terminated):
            totals = env.engine.match_result(int(table))["totals"]
            own = env.seats[table] % 2
            assert total[table] == pytest.approx((totals[1 - own] - totals[own]) / 100, abs=1e-5)
            running[table] = False
        if not running.any():
            break
        if terminated.any():
            _, infos = env.reset(options={"reset_mask": terminated})
            total[terminated] = 0


def test_players_from_outside_are_asked_in_batches():
    sizes = []

    class Lowest:
        name = "lowest"

        def reset(self, engine, seed):
            pass

        def act(self, view):
            sizes.append(len(view.game))
            return view.legal[:, 0]

    env = bare(num_envs=6, partner=Lowest(), seat="random")
    _, infos = env.reset(seed=2)
    for step in range(60):
        *_, infos = env.step(some_legal(infos["action_mask"], step))
        running = ~env.tables.done
        assert (env.engine.seats == env.seats)[running].all()
        assert infos["action_mask"][running].any(axis=1).all()
    assert max(sizes) > 3


def test_disabled_mode_refuses_to_step_what_is_over():
    env = bare(autoreset_mode="Disabled", max_episode_steps=1)
    _, infos = env.reset(seed=1)
    env.step(some_legal(infos["action_mask"], 0))
    with pytest.raises(ResetNeeded, match="table 0"):
        env.step(some_legal(infos["action_mask"], 0))


@pytest.mark.parametrize("mask", [np.ones(N), np.zeros(N, bool), np.ones(N + 1, bool), "all", 1])
def test_bad_reset_masks(mask):
    env = bare()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


def test_calls_out_of_order():
    env = bare()
    with pytest.raises(ResetNeeded):
        env.step([0] * N)
    with pytest.raises(ValueError, match="first reset"):
        env.reset(options={"reset_mask": np.array([True, False, False])})


def test_options_hold_for_every_table():
    env = bare()
    env.reset(seed=1)
    source = env.engine.copy()
    source.reset(5)
    deal = source.deal_record(1)
    env.reset(seed=3, options={"deal": deal})
    for table in range(N):
        assert env.engine.deal_record(table)["deal"]["hands"] == deal["deal"]["hands"]
    with pytest.raises(ValueError, match="'day'"):
        env.reset(options={"day": 1})


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([0, 1], "3 integers"),
        ([0.0] * N, "3 integers"),
        ([0, 10**6, 0], "table 1"),
        ([0, 0, -1], "table 2"),
        (0, "3 integers"),
    ],
)
def test_bad_actions_change_nothing(actions, words):
    env = bare()
    env.reset(seed=1)
    before = env.engine.get_state()
    with pytest.raises(ValueError, match=words):
        env.step(actions)
    assert same_state(env.engine.get_state(), before)


def test_illegal_raise_names_the_table():
    env = bare(illegal="raise")
    _, infos = env.reset(seed=1)
    actions = some_legal(infos["action_mask"], 0)
    actions[2] = any_illegal(infos["action_mask"][2])
    before = env.engine.get_state()
    with pytest.raises(ValueError, match="table 2"):
        env.step(actions)
    assert same_state(env.engine.get_state(), before)


def test_render():
    env = bare(render_mode="ansi", seat=1)
    env.reset(seed=1)
    assert env.render() == tuple(env.engine.render(table, 1) for table in range(N))
    assert bare().render() is None
    with pytest.raises(ValueError, match="render_mode"):
        bare(render_mode="human")


def test_bad_autoreset_mode():
    with pytest.raises(ValueError):
        bare(autoreset_mode="sometimes")
