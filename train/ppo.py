"""Self-play PPO over the batched engine, for both games: whole-round policies from nothing.

1. The critic and the policy learn from `expert` (see `train.warm_start`).
2. PPO (Schulman and others 2017). Many tables are played by the policy that learns, alone or with
   one team of earlier versions of it or of scripted players. What happens at a table is one
   timeline: rewards count for team 0 as they fall, and an advantage has the sign of its team. The
   critic sees all cards, the policy what its seat sees. The suits of every minibatch are renamed.
3. Of all policies on the way the one that does best on the development deals is kept, and measured
   on the test deals.

A run is the same for the same seed, with any number of workers, and goes on where it was stopped.

    python -m train.ppo --out runs/xabitha               # an hour or two on two cores
    python -m train.ppo --game xeri --out runs/xeri
    python -m train.ppo --dry-run                        # how long it would take here
    python -m train.ppo --no-privileged --no-augment     # without two of the choices
    python -m train.ppo --start runs/xabitha/policy.pt --out runs/more
    python -m train.ppo --smoke                          # every stage, in seconds, to no effect
"""

from __future__ import annotations

import copy
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from agents.checkpoint import load_policy, save_policy, to_bytes
from agents.encoding import Chains, Encoder, Inputs, Renamings, join
from agents.network import Critic, Policy, Shape, log_softmax
from agents.policy import PolicyAgent, draw, log_odds
from train import options
from train.card import card
from train.curves import Curve
from train.options import flag, option
from train.rehearsal import Plan, Rehearsal
from train.running import one_thread
from train.warm_start import (
    SCALE,
    SEEDS,
    Task,
    fit_critic,
    fit_policy,
    sharpen,
    try_out,
    watch,
)
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.evaluation.comparison import Comparison, compare
from xabitha_env.evaluation.deals import FEWEST_DEALS, seeds_of
from xabitha_env.evaluation.play import one_round
from xabitha_env.files import write_bytes, write_text
from xabitha_env.games import GAMES, make_engine, make_rules
from xabitha_env.players import compiled_names, load_player
from xabitha_env.protocol import EXTERNAL

LEARNER, PAST_SELF = 0, 1
"""Who decides for a seat from outside the engine."""
SELF, PAST = "self", "past"
"""Opponents: the policy itself, and an earlier version of it."""
ADAM = 1e-5
TINY = 1e-8
STEEPEST = 0.5
MOST_TRIED = 8
"""Of a decision, at most so many actions are tried in copies."""
PART = 10
"""A dry run does so small a part of a chunk."""
LEAST_RATE = 0.05
"""What is left of the learning rates at the end."""
STATE, POLICY, RESULTS, CARD = "state.pt", "policy.pt", "results.json", "card.md"


@dataclass
class Args:
    """What to do."""

    game: str = option("xabitha", f"which game: {', '.join(GAMES)}")
    out: str = option("runs/ppo", "folder of the run; one that was begun there goes on")
    seed: int = option(0, "of every random choice", 0)
    workers: int = option(2, "processes that play; 0 to play in this one", 0)
    minutes: float = option(0.0, "stop after so many, to go on another time; 0: do not stop", 0)
    start: str = option("", "a policy file to start from, instead of from the expert's choices")
    critic_chunks: int = option(12, "chunks of states from which the critic learns before", 0)
    value_chunks: int = option(40, "chunks of decisions from which the policy learns before", 0)
    chunk: int = option(20_000, "decisions in a chunk; states are twice as many", 1)
    orders: int = option(4, "orders of the cards to be drawn in which an action is tried", 1)
    ahead: int = option(25, "decisions of the expert after an action that is tried", 0)
    ahead_last: int = option(10, "the same at the end of self-play, when the critic is better", 0)
    passes: int = option(4, "passes over a chunk of decisions", 1)
    warm_rate: float = option(1e-3, "learning rate before self-play, falling to zero")
    warm_batch: int = option(512, "decisions in a minibatch before self-play", 1)
    hint: float = option(0.3, "first weight of what the expert would do, in tenths of a reward", 0)
    softness: float = option(0.02, "reward by which an action is e times as likely at first")
    updates: int = option(700, "rounds of play and learning", 0)
    tables: int = option(512, "tables side by side in a shard", 1)
    shards: int = option(2, "groups of tables, which may be played in processes of their own", 1)
    sweeps: int = option(32, "decisions at each table between updates", 1)
    opponents: str = option("self=3,past=3,expert=4", "who sits opposite, in which proportions")
    pool: int = option(10, "earlier versions that are kept as opponents", 1)
    pool_every: int = option(10, "updates between two of them", 1)
    epochs: int = option(2, "passes over the decisions of an update", 1)
    critic_epochs: int = option(2, "the same for the critic", 1)
    batch: int = option(4096, "decisions in a minibatch", 1)
    rate: float = option(3e-4, "learning rate of the policy, falling to a twentieth")
    critic_rate: float = option(5e-4, "learning rate of the critic, falling to a twentieth")
    clip: float = option(0.2, "how far an update may move probabilities")
    tried: float = option(0.005, "least odds of actions that are tried in copies; 0: none are", 0)
    tried_weight: float = option(1.0, "weight of what they show, beside the advantages of play", 0)
    trace_weight: float = option(0.1, "weight of the advantages of play", 0)
    trace: float = option(0.95, "lambda of generalised advantage estimation", 0)
    entropy: float = option(0.002, "bonus for entropy, but not of declarations", 0)
    anchor: float = option(
        0.0, "weight of the divergence from the policy before, falling to zero", 0
    )
    hands: float = option(0.05, "weight of the guess at the hidden hands", 0)
    blind: bool = option(False, "hide from each seat which cards its partner has played")
    privileged: bool = option(True, "the critic sees what is hidden")
    augment: bool = option(True, "rename suits at random in every minibatch")
    width: int = option(256, "units of the first hidden layer", 1)
    depth: int = option(128, "units of the second hidden layer", 1)
    short: bool = option(False, "multiply in bfloat16, faster where the processor has it")
    against: str = option("expert", "whom the policy is chosen by")
    keep: str = option("best", "the policy that is best on development deals, or the last")
    yardsticks: str = option("greedy,expert", "whom it is measured against at the end")
    evaluate_every: int = option(50, "updates between measurements on development deals", 1)
    dev_deals: int = option(2000, "mirrored deals of each of them", FEWEST_DEALS)
    test_deals: int = option(4000, "mirrored deals of the last measurement", FEWEST_DEALS)
    save_every: int = option(10, "updates, or chunks, between two states saved", 1)
    tensorboard: bool = option(False, "write the curve for TensorBoard, too")
    dry_run: bool = option(False, "say how long it would take, and do nothing")
    quiet: bool = option(False, "print nothing but errors")


