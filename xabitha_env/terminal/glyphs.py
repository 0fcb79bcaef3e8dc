"""Cards and moves as a terminal shows them: suits as symbols, or as letters where it has none."""

from __future__ import annotations

import re
import sys

from xabitha_env.cards import JOKER, RANKS, SUITS, card_text, parse_card

SYMBOLS = "♣♦♥♠"
"""In the order of `cards.SUITS`."""
_JOKER = card_text(JOKER)
_CARD = re.compile(rf"(?<![A-Za-z0-9])[{RANKS}][{SUITS}](?![A-Za-z0-9])")
_ANY_CASE = re.compile(rf"{_CARD.pattern}|(?<![A-Za-z0-9]){_JOKER}(?![A-Za-z0-9])", re.IGNORECASE)
_TO_SYMBOL = str.maketrans(SUITS, SYMBOLS)
_TO_LETTER = str.maketrans(SYMBOLS, SUITS)
_RED = "DH"


def needs_letters(encoding: str | None = None) -> bool:
    """Return whether suits must be letters: standard output, or this encoding, has no symbols."""
    name = encoding or getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        SYMBOLS.encode(name)
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def shown(text: str, letters: bool = False) -> str:
    """Return a text with the suits of its cards as symbols, unless letters are wanted."""
    if letters:
        return text
    return _CARD.sub(lambda card: card[0][0] + card[0][1].translate(_TO_SYMBOL), text)


def typed(text: str) -> str:
    """Return what a person typed as moves are written: cards in capitals, suits as letters."""
    return _ANY_CASE.sub(lambda card: card[0].upper(), text.strip().translate(_TO_LETTER))


def is_red(card: str) -> bool:
    """Return whether a card, in text form, is a diamond or a heart."""
    return parse_card(card) != JOKER and card[1] in _RED
