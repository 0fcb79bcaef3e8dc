"""Playing cards as vector graphics: our own drawings, without fonts or other files.

Suits differ in shape and ranks are drawn as strokes, so that a card looks the same everywhere and
no colour is needed to read it. A card keeps its light face on any background.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from xabitha_env.cards import CARD_NAMES, JOKER, NUM_RANKS, RANKS, SUITS, card_text, parse_card

WIDTH, HEIGHT = 100, 140
"""The size of a card, in units of its drawing."""
BACK = "back"
"""What stands for a card of which only the back is seen, in place of its text form."""
GAP = 8
"""Between the cards of a row."""

SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_RANK_NAMES = (
    *("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king"),
)

_FACE, _EDGE, _INK, _RED, _JESTER, _BACK, _THREAD = (
    *("#fffdf7", "#5b6472", "#1c2430", "#c01f2e", "#5b2a86", "#27508a", "#d7e3f4"),
)

SUIT_PATHS = {
    "C": "M29 27a21 21 0 1 1 42 0a21 21 0 1 1-42 0zM6 58a21 21 0 1 1 42 0a21 21 0 1 1-42 0z"
    "M52 58a21 21 0 1 1 42 0a21 21 0 1 1-42 0zM44 40H56C54 74 59 88 67 96H33C41 88 46 74 44 40z",
    "D": "M50 3C59 22 72 38 86 50C72 62 59 78 50 97C41 78 28 62 14 50C28 38 41 22 50 3z",
    "H": "M50 94C20 68 5 50 5 31C5 16 16 6 28 6C38 6 46 12 50 23C54 12 62 6 72 6C84 6 95 16 95 31"
    "C95 50 80 68 50 94z",
    "S": "M50 3C62 24 94 40 94 63C94 79 80 85 68 81C62 79 57 74 54 68C55 80 59 90 67 96H33"
    "C41 90 45 80 46 68C43 74 38 79 32 81C20 85 6 79 6 63C6 40 38 24 50 3z",
}
"""The shapes of the suits, each filling a square of 100."""

_RANK_PATHS = {
    "A": "M2 26L10 2L18 26M5 18H15",
    "2": "M3 9C3 0 17 0 17 9C17 15 6 18 3 26H17",
    "3": "M3 6C5 0 17 0 17 8C17 13 13 13.5 8 13.5C13 13.5 18 14 18 20C18 28 4 28 2 21",
    "4": "M14 26V2L2 19H18",
    "5": "M16 2H5L4 13C8 10 18 10 18 18C18 28 5 28 2 22",
    "6": "M15 2C7 6 3 12 3 19C3 28 18 28 18 19C18 10 5 10 3 19",
    "7": "M3 2H17C12 9 8 17 7 26",
    "8": "M10 13C2 13 2 2 10 2C18 2 18 13 10 13C0 13 0 26 10 26C20 26 20 13 10 13z",
    "9": "M17 9C17 0 2 0 2 9C2 18 15 18 17 9C17 16 13 22 5 26",
    "T": "M0 6L4 2V26M15 2C7 2 7 26 15 26C23 26 23 2 15 2z",
    "J": "M6 2H16M13 2V19C13 28 3 28 2 20",
    "Q": "M10 2C0 2 0 26 10 26C20 26 20 2 10 2zM12 20L18 27",
    "K": "M4 2V26M17 2L4 16M8 12L18 26",
}
"""The strokes of the ranks, each in a box of 20 by 28."""

_CROWNS = {
    "J": "M3 0H22V15H3zM28 0H47V15H28zM3 21H22V39C12 35 4 29 3 21zM28 21H47C46 29 38 35 28 39z",
    "Q": "M4 40H46L50 14L38 24L25 8L12 24L0 14zM20 4a5 5 0 1 1 10 0a5 5 0 1 1-10 0z",
    "K": "M4 40H46V14L36 24L28 12V8H32V3H28V-2H22V3H18V8H22V12L14 24L4 14z",
}
"""What the court bears, each in a box of 50 by 40: a shield, a coronet, a crown."""

_STAR = "M50 4L62 38L98 38L69 59L80 94L50 73L20 94L31 59L2 38L38 38z"
_CAP = (
    "M10 64C10 46 2 38-8 42C-8 20 14 8 30 24C36 14 44 2 50-10C56 2 64 14 70 24"
    "C86 8 108 20 108 42C98 38 90 46 90 64zM8 70H92V82H8z"
)
_BELLS = ((-8, 50), (50, -16), (108, 50))


def card_name(text: str) -> str:
    """Return a card's name in words, such as ``ten of diamonds``; `BACK` is a hidden card.

    Raises:
        ValueError: the text is no card.
    """
    if text == BACK:
        return "hidden card"
    kind = parse_card(text)
    if kind == JOKER:
        return "joker"
    return f"{_RANK_NAMES[kind % NUM_RANKS]} of {SUIT_NAMES[SUITS[kind // NUM_RANKS]]}"


def card_svg(text: str) -> str:
    """Return the drawing of a card, `WIDTH` by `HEIGHT` from the origin, as a piece of SVG.

    Args:
        text: the card's text form, such as ``TD`` or ``JK``, or `BACK`.

    Raises:
        ValueError: the text is no card.
    """
    if text == BACK:
        return f"<g>{_blank(_BACK)}{_lattice()}</g>"
    drawing = _joker() if parse_card(text) == JOKER else _ordinary(*text)
    return f"<g>{_blank(_FACE)}{drawing}</g>"


def symbols_svg() -> str:
    """Return all cards and the back as symbols ``card-TD`` … ``card-JK``, ``card-back``."""
    return "".join(
        f'<symbol id="card-{text}" viewBox="0 0 {WIDTH} {HEIGHT}">{card_svg(text)}</symbol>'
        for text in (*map(card_text, range(len(CARD_NAMES))), BACK)
    )


def cards_svg(
    cards: Sequence[str], *, height: float = HEIGHT, overlap: float = 0.0, label: str = ""
) -> str:
    """Return a row of cards as a picture that stands alone.

    Args:
        cards: their text forms, or `BACK` for hidden ones; may be empty.
        height: of the picture, in pixels.
        overlap: the part of a card that the next one covers, from 0 (a gap between them) to below
            1; a corner stays readable up to 0.6.
        label: what readers of the page are told who do not see it; the cards' names if empty.

    Raises:
        ValueError: a text that is no card, or a size out of its range.
    """
    if height <= 0 or not 0 <= overlap < 1:
        raise ValueError(f"height {height} must be above 0 and overlap {overlap} from 0 to below 1")
    step = (1 - overlap) * WIDTH if overlap else WIDTH + GAP
    total = max((len(cards) - 1) * step + WIDTH, 1)
    told = label or ", ".join(map(card_name, cards)) or "no cards"
    drawn = "".join(
        f'<g transform="translate({_number(place * step)})">{card_svg(card)}</g>'
        for place, card in enumerate(cards)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_number(total)} {HEIGHT}" '
        f'width="{_number(total * height / HEIGHT)}" height="{_number(height)}" role="img" '
        f'aria-label="{escape(told)}"><title>{escape(told)}</title>{drawn}</svg>\n'
    )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _blank(colour: str) -> str:
    return (
        f'<rect x="1.5" y="1.5" width="{WIDTH - 3}" height="{HEIGHT - 3}" rx="10" fill="{colour}" '
        f'stroke="{_EDGE}" stroke-width="3"/>'
    )


def _path(path: str, x: float, y: float, scale: float, paint: str) -> str:
    place = f"translate({_number(x)} {_number(y)}) scale({_number(scale)})"
    return f'<path d="{path}" transform="{place}" {paint}/>'


def _ordinary(rank: str, suit: str) -> str:
    """Return what is on a card: its index in the corner, the suit once more, large."""
    colour = _RED if suit in "DH" else _INK
    stroke = f'fill="none" stroke="{colour}" stroke-width="4" stroke-linejoin="round"'
    fill = f'fill="{colour}"'
    drawn = _path(_RANK_PATHS[rank], 10, 12, 1.3, stroke + ' stroke-linecap="round"')
    drawn += _path(SUIT_PATHS[suit], 8, 56, 0.31, fill)
    if rank in _CROWNS:
        return drawn + _path(_CROWNS[rank], 46, 36, 0.84, fill) + _large(suit, 0.48, fill)
    return drawn + _large(suit, 0.68 if rank == RANKS[0] else 0.58, fill)


def _large(suit: str, scale: float, paint: str) -> str:
    size = 100 * scale
    return _path(SUIT_PATHS[suit], min(WIDTH - 8 - size, 43), HEIGHT - 8 - size, scale, paint)


def _joker() -> str:
    fill = f'fill="{_JESTER}"'
    bells = "".join(f'<circle cx="{x}" cy="{y}" r="8"/>' for x, y in _BELLS)
    cap = f'<g transform="translate(29 74) scale(.56)" {fill}><path d="{_CAP}"/>{bells}</g>'
    return _path(_STAR, 8, 10, 0.32, fill) + cap


def _lattice() -> str:
    """Return the pattern of a back: a frame filled with diamonds."""
    left, top, right, bottom, step = 12, 12, WIDTH - 12, HEIGHT - 12, 19
    lines = []
    for start in range(left - (bottom - top), right, step):
        first, last = max(start, left), min(start + bottom - top, right)
        lines.append(f"M{first} {top + first - start}L{last} {top + last - start}")
        lines.append(f"M{first} {bottom - first + start}L{last} {bottom - last + start}")
    return (
        f'<g fill="none" stroke="{_THREAD}" stroke-width="2.5"><rect x="{left}" y="{top}" '
        f'width="{right - left}" height="{bottom - top}" rx="4"/><path d="{"".join(lines)}"/></g>'
    )
