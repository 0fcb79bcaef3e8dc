"""A table as a picture: what a `Scene` holds, drawn by pygame without a display."""

from __future__ import annotations

import numpy as np
import pygame
from numpy.typing import NDArray

from xabitha_env.pictures.lettering import Colour
from xabitha_env.pictures.middle import draw_middle
from xabitha_env.pictures.seats import MATS, draw_seat
from xabitha_env.pictures.sheet import (
    BAR,
    DIM,
    GOLD,
    LIGHT,
    PANEL,
    SIZE,
    TEAMS,
    Sheet,
)
from xabitha_env.scene import Scene

TOP = pygame.Rect(0, 0, SIZE[0], 36)
BOTTOM = pygame.Rect(0, SIZE[1] - 36, SIZE[0], 36)
MIDDLE = pygame.Rect(MATS[2].x, MATS[2].bottom + 6, 700, MATS[0].y - MATS[2].bottom - 12)
MARGIN = 14
SPACE = 7
"""Between the words of the scores."""


def sheet_of(scene: Scene) -> Sheet:
    """Return the pieces of a table's picture."""
    sheet = Sheet()
    for bar, owner in ((TOP, "top"), (BOTTOM, "bottom")):
        ground = pygame.Surface(bar.size)
        ground.fill(BAR)
        sheet.add(owner, PANEL, ground, *bar.topleft)
    _top(sheet, scene)
    _bottom(sheet, scene)
    for seat in scene.seats:
        draw_seat(sheet, scene, seat)
    draw_middle(sheet, scene, MIDDLE)
    return sheet


def draw_table(scene: Scene) -> pygame.Surface:
    """Return a table's picture, 960 by 640 pixels; the same scene gives the same pixels."""
    return sheet_of(scene).draw()


def pixels(scene: Scene) -> NDArray[np.uint8]:
    """Return a table's picture as an array of its own, (640, 960, 3) red, green and blue."""
    data = bytearray(pygame.image.tobytes(draw_table(scene), "RGB"))
    return np.frombuffer(data, np.uint8).reshape(SIZE[1], SIZE[0], 3)


def _top(sheet: Sheet, scene: Scene) -> None:
    """Write the game, whose view it is, where the match stands and the scores."""
    right = _scores(sheet, scene, TOP.right - MARGIN)
    third = pygame.Rect(MARGIN, TOP.y, 110, TOP.height)
    used = sheet.write("game", scene.game.capitalize(), 28, LIGHT, third)
    view = "all hands open" if scene.viewer is None else f"as seat {scene.viewer} sees it"
    start = MARGIN + used + 16
    rest = pygame.Rect(start, TOP.y, right - start - 16, TOP.height)
    sheet.write("place", f"{scene.place}, {view}", 20, DIM, rest)


def _scores(sheet: Sheet, scene: Scene, right: int) -> int:
    """Write the scores up to the right; returns where they begin."""
    words: list[tuple[str, Colour]] = []
    for name, first, second in scene.scores:
        words += [(f"  {name}", DIM), (str(first), TEAMS[0]), (":", DIM), (str(second), TEAMS[1])]
    for text, colour in reversed(words):
        rect = pygame.Rect(TOP.x, TOP.y, right, TOP.height)
        right -= sheet.write("scores", text, 22, colour, rect, "right") + SPACE
    return right


def _bottom(sheet: Sheet, scene: Scene) -> None:
    """Write what is awaited, and the news."""
    whole = pygame.Rect(MARGIN, BOTTOM.y, BOTTOM.width - 2 * MARGIN, BOTTOM.height)
    used = sheet.write("doing", scene.doing, 24, GOLD, whole)
    rest = pygame.Rect(whole.x + used + 24, whole.y, whole.width - used - 24, whole.height)
    sheet.write("news", scene.news, 20, LIGHT, rest, "right")
