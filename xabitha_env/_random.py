"""The compiled random generator: xorshift64 (Marsaglia, 2003), one 64-bit word a stream.

Streams live in the games' records and are seeded through `numpy.random.SeedSequence`, so that a
game is the same alone or in any batch, on one thread or many. Only shifts and exclusive-ors are
used: they are the same compiled and interpreted (a product would overflow with a warning).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from xabitha_env._jit import kernel

_A = np.uint64(13)
_B = np.uint64(7)
_C = np.uint64(17)
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_MIX_LOW = np.uint64(0x9E3779B1)
_MIX_HIGH = np.uint64(0x85EBCA77)


def seed_streams(seed: int | Sequence[int], count: int) -> NDArray[np.uint64]:
    """Return the first words of `count` independent streams for a seed (never zero)."""
    words = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return np.maximum(words, _ONE)


@kernel
def advance(word):
    """Return the stream's next word."""
    word = word ^ (word << _A)
    word = word ^ (word >> _B)
    return word ^ (word << _C)


@kernel
def branch(word):
    """Return the first word of another stream, for good unlike the rest of this one.

    Products of 32-bit halves fit 64 bits, and are not linear as the generator is.
    """
    low, high = word & _LOW_HALF, word >> _HALF
    return (low * _MIX_LOW) ^ ((high * _MIX_HIGH) << _ONE) | _ONE


@kernel
def below(word, count):
    """Return a number from 0 to count - 1 from a word, each as likely to within count / 2**32."""
    return np.int64(((word >> _HALF) * np.uint64(count)) >> _HALF)


@kernel
def shuffle(cards, count, word):
    """Shuffle the first `count` entries (Fisher and Yates); returns the stream's new word."""
    for last in range(count - 1, 0, -1):
        word = advance(word)
        other = below(word, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
    return word
