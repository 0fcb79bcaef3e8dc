"""Compiled writers of observation features and readers of action masks, 0 or 1 each."""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel

BLOCK_WORDS = 8
BLOCK = BLOCK_WORDS * np.dtype(np.int64).itemsize
"""Entries of a mask that are looked at together."""


@kernel
def write_bits(out, start, mask, count):
    """Write the lowest bits of a mask, one a feature."""
    row = out[start : start + count]  # an index from 0 to the size lets the loop be vectorised
    for index in range(row.size):
        row[index] = (mask >> index) & 1


@kernel
def write_levels(out, start, levels, number):
    """Write a number as a thermometer: bit i says whether it is at least the i-th level."""
    row = out[start : start + levels.size]
    for index in range(row.size):
        row[index] = number >= levels[index]


@kernel
def nth_allowed(mask, place):
    """Return the place-th action (from 0) of a part of a mask, and what is left of `place`."""
    for action in range(mask.size):
        if mask[action]:
            if place == 0:
                return action, -1
            place -= 1
    return -1, place


@kernel
def nth_legal(mask, place):
    """Return the place-th action (from 0) that a mask allows; blocks of zeros are passed over."""
    blocks = mask.size // BLOCK
    words = mask[: blocks * BLOCK].view(np.int64)
    for block in range(blocks):
        filled = np.int64(0)
        for word in words[block * BLOCK_WORDS : (block + 1) * BLOCK_WORDS]:
            filled |= word
        if filled != 0:
            action, place = nth_allowed(mask[block * BLOCK : (block + 1) * BLOCK], place)
            if place < 0:
                return block * BLOCK + action
    return blocks * BLOCK + nth_allowed(mask[blocks * BLOCK :], place)[0]
