"""Where cards lie: rows that draw together when they would not fit, and melds in lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xabitha_env.pictures.faces import height_of


def spread(counts: Sequence[int], length: int, card: int, step: float, gap: int) -> list[list[int]]:
    """Return where the cards of groups begin that lie one after another along a line.

    Args:
        counts: how many cards each group has; groups without any take no room.
        length: of the line, in pixels.
        card: a card's extent along the line.
        step: from card to card in a group; less where the line would be too short.
        gap: between groups.
    """
    groups = [count for count in counts if count]
    overlaps = sum(groups) - len(groups)
    if overlaps:
        room = length - len(groups) * card - gap * (len(groups) - 1)
        step = min(step, room / overlaps)
    starts, at = [], 0.0
    for count in counts:
        starts.append([int(at + step * card_number) for card_number in range(count)])
        if count:
            at += step * (count - 1) + card + gap
    return starts


class Size(NamedTuple):
    """How large cards are drawn, in pixels: their width, and how far the next one is."""

    width: int
    step: int

    @property
    def height(self) -> int:
        """Height of a card."""
        return height_of(self.width)

    def length(self, count: int) -> int:
        """Return the width of a row of cards."""
        return self.width + self.step * (count - 1) if count else 0


def lines_of(
    counts: Sequence[int], size: Size, width: int, before: int, gap: int
) -> list[list[int]]:
    """Return in which lines groups lie, as lists of their numbers.

    Args:
        counts: how many cards each group has.
        size: of the cards.
        width: of a line, in pixels.
        before: what a group takes besides its cards.
        gap: between groups of a line.
    """
    lines: list[list[int]] = []
    used = width
    for number, count in enumerate(counts):
        need = before + size.length(count)
        if not lines or used + gap + need > width:
            lines.append([])
            used = -gap
        lines[-1].append(number)
        used += gap + need
    return lines


def fitting(
    counts: Sequence[int],
    sizes: Sequence[Size],
    room: tuple[int, int],
    before: int,
    gap: int,
) -> tuple[Size, list[list[int]]]:
    """Return the first of some sizes, from large to small, whose lines fit, and the lines.

    Args:
        counts: how many cards each group has.
        sizes: what may be chosen; the last one is taken if none fits.
        room: width and height in pixels.
        before: what a group takes besides its cards.
        gap: between groups of a line, and between lines.
    """
    for size in sizes:
        lines = lines_of(counts, size, room[0], before, gap)
        if len(lines) * (size.height + gap) - gap <= room[1]:
            break
    return size, lines
