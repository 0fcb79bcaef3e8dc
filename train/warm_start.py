"""Before self-play: learn from `expert`, by imitation that also learns what mistakes cost.

1. The critic learns how rounds between experts end, from states into which slips have led.
2. The policy learns what each legal action is worth: it is taken in a copy of the game, `expert`
   plays on for some decisions, and the critic says how the round stands then (AggreVaTe, Ross and
   Bagnell 2014, with the horizon cut short as in Sun, Bagnell and Boots 2018). The critic sees all
   cards and the policy does not, so the policy learns averages over what it cannot know.

Data come in chunks that depend on the seed and the chunk's number alone, so that they can be made
in other processes and a run can go on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.encoding import Encoder, Inputs, Renamings, join, lists_of
from agents.network import Critic, Policy, Shape
from agents.sparse import Lists
from train.rehearsal import Plan, Rehearsal
from xabitha_env._jit import records
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players.worlds import search_kernels

TABLES = 256
SEEDS = 2**28
"""Tables' seeds are below this, far from the deals of measurements."""
SLIP = 0.15
"""How often a table strays from `expert` before it is left to it."""
CALM = {"xabitha": 90, "xeri": 44}
"""Before which decision of a round the last slip happens."""
SEEN = 0.1
"""Share of the decisions after it that the critic learns from."""
TRIED = 0.2
"""Share of decisions that the policy learns from, and how often a table strays there."""
OTHERS = 4
"""Legal actions that are tried beside those that a search would try."""
SCALE = 0.1
"""Reward that a logit of 1 stands for while values are learnt."""
UNIT = 0.5
"""Reward that an error of 1 stands for."""


class Task(NamedTuple):
    """What chunks are made for."""

    game: str
    rules: dict[str, Any]
    seed: int
    size: int  # decisions
    plan: Plan  # how actions are tried
    blind: bool = False  # as `Encoder` has it


class States(NamedTuple):
    """n states, and what became of them."""

    found: NDArray[np.int16]  # active features, state after state
    begins: NDArray[np.int64]  # (n + 1,)
    returns: NDArray[np.float32]  # (n,) reward of the seat to act at the end of the round


class Trials(NamedTuple):
    """Decisions in which some actions were tried."""

    inputs: Inputs
    tried: NDArray[np.int64]  # places of the actions tried, over all actions
    first: NDArray[np.int64]  # for each, the place in `tried` of what `expert` does
    gains: NDArray[np.float32]  # reward above that


class ExpertTables:
    """Tables of experts that go on for ever, and at which anyone may be made to slip."""

    def __init__(self, task: Task, stage: int, number: int) -> None:
        self.encoder = Encoder(task.game, task.blind)
        rules = make_rules(task.game, task.rules)
        self.engine = make_engine(task.game, TABLES, rules=rules, auto_restart=True)
        seed = np.random.SeedSequence([task.seed, stage, number])
        self.engine.reset([int(word) % SEEDS for word in seed.generate_state(TABLES)])
        self.random = np.random.default_rng(seed)
        self.kernels = search_kernels(task.game)
        self.codes = np.full(TABLES, self.engine.player_codes["expert"], np.int8)
        self._ids = np.empty(self.engine.max_legal, np.int32)

    def candidates(self, game: int) -> NDArray[np.int64]:
        """Return the actions that a search would try, the one of `expert` first."""
        count = self.kernels.list_candidates(records(self.engine.games), game, self._ids)
        return self._ids[:count].astype(np.int64)

    def slip(self, game: int) -> int:
        """Return a candidate, or any legal action."""
        legal = self.engine.legal[game, : self.engine.legal_count[game]]
        return int(self.random.choice([*self.candidates(game), self.random.choice(legal)]))

    def choose(self) -> NDArray[np.int64]:
        """Return what `expert` does, (N,); 0 where the match is over."""
        return np.where(self.engine.over, 0, self.engine.choose(self.codes))

    def choices(self) -> NDArray[np.intp]:
        """Return the tables at which there is a choice."""
        return np.flatnonzero(~self.engine.over & (self.engine.legal_count > 1))


def watch(task: Task, number: int) -> States:
    """Return a chunk of states of rounds between experts."""
    tables = ExpertTables(task, 1, number)
    engine, random, last = tables.engine, tables.random, CALM[task.game]
    calm, age = random.integers(0, last, TABLES), np.zeros(TABLES, np.int64)
    waiting: list[list[tuple[int, int]]] = [[] for _ in range(TABLES)]
    parts: list[Lists] = []
    ended: list[tuple[int, float]] = []
    size = 0
    while len(ended) < task.size:
        actions, playing = tables.choose(), ~engine.over
        seen = playing & (age >= calm) & ((age == calm) | (random.random(TABLES) < SEEN))
        games = np.flatnonzero(seen)
        if games.size:
            parts.append(tables.encoder.survey(engine.games, games, task.plan.privileged))
            for place, game in enumerate(games):
                waiting[game].append((size + place, int(engine.seats[game])))
            size += games.size
        slips = tables.choices()
        for game in slips[(random.random(slips.size) < SLIP) & (age[slips] < calm[slips])]:
            actions[game] = tables.slip(int(game))
        engine.step(actions)
        age += 1
        for table in np.flatnonzero(engine.over & playing):
            ended += [(row, engine.rewards[table, seat]) for row, seat in waiting[table]]
            waiting[table], calm[table], age[table] = [], random.integers(0, last), -1
    rows = np.array([row for row, _ in ended])
    found = np.concatenate([part.found for part in parts])
    sizes = np.concatenate([np.diff(part.begins) for part in parts])
    begins = np.concatenate([[0], np.cumsum(sizes)])
    picked = np.concatenate([found[begins[row] : begins[row + 1]] for row in rows])
    ends = np.concatenate([[0], np.cumsum(sizes[rows])])
    return States(picked, ends, np.array([one for _, one in ended], np.float32))


