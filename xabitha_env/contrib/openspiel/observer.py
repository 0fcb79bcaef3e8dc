"""Observers, in the form that OpenSpiel wants of Python games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

Piece = tuple[str, tuple[int, ...]]
"""A part of the tensor: its name and shape."""


class Observer:
    """What a seat sees or knows of a state, as a tensor and as a string.

    Args:
        pieces: the parts of the tensor, in order.
        write: writes into the parts, all zero by then: (parts by name, state, seat).
        words: returns the string: (state, seat).

    Attributes:
        tensor: (size,) float32, all parts one after another.
        dict: views of the parts, by name.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        write: Callable[[Mapping[str, NDArray[np.float32]], Any, int], None],
        words: Callable[[Any, int], str],
    ) -> None:
        sizes = [int(np.prod(shape)) for _, shape in pieces]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(pieces, parts)}
        self._write, self._words = write, words

    def set_from(self, state: Any, player: int) -> None:
        """Write what a seat sees of a state into `tensor`."""
        self.tensor.fill(0)
        self._write(self.dict, state, player)

    def string_from(self, state: Any, player: int) -> str:
        """Return what a seat sees of a state, as text."""
        return self._words(state, player)


def recalls(kind: pyspiel.IIGObservationType | None, params: Any) -> bool:
    """Return whether an observation with perfect recall is asked for.

    Raises:
        ValueError: parameters, or another observation than what one seat sees.
    """
    if params:
        raise ValueError(f"observers take no parameters, not {dict(params)!r}")
    if kind is None:
        return False
    if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
        raise ValueError(
            "observers show what one seat sees, the public part included: public_info must be "
            f"True and private_info SINGLE_PLAYER, not {kind.public_info} and {kind.private_info}"
        )
    return bool(kind.perfect_recall)
