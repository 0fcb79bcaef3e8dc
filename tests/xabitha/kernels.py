"""How tests call kernels, which only compiled code can call (see `xabitha_env._jit`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from xabitha_env._jit import INTERPRETED


def from_python(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel as a function that Python can call."""
    if INTERPRETED:
        return kernel

    @numba.njit
    def call(*arguments):
        return kernel(*arguments)

    return call
