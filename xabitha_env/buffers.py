"""Compiled writers of observation features and readers of action masks, 0 or 1 each."""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.masks import count_bits

WORD = np.dtype(np.int64).itemsize
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
def mark(mask, ids, count, value):
    """Write a value for the first so many of some actions."""
    for place in range(count):
        mask[ids[place]] = value


@kernel
def nth_allowed(mask, start, stop, step, place):
    """Return the place-th action (from 0) that a mask allows, and what is left of `place`.

    The search goes from `start` to before `stop`; the action is -1 where there are fewer.
    """
    for action in range(start, stop, step):
        if mask[action]:
            if place == 0:
                return action, place
            place -= 1
    return -1, place


@kernel
def nth_legal(mask, place, count):
    """Return the place-th action (from 0) of the `count` that a mask allows.

    Eight entries are looked at together. Where the first of them are zero, what is allowed lies far
    behind, often at the very end, so the search begins there.
    """
    words = mask[: mask.size // WORD * WORD].view(np.int64)
    if words.size > 0 and words[0] != 0:
        for index in range(words.size):
            inside = count_bits(words[index])
            if place < inside:
                return nth_allowed(mask, index * WORD, (index + 1) * WORD, 1, place)[0]
            place -= inside
        return nth_allowed(mask, words.size * WORD, mask.size, 1, place)[0]
    action, place = nth_allowed(mask, mask.size - 1, words.size * WORD - 1, -1, count - 1 - place)
    if action >= 0:
        return action
    for index in range(words.size - 1, -1, -1):
        inside = count_bits(words[index])
        if place < inside:
            return nth_allowed(mask, (index + 1) * WORD - 1, index * WORD - 1, -1, place)[0]
        place -= inside
    return -1
