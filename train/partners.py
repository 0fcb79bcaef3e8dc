"""Who can play with whom: policies that differ by their seed alone, with and without blinkers.

Several seeds learn by the same small budget, and as many more cannot see which cards their partner
has played; what that costs is what partners tell each other by playing. The first ones are then
partners for cross-play, beside players that they never met:

    python -m train.partners                             # about a quarter of an hour a run
    xabitha crossplay runs/partners/xabitha/seed-*.pt expert greedy --panel expert
    python -m train.beliefs --policies runs/partners/xabitha/seed-0.pt,learned
    python -m train.partners --smoke                     # all of it, in seconds, to no effect
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from train import options, ppo
from train.options import option
from xabitha_env.cli.output import print_table
from xabitha_env.evaluation.deals import FEWEST_DEALS
from xabitha_env.files import write_text

RESULTS = "partners.json"


@dataclass
class Args:
    """What to do."""

    game: str = option("xabitha", "which game")
    out: str = option("runs/partners", "folder; runs that were begun there go on")
    seeds: int = option(3, "runs of each kind, seeds 0, 1 …", 1)
    critic_chunks: int = option(6, "as in train.ppo", 0)
    value_chunks: int = option(12, "as in train.ppo", 0)
    updates: int = option(200, "as in train.ppo", 0)
    width: int = option(128, "as in train.ppo", 1)
    depth: int = option(64, "as in train.ppo", 1)
    dev_deals: int = option(1000, "mirrored deals of each measurement", FEWEST_DEALS)
    test_deals: int = option(4000, "mirrored deals of the last one", FEWEST_DEALS)
    workers: int = option(2, "as in train.ppo", 0)
    quiet: bool = option(False, "print nothing but errors")


SMOKE = {
    **{name: ppo.SMOKE[name] for name in ("critic_chunks", "value_chunks", "updates", "width")},
    **{name: ppo.SMOKE[name] for name in ("depth", "dev_deals", "test_deals", "workers")},
    "seeds": 1,
}
"""Options of ``--smoke``; the runs themselves are smaller, too."""


def main(args: Args, small: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Train all and write the results.

    Args:
        args: what to do.
        small: options of the runs that differ from the defaults.

    Returns:
        A row a run: blind, seed, margin, low, high over `expert`, minutes.
    """
    options.check_numbers(args)
    own = {name: one for name, one in vars(args).items() if name not in ("out", "seeds")}
    base = {**ppo.BY_GAME.get(args.game, {}), **(small or {}), **own, "yardsticks": "expert"}
    base["evaluate_every"] = max(args.updates // 4, 1)
    out, rows = Path(args.out) / args.game, []
    for blind in (False, True):
        for seed in range(args.seeds):
            name = f"{'blind' if blind else 'seed'}-{seed}"
            made = ppo.Args(**{**base, "blind": blind, "seed": seed, "out": str(out / name)})
            found = ppo.main(made)
            shutil.copy(out / name / ppo.POLICY, out / f"{name}.pt")
            test = {key: found["test"]["expert"][key] for key in ("margin", "low", "high")}
            rows.append({"blind": blind, "seed": seed, **test, "minutes": found["minutes"]})
    write_text(out / RESULTS, json.dumps(rows, indent=2) + "\n")
    if not args.quiet:
        show(args, rows)
    return rows


def show(args: Args, rows: list[dict[str, Any]]) -> None:
    """Print the results."""
    lines = [
        (
            "blind" if row["blind"] else "seeing",
            row["seed"],
            f"{row['margin']:+.1f}",
            f"{row['low']:+.1f} to {row['high']:+.1f}",
        )
        for row in rows
    ]
    head = ("partner's plays", "seed", "points a round", "95% interval")
    print_table(f"Over expert, {args.test_deals:,} mirrored test deals", head, lines)
    seeing, blind = (
        np.array([row["margin"] for row in rows if row["blind"] == kind]) for kind in (False, True)
    )
    print(
        f"seeing {seeing.mean():+.1f} (seeds {seeing.min():+.1f} to {seeing.max():+.1f}), "
        f"blind {blind.mean():+.1f} ({blind.min():+.1f} to {blind.max():+.1f})"
    )


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    small = ppo.SMOKE if "--smoke" in given else None
    description = __doc__ or ""
    return options.guarded(
        lambda: main(options.parse(Args, "train.partners", description, given, SMOKE), small)
    )


if __name__ == "__main__":
    sys.exit(run())
