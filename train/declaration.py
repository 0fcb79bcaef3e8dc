"""When to declare Xabitha mode: both answers are played out, and their worth is learnt.

A declaration is one decision with two answers before the round begins, a contextual bandit whose
arms can both be tried. Half of the deals are of the pack, in half a seat is near a formation. Each
is played with both answers of a seat, by the same order of the cards; all other decisions are those
of one player, and a seat that has declared plays as `chase`. A regression learns what either answer
is worth; `?declare=learned` acts on the larger. The penalty of a formation multiplies how many
opponents are closed then, so that one regression serves all `xabitha_closed_penalty`.

    python -m train.declaration                         # learn, measure, draw; some minutes
    python -m train.declaration --player expert         # for another player than the learned one
    python -m train.declaration --smoke                 # every stage, in seconds, to no effect
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from agents.declaring import (
    CLOSED,
    FEATURES,
    FORMED,
    GAME,
    MOST_MISSING,
    NO,
    OUTPUTS,
    POINTS,
    YES,
    DeclaringAgent,
    always,
    described,
)
from agents.regression import Regression
from train import declaration_report, options
from train.fitting import fit, gather
from train.options import option
from train.ppo import Crew
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.evaluation.deals import seeds_of
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import Table, load_player
from xabitha_env.research.formations import near_formation
from xabitha_env.xabitha.actions import DECLARE

CHUNK = 500
"""Deals that are played side by side."""
FILE, REGRETS = "declaration.pt", "regrets.jsonl.gz"


@dataclass
class Args:
    """What to do."""

    out: str = option("runs/declaration", "folder of the results")
    player: str = option("learned", "who plays all other decisions")
    deals: int = option(30_000, "deals to learn from, each played with both answers", 20)
    test_deals: int = option(6_000, "test deals for the results, likewise", 20)
    paces: str = option("greedy,expert,learned", "whose break-even is compared")
    passes: int = option(60, "over the samples", 1)
    hidden: int = option(64, "units of each hidden layer", 1)
    regrets: int = option(6, "records of the worst answers", 0)
    seed: int = option(0, "of every random choice", 0)
    workers: int = option(2, "processes that play; 0 to play in this one", 0)
    quiet: bool = option(False, "print nothing but errors")


SMOKE = {
    "player": "expert",
    "deals": 40,
    "test_deals": 40,
    "paces": "expert",
    "passes": 2,
    "hidden": 4,
    "regrets": 1,
    "workers": 0,
}
"""Options of ``--smoke``."""


class Samples(NamedTuple):
    """n deals that were played with both answers."""

    features: NDArray[np.float32]  # (n, FEATURES)
    missing: NDArray[np.int64]  # (n,) cards that the hand lacks of a formation
    near: NDArray[np.bool_]  # (n,) whether the hand was made to be near one
    no: NDArray[np.float64]  # (n,) points by which the team wins without a declaration
    yes: NDArray[np.float64]  # (n,) with it, but for the penalties of a formation
    closed: NDArray[np.float64]  # (n,) opponents that pay these
    formed: NDArray[np.bool_]  # (n,) whether the formation was laid
    turns: NDArray[np.float64]  # (n,) of the round without a declaration

    def gain(self, penalty: float) -> NDArray[np.float64]:
        """Return by how many points the declaration was better, under a penalty."""
        return self.yes + penalty * self.closed - self.no


class Deals(NamedTuple):
    """Deals, and whose declaration is looked at."""

    seeds: list[int]
    seats: list[int]
    near: list[bool]
    deals: list[dict[str, object]]


def draw_deals(seeds: Sequence[int]) -> Deals:
    """Return a deal for each seed: for even ones of the pack, else with a near formation."""
    seats, near, deals = [], [], []
    for seed in seeds:
        rng = random.Random(seed)
        seats.append(rng.randrange(NUM_SEATS))
        near.append(seed % 2 == 1)
        missing = rng.randrange(MOST_MISSING) if near[-1] else None
        deals.append(near_formation(rng, missing, seats[-1], rng.randrange(NUM_SEATS)))
    return Deals(list(seeds), seats, near, deals)


def branch(player: str, seeds: Sequence[int], fixed_draws: bool) -> Samples:
    """Play deals with both answers.

    Args:
        player: who plays all other decisions.
        seeds: of the deals.
        fixed_draws: as `make_engine` has it; for less chance between the answers.
    """
    drawn = draw_deals(seeds)
    seats = np.array(drawn.seats)
    rules = make_rules(GAME, {"num_rounds": 1})
    found: dict[str, NDArray[Any]] = {}
    features = np.empty((len(seats), len(FEATURES)), np.float32)
    for answer in (False, True):
        engine = make_engine(GAME, len(seats), rules=rules, fixed_draws=fixed_draws)
        engine.reset(drawn.seeds, deals=drawn.deals)
        for _ in range(NUM_SEATS):
            asked = np.flatnonzero(engine.seats == seats)
            features[asked] = described(engine, asked)
            engine.step(DECLARE + (answer & (engine.seats == seats)))
        table = Table(engine, (DeclaringAgent(load_player(player, GAME), always(False)),) * 4)
        table.reset(drawn.seeds[0])
        table.play()
        games, rows = engine.games, np.arange(len(seats))
        own = seats % NUM_TEAMS
        found["yes" if answer else "no"] = (
            games["totals"][rows, 1 - own] - games["totals"][rows, own]
        )
        if answer:
            found["formed"] = games["formations"][rows, seats] > 0
            pays = games["last_penalties"] > 0
            pays[rows[:, None], np.stack([seats, (seats + NUM_TEAMS) % NUM_SEATS], axis=1)] = False
            found["closed"] = np.where(found["formed"], pays.sum(axis=1), 0)
        else:
            found["turns"] = games["turns"]
    penalty = rules.to_dict()["xabitha_closed_penalty"]
    return Samples(
        features,
        MOST_MISSING - features[:, :MOST_MISSING].sum(axis=1).astype(np.int64),
        np.array(drawn.near),
        found["no"].astype(np.float64),
        found["yes"] - penalty * found["closed"].astype(np.float64),
        found["closed"].astype(np.float64),
        found["formed"],
        found["turns"].astype(np.float64),
    )


def _branch_chunk(player: str, seeds: Sequence[int], fixed_draws: bool, number: int) -> Samples:
    torch.set_num_threads(1)
    return branch(player, seeds[number * CHUNK : (number + 1) * CHUNK], fixed_draws)


def gather_samples(
    crew: Crew, player: str, seeds: Sequence[int], fixed_draws: bool, quiet: bool
) -> Samples:
    """Play deals with both answers, in all processes."""
    work = partial(_branch_chunk, player, seeds, fixed_draws)
    chunks = -(-len(seeds) // CHUNK)
    return gather(crew, Samples, work, chunks, f"both answers, {player}", quiet)


def loss(estimates: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the squared errors of what answers are worth, and the log loss of the formation."""
    errors = ((estimates[:, :FORMED] - targets[:, :FORMED]) ** 2).mean()
    log_loss = functional.binary_cross_entropy_with_logits(estimates[:, FORMED], targets[:, FORMED])
    return errors + log_loss


