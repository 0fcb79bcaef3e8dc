"""Speed: named figures, measured in turn within one run so that they can be compared.

Machines drift and are shared; so every figure is the median of repeats that are taken in turn with
all the others, printed with its range, and a peer's ratio is the median of the ratios of each turn.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.games import make_engine
from xabitha_env.players import draw_worlds

REPEATS = 5
COLD_REPEATS = 2  # each compiles everything
WARM_UP_STEPS = 64  # takes all games of a batch out of step with each other
BATCH = 64
WORLDS = 256
MOVES_BEFORE = 12
RANDOM = "random"
EXPERT = "expert"
DECISIONS = "decisions/s"
STEPS = "steps/s"
WORLDS_RATE = "worlds/s"
SECONDS = "s"

Rate = Callable[[float], float]
"""Measures for about so many seconds; returns a rate per second."""


KINDS = (
    ("mask", ("mask",), False),
    ("legal list", ("legal",), False),
    ("mask + observation", ("mask", "observation"), False),
    ("mask + derived observation", ("mask", "observation"), True),
)
"""What is kept up to date for each decision: a name, the engine's outputs, derived sections."""


def figure_name(kind: str, num_games: int, threads: int = 1) -> str:
    """Return the name of a figure of random play."""
    return f"{kind}, batch {num_games}" + (f", {threads} threads" if threads > 1 else "")


@dataclass
class Figure:
    """One line of the table.

    Attributes:
        name: what is measured.
        unit: of the values.
        measure: takes one value in about so many seconds.
        against: for a peer, the name of our figure that it is compared with.
        repeats: how many values to take.
        values: one a repeat.
    """

    name: str
    unit: str
    measure: Rate
    against: str | None = None
    repeats: int = REPEATS
    values: list[float] = field(default_factory=list)

    def row(self, ours: dict[str, Figure]) -> dict[str, Any]:
        """Return the figure as JSON holds it; a peer's ratio is ours over the peer's."""
        row: dict[str, Any] = {
            "name": self.name,
            "value": median(self.values),
            "low": min(self.values),
            "high": max(self.values),
            "unit": self.unit,
        }
        if self.against is not None:
            pairs = zip(ours[self.against].values, self.values, strict=True)
            row["against"] = self.against
            row["ratio"] = median(mine / theirs for mine, theirs in pairs)
        return row


def until(seconds: float, turn: Callable[[], int]) -> float:
    """Call `turn`, which returns what it counted, for so many seconds; the rate per second."""
    start = time.perf_counter()
    count = 0
    while (spent := time.perf_counter() - start) < seconds:
        count += turn()
    return count / spent


def self_play(
    game: str,
    num_games: int,
    outputs: Sequence[str],
    derived: bool,
    threads: int = 1,
    player: str = RANDOM,
) -> Rate:
    """Measure a player's play on a batch: choose from what is kept up to date, step, describe."""
    engine = make_engine(
        game,
        num_games,
        outputs=outputs,
        derived=derived,
        threads=threads,
        auto_restart=True,
    )
    codes = np.full(num_games, engine.player_codes[player], np.int8)

    def turn() -> int:
        engine.step(engine.choose(codes))
        return num_games

    for _ in range(WARM_UP_STEPS):
        turn()
    return lambda seconds: until(seconds, turn)


def worlds_drawn(game: str, weighted: bool) -> Rate:
    """Measure how fast worlds are drawn for a seat, some moves into a match (see `players`)."""
    engine = make_engine(game, 1)
    engine.reset(seed=0)
    codes = np.full(1, engine.player_codes[EXPERT], np.int8)
    for _ in range(MOVES_BEFORE):
        engine.step(engine.choose(codes))

    def turn() -> int:
        draw_worlds(engine, 0, WORLDS, weighted=weighted)
        return WORLDS

    turn()
    return lambda seconds: until(seconds, turn)


def pick(mask: NDArray[Any], generator: np.random.Generator) -> int:
    """Return a random action that a 0/1 mask allows (the same for all environments)."""
    legal = np.flatnonzero(mask.view(np.bool_))
    return int(legal[int(generator.random() * len(legal))])


def aec_play(environment: Any) -> Rate:
    """Measure the loop of PettingZoo's documentation with random legal actions."""
    generator = np.random.default_rng(0)

    def turn() -> int:
        environment.reset(seed=int(generator.integers(1 << 31)))
        steps = 0
        for _ in environment.agent_iter():
            seen, _, terminated, truncated, _ = environment.last()
            over = terminated or truncated
            environment.step(None if over else pick(seen["action_mask"], generator))
            steps += not over
        return steps

    return lambda seconds: until(seconds, turn)


_FIRST_STEP = """
import time
start = time.perf_counter()
import xabitha_env
env = xabitha_env.{module}.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
print(time.perf_counter() - start)
"""


class FirstStep:
    """Seconds from import to the first step in a new process, with or without compiled code."""

    def __init__(self, game: str) -> None:
        self.code = _FIRST_STEP.format(module=f"{game}_v0")

    def _run(self, folder: str) -> float:
        done = subprocess.run(
            [sys.executable, "-c", self.code],
            env={**os.environ, "XABITHA_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=True,
        )
        return float(done.stdout)

    def cold(self, _: float) -> float:
        """Measure with an empty cache."""
        with tempfile.TemporaryDirectory() as folder:
            return self._run(folder)

    def cached(self, _: float) -> float:
        """Measure with the user's cache."""
        return self._run(os.environ.get("XABITHA_CACHE_DIR", ""))


def own_figures(game: str) -> list[Figure]:
    """Return our figures, before any measurement."""
    module = import_module(f"xabitha_env.{game}_v0")
    sizes = ((1, 1), (64, 1), (1024, 1), (1024, 2))
    figures = [
        Figure(
            figure_name(name, size, threads),
            DECISIONS,
            self_play(game, size, outputs, derived, threads),
        )
        for name, outputs, derived in KINDS
        for size, threads in sizes
    ]
    first = FirstStep(game)
    expert = self_play(game, BATCH, (), False, player=EXPERT)
    return [
        *figures,
        Figure(f"{EXPERT}, batch {BATCH}", DECISIONS, expert),
        Figure("worlds drawn", WORLDS_RATE, worlds_drawn(game, False)),
        Figure("worlds drawn by what seats did", WORLDS_RATE, worlds_drawn(game, True)),
        Figure("raw_env", STEPS, aec_play(module.raw_env())),
        Figure("env", STEPS, aec_play(module.env())),
        Figure("import to first step, cached", SECONDS, first.cached),
        Figure("import to first step, cold", SECONDS, first.cold, repeats=COLD_REPEATS),
    ]


def measure(figures: Sequence[Figure], seconds: float) -> Iterator[Figure]:
    """Take all repeats of all figures in turn; yields each figure after each of its repeats.

    Args:
        figures: what to measure.
        seconds: for each repeat of each figure, but for those that have a length of their own.
    """
    for repeat in range(max(figure.repeats for figure in figures)):
        for figure in figures:
            if repeat < figure.repeats:
                figure.values.append(figure.measure(seconds))
                yield figure
