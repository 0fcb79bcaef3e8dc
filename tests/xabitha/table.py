"""The small interface that the rule tests speak, and helpers to set up and play a round.

A test deals exactly the cards that it needs; the rest of the 106 is filled with dull cards, which
make no melds with each other or with the cards that were asked for.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import pytest

from tests.reference.xabitha import ALL_CARDS, DEFAULT_RULES, JOKER, RANKS, Round, check_match

Rules = dict[str, Any]
Event = dict[str, Any]


class Table(Protocol):
    """A round at play.  ``play`` raises ValueError for a refused move, and nothing changes."""

    @property
    def seat(self) -> int:
        """The seat to act."""

    @property
    def over(self) -> bool:
        """Whether the round has ended."""

    @property
    def result(self) -> dict[str, Any] | None:
        """None, or the round's result as in a record."""

    @property
    def thresholds(self) -> list[int]:
        """The opening thresholds by seat."""

    @property
    def opened(self) -> list[bool]:
        """Which seats are down."""

    @property
    def fire_top(self) -> str | None:
        """The top card of the fire pile."""

    @property
    def deck_size(self) -> int:
        """The number of cards in the draw deck."""

    def legal(self) -> list[str]:
        """The legal moves in text form, sorted as strings."""

    def play(self, move: str) -> Event:
        """Play a move; the event as in a record, without ``legal``."""

    def hand(self, seat: int) -> list[str]:
        """The cards of a seat, sorted as strings, staged melds included (X6.4)."""

    def meld(self, number: int) -> list[str] | None:
        """The cards of a table meld, as X12 writes them, or None if it is not there."""


class ReferenceTable:
    """The reference engine behind the interface."""

    def __init__(self, rules: Rules, starter: int, hands: list[list[str]], deck: list[str]) -> None:
        self.round = Round(rules, starter, hands, deck)

    @property
    def seat(self) -> int:
        return self.round.seat

    @property
    def over(self) -> bool:
        return self.round.over

    @property
    def result(self) -> dict[str, Any] | None:
        return self.round.result

    @property
    def thresholds(self) -> list[int]:
        return list(self.round.thresholds)

    @property
    def opened(self) -> list[bool]:
        return list(self.round.opened)

    @property
    def fire_top(self) -> str | None:
        return self.round.fire[-1] if self.round.fire else None

    @property
    def deck_size(self) -> int:
        return len(self.round.deck)

    def legal(self) -> list[str]:
        return self.round.legal()

    def play(self, move: str) -> Event:
        return self.round.play(move)

    def hand(self, seat: int) -> list[str]:
        return sorted(self.round.hands[seat])

    def meld(self, number: int) -> list[str] | None:
        meld = self.round.table.get(number)
        return None if meld is None else list(meld.cards)


Make = Callable[[Rules, int, list[list[str]], list[str]], Table]
Checker = Callable[[dict[str, Any]], str | None]

# A factory for a table, by implementation; and a check of a whole match record, by implementation.
IMPLEMENTATIONS: dict[str, Make] = {"reference": ReferenceTable}
CHECKERS: dict[str, Checker] = {"reference": check_match}


# --- dealing --------------------------------------------------------------------------------


def cards(text: str) -> list[str]:
    """The cards of a text such as ``"4S 5S JK"``."""
    return text.replace("-", " ").split()


def _places(card: str) -> list[int]:
    """The positions of a card in a run."""
    place = RANKS.index(card[0]) + 1
    return [1, 14] if place == 1 else [place]


def _dull(card: str, hand: Iterable[str]) -> bool:
    """Whether the card makes no meld with any card of the hand, not even with a joker's help."""
    hand = list(hand)
    reach = 4 if hand.count(JOKER) == 2 else 2
    for other in hand:
        if other == JOKER:
            continue
        if card[0] == other[0]:
            return False
        near = any(abs(a - b) <= reach for a in _places(card) for b in _places(other))
        if card[1] == other[1] and near:
            return False
    return True


