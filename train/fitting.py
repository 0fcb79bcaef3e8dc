"""Gather samples, fit a `Regression` to them, and judge the probabilities that it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from agents.regression import Regression
from train.ppo import Crew
from xabitha_env.cli.output import progress_bar

T = TypeVar("T")
RATE, DECAY, BATCH = 2e-3, 1e-4, 1024
HELD_OUT = 0.1
"""Share of the samples by which the best pass is chosen."""
BINS = 10

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def gather(
    crew: Crew, kind: type[T], work: Callable[[int], T], chunks: int, title: str, quiet: bool
) -> T:
    """Return the samples of some chunks as one, made in all processes.

    Args:
        crew: who works.
        kind: of the samples, a `NamedTuple` of arrays with a row a sample.
        work: makes a chunk by its number; it can be pickled.
        chunks: how many.
        title, quiet: of the progress bar.
    """
    parts: list[Any] = []
    with progress_bar(title, chunks, quiet) as show:
        for part in crew.in_order(work, range(chunks)):
            parts.append(part)
            show(len(parts))
    return kind(*(np.concatenate(column) for column in zip(*parts)))


def fit(
    regression: Regression,
    inputs: NDArray[np.float32],
    targets: NDArray[np.float32],
    loss: Loss,
    passes: int,
    seed: int,
) -> float:
    """Fit a regression; it ends as it was after the pass with the least loss on samples held out.

    Args:
        regression: changed.
        inputs: (n, features).
        targets: (n, anything), as the loss takes them.
        loss: of estimates (b, outputs) and targets (b, anything), a mean over b.
        passes: over the samples.
        seed: of the order and of what is held out.

    Returns:
        That loss.
    """
    random = np.random.default_rng(seed)
    order = random.permutation(len(inputs))
    held = max(int(HELD_OUT * len(inputs)), 1)
    kept, rest = order[:held], order[held:]
    regression.scale_to(inputs[rest])
    every, wanted = torch.from_numpy(inputs), torch.from_numpy(targets)
    optimiser = torch.optim.AdamW(regression.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, passes)
    least, best = float("inf"), regression.state_dict()
    for _ in range(passes):
        random.shuffle(rest)
        for start in range(0, len(rest), BATCH):
            rows = torch.from_numpy(rest[start : start + BATCH])
            optimiser.zero_grad()
            loss(regression(every[rows]), wanted[rows]).backward()
            optimiser.step()
        schedule.step()
        with torch.no_grad():
            held_out = torch.from_numpy(kept)
            now = float(loss(regression(every[held_out]), wanted[held_out]))
        if now < least:
            least = now
            best = {name: one.clone() for name, one in regression.state_dict().items()}
    regression.load_state_dict(best)
    return least


class Reliability(NamedTuple):
    """How often what was given some probability happened, in bins of equal width."""

    said: NDArray[np.float64]  # (k,) mean probability of each bin that is not empty
    happened: NDArray[np.float64]  # (k,) share of what happened
    count: NDArray[np.int64]  # (k,)
    brier: float  # mean squared error of the probabilities (Brier 1950)
    base: float  # the same of the one probability that fits best


def reliability(said: NDArray[np.floating], happened: NDArray[np.bool_]) -> Reliability:
    """Judge probabilities (n,) by what happened (n,)."""
    bins = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(bins, minlength=BINS)
    full = count > 0
    mean_said, mean_happened = (
        np.bincount(bins, one, BINS)[full] / count[full] for one in (said, happened)
    )
    brier = float(((said - happened) ** 2).mean())
    return Reliability(mean_said, mean_happened, count[full], brier, float(happened.var()))
