"""The Gymnasium vector environment of both games, over the batched engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from xabitha_env.envs.learner import LearnerTables, Outcome, SeatSpec
from xabitha_env.envs.others import OpponentSpec
from xabitha_env.envs.rendering import (
    FRAME_MODES,
    RENDER_FPS,
    Frame,
    frame_of,
    render_mode_of,
)
from xabitha_env.envs.settings import checked_seed, features_space
from xabitha_env.envs.starts import start_of
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.protocol import Engine, Rules

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Observations: TypeAlias = NDArray[np.int8]
VectorStep: TypeAlias = tuple[Observations, Floats, Bools, Bools, dict[str, Any]]


class TablesVectorEnv(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """N learners, each at a table of its own; see `SingleAgentEnv` for what a table does.

    Table k of a batch that is reset with the seed s plays the same as a single environment that is
    reset with s + k, if all players are compiled (others see many tables at once, and may draw
    their random choices for all of them from one generator).

    Args:
        game: the game's name.
        num_envs: N.
        autoreset_mode: when a table whose episode is over starts the next: in the next step, whose
            action means nothing (``NextStep``), in the same step, with what the last one saw in
            ``final_obs`` and ``final_info`` (``SameStep``), or by `reset` with the option
            ``reset_mask`` only (``Disabled``).
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

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
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
        super().__init__()
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.render_mode = render_mode_of(render_mode, FRAME_MODES)
        self.metadata = {
            "render_modes": list(FRAME_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.num_envs = num_envs
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
        self.single_observation_space = features_space(self.tables.num_features)
        self.single_action_space = spaces.Discrete(self.tables.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def engine(self) -> Engine:
        """The engine, a batch of N games."""
        return self.tables.engine

    @property
    def seats(self) -> NDArray[np.int8]:
        """The learners' seats in these episodes, (N,)."""
        return self.tables.seats.copy()

    def action_masks(self) -> Bools:
        """Return which actions are legal now, (N, A)."""
        return self.tables.action_masks()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Start new episodes at all tables, or at those of a mask.

        Args:
            seed: s seeds table k with s + k; a list gives one seed a table; None goes on with the
                tables' generators.
            options: ``deal`` or ``state`` as in `SingleAgentEnv`, for every table that is reset,
                and ``reset_mask``, (N,) booleans, the tables to reset.

        Returns:
            The observations (N, O), and the infos, of all tables.

        Raises:
            ValueError: a wrong seed, option, deal or state; nothing changed.
        """
        start = start_of(options, tolerated=("reset_mask",))
        which = self._reset_mask((options or {}).get("reset_mask"))
        seeds = self._seeds(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        tables = np.flatnonzero(which)
        self.tables.reset(which, [seeds[k] for k in tables], [start] * len(tables))
        return self.tables.observations(), self._infos()

    def _reset_mask(self, mask: Any) -> Bools:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        which = np.asarray(mask)
        if which.dtype != np.bool_ or which.shape != (self.num_envs,) or not which.any():
            raise ValueError(
                f"the option 'reset_mask' must be a boolean array of shape ({self.num_envs},) "
                f"that is True somewhere, not {mask!r}"
            )
        if not self.tables.ready and not which.all():
            raise ValueError("the option 'reset_mask' must be True everywhere in the first reset")
        return which

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            first = checked_seed(seed)
            return [first + k for k in range(self.num_envs)] if first is not None else []
        seeds = [checked_seed(one) for one in seed]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} tables")
        return seeds

    def step(self, actions: Any) -> VectorStep:
        """Let each learner make its action, and the others play until all learners are to act.

        Args:
            actions: (N,) integers.

        Returns:
            Observations (N, O), rewards, terminations, truncations (N,) and infos.

        Raises:
            ResetNeeded: there was no reset yet, or a table is over that nothing resets.
            ValueError: wrong shape or type, no action of the game, or an illegal action with
                ``illegal="raise"``; nothing changed.
        """
        over = self.tables.done.copy()
        if self.autoreset_mode is AutoresetMode.DISABLED and self.tables.ready and over.any():
            raise ResetNeeded(
                f"table {int(np.argmax(over))} is over: reset it with the option 'reset_mask'"
            )
        outcome = self.tables.step(actions)
        notes = self._notes(outcome, actions)
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos = self._finish(outcome, notes)
        else:
            if self.autoreset_mode is AutoresetMode.NEXT_STEP and over.any():
                self.tables.reset(over)
            infos = self._infos(notes=notes)
        observations = self.tables.observations()
        return observations, outcome.rewards, outcome.terminated, outcome.truncated, infos

    def _notes(self, outcome: Outcome, actions: Any) -> dict[int, dict[str, Any]]:
        """Return the infos of the tables that refused an action."""
        tables = np.flatnonzero(outcome.illegal).tolist()
        return {table: self.tables.refusal(table, int(actions[table])) for table in tables}

    def _finish(self, outcome: Outcome, notes: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
        """Reset the tables that are over; returns the infos with what their learners saw last."""
        done = outcome.terminated | outcome.truncated
        if not done.any():
            return self._infos(notes=notes)
        last_infos = self._infos(done, {k: note for k, note in notes.items() if done[k]})
        last_seen = np.full(self.num_envs, None, dtype=object)
        for table in np.flatnonzero(done):
            last_seen[table] = self.tables.observation(int(table))
        self.tables.reset(done)
        return {
            **self._infos(notes={k: note for k, note in notes.items() if not done[k]}),
            "final_obs": last_seen,
            "_final_obs": done.copy(),
            "final_info": last_infos,
            "_final_info": done.copy(),
        }

    def _infos(
        self, which: Bools | None = None, notes: Mapping[int, dict[str, Any]] | None = None
    ) -> dict[str, Any]:
        """Return infos in Gymnasium's form: an array a key, and which tables it is about."""
        if which is None:
            masks, about = self.tables.masks(), np.ones(self.num_envs, np.bool_)
        else:
            masks, about = np.zeros_like(self.engine.mask), which.copy()
            masks[which] = self.engine.mask[which]
        infos = {"action_mask": masks, "_action_mask": about}
        for table, note in (notes or {}).items():
            infos = self._add_info(infos, note, table)
        return infos

    def render(self) -> tuple[Frame, ...] | None:
        """Return the tables as text or pixels, each as its learner sees it; None without a mode."""
        mode = self.render_mode
        if mode is None:
            return None
        seats = self.tables.seats.tolist()
        return tuple(frame_of(self.engine, table, seat, mode) for table, seat in enumerate(seats))
