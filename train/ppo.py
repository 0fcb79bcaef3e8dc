"""Self-play PPO over the batched engine, for both games.

All four seats of many tables are played by the policy that learns, or one team by the policy and
the other by an earlier version of it or by a scripted player. What happens at a table is one
timeline: rewards count for team 0 as they fall, and an action's advantage has its team's sign. The
critic sees all cards; the policy only what its seat sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from agents.encoding import Encoder, Inputs, Renamings, join, lists_of
from agents.network import Critic, Policy, log_softmax
from agents.policy import draw, log_odds
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.games import make_engine
from xabitha_env.protocol import EXTERNAL

LEARNER, SNAPSHOT = 0, 1
"""Who decides for a seat from outside the engine."""
SELF, PAST = "self", "past"


def option(default: Any, text: str) -> Any:
    """Return a dataclass field with a help text."""
    return field(default=default, metadata={"help": text})


@dataclass
class Args:
    """What to do."""

    game: str = option("xabitha", "which game")
    seed: int = option(0, "of every random choice")
    tables: int = option(512, "tables of a shard")
    sweeps: int = option(32, "decisions at each table between updates")
    opponents: str = option("self=3,past=3,expert=4", "who sits opposite, in which proportions")
    epochs: int = option(2, "passes over the decisions of an update")
    batch: int = option(4096, "decisions in a minibatch")
    rate: float = option(3e-4, "learning rate of the policy, falling to zero")
    critic_rate: float = option(5e-4, "learning rate of the critic, falling to zero")
    clip: float = option(0.2, "how far an update may move probabilities")
    trace: float = option(0.9, "lambda of generalised advantage estimation")
    entropy: float = option(0.0, "bonus for entropy, but not of declarations")
    anchor: float = option(0.0, "weight of the divergence from the imitation policy, at first")
    hands: float = option(0.05, "weight of the guess at the hidden hands")
    augment: bool = option(True, "rename suits at random in every minibatch")
    pool: int = option(10, "earlier versions that are kept as opponents")


class Rollout(NamedTuple):
    """n decisions in the order in which they were made, and where the tables stand at the end."""

    inputs: Inputs
    chosen: NDArray[np.int64]  # (n,) place of the action over all actions
    odds: NDArray[np.float32]  # (n,) logarithm of its probability
    table: NDArray[np.int64]  # (n,)
    time: NDArray[np.int64]  # (n,) sweep
    team: NDArray[np.int64]  # (n,) of the seat
    learns: NDArray[np.bool_]  # (n,) whether the learner decided
    reward: NDArray[np.float32]  # (n,) of team 0 until the table's next decision
    ends: NDArray[np.bool_]  # (n,) whether the round ended before it
    last: Inputs  # tables that go on
    last_table: NDArray[np.int64]
    last_team: NDArray[np.int64]
    rounds: int  # that ended
    margins: dict[str, list[float]]  # of the learner's team by opponent


class Shard:
    """Some tables, always with the same random streams, wherever they are played."""

    def __init__(self, args: Args, rules: Any, number: int) -> None:
        self.encoder = Encoder(args.game)
        self.args = args
        self.engine = make_engine(args.game, args.tables, rules=rules, auto_restart=True)
        seed = np.random.SeedSequence([args.seed, number, 1])
        self.random = np.random.default_rng(seed)
        first = int(seed.generate_state(1)[0]) % 2**28
        self.engine.reset([first + table for table in range(args.tables)])
        self.mix = parse_mix(args.opponents)
        self.codes = np.full((args.tables, NUM_SEATS), EXTERNAL, np.int8)
        self.owner = np.zeros((args.tables, NUM_SEATS), np.int64)
        self.opponent = np.zeros(args.tables, np.int64)  # place in the mix
        self.side = np.zeros(args.tables, np.int64)  # team of the learner
        for table in range(args.tables):
            self._seat(table)
        self.engine.advance(self.codes)

    def _seat(self, table: int) -> None:
        """Draw who sits at a table for its next round."""
        names, shares = list(self.mix), np.array(list(self.mix.values()))
        place = int(self.random.choice(len(names), p=shares / shares.sum()))
        side = int(self.random.integers(NUM_TEAMS))
        others = np.arange(NUM_SEATS) % NUM_TEAMS != side
        self.opponent[table], self.side[table] = place, side
        self.codes[table], self.owner[table] = EXTERNAL, LEARNER
        if names[place] == PAST:
            self.owner[table, others] = SNAPSHOT
        elif names[place] != SELF:
            self.codes[table, others] = self.engine.player_codes[names[place]]

    def collect(self, learner: Policy, snapshot: Policy) -> Rollout:
        """Play on for some sweeps."""
        engine, count = self.engine, self.args.tables
        sweeps = self.args.sweeps
        reward = np.zeros((sweeps, count), np.float32)
        ends = np.zeros((sweeps, count), np.bool_)
        latest = np.full(count, -1)
        parts: list[Inputs] = []
        kept: list[tuple[Any, ...]] = []
        margins: dict[str, list[float]] = {name: [] for name in self.mix}
        names = list(self.mix)
        rounds = 0
        for sweep in range(sweeps):
            over = engine.over.copy()
            for table in np.flatnonzero(over):
                self._seat(int(table))
            actions = np.where(over, 0, engine.legal[:, 0]).astype(np.int64)
            tables = np.flatnonzero(~over & (engine.legal_count > 1))
            seats = engine.seats[tables]
            inputs = self.encoder.encode(engine, tables, secrets=True)
            learns = self.owner[tables, seats] == LEARNER
            chosen, odds = self._decide(inputs, learns, learner, snapshot)
            actions[tables] = inputs.actions[chosen]
            parts.append(inputs)
            kept.append((chosen, odds, tables, np.full(tables.size, sweep), seats % 2, learns))
            latest[tables] = sweep
            engine.advance(self.codes, actions)
            known = np.flatnonzero(latest >= 0)
            reward[latest[known], known] += engine.rewards[known, 0]
            done = np.flatnonzero(engine.over & ~over)
            ends[latest[done], done] |= latest[done] >= 0
            rounds += done.size
            for table in done:
                lead = float(engine.rewards[table, self.side[table]])
                margins[names[self.opponent[table]]].append(100 * lead)
            latest[done] = -1
        starts = np.cumsum([0] + [len(part.actions) for part in parts])
        chosen = np.concatenate([one[0] + start for one, start in zip(kept, starts)])
        odds, table, time, team, learns = (
            np.concatenate([one[place] for one in kept]) for place in range(1, 6)
        )
        going = np.flatnonzero(~engine.over)
        last = self.encoder.encode(engine, going, secrets=True)
        return Rollout(
            join(parts),
            chosen,
            odds,
            table,
            time,
            team,
            learns,
            reward[time, table],
            ends[time, table],
            last,
            going,
            engine.seats[going] % 2,
            rounds,
            margins,
        )

    def _decide(
        self, inputs: Inputs, learns: NDArray[np.bool_], learner: Policy, snapshot: Policy
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Draw actions: their places over all actions, and the logarithms of their odds."""
        odds = log_odds(learner, inputs)
        if not learns.all():
            theirs = log_odds(snapshot, inputs)
            odds = np.where(learns[inputs.rows], odds, theirs)
        chosen = np.empty(inputs.size, np.int64)
        draw(odds, inputs.starts, self.random.random(inputs.size), chosen)
        return chosen, odds[chosen]


