"""Compiled helpers on masks: 64-bit integers with a bit a kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from xabitha_env._jit import INTERPRETED, kernel

if INTERPRETED:

    def _ctpop(mask: Any) -> int:
        return int(mask).bit_count()

    def _cttz(mask: Any) -> int:
        return (int(mask) & -int(mask)).bit_length() - 1

else:

    @intrinsic
    def _ctpop(typing_context, mask):
        def build(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), build

    @intrinsic
    def _cttz(typing_context, mask):
        def build(context, builder, signature, arguments):
            return builder.cttz(arguments[0], cgutils.true_bit)

        return types.int64(types.int64), build


@kernel
def count_bits(mask):
    """Return how many bits of a mask are set."""
    return _ctpop(np.int64(mask))


@kernel
def lowest_bit(mask):
    """Return the index of the lowest bit set; the mask is not zero."""
    return _cttz(np.int64(mask))


@kernel
def bit(index):
    """Return the mask with one bit set."""
    return np.int64(1) << np.int64(index)
