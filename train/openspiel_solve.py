"""Solve cut-down Xeri with OpenSpiel: MCCFR, and how far from an equilibrium it is as it goes.

After so many iterations the average policy is measured exactly: what each seat would win more by
the best answer to the others (its improvement), and their sum, NashConv. With two seats half of
that is the exploitability, and it goes to zero. With four no theorem says so.

    python -m train.openspiel_solve                                  # two seats, a minute
    python -m train.openspiel_solve --seats 4 --ranks A5J --hand-cards 2
    python -m train.openspiel_solve --smoke                          # in seconds
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from train import options
from train.options import option
from xabitha_env.contrib.openspiel import pyspiel  # which registers the games
from xabitha_env.contrib.openspiel.small import SmallRules
from xabitha_env.files import write_text

GAME = "python_small_xeri"
METHODS = ("external", "outcome")
FILE = "solve.json"


@dataclass
class Args:
    """What to solve, and for how long."""

    seats: int = option(SmallRules.seats, "seats, 2 or 4")
    ranks: str = option(SmallRules.ranks, "ranks of the pack")
    suits: int = option(SmallRules.suits, "cards of each rank")
    hand_cards: int = option(SmallRules.hand_cards, "cards dealt to each seat")
    pile_cards: int = option(SmallRules.pile_cards, "cards dealt to the pile")
    method: str = option("external", f"how chance and others are sampled: {' or '.join(METHODS)}")
    iterations: int = option(100_000, "of MCCFR", 1)
    measures: int = option(12, "how often the policy is measured on the way", 1)
    seed: int = option(0, "of the samples", 0)
    out: str = option("", f"folder for {FILE}; by default nothing is written")
    quiet: bool = option(False, "print nothing")


SMOKE = {"ranks": "A5J", "hand_cards": 2, "iterations": 300, "measures": 3}


class Measure(NamedTuple):
    """How good a policy is after some iterations.

    Attributes:
        iterations: of the solver, so far.
        values: what each seat wins with it, in points.
        improvements: how much more each seat would win by the best answer to the others.
    """

    iterations: int
    values: list[float]
    improvements: list[float]

    @property
    def nash_conv(self) -> float:
        """The sum of the improvements; zero in an equilibrium."""
        return sum(self.improvements)


def small_game(**rules: Any) -> Any:
    """Return a cut-down game whose tree is kept in memory as it is visited.

    Args:
        rules: values of `SmallRules` that are not at their defaults.

    Raises:
        ValueError: values that no game can be played with.
    """
    return pyspiel.convert_to_cached_tree(pyspiel.load_game(GAME, rules))


def make_solver(game: Any, method: str = "external", seed: int = 0) -> Any:
    """Return OpenSpiel's compiled MCCFR solver.

    Raises:
        ValueError: there is no such method.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if method == "external":
        return pyspiel.ExternalSamplingMCCFRSolver(game, seed=seed)
    return pyspiel.OutcomeSamplingMCCFRSolver(game, seed=seed)


def values_of(game: Any, policy: Any) -> list[float]:
    """Return what each seat wins when all play by a policy of OpenSpiel, exactly."""
    return list(pyspiel.expected_returns(game.new_initial_state(), policy, -1, False))


def measure(game: Any, policy: Any, iterations: int = 0) -> Measure:
    """Measure a policy of OpenSpiel exactly, by going through the whole tree."""
    root, values = game.new_initial_state(), values_of(game, policy)
    answers = [
        pyspiel.TabularBestResponse(game, seat, policy).value_from_state(root)
        for seat in range(game.num_players())
    ]
    improvements = [answer - value for answer, value in zip(answers, values, strict=True)]
    return Measure(iterations, values, improvements)


def decisions(game: Any) -> dict[str, Any]:
    """Return a state for every information state of a game, by its string."""
    found: dict[str, Any] = {}
    todo = [game.new_initial_state()]
    while todo:
        state = todo.pop()
        if state.is_player_node():
            found.setdefault(state.information_state_string(), state)
        todo += [state.child(action) for action in state.legal_actions()]
    return found


def tabulate(states: Mapping[str, Any], choose: Callable[[Any], Mapping[int, float]]) -> Any:
    """Return a policy of OpenSpiel as a table of its own.

    Args:
        states: as of `decisions`.
        choose: the probability of each action in a state. With the ``action_probabilities`` of a
            solver's policy, which dies with the solver, this is a copy that lives on.
    """
    return pyspiel.TabularPolicy({key: sorted(choose(one).items()) for key, one in states.items()})


def stops(iterations: int, count: int) -> list[int]:
    """Return after how many iterations to measure: evenly on a logarithmic scale, the last too."""
    first = min(max(iterations // 1000, 1), iterations)
    return sorted({round(stop) for stop in np.geomspace(first, iterations, count)} | {iterations})


def solve(game: Any, solver: Any, iterations: int, measures: int) -> Iterator[Measure]:
    """Run a solver; yields a measure of its average policy at each of the `stops`."""
    for before, now in pairwise([0, *stops(iterations, measures)]):
        for _ in range(now - before):
            solver.run_iteration()
        yield measure(game, solver.average_policy(), now)


def main(args: Args) -> list[Measure]:
    """Solve a game.

    Returns:
        The measures.

    Raises:
        ValueError: a bad argument.
        OSError: the folder cannot be written to.
    """
    options.check_numbers(args)
    names = {one.name for one in fields(SmallRules)}
    game = small_game(**{name: value for name, value in asdict(args).items() if name in names})
    found = []
    for one in solve(
        game, make_solver(game, args.method, args.seed), args.iterations, args.measures
    ):
        found.append(one)
        if not args.quiet:
            gains = ", ".join(f"{gain:.3f}" for gain in one.improvements)
            print(
                f"{one.iterations:>9,} iterations: seat 0 wins {one.values[0]:+.3f} points, "
                f"NashConv {one.nash_conv:.3f} (improvements {gains})"
            )
    if args.out:
        out = Path(args.out)
        out.mkdir(parents=True, exist_ok=True)
        curve = [one._asdict() | {"nash_conv": one.nash_conv} for one in found]
        told = {"args": asdict(args), "measures": curve}
        write_text(out / FILE, json.dumps(told, indent=1) + "\n")
    return found


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    description = __doc__ or ""
    return options.guarded(
        lambda: main(options.parse(Args, "train.openspiel_solve", description, arguments, SMOKE))
    )


if __name__ == "__main__":
    sys.exit(run())
