"""Before self-play: learn from `expert`, by imitation that also learns what mistakes cost.

1. The critic learns how rounds between experts end, from states into which slips have led.
2. The policy learns what each legal action is worth: it is taken in a copy of the game, `expert`
   plays on for some decisions, and the critic says how the round stands then (AggreVaTe, Ross and
   Bagnell 2014, with the horizon cut short as in Sun, Bagnell and Boots 2018). The critic sees all
   cards and the policy does not, so that the policy learns averages over what it cannot know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.encoding import Encoder, Inputs, join, lists_of
from agents.network import Critic, Policy
from xabitha_env._jit import records
from xabitha_env.games import make_engine
from xabitha_env.players.worlds import search_kernels

TABLES = 256
SLIP = 0.15
"""How often a table strays from `expert` before it is left to it."""
CALM = 90
"""Before which decision of a round the last slip happens."""
SEEN = 0.1
"""Share of the decisions after it that the critic learns from."""
TRIED = 0.2
"""Share of decisions that the policy learns from, and how often they are strayed from there."""
OTHERS = 4
"""Legal actions that are tried beside those that a search would try."""
ROOM = 8192
"""Copies of games for the trials of a sweep."""
HUNDRED = 100.0
LOSS_UNIT = 50.0  # points
SCALE = 10.0
"""Points that a logit of 1 stands for while values are learnt."""


class ExpertTables:
    """Tables of experts that go on for ever, and at which anyone may be made to slip."""

    def __init__(self, encoder: Encoder, game: str, rules: Any, seed: int) -> None:
        self.encoder = encoder
        self.engine = make_engine(game, TABLES, rules=rules, auto_restart=True)
        self.engine.reset(seed)
        self.kernels = search_kernels(game)
        self.random = np.random.default_rng(seed)
        self.code = self.engine.player_codes["expert"]
        self._ids = np.empty(self.engine.max_legal, np.int32)

    def candidates(self, game: int) -> NDArray[np.int64]:
        """Return the actions that a search would try, the one of `expert` first."""
        count = self.kernels.list_candidates(records(self.engine.games), game, self._ids)
        return self._ids[:count].astype(np.int64)

    def slip(self, game: int) -> int:
        """Return one of the candidates, or any legal action, each as likely."""
        legal = self.engine.legal[game, : self.engine.legal_count[game]]
        return int(self.random.choice([*self.candidates(game), self.random.choice(legal)]))

    def choose(self) -> NDArray[np.int64]:
        """Return what `expert` does, (N,); 0 where the match is over."""
        actions = self.engine.choose(np.full(TABLES, self.code, np.int8))
        return np.where(self.engine.over, 0, actions)

    def branching(self) -> NDArray[np.intp]:
        """Return the tables at which there is a choice."""
        return np.flatnonzero(~self.engine.over & (self.engine.legal_count > 1))


def outcomes(tables: ExpertTables, count: int) -> Iterator[tuple[Inputs, NDArray[np.float32]]]:
    """Yield states and how their rounds ended for the team to act, in hundreds of points."""
    engine, random = tables.engine, tables.random
    calm = random.integers(0, CALM, TABLES)
    age = np.zeros(TABLES, np.int64)
    waiting: list[list[tuple[int, int]]] = [[] for _ in range(TABLES)]
    parts: list[Inputs] = []
    found: list[tuple[int, float]] = []
    size = 0
    while True:
        for table in np.flatnonzero(engine.over):
            found += [(row, engine.rewards[table, seat]) for row, seat in waiting[table]]
            waiting[table], calm[table], age[table] = [], random.integers(0, CALM), -1
        if len(found) >= count:
            whole, rows = join(parts), np.array([row for row, _ in found])
            yield whole_rows(whole, rows), np.array([one for _, one in found], np.float32)
            parts, found, size = [], [], 0
            waiting = [[] for _ in range(TABLES)]
        actions, playing = tables.choose(), ~engine.over
        seen = playing & (age >= calm) & ((age == calm) | (random.random(TABLES) < SEEN))
        games = np.flatnonzero(seen)
        if games.size:
            parts.append(tables.encoder.encode(engine, games, secrets=True))
            for place, game in enumerate(games):
                waiting[game].append((size + place, int(engine.seats[game])))
            size += games.size
        slips = tables.branching()
        for game in slips[(random.random(slips.size) < SLIP) & (age[slips] < calm[slips])]:
            actions[game] = tables.slip(int(game))
        engine.step(actions)
        age += 1


def whole_rows(inputs: Inputs, rows: NDArray[np.int64]) -> Inputs:
    """Return some decisions' features; the actions are left out."""
    same = np.arange(inputs.found.max() + 1, dtype=np.int32)
    found, begins = lists_of(inputs, rows, same, True)
    splits = begins[:-1] + (inputs.splits - inputs.begins[:-1])[rows]
    none = np.zeros(len(rows) + 1, np.int64)
    empty = (inputs.actions[:0], inputs.tokens[:0], inputs.traits[:0])
    return Inputs(found, begins, splits, *empty, none, inputs.hidden[rows])