def try_out(task: Task, number: int, shape: Shape, weights: dict[str, torch.Tensor]) -> Trials:
    """Return a chunk of decisions with what their actions are worth.

    Args:
        task: what for.
        number: of the chunk.
        shape, weights: of the critic.
    """
    tables = ExpertTables(task, 2, number)
    encoder, random = tables.encoder, tables.random
    critic = Critic(encoder.size if task.plan.privileged else encoder.seen, shape)
    critic.load_state_dict(weights)
    rehearsal = Rehearsal(encoder, task.plan)
    parts: list[Trials] = []
    while sum(part.inputs.size for part in parts) < task.size:
        actions, games = tables.choose(), tables.choices()
        games = games[random.random(games.size) < TRIED]
        if games.size:
            part = judge(tables, rehearsal, critic, games)
            parts.append(part)
            for game in games[random.random(games.size) < TRIED]:
                actions[game] = tables.slip(int(game))
        tables.engine.step(actions)
    acts = np.cumsum([0] + [len(part.inputs.actions) for part in parts])
    tries = np.cumsum([0] + [len(part.tried) for part in parts])
    return Trials(
        join([part.inputs for part in parts]),
        np.concatenate([part.tried + start for part, start in zip(parts, acts)]),
        np.concatenate([part.first + start for part, start in zip(parts, tries)]),
        np.concatenate([part.gains for part in parts]),
    )


def judge(
    tables: ExpertTables, rehearsal: Rehearsal, critic: Critic, games: NDArray[np.intp]
) -> Trials:
    """Try actions of the seats to act at some tables."""
    inputs = tables.encoder.encode(tables.engine, games)
    actions: list[NDArray[np.int64]] = []
    places: list[NDArray[np.int64]] = []
    for start, stop, game in zip(inputs.starts[:-1], inputs.starts[1:], games):
        legal = inputs.actions[start:stop]
        own = tables.candidates(int(game))
        others = tables.random.permutation(np.setdiff1d(legal, own))[:OTHERS]
        actions.append(np.concatenate([own, others]).astype(np.int64))
        places.append(start + np.searchsorted(legal, actions[-1]))
    sizes = [len(own) for own in actions]
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    every = np.concatenate(actions)
    values = rehearsal.values(tables.engine, games, every, bounds, critic, tables.random)
    first = np.repeat(bounds[:-1], sizes)
    return Trials(inputs, np.concatenate(places), first, values - values[first])


def minibatches(
    count: int, batch: int, maps: Renamings, random: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield rows in a random order, and which renaming of suits they get."""
    order = random.permutation(count)
    for start in range(0, count, batch):
        yield order[start : start + batch], int(random.integers(len(maps.features)))


def fit_critic(
    critic: Critic, optimiser: Any, states: States, batch: int, maps: Renamings, random: Any
) -> float:
    """Let the critic learn from states once; returns the share of the variance that it explained.

    That share is of the states before the critic had seen them.
    """
    errors, begins = 0.0, states.begins
    for rows, which in minibatches(len(states.returns), batch, maps, random):
        lists = pick(states.found, begins, rows, maps.features[which])
        misses = critic(lists) - torch.from_numpy(states.returns[rows])
        descend(optimiser, (misses**2).mean())
        errors += float((misses.detach() ** 2).sum())
    return 1 - errors / len(states.returns) / float(states.returns.var())


def pick(
    found: NDArray[np.int16], begins: NDArray[np.int64], rows: Any, renamed: NDArray[np.int32]
) -> Lists:
    """Return the features of some rows of a plain list, renamed."""
    none = np.empty(0, np.int64)
    plain = Inputs(found, begins, begins[1:], *(none,) * 5)  # type: ignore[arg-type]
    return lists_of(plain, rows, renamed, True)


def descend(optimiser: Any, loss: torch.Tensor) -> None:
    """Take a step down the gradient."""
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def fit_policy(
    policy: Policy, optimiser: Any, found: Trials, batch: int, maps: Renamings, random: Any
) -> float:
    """Let the policy learn what actions are worth once; returns the mean squared error."""
    inputs, total = found.inputs, 0.0
    decision = np.searchsorted(inputs.starts, found.tried, side="right") - 1
    bounds = np.searchsorted(decision, np.arange(inputs.size + 1))
    for rows, which in minibatches(inputs.size, batch, maps, random):
        sizes = bounds[rows + 1] - bounds[rows]
        begins = np.cumsum(sizes) - sizes
        group = np.repeat(np.arange(len(rows)), sizes)
        picks = np.arange(len(group)) - begins[group] + bounds[rows][group]
        places = found.tried[picks]
        values = policy.score(
            policy.look(lists_of(inputs, rows, maps.features[which], False)),
            torch.from_numpy(maps.tokens[which][inputs.tokens[places]]),
            torch.from_numpy(inputs.traits[places]),
            torch.from_numpy(group),
        )
        gains = SCALE * (values - values[torch.from_numpy(begins[group])])
        errors = (gains - torch.from_numpy(found.gains[picks])) / UNIT
        loss = (errors[torch.from_numpy(found.first[picks] != picks)] ** 2).mean()
        descend(optimiser, loss)
        total += float(loss.detach()) * len(rows)
    return total / inputs.size


def sharpen(policy: Policy, softness: float) -> None:
    """Scale the logits so that an action of so much more reward is e times as likely."""
    with torch.no_grad():
        for parameter in (*policy.query.parameters(), *policy.common.parameters()):
            parameter.mul_(SCALE / softness)
