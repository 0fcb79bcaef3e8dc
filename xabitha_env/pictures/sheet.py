"""What a picture of a table is made of: surfaces at places, with what they belong to."""

from __future__ import annotations

from typing import NamedTuple

import pygame

from xabitha_env.pictures.faces import ACROSS, back, face, rounded
from xabitha_env.pictures.lettering import Colour, fitted

SIZE = (960, 640)
"""Width and height of every picture, in pixels."""

FELT: Colour = (28, 98, 74)
MAT: Colour = (22, 82, 62)
BAR: Colour = (14, 46, 37)
LINE: Colour = (58, 128, 102)
LIGHT: Colour = (240, 244, 236)
DIM: Colour = (178, 206, 190)
STAGED: Colour = (92, 104, 58)
GOLD: Colour = (252, 208, 92)
VIOLET: Colour = (222, 176, 250)
TEAMS: tuple[Colour, Colour] = ((138, 200, 255), (255, 178, 116))

PANEL, CARD, TEXT, BADGE = "panel", "card", "text", "badge"
"""Kinds of pieces: what others may lie on, cards, words beside them, and words on them."""


class Piece(NamedTuple):
    """A surface at its place.

    Attributes:
        owner: what it belongs to, such as ``seat 2`` or ``meld 3``.
        kind: one of the kinds above.
        surface: what is drawn.
        rect: where.
    """

    owner: str
    kind: str
    surface: pygame.Surface
    rect: pygame.Rect


class Sheet:
    """Collects the pieces of a picture, each one above those before it."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []

    def add(self, owner: str, kind: str, surface: pygame.Surface, x: int, y: int) -> None:
        """Put a surface at its left and upper edge."""
        self.pieces.append(Piece(owner, kind, surface, surface.get_rect(topleft=(x, y))))

    def panel(self, owner: str, rect: pygame.Rect, edge: Colour = LINE, thick: float = 1) -> None:
        """Put a mat that other things lie on."""
        self.add(owner, PANEL, rounded(rect.size, MAT, edge, thick, 8), *rect.topleft)

    def write(
        self,
        owner: str,
        words: str,
        size: int,
        colour: Colour,
        rect: pygame.Rect,
        align: str = "left",
    ) -> int:
        """Write a line inside a rectangle, in the middle of its height.

        Args:
            owner: what it belongs to.
            words: the line; nothing is written if it is empty.
            size: the font's height in pixels; less where the rectangle is too narrow.
            colour: of the letters.
            rect: where.
            align: ``left``, ``center`` or ``right``.

        Returns:
            The line's width in pixels.
        """
        if not words:
            return 0
        made = fitted(words, size, colour, rect.width)
        free = rect.width - made.get_width()
        x = rect.x + {"left": 0, "center": free // 2, "right": free}[align]
        self.add(owner, TEXT, made, x, rect.y + (rect.height - made.get_height()) // 2)
        return made.get_width()

    def card(
        self, owner: str, name: str, width: int, x: int, y: int, overlap: str = ACROSS
    ) -> None:
        """Put a card, face down if it has no name."""
        self.add(owner, CARD, face(name, width, overlap) if name else back(width), x, y)

    def badge(self, owner: str, words: str, size: int, center: tuple[int, int]) -> None:
        """Put a few letters on a dark ground, such as how many cards a pile has."""
        made = fitted(words, size, LIGHT, SIZE[0])
        height = made.get_height() + 4
        ground = rounded((max(made.get_width() + 12, height), height), BAR, LINE, 1, height // 2)
        ground = ground.copy()
        ground.blit(made, made.get_rect(center=ground.get_rect().center))
        self.pieces.append(Piece(owner, BADGE, ground, ground.get_rect(center=center)))

    def draw(self) -> pygame.Surface:
        """Return the picture."""
        surface = pygame.Surface(SIZE)
        surface.fill(FELT)
        surface.blits([(piece.surface, piece.rect) for piece in self.pieces])
        return surface
