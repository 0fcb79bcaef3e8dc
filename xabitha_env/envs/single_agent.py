"""The Gymnasium environment of both games: one learner, the other three seats played inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from xabitha_env.envs.learner import LearnerTables, SeatSpec
from xabitha_env.envs.others import OpponentSpec
from xabitha_env.envs.rendering import (
    RENDER_FPS,
    RENDER_MODES,
    Frame,
    Screen,
    render_mode_of,
)
from xabitha_env.envs.settings import checked_action, features_space
from xabitha_env.envs.starts import start_of
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.protocol import Engine, Rules


class SingleAgentEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """One learner at a table of a game.

    A step is one action of the learner; then the others play until the learner is to act again.
    The observation is what the learner's seat sees, (O,) int8; ``info["action_mask"]`` and
    `action_masks` say which actions are legal, (A,) int8 and bool. The reward is all that fell on
    the learner's seat since its last action, so that an episode's rewards add up to the team's.

    Args:
        game: the game's name.
        partner: the player opposite: a name, a `Agent`, or a function (observation, mask) ->
            action.
        opponents: one such player for both opponents, or a pair: the next seat's, the previous
            seat's.
        seat: the learner's seat 0-3, or ``random``: drawn anew for each episode.
        rules: a rules configuration, some of its fields, or None for the default rules.
        reward: the engine's reward, by name.
        episode: ``match``, or ``round`` for matches of a single round.
        derived: whether observations hold the derived sections.
        illegal: what an illegal action does. ``refuse``: nothing changes, and the info has
            ``illegal_action`` (True), the ``rule`` and the ``message``. ``raise``: a ValueError,
            and nothing changes. ``terminate``: the episode ends with a reward of -1.
        max_episode_steps: steps, refused ones included, after which the episode is truncated; by
            default 5,000 a round, which legal play does not reach. (`gymnasium.make` keeps an
            argument of this name to itself and does the same with a wrapper.)
        render_mode: how `render` shows the table, as the learner sees it. ``ansi``: it returns
            text. ``rgb_array``: it returns an array (640, 960, 3) uint8. ``human``: a window shows
            the table after `reset` and after each `step`, at most ``metadata["render_fps"]`` of
            them a second; once somebody closes it, the match goes on without. None: not at all.

    Raises:
        ValueError: an argument is none of what it may be; the message says which and why.
        ImportError: the render mode draws pictures, and pygame is missing.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}

    def __init__(
        self,
        game: str,
        *,
        partner: PlayerSpec = "greedy",
        opponents: OpponentSpec = "random",
        seat: SeatSpec = 0,
        rules: Rules | Mapping[str, Any] | None = None,
        reward: str = "team_difference",
        episode: str = "match",
        derived: bool = True,
        illegal: str = "refuse",
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode_of(render_mode)
        self._screen = Screen(self.render_mode, game)
        self.tables = LearnerTables(
            game,
            1,
            partner=partner,
            opponents=opponents,
            seat=seat,
            rules=rules,
            reward=reward,
            episode=episode,
            derived=derived,
            illegal=illegal,
            max_episode_steps=max_episode_steps,
        )
        self.observation_space = features_space(self.tables.num_features)
        self.action_space = spaces.Discrete(self.tables.num_actions)

    @property
    def engine(self) -> Engine:
        """The engine, a batch of one game."""
        return self.tables.engine

    @property
    def seat(self) -> int:
        """The learner's seat in this episode, 0-3."""
        return int(self.tables.seats[0])

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, (A,)."""
        return self.tables.action_mask(0)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Start a new episode.

        Args:
            seed: fixes everything that chance decides; None goes on with the generators.
            options: ``deal``, the first round's deal (as in `Engine.set_deal`), or ``state``, the
                record of a running match (``engine.get_state()``), which holds its own generator.

        Returns:
            The observation and the info.

        Raises:
            ValueError: a wrong option, deal or state; nothing changed.
        """
        start = start_of(options)
        super().reset(seed=seed)
        self.tables.reset(seeds=[seed], starts=[start], generators=[self.np_random])
        if self.render_mode == "human":
            self.render()
        return self.tables.observations()[0], self._info()

    def step(self, action: Any) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make the learner's action, and let the others play until it is to act again.

        Returns:
            Observation, reward, terminated, truncated and info.

        Raises:
            ResetNeeded: there was no reset yet, or the episode is over.
            ValueError: no integer of the action space, or an illegal action with
                ``illegal="raise"``; nothing changed.
        """
        if self.tables.done[0]:
            why = "the episode is over" if self.tables.ready else "there was no reset yet"
            raise ResetNeeded(f"step() needs a reset() before it: {why}")
        index = checked_action(action, self.tables.num_actions)
        outcome = self.tables.step(np.array([index]))
        info = self._info()
        if outcome.illegal[0]:
            info |= self.tables.refusal(0, index)
        if self.render_mode == "human":
            self.render()
        return (
            self.tables.observations()[0],
            float(outcome.rewards[0]),
            bool(outcome.terminated[0]),
            bool(outcome.truncated[0]),
            info,
        )

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.tables.masks()[0]}

    def render(self) -> Frame | None:
        """Return the table as text or pixels, or show it in a window, as the learner sees it."""
        return self._screen.render(self.engine, self.seat, self.metadata["render_fps"])

    def close(self) -> None:
        """Release the window of ``human``; the next `render` opens it again."""
        self._screen.close()
