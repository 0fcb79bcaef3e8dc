"""Worlds that the seat to act cannot tell from the one it is in."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env._jit import records
from xabitha_env._random import seed_streams
from xabitha_env.protocol import Engine


def search_kernels(game: str) -> Any:
    """Return a game's module of kernels for search; they are compiled when first used."""
    return import_module(f"xabitha_env.{game}.search")


def draw_worlds(
    engine: Engine, index: int, count: int, *, weighted: bool = False, seed: int = 0
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Draw worlds: copies of a game in which all that is hidden from the seat to act is dealt anew.

    Args:
        engine: the games.
        index: one that is not over.
        count: n, how many worlds.
        weighted: by default every placement of the hidden cards is as likely; else hands count by
            how likely `expert` would have played with them as their seats did.
        seed: the same seed gives the same worlds.

    Returns:
        The (n,) records, and (n,) float64 weights: how much each counts among them.

    Raises:
        ValueError: the match is over, or fewer than one world.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, not {count}")
    if engine.over[index]:
        raise ValueError(f"the match of game {index} is over: nobody is to act")
    games = records(engine.games)
    worlds = records(np.zeros(count, engine.games.dtype))
    weights = np.empty(count)
    words = seed_streams(seed, count)
    search_kernels(engine.game).draw_worlds(games, index, weighted, words, worlds, weights)
    return worlds, weights
