"""Tables at which one seat is a learner's and the others are played inside.

What the single-agent, vector and training environments share: they differ only in the form in
which they hand this on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS
from xabitha_env.envs.others import SKIP, OpponentSpec, Others
from xabitha_env.envs.settings import (
    ILLEGAL,
    ILLEGAL_REWARD,
    episode_rules,
    fresh_seed,
    one_of,
    step_limit,
)
from xabitha_env.envs.starts import Start, start_games
from xabitha_env.games import make_engine
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.protocol import Rules

STEPS_PER_ROUND = 5_000
"""Steps of the learner that a round may take by default before it is cut off.

Legal play never gets there: the learner has a quarter of the turns (see `aec.CYCLES_PER_ROUND`),
which is less than 1,500 steps by the default rules. The rest is room for refused ones.
"""
ANY_SEAT = "random"

SeatSpec: TypeAlias = "int | str | Sequence[int]"


class Outcome(NamedTuple):
    """What a step brought the learners, one entry a table; tables that were done have zeros."""

    rewards: NDArray[np.float64]  # (N,) all that fell on the learner's seat since its last action
    terminated: NDArray[np.bool_]  # (N,)
    truncated: NDArray[np.bool_]  # (N,)
    illegal: NDArray[np.bool_]  # (N,) the learner's action was refused


class LearnerTables:
    """N tables of one game with a learner at each.

    After every call each table waits for its learner, or is done (`done`): then it stays as it is
    until it is reset.

    Args:
        game: the game's name.
        num_tables: N.
        partner: the player opposite the learner, as `load_player` takes it.
        opponents: one player for both opponents, or a pair.
        seat: the learner's seat 0-3, one a table, or ``random``: drawn anew for each episode.
        rules: a rules configuration, some of its fields, or None for the default rules.
        reward: the engine's reward, by name.
        episode: ``match`` or ``round``.
        derived: whether observations hold the derived sections.
        illegal: what an illegal action does: ``refuse``, ``raise`` or ``terminate``.
        max_episode_steps: the learner's steps, refused ones included, after which an episode is
            truncated; by default 5,000 a round.
        threads: for the engine.

    Raises:
        ValueError: an argument is none of what it may be.
    """

    def __init__(
        self,
        game: str,
        num_tables: int,
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
        threads: int = 1,
    ) -> None:
        self.num_tables = num_tables
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.rules = episode_rules(game, rules, episode)
        default = STEPS_PER_ROUND * self.rules.num_rounds
        self.max_episode_steps = step_limit("max_episode_steps", max_episode_steps, default)
        self.engine = make_engine(
            game,
            num_tables,
            rules=self.rules,
            reward=reward,
            outputs=("mask", "legal", "observation"),
            derived=derived,
            threads=threads,
        )
        self.others = Others(self.engine, partner, opponents)
        self.wanted_seats = _wanted_seats(seat, num_tables)  # NUM_SEATS for any
        self.seats = self.wanted_seats % NUM_SEATS
        self.generators: list[np.random.Generator | None] = [None] * num_tables
        self.steps = np.zeros(num_tables, np.int64)  # of the learner, in this episode
        self.done = np.ones(num_tables, np.bool_)
        self.ready = False  # after the first reset, and unless a player failed since
        self._owed = np.zeros(num_tables)  # rewards that no step has handed on yet
        self._rows = np.arange(num_tables)
        self._codes = self.others.codes(self.seats)

    # What the learners see.

    @property
    def num_actions(self) -> int:
        """Number of actions, A."""
        return self.engine.actions.size

    @property
    def num_features(self) -> int:
        """Number of observation features, O."""
        return self.engine.features.size

    def observations(self) -> NDArray[np.int8]:
        """Return a copy of what the learners see, (N, O)."""
        seen = self.engine.observation.copy()
        # In a match that is over nobody is to act: the engine may describe another seat.
        for table in np.flatnonzero(self.engine.over).tolist():
            self.engine.observe(table, int(self.seats[table]), seen[table])
        return seen

    def observation(self, table: int) -> NDArray[np.int8]:
        """Return a copy of what one learner sees, (O,)."""
        return self.engine.observe(table, int(self.seats[table])).copy()

    def masks(self) -> NDArray[np.int8]:
        """Return a copy of the learners' masks, (N, A), zero where the match is over."""
        return self.engine.mask.copy()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learners' masks as booleans, (N, A)."""
        return self.engine.mask.astype(np.bool_)

    def action_mask(self, table: int) -> NDArray[np.bool_]:
        """Return one learner's mask as booleans, (A,)."""
        mask: NDArray[np.bool_] = self.engine.mask[table].astype(np.bool_)
        return mask

    def refusal(self, table: int, action: int) -> dict[str, Any]:
        """Return the info that goes with an action that was refused at a table."""
        refusal = self.engine.refusal(action, table)
        if refusal is None:
            raise RuntimeError(f"the mask forbids action {action} and the engine calls it legal")
        return {"illegal_action": True, "rule": refusal.rule, "message": refusal.message}

    # What changes the tables.

    def set_players(
        self, partner: PlayerSpec | None = None, opponents: OpponentSpec | None = None
    ) -> None:
        """Seat other players, at once and in running matches; None leaves who is there.

        Raises:
            ValueError: no such player; nothing changed.
        """
        old = self.others.players
        others = Others(
            self.engine,
            old[2] if partner is None else partner,
            (old[1], old[3]) if opponents is None else opponents,
        )
        if others.need_seed:
            others.reset(self._players_seed())
        self.others = others
        self._codes = others.codes(self.seats)

    def want_seat(self, table: int, seat: SeatSpec) -> None:
        """Give the learner of one table another seat from its next episode on.

        Raises:
            ValueError: not 0 to 3 or ``random``.
        """
        self.wanted_seats[table] = _wanted_seats(seat, 1)[0]

    def reset(
        self,
        which: NDArray[np.bool_] | None = None,
        seeds: Sequence[int | None] | None = None,
        starts: Sequence[Start] | None = None,
        generators: Sequence[np.random.Generator] | None = None,
    ) -> None:
        """Start new episodes.

        Args:
            which: (N,) tables to reset; all by default.
            seeds: for each table that is reset a seed, or None to go on with its generator.
            starts: for each table that is reset how it starts.
            generators: for each table that is reset the generator to use from now on for what the
                engine does not draw (the learner's seat), if not one made from the seed.

        Raises:
            ValueError: a deal or state that cannot be; nothing changed.
            PlayerError: a player failed; another reset must follow.
        """
        tables = self._rows if which is None else np.flatnonzero(which)
        seeds = [None] * len(tables) if seeds is None else list(seeds)
        if starts is not None and all(start.plain for start in starts):
            starts = None
        before = None if starts is None else self._snapshot()
        was_ready = self.ready
        try:
            start_games(self.engine, tables, self._seeded(tables, seeds, generators), starts)
            self._start_learners(tables)
        except ValueError:
            if before is not None:
                self._restore(before)
            raise
        self.ready = False
        if self.others.need_seed and len(tables) == self.num_tables:
            self.others.reset(self._players_seed() if seeds[0] is None else seeds[0])
        self._play()
        self.ready = True
        if before is not None and self.engine.over[tables].any():
            self._restore(before)
            self.ready = was_ready
            raise ValueError("the match of option 'state' ends before the learner is to act")

    def step(self, actions: Any) -> Outcome:
        """Let each learner make its action, and the others play until all learners are to act.

        Args:
            actions: (N,) integers; those of tables that are done mean nothing.

        Raises:
            ResetNeeded: there was no reset yet.
            ValueError: wrong shape or type, no action of the game, or an illegal action with
                ``illegal="raise"``; nothing changed.
            PlayerError: another player failed; a reset must follow.
        """
        if not self.ready:
            raise ResetNeeded("step() needs a reset() before it")
        chosen = self._checked(actions)
        playing = ~self.done
        illegal = playing & (self.engine.mask[self._rows, chosen] == 0)
        if self.illegal == "raise" and illegal.any():
            table = int(np.argmax(illegal))
            where = f"table {table}: " if self.num_tables > 1 else ""
            raise ValueError(where + self.refusal(table, int(chosen[table]))["message"])
        self.ready = False
        self._play(np.where(playing & ~illegal, chosen, SKIP))
        self.ready = True
        return self._settle(playing, illegal)

    def _settle(self, playing: NDArray[np.bool_], illegal: NDArray[np.bool_]) -> Outcome:
        """Count the step, close the episodes that it ended, and hand on the rewards."""
        self.steps += playing
        terminated = playing & self.engine.over
        rewards, self._owed = self._owed, np.zeros(self.num_tables)
        if self.illegal == "terminate":
            terminated |= illegal
            rewards[illegal] = ILLEGAL_REWARD
        truncated = playing & ~terminated & (self.steps >= self.max_episode_steps)
        self.done |= terminated | truncated
        return Outcome(rewards, terminated, truncated, illegal)

    def _play(self, actions: NDArray[np.int64] | None = None) -> None:
        """Apply actions, if given, and let the others play until each table waits for its learner.

        Of a running match only its learner is waited for, so that the tables of learners that
        were given no action (`SKIP`) stay as they are.
        """
        self._advance(actions)
        while (choices := self.others.choose(self.seats)) is not None:
            self._advance(choices)

    def _advance(self, actions: NDArray[np.int64] | None) -> None:
        self.engine.advance(self._codes, actions)
        self._owed += self.engine.rewards[self._rows, self.seats]

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_tables,) or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_tables} integers, one a table, not an array of "
                f"{chosen.dtype} of shape {chosen.shape}"
            )
        outside = (chosen < 0) | (chosen >= self.num_actions)
        if outside.any():
            table = int(np.argmax(outside))
            raise ValueError(
                f"there is no action {chosen[table]} (table {table}): actions are 0 to "
                f"{self.num_actions - 1}"
            )
        return chosen.astype(np.int64)

    # Starting episodes.

    def _seeded(
        self,
        tables: NDArray[np.int64],
        seeds: Sequence[int | None],
        generators: Sequence[np.random.Generator] | None,
    ) -> list[int | None]:
        """Renew the tables' generators where they are seeded; returns the engine's seeds."""
        found: list[int | None] = []
        for k, (table, seed) in enumerate(zip(tables.tolist(), seeds, strict=True)):
            first = self.generators[table] is None
            if first and seed is None:
                seed = fresh_seed() if generators is None else int(generators[k].integers(2**63))
            if generators is not None:
                self.generators[table] = generators[k]
            elif seed is not None:
                self.generators[table] = np_random(seed)[0]
            found.append(seed)
        return found

    def _start_learners(self, tables: NDArray[np.int64]) -> None:
        for table in tables.tolist():
            seat = int(self.wanted_seats[table])
            generator = self.generators[table]
            if seat == NUM_SEATS and generator is not None:
                seat = int(generator.integers(NUM_SEATS))
            self.seats[table] = seat
        self._codes = self.others.codes(self.seats)
        self.steps[tables] = 0
        self._owed[tables] = 0
        self.done[tables] = False

    def _players_seed(self) -> int:
        generator = self.generators[0]
        return fresh_seed() if generator is None else int(generator.integers(2**32))

    def _snapshot(self) -> tuple[NDArray[Any], ...]:
        own = (self.seats, self.steps, self.done, self._owed)
        return (self.engine.get_state(), *(array.copy() for array in own))

    def _restore(self, before: tuple[NDArray[Any], ...]) -> None:
        self.engine.set_state(before[0])
        self.seats, self.steps, self.done, self._owed = before[1:]
        self._codes = self.others.codes(self.seats)


def _wanted_seats(seat: SeatSpec, num_tables: int) -> NDArray[np.int8]:
    """Return the learner's seat for each table, NUM_SEATS where it is drawn."""
    if isinstance(seat, str):
        if seat != ANY_SEAT:
            raise ValueError(f"seat must be 0 to 3 or {ANY_SEAT!r}, not {seat!r}")
        return np.full(num_tables, NUM_SEATS, np.int8)
    seats = np.asarray(seat)
    if seats.dtype.kind not in "iu" or seats.shape not in ((), (num_tables,)):
        raise ValueError(f"seat must be 0 to 3, one such number a table, or random, not {seat!r}")
    if (seats < 0).any() or (seats >= NUM_SEATS).any():
        raise ValueError(f"seat must be 0 to {NUM_SEATS - 1}, not {seat!r}")
    return np.broadcast_to(seats.astype(np.int8), num_tables).copy()
