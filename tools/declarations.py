"""When a formation is worth declaring: the figures behind `xabitha_env.xabitha.declaring`.

    python -m tools.declarations                 # by 0 to 5 missing cards, 3,000 deals each
    python -m tools.declarations --deals 500

The starter is dealt a formation with so many cards missing, everything else at random. The same
deal is then played on both ways: the starter declares and plays as `chase`, or it does not and
plays as `expert`, as all others do. A declaration wins nothing or a penalty for each opponent that
is closed when the formation is laid, so its margin is a straight line in `xabitha_closed_penalty`,
and meets that of normal play at the break-even.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

import numpy as np

from xabitha_env.cards import NUM_SEATS
from xabitha_env.cli.output import print_table
from xabitha_env.games import make_engine, make_rules
from xabitha_env.research.formations import near_formation
from xabitha_env.xabitha.actions import DECLARE

HEAD = ("missing", "lays it", "margin yes", "margin no", "break-even of the penalties")
MOST_MISSING = 5
BOOTSTRAPS = 1000


def play(deals: Sequence[dict[str, object]], answer: int) -> tuple[np.ndarray, np.ndarray]:
    """Play deals with the starter's answer; its team's margins, and the penalties it collected."""
    engine = make_engine("xabitha", len(deals), rules=make_rules("xabitha", {"num_rounds": 1}))
    engine.reset(0, deals=deals)
    for seat in range(NUM_SEATS):
        engine.step(np.full(len(deals), DECLARE + (answer if seat == 0 else 0)))
    engine.advance(np.full((len(deals), NUM_SEATS), engine.player_codes["expert"], np.int8))
    games = engine.games
    formed = games["formations"][:, 0] > 0
    closed = formed * (games["last_penalties"][:, 1::2] > 0).sum(axis=1)
    return games["totals"][:, 1] - games["totals"][:, 0], np.where(formed, closed, 0)


def row(missing: int, count: int) -> tuple[str, ...]:
    """Measure with so many cards missing."""
    rng = random.Random(missing)
    deals = [near_formation(rng, missing) for _ in range(count)]
    no, _ = play(deals, 0)
    yes, closed = play(deals, 1)
    fields = make_rules("xabitha").to_dict()
    without = yes - closed * fields["xabitha_closed_penalty"]  # what a declaration costs
    picks = np.random.default_rng(missing).integers(0, count, (BOOTSTRAPS, count))
    samples = (no - without)[picks].mean(axis=1) / np.maximum(closed[picks].mean(axis=1), 1e-9)
    low, high = np.quantile(samples, (0.025, 0.975)) / fields["closed_penalty"]
    even = (no - without).mean() / max(closed.mean(), 1e-9) / fields["closed_penalty"]
    return (
        str(missing),
        f"{(closed > 0).mean():.1%}",
        f"{yes.mean():+.1f}",
        f"{no.mean():+.1f}",
        f"{even:.1f} ({low:.1f} to {high:.1f})",
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="When a formation is worth declaring.")
    parser.add_argument("--deals", type=int, default=3000, help="deals for each line")
    count = parser.parse_args(arguments).deals
    rows = [row(missing, count) for missing in range(MOST_MISSING + 1)]
    print_table(f"{count} deals a line", HEAD, rows)


if __name__ == "__main__":
    main()
