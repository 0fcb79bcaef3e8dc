"""How many deals mirroring and fixed draws save.

    python -m tools.fixed_draws                      # greedy against itself with slips, and others
    python -m tools.fixed_draws --deals 1000 greedy random

Each line is a pair of teams on the same deals: the mean margin with draws from the top
of the deck and with fixed ones, and the interval of their difference, which should hold zero; then
two ratios of variances, which are ratios of the deals that an interval of the same width needs.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from xabitha_env.evaluation.deals import seeds_of
from xabitha_env.evaluation.draws import compare_draws
from xabitha_env.evaluation.play import one_round
from xabitha_env.evaluation.teams import load_team, parse_team
from xabitha_env.players import CompiledPlayer, View
from xabitha_env.protocol import Engine

GAME = "xabitha"
PAIRS = [
    ("tools.fixed_draws:Slips?percent=2", "greedy"),
    ("tools.fixed_draws:Slips?percent=10", "greedy"),
    ("greedy+random", "greedy"),
    ("expert", "greedy"),
    ("random", "greedy"),
]


class Slips:
    """Greedy, but for a share of its decisions: those are any legal move (but no declaration).

    What it does follows from what it sees alone, so that the same situation gives the same slip.
    """

    def __init__(self, percent: int) -> None:
        self.name = f"slips{percent}"
        self._percent = percent
        self._greedy = CompiledPlayer("greedy")

    def reset(self, engine: Engine, seed: int) -> None:
        self._greedy.reset(engine, seed)
        self._declare = engine.actions.slice("declare")

    def act(self, view: View) -> Any:
        lots = np.array([zlib.crc32(row.tobytes()) for row in view.observation])
        declaring = view.mask[:, self._declare].any(axis=1)
        slips = (lots % 100 < self._percent) & ~declaring
        other = view.legal[np.arange(len(lots)), lots // 100 % view.legal_count]
        return np.where(slips, other, self._greedy.act(view))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="How many deals fixed draws save.")
    parser.add_argument("teams", nargs="*", help="two teams; by default a few pairs")
    parser.add_argument("--deals", type=int, default=4000)
    parser.add_argument("--seeds", default="development", help="a list, or a first seed")
    options = parser.parse_args(arguments)
    if len(options.teams) not in (0, 2):
        parser.error("name two teams")
    for names in [tuple(options.teams)] if options.teams else PAIRS:
        first, second = (load_team(parse_team(name), GAME) for name in names)
        seeds = seeds_of(options.seeds, options.deals)
        found = compare_draws(first, second, seeds, one_round(GAME))
        difference, ratio = found.difference, found.variance
        print(
            f"{' - '.join(names)}: {found.plain.mean:+.2f} points, "
            f"with fixed draws {found.fixed.mean:+.2f} "
            f"(difference {difference.low:+.2f} to {difference.high:+.2f}); "
            f"deals needed: mirrored {found.mirrored:.0%} of unmirrored, "
            f"fixed {ratio.mean:.0%} ({ratio.low:.0%} to {ratio.high:.0%}) of mirrored",
            flush=True,
        )


if __name__ == "__main__":
    main()
