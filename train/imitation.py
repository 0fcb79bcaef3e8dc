"""Imitation: the policy learns what `greedy` does, by watching complete rounds of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from torch import nn

from train.network import Layers, actor, critic
from train.report import Journal, Screen
from xabitha_env.games import make_engine, make_rules

GAME = "xabitha"
HELD_OUT_SEED = 3_000_000_000
"""The first of the rounds in which imitation is measured."""
WATCHED = 256  # rounds that are watched side by side
HELD_OUT = 64  # rounds, for the agreement with the teacher
SLIPPING, SLIPS = 0.15, 0.3  # the share of seats that slip; and of decisions, how often they do
IMITATION_BATCH = 256
IMITATION_SHARE = 0.4  # of the time limit that imitation may take
SMALLEST_RATE = 0.02  # where learning rates end, as a share of where they begin


class Decisions(NamedTuple):
    """Decisions that were watched, n of them; forced ones are left out."""

    observation: NDArray[np.int8]  # (n, O)
    mask: NDArray[np.bool_]  # (n, A)
    action: NDArray[np.int64]  # (n,) what greedy would do
    outcome: NDArray[np.float32]  # (n,) the round's reward for the seat's team

    def rows(self, rows: NDArray[np.int64]) -> Decisions:
        """Return some of the decisions."""
        return Decisions(
            self.observation[rows], self.mask[rows], self.action[rows], self.outcome[rows]
        )


def watch(first_seed: int, rounds: int, generator: np.random.Generator) -> Decisions:
    """Watch four `greedy` players at each of many tables; some seats slip at times.

    A slip is a random legal action. What is learned is always what `greedy` would have done, so
    that slips only lead to more varied states. Declarations are never slips: Xabitha mode would
    shut the player out.
    """
    engine = make_engine(GAME, rounds, rules=make_rules(GAME, {"num_rounds": 1}))
    engine.reset(first_seed)
    codes = {name: np.full(rounds, code, np.int8) for name, code in engine.player_codes.items()}
    slipping = generator.random((rounds, 4)) < SLIPPING
    last_declaration = engine.actions.offset("draw") - 1
    parts = []
    returns = np.zeros((rounds, 4), np.float32)
    while not engine.over.all():
        wanted = engine.choose(codes["greedy"])
        rows = np.flatnonzero(~engine.over & (engine.legal_count > 1))
        mask = engine.mask[rows] != 0
        parts.append((engine.observation[rows], mask, wanted[rows], rows, engine.seats[rows]))
        slip = slipping[np.arange(rounds), engine.seats] & (generator.random(rounds) < SLIPS)
        slip &= engine.legal[:, 0] > last_declaration
        engine.step(np.where(slip, engine.choose(codes["random"]), wanted))
        returns += engine.rewards  # each step's, so they must be caught as they fall
    observation, mask, action, table, seat = (np.concatenate(part) for part in zip(*parts))
    return Decisions(observation, mask, action, returns[table, seat])


def logits_of(layers: Layers, decisions: Decisions) -> torch.Tensor:
    """Return the logits of legal actions, all others far below, (n, A)."""
    logits: torch.Tensor = layers(torch.from_numpy(decisions.observation))
    return logits.masked_fill(~torch.from_numpy(decisions.mask), -1e8)


def agreement(model: MaskablePPO, decisions: Decisions) -> float:
    """Return in which share of decisions the model would do what `greedy` does."""
    with torch.no_grad():
        best = logits_of(actor(model), decisions).argmax(dim=1).numpy()
    return float((best == decisions.action).mean())


def imitate(
    model: MaskablePPO, total: int, rate: float, seed: int, journal: Journal, screen: Screen
) -> int:
    """Let the policy learn what `greedy` does, and the critic how its rounds end.

    Args:
        model: the model.
        total: decisions to learn from.
        rate: learning rate, falling to `SMALLEST_RATE` of it.
        seed: of the rounds that are watched.
        journal, screen: for the curve and the time, and for what is to be seen.

    Returns:
        The number of decisions it learned from.
    """
    generator = np.random.default_rng([seed, 1])
    held_out = watch(HELD_OUT_SEED, HELD_OUT, np.random.default_rng(HELD_OUT_SEED))
    layers = (actor(model), critic(model))
    optimizer = torch.optim.Adam(
        [weight for part in layers for weight in part.parameters()], lr=rate
    )
    done, noted = 0, 0
    journal.note("imitation", 0, agreement=agreement(model, held_out))
    with screen.stage(f"1/3 imitation of greedy, {total:,} decisions", total) as move:
        while done < total and journal.seconds < IMITATION_SHARE * journal.limit:
            watched = watch(int(generator.integers(2**62)), WATCHED, generator)
            order = generator.permutation(len(watched.action))[: total - done]
            for start in range(0, len(order), IMITATION_BATCH):
                rows = order[start : start + IMITATION_BATCH]
                _set_rate(optimizer, rate, done / total)
                _imitation_step(layers, watched.rows(rows), optimizer)
                done += len(rows)
                move(done)
            if done - noted >= total / 12 or done >= total:
                noted = done
                journal.note("imitation", done, agreement=agreement(model, held_out))
    share = journal.rows[-1]["agreement"]
    screen.say(f"   it would do what greedy does in {share:.1%} of held-out decisions")
    return done


def _set_rate(optimizer: torch.optim.Optimizer, rate: float, done: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate * max(SMALLEST_RATE, 1 - done)


def _imitation_step(
    layers: tuple[Layers, Layers], decisions: Decisions, optimizer: torch.optim.Optimizer
) -> None:
    policy, value = layers
    target = torch.from_numpy(decisions.action)
    loss = nn.functional.cross_entropy(logits_of(policy, decisions), target)
    values: torch.Tensor = value(torch.from_numpy(decisions.observation)).flatten()
    loss = loss + nn.functional.mse_loss(values, torch.from_numpy(decisions.outcome))
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
