"""The four seats around the table: hands in rows above and below, in columns left and right."""

from __future__ import annotations

import pygame

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.pictures.faces import ACROSS, DOWN, rounded
from xabitha_env.pictures.placing import Size, spread
from xabitha_env.pictures.sheet import (
    DIM,
    GOLD,
    LIGHT,
    LINE,
    PANEL,
    SIZE,
    STAGED,
    TEAMS,
    VIOLET,
    Sheet,
)
from xabitha_env.scene import Scene, SeatScene

MATS = (
    pygame.Rect(130, SIZE[1] - 146, 700, 104),
    pygame.Rect(6, 42, 118, SIZE[1] - 84),
    pygame.Rect(130, 42, 700, 104),
    pygame.Rect(SIZE[0] - 124, 42, 118, SIZE[1] - 84),
)
"""Places of the seats below, left, above and right."""

ROW = Size(52, 37)
COLUMN = Size(48, 27)
FEW = 6
"""Hands of so many cards lie apart; others all lie equally close, so that a draw moves little."""
APART = 6
"""Pixels between the cards of such a hand."""
WORDS = 104
"""The width of what is written about a seat."""
GAPS = (16, 8)
"""Between a hand and staged melds, in a row and in a column."""
MARGIN = 8

_LINES = ((20, 20), (18, 17), (18, 17), (18, 17))
"""The font size and the height of each line about a seat."""
_ABOUT = sum(height for _, height in _LINES)


def draw_seat(sheet: Sheet, scene: Scene, seat: SeatScene) -> None:
    """Draw one of a table's seats with its cards; the viewer's is below."""
    side = (seat.seat - (scene.viewer or 0)) % NUM_SEATS  # clockwise from below
    acts = seat.seat == scene.actor
    mat = MATS[side]
    sheet.panel(f"seat {seat.seat}", mat, GOLD if acts else LINE, 3 if acts else 1)
    if side % 2 == 0:
        middle = mat.y + (mat.height - _ABOUT) // 2
        _about(sheet, seat, acts, pygame.Rect(mat.x + MARGIN, middle, WORDS, _ABOUT))
        left = mat.x + MARGIN + WORDS + MARGIN
        _row(sheet, seat, pygame.Rect(left, mat.y, mat.right - MARGIN - left, mat.height))
    else:
        words = pygame.Rect(mat.x + (mat.width - WORDS) // 2, mat.y + MARGIN, WORDS, _ABOUT)
        _about(sheet, seat, acts, words)
        top = words.bottom + MARGIN
        _column(sheet, seat, pygame.Rect(mat.x, top, mat.width, mat.bottom - MARGIN - top))


def _about(sheet: Sheet, seat: SeatScene, acts: bool, rect: pygame.Rect) -> None:
    """Write what is to be said of a seat, a line each."""
    staged = len(seat.staged)
    count = seat.hand.count + sum(meld.count for meld in seat.staged)
    lines = (
        (f"seat {seat.seat}{' to act' if acts else ''}", TEAMS[seat.seat % NUM_TEAMS]),
        (f"{count} card{'' if count == 1 else 's'}", DIM),
        (seat.status, LIGHT),
        (f"{staged} meld{'' if staged == 1 else 's'} staged", GOLD)
        if staged  # which nobody does who has declared (X9.1)
        else (seat.secret, VIOLET),
    )
    y = rect.y
    for (words, colour), (size, height) in zip(lines, _LINES, strict=True):
        if words:
            line = pygame.Rect(rect.x, y, rect.width, height)
            sheet.write(f"seat {seat.seat}", words, size, colour, line)
            y += height


def _faces(seat: SeatScene) -> list[tuple[str, ...]]:
    """Return the hand's cards and those of each staged meld; backs have no name."""
    hand = ("",) * seat.hand.hidden + seat.hand.cards
    return [hand, *(meld.cards for meld in seat.staged)]


def _row(sheet: Sheet, seat: SeatScene, room: pygame.Rect) -> None:
    groups = _faces(seat)
    counts = [len(group) for group in groups]
    step = ROW.step if sum(counts) > FEW else ROW.width + APART
    starts = spread(counts, room.width, ROW.width, step, GAPS[0])
    taken = max((at[-1] + ROW.width for at in starts if at), default=0)
    left = room.x + (room.width - taken) // 2
    y = room.y + (room.height - ROW.height) // 2
    for number, (group, at) in enumerate(zip(groups, starts, strict=True)):
        owner = _owner(seat, number)
        if number:
            ground = pygame.Rect(left + at[0], y, at[-1] - at[0] + ROW.width, ROW.height)
            _ground(sheet, owner, ground)
        for card, x in zip(group, at, strict=True):
            sheet.card(owner, card, ROW.width, left + x, y, ACROSS)


def _column(sheet: Sheet, seat: SeatScene, room: pygame.Rect) -> None:
    groups = list(enumerate(_faces(seat)))
    columns = [groups[:1], groups[1:]] if seat.staged else [groups]
    gap = (room.width - len(columns) * COLUMN.width) // (len(columns) + 1)
    x = room.x + gap
    for column in columns:
        counts = [len(cards) for _, cards in column]
        step = COLUMN.step if sum(counts) > FEW else COLUMN.height + APART
        starts = spread(counts, room.height, COLUMN.height, step, GAPS[1])
        for (number, cards), at in zip(column, starts, strict=True):
            owner = _owner(seat, number)
            if number:
                length = at[-1] - at[0] + COLUMN.height
                _ground(sheet, owner, pygame.Rect(x, room.y + at[0], COLUMN.width, length))
            for card, y in zip(cards, at, strict=True):
                sheet.card(owner, card, COLUMN.width, x, room.y + y, DOWN)
        x += COLUMN.width + gap


def _owner(seat: SeatScene, number: int) -> str:
    return f"seat {seat.seat}" + (f" {seat.staged[number - 1].name}" if number else "")


def _ground(sheet: Sheet, owner: str, cards: pygame.Rect) -> None:
    """Put a ground under staged cards that shows at their edges."""
    rect = cards.inflate(6, 6)
    sheet.add(owner, PANEL, rounded(rect.size, STAGED, GOLD, 1.5, 7), *rect.topleft)
