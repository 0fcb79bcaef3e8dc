"""The shared vocabulary of both games: card kinds, suits, ranks, seats, teams and their text forms.

A *kind* is one of the 53 card faces: ``suit * 13 + rank`` for an ordinary card (suits C D H S,
ranks A 2 ... K) and ``JOKER`` for a joker (Xabitha X1.1, X1.4; Xeri R1.1). A *card* is one
physical card; two cards of a kind cannot be told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

NUM_SEATS = 4
NUM_TEAMS = 2
SUITS = "CDHS"
RANKS = "A23456789TJQK"
NUM_SUITS = len(SUITS)
NUM_RANKS = len(RANKS)
JOKER = NUM_SUITS * NUM_RANKS
NUM_KINDS = JOKER + 1
ACE, TWO, TEN, JACK, QUEEN, KING = (RANKS.index(rank) for rank in "A2TJQK")

CARD_NAMES: tuple[str, ...] = (*(rank + suit for suit in SUITS for rank in RANKS), "JK")
KIND_OF: dict[str, int] = {name: kind for kind, name in enumerate(CARD_NAMES)}


def kind_of(suit: int, rank: int) -> int:
    """Return the kind of the ordinary card with this suit (0-3) and rank (0-12)."""
    return suit * NUM_RANKS + rank


def rank_of(kind: int) -> int:
    """Return the rank (0-12, A 2 ... K) of an ordinary card."""
    return kind % NUM_RANKS


def partner_of(seat: int) -> int:
    """Return the seat opposite (X2.1, R1.1)."""
    return (seat + NUM_TEAMS) % NUM_SEATS


def card_text(kind: int) -> str:
    """Return a card's text form, such as ``TD``, or ``JK`` for a joker (X1.4)."""
    return CARD_NAMES[kind]


def parse_card(text: str) -> int:
    """Return the kind that a text form names; the inverse of `card_text`.

    Raises:
        ValueError: the text is no card; the message says what a card looks like.
    """
    kind = KIND_OF.get(text) if isinstance(text, str) else None
    if kind is None:
        raise ValueError(
            f"{text!r} is no card: a card is a rank of {RANKS} and a suit of {SUITS}, "
            "as in 'TD', or 'JK' for a joker"
        )
    return kind


def pack_difference(kinds: Iterable[int], pack: Sequence[int]) -> str:
    """Say how a collection of cards differs from a whole pack; empty when it does not.

    Args:
        kinds: the cards' kinds, in any order.
        pack: how often each kind belongs to the pack, by kind.
    """
    counts = Counter(kinds)
    wrong = [
        f"{card_text(kind)} {counts[kind]} times instead of {wanted}"
        for kind, wanted in enumerate(pack)
        if counts[kind] != wanted
    ]
    return ", ".join(wrong[:4]) + (f" and {len(wrong) - 4} more" if len(wrong) > 4 else "")


def read_cards(value: Any, where: str, count: int) -> list[int]:
    """Return the kinds of a list of card texts.

    Raises:
        ValueError: not a list of `count` cards; the message names the place.
    """
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"{where} must be a list of cards, not {value!r}")
    if len(value) != count:
        raise ValueError(f"{where} must have {count} cards, not {len(value)}")
    try:
        return [parse_card(card) for card in value]
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def read_hands(value: Any, sizes: Sequence[int]) -> list[list[int]]:
    """Return the kinds of four lists of card texts, with so many cards each.

    Raises:
        ValueError: not four lists of cards, or of another size; the message names the hand.
    """
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != NUM_SEATS:
        raise ValueError(f"hands must be {NUM_SEATS} lists of cards")
    return [
        read_cards(hand, f"hands[{seat}]", size)
        for seat, (hand, size) in enumerate(zip(value, sizes, strict=True))
    ]
