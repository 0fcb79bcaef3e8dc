"""Deals, rules and policies that make rare events common.

All deals are full deals of 106 cards; all randomness comes from the generator that is passed in.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

SUITS = "CDHS"
RANKS = "A23456789TJQK"
LADDER = RANKS + "A"  # the positions of a run, low to high
JOKER = "JK"
ALL_CARDS = [rank + suit for suit in SUITS for rank in RANKS] * 2 + [JOKER] * 2

Deal = tuple[int, list[list[str]], list[str]]

# Policies for whole matches; "drawer" runs the deck out and "fire" makes undos common.
TEMPERS = ("uniform", "kinds", "eager", "fire", "drawer", "xabitha")


class Stock:
    """The cards of a deal that are not yet given out."""

    def __init__(self, rng: random.Random, starter: int) -> None:
        self.rng = rng
        self.starter = starter
        self.left = Counter(ALL_CARDS)
        self.hands: list[list[str]] = [[], [], [], []]
        self.placed: dict[int, str] = {}  # index in the deck -> card

    def room(self, seat: int) -> int:
        """How many cards a hand still lacks."""
        return (15 if seat == self.starter else 14) - len(self.hands[seat])

    def give(self, seat: int, card: str) -> bool:
        """Give the card to the hand if there is one, and room for it."""
        if self.left[card] == 0 or self.room(seat) == 0:
            return False
        self.left[card] -= 1
        self.hands[seat].append(card)
        return True

    def give_all(self, seat: int, wanted: Sequence[str]) -> None:
        """Give what there is of these cards."""
        for card in wanted:
            self.give(seat, card)

    def place(self, seat: int, card: str) -> None:
        """Let the seat draw this card in one of its first turns, or its neighbour throw it."""
        if self.rng.random() < 0.3 and self.give((seat - 1) % 4, card):
            return
        index = (seat - self.starter - 1) % 4 + 4 * self.rng.choice((0, 0, 0, 1, 2))
        if self.left[card] > 0 and index not in self.placed:
            self.left[card] -= 1
            self.placed[index] = card

    def deal(self) -> Deal:
        """Fill up the hands and the deck at random."""
        rest = list(self.left.elements())
        self.rng.shuffle(rest)
        for seat in range(4):
            for _ in range(self.room(seat)):
                self.hands[seat].append(rest.pop())
            self.rng.shuffle(self.hands[seat])
        deck = [self.placed[index] if index in self.placed else rest.pop() for index in range(49)]
        return self.starter, self.hands, deck


def _run(rng: random.Random, length: int) -> list[str]:
    suit, low = rng.choice(SUITS), rng.randrange(15 - length)
    return [rank + suit for rank in LADDER[low : low + length]]


def _set(rng: random.Random, size: int) -> list[str]:
    rank = rng.choice(RANKS)
    return [rank + suit for suit in rng.sample(SUITS, size)]


def _uniform(stock: Stock) -> None:
    """Nothing is arranged."""


def _joker_rich(stock: Stock) -> None:
    """One seat holds both jokers, and some beginnings of melds."""
    seat = stock.rng.randrange(4)
    stock.give_all(seat, [JOKER, JOKER])
    for _ in range(stock.rng.randrange(4)):
        stock.give_all(seat, stock.rng.sample(_run(stock.rng, 5), 3))


def _near_formation(stock: Stock) -> None:
    """Seats that hold a formation, or lack one or two of its cards, or have jokers for them.

    The other seats have melds to open with.
    """
    rng = stock.rng
    seats = rng.sample(range(4), rng.randint(1, 3))
    for seat in seats:
        wanted = _run(rng, 10)
        rank = rng.choice(RANKS)
        wanted += [rank + suit for suit in SUITS]
        missing = rng.sample(wanted, rng.choice((0, 0, 1, 1, 1, 2)))
        for card in missing:
            wanted.remove(card)
        jokers = rng.randrange(len(missing) + 1) if rng.random() < 0.6 else 0
        stock.give_all(seat, wanted + [JOKER] * jokers)
        for card in missing[jokers:]:
            stock.place(seat, card)
        if rng.random() < 0.5:  # a second copy, in hand or to come
            copy = rng.choice(wanted)
            if rng.random() < 0.5:
                stock.give(seat, copy)
            else:
                stock.place(seat, copy)
    for seat in set(range(4)) - set(seats):
        _give_melds(stock, seat)


def _give_melds(stock: Stock, seat: int) -> None:
    """Runs and sets, some of them a card short or with a joker in place of one."""
    rng = stock.rng
    while stock.room(seat) > rng.randint(0, 5):
        if rng.random() < 0.6:
            meld = _run(rng, rng.choice((3, 3, 4, 5)))
        else:
            meld = _set(rng, rng.choice((3, 3, 4)))
        if rng.random() < 0.25:
            card = meld.pop(rng.randrange(len(meld)))
            if rng.random() < 0.5:
                stock.give(seat, JOKER)
            else:
                stock.place(seat, card)
        stock.give_all(seat, meld)


def _near_opening(stock: Stock) -> None:
    """Hands rich in runs and sets."""
    for seat in range(4):
        _give_melds(stock, seat)


def _sets(stock: Stock) -> None:
    """A run to open with, and many cards of a few ranks."""
    rng = stock.rng
    for seat in rng.sample(range(4), rng.randint(2, 4)):
        stock.give_all(seat, _run(rng, rng.choice((3, 4, 5))))
        while stock.room(seat) > rng.randint(0, 3):
            stock.give_all(seat, _set(rng, rng.choice((3, 4, 4))))


_ARRANGE: dict[str, Callable[[Stock], None]] = {
    "uniform": _uniform,
    "joker_rich": _joker_rich,
    "near_formation": _near_formation,
    "near_opening": _near_opening,
    "sets": _sets,
}
KINDS = tuple(_ARRANGE)


def biased_deal(rng: random.Random, kind: str, starter: int | None = None) -> Deal:
    """A starter (a random one if not given), the four hands and the deck, next card first."""
    stock = Stock(rng, rng.randrange(4) if starter is None else starter)
    _ARRANGE[kind](stock)
    return stock.deal()


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Every field of the rules, over wide ranges."""
    turns = (rng.randint(1, 12), rng.randint(13, 150), 1000, 1000)
    return {
        "ace_high_points": rng.choice((11, rng.randint(0, 20))),
        "ace_low_points": rng.choice((1, rng.randint(0, 20))),
        "num_rounds": rng.randint(1, 3),
        "declare_seconds": rng.randint(1, 60),
        "opening_points": rng.choice((51, rng.randint(1, 120), rng.randint(1, 40))),
        "opening_needs_run": rng.random() < 0.7,
        "climbing_threshold": rng.random() < 0.7,
        "threshold_step": rng.choice((1, rng.randint(0, 20))),
        "max_reshuffles": rng.randint(0, 3),
        "max_turns": rng.choice(turns),
        "joker_penalty": rng.choice((25, rng.randint(0, 60))),
        "closed_penalty": rng.choice((100, rng.randint(0, 200))),
        "xabitha_closed_penalty": rng.choice((200, rng.randint(0, 400))),
    }


