"""RLlib's new API stack: a table as a `MultiAgentEnv`, and modules that honour masks.

An agent's name says which module decides for it (`module_of`), so that who plays is drawn by the
environment, from its seed, and the same for the same seed:

- ``player_0`` to ``player_3``: seats of the policy that learns, partners alike;
- ``past_1.player_0``: a seat of a frozen module, an earlier version of that policy.

Players of this project take part inside the environment, without being agents of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

try:
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise ImportError(
        f"training with RLlib needs it and torch: install xabitha-env[ray] ({error})"
    ) from error

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.contrib.rllib_player import MaskedPolicy, Sizes, layers
from xabitha_env.envs.aec import AGENTS, CYCLES_PER_ROUND, SEAT_OF
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
from xabitha_env.games import make_engine
from xabitha_env.players import Agent, CompiledPlayer, ask, load_player
from xabitha_env.protocol import EXTERNAL

SELF, PAST = "self", "past"
"""Rivals of the learner: itself, and its earlier versions; any other name is a player's."""
LEARNER = "learner"
"""The module that learns."""
ALL = "__all__"
"""RLlib's key for the whole episode."""
APART = 100_000
"""Seeds between two runners of an environment: RLlib's own are one apart, as tables' are, too."""

Observation = dict[str, NDArray[np.int8]]


def past_module(number: int) -> str:
    """Return the name of a frozen module."""
    return f"{PAST}_{number}"


def module_of(agent: str, *_: Any, **__: Any) -> str:
    """Return the module that decides for an agent; RLlib's ``policy_mapping_fn``."""
    module, dot, _name = agent.rpartition(".")
    return module if dot else LEARNER


def seat_of(agent: str) -> int:
    """Return an agent's seat."""
    return SEAT_OF[agent.rpartition(".")[2]]


class TableMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]
    """One table of a game for RLlib.

    Only the agent to act has an observation: ``observation`` (O,) and ``action_mask`` (A,), int8.
    Rewards are given to all agents when they fall, whoever is to act; at the end of an episode all
    agents get their last observation, with an empty mask.

    Args:
        config: the environment's configuration, with any of

            - ``game``: the game's name, ``xabitha`` by default;
            - ``league``: the rivals, of which each episode draws one (named twice, it is drawn
              twice as often): ``self``, ``past``, or a player as `load_player` takes it. One team,
              drawn as well, is the learner's; with ``self`` both are. By default ``self`` alone;
            - ``past``: how many frozen modules there are;
            - ``rules``, ``reward``, ``episode`` (``round`` by default), ``derived``, ``illegal``,
              ``max_cycles``: as in `entry.EnvFunction`.

    Raises:
        ValueError: one of them is none of what it may be.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        given = dict(config or {})
        self._runner = int(getattr(config, "worker_index", 0) or 0)  # in RLlib's `EnvContext`
        self._configure(**given)
        self.agents = list(AGENTS)
        names = [past_module(number) for number in range(self.past)]
        rivals = [f"{name}.{agent}" for name in names for agent in AGENTS]
        self.possible_agents = [*AGENTS, *rivals]
        seen = spaces.Dict(
            {
                "observation": features_space(self.engine.features.size),
                "action_mask": features_space(self.engine.actions.size),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        chosen = spaces.Discrete(self.engine.actions.size)
        self.action_spaces = dict.fromkeys(self.possible_agents, chosen)
        super().__init__()
        self._live = False
        self._seeded = False

    def _configure(
        self,
        *,
        game: str = "xabitha",
        league: tuple[str, ...] = (SELF,),
        past: int = 0,
        rules: Any = None,
        reward: str = "team_difference",
        episode: str = "round",
        derived: bool = True,
        illegal: str = "refuse",
        max_cycles: int | None = None,
    ) -> None:
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.rules = episode_rules(game, rules, episode)
        default = CYCLES_PER_ROUND * self.rules.num_rounds
        self.max_cycles = step_limit("max_cycles", max_cycles, default)
        self.engine = make_engine(game, rules=self.rules, reward=reward, derived=derived)
        self.past, self.league = past, tuple(league)
        if not self.league:
            raise ValueError("league must name at least one rival")
        if PAST in self.league and past < 1:
            raise ValueError(f"league has {PAST!r}, but there are no frozen modules: set past")
        self._players = {  # an object for each seat of a team: partners tell each other nothing
            name: tuple(load_player(name, game) for _ in range(NUM_SEATS // NUM_TEAMS))
            for name in dict.fromkeys(self.league)
            if name not in (SELF, PAST)
        }

    # Episodes.

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start an episode.

        Args:
            seed: fixes everything that chance decides, also who plays; None goes on.
            options: there are none.

        Raises:
            ValueError: a wrong seed, or options.
        """
        if options:
            raise ValueError(f"this environment has no options, but is given {dict(options)!r}")
        seed = checked_seed(seed)
        if seed is None and not self._seeded:
            seed = fresh_seed()
        if seed is not None:
            seed += APART * self._runner
        super().reset(seed=seed)
        self.engine.reset(seed)
        self._seeded = self._live = True
        self._steps = 0
        self._seat_rivals()
        self._let_others_play(None)
        if self.engine.over[0]:
            raise ValueError("the match was over before an agent was to act")
        return self._seen(), self._infos()

    def _seat_rivals(self) -> None:
        """Draw who plays, and name the agents."""
        rival = self.league[int(self.np_random.integers(len(self.league)))]
        own = int(self.np_random.integers(NUM_TEAMS))
        number = int(self.np_random.integers(max(self.past, 1)))
        self._codes = np.full((1, NUM_SEATS), EXTERNAL, np.int8)
        self._asked: dict[int, Agent] = {}  # by seat
        names: dict[int, str] = {}
        for seat, agent in enumerate(AGENTS):
            if rival == SELF or seat % NUM_TEAMS == own:
                names[seat] = agent
            elif rival == PAST:
                names[seat] = f"{past_module(number)}.{agent}"
            else:
                self._seat_player(seat, self._players[rival][seat // NUM_TEAMS])
        self._names = names
        self.agents = list(names.values())

    def _seat_player(self, seat: int, player: Agent) -> None:
        if isinstance(player, CompiledPlayer):
            self._codes[0, seat] = player.code(self.engine)
        else:
            self._asked[seat] = player
            player.reset(self.engine, int(self.np_random.integers(2**32)))

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let the agent to act make its action, and the players inside theirs.

        Args:
            action_dict: the action of the agent to act, under its name.

        Raises:
            ResetNeeded: the episode is over, or none has begun.
            ValueError: another agent's action, or several; no integer of the action space; or an
                illegal action with ``illegal="raise"``. Nothing changed.
            PlayerError: a player inside failed.
        """
        if not self._live:
            raise ResetNeeded("step() needs a reset() before it")
        agent = self._actor()
        if list(action_dict) != [agent]:
            raise ValueError(f"{agent} is to act, but here are actions of {list(action_dict)}")
        action = checked_action(action_dict[agent], self.engine.actions.size)
        refusal = self.engine.refusal(action) if self.engine.mask[0, action] == 0 else None
        if refusal is not None and self.illegal == "raise":
            raise ValueError(refusal.message)
        self._steps += 1
        rewards = dict.fromkeys(self.agents, 0.0)
        infos: dict[str, dict[str, Any]] = {}
        if refusal is None:
            given = self._let_others_play(action)
            rewards = {name: float(given[seat]) for seat, name in self._names.items()}
        else:
            infos[agent] = {"illegal_action": True, **refusal._asdict()}
            if self.illegal == "terminate":
                rewards[agent] = ILLEGAL_REWARD
        over = bool(self.engine.over[0]) or (refusal is not None and self.illegal == "terminate")
        return self._told(rewards, over, infos)

    def _told(
        self, rewards: dict[str, float], over: bool, infos: dict[str, dict[str, Any]]
    ) -> tuple[Any, ...]:
        """Return what RLlib is told after a step."""
        cut = not over and self._steps >= self.max_cycles
        self._live = not (over or cut)
        seen = self._seen()
        terminated = {**dict.fromkeys(self.agents, over), ALL: over}
        truncated = {**dict.fromkeys(self.agents, cut), ALL: cut}
        return seen, rewards, terminated, truncated, {**self._infos(), **infos}

    def _let_others_play(self, action: int | None) -> NDArray[np.float64]:
        """Apply an action and play until an agent is to act; returns all that fell, by seat."""
        given = np.zeros(NUM_SEATS)
        chosen = None if action is None else np.array([action])
        while True:
            self.engine.advance(self._codes, chosen)
            given += self.engine.rewards[0]
            player = self._asked.get(int(self.engine.seats[0]))
            if player is None or self.engine.over[0]:
                return given
            chosen = ask(self.engine, player, np.zeros(1, np.int64))

    # What agents see.

    def _actor(self) -> str:
        return self._names[int(self.engine.seats[0])]

    def _seen(self) -> dict[str, Observation]:
        """Return what the agent to act sees, or what all see in the end."""
        if self._live:
            mask, seen = self.engine.mask[0].copy(), self.engine.observation[0].copy()
            return {self._actor(): {"observation": seen, "action_mask": mask}}
        none = np.zeros(self.engine.actions.size, np.int8)
        return {
            name: {"observation": self.engine.observe(0, seat).copy(), "action_mask": none.copy()}
            for seat, name in self._names.items()
        }

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {self._actor(): {}} if self._live else {name: {} for name in self.agents}


class MaskedModule(TorchRLModule):  # type: ignore[misc]
    """A policy that cannot choose an illegal action; it does not learn.

    ``model_config`` has ``width``: units of each of two hidden layers.
    """

    def setup(self) -> None:
        """Make the network."""
        seen = self.observation_space
        self.sizes = Sizes(
            seen["observation"].shape[0], int(self.action_space.n), int(self.model_config["width"])
        )
        self.policy = MaskedPolicy(self.sizes)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        return {Columns.ACTION_DIST_INPUTS: self.policy(seen["observation"], seen["action_mask"])}


class LearningModule(MaskedModule, InferenceOnlyAPI, ValueFunctionAPI):  # type: ignore[misc]
    """The same with a critic beside it, for PPO; the critic sees what the policy sees."""

    def setup(self) -> None:
        """Make the networks."""
        super().setup()
        if not self.inference_only:
            self.critic = layers(self.sizes.features, self.sizes.width, 1)

    def get_non_inference_attributes(self) -> list[str]:
        """Return what runners do without."""
        return ["critic"]

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return what the critic expects, (n,)."""
        return self.critic(batch[Columns.OBS]["observation"].float()).squeeze(-1)
