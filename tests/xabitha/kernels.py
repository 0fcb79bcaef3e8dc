"""How tests call kernels, which only compiled code can call (see `xabitha_env._jit`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numba
import numpy as np

from xabitha_env._jit import INTERPRETED, records
from xabitha_env.cards import KIND_OF, NUM_KINDS, card_text


def from_python(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel as a function that Python can call."""
    if INTERPRETED:
        return kernel

    @numba.njit
    def call(*arguments):
        return kernel(*arguments)

    return call


def masks_of(cards: Iterable[str]) -> tuple[np.int64, np.int64]:
    """Return the two masks of a collection of cards: kinds held once at least, and twice."""
    counts = Counter(KIND_OF[card] for card in cards)
    both = sum(1 << kind for kind, count in counts.items() if count == 2)
    return np.int64(sum(1 << kind for kind in counts)), np.int64(both)


def mask_cards(one: int, two: int) -> Counter[str]:
    """Return the cards of two masks."""
    kinds = [kind for kind in range(NUM_KINDS) for mask in (one, two) if int(mask) >> kind & 1]
    return Counter(card_text(kind) for kind in kinds)


def record(games: np.ndarray, index: int = 0) -> Any:
    """Return a game's record as kernels want it."""
    return records(games)[index]
