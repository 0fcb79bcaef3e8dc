"""The render modes of the environments of both games, and videos of them."""

from __future__ import annotations

import builtins
import copy
import pickle
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.wrappers import RecordVideo
from gymnasium.wrappers.vector import RecordVideo as RecordVideos
from pettingzoo.utils.wrappers.record_video import RecordVideo as RecordTable

from tests.envs.helpers import any_legal, step_randomly
from tests.pictures.helpers import SHAPE, use_dummy_display
from xabitha_env import GAMES, xabitha_v0, xeri_v0
from xabitha_env.envs.aec import TableEnv
from xabitha_env.envs.single_agent import SingleAgentEnv
from xabitha_env.envs.vector import TablesVectorEnv
from xabitha_env.pictures.table import pixels

BOTH = pytest.mark.parametrize("game", GAMES)
ENV = {"xabitha": xabitha_v0.env, "xeri": xeri_v0.env}
ID = {"xabitha": "xabitha_env/Xabitha-v0", "xeri": "xabitha_env/Xeri-v0"}


def table_env(game: str, mode: str | None) -> TableEnv:
    return TableEnv(game, f"{game}_v0", render_mode=mode)


def shown() -> np.ndarray:
    """Return what the window shows."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)


def video(path: Path) -> Any:
    from moviepy import VideoFileClip

    return VideoFileClip(str(path))


@BOTH
def test_pixels_of_a_table(game: str) -> None:
    env = table_env(game, "rgb_array")
    with pytest.raises(ResetNeeded):
        env.render()
    env.reset(seed=1)
    frame = env.render()
    assert isinstance(frame, np.ndarray) and frame.shape == SHAPE and frame.dtype == np.uint8
    assert (frame == pixels(env.engine.scene(0, None))).all()
    kept = frame.copy()
    step_randomly(env, np.random.default_rng(1), 9)
    assert (frame == kept).all() and (env.render() != kept).any()
    env.close()
    env.close()


@BOTH
def test_pixels_are_what_the_learner_sees(game: str) -> None:
    env = SingleAgentEnv(game, render_mode="rgb_array", seat=2)
    env.reset(seed=1)
    frame = env.render()
    assert isinstance(frame, np.ndarray)
    assert (frame == pixels(env.engine.scene(0, 2))).all()
    assert (frame != pixels(env.engine.scene(0, None))).any()


@BOTH
def test_pixels_of_many_tables(game: str) -> None:
    env = TablesVectorEnv(game, 3, render_mode="rgb_array", seat=[0, 1, 3])
    assert env.metadata["render_modes"] == ["rgb_array", "ansi"]
    env.reset(seed=1)
    frames = env.render()
    assert isinstance(frames, tuple)
    for table, (frame, seat) in enumerate(zip(frames, (0, 1, 3), strict=True)):
        assert (frame == pixels(env.engine.scene(table, seat))).all()
    with pytest.raises(ValueError, match="render_mode"):
        TablesVectorEnv(game, 2, render_mode="human")


@BOTH
def test_metadata(game: str) -> None:
    for env in (ENV[game](), gymnasium.make(ID[game])):
        assert env.metadata["render_modes"] == ["human", "rgb_array", "ansi"]
        assert env.metadata["render_fps"] == 4


@BOTH
def test_a_window_follows_the_table(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    use_dummy_display(monkeypatch)
    env = table_env(game, "human")
    assert not pygame.display.get_init()
    env.reset(seed=1)
    for step in range(12):
        assert (shown() == pixels(env.engine.scene(0, None))).all()
        step_randomly(env, np.random.default_rng(step), 1)
    assert env.render() is None  # type: ignore[func-returns-value]
    env.close()
    env.close()
    assert not pygame.display.get_init()


@BOTH
def test_a_window_shows_what_the_learner_sees(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    use_dummy_display(monkeypatch)
    env = gymnasium.make(ID[game], render_mode="human", seat=3)
    _, info = env.reset(seed=1)
    for _ in range(4):
        assert (shown() == pixels(env.unwrapped.engine.scene(0, 3))).all()
        _, _, _, _, info = env.step(any_legal(info["action_mask"], np.random.default_rng(1)))
    env.close()
    assert not pygame.display.get_init()


def test_the_match_goes_on_without_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    use_dummy_display(monkeypatch)
    env = table_env("xeri", "human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    step_randomly(env, np.random.default_rng(1), 60)
    assert not pygame.display.get_init() and env.engine.rounds_played.item() == 1
    env.reset(seed=2)
    assert not pygame.display.get_init()
    env.close()


def test_copies_have_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    use_dummy_display(monkeypatch)
    made: list[Any] = [table_env("xeri", "human"), SingleAgentEnv("xeri", render_mode="human")]
    for env in made:
        env.reset(seed=1)
        before = shown()
        for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            twin.close()
            assert pygame.display.get_init()
            twin.render()
            assert (shown() == before).all()
            twin.close()
        env.close()
        assert not pygame.display.get_init()


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_without_pygame(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    real = builtins.__import__

    def no_pygame(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "pygame":
            raise ImportError(f"no module named {name}")
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, "pygame")
    monkeypatch.setattr(builtins, "__import__", no_pygame)
    for make in (
        lambda mode: table_env("xeri", mode),
        lambda mode: SingleAgentEnv("xeri", render_mode=mode),
    ):
        with pytest.raises(ImportError, match=r"xabitha-env\[render\]"):
            make(mode)
        assert make("ansi").render_mode == "ansi"
    with pytest.raises(ImportError, match=r"xabitha-env\[render\]"):
        TablesVectorEnv("xeri", 2, render_mode="rgb_array")


@BOTH
def test_video_of_an_episode(game: str, tmp_path: Path) -> None:
    env = RecordVideo(
        gymnasium.make(ID[game], render_mode="rgb_array", seat=1),
        str(tmp_path / "new"),
        video_length=4,
    )
    _, info = env.reset(seed=1)
    for _ in range(6):
        _, _, _, _, info = env.step(any_legal(info["action_mask"], np.random.default_rng(1)))
    env.close()
    check_video(tmp_path / "new")


@BOTH
def test_video_of_a_table(game: str, tmp_path: Path) -> None:
    env = RecordTable(ENV[game](render_mode="rgb_array"), str(tmp_path / "new"), video_length=4)
    env.reset(seed=1)
    step_randomly(env, np.random.default_rng(1), 6)
    env.close()
    check_video(tmp_path / "new")


def test_video_of_many_tables(tmp_path: Path) -> None:
    """Gymnasium's wrapper for vector environments puts their frames side by side."""
    env = RecordVideos(
        gymnasium.make_vec(ID["xeri"], num_envs=2, render_mode="rgb_array"),
        str(tmp_path / "new"),
        video_length=3,
    )
    _, infos = env.reset(seed=1)
    for _ in range(4):
        actions = infos["action_mask"].argmax(axis=1)
        _, _, _, _, infos = env.step(actions)
    env.close()
    (path,) = tmp_path.glob("new/*.mp4")
    with video(path) as clip:
        assert sorted(clip.size) in ([960, 1280], [640, 1920])


def check_video(folder: Path) -> None:
    """See that there is one video of five frames, or of four, four a second."""
    (path,) = folder.glob("*.mp4")
    with video(path) as clip:
        assert clip.size == [SHAPE[1], SHAPE[0]]
        assert clip.fps == 4
        assert clip.n_frames >= 4


def test_lists_of_frames() -> None:
    """Gymnasium collects the frames itself when asked for ``rgb_array_list``."""
    env = gymnasium.make(ID["xeri"], render_mode="rgb_array_list")
    _, info = env.reset(seed=1)
    env.step(any_legal(info["action_mask"], np.random.default_rng(1)))
    frames = env.render()
    assert [frame.shape for frame in frames] == [SHAPE] * 2