@dataclass
class Trials:
    """Decisions in which some actions were tried."""

    inputs: Inputs
    tried: NDArray[np.int64]  # places of the actions tried, over all actions
    first: NDArray[np.int64]  # for each, the place in `tried` of what `expert` does
    gains: NDArray[np.float32]  # points above that


def trials(tables: ExpertTables, critic: Critic, count: int, horizon: int) -> Iterator[Trials]:
    """Yield decisions with the worth of their actions, so many at a time.

    Args:
        tables: where they are met.
        critic: says how games stand.
        count: decisions at a time.
        horizon: decisions that `expert` makes after each action tried.
    """
    engine, random = tables.engine, tables.random
    judge = Judge(tables, critic, horizon)
    parts: list[tuple[Inputs, Any, Any, Any]] = []
    size = 0
    while True:
        actions = tables.choose()
        games = tables.branching()
        games = games[random.random(games.size) < TRIED]
        if games.size:
            inputs = tables.encoder.encode(engine, games, secrets=True)
            tried, first, values = judge.judge(games, inputs)
            parts.append((inputs, tried, first, values))
            size += games.size
            for place, game in enumerate(games):
                if random.random() < TRIED:
                    own = tried[
                        (tried >= inputs.starts[place]) & (tried < inputs.starts[place + 1])
                    ]
                    actions[game] = inputs.actions[random.choice(own)]
        engine.step(actions)
        if size >= count:
            yield _joined(parts)
            parts, size = [], 0


def _joined(parts: list[tuple[Inputs, Any, Any, Any]]) -> Trials:
    acts = np.cumsum([0] + [len(part[0].actions) for part in parts])
    tries = np.cumsum([0] + [len(part[1]) for part in parts])
    return Trials(
        join([part[0] for part in parts]),
        np.concatenate([part[1] + start for part, start in zip(parts, acts)]),
        np.concatenate([part[2] + start for part, start in zip(parts, tries)]),
        np.concatenate([part[3] for part in parts]),
    )


