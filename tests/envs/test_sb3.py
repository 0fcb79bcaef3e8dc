"""The bridge to Stable-Baselines3; skipped where that is not installed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.envs.helpers import any_illegal, some_legal

sb3_contrib = pytest.importorskip("sb3_contrib")

import torch  # noqa: E402
from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import (  # noqa: E402
    DummyVecEnv,
    VecMonitor,
    VecVideoRecorder,
)

from xabitha_env.contrib.sb3 import SB3Player, TablesVecEnv, load_player  # noqa: E402
from xabitha_env.envs.rendering import RENDER_FPS  # noqa: E402
from xabitha_env.envs.single_agent import SingleAgentEnv  # noqa: E402
from xabitha_env.envs.vector import TablesVectorEnv  # noqa: E402
from xabitha_env.pictures.table import pixels  # noqa: E402
from xabitha_env.players import load_player as load_any_player  # noqa: E402

N = 3
OPTIONS = {"episode": "round", "rules": {"max_turns": 30}, "seat": "random"}


def bare(num_envs=N, **options):
    return TablesVecEnv(num_envs, **{**OPTIONS, **options})


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Small networks are fastest on one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def model(one_thread):
    """A model that has learned for one rollout."""
    model = MaskablePPO(
        "MlpPolicy",
        VecMonitor(bare()),
        n_steps=16,
        batch_size=48,
        n_epochs=1,
        policy_kwargs={"net_arch": [8]},
        seed=0,
        device="cpu",
    )
    return model.learn(48)


@pytest.mark.parametrize("limit", [None, 9])
def test_as_a_dummy_vector_of_single_environments(limit):
    ours = bare(max_episode_steps=limit)
    options = {**OPTIONS, "max_episode_steps": limit}
    theirs = DummyVecEnv([lambda: SingleAgentEnv("xabitha", **options)] * N)
    for env in (ours, theirs):
        env.seed(4)
    assert np.array_equal(ours.reset(), theirs.reset())
    episodes = 0
    for step in range(100):
        masks = get_action_masks(ours)
        assert masks.dtype == np.bool_ and np.array_equal(masks, get_action_masks(theirs))
        actions = some_legal(masks, step)
        if step % 11 == 5:
            actions[step % N] = any_illegal(masks[step % N])
        results = [env.step(actions) for env in (ours, theirs)]
        for first, second in zip(results[0][:3], results[1][:3]):
            assert first.dtype == second.dtype and np.array_equal(first, second)
        for info, other in zip(results[0][3], results[1][3]):
            assert np.array_equal(
                info.pop("terminal_observation", 0), other.pop("terminal_observation", 0)
            )
            assert info.pop("TimeLimit.truncated", False) == other.pop("TimeLimit.truncated")
            del other["action_mask"]
            assert info == other
        episodes += results[0][2].sum()
    assert episodes > N


def test_what_a_vec_env_answers():
    env = bare(seat=1)
    assert env.has_attr("action_masks") and not env.has_attr("no_such")
    assert is_masking_supported(env) and is_masking_supported(VecMonitor(env))
    env.seed(1)
    env.reset()
    assert np.array_equal(
        np.stack(env.env_method("action_masks", indices=[0, 2])),
        np.stack(env.env_method("action_masks"))[[0, 2]],
    )
    assert env.get_attr("seat") == [1] * N
    assert (
        env.get_attr("action_masks", 0)[0]().tolist() == env.env_method("action_masks")[0].tolist()
    )
    env.set_attr("seat", 3, indices=[1])
    assert env.get_attr("seat") == [1] * N
    env.reset()
    assert env.get_attr("seat") == [1, 3, 1]
    with pytest.raises(ValueError, match="seat"):
        env.set_attr("seat", 9)
    env.set_attr("mark", "x")
    assert env.get_attr("mark", indices=2) == ["x"]
    with pytest.raises(AttributeError, match="no_such"):
        env.get_attr("no_such")
    with pytest.raises(AttributeError, match="no_such"):
        env.env_method("no_such")
    assert env.env_is_wrapped(Monitor) == [False] * N
    assert env.env_method("render", indices=0) == [env.engine.render(0, 1)]
    assert env.unwrapped is env
    env.close()


def test_options_of_the_next_reset():
    env = bare(seat=0)
    env.seed(1)
    env.reset()
    source = env.engine.copy()
    source.reset(8)
    env.set_options([{}, {"deal": source.deal_record(1)}, {}])
    env.reset()
    assert env.engine.deal_record(1)["deal"]["hands"] == source.deal_record(1)["deal"]["hands"]
    env.reset()
    assert env.engine.deal_record(1)["deal"]["hands"] != source.deal_record(1)["deal"]["hands"]


def test_same_as_the_gymnasium_vector():
    ours, theirs = bare(), TablesVectorEnv("xabitha", N, autoreset_mode="SameStep", **OPTIONS)
    ours.seed(2)
    first, (second, infos) = ours.reset(), theirs.reset(seed=2)
    for step in range(80):
        assert np.array_equal(first, second)
        actions = some_legal(infos["action_mask"], step)
        first, rewards, _, _ = ours.step(actions)
        second, others, _, _, infos = theirs.step(actions)
        assert np.allclose(rewards, others)


def test_evaluation(model):
    env = VecMonitor(bare(2))
    rewards, lengths = evaluate_policy(model, env, 4, return_episode_rewards=True)
    assert len(rewards) == len(lengths) == 4
    callback = MaskableEvalCallback(env, n_eval_episodes=2, eval_freq=8, verbose=0)
    model.learn(48, callback=callback)
    assert np.isfinite(callback.last_mean_reward)


def test_saved_models_play(model, tmp_path):
    path = tmp_path / "tiny.zip"
    model.save(path)
    player = load_any_player(str(path))
    assert isinstance(player, SB3Player) and player.name == "tiny"
    env = bare(partner=player, opponents=("random", SB3Player(path, deterministic=False)))
    env.seed(3)
    env.reset()
    for step in range(30):
        env.step(some_legal(get_action_masks(env), step))


def test_deterministic_play_is_what_the_model_predicts(model):
    env = bare(8)
    env.seed(5)
    observations = env.reset()
    masks = get_action_masks(env)
    wanted, _ = model.predict(observations, action_masks=masks, deterministic=True)
    view = _view(env, masks)
    assert SB3Player(model).act(view).tolist() == wanted.tolist()


def test_drawn_actions_follow_the_probabilities_and_the_seed(model):
    env = bare(1)
    env.seed(6)
    observations = np.repeat(env.reset(), 4000, axis=0)
    masks = np.repeat(get_action_masks(env), 4000, axis=0)
    player = SB3Player(model, deterministic=False)
    view = _view(env, masks)._replace(observation=observations)
    draws = []
    for seed in (1, 1, 2):
        player.reset(env.engine, seed)
        draws.append(player.act(view))
    assert np.array_equal(draws[0], draws[1]) and not np.array_equal(draws[0], draws[2])
    tensor, _ = model.policy.obs_to_tensor(observations[:1])
    chances = model.policy.get_distribution(tensor, masks[:1]).distribution.probs[0]
    shares = np.bincount(draws[0], minlength=masks.shape[1]) / 4000
    assert np.abs(shares - chances.detach().numpy()).max() < 0.05


def _view(env, masks):
    from xabitha_env.players import View

    engine = env.engine
    return View(
        engine.observation,
        masks.astype(np.int8),
        engine.legal,
        engine.legal_count,
        engine.seats,
        np.arange(engine.num_games),
    )


def test_players_change_between_rollouts(model):
    env = bare()
    env.seed(7)
    env.reset()
    env.step(some_legal(get_action_masks(env), 0))
    env.set_players(opponents="greedy")
    assert env.tables.others.players[2].name == "greedy"
    player = SB3Player(model)
    env.set_players(partner=player, opponents=player)
    assert all(one is player for one in env.tables.others.players.values())
    for step in range(20):
        env.step(some_legal(get_action_masks(env), step))
    with pytest.raises(ValueError, match="nobody"):
        env.set_players(partner="nobody")
    assert env.tables.others.players[2] is player


def test_models_that_do_not_fit(model, tmp_path):
    with pytest.raises(ValueError, match="derived"):
        bare(derived=False, partner=SB3Player(model)).reset()
    with pytest.raises(FileNotFoundError, match=r"none\.zip"):
        load_player(tmp_path / "none.zip")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"no archive")
    with pytest.raises(ValueError, match=r"broken\.zip"):
        load_player(broken)


def test_bad_actions():
    env = bare()
    env.reset()
    with pytest.raises(ValueError, match="3 integers"):
        env.step(np.zeros(2, int))


def test_render():
    env = bare(render_mode="rgb_array", seat=1)
    env.seed(1)
    env.reset()
    images = env.get_images()
    assert [image.shape for image in images] == [(640, 960, 3)] * N
    assert (images[2] == pixels(env.engine.scene(2, 1))).all()
    assert env.render().shape[2] == 3
    assert env.metadata["render_fps"] == RENDER_FPS
    with pytest.raises(ValueError, match="render_mode"):
        bare(render_mode="human")


def test_video(tmp_path):
    env = VecVideoRecorder(
        bare(render_mode="rgb_array"), str(tmp_path / "new"), lambda step: step == 0, 3
    )
    env.reset()
    for _ in range(4):
        env.step(np.array([masks.argmax() for masks in env.env_method("action_masks")]))
    env.close()
    assert len(list(tmp_path.glob("new/*.mp4"))) == 1
