"""Moves in text form: which cards they take from the hand, and which fit the cards picked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xabitha_env.cards import KIND_OF

ORDER = ("open", "formation", "draw", "declare", "meld", "add", "steal", "play", "discard")
"""Verbs, in the order in which their moves are offered."""


def verb_of(move: str) -> str:
    """Return what a move does."""
    return move.partition(":")[0]


def cards_of(move: str) -> tuple[str, ...]:
    """Return the cards that a move takes from the hand, in text form."""
    named = move.partition(":")[2].partition("@")[0]
    return tuple(card for card in named.split("-") if card in KIND_OF)


def in_order(moves: Iterable[str]) -> list[str]:
    """Return moves in the order in which they are offered."""
    return sorted(moves, key=lambda move: (ORDER.index(verb_of(move)), len(cards_of(move)), move))


def containing(moves: Iterable[str], picked: Sequence[str]) -> list[str]:
    """Return the moves that take at least the cards picked."""
    wanted = Counter(picked)
    return [move for move in moves if wanted <= Counter(cards_of(move))]


def taking(moves: Iterable[str], picked: Sequence[str]) -> list[str]:
    """Return the moves that take just the cards picked."""
    wanted = Counter(picked)
    return [move for move in moves if wanted == Counter(cards_of(move))]
