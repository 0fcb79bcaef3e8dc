"""Draws the table that the home page shows: a scene of the match that the traces follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from tools.docs_traces import RULES, SEED, choice
from xabitha_env.cards import partner_of
from xabitha_env.games import make_engine, make_rules
from xabitha_env.pictures.svg import BACK, HEIGHT, WIDTH, card_svg
from xabitha_env.scene import Group, Scene, SeatScene

FILE = "table.svg"
STEP = 67  # of the match: seat 0 is to play, and could add to a run
VIEWER = 0

SHEET = (960, 640)
SCALE = 0.6
SIDE = 24  # between what lies on the table and its edge
STRIP = 26  # what is seen of a card that the next one covers
LINE = 18  # of text
MIDDLE = (200, 172, 580)  # left, top and width of the room for piles and melds
FELT, INK, QUIET = "#2f6b57", "#ffffff", "#d9eee5"


def scene() -> Scene:
    """Return what the viewer sees at that step."""
    engine = make_engine("xabitha", 1, rules=make_rules("xabitha", RULES))
    engine.reset(seed=SEED)
    for _ in range(STEP):
        engine.step([choice(engine)])
    return engine.scene(0, VIEWER)


def _words(text: str, x: float, y: float, anchor: str = "start", colour: str = INK) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _cards(cards: Iterable[str], x: float, y: float, across: bool = True) -> str:
    """Return cards that cover each other, from left to right or downwards."""
    drawn = []
    for place, card in enumerate(cards):
        left, top = (x + place * STRIP, y) if across else (x, y + place * STRIP)
        drawn.append(
            f'<g transform="translate({left:g} {top:g}) scale({SCALE})">{card_svg(card)}</g>'
        )
    return "".join(drawn)


def _long(count: int, size: float) -> float:
    """Return how much room cards take that cover each other."""
    return max(count - 1, 0) * STRIP + size * SCALE


def _faces(group: Group) -> list[str]:
    return [BACK] * group.hidden + list(group.cards)


def _told(seat: SeatScene) -> tuple[str, str]:
    return f"seat {seat.seat}", f"{seat.hand.count} cards, {seat.status}"


def _seats(seats: Sequence[SeatScene]) -> str:
    """Return the seats: the viewer below, then clockwise left, above and right."""
    wide, high = SHEET
    own, left, partner, right = seats
    drawn = []
    for seat, top in ((own, high - SIDE - HEIGHT * SCALE), (partner, SIDE + LINE)):
        faces = _faces(seat.hand)
        drawn.append(_cards(faces, (wide - _long(len(faces), WIDTH)) / 2, top))
        drawn.append(_words(": ".join(_told(seat)), wide / 2, top - LINE / 2, "middle"))
    for seat, x, anchor in ((left, SIDE, "start"), (right, wide - SIDE - WIDTH * SCALE, "end")):
        faces = _faces(seat.hand)
        top = (high - _long(len(faces), HEIGHT)) / 2
        drawn.append(_cards(faces, x, top, across=False))
        edge = x if anchor == "start" else x + WIDTH * SCALE
        for line, words in enumerate(reversed(_told(seat))):
            drawn.append(_words(words, edge, top - LINE / 2 - line * LINE, anchor))
    return "".join(drawn)


def _middle(piles: Sequence[Group], melds: Sequence[Group]) -> str:
    """Return the piles and, in lines, the melds on the table."""
    left, top, room = MIDDLE
    drawn, x, y = [], float(left), float(top)
    for group in (*piles, *melds):
        faces = [(_faces(group) or [BACK])[-1]] if group in piles else list(group.cards)
        name = f"{group.name} {group.count}" if group in piles else group.name
        needed = _long(len(faces), WIDTH)
        if x + needed > left + room:
            x, y = float(left), y + HEIGHT * SCALE + 2 * LINE
        drawn.append(_words(name, x, y - LINE / 3, colour=QUIET))
        drawn.append(_cards(faces, x, y))
        x += needed + SIDE
    return "".join(drawn)


def table_svg() -> str:
    """Return the picture, which needs no other file."""
    seen = scene()
    if partner_of(VIEWER) != seen.seats[2].seat:
        raise ValueError("the partner does not sit opposite")
    wide, high = SHEET
    told = (
        f"A table of Xabitha as seat {VIEWER} sees it: its own cards below, backs of the three "
        f"other hands, the deck, the fire pile and {len(seen.melds)} melds"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img" '
        f'aria-label="{told}" font-family="sans-serif" font-size="15"><title>{told}</title>'
        f'<rect width="{wide}" height="{high}" rx="24" fill="{FELT}"/>'
        f"{_words(seen.place, SIDE, SIDE + LINE, colour=QUIET)}"
        f"{_words(seen.doing, wide - SIDE, SIDE + LINE, 'end', QUIET)}"
        f"{_seats(seen.seats)}{_middle(seen.piles, seen.melds)}</svg>\n"
    )
