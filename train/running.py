"""What training scripts share apart from how they learn: seeds, threads, measuring, curves."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from xabitha_env.evaluation.comparison import Comparison, compare
from xabitha_env.evaluation.deals import LISTS, seeds_of
from xabitha_env.evaluation.play import Agents, one_round
from xabitha_env.players import load_player

CHOOSING, FINAL = "development", "test"
"""The deals of evaluations on the way, and those of the final figures."""
MOST_SEED = min(LISTS.values()) // 2
"""The tables' seeds count up from the job's, and must not reach the deals of a measurement."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread: more of them than free cores are many times slower."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def check_seed(seed: int, most: int = MOST_SEED) -> None:
    """Check that the seeds of a job keep off the deals of measurements.

    Raises:
        ValueError: they do not.
    """
    if not 0 <= seed <= most:
        raise ValueError(f"--seed must be 0 to {most}, not {seed}")


def measured(team: Agents, against: str, game: str, source: str, deals: int) -> Comparison:
    """Return how a team does on mirrored deals of a list, against two of a player."""
    rival = load_player(against, game)
    return compare(team, (rival, rival), seeds_of(source, deals), one_round(game))


def line(found: Comparison, against: str) -> str:
    """Return a margin and its interval as text."""
    interval = f"{found.low:+.1f} to {found.high:+.1f}"
    return f"{found.margin:+.1f} points a round ({interval}) against {against}"


def curve_bytes(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return evaluations, at least one, as CSV, which `xabitha curves` draws."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()
