"""Layouts of actions and observations: ordered, named blocks whose offsets are derived.

A layout is declared once, as a list of blocks; every offset, the size, the README tables and the
numbers that the compiled kernels use come from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Block:
    """A named part of a layout.

    Attributes:
        name: how code, tables and errors call it.
        shape: its dimensions, outermost first; its size is their product.
        meaning: one line for the tables.
        optional: True for blocks that can be switched off (derived features).
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    optional: bool = False

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.shape)


class Layout:
    """Ordered blocks with derived offsets.

    Args:
        blocks: the blocks in order.

    Raises:
        ValueError: two blocks share a name.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = tuple(blocks)
        self._offsets: dict[str, int] = {}
        size = 0
        for block in self.blocks:
            if block.name in self._offsets:
                raise ValueError(f"two blocks are called {block.name!r}")
            self._offsets[block.name] = size
            size += block.size
        self.size = size

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, name: str) -> Block:
        """Return the block of this name."""
        return self.blocks[list(self._offsets).index(self._known(name))]

    def offset(self, name: str) -> int:
        """Return the index of a block's first entry."""
        return self._offsets[self._known(name)]

    def slice(self, name: str) -> slice:
        """Return the slice that a block occupies."""
        start = self.offset(name)
        return slice(start, start + self[name].size)

    def block_at(self, index: int) -> tuple[Block, int]:
        """Return the block that holds an entry and the entry's index in the block.

        Raises:
            IndexError: the index is outside the layout.
        """
        if not 0 <= index < self.size:
            raise IndexError(f"index {index} is outside 0 to {self.size - 1}")
        for block in self.blocks:
            within = index - self._offsets[block.name]
            if within < block.size:
                return block, within
        raise AssertionError("blocks cover the layout")

    def table(self) -> str:
        """Return the layout as a Markdown table: range, name, shape, meaning."""
        rows = ["| from | to | name | shape | meaning |", "| ---: | ---: | --- | --- | --- |"]
        for block in self.blocks:
            start = self._offsets[block.name]
            shape = " x ".join(map(str, block.shape))
            meaning = block.meaning + (" (derived, optional)" if block.optional else "")
            rows.append(
                f"| {start} | {start + block.size - 1} | `{block.name}` | {shape} | {meaning} |"
            )
        return "\n".join(rows)

    def _known(self, name: str) -> str:
        if name not in self._offsets:
            raise KeyError(f"no block {name!r}; there are {', '.join(self._offsets)}")
        return name


class ActionLayout(Layout):
    """The one numbering of a game's actions (all seats, all phases)."""


class ObsLayout(Layout):
    """The one numbering of a game's observation features (0 or 1 each)."""