def _dull_fill(hand: list[str], size: int, pool: list[str]) -> list[str]:
    """Dull cards out of the pool that bring the hand to its size (second copies are dull)."""
    filler: list[str] = []
    for card in pool:
        if len(hand) + len(filler) == size:
            break
        if _dull(card, [*hand, *(other for other in filler if other != card)]):
            filler.append(card)
    return filler


def fill_deal(
    starter: int, hands: dict[int, list[str]], deck: list[str], extra: int | None = None
) -> tuple[list[list[str]], list[str]]:
    """A full deal with the wanted cards: these hands filled up, this deck on top.

    With ``extra`` a seat, the top of the deck is a card that is dull to that seat's hand.
    """
    for seed in range(500):
        deal = _try_fill(starter, hands, deck, extra, random.Random(seed))
        if deal is not None:
            return deal
    raise ValueError("no dull cards for these hands; name all their cards")


def _try_fill(
    starter: int,
    hands: dict[int, list[str]],
    deck: list[str],
    extra: int | None,
    rng: random.Random,
) -> tuple[list[list[str]], list[str]] | None:
    wanted = Counter(deck)
    for hand in hands.values():
        wanted.update(hand)
    left = Counter(ALL_CARDS)
    left.subtract(wanted)
    if any(count < 0 for count in left.values()):
        raise ValueError(f"more copies than there are: {left}")
    full: list[list[str]] = []
    top: list[str] = []
    for seat in range(4):
        hand = hands.get(seat, [])
        size = (15 if seat == starter else 14) + (seat == extra)
        if len(hand) > size:
            raise ValueError(f"seat {seat} has more than {size} cards")
        pool = [card for card in left.elements() if card != JOKER]
        rng.shuffle(pool)
        filler = _dull_fill(hand, size, pool)
        if seat == extra and len(hand) == size - 1 and not filler:  # no room for choice
            filler = [next(card for card in pool if card not in hand)]
        if len(hand) + len(filler) != size:
            return None
        left.subtract(filler)
        if seat == extra:
            top = [filler.pop()]
        full.append(hand + filler)
    rest = [card for card in left.elements() if card != JOKER]
    rng.shuffle(rest)
    jokers = [JOKER] * left[JOKER]
    return full, top + deck + rest + jokers


# --- playing --------------------------------------------------------------------------------


