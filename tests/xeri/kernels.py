"""How tests call kernels, which only compiled code can call (see `xabitha_env._jit`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from xabitha_env._jit import INTERPRETED


def on_game(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel on a record, or a function of kernels, as one of records and an index."""
    if INTERPRETED:
        return lambda games, index, *rest: kernel(games[index], *rest)
    inner = kernel if hasattr(kernel, "py_func") else numba.njit(kernel)

    @numba.njit
    def call(games, index, *rest):
        return inner(games[index], *rest)

    return call
