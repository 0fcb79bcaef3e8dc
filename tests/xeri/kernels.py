"""How tests call kernels, which only compiled code can call (see `xabitha_env._jit`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from xabitha_env._jit import INTERPRETED
from xabitha_env.xeri.actions import NUM_CARDS
from xabitha_env.xeri.resample import redraw


def on_game(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel on a record, or a function of kernels, as one of records and an index."""
    if INTERPRETED:
        return lambda games, index, *rest: kernel(games[index], *rest)
    inner = kernel if hasattr(kernel, "py_func") else numba.njit(kernel)

    @numba.njit
    def call(games, index, *rest):
        return inner(games[index], *rest)

    return call


def _redraw_all(games: Any, index: int, seat: int, words: Any, out: Any) -> None:
    pool = np.empty(NUM_CARDS, np.int8)
    for place in range(words.size):
        out[place] = games[index]
        redraw(out[place], seat, pool, words[place])


resample_games = _redraw_all if INTERPRETED else numba.njit(_redraw_all)
"""(games, index, seat, words, out): a copy of a game a stream, redrawn for any seat."""
