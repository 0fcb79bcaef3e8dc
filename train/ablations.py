"""What each of the choices of `train.ppo` is worth: runs without it, at a small equal budget.

    python -m train.ablations --out runs/ablations
    python -m train.ablations --game xeri
    python -m train.ablations --smoke                   # all of it, in seconds, to no effect

Every variant plays the same number of updates from the same seeds and is measured on the same test
deals after its last one; nothing is chosen by results. A run that was stopped goes on.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from train import curves, options, ppo
from train.options import option
from xabitha_env.cli.output import print_table
from xabitha_env.evaluation import plots
from xabitha_env.evaluation.deals import FEWEST_DEALS
from xabitha_env.files import write_bytes

VARIANTS: dict[str, dict[str, Any]] = {
    "all of them": {},
    "without imitation": {"critic_chunks": 0, "value_chunks": 0, "hint": 0.0},
    "without the privileged critic": {"privileged": False},
    "without the pool": {"opponents": "self"},
    "without renamed suits": {"augment": False},
    "without trials in copies": {"tried": 0.0},
}
POINTS = 4
"""Measurements of each run on development deals."""
TABLE, PICTURE = "ablations.csv", "ablations.png"


@dataclass
class Args:
    """What to do."""

    game: str = option("xabitha", "which game")
    out: str = option("runs/ablations", "folder of the runs, a folder each, and of the results")
    seeds: int = option(1, "runs of each variant", 1)
    critic_chunks: int = option(6, "as in train.ppo", 0)
    value_chunks: int = option(12, "as in train.ppo", 0)
    updates: int = option(40, "as in train.ppo", 1)
    dev_deals: int = option(1000, "mirrored deals of a point of the curve", FEWEST_DEALS)
    test_deals: int = option(4000, "mirrored deals of the measurement", FEWEST_DEALS)
    workers: int = option(2, "as in train.ppo", 0)
    quiet: bool = option(False, "print nothing but errors")


SMOKE = {
    "critic_chunks": 1,
    "value_chunks": 1,
    "updates": 1,
    "dev_deals": 4,
    "test_deals": 4,
    "workers": 0,
}
"""Options of ``--smoke``; the runs themselves are smaller, too."""


def main(args: Args, small: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Run all variants and write the results.

    Args:
        args: what to do.
        small: options of the runs that differ from the defaults.

    Returns:
        A row a run: variant, seed, margin, low, high, minutes.
    """
    options.check_numbers(args)
    own = {name: one for name, one in asdict(args).items() if name not in ("out", "seeds")}
    base = {**(small or {}), **ppo.BY_GAME.get(args.game, {}), **own, "yardsticks": "expert"}
    base["evaluate_every"] = max(args.updates // POINTS, 1)
    rows, lines = [], []
    for variant, changed in VARIANTS.items():
        for seed in range(args.seeds):
            folder = Path(args.out) / args.game / f"{variant.replace(' ', '-')}-{seed}"
            run = ppo.Args(**{**base, **changed, "seed": seed, "out": str(folder), "keep": "last"})
            found = ppo.main(run)
            test = found["test"]["expert"]
            figures = {name: round(test[name], 2) for name in ("margin", "low", "high")}
            rows.append({"variant": variant, "seed": seed, **figures, "minutes": found["minutes"]})
            text = (folder / curves.TABLE).read_text()
            lines.append((variant, list(csv.DictReader(io.StringIO(text)))))
    out = Path(args.out) / args.game
    write_bytes(out / TABLE, _table(rows))
    write_bytes(out / PICTURE, _picture(lines))
    if not args.quiet:
        shown = [
            (
                row["variant"],
                row["seed"],
                f"{row['margin']:+.1f}",
                f"{row['low']:+.1f} to {row['high']:+.1f}",
            )
            for row in rows
        ]
        head = ("variant", "seed", "points a round", "95% interval")
        print_table(f"Against expert, {args.test_deals:,} mirrored test deals", head, shown)
    return rows


def _table(rows: list[dict[str, Any]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _picture(lines: list[tuple[str, list[dict[str, str]]]]) -> bytes:
    figure = Figure(figsize=(9, 5), layout="constrained")
    axis = figure.subplots()
    for variant, rows in lines:
        known = [
            {name: float(row[name]) for name in ("decisions", "margin", "low", "high")}
            for row in rows
            if row["margin"]
        ]
        curves.draw_margins(axis, known, variant)
    axis.axhline(0, color="black", linewidth=1, linestyle="--")
    axis.set_xlabel("decisions of the policy (millions)")
    axis.set_ylabel("margin over expert (points a round), development deals")
    axis.legend(loc="best", fontsize=8)
    axis.grid(alpha=0.3)
    return plots.picture_bytes(figure)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    small = ppo.SMOKE if "--smoke" in given else None
    description = __doc__ or ""
    return options.guarded(
        lambda: main(options.parse(Args, "train.ablations", description, given, SMOKE), small)
    )


if __name__ == "__main__":
    sys.exit(run())
