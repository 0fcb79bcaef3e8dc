"""Stable-Baselines3: a `VecEnv` over the batched engine, and saved models as players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

from xabitha_env.envs.learner import LearnerTables, Outcome, SeatSpec
from xabitha_env.envs.others import OpponentSpec
from xabitha_env.envs.rendering import (
    FRAME_MODES,
    RENDER_FPS,
    Frame,
    Pixels,
    frame_of,
    render_mode_of,
)
from xabitha_env.envs.settings import features_space
from xabitha_env.envs.starts import start_of
from xabitha_env.players.base import View
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.protocol import Engine, Rules

Indices: TypeAlias = "int | Iterable[int] | None"


class _Table:
    """One table of the batch, as `VecEnv` wants to reach its attributes and methods."""

    def __init__(self, tables: LearnerTables, index: int, render_mode: str | None) -> None:
        self._tables = tables
        self._index = index
        self.render_mode = render_mode
        self.spec = None

    @property
    def seat(self) -> int:
        """The learner's seat in this episode; one that is set counts from the next episode."""
        return int(self._tables.seats[self._index])

    @seat.setter
    def seat(self, seat: SeatSpec) -> None:
        self._tables.want_seat(self._index, seat)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, (A,)."""
        return self._tables.action_mask(self._index)

    def render(self) -> Frame:
        """Return the table as text, or as pixels with ``rgb_array``, as the learner sees it."""
        return frame_of(self._tables.engine, self._index, self.seat, self.render_mode or "ansi")


class TablesVecEnv(VecEnv):
    """N learners, each at a table of its own, for Stable-Baselines3.

    A table whose episode is over starts the next in the same step. Infos hold what happened, and
    nothing else: ``terminal_observation`` and ``TimeLimit.truncated`` at the end of an episode,
    and ``illegal_action`` with rule and message where an action was refused. The masks are asked
    for (``env_method("action_masks")``), as MaskablePPO does.

    Args:
        num_envs: N.
        game: the game's name.
        threads: on how many threads the engine runs.
        render_mode: ``ansi``, ``rgb_array`` or None.
        partner: as in `SingleAgentEnv`, like all that follow. A player that is not compiled decides
            for all tables that wait for it in one call.
        opponents: one player or a pair.
        seat: the learner's seat 0-3, one a table, or ``random``.
        rules: a rules configuration or some of its fields.
        reward: the engine's reward, by name.
        episode: ``match`` or ``round``.
        derived: whether observations hold the derived sections.
        illegal: ``refuse``, ``raise`` or ``terminate``.
        max_episode_steps: the learner's steps after which an episode is truncated.

    Raises:
        ValueError: an argument is none of what it may be; the message says which and why.
        ImportError: the render mode draws pictures, and pygame is missing.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        num_envs: int,
        game: str = "xabitha",
        *,
        threads: int = 1,
        render_mode: str | None = None,
        partner: PlayerSpec = "greedy",
        opponents: OpponentSpec = "random",
        seat: SeatSpec = 0,
        rules: Rules | Mapping[str, Any] | None = None,
        reward: str = "team_difference",
        episode: str = "match",
        derived: bool = True,
        illegal: str = "refuse",
        max_episode_steps: int | None = None,
    ) -> None:
        self.tables = LearnerTables(
            game,
            num_envs,
            partner=partner,
            opponents=opponents,
            seat=seat,
            rules=rules,
            reward=reward,
            episode=episode,
            derived=derived,
            illegal=illegal,
            max_episode_steps=max_episode_steps,
            threads=threads,
        )
        mode = render_mode_of(render_mode, FRAME_MODES)
        self._each = [_Table(self.tables, index, mode) for index in range(num_envs)]
        self._actions = np.zeros(num_envs, np.int64)
        super().__init__(
            num_envs,
            features_space(self.tables.num_features),
            spaces.Discrete(self.tables.num_actions),
        )
        self.metadata = {**self.metadata, "render_fps": RENDER_FPS}  # for `VecVideoRecorder`

    @property
    def engine(self) -> Engine:
        """The engine, a batch of N games."""
        return self.tables.engine

    def set_players(
        self, partner: PlayerSpec | None = None, opponents: OpponentSpec | None = None
    ) -> None:
        """Seat other players, at once and in running matches; None leaves who is there.

        For self-play, seat an `SB3Player` of the model that learns: it plays as the model is.

        Raises:
            ValueError: no such player; nothing changed.
        """
        self.tables.set_players(partner, opponents)

    def reset(self) -> NDArray[np.int8]:
        """Start new episodes with the seeds of `seed` and the options of `set_options`, if any.

        Returns:
            The observations, (N, O).
        """
        starts = [start_of(options) for options in self._options]
        self.tables.reset(seeds=self._seeds, starts=starts)
        self._reset_seeds()
        self._reset_options()
        return self.tables.observations()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions, (N,), for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(
        self,
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Let each learner make its action, and the others play until all learners are to act.

        Returns:
            Observations (N, O), rewards (N,), which episodes are over (N,), and infos.

        Raises:
            ResetNeeded: there was no reset yet.
            ValueError: wrong shape or type, no action of the game, or an illegal action with
                ``illegal="raise"``; nothing changed.
        """
        outcome = self.tables.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for table in np.flatnonzero(outcome.illegal).tolist():
            infos[table].update(self.tables.refusal(table, int(self._actions[table])))
        done = outcome.terminated | outcome.truncated
        if done.any():
            self._finish(outcome, done, infos)
        return self.tables.observations(), outcome.rewards.astype(np.float32), done, infos

    def _finish(
        self, outcome: Outcome, done: NDArray[np.bool_], infos: list[dict[str, Any]]
    ) -> None:
        """Note what the learners saw last, and reset their tables."""
        for table in np.flatnonzero(done).tolist():
            infos[table]["terminal_observation"] = self.tables.observation(table)
            infos[table]["TimeLimit.truncated"] = bool(outcome.truncated[table])
        self.tables.reset(done)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    # What `VecEnv` wants to know of each table.

    def get_images(self) -> Sequence[Pixels]:
        """Return each table as pixels, as its learner sees it; `render` shows them all in one."""
        return self.env_method("render")

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of each table: ``seat``, ``action_masks``, or one that was set."""
        return [getattr(table, attr_name) for table in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of each table; a ``seat`` counts from its next episode."""
        for table in self._chosen(indices):
            setattr(table, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of each table: ``action_masks`` or ``render``."""
        if method_name == "action_masks" and indices is None:
            return list(self.tables.action_masks())
        tables = self._chosen(indices)
        return [getattr(table, method_name)(*method_args, **method_kwargs) for table in tables]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """Return False for each table: none is wrapped by itself."""
        return [False for _ in self._chosen(indices)]

    def _chosen(self, indices: Indices) -> Sequence[_Table]:
        return [self._each[index] for index in self._get_indices(indices)]


class SB3Player:
    """A MaskablePPO model as a player.

    Args:
        model: the model, or the path of a saved one, which is loaded on the CPU.
        deterministic: whether to play the likeliest action; otherwise actions are drawn with
            their probabilities, from a generator of the player's own.
        name: how records and tables call it; by default the file's name without its ending.

    Raises:
        ValueError: the file is no saved model.
        OSError: it cannot be read.
    """

    def __init__(
        self,
        model: MaskablePPO | str | PathLike[str],
        *,
        deterministic: bool = True,
        name: str | None = None,
    ) -> None:
        if isinstance(model, MaskablePPO):
            self.model, self.name = model, name or "MaskablePPO"
        else:
            self.model, self.name = _load(model), name or Path(model).stem
        self.deterministic = deterministic
        self._generator = np.random.default_rng(0)

    def reset(self, engine: Engine, seed: int) -> None:
        """Prepare for an engine's games.

        Raises:
            ValueError: the model was made for other observations or actions.
        """
        wants = (self.model.observation_space.shape, int(self.model.action_space.n))  # type: ignore[attr-defined]
        has = ((engine.features.size,), engine.actions.size)
        if wants != has:
            raise ValueError(
                f"model {self.name!r} was made for observations of shape {wants[0]} and {wants[1]} "
                f"actions, but here are {has[0]} and {has[1]}: with or without the derived "
                "sections, or another version of the environment?"
            )
        self._generator = np.random.default_rng(seed)

    def act(self, view: View) -> NDArray[np.int64]:
        """Return one legal action a row, (n,)."""
        policy = self.model.policy
        policy.set_training_mode(False)
        with torch.no_grad():
            observations, _ = policy.obs_to_tensor(view.observation)
            distribution = policy.get_distribution(observations, view.mask != 0)
            logits: torch.Tensor = distribution.distribution.logits  # type: ignore[union-attr]
        scores: NDArray[np.floating[Any]] = logits.cpu().numpy()
        if not self.deterministic:  # the largest of logits plus Gumbel noise is a draw from them
            scores = scores + self._generator.gumbel(size=scores.shape)
        chosen: NDArray[np.int64] = scores.argmax(axis=1)
        return chosen


def load_player(path: str | PathLike[str]) -> SB3Player:
    """Return a saved MaskablePPO model as a player that plays its likeliest action.

    Raises:
        ValueError: the file is no saved model.
        OSError: it cannot be read.
    """
    return SB3Player(path)


def _load(path: str | PathLike[str]) -> MaskablePPO:
    name = fspath(path)
    if not Path(name).is_file():
        raise FileNotFoundError(f"no model {name!r}: there is no such file")
    try:
        return MaskablePPO.load(name, device="cpu")
    except OSError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise ValueError(
            f"{name!r} is no MaskablePPO model: {type(error).__name__}: {error}"
        ) from error
