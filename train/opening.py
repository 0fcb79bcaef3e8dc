"""How to open: every way is played out wherever an opening is possible, and its worth is learnt.

In rounds of one player, whenever a seat that is not down could open, copies of the game are made in
which it holds, or opens in one of several ways (see `agents.opening`), and that player plays on to
the end of the round, with the same cards to come in all copies. A regression learns how much better
each way is than the average of all; `?opening=learned` takes the best. Then all of it once more,
with a player that opens so: what a way is worth depends on the openings that follow.

The same with `climbing_threshold` off, where a rich opening does not raise the bar of the others
(X6.3), shows what blocking is worth.

    python -m train.opening                             # learn, measure, draw; some minutes
    python -m train.opening --player learned            # for another player than the expert
    python -m train.opening --smoke                     # every stage, in seconds, to no effect
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from agents.opening import FEATURES, GAME, WAYS, Openings, find_openings, next_actions, only
from agents.regression import Regression
from train import opening_report, options
from train.fitting import fit, gather
from train.options import option
from train.ppo import Crew
from train.warm_start import SEEDS
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import Agent, Table, load_player
from xabitha_env.protocol import Engine
from xabitha_env.xabitha.scoring import POINTS_PER_REWARD

TABLES = 128
ROUNDS = 4
"""Rounds at each table of a chunk."""
LOOKED_AT = 0.5
"""Share of the possible openings that are played out."""
STRAYS = 0.3
"""How often a table goes on in a way drawn at random after that."""
FILE = "opening.pt"


@dataclass
class Args:
    """What to do."""

    out: str = option("runs/opening", "folder of the results")
    player: str = option("expert", "who plays all other decisions")
    iterations: int = option(2, "after the first, that player opens as was learnt before", 1)
    chunks: int = option(40, f"of {TABLES} tables with {ROUNDS} rounds each, to learn from", 1)
    test_chunks: int = option(20, "likewise, for the figures, with and without climbing bars", 1)
    passes: int = option(60, "over the samples", 1)
    hidden: int = option(64, "units of each hidden layer", 1)
    seed: int = option(0, "of every random choice", 0)
    workers: int = option(2, "processes that play; 0 to play in this one", 0)
    quiet: bool = option(False, "print nothing but errors")


SMOKE = {"chunks": 1, "test_chunks": 1, "passes": 2, "hidden": 4, "workers": 0}
"""Options of ``--smoke``."""


class Samples(NamedTuple):
    """n openings that were possible, played out in every way."""

    features: NDArray[np.float32]  # (n, FEATURES)
    points: NDArray[np.float64]  # (n, WAYS) by which the team won the round


class Plan(NamedTuple):
    """What chunks are made for."""

    player: str
    seed: int
    stage: int
    tables: int
    rounds: int
    climbing: bool  # `climbing_threshold` of the rules


def play_out(engine: Engine, openings: Openings, player: Agent) -> NDArray[np.float64]:
    """Return by how many points the teams win when openings go each way, (n, WAYS)."""
    size = len(WAYS)
    source = np.repeat(openings.games, size)
    copies = make_engine(GAME, len(source), rules=engine.rules, fixed_draws=True)
    copies.games[:] = engine.games[source]
    copies.games["num_rounds"] = copies.games["rounds"] + 1
    copies.refresh()
    seats = copies.seats.copy()
    before = copies.games["totals"].copy()
    ways = np.tile(np.arange(size), len(openings.games))
    going = np.arange(len(source))
    while going.size:
        found = find_openings(copies, going)
        going, own = going[found.places], ways[going[found.places]]
        actions = np.full(len(source), -1)
        actions[going] = next_actions(copies, found, only(own))
        copies.step(actions)
        still = (copies.seats[going] == seats[going]) & ~copies.over[going] & (own != 0)
        still &= copies.games["opened"][going, seats[going]] == 0
        going = going[still]
    table = Table(copies, (player,) * NUM_SEATS)
    table.reset(0)
    table.play()
    totals = copies.games["totals"] - before
    rows, team = np.arange(len(source)), seats % NUM_TEAMS
    return (totals[rows, 1 - team] - totals[rows, team]).reshape(-1, size).astype(np.float64)


def gather_chunk(plan: Plan, number: int) -> Samples:
    """Play some rounds, and every way to open in half of the possible openings."""
    torch.set_num_threads(1)
    player, other = (load_player(plan.player, GAME) for _ in range(2))  # a player has one engine
    fields = {"num_rounds": plan.rounds, "climbing_threshold": plan.climbing}
    rules = make_rules(GAME, fields)
    engine = make_engine(GAME, plan.tables, rules=rules, fixed_draws=True)
    seed = np.random.SeedSequence([plan.seed, plan.stage, number])
    random = np.random.default_rng(seed)
    engine.reset([int(word) % SEEDS for word in seed.generate_state(plan.tables)])
    table = Table(engine, (player,) * NUM_SEATS)
    table.reset(number)
    parts: list[Samples] = []
    straying = np.full(plan.tables, -1)  # the way that a table goes
    while not engine.over.all():
        actions = table.choose()
        found = find_openings(engine, np.flatnonzero(~engine.over))
        fresh = engine.games["staged"][found.games] == 0
        straying[found.games[fresh]] = -1
        looked = np.flatnonzero(fresh & (random.random(fresh.size) < LOOKED_AT))
        if looked.size:
            some = Openings(*(column[looked] for column in found))
            parts.append(Samples(some.features, play_out(engine, some, other)))
            strays = some.games[random.random(looked.size) < STRAYS]
            straying[strays] = random.integers(len(WAYS), size=strays.size)
        led = np.flatnonzero(straying[found.games] >= 0)
        if led.size:
            some = Openings(*(column[led] for column in found))
            own = next_actions(engine, some, only(straying[some.games]))
            actions[some.games] = np.where(own < 0, actions[some.games], own)
        engine.step(actions)
    return Samples(*(np.concatenate(column) for column in zip(*parts)))


def gather_samples(crew: Crew, plan: Plan, chunks: int, quiet: bool) -> Samples:
    """Return the samples of some chunks, made in all processes."""
    bars = "" if plan.climbing else ", bars that do not climb"
    title = f"every way to open, {plan.player}{bars}"
    return gather(crew, Samples, partial(gather_chunk, plan), chunks, title, quiet)


def learn(args: Args, samples: Samples) -> Regression:
    """Return a regression that fits the samples."""
    gains = samples.points - samples.points.mean(axis=1, keepdims=True)
    targets = (gains / POINTS_PER_REWARD).astype(np.float32)
    torch.manual_seed(args.seed)
    info = {"command": options.command("train.opening", args), "seed": args.seed}
    regression = Regression(FEATURES, WAYS, args.hidden, info)
    loss = torch.nn.functional.mse_loss
    fit(regression, samples.features, targets, loss, args.passes, args.seed)
    return regression


def main(args: Args) -> dict[str, Any]:
    """Do the whole job.

    Args:
        args: what to do.

    Returns:
        What ``opening.json`` holds.

    Raises:
        ValueError: a bad argument.
        OSError: the folder cannot be written to.
    """
    options.check_numbers(args)
    load_player(args.player, GAME)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    mark = "&" if "?" in args.player else "?"
    plan = Plan(args.player, args.seed, 6, TABLES, ROUNDS, True)
    with Crew(args.workers) as crew:
        for number in range(args.iterations):
            if number:
                player = f"{args.player}{mark}opening={out / FILE}"
                plan = plan._replace(player=player, stage=plan.stage + 1)
            regression = learn(args, gather_samples(crew, plan, args.chunks, args.quiet))
            regression.save(out / FILE)
        test = plan._replace(player=args.player, stage=plan.stage + 1)
        climbing = gather_samples(crew, test, args.test_chunks, args.quiet)
        level = gather_samples(crew, test._replace(climbing=False), args.test_chunks, args.quiet)
    info = opening_report.write(out, regression, climbing, level, asdict(args))
    if not args.quiet:
        opening_report.show(info)
    return info


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    description = __doc__ or ""
    return options.guarded(
        lambda: main(options.parse(Args, "train.opening", description, arguments, SMOKE))
    )


if __name__ == "__main__":
    sys.exit(run())
