"""The small interface that the rule tests speak, and helpers to set up and play a round.

A test writes down the plays of a round in their order, naming only the cards that matter; the
hands, the pile and the stock follow from them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pytest

from tests.reference.xeri import ALL_CARDS, DEFAULT_RULES, Round, check_match

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
    def pile(self) -> list[str]:
        """The play pile, bottom first."""

    @property
    def stock_size(self) -> int:
        """The number of cards still to be dealt."""

    def legal(self) -> list[str]:
        """The legal moves in text form, sorted as strings; none when the round has ended."""

    def play(self, move: str) -> Event:
        """Play a move; the event as in a record, without ``legal``."""

    def hand(self, seat: int) -> list[str]:
        """The cards of a seat, sorted as strings."""


class ReferenceTable:
    """The reference engine behind the interface."""

    def __init__(
        self,
        rules: Rules,
        dealer: int,
        hands: list[list[str]],
        pile: list[str],
        stock: list[str],
        bottom_card: str | None = None,
    ) -> None:
        self.round = Round(rules, dealer, hands, pile, stock, bottom_card)

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
    def pile(self) -> list[str]:
        return list(self.round.pile)

    @property
    def stock_size(self) -> int:
        return len(self.round.stock)

    def legal(self) -> list[str]:
        return self.round.legal()

    def play(self, move: str) -> Event:
        return self.round.play(move)

    def hand(self, seat: int) -> list[str]:
        return sorted(self.round.hands[seat])


# Rules overrides, dealer, hands, pile, stock and, with that variation, the bottom card.
Make = Callable[..., Table]
Checker = Callable[[dict[str, Any]], str | None]

# A factory for a table, by implementation; and a check of a whole match record, by implementation.
IMPLEMENTATIONS: dict[str, Make] = {"reference": ReferenceTable}
CHECKERS: dict[str, Checker] = {"reference": check_match}


# --- writing a round down -------------------------------------------------------------------

PLAYS = 48
# The scripts leave the jacks that they do not name at the bottom of the pile, out of play.
ANY_PILE: Rules = {"redeal_pile": False}

QUIET, SAME, FILL = ".", "=", "..."


def cards(text: str) -> list[str]:
    """The cards of a text such as ``"4S 5S JD"``."""
    return text.split()


def tokens(text: str) -> list[str]:
    """The plays of a script, one a turn, 48 in all.

    A card stands for itself, ``.`` for some card that takes nothing, ``=`` for some card of the
    rank of the one before it; ``.*5`` is five times ``.``, and ``...`` as many as there is room
    for (at the end if not given).
    """
    plays: list[str] = []
    for word in text.split():
        token, _, count = word.partition("*")
        plays += [token] * int(count or 1)
    if FILL not in plays:
        plays.append(FILL)
    place = plays.index(FILL)
    plays[place : place + 1] = [QUIET] * (PLAYS - len(plays) + 1)
    if len(plays) != PLAYS:
        raise ValueError(f"{len(plays)} plays: {text}")
    return plays


def _full_pile(named: list[str], pool: list[str], first: str) -> list[str]:
    """The pile with these cards on top; beneath them jacks, or cards of other ranks."""
    pile = list(named)
    dull = [card for card in pool if card[0] not in (*"JAKQT2", first[0])]
    for card in [*(card for card in pool if card[0] == "J"), *dull]:
        ranks = [other[0] for other in pile if other[0] != "J"]
        if len(pile) < 4 and card[0] not in ranks:
            pile.insert(len(pile) - len(named), card)
    return pile


def _fits(card: str, left: Counter[str], before: str, after: str) -> bool:
    """Whether a quiet card can stand between these: a card, and a card or a token."""
    if card[0] == before[0]:
        return False
    if after == SAME:
        return left[card[0]] > 1
    return card[0] != after[0]


def _try_plays(plays: list[str], top: str, pool: list[str], rng: random.Random) -> list[str] | None:
    """The plays with cards for all the tokens, or None if this try fails."""
    rng.shuffle(pool)
    left = Counter(card[0] for card in pool)
    done = [top]
    for place, token in enumerate(plays):
        card: str | None = token
        if token == SAME:
            card = next((card for card in pool if card[0] == done[-1][0]), None)
        elif token == QUIET:
            after = plays[place + 1] if place + 1 < PLAYS else QUIET
            fits = [card for card in pool if _fits(card, left, done[-1], after)]
            card = max(fits, key=lambda card: left[card[0]], default=None)
        if card is None:
            return None
        if card != token:
            pool.remove(card)
            left[card[0]] -= 1
        done.append(card)
    return done[1:]


def script(text: str, pile: str = "") -> tuple[list[str], list[str]]:
    """The pile and the 48 plays of a round written down as in ``tokens``.

    ``pile`` names the top cards of the pile, the top last.
    """
    plays = tokens(text)
    named = cards(pile) + [token for token in plays if token not in (QUIET, SAME)]
    pool = [card for card in ALL_CARDS if card not in named]
    if len(pool) != len(ALL_CARDS) - len(named):
        raise ValueError(f"a card twice, or no card: {named}")
    full = _full_pile(cards(pile), pool, plays[0])
    pool = [card for card in pool if card not in full]
    if any(card[0] == "J" for card in pool):
        raise ValueError("a jack is left over; name it")
    for seed in range(500):
        order = _try_plays(plays, full[-1], list(pool), random.Random(seed))
        if order is not None:
            return full, order
    raise ValueError(f"no such round: {text}")


def as_deal(dealer: int, plays: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """The hands and the stock with which the plays come in this order (R2.1, R3.1)."""
    hands: list[list[str]] = [[], [], [], []]
    for place, card in enumerate(plays[:24]):
        hands[(dealer + 1 + place) % 4].append(card)
    return hands, list(plays[24:])


# --- playing --------------------------------------------------------------------------------


class Game:
    """A table with the plays that were written down for it, and shorthands for the tests."""

    def __init__(self, table: Table, dealer: int, plays: Sequence[str]) -> None:
        self.table = table
        self.dealer = dealer
        self.plays = list(plays)
        self.played = 0

    def seat_of(self, place: int) -> int:
        """The seat whose turn has this number, from 0 on (R3.1)."""
        return (self.dealer + 1 + place) % 4

    def do(self, *moves: str) -> Event:
        """Play moves that must all be listed as legal; the event of the last one."""
        event: Event = {}
        for move in moves:
            assert move in self.table.legal(), f"{move} is not among {self.table.legal()}"
            event = self.table.play(move)
            self.played += 1
        return event

    def next(self, count: int = 1) -> Event:
        """The next plays as written down; the event of the last one."""
        moves = [f"play:{card}" for card in self.plays[self.played : self.played + count]]
        return self.do(*moves)

    def until(self, left: int) -> None:
        """Play on until so many plays are left."""
        self.next(PLAYS - left - self.played)

    def finish(self) -> dict[str, Any]:
        """Play to the end; the result."""
        self.until(0)
        assert self.table.over and self.table.result is not None
        return self.table.result

    def refuses(self, *moves: str) -> None:
        """The moves are not listed, and playing them changes nothing (R6)."""
        for move in moves:
            before = snapshot(self.table)
            assert move not in before["legal"], move
            with pytest.raises(ValueError):
                self.table.play(move)
            assert snapshot(self.table) == before, move


def snapshot(table: Table) -> dict[str, Any]:
    """Everything that the interface shows."""
    return {
        "seat": table.seat,
        "legal": table.legal(),
        "over": table.over,
        "result": table.result,
        "pile": table.pile,
        "stock_size": table.stock_size,
        "hands": [table.hand(seat) for seat in range(4)],
    }


def start(
    make: Make, text: str, pile: str = "", dealer: int = 3, rules: Rules | None = None
) -> Game:
    """A fresh round written down as in ``script``, any pile accepted if not said otherwise."""
    rules = {**ANY_PILE, **(rules or {})}
    full, plays = script(text, pile)
    hands, stock = as_deal(dealer, plays)
    shown = [stock[-1]] if rules.get("show_bottom_card") else []
    return Game(make(rules, dealer, hands, full, stock, *shown), dealer, plays)


# --- records --------------------------------------------------------------------------------


def round_entry(
    make: Make, text: str, pile: str = "", dealer: int = 3, rules: Rules | None = None
) -> dict[str, Any]:
    """A round of a record, played as written down."""
    rules = {**ANY_PILE, **(rules or {})}
    full, plays = script(text, pile)
    hands, stock = as_deal(dealer, plays)
    entry: dict[str, Any] = {
        "dealer": dealer,
        "deal": {
            "hands": [list(hand) for hand in hands],
            "pile": list(full),
            "stock": list(stock),
        },
        "events": [],
    }
    shown = [stock[-1]] if rules.get("show_bottom_card") else []
    if shown:
        entry["bottom_card"] = stock[-1]
    table = make(rules, dealer, hands, full, stock, *shown)
    for card in plays:
        legal = table.legal()
        entry["events"].append({**table.play(f"play:{card}"), "legal": legal})
    entry["result"] = table.result
    return entry


def match_record(
    rules: Rules | None, rounds: list[dict[str, Any]], result: dict[str, Any] | None
) -> dict[str, Any]:
    """A match record around these rounds, any pile accepted if not said otherwise."""
    return {
        "format": "xabitha-record",
        "version": 1,
        "game": "xeri",
        "rules": {**DEFAULT_RULES, **ANY_PILE, **(rules or {})},
        "seed": None,
        "agents": ["test"] * 4,
        "rounds": rounds,
        "result": result,
    }
