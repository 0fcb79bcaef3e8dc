"""Whether the learners learn: each in about two minutes, from nothing.

    python -m train.learn_check

A policy that starts at random has to beat what it was before by a margin whose interval is above
zero, on development deals. This takes too long for the tests, and depends on the machine's speed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from train import options, ppo, sb3_maskable
from train.options import option

RIVAL = "greedy"


@dataclass
class Args:
    """What to check."""

    minutes: float = option(2.0, "of each learner, about", 0)
    workers: int = option(2, "as in train.ppo", 0)


def check_ppo(game: str, args: Args, folder: Path) -> tuple[float, float, float, float]:
    """Return how a policy does before and after: highest and lowest margins of the intervals."""
    own = {"game": game, "workers": args.workers, "minutes": args.minutes, "out": str(folder)}
    scratch = {"critic_chunks": 0, "value_chunks": 0, "hint": 0.0, "quiet": True}
    rates = {"updates": 10**6, "evaluate_every": 10**6, "against": RIVAL, "opponents": "self"}
    made = ppo.Args(**{**ppo.BY_GAME.get(game, {}), **own, **scratch, **rates})
    folder.mkdir()
    with ppo.Crew(args.workers) as crew:
        run = ppo.Run(made, crew)
        before = run.measure(0)
        with suppress(ppo.Stopped):
            run.practise()
        after = run.measure(1)
    return before["margin"], before["high"], after["margin"], after["low"]


def check_sb3(args: Args, folder: Path) -> tuple[float, float, float, float]:
    """The same of MaskablePPO, on Xeri."""
    made = sb3_maskable.Args(minutes=args.minutes, out=str(folder), quiet=True)
    found = sb3_maskable.main(made)["evaluations"]
    first, last = found[0], found[-1]
    return first["margin"], first["high"], last["margin"], last["low"]


def main(args: Args) -> bool:
    """Check all learners; returns whether all have learnt."""
    learnt = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        checks: dict[str, Any] = {
            "train.ppo on Xabitha": lambda: check_ppo("xabitha", args, folder / "xabitha"),
            "train.ppo on Xeri": lambda: check_ppo("xeri", args, folder / "xeri"),
            "train.sb3_maskable on Xeri": lambda: check_sb3(args, folder / "sb3"),
        }
        for title, check in checks.items():
            before, high, after, low = check()
            learnt &= low > high
            verdict = "learns" if low > high else "DOES NOT LEARN"
            print(
                f"{title}: {verdict}: {before:+.1f} (at most {high:+.1f}) before, "
                f"{after:+.1f} (at least {low:+.1f}) after, points a round against {RIVAL}",
                flush=True,
            )
    return learnt


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 1 where nothing is learnt, 2 for wrong use."""
    learnt: list[bool] = []
    status = options.guarded(
        lambda: learnt.append(
            main(options.parse(Args, "train.learn_check", __doc__ or "", arguments))
        )
    )
    return status or int(not learnt[0])


if __name__ == "__main__":
    sys.exit(run())