SMOKE: dict[str, Any] = {
    "workers": 0,
    "critic_chunks": 1,
    "value_chunks": 1,
    "chunk": 300,
    "ahead": 2,
    "ahead_last": 1,
    "passes": 1,
    "warm_batch": 128,
    "updates": 2,
    "tables": 8,
    "sweeps": 8,
    "pool_every": 1,
    "epochs": 1,
    "batch": 64,
    "width": 16,
    "depth": 8,
    "evaluate_every": 1,
    "dev_deals": 4,
    "test_deals": 8,
    "save_every": 1,
}
"""Options of ``--smoke``."""

BY_GAME: dict[str, dict[str, Any]] = {
    "xeri": {
        "ahead": 12,
        "ahead_last": 12,
        "depth": 64,
        "yardsticks": "greedy,counting,expert",
    }
}
"""Options whose defaults differ by the game."""
MAY_CHANGE = ("out", "workers", "minutes", "tensorboard", "quiet", "test_deals", "yardsticks")
"""Options that may differ when a run goes on."""


def check(args: Args) -> None:
    """Check the arguments.

    Raises:
        ValueError: one is none of what it may be; the message says which and why.
    """
    if args.game not in GAMES:
        raise ValueError(f"--game must be {' or '.join(GAMES)}, not {args.game!r}")
    options.check_numbers(args)
    for name in ("warm_rate", "rate", "critic_rate", "clip", "softness"):
        if not 0 < getattr(args, name) < math.inf:
            raise ValueError(f"{flag(name)} must be above 0, not {getattr(args, name)}")
    if args.keep not in ("best", "last"):
        raise ValueError(f"--keep must be best or last, not {args.keep!r}")
    if args.trace > 1:
        raise ValueError(f"--trace must be 0 to 1, not {args.trace}")
    if args.start:
        check_start(args)
    parse_mix(args.opponents, args.game)
    for name in (args.against, *names_of(args.yardsticks)):
        load_player(name, args.game)


def check_start(args: Args) -> None:
    """Check the policy to start from.

    Raises:
        ValueError: it is none, or one of another game or size.
        OSError: it cannot be read.
    """
    policy, encoder, _ = load_policy(args.start)
    if encoder.game != args.game:
        raise ValueError(f"--start {args.start} plays {encoder.game}, not {args.game}")
    if policy.shape != Shape(args.width, args.depth):
        raise ValueError(
            f"--start {args.start} needs --width {policy.shape.width} --depth {policy.shape.depth}"
        )


def plan_of(args: Args) -> Plan:
    """Return how actions are tried in copies of a game."""
    return Plan(args.orders, args.ahead, args.privileged)