def learn(args: Args, samples: Samples) -> Regression:
    """Return a regression that fits the samples."""
    targets = np.empty((len(samples.no), len(OUTPUTS)), np.float32)
    targets[:, NO], targets[:, YES] = samples.no / POINTS, samples.yes / POINTS
    targets[:, CLOSED], targets[:, FORMED] = samples.closed, samples.formed
    torch.manual_seed(args.seed)
    info = {"command": options.command("train.declaration", args), "seed": args.seed}
    regression = Regression(FEATURES, OUTPUTS, args.hidden, info)
    fit(regression, samples.features, targets, loss, args.passes, args.seed)
    return regression


def main(args: Args) -> dict[str, Any]:
    """Do the whole job.

    Args:
        args: what to do.

    Returns:
        What ``declaration.json`` holds.

    Raises:
        ValueError: a bad argument.
        OSError: the folder cannot be written to.
    """
    options.check_numbers(args)
    paces = [name.strip() for name in args.paces.split(",") if name.strip()]
    for name in (args.player, *paces):
        load_player(name, GAME)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    own = np.random.SeedSequence([args.seed, 5]).generate_state(1)[0]
    seeds = range(int(own) % 2**28, int(own) % 2**28 + args.deals)
    tested = seeds_of("test", args.test_deals)
    with Crew(args.workers) as crew:
        samples = gather_samples(crew, args.player, seeds, True, args.quiet)
        regression = learn(args, samples)
        regression.save(out / FILE)
        tests = {
            name: gather_samples(crew, name, tested, False, args.quiet)
            for name in dict.fromkeys((args.player, *paces))
        }
    info = declaration_report.write(out, regression, tests, args.player, asdict(args))
    lost = declaration_report.regrets(tests[args.player], regression)
    worst = [tested[place] for place in np.argsort(-lost, kind="stable")[: args.regrets]]
    declaration_report.write_regrets(out / REGRETS, draw_deals(worst), args.player)
    if not args.quiet:
        declaration_report.show(info)
    return info


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    description = __doc__ or ""
    return options.guarded(
        lambda: main(options.parse(Args, "train.declaration", description, arguments, SMOKE))
    )


if __name__ == "__main__":
    sys.exit(run())
