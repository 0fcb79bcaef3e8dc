"""Tune the weights of Xabitha's `expert` by play against itself.

    python -m tools.tune_expert --minutes 20
    python -m tools.tune_expert --minutes 5 --deals 2000

One weight at a time is made larger and smaller; what wins on mirrored development deals, and again
on as many others, is kept. The weights are printed after each round of all of them, for
`xabitha_env.xabitha.expert.WEIGHTS`. How long to wait with an opening is left out: there whoever
undercuts the other gains, so that this search would run in circles.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np

from xabitha_env._jit import entry, records
from xabitha_env.cards import NUM_TEAMS
from xabitha_env.evaluation.deals import LISTS
from xabitha_env.games import make_engine, make_rules
from xabitha_env.xabitha import play
from xabitha_env.xabitha.expert import HOLD_MARGIN, HOLD_TURNS, WEIGHTS, act

FIRST_STEP = 1.6
"""Weights are multiplied and divided by this at first, by ever less where that brings nothing."""
LEAST_STEP = 1.15
FROM_ZERO = 0.3
HOPEFUL = 0.6
"""Margins that are so large a part of their interval's half width are looked at again."""


@entry
def play_on(games, mine, theirs, side):
    """Play matches to the end: one team with some weights, the other with others."""
    for index in range(games.size):
        g = games[index]
        while not g.over:
            play.play(g, act(g, mine if g.seat % NUM_TEAMS == side else theirs))


def margin(mine: np.ndarray, theirs: np.ndarray, seed: int, deals: int) -> tuple[float, float]:
    """The mean margin of some weights over others on mirrored deals, and its half width."""
    total = np.zeros(deals)
    for side in range(NUM_TEAMS):
        engine = make_engine(
            "xabitha",
            deals,
            rules=make_rules("xabitha", {"num_rounds": 1}),
            outputs=(),
            fixed_draws=True,
        )
        engine.reset(seed)
        play_on(records(engine.games), mine, theirs, side)
        penalties = engine.games["totals"]
        total += (penalties[:, 1 - side] - penalties[:, side]) / NUM_TEAMS
    return float(total.mean()), 1.96 * float(total.std(ddof=1)) / deals**0.5


def neighbours(weights: np.ndarray, place: int, step: float) -> Iterator[np.ndarray]:
    """Weights with one of them larger, and smaller; of 0, above and below."""
    for factor in (step, 1 / step):
        other = weights.copy()
        other[place] *= factor
        if weights[place] == 0:
            other[place] = FROM_ZERO if factor > 1 else -FROM_ZERO
        yield other


def tune(weights: np.ndarray, minutes: float, deals: int) -> np.ndarray:
    """Return better weights; prints what is kept."""
    end = time.monotonic() + 60 * minutes
    fresh = iter(range(LISTS["development"], LISTS["development"] + 10**9, 2 * deals))
    places = [place for place in range(len(weights)) if place not in (HOLD_MARGIN, HOLD_TURNS)]
    steps = dict.fromkeys(places, FIRST_STEP)
    while True:
        for place in places:
            if time.monotonic() > end:
                return weights
            tried = [
                (*margin(new, weights, next(fresh), deals), new)
                for new in neighbours(weights, place, steps[place])
            ]
            found, half, best = max(tried, key=lambda one: one[0])
            again, width = (0.0, 1.0)
            if found > HOPEFUL * half:
                again, width = margin(best, weights, next(fresh), 2 * deals)
            if again > HOPEFUL * width / 2:
                change = f"{weights[place]:.3f} to {best[place]:.3f}"
                print(f"weight {place}: {change}, {again:+.2f} ± {width:.2f}", flush=True)
                weights = best
            else:
                steps[place] = max(LEAST_STEP, steps[place] ** 0.7)
        print("weights:", ", ".join(f"{weight:.3g}" for weight in weights), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Tune the weights of Xabitha's expert.")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--deals", type=int, default=10_000, help="of a comparison")
    options = parser.parse_args(arguments)
    weights = tune(WEIGHTS.copy(), options.minutes, options.deals)
    print("weights:", ", ".join(f"{weight:.3g}" for weight in weights))


if __name__ == "__main__":
    main()
