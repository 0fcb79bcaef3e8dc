"""The PettingZoo AEC environment of both games, over the `Engine` protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pettingzoo import AECEnv

from xabitha_env.cards import NUM_SEATS
from xabitha_env.envs.rendering import (
    RENDER_FPS,
    RENDER_MODES,
    Frame,
    Screen,
    render_mode_of,
)
from xabitha_env.envs.settings import (
    ILLEGAL,
    ILLEGAL_REWARD,
    checked_action,
    checked_seed,
    episode_rules,
    features_space,
    fresh_seed,
    one_of,
    step_limit,
)
from xabitha_env.envs.starts import Start, start_games, start_of
from xabitha_env.games import make_engine
from xabitha_env.protocol import Rules

Observation: TypeAlias = dict[str, NDArray[np.int8]]
Last: TypeAlias = tuple[Observation | None, float, bool, bool, dict[str, Any]]

AGENTS = tuple(f"player_{seat}" for seat in range(NUM_SEATS))
SEAT_OF = {agent: seat for seat, agent in enumerate(AGENTS)}
CYCLES_PER_ROUND = 20_000
"""Steps of all agents that a round may take by default before it is cut off.

Legal play never gets there: a turn is at most four draws and discards (an undo and a second draw
included), and table actions use up cards, of which a turn brings one, so that the 1000 turns of a
round by the default rules stay below 6,000 steps. The rest is room for refused ones.
"""


class TableEnv(AECEnv):  # type: ignore[misc]
    """One table of a game for four agents; see `entry.EnvFunction` for how it behaves.

    Args:
        game: the game's name.
        name: what PettingZoo calls the environment.
        options: those of `entry.EnvFunction`.
    """

    def __init__(
        self,
        game: str,
        name: str,
        *,
        rules: Rules | Mapping[str, Any] | None = None,
        reward: str = "team_difference",
        episode: str = "match",
        derived: bool = True,
        illegal: str = "refuse",
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.render_mode = render_mode_of(render_mode)
        self._screen = Screen(self.render_mode, name)
        self.rules = episode_rules(game, rules, episode)
        default = CYCLES_PER_ROUND * self.rules.num_rounds
        self.max_cycles = step_limit("max_cycles", max_cycles, default)
        self.engine = make_engine(
            game,
            rules=self.rules,
            reward=reward,
            outputs=("mask", "observation"),
            derived=derived,
        )
        self.metadata: dict[str, Any] = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self.possible_agents = list(AGENTS)
        self.observation_spaces = {agent: self._observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self.engine.actions.size) for agent in AGENTS}
        self.state_space = features_space(self.engine.global_features.size)
        self.agents: list[str] = []
        self.infos: dict[str, dict[str, Any]] = {}
        self._seeded = False
        self._ready = False  # after the first reset
        self._live = False  # while agents are to act, not only to be removed
        self._steps = 0
        self._bind()

    def _observation_space(self) -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": features_space(self.engine.features.size),
                "action_mask": features_space(self.engine.actions.size),
            }
        )

    def _bind(self) -> None:
        """Take hold of what every step reads; a copy of the environment must do so anew."""
        self._num_actions = self.engine.actions.size
        self._chosen = np.zeros(1, np.int64)
        self._observation = self.engine.observation[0]
        self._mask = self.engine.mask[0]

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_chosen", "_observation", "_mask")
        return {name: value for name, value in self.__dict__.items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    # What agents see.

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return an agent's space of observations."""
        return self.observation_spaces[_known(agent)]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return an agent's space of actions."""
        return self.action_spaces[_known(agent)]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees now, to act or not, in arrays of its own.

        Returns:
            ``observation`` (O,) int8 and ``action_mask`` (A,) int8, all zero unless the agent is
            to act.

        Raises:
            ResetNeeded: there was no reset yet.
            ValueError: there is no such agent.
        """
        if self._live and agent == self.agent_selection:
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        self._need_reset("observe")
        return {
            "observation": self.engine.observe(0, SEAT_OF[_known(agent)]).copy(),
            "action_mask": np.zeros(self._num_actions, np.int8),
        }

    def last(self, observe: bool = True) -> Last:
        """Return what the agent to act needs: observation, reward, termination, truncation, info.

        The reward is all that the agent was given since it acted last.
        """
        if not self._ready or not self.agents:
            self._need_agents("last")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def state(self) -> NDArray[np.int8]:
        """Return everything, hidden cards included, as ``engine.global_features`` says."""
        self._need_reset("state")
        return self.engine.global_state(0).copy()

    def render(self) -> Frame | None:
        """Return the table as text or pixels, or show it in a window, all hands open.

        Raises:
            ResetNeeded: there was no reset yet.
        """
        if self.render_mode is not None:
            self._need_reset("render")
        return self._screen.render(self.engine, None, self.metadata["render_fps"])

    def close(self) -> None:
        """Release the window of ``human``; the next `render` opens it again."""
        self._screen.close()

    # What changes the table.

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a new match, by the same rules as before.

        Args:
            seed: fixes everything that chance decides; None goes on with the generator, which a
                first reset without a seed starts from one that nobody chose.
            options: ``deal``, the first round's deal (as in `Engine.set_deal`), or ``state``, the
                record of a running match (``engine.get_state()``), which holds its own generator,
                so that the seed then decides nothing. (``options`` is tolerated as a key: the
                tests of PettingZoo pass it.)

        Raises:
            ValueError: a wrong seed, option, deal or state; nothing changed.
        """
        seed = checked_seed(seed)
        start = start_of(options, tolerated=("options",))
        if seed is None and not self._seeded:
            seed = fresh_seed()
        self._start_game(seed, start)
        self._seeded = self._ready = self._live = True
        self._steps = 0
        self._rounds = self.engine.rounds_played.item()
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[self.engine.seats.item()]
        self._begin_ledgers()
        if self.render_mode == "human":
            self.render()

    def _start_game(self, seed: int | None, start: Start) -> None:
        if start.plain:
            self.engine.reset(seed)
            return
        before = self.engine.get_state()
        try:
            start_games(self.engine, np.zeros(1, np.int64), [seed], [start])
        except ValueError:
            self.engine.set_state(before)
            raise

    def _begin_ledgers(self) -> None:
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {} for agent in AGENTS}
        self._skip_agent_selection: str | None = None  # of PettingZoo's own dead steps
        self._noted = False  # whether rewards or infos say anything

    def step(self, action: int | None) -> None:
        """Let the agent to act make its action; agents that are done take None.

        Args:
            action: an integer of the action space, or None.

        Raises:
            ResetNeeded: there was no reset yet, or all agents are gone.
            ValueError: no integer of the action space; None from an agent that is to act, or
                anything else from one that is done; or an illegal action with
                ``illegal="raise"``. Nothing changed.
        """
        if not self._live:
            self._step_dead(action)
            return
        agent = self.agent_selection
        if action is None:
            raise ValueError(f"{agent} is to act: None is only for agents that are done")
        engine = self.engine
        index = checked_action(action, self._num_actions)
        self._chosen[0] = index
        refused = engine.step(self._chosen)[0]
        if refused and self.illegal == "raise":
            raise ValueError(self._refusal(index)["message"])
        if self._noted:
            self._forget()
        self._cumulative_rewards[agent] = 0.0
        self._steps += 1
        if refused:
            self._note_refusal(agent, index)
        else:
            self.agent_selection = AGENTS[engine.seats.item()]
            if engine.rounds_played.item() != self._rounds:
                self._end_round()
        if self._steps >= self.max_cycles and self._live:
            self._end_episode(terminated=False, truncated=True)
        if self.render_mode == "human":
            self.render()

    def _step_dead(self, action: int | None) -> None:
        self._need_agents("step")
        if action is not None:
            raise ValueError(f"{self.agent_selection} is done: its step takes None, not {action!r}")
        self._was_dead_step(None)

    def _forget(self) -> None:
        """Clear what the previous step said."""
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self.infos = {agent: {} for agent in AGENTS}
        self._noted = False

    def _end_round(self) -> None:
        self._rounds = self.engine.rounds_played.item()
        self._pay(self.engine.rewards[0].tolist())
        if self.engine.over[0]:
            self._end_episode(terminated=True, truncated=False)

    def _pay(self, amounts: list[float]) -> None:
        """Give each seat its reward."""
        self.rewards = dict(zip(AGENTS, amounts, strict=True))
        for agent, amount in self.rewards.items():
            self._cumulative_rewards[agent] += amount
        self._noted = True

    def _end_episode(self, *, terminated: bool, truncated: bool) -> None:
        self.terminations = dict.fromkeys(AGENTS, terminated)
        self.truncations = dict.fromkeys(AGENTS, truncated)
        self._live = False
        self.agent_selection = AGENTS[0]

    def _refusal(self, action: int) -> dict[str, Any]:
        refusal = self.engine.refusal(action)
        if refusal is None:
            raise RuntimeError(f"the engine refused action {action} and calls it legal")
        return {"illegal_action": True, "rule": refusal.rule, "message": refusal.message}

    def _note_refusal(self, agent: str, action: int) -> None:
        self.infos[agent] = self._refusal(action)
        self._noted = True
        if self.illegal == "terminate":
            self._pay([ILLEGAL_REWARD if other == agent else 0.0 for other in AGENTS])
            self._end_episode(terminated=True, truncated=True)

    def _need_reset(self, call: str) -> None:
        if not self._ready:
            raise ResetNeeded(f"{call}() needs a reset() before it")

    def _need_agents(self, call: str) -> None:
        self._need_reset(call)
        if not self.agents:
            raise ResetNeeded(f"{call}() after the last agent is gone: reset() starts anew")


def _known(agent: str) -> str:
    if agent not in SEAT_OF:
        raise ValueError(f"no agent {agent!r}; there are {', '.join(AGENTS)}")
    return agent