class Game:
    """A table with shorthands for the tests."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def do(self, *moves: str) -> Event:
        """Play moves that must all be listed as legal; the event of the last one."""
        event: Event = {}
        for move in moves:
            assert move in self.table.legal(), f"{move} is not among {self.table.legal()}"
            event = self.table.play(move)
        return event

    def allows(self, move: str) -> bool:
        """Whether the move is listed as legal."""
        return move in self.table.legal()

    def refuses(self, *moves: str) -> None:
        """The moves are not listed, and playing them changes nothing (X4.6)."""
        for move in moves:
            before = snapshot(self.table)
            assert move not in before["legal"], move
            with pytest.raises(ValueError):
                self.table.play(move)
            assert snapshot(self.table) == before, move

    def listed(self, *names: str) -> list[str]:
        """The legal moves of these kinds (``"meld"``, ``"add"`` ...)."""
        return [move for move in self.table.legal() if move.split(":")[0] in names]

    def idle(self, turns: int = 1) -> None:
        """So many turns of drawing from the deck and discarding the card that was drawn."""
        for _ in range(turns):
            drawn = self.do("draw:deck")["drawn"]
            self.do(f"discard:{drawn}")

    def draw(self) -> str:
        """Draw from the deck; the card."""
        drawn: str = self.do("draw:deck")["drawn"]
        return drawn

    def throw(self) -> str:
        """Discard some card that is not the last one taken from the fire pile; the card."""
        move = self.listed("discard")[0]
        self.do(move)
        return move.partition(":")[2]

    def declare(self, *yes: int) -> None:
        """All four answers, from the starter on; yes for the seats that are named."""
        for _ in range(4):
            self.do("declare:yes" if self.table.seat in yes else "declare:no")


def snapshot(table: Table) -> dict[str, Any]:
    """Everything that the interface shows."""
    return {
        "seat": table.seat,
        "legal": table.legal(),
        "over": table.over,
        "result": table.result,
        "thresholds": list(table.thresholds),
        "opened": list(table.opened),
        "fire_top": table.fire_top,
        "deck_size": table.deck_size,
        "hands": [table.hand(seat) for seat in range(4)],
    }


def deal(
    make: Make,
    hands: dict[int, str] | None = None,
    deck: str = "",
    starter: int = 0,
    rules: Rules | None = None,
    extra: int | None = None,
) -> Game:
    """A fresh round, before the declarations, with these cards among the dealt ones."""
    wanted = {seat: cards(text) for seat, text in (hands or {}).items()}
    full, rest = fill_deal(starter, wanted, cards(deck), extra)
    return Game(make(rules or {}, starter, full, rest))


def start(
    make: Make,
    hand: str = "",
    draw: str = "",
    fire: str = "",
    rules: Rules | None = None,
    others: dict[int, str] | None = None,
    declared: Sequence[int] = (),
) -> Game:
    """Seat 1 is about to draw in its first turn, the second turn of the round.

    Seat 1 holds the hand and draws ``draw`` first (a dull card if not given); seat 0 was the
    starter and discarded ``fire`` (some dull card if not given).
    """
    hands = {**(others or {}), 1: hand}
    if fire:
        hands[0] = f"{fire} {hands.get(0, '')}"
    game = deal(make, hands, draw, 0, rules, None if draw else 1)
    game.declare(*declared)
    if fire:
        game.do(f"discard:{fire}")
    else:
        named = cards(hands.get(0, ""))
        game.do(next(move for move in game.listed("discard") if move[8:] not in named))
    return game


def down(
    make: Make,
    melds: Sequence[str],
    keep: str = "",
    draw: str = "",
    fire: str = "",
    rules: Rules | None = None,
    others: dict[int, str] | None = None,
    declared: Sequence[int] = (),
    take: bool = False,
) -> Game:
    """Seat 1 has drawn, has laid these melds as its opening, and goes on with its turn.

    Any melds open under these rules.  ``keep`` are the cards held besides the melds.  With
    ``take`` seat 1 took ``fire``, else it drew the first card of ``draw``, the top of the deck
    (a dull card if not given); that card is one of those in ``melds`` and ``keep``.
    """
    free = {"opening_points": 1, "opening_needs_run": False, "climbing_threshold": False}
    hand = cards(" ".join([*melds, keep]))
    drawn = fire if take else draw.partition(" ")[0]
    if drawn:
        hand.remove(drawn)
    game = start(make, " ".join(hand), draw, fire, {**free, **(rules or {})}, others, declared)
    game.do("draw:fire" if take else "draw:deck")
    game.do(*(f"meld:{meld}" for meld in melds), "open")
    return game


# --- records --------------------------------------------------------------------------------


def round_entry(
    make: Make,
    rules: Rules,
    starter: int,
    moves: Callable[[Table], str],
    hands: dict[int, str] | None = None,
    deck: str = "",
) -> dict[str, Any]:
    """A round of a record, played to its end by asking for one move after another."""
    wanted = {seat: cards(text) for seat, text in (hands or {}).items()}
    full, rest = fill_deal(starter, wanted, cards(deck))
    entry: dict[str, Any] = {
        "starter": starter,
        "deal": {"hands": [list(hand) for hand in full], "deck": list(rest)},
        "events": [],
    }
    table = make(rules, starter, full, rest)
    while not table.over:
        legal = table.legal()
        entry["events"].append({**table.play(moves(table)), "legal": legal})
    entry["result"] = table.result
    return entry


def match_record(
    rules: Rules, rounds: list[dict[str, Any]], result: dict[str, Any] | None
) -> dict[str, Any]:
    """A match record around these rounds."""
    return {
        "format": "xabitha-record",
        "version": 1,
        "game": "xabitha",
        "rules": {**DEFAULT_RULES, **rules},
        "seed": None,
        "agents": ["test"] * 4,
        "rounds": rounds,
        "result": result,
    }
