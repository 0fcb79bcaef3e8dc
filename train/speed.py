"""How fast `train.ppo` learns, beside MaskablePPO of sb3-contrib, in one run.

    python -m train.speed                     # some minutes
    python -m train.speed --game xeri

Both learn Xabitha (or Xeri) with hidden layers as wide, as many passes over each decision, as many
tables and as large minibatches, in turns, so that a machine that drifts is the same for both.
Counted are decisions that are learnt from, and all the time that playing and learning take. What
MaskablePPO has nothing like is off in `train.ppo`: trials in copies, and the guess at the hidden
hands. That plays all seats itself and learns from them all; MaskablePPO learns at one seat, while
compiled players sit at the others at hardly any cost.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from train import options, ppo
from train.options import option
from train.sb3_maskable import Args as MaskableArgs
from train.sb3_maskable import make_model, make_tables
from xabitha_env.cli.output import print_table


@dataclass
class Args:
    """What to compare."""

    game: str = option("xabitha", "which game")
    tables: int = option(1024, "tables side by side", 2)
    sweeps: int = option(32, "decisions at each table between updates", 2)
    batch: int = option(4096, "decisions in a minibatch", 2)
    epochs: int = option(4, "passes over the decisions of an update", 1)
    width: int = option(256, "units of each of two hidden layers", 1)
    turns: int = option(4, "turns of each", 1)
    workers: int = option(2, "processes that play for train.ppo; MaskablePPO has one for all", 0)
    tried: float = option(0.0, "as in train.ppo; MaskablePPO has nothing like it", 0)
    short: bool = option(False, "as in train.ppo; MaskablePPO has nothing like it")
    quiet: bool = option(False, "print nothing but errors")


SMOKE = {"tables": 4, "sweeps": 8, "batch": 16, "width": 8, "turns": 1, "workers": 0}
"""Options of ``--smoke``."""


def maskable(args: Args) -> Callable[[], int]:
    """Return what lets MaskablePPO play and learn once; it returns the decisions."""
    own = MaskableArgs(
        game=args.game,
        envs=args.tables,
        steps=args.sweeps,
        batch=args.batch,
        epochs=args.epochs,
        width=args.width,
    )
    model: MaskablePPO = make_model(own, make_tables(own, own.envs), None)
    count = own.envs * own.steps

    def learn() -> int:
        model.learn(count, reset_num_timesteps=False)
        return count

    return learn


def ours(args: Args, crew: ppo.Crew) -> Callable[[], int]:
    """Return what lets `train.ppo` play and learn once; it returns the decisions."""
    run = ppo.Run(
        ppo.Args(
            game=args.game,
            tables=args.tables // 2,
            shards=2,
            sweeps=args.sweeps,
            batch=args.batch,
            epochs=args.epochs,
            critic_epochs=args.epochs,
            width=args.width,
            depth=args.width,
            tried=args.tried,
            short=args.short,
            hands=0.0,
            opponents=ppo.SELF,
            updates=10**6,
            out="",
        ),
        crew,
    )
    run.pool = [run.policy.state_dict()]
    number = iter(range(1, 10**6))

    def learn() -> int:
        before = run.decisions
        run.update(next(number))
        return run.decisions - before

    return learn


def main(args: Args) -> dict[str, Any]:
    """Measure both and print the ratio.

    Returns:
        Decisions per second by name, by turn.
    """
    options.check_numbers(args)
    torch.set_num_threads(1)
    speeds: dict[str, list[float]] = {}
    with ppo.Crew(args.workers) as crew:
        learners = {"MaskablePPO": maskable(args), "train.ppo": ours(args, crew)}
        for learn in learners.values():
            learn()  # compiles
        for _ in range(args.turns):
            for name, learn in learners.items():
                began = time.perf_counter()
                count = learn()
                speeds.setdefault(name, []).append(count / (time.perf_counter() - began))
    if not args.quiet:
        _show(args, speeds)
    return {"arguments": asdict(args), "decisions_per_second": speeds}


def _show(args: Args, speeds: dict[str, list[float]]) -> None:
    rows = [
        (name, f"{median(own):,.0f}", f"{min(own):,.0f} to {max(own):,.0f}")
        for name, own in speeds.items()
    ]
    head = ("", "decisions learnt from, a second", "range")
    print_table(f"{args.game}, {args.turns} turns of each", head, rows)
    ratios = np.divide(*(speeds[name] for name in ("train.ppo", "MaskablePPO")))
    print(f"ratio: {median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    return options.guarded(
        lambda: main(options.parse(Args, "train.speed", __doc__ or "", arguments, SMOKE))
    )


if __name__ == "__main__":
    sys.exit(run())