def _kind(move: str) -> str:
    """``meld``, ``discard`` ...; the two draws and answers are kinds of their own."""
    name = move.partition(":")[0]
    return move if name in ("draw", "declare") else name


def _pick(rng: random.Random, legal: Sequence[str], kinds: Sequence[str]) -> str | None:
    """A move of the first of these kinds that is legal."""
    for kind in kinds:
        moves = [move for move in legal if _kind(move) == kind]
        if moves:
            return rng.choice(moves)
    return None


def choose(
    rng: random.Random, legal: Sequence[str], temper: str, last_drawn: str | None = None
) -> str:
    """A move by temper.

    "uniform" takes any move, "kinds" first a kind of move; "eager" brings cards to the table;
    "fire" takes from the fire pile and often throws back the same kind (``last_drawn``, if the
    caller tells it); "drawer" draws from the deck and throws; "xabitha" goes for the formation.
    """
    again = f"discard:{last_drawn}"
    if temper == "kinds":
        kinds = sorted({_kind(move) for move in legal})
        return _pick(rng, legal, [rng.choice(kinds)]) or rng.choice(legal)
    wishes: list[str] = []
    if temper == "eager":
        wishes = ["formation", *rng.sample(["open", "steal", "meld", "add"], 4)]
        wishes.append("declare:yes" if rng.random() < 0.2 else "declare:no")
    elif temper == "fire":
        wishes = ["draw:fire"] if rng.random() < 0.9 else []
        if again in legal and rng.random() < 0.4:
            return again
        if rng.random() < 0.7:
            wishes += ["formation", "open", "steal", "add", "meld"]
    elif temper == "drawer":
        wishes = ["declare:no", "draw:deck", "open", "discard"]
    elif temper == "xabitha":
        wishes = ["declare:yes", "formation"]
        wishes += ["draw:deck"] if rng.random() < 0.7 else []
        if again in legal and "formation" not in legal and rng.random() < 0.9:
            return again
    return _pick(rng, legal, wishes) or rng.choice(legal)
