"""Cards drawn: faces, backs and empty places, as surfaces of any width.

The four suits differ in colour (red, black) and in shape; a joker shows a purple star.
"""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

import pygame

from xabitha_env.cards import JOKER, card_text, parse_card
from xabitha_env.pictures.lettering import Colour, lettering

PAPER: Colour = (252, 250, 244)
EDGE: Colour = (96, 98, 96)
RED: Colour = (200, 22, 40)
BLACK: Colour = (24, 26, 30)
PURPLE: Colour = (122, 44, 150)
NAVY: Colour = (36, 62, 120)
PALE: Colour = (148, 174, 226)

FINE = 6
"""Shapes are drawn so many times larger, then made smaller, for smooth edges."""
JOKER_NAME = card_text(JOKER)
ACROSS, DOWN = "across", "down"
"""How cards overlap: the next one to the right, or below; the rank and suit lie accordingly."""

Points = list[tuple[float, float]]


def height_of(width: int) -> int:
    """Return a card's height in pixels."""
    return round(width * 1.42)


def _heart() -> Points:
    turns = [2 * pi * step / 72 for step in range(72)]
    return [
        (
            0.5 + 16 * sin(t) ** 3 / 34,
            0.46 - (13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)) / 34,
        )
        for t in turns
    ]


def _circle(x: float, y: float, radius: float) -> Points:
    turns = [2 * pi * step / 48 for step in range(48)]
    return [(x + radius * cos(t), y + radius * sin(t)) for t in turns]


def _star() -> Points:
    spikes = [(pi * step / 5, 0.52 if step % 2 == 0 else 0.22) for step in range(10)]
    return [(0.5 + far * sin(t), 0.54 - far * cos(t)) for t, far in spikes]


_FOOT: Points = [(0.5, 0.55), (0.56, 0.8), (0.7, 0.97), (0.3, 0.97), (0.44, 0.8)]
_SHAPES: dict[str, tuple[Colour, tuple[Points, ...]]] = {
    "C": (
        BLACK,
        (_circle(0.5, 0.26, 0.23), _circle(0.25, 0.6, 0.23), _circle(0.75, 0.6, 0.23), _FOOT),
    ),
    "D": (RED, ([(0.5, 0.0), (0.88, 0.5), (0.5, 1.0), (0.12, 0.5)],)),
    "H": (RED, (_heart(),)),
    "S": (BLACK, ([(x, 0.88 - 0.92 * y) for x, y in _heart()], _FOOT)),
    "K": (PURPLE, (_star(),)),  # the second letter of JK
}


@cache
def suit_shape(suit: str, size: int) -> pygame.Surface:
    """Return a suit's shape on nothing, in a square.

    Args:
        suit: a letter of `SUITS`, or the ``K`` of ``JK`` for a joker's star.
        size: the square's width in pixels.
    """
    colour, parts = _SHAPES[suit]
    large = pygame.Surface((size * FINE, size * FINE), pygame.SRCALPHA)
    large.fill((*colour, 0))  # what the edges blend into
    for part in parts:
        corners = [(x * size * FINE, y * size * FINE) for x, y in part]
        pygame.draw.polygon(large, colour, corners)
    return pygame.transform.smoothscale(large, (size, size))


@cache
def rounded(
    size: tuple[int, int], fill: Colour, edge: Colour, thick: float = 1, radius: int = 6
) -> pygame.Surface:
    """Return a rectangle with round corners and an edge, on nothing.

    Args:
        size: width and height in pixels.
        fill: its colour.
        edge: its edge's colour.
        thick: the edge's width in pixels.
        radius: of the corners, in pixels.
    """
    large = pygame.Surface((size[0] * FINE, size[1] * FINE), pygame.SRCALPHA)
    large.fill((*edge, 0))
    box = large.get_rect()
    pygame.draw.rect(large, edge, box, border_radius=radius * FINE)
    inner = box.inflate(-2 * thick * FINE, -2 * thick * FINE)
    pygame.draw.rect(large, fill, inner, border_radius=max(radius * FINE - round(thick * FINE), 0))
    made = pygame.transform.smoothscale(large, size)
    # It leaves the inside a little transparent.
    inside = made.get_rect().inflate(-2 * (int(thick) + 1), -2 * (int(thick) + 1))
    pygame.draw.rect(made, fill, inside, border_radius=max(radius - int(thick) - 1, 0))
    return made


def _rank(card: str, width: int) -> pygame.Surface:
    """Return a card's rank, made narrow where it has two letters."""
    colour, _ = _SHAPES[card[1]]
    words = card if card == JOKER_NAME else card[0].replace("T", "10")
    made = lettering(words, round(width * 0.52), colour)
    most = round(width * 0.28)
    if made.get_width() > most:
        made = pygame.transform.smoothscale(made, (most, made.get_height()))
    return made


@cache
def face(card: str, width: int, overlap: str = ACROSS) -> pygame.Surface:
    """Return a card's face.

    Args:
        card: its text form.
        width: in pixels.
        overlap: `ACROSS` puts the suit below the rank, `DOWN` beside it, so that both stay to be
            seen under the next card.

    Raises:
        ValueError: the text is no card.
    """
    parse_card(card)
    height, suit = height_of(width), card[1]
    made = rounded((width, height), PAPER, EDGE, 1, max(width // 10, 2)).copy()
    rank = _rank(card, width)
    seen = rank.get_bounding_rect()
    margin, small = max(round(width * 0.07), 2), round(width * 0.25)
    column = round(width * 0.27)  # the width that rank and suit have
    left = margin + (column - seen.width) // 2 - seen.x
    made.blit(rank, (left, margin + 1 - seen.y))
    if overlap == ACROSS:
        corner = (margin + (column - small) // 2, margin + seen.height + 4)
    else:
        corner = (margin + column + 2, margin + 1 + (seen.height - small) // 2)
    made.blit(suit_shape(suit, small), corner)
    big = round(width * 0.46)
    made.blit(suit_shape(suit, big), (width - big - margin - 1, height - big - margin - 2))
    return made


@cache
def back(width: int) -> pygame.Surface:
    """Return a card's back, `width` pixels wide."""
    height = height_of(width)
    made = rounded((width, height), PAPER, EDGE, 1, max(width // 10, 2)).copy()
    margin = max(width // 12, 2)
    field = pygame.Rect(margin, margin, width - 2 * margin, height - 2 * margin)
    large = pygame.Surface((field.width * FINE, field.height * FINE))
    large.fill(NAVY)
    step = max(width // 7, 4) * FINE
    for start in range(-large.get_height(), large.get_width() + large.get_height(), step):
        for lean in (1, -1):
            end = (start + lean * large.get_height(), large.get_height())
            pygame.draw.line(large, PALE, (start, 0), end, FINE)
    made.blit(pygame.transform.smoothscale(large, field.size), field)
    return made


@cache
def place(width: int, fill: Colour, edge: Colour) -> pygame.Surface:
    """Return an empty place for a card, `width` pixels wide."""
    return rounded((width, height_of(width)), fill, edge, 1.5, max(width // 10, 2))
