"""The middle of the table: closed piles beside the melds, or beside a pile that lies open."""

from __future__ import annotations

import pygame

from xabitha_env.cards import NUM_TEAMS
from xabitha_env.pictures.faces import height_of, place, rounded
from xabitha_env.pictures.placing import Size, fitting
from xabitha_env.pictures.sheet import (
    CARD,
    DIM,
    FELT,
    GOLD,
    LIGHT,
    LINE,
    PANEL,
    TEAMS,
    Sheet,
)
from xabitha_env.scene import Group, Scene

OPEN = "pile"
"""The name of the pile whose cards all lie face up, one beside the other."""

PILE_WIDTH = 54
PILES_WIDTH = 104
MELDS = tuple(Size(width, round(width * 0.42)) for width in (60, 52, 46, 40, 34, 28, 24, 20))
FANS = (Size(84, 36), Size(72, 31), Size(60, 26), Size(48, 21))
NUMBER = 26
"""What a meld's number takes beside its cards."""
GAP = 10
LABEL = 16
"""The height of a line about a pile."""


def draw_middle(sheet: Sheet, scene: Scene, room: pygame.Rect) -> None:
    """Draw piles and melds inside a rectangle: what a team has captured right, other piles left."""
    closed = [pile for pile in scene.piles if pile.name != OPEN]
    captured = [pile for pile in closed if _team(pile) is not None]
    left = pygame.Rect(room.topleft, (PILES_WIDTH, room.height))
    right = left.move(room.width - PILES_WIDTH, 0)
    _piles(sheet, [pile for pile in closed if _team(pile) is None], left)
    _piles(sheet, captured, right)
    start, end = left.right + GAP, right.x - GAP if captured else room.right
    rest = pygame.Rect(start, room.y, end - start, room.height)
    if len(closed) == len(scene.piles):
        _melds(sheet, scene.melds, rest)
    for pile in scene.piles:
        if pile.name == OPEN:
            _fan(sheet, pile, rest)


def _team(pile: Group) -> int | None:
    """Return whose pile it is, None for everybody's."""
    return next((t for t in range(NUM_TEAMS) if pile.name.startswith(f"team {t} ")), None)


def _piles(sheet: Sheet, piles: list[Group], room: pygame.Rect) -> None:
    """Draw piles one below the other."""
    for number, pile in enumerate(piles):
        height = room.height // len(piles)
        _pile(sheet, pile, pygame.Rect(room.x, room.y + number * height, room.width, height))


def _pile(sheet: Sheet, pile: Group, room: pygame.Rect) -> None:
    """Draw a pile with its name, how many cards it has and what else is said of it."""
    height = height_of(PILE_WIDTH)
    y = room.y + (room.height - height - 2 * LABEL - 8) // 2
    left, top = room.x + (room.width - PILE_WIDTH) // 2 - 2, y + LABEL + 2
    title = f"{pile.name} ({pile.count})" if pile.cards else pile.name
    line = pygame.Rect(room.x, y, room.width, LABEL)
    team = _team(pile)
    sheet.write(pile.name, title, 18, LIGHT if team is None else TEAMS[team], line, "center")
    if not pile.count:
        sheet.add(pile.name, CARD, place(PILE_WIDTH, FELT, LINE), left, top)
    for depth in range(min(pile.count, 3) - 1, -1, -1):  # the edges of two that lie below
        name = pile.cards[-1] if pile.cards and not depth else ""
        sheet.card(pile.name, name, PILE_WIDTH, left + 2 * depth, top + 2 * depth)
    if not pile.cards:
        center = (left + PILE_WIDTH // 2, top + height // 2)
        sheet.badge(pile.name, str(pile.count), 20, center)
    line = pygame.Rect(room.x, top + height + 6, room.width, LABEL)
    sheet.write(pile.name, pile.note, 16, DIM, line, "center")


def _fan(sheet: Sheet, pile: Group, room: pygame.Rect) -> None:
    """Draw a pile that lies open, its top card last."""
    line = pygame.Rect(room.x, room.y, room.width, 22)
    sheet.write(pile.name, f"{pile.name} ({pile.count})", 20, LIGHT, line, "center")
    rest = pygame.Rect(room.x + 4, line.bottom, room.width - 8, room.height - 22)
    for size in FANS:
        most = (rest.width - size.width) // size.step + 1  # cards in a line
        count = -(-pile.count // most)
        if count * (size.height + GAP) <= rest.height:
            break
    if not pile.count:
        x = rest.x + (rest.width - size.width) // 2
        sheet.add(pile.name, CARD, place(size.width, FELT, LINE), x, rest.y + GAP)
        return
    y = rest.y + (rest.height - count * (size.height + GAP)) // 2
    x = rest.x + (rest.width - size.length(min(pile.count, most))) // 2
    for number, name in enumerate(pile.cards):
        at = (x + number % most * size.step, y + number // most * (size.height + GAP))
        if number == pile.count - 1:  # what can be captured
            ring = rounded((size.width + 8, size.height + 8), FELT, GOLD, 3, 10)
            sheet.add(pile.name, PANEL, ring, at[0] - 4, at[1] - 4)
        sheet.card(pile.name, name, size.width, *at)


def _melds(sheet: Sheet, melds: tuple[Group, ...], room: pygame.Rect) -> None:
    """Draw the melds with their numbers, in lines."""
    counts = [meld.count for meld in melds]
    size, lines = fitting(counts, MELDS, room.size, NUMBER, GAP)
    y = room.y + GAP // 2
    for line in lines:
        x = room.x
        for number in line:
            meld = melds[number]
            words = meld.name.split()[-1]
            center = (x + NUMBER // 2, y + size.height // 2)
            sheet.badge(meld.name, words, 18, center)
            x += NUMBER
            for card in meld.cards:
                sheet.card(meld.name, card, size.width, x, y)
                x += size.step
            x += size.width - size.step + GAP
        y += size.height + GAP
    if not melds:
        middle = pygame.Rect(room.x, room.y, room.width, room.height)
        sheet.write("melds", "no melds on the table", 20, DIM, middle, "center")