def names_of(text: str) -> list[str]:
    """Return the names of a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def parse_mix(text: str, game: str) -> dict[str, float]:
    """Return the opponents' shares by name.

    Raises:
        ValueError: no such opponent, or no share above 0.
    """
    known = (SELF, PAST, *compiled_names(game))
    mix: dict[str, float] = {}
    for part in names_of(text):
        name, _, share = part.partition("=")
        if name not in known:
            raise ValueError(f"--opponents: no {name!r}; there are {', '.join(known)}")
        try:
            mix[name] = float(share or 1)
        except ValueError:
            raise ValueError(f"--opponents: {share!r} is no number (write {name}=3)") from None
        if not 0 < mix[name] < math.inf:
            raise ValueError(f"--opponents: the share of {name} must be above 0, not {share}")
    if not mix:
        raise ValueError("--opponents names nobody")
    return mix


# Play.


class Rollout(NamedTuple):
    """n decisions in the order in which they were made, and where the tables stand at the end."""

    inputs: Inputs
    chosen: NDArray[np.int64]  # (n,) place of the action over all actions
    odds: NDArray[np.float32]  # (n,) logarithm of its probability
    table: NDArray[np.int64]  # (n,)
    time: NDArray[np.int64]  # (n,) sweep
    seat: NDArray[np.int64]  # (n,)
    learns: NDArray[np.bool_]  # (n,) whether the learner decided
    worth: NDArray[np.float32]  # (m,) advantages of actions that were tried in copies, else 0
    share: NDArray[np.float32]  # (m,) their probabilities, 0 for actions not tried
    reward: NDArray[np.float32]  # (n,) of team 0 until the table's next decision
    ends: NDArray[np.bool_]  # (n,) whether the round ended before it
    last: Inputs  # tables that go on
    last_table: NDArray[np.int64]
    last_seat: NDArray[np.int64]
    leads: list[list[float]]  # rewards of the learner's team by opponent, of the rounds that ended


class Played(NamedTuple):
    """n decisions, m actions, as the learner needs them."""

    inputs: Inputs
    chosen: NDArray[np.int64]  # (n,) places over all actions
    odds: NDArray[np.float32]  # (n,) logarithms
    chain: NDArray[np.int64]  # (n,) the same for the decisions of one seat at one table
    learns: NDArray[np.bool_]  # (n,)
    worth: NDArray[np.float32]  # (m,) as in `Rollout`
    share: NDArray[np.float32]  # (m,)
    values: NDArray[np.float32]  # (n,) by the critic, for the seat that decided
    gain: NDArray[np.float32]  # (n,) advantages
    returns: NDArray[np.float32]  # (n,)
    leads: list[list[float]]  # as in `Rollout`


class Shard:
    """Some tables, always with the same random streams, in whatever process they are played.

    Args:
        args: what to do.
        number: of the shard.
    """

    def __init__(self, args: Args, number: int) -> None:
        self.args, self.encoder = args, Encoder(args.game, args.blind)
        self.mix = parse_mix(args.opponents, args.game)
        rules = make_rules(args.game, {"num_rounds": 1})
        self.engine = make_engine(args.game, args.tables, rules=rules, auto_restart=True)
        seed = np.random.SeedSequence([args.seed, 3, number])
        self.random = np.random.default_rng(seed)
        self.engine.reset([int(word) % SEEDS for word in seed.generate_state(args.tables)])
        self.codes = np.full((args.tables, NUM_SEATS), EXTERNAL, np.int8)
        self.owner = np.zeros((args.tables, NUM_SEATS), np.int8)
        self.opponent = np.zeros(args.tables, np.int8)  # place in the mix
        self.side = np.zeros(args.tables, np.int8)  # team of the learner
        self.rehearsal = Rehearsal(self.encoder, plan_of(args))
        self._seat(np.arange(args.tables))
        self.engine.advance(self.codes)

    def get_state(self) -> dict[str, Any]:
        """Return all that changes, as tensors and text."""
        arrays = {name: torch.from_numpy(getattr(self, name).copy()) for name in SEATING}
        games = torch.from_numpy(self.engine.get_state().view(np.uint8))
        return {**arrays, "games": games, "random": json.dumps(self.random.bit_generator.state)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        for name in SEATING:
            getattr(self, name)[:] = state[name].numpy()
        self.engine.games[:] = state["games"].numpy().view(self.engine.games.dtype)
        self.engine.refresh()  # `set_state` would check each game by every rule
        self.random.bit_generator.state = json.loads(state["random"])

    def _seat(self, tables: NDArray[np.int64]) -> None:
        """Draw who sits at some tables for their next round."""
        names, shares = list(self.mix), np.array(list(self.mix.values()))
        self.opponent[tables] = self.random.choice(len(names), tables.size, p=shares / shares.sum())
        self.side[tables] = self.random.integers(NUM_TEAMS, size=tables.size)
        self.codes[tables], self.owner[tables] = EXTERNAL, LEARNER
        for table in tables:
            name = names[self.opponent[table]]
            theirs = np.arange(NUM_SEATS) % NUM_TEAMS != self.side[table]
            if name == PAST:
                self.owner[table, theirs] = PAST_SELF
            elif name != SELF:
                self.codes[table, theirs] = self.engine.player_codes[name]

    def collect(self, learner: Policy, past: Policy, critic: Critic, ahead: int) -> Rollout:
        """Play on for some sweeps.

        Args:
            learner: the policy that learns.
            past: an earlier version.
            critic: says what actions that are tried in copies are worth.
            ahead: decisions of the expert after such an action.
        """
        self.rehearsal.plan = self.rehearsal.plan._replace(ahead=ahead)
        engine, shape = self.engine, (self.args.sweeps, self.args.tables)
        reward, ends = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
        latest = np.full(self.args.tables, -1)  # sweep of a table's last decision of its round
        parts: list[Inputs] = []
        kept: list[tuple[NDArray[Any], ...]] = []
        tries: list[tuple[NDArray[np.float32], ...]] = []
        leads: list[list[float]] = [[] for _ in self.mix]
        for sweep in range(self.args.sweeps):
            over = engine.over.copy()
            self._seat(np.flatnonzero(over))
            actions = np.where(over, 0, engine.legal[:, 0]).astype(np.int64)
            tables = np.flatnonzero(~over & (engine.legal_count > 1))
            seats = engine.seats[tables]
            inputs = self.encoder.encode(engine, tables, secrets=True)
            learns = self.owner[tables, seats] == LEARNER
            chosen, odds, every = self._decide(inputs, learns, learner, past)
            worth, share = self._try(tables, inputs, every, learns, critic)
            actions[tables] = inputs.actions[chosen]
            when = np.full(tables.size, sweep)
            parts.append(inputs)
            kept.append((chosen, odds, tables, when, seats, learns))
            tries.append((worth, share))
            latest[tables] = sweep
            engine.advance(self.codes, actions)
            known = np.flatnonzero(latest >= 0)
            reward[latest[known], known] += engine.rewards[known, 0]
            for table in np.flatnonzero(engine.over & ~over):
                ends[latest[table], table] = latest[table] >= 0
                lead = float(engine.rewards[table, self.side[table]])
                leads[self.opponent[table]].append(lead)
                latest[table] = -1
        starts = np.cumsum([0] + [len(part.actions) for part in parts])
        places = [one[0] + start for one, start in zip(kept, starts)]
        odds, table, time_, seat, learns = (
            np.concatenate([one[place] for one in kept]) for place in range(1, 6)
        )
        going = np.flatnonzero(~engine.over)
        return Rollout(
            join(parts),
            np.concatenate(places),
            odds,
            table,
            time_,
            seat,
            learns,
            *(np.concatenate([one[place] for one in tries]) for place in range(2)),
            reward[time_, table],
            ends[time_, table],
            self.encoder.encode(engine, going, secrets=True),
            going,
            engine.seats[going],
            leads,
        )

    def _decide(
        self, inputs: Inputs, learns: NDArray[np.bool_], learner: Policy, past: Policy
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Draw actions: their places, the logarithms of their odds, and those of all actions."""
        odds = np.empty(len(inputs.actions), np.float32)
        for policy, rows in ((learner, np.flatnonzero(learns)), (past, np.flatnonzero(~learns))):
            if rows.size:
                odds[inputs.actions_of(rows)[0]] = log_odds(policy, inputs, rows)
        chosen = np.empty(inputs.size, np.int64)
        draw(odds, inputs.starts, self.random.random(inputs.size), chosen)
        return chosen, odds[chosen], odds

    def _try(
        self,
        tables: NDArray[np.intp],
        inputs: Inputs,
        odds: NDArray[np.float32],
        learns: NDArray[np.bool_],
        critic: Critic,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Try the likelier actions of the learner in copies; returns advantages and odds, (m,)."""
        worth, share = np.zeros(len(odds), np.float32), np.zeros(len(odds), np.float32)
        if self.args.tried == 0:
            return worth, share
        rows = inputs.rows
        order = np.lexsort((-odds, rows))
        rank = np.empty(len(odds), np.int64)
        rank[order] = np.arange(len(odds)) - inputs.starts[rows]
        likely = (odds > np.log(self.args.tried)) & learns[rows] & (rank < MOST_TRIED)
        count = np.bincount(rows[likely], minlength=inputs.size)
        likely &= count[rows] > 1
        places = np.flatnonzero(likely)
        if places.size == 0:
            return worth, share
        group = rows[places]
        tried, sizes = np.unique(group, return_counts=True)
        values = self.rehearsal.values(
            self.engine,
            tables[tried],
            inputs.actions[places].astype(np.int64),
            np.concatenate([[0], np.cumsum(sizes)]),
            critic,
            self.random,
        )
        shares = np.exp(odds[places])
        total = np.bincount(group, shares, inputs.size)
        mean = np.bincount(group, shares * values, inputs.size) / np.maximum(total, TINY)
        worth[places] = values - mean[group]
        share[places] = shares
        return worth, share


SEATING = ("codes", "owner", "opponent", "side")


@cache
def shard_of(args: str, number: int) -> tuple[Shard, Policy, Policy, Critic]:
    """Return a shard, two policies and a critic for it; they are made once in a process."""
    made = Args(**json.loads(args))
    torch.set_num_threads(1)
    shard = Shard(made, number)
    shape = Shape(made.width, made.depth)
    inputs = shard.encoder.size if made.privileged else shard.encoder.seen
    learner, past = (Policy(shard.encoder, shape, made.short) for _ in range(2))
    return shard, learner, past, Critic(inputs, shape, made.short)


def play(
    args: str, states: list[dict[str, Any] | None], weights: Any, ahead: int, number: int
) -> tuple[Played, dict[str, Any]]:
    """Play a shard on; returns what happened, and the state to go on from.

    Args:
        args: the arguments, as JSON.
        states: by shard, to go on from; None at first.
        weights: of the learner, of an earlier version, and of the critic.
        ahead: decisions of the expert after an action that is tried.
        number: of the shard.
    """
    shard, *networks = shard_of(args, number)
    if (state := states[number]) is not None:
        shard.set_state(state)
    for network, own in zip(networks, weights):
        network.load_state_dict(own)
    return assess(shard.args, shard.collect(*networks, ahead), networks[-1]), shard.get_state()


def assess(args: Args, rollout: Rollout, critic: Critic) -> Played:
    """Return a rollout with what the critic says of it."""
    chain = NUM_SEATS * rollout.table + rollout.seat
    values = value_of(args, critic, rollout.inputs, chain)
    last = value_of(args, critic, rollout.last, rollout.last_table)
    gain, returns = advantages(rollout, values, last, args.trace)
    kept = (rollout.inputs, rollout.chosen, rollout.odds, chain, rollout.learns)
    found = (rollout.worth, rollout.share, values, gain, returns)
    return Played(*kept, *found, rollout.leads)


def value_of(
    args: Args, critic: Critic, inputs: Inputs, chain: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the critic's values, (n,)."""
    values = np.empty(inputs.size, np.float32)
    if not inputs.size:
        return values
    chains = Chains(inputs, np.arange(inputs.size), chain, args.privileged)
    same = np.arange(critic.first.weight.shape[0], dtype=np.int32)
    with torch.no_grad():
        for start in range(0, inputs.size, args.batch):
            places = np.arange(start, min(start + args.batch, inputs.size))
            values[chains.rows[places]] = critic(chains.lists(places, same)).numpy()
    return values


# Learning.


def advantages(
    rollout: Rollout, values: NDArray[np.float32], last: NDArray[np.float32], trace: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return advantages and returns for the team of each decision's seat.

    Generalised advantage estimation (Schulman and others 2016) along each table's one timeline:
    all values are turned to team 0 for it.

    Args:
        rollout: the decisions.
        values: (n,) of the critic, for the seat that decided.
        last: values for the seats to act at the end.
        trace: lambda.
    """
    sign = np.where(rollout.seat % NUM_TEAMS == 0, 1, -1).astype(np.float32)
    tables = int(max(rollout.table.max(), rollout.last_table.max(initial=0))) + 1
    following, gain = np.zeros(tables, np.float32), np.zeros(tables, np.float32)
    following[rollout.last_table] = np.where(rollout.last_seat % NUM_TEAMS == 0, last, -last)
    own = sign * values
    found = np.empty_like(own)
    bounds = np.searchsorted(rollout.time, np.arange(rollout.time.max() + 2))
    for start, stop in zip(bounds[-2::-1], bounds[:0:-1]):
        here = slice(start, stop)
        table, going = rollout.table[here], ~rollout.ends[here]
        delta = rollout.reward[here] + going * following[table] - own[here]
        gain[table] = delta + trace * going * gain[table]
        following[table] = own[here]
        found[here] = gain[table]
    return sign * found, sign * (found + own)


class Lesson(NamedTuple):
    """Rollouts made ready to learn from: n decisions, m actions."""

    inputs: Inputs
    chosen: NDArray[np.int64]  # (n,) places over all actions
    odds: NDArray[np.float32]  # (n,) logarithms
    chain: NDArray[np.int64]  # (n,) the same for the decisions of one seat at one table
    learns: NDArray[np.int64]  # decisions that the policy learns from
    gain: NDArray[np.float32]  # (n,) advantages, their mean 0 and deviation 1 where it learns
    returns: NDArray[np.float32]  # (n,)
    worth: NDArray[np.float32]  # (m,) as in `Rollout`, over the spread of advantages
    share: NDArray[np.float32]  # (m,)
    anchored: NDArray[np.float32] | None  # (m,) the imitation policy's logarithms of odds


class Learner:
    """The networks, and how they learn from rollouts.

    Args:
        args: what to do.
        policy, critic: the networks, which change.
    """

    def __init__(self, args: Args, policy: Policy, critic: Critic) -> None:
        self.args, self.policy, self.critic = args, policy, critic
        self.anchor = copy.deepcopy(policy)  # as it is before self-play
        self.encoder = Encoder(args.game, args.blind)
        maps = self.encoder.renamings()
        self.maps = maps if args.augment else Renamings(*(one[:1] for one in maps))
        self.optimiser = torch.optim.Adam(policy.parameters(), args.rate, eps=ADAM)
        self.critic_optimiser = torch.optim.Adam(critic.parameters(), args.critic_rate, eps=ADAM)
        self.random = np.random.default_rng([args.seed, 2])

    def prepare(self, rollouts: Sequence[Played], anchor: float) -> tuple[Lesson, dict[str, float]]:
        """Return the lesson of some rollouts, and figures about it."""
        gain, returns, values = (
            np.concatenate([getattr(one, name) for one in rollouts])
            for name in ("gain", "returns", "values")
        )
        inputs = join([one.inputs for one in rollouts])
        starts = np.cumsum([0] + [len(one.inputs.actions) for one in rollouts])
        chosen = np.concatenate([one.chosen + start for one, start in zip(rollouts, starts)])
        odds = np.concatenate([one.odds for one in rollouts])
        learns = np.flatnonzero(np.concatenate([one.learns for one in rollouts]))
        chain = np.concatenate(
            [
                one.chain + NUM_SEATS * self.args.tables * number
                for number, one in enumerate(rollouts)
            ]
        )
        mean, spread = gain[learns].mean(), gain[learns].std()
        anchored = log_odds(self.anchor, inputs) if anchor > 0 else None
        error = ((returns - values) ** 2).mean()
        figures = {"explained": 1 - float(error / returns.var()), "spread": float(spread)}
        gain = (gain - mean) / (spread + TINY)
        worth, share = (
            np.concatenate([getattr(one, name) for one in rollouts]) for name in ("worth", "share")
        )
        figures["tried"] = float((share > 0).sum() / len(learns))
        figures["worth"] = float(worth[share > 0].std()) if (share > 0).any() else 0.0
        worth = worth / (spread + TINY)
        if self.args.tried > 0:  # elsewhere the policy is sure, and hardly moves
            learns = np.intersect1d(learns, inputs.rows[share > 0])
        lesson = Lesson(inputs, chosen, odds, chain, learns, gain, returns, worth, share, anchored)
        return lesson, figures

    def learn(
        self, rollouts: Sequence[Played], left: float, anchor: float, pool: Executor | None = None
    ) -> dict[str, float]:
        """Learn from rollouts; returns figures.

        Args:
            rollouts: what was played.
            left: what is left of the learning rates, 1 at first.
            anchor: weight of the divergence from the imitation policy.
            pool: a thread for the critic, if there is one.
        """
        lesson, figures = self.prepare(rollouts, anchor)
        for optimiser, rate in (
            (self.optimiser, self.args.rate),
            (self.critic_optimiser, self.args.critic_rate),
        ):
            for group in optimiser.param_groups:
                group["lr"] = rate * left
        own, other = self.random.spawn(2)
        if pool is None:
            figures |= self._critic_passes(lesson, other)
            return figures | self._policy_passes(lesson, own, anchor)
        job = pool.submit(self._critic_passes, lesson, other)
        figures |= self._policy_passes(lesson, own, anchor)
        return figures | job.result()

    def _critic_passes(self, lesson: Lesson, random: np.random.Generator) -> dict[str, float]:
        losses, every = [], np.arange(lesson.inputs.size)
        chains = Chains(lesson.inputs, every, lesson.chain, self.args.privileged)
        for places, which in self._minibatches(chains, self.args.critic_epochs, random):
            returns = torch.from_numpy(lesson.returns[chains.rows[places]])
            values = self.critic(chains.lists(places, self.maps.features[which]))
            loss = functional.mse_loss(values, returns)
            descend(self.critic, self.critic_optimiser, loss)
            losses.append(loss.item())
        return {"value_loss": float(np.mean(losses))}

    def _policy_passes(
        self, lesson: Lesson, random: np.random.Generator, anchor: float
    ) -> dict[str, float]:
        figures: dict[str, list[float]] = {}
        if not lesson.learns.size:
            return {}
        chains = Chains(lesson.inputs, lesson.learns, lesson.chain, False)
        for places, which in self._minibatches(chains, self.args.epochs, random):
            loss, found = self._policy_loss(lesson, chains, places, which, anchor)
            descend(self.policy, self.optimiser, loss)
            for name, figure in found.items():
                figures.setdefault(name, []).append(float(figure.detach()))
        return {name: float(np.mean(found)) for name, found in figures.items()}

    def _minibatches(
        self, chains: Chains, epochs: int, random: Any
    ) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Yield places of decisions in a new order every pass, and which renaming they get.

        Those of a chain stay together.
        """
        names, numbers = np.unique(chains.chain, return_inverse=True)
        for _ in range(epochs):
            order = np.argsort(random.permutation(len(names))[numbers], kind="stable")
            for start in range(0, len(order), self.args.batch):
                places = order[start : start + self.args.batch]
                yield places, int(random.integers(len(self.maps.features)))

    def _policy_loss(
        self,
        lesson: Lesson,
        chains: Chains,
        minibatch: NDArray[np.int64],
        which: int,
        anchor: float,
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the loss of a minibatch, and what it is made of."""
        args, inputs = self.args, lesson.inputs
        features, tokens, kinds = (one[which] for one in self.maps)
        rows = chains.rows[minibatch]
        places, group, begins = inputs.actions_of(rows)
        seen = self.policy.look(chains.lists(minibatch, features))
        named = torch.from_numpy(tokens[inputs.tokens[places]])
        traits, owner = torch.from_numpy(inputs.traits[places]), torch.from_numpy(group)
        logs = log_softmax(self.policy.score(seen, named, traits, owner), owner, rows.size)
        new = logs[torch.from_numpy(lesson.chosen[rows] - inputs.starts[rows] + begins)]
        change = new - torch.from_numpy(lesson.odds[rows])
        ratio, gain = change.exp(), torch.from_numpy(lesson.gain[rows])
        kept = ratio.clamp(1 - args.clip, 1 + args.clip)
        loss = -torch.min(ratio * gain, kept * gain).mean()
        found = {"policy_loss": loss, "change": (ratio - 1 - change).mean()}
        found["clipped"] = (ratio != kept).float().mean()
        shares = logs.exp()
        if args.tried > 0:
            before = torch.from_numpy(lesson.share[places])
            worth = torch.from_numpy(lesson.worth[places])
            moved = shares / before.clamp(min=TINY)
            within = moved.clamp(1 - args.clip, 1 + args.clip)
            found["tried_loss"] = (
                -(before * torch.min(moved * worth, within * worth)).sum() / rows.size
            )
            loss = args.trace_weight * loss + args.tried_weight * found["tried_loss"]
        free = torch.from_numpy(inputs.tokens[places] >= self.encoder.advice.DECLARATIONS)
        found["entropy"] = -(shares * logs * free).sum() / rows.size
        loss = loss - args.entropy * found["entropy"]
        if lesson.anchored is not None:
            apart = logs - torch.from_numpy(lesson.anchored[places])
            found["anchor"] = (shares * apart).sum() / rows.size
            loss = loss + anchor * found["anchor"]
        if args.hands > 0:
            origin = torch.from_numpy(np.argsort(kinds))
            held = (torch.from_numpy(inputs.hidden[rows])[:, :, None] >> origin) & 1
            guess = self.policy.hands(seen).view(held.shape)
            found["hands_loss"] = functional.binary_cross_entropy_with_logits(guess, held.float())
            loss = loss + args.hands * found["hands_loss"]
        return loss, found


def descend(network: nn.Module, optimiser: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    """Take a step down the gradient, which is cut where it is steep."""
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), STEEPEST)
    optimiser.step()


# The job.


class Crew:
    """Those who work: processes that play, and a thread for the critic.

    Args:
        workers: how many processes; with 0 everything happens in this one, one after another.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._stack = ExitStack()
        self.players: Executor | None = None
        self.thread: Executor | None = None

    def __enter__(self) -> Crew:
        if self.workers:
            processes = ProcessPoolExecutor(self.workers, get_context("spawn"))
            self.players = self._stack.enter_context(processes)
            self.thread = self._stack.enter_context(ThreadPoolExecutor(1))
        return self

    def __exit__(self, *error: object) -> None:
        if self.players is not None:
            self.players.shutdown(cancel_futures=True)
        self._stack.__exit__(None, None, None)

    def in_order(self, work: Callable[[int], Any], numbers: Sequence[int]) -> Iterator[Any]:
        """Yield what some work gives for each number; as many as can be are in the making."""
        if self.players is None:
            yield from map(work, numbers)
            return
        left = iter(numbers)
        jobs = [self.players.submit(work, number) for number in islice(left, self.workers + 1)]
        while jobs:
            yield jobs.pop(0).result()
            jobs += [self.players.submit(work, number) for number in islice(left, 1)]


def processor() -> str:
    """Return what the processor calls itself, where that is known."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


class Stopped(Exception):
    """The time that was given is over."""


class Run:
    """A run: its networks, and how far it has come.

    Args:
        args: what to do.
        crew: who works.
    """

    def __init__(self, args: Args, crew: Crew) -> None:
        self.args, self.crew = args, crew
        self.started = time.perf_counter()
        self.encoder = Encoder(args.game, args.blind)
        self.shape = Shape(args.width, args.depth)
        torch.manual_seed(args.seed)
        self.policy = Policy(self.encoder, self.shape, args.short)
        inputs = self.encoder.size if args.privileged else self.encoder.seen
        self.critic = Critic(inputs, self.shape, args.short)
        if args.start:
            self.policy.load_state_dict(load_policy(args.start).policy.state_dict())
        else:
            with torch.no_grad():
                self.policy.common.weight[0, self.encoder.hint] = args.hint
        self.learner = Learner(args, self.policy, self.critic)
        self.warm = {
            "critic": torch.optim.AdamW(self.critic.parameters(), args.warm_rate),
            "values": torch.optim.AdamW(self.policy.parameters(), args.warm_rate),
        }
        self.random = np.random.default_rng([args.seed, 4])
        self.done = {"critic": 0, "values": 0, "ppo": 0}  # chunks and updates
        self.decisions = 0
        self.seconds = 0.0  # of earlier sessions
        self.shards: list[dict[str, Any] | None] = [None] * args.shards
        self.pool: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {"margin": -math.inf, "update": 0, "weights": {}}
        self.curve = Curve(Path(args.out), args.tensorboard)
        rules = make_rules(args.game, {"num_rounds": 1})
        self.task = Task(
            args.game, rules.to_dict(), args.seed, args.chunk, plan_of(args), args.blind
        )

    # What is kept.

    def save(self) -> None:
        """Write the state, to go on from it another time."""
        state = {
            "args": asdict(self.args),
            "policy": self.policy.state_dict(),
            "critic": self.critic.state_dict(),
            "anchor": self.learner.anchor.state_dict(),
            "optimisers": [one.state_dict() for one in self._optimisers()],
            "random": [json.dumps(one.bit_generator.state) for one in self._randoms()],
            "done": self.done,
            "decisions": self.decisions,
            "seconds": self.spent,
            "shards": self.shards,
            "pool": self.pool,
            "best": self.best,
            "curve": self.curve.rows,
        }
        write_bytes(Path(self.args.out) / STATE, to_bytes(state))

    def load(self, path: Path) -> None:
        """Go on from a state.

        Raises:
            ValueError: it is of a run with other options, or no state.
        """
        try:
            state = torch.load(path, weights_only=True)
            before = state["args"]
        except OSError:
            raise
        except Exception as error:
            raise ValueError(f"{path} holds no state of a run: {error}") from error
        now = asdict(self.args)
        other = [name for name in now if name not in MAY_CHANGE and now[name] != before.get(name)]
        if other:
            name = other[0]
            raise ValueError(
                f"{path.parent} holds a run with {flag(name)} {before.get(name)}, not {now[name]}: "
                "give the same options to go on, or another --out to begin anew"
            )
        self.policy.load_state_dict(state["policy"])
        self.critic.load_state_dict(state["critic"])
        self.learner.anchor.load_state_dict(state["anchor"])
        for one, kept in zip(self._optimisers(), state["optimisers"], strict=True):
            one.load_state_dict(kept)
        for random, kept in zip(self._randoms(), state["random"], strict=True):
            random.bit_generator.state = json.loads(kept)
        self.done, self.decisions = state["done"], state["decisions"]
        self.seconds, self.shards = state["seconds"], state["shards"]
        self.pool, self.best = state["pool"], state["best"]
        self.curve.take(state["curve"])

    def _optimisers(self) -> list[torch.optim.Optimizer]:
        return [*self.warm.values(), self.learner.optimiser, self.learner.critic_optimiser]

    def _randoms(self) -> list[np.random.Generator]:
        return [self.random, self.learner.random]

    @property
    def spent(self) -> float:
        """Seconds of the run, with those of earlier sessions."""
        return self.seconds + time.perf_counter() - self.started

    # The stages.

    def warm_critic(self) -> None:
        """Let the critic learn how rounds between experts end."""
        args, total = self.args, self.args.critic_chunks
        task = self.task._replace(size=2 * args.chunk)
        chunks = range(self.done["critic"], total)
        for number, states in zip(chunks, self.crew.in_order(partial(watch, task), chunks)):
            self._set_rate("critic", 1 - number / total)
            explained = fit_critic(
                self.critic,
                self.warm["critic"],
                states,
                2 * args.warm_batch,
                self.learner.maps,
                self.random,
            )
            self._note("critic", {"explained": explained}, number + 1, total)

    def warm_policy(self) -> None:
        """Let the policy learn what actions are worth."""
        args, total = self.args, self.args.value_chunks
        if args.start:
            return
        chunks = range(self.done["values"], total)
        weights = {name: one.clone() for name, one in self.critic.state_dict().items()}
        work = partial(try_out, self.task, shape=self.shape, weights=weights)
        for number, trials in zip(chunks, self.crew.in_order(work, chunks)):
            self._set_rate("values", 1 - number / total)
            for _ in range(args.passes):
                error = fit_policy(
                    self.policy,
                    self.warm["values"],
                    trials,
                    args.warm_batch,
                    self.learner.maps,
                    self.random,
                )
            last = number + 1 == total
            if last:
                sharpen(self.policy, args.softness)
                self.learner.anchor.load_state_dict(self.policy.state_dict())
            self._note("values", {"error": error}, number + 1, total)

    def practise(self) -> None:
        """Let both learn from play."""
        args, total = self.args, self.args.updates
        if not self.pool:
            if args.value_chunks == 0 and not args.start:
                sharpen(self.policy, SCALE)
            self._keep_version()
            self.measure(0)
        for update in range(self.done["ppo"] + 1, total + 1):
            figures = self.update(update)
            if update % args.pool_every == 0:
                self._keep_version()
            if update % args.evaluate_every == 0 or update == total:
                figures |= self.measure(update)
            self._note("ppo", figures, update, total)

    def update(self, number: int) -> dict[str, float]:
        """Play, learn from it, and return figures."""
        args, text = self.args, json.dumps(asdict(self.args))
        left = 1 - (number - 1) / args.updates
        past = self.pool[int(self.random.integers(len(self.pool)))]
        weights = (self.policy.state_dict(), past, self.critic.state_dict())
        ahead = round(args.ahead_last + (args.ahead - args.ahead_last) * left)
        work = partial(play, text, self.shards, weights, ahead)
        played = list(self.crew.in_order(work, range(args.shards)))
        rollouts = [rollout for rollout, _ in played]
        self.shards = [state for _, state in played]
        self.decisions += sum(int(one.learns.sum()) for one in rollouts)
        figures = self.learner.learn(
            rollouts, max(left, LEAST_RATE), args.anchor * left, self.crew.thread
        )
        return figures | self._leads(rollouts)

    def _keep_version(self) -> None:
        version_ = {name: one.clone() for name, one in self.policy.state_dict().items()}
        self.pool = [*self.pool, version_][-self.args.pool :]

    def _leads(self, rollouts: list[Played]) -> dict[str, float]:
        names = parse_mix(self.args.opponents, self.args.game)
        found = {}
        for place, name in enumerate(names):
            leads = [lead for one in rollouts for lead in one.leads[place]]
            if leads and name != SELF:
                found[f"lead_{name}"] = float(np.mean(leads)) * self.encoder.points
        return found

    def measure(self, update: int) -> dict[str, float]:
        """Measure the policy on development deals, and keep it if it is the best so far."""
        found = self.compared(self.policy, self.args.against, "development", self.args.dev_deals)
        if found.margin > self.best["margin"]:
            weights = {name: one.clone() for name, one in self.policy.state_dict().items()}
            self.best = {"margin": found.margin, "update": update, "weights": weights}
        return {"margin": found.margin, "low": found.low, "high": found.high}

    def compared(self, policy: Policy, rival: str, source: str, deals: int) -> Comparison:
        """Return how a team of the policy does against a player's."""
        agent, game = PolicyAgent(policy, self.encoder), self.args.game
        rivals = (load_player(rival, game),) * 2
        return compare((agent, agent), rivals, seeds_of(source, deals), one_round(game))

    def _set_rate(self, stage: str, left: float) -> None:
        for group in self.warm[stage].param_groups:
            group["lr"] = self.args.warm_rate * left

    def _note(self, stage: str, figures: dict[str, float], number: int, total: int) -> None:
        """Note a step that is done; raises `Stopped` when the time is over."""
        self.done[stage] = number
        self.curve.note(stage, number, self.decisions, self.spent, figures)
        if not self.args.quiet:
            shown = ", ".join(f"{name} {figure:.3g}" for name, figure in figures.items())
            print(f"{self.spent / 60:6.1f} min  {stage} {number}/{total}: {shown}", flush=True)
        over = 0 < 60 * self.args.minutes < time.perf_counter() - self.started
        if number % self.args.save_every == 0 or number == total or over:
            self.save()
            self.curve.write()
        if over:
            raise Stopped

    def finish(self) -> dict[str, Any]:
        """Measure the best policy on the test deals and write everything; returns the results."""
        args, out = self.args, Path(self.args.out)
        best = Policy(self.encoder, self.shape)
        if args.keep == "last":
            self.best |= {"update": args.updates, "weights": self.policy.state_dict()}
        best.load_state_dict(self.best["weights"])
        rivals = names_of(args.yardsticks)
        found = {name: self.compared(best, name, "test", args.test_deals) for name in rivals}
        rules = make_rules(args.game, {"num_rounds": 1})
        info = {
            "arguments": asdict(args),
            "rules_hash": rules.hash(),
            "decisions": self.decisions,
            "update": self.best["update"],
            "minutes": round(self.spent / 60, 1),
            "test": {name: asdict(one) for name, one in found.items()},
            "versions": {name: version(name) for name in ("torch", "numpy", "numba")},
        }
        save_policy(out / POLICY, best, self.encoder, info)
        write_text(out / RESULTS, json.dumps(info, indent=2) + "\n")
        size = sum(one.numel() for one in best.parameters())
        machine = f"{os.cpu_count()} cores of {processor()}"
        write_text(
            out / CARD, card(info, size, options.command("train.ppo", args, BY_GAME), machine)
        )
        self.curve.write(found)
        if not args.quiet:
            for name, one in found.items():
                print(
                    f"against {name}: {one.margin:+.1f} points a round "
                    f"({one.low:+.1f} to {one.high:+.1f}), {one.deals:,} mirrored test deals"
                )
            print(f"{self.spent / 60:.1f} minutes; the policy is {out / POLICY}")
        return info


def estimate(args: Args, crew: Crew) -> dict[str, float]:
    """Return about how many minutes each stage would take, from a small part of each."""
    small = {"chunk": max(args.chunk // PART, 1), "value_chunks": 0, "updates": PART}
    run = Run(Args(**{**asdict(args), **small}), crew)
    chunk = partial(try_out, run.task, 0, run.shape, run.critic.state_dict())
    states = partial(watch, run.task._replace(size=2 * run.task.size), 0)
    workers = max(args.workers, 1)
    found = {
        "critic": _seconds(states) * PART * args.critic_chunks / workers,
        "values": 0.0 if args.start else _seconds(chunk) * PART * args.value_chunks / workers,
    }
    run.pool = [run.policy.state_dict()]
    found["ppo"] = _seconds(lambda: run.update(1)) * args.updates
    few = max(args.dev_deals // PART, FEWEST_DEALS)
    deal = _seconds(lambda: run.compared(run.policy, args.against, "development", few)) / few
    measured = args.dev_deals * (args.updates // args.evaluate_every + 1)
    measured += args.test_deals * len(names_of(args.yardsticks))
    found["measuring"] = deal * measured
    return {stage: seconds / 60 for stage, seconds in found.items()}


def _seconds(work: Callable[[], Any]) -> float:
    """Return how long some work takes the second time, when all is compiled."""
    work()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main(args: Args) -> dict[str, Any]:
    """Do the whole job.

    Args:
        args: what to do.

    Returns:
        What ``results.json`` holds; empty if the time was over before.

    Raises:
        ValueError: a bad argument.
        OSError: the folder cannot be written to.
    """
    check(args)
    with one_thread(), Crew(args.workers) as crew:
        return _forecast(args, crew) if args.dry_run else _work(args, crew)


def _forecast(args: Args, crew: Crew) -> dict[str, Any]:
    minutes = estimate(args, crew)
    for stage, one in minutes.items():
        print(f"{stage:>10}: {one:6.1f} minutes")
    print(f"{'all':>10}: {sum(minutes.values()):6.1f} minutes")
    return minutes


def _work(args: Args, crew: Crew) -> dict[str, Any]:
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    run = Run(args, crew)
    if (out / STATE).exists():
        run.load(out / STATE)
    try:
        run.warm_critic()
        run.warm_policy()
        run.practise()
    except Stopped:
        if not args.quiet:
            print(f"the time is over; the same command goes on from {out / STATE}")
        return {}
    return run.finish()


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Return the arguments of the command line (those of the process by default)."""
    return options.parse(Args, "train.ppo", __doc__ or "", arguments, SMOKE, BY_GAME)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    return options.guarded(lambda: main(parse(arguments)))


if __name__ == "__main__":
    sys.exit(run())