class Judge:
    """Tries actions in copies of games."""

    def __init__(self, tables: ExpertTables, critic: Critic, horizon: int) -> None:
        self.tables, self.critic, self.horizon = tables, critic, horizon
        most = TABLES * (tables.engine.max_legal + OTHERS)
        self.room = np.zeros(min(most, ROOM), tables.engine.games.dtype)

    def judge(self, games: NDArray[np.intp], inputs: Inputs) -> tuple[Any, Any, Any]:
        """Return places of the actions tried, the place of the first of each, and gains."""
        tables, states = self.tables, records(self.tables.engine.games)
        room = records(self.room)
        tried: list[int] = []
        sizes: list[int] = []
        for place, game in enumerate(games):
            start, stop = inputs.starts[place], inputs.starts[place + 1]
            legal = inputs.actions[start:stop]
            own = tables.candidates(int(game))
            others = tables.random.permutation(np.setdiff1d(legal, own))[:OTHERS]
            own = np.concatenate([own, others]).astype(np.int64)
            tables.kernels.branch(states, int(game), own, self.horizon, room, len(tried))
            sizes.append(len(own))
            tried += (start + np.searchsorted(legal, own)).tolist()
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        values = self._values(np.repeat(tables.engine.seats[games], sizes))
        return np.array(tried), first, (values - values[first]).astype(np.float32)

    def _values(self, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how the copies stand for the teams of the seats that acted, in points."""
        room = self.room[: len(seats)]
        values = HUNDRED * room["reward"][np.arange(len(seats)), seats].astype(float)
        going = np.flatnonzero(~room["over"])
        if going.size:
            with torch.no_grad():
                own = HUNDRED * self.critic(*self.tables.encoder.survey(room, going)).numpy()
            values[going] = np.where((room["seat"][going] - seats[going]) % 2 == 0, own, -own)
        return values


def critic_values(critic: Critic, inputs: Inputs, batch: int = 4096) -> NDArray[np.float32]:
    """Return values (n,), in hundreds of points."""
    same = np.arange(critic.first.weight.shape[0], dtype=np.int32)
    with torch.no_grad():
        parts = [
            critic(*lists_of(inputs, np.arange(start, min(start + batch, inputs.size)), same, True))
            for start in range(0, inputs.size, batch)
        ]
    return torch.cat(parts).numpy()


def fit_critic(
    critic: Critic, optimiser: Any, inputs: Inputs, ends: Any, maps: Any, random: Any, batch: int
) -> float:
    """Let the critic learn from states once; returns the mean squared error."""
    order, total = random.permutation(inputs.size), 0.0
    starts = range(0, inputs.size - batch + 1, batch)
    for start in starts:
        rows = order[start : start + batch]
        renamed = maps[0][random.integers(len(maps[0]))]
        value = critic(*lists_of(inputs, rows, renamed, True))
        loss = nn.functional.mse_loss(value, torch.from_numpy(ends[rows]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total += loss.item()
    return total / len(starts)


def fit_policy(
    policy: Policy, optimiser: Any, found: Trials, maps: Any, random: Any, batch: int
) -> float:
    """Let the policy learn gains once; returns the mean squared error in points."""
    inputs, total = found.inputs, 0.0
    order = random.permutation(inputs.size)
    decision = np.searchsorted(inputs.starts, found.tried, side="right") - 1
    bounds = np.searchsorted(decision, np.arange(inputs.size + 1))
    starts = range(0, inputs.size - batch + 1, batch)
    for start in starts:
        rows = order[start : start + batch]
        which = random.integers(len(maps[0]))
        picks = np.concatenate([np.arange(bounds[row], bounds[row + 1]) for row in rows])
        sizes = bounds[rows + 1] - bounds[rows]
        begins = np.cumsum(sizes) - sizes
        places = found.tried[picks]
        seen = policy.look(*lists_of(inputs, rows, maps[0][which], False))
        values = policy.score(
            seen,
            torch.from_numpy(maps[1][which][inputs.tokens[places]]),
            torch.from_numpy(inputs.traits[places]),
            torch.from_numpy(np.repeat(np.arange(batch), sizes)),
        )
        base = values[torch.from_numpy(np.repeat(begins, sizes))]
        error = (SCALE * (values - base) - torch.from_numpy(found.gains[picks])) / LOSS_UNIT
        others = torch.from_numpy(found.first[picks] != picks)
        loss = (error[others] ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total += loss.item()
    return total / len(starts)


def sharpen(policy: Policy, points: float) -> None:
    """Scale the logits so that an action of so many points more is e times as likely."""
    with torch.no_grad():
        for parameter in (*policy.query.parameters(), *policy.common.parameters()):
            parameter.mul_(SCALE / points)