def parse_mix(text: str) -> dict[str, float]:
    """Return shares by name."""
    mix = {}
    for part in text.split(","):
        name, _, share = part.partition("=")
        mix[name.strip()] = float(share or 1)
    return mix


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
    sign = np.where(rollout.team == 0, 1, -1).astype(np.float32)
    tables = int(max(rollout.table.max(), rollout.last_table.max(initial=0))) + 1
    following, gain = np.zeros(tables, np.float32), np.zeros(tables, np.float32)
    following[rollout.last_table] = np.where(rollout.last_team == 0, last, -last)
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


class Learner:
    """The networks, and how they learn from rollouts."""

    def __init__(self, args: Args, policy: Policy, critic: Critic, anchor: Policy | None) -> None:
        self.args, self.policy, self.critic, self.anchor = args, policy, critic, anchor
        self.encoder = Encoder(args.game)
        maps = self.encoder.renamings()
        self.maps = maps if args.augment else Renamings(*(one[:1] for one in maps))
        self.optimiser = torch.optim.Adam(policy.parameters(), lr=args.rate, eps=1e-5)
        self.critic_optimiser = torch.optim.Adam(critic.parameters(), lr=args.critic_rate, eps=1e-5)
        self.random = np.random.default_rng([args.seed, 2])
        self.kinds = torch.arange(policy.hands.out_features // 3)

    def value(self, inputs: Inputs) -> NDArray[np.float32]:
        """Return the critic's values."""
        if inputs.size == 0:
            return np.empty(0, np.float32)
        same = self.maps.features[0]
        with torch.no_grad():
            parts = [
                self.critic(*lists_of(inputs, np.arange(s, min(s + 4096, inputs.size)), same, True))
                for s in range(0, inputs.size, 4096)
            ]
        return torch.cat(parts).numpy()

    def learn(self, rollouts: Sequence[Rollout], left: float, anchor: float) -> dict[str, float]:
        """Learn from rollouts; returns figures."""
        args = self.args
        for optimiser, rate in (
            (self.optimiser, args.rate),
            (self.critic_optimiser, args.critic_rate),
        ):
            for group in optimiser.param_groups:
                group["lr"] = rate * left
        pairs = []
        explained = []
        for one in rollouts:
            values = self.value(one.inputs)
            pair = advantages(one, values, self.value(one.last), args.trace)
            pairs.append(pair)
            explained.append(1 - ((pair[1] - values) ** 2).mean() / pair[1].var())
        gain = np.concatenate([pair[0] for pair in pairs])
        returns = np.concatenate([pair[1] for pair in pairs])
        inputs = join([one.inputs for one in rollouts])
        starts = np.cumsum([0] + [len(one.inputs.actions) for one in rollouts])
        chosen = np.concatenate([one.chosen + start for one, start in zip(rollouts, starts)])
        odds = np.concatenate([one.odds for one in rollouts])
        learns = np.concatenate([one.learns for one in rollouts])
        spread = gain[learns].std()
        gain = (gain - gain[learns].mean()) / (spread + 1e-8)
        anchored = log_odds(self.anchor, inputs) if anchor > 0 and self.anchor else None
        sums: dict[str, float] = {}
        steps = 0
        for _ in range(args.epochs):
            order = self.random.permutation(inputs.size)
            for start in range(0, inputs.size, args.batch):
                rows = order[start : start + args.batch]
                which = int(self.random.integers(len(self.maps.features)))
                figures = self._step(
                    inputs, rows, which, chosen, odds, learns, gain, returns, anchored, anchor
                )
                for name, figure in figures.items():
                    sums[name] = sums.get(name, 0.0) + figure
                steps += 1
        result = {name: total / steps for name, total in sums.items()}
        result["explained"] = float(np.mean(explained))
        result["spread"] = float(spread)
        return result

    def _step(self, inputs, rows, which, chosen, odds, learns, gain, returns, anchored, anchor):
        args = self.args
        features, tokens, kinds = (one[which] for one in self.maps)
        value = self.critic(*lists_of(inputs, rows, features, True))
        value_loss = functional.mse_loss(value, torch.from_numpy(returns[rows]))
        self.critic_optimiser.zero_grad()
        value_loss.backward()
        torch.nn.utils.clip_grad_norm_(self.critic.parameters(), 1.0)
        self.critic_optimiser.step()
        rows = rows[learns[rows]]
        sizes = np.diff(inputs.starts)[rows]
        begins = np.cumsum(sizes) - sizes
        places = np.repeat(inputs.starts[rows] - begins, sizes) + np.arange(sizes.sum())
        group = torch.from_numpy(np.repeat(np.arange(rows.size), sizes))
        seen = self.policy.look(*lists_of(inputs, rows, features, False))
        logits = self.policy.score(
            seen,
            torch.from_numpy(tokens[inputs.tokens[places]]),
            torch.from_numpy(inputs.traits[places]),
            group,
        )
        logs = log_softmax(logits, group, rows.size)
        new = logs[torch.from_numpy(chosen[rows] - inputs.starts[rows] + begins)]
        old = torch.from_numpy(odds[rows])
        ratio = (new - old).exp()
        worth = torch.from_numpy(gain[rows])
        policy_loss = -torch.min(
            ratio * worth, ratio.clamp(1 - args.clip, 1 + args.clip) * worth
        ).mean()
        loss = policy_loss
        kl = torch.zeros(())
        if anchored is not None:
            kl = (logs.exp() * (logs - torch.from_numpy(anchored[places]))).sum() / rows.size
            loss = loss + anchor * kl
        entropy = -(logs.exp() * logs)
        free = torch.from_numpy(
            (inputs.tokens[places] >= self.encoder.advice.DECLARATIONS).astype(np.float32)
        )
        entropy = (entropy * free).sum() / rows.size
        loss = loss - args.entropy * entropy
        hands_loss = torch.zeros(())
        if args.hands > 0:
            held = (torch.from_numpy(inputs.hidden[rows])[:, :, None] >> self.kinds) & 1
            guess = self.policy.hands(seen).view(held.shape)[:, :, torch.from_numpy(kinds)]
            hands_loss = functional.binary_cross_entropy_with_logits(guess, held.float())
            loss = loss + args.hands * hands_loss
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
        self.optimiser.step()
        with torch.no_grad():
            moved = ((ratio - 1).abs() > args.clip).float().mean().item()
            change = ((ratio - 1) - (new - old)).mean().item()
        return {
            "value_loss": value_loss.item(),
            "policy_loss": policy_loss.item(),
            "kl": float(kl),
            "entropy": entropy.item(),
            "clipped": moved,
            "change": change,
            "hands_loss": float(hands_loss),
        }
