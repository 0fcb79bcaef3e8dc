"""Text as surfaces, in pygame's own font, so that it looks the same on every machine."""

from __future__ import annotations

from functools import lru_cache

import pygame

Colour = tuple[int, int, int]

FINE = 4
"""Letters are drawn so many times larger, then made smaller: small ones would stand unevenly."""
SMALLEST = 12
"""The height in pixels that text is not made smaller than."""


@lru_cache(maxsize=4096)
def lettering(words: str, size: int, colour: Colour) -> pygame.Surface:
    """Return text on nothing; keep it as it is, since it is handed out again.

    Args:
        words: one line.
        size: the font's height in pixels.
        colour: of the letters.
    """
    pygame.font.init()  # anew after a `pygame.quit`, which fonts do not survive and surfaces do
    large = pygame.font.Font(None, size * FINE).render(words, True, colour)
    return pygame.transform.smoothscale(
        large, (-(-large.get_width() // FINE), -(-large.get_height() // FINE))
    )


@lru_cache(maxsize=4096)
def fitted(words: str, size: int, colour: Colour, width: int) -> pygame.Surface:
    """Return text that is no wider than it may be: smaller, or cut off in the end."""
    for smaller in range(size, SMALLEST - 1, -1):
        made = lettering(words, smaller, colour)
        if made.get_width() <= width:
            return made
    for length in range(len(words) - 1, 0, -1):
        made = lettering(words[:length].rstrip() + "...", SMALLEST, colour)
        if made.get_width() <= width:
            return made
    return lettering("", SMALLEST, colour)
