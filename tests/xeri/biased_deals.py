"""Deals, rules and policies that make rare events common.

All deals are full deals of 52 cards, valid under the rules that they are made for; all randomness
comes from the generator that is passed in.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

SUITS = "CDHS"
RANKS = "A23456789TJQK"
PLAIN_RANKS = RANKS.replace("J", "")
ALL_CARDS = [rank + suit for suit in SUITS for rank in RANKS]
JACKS = ["J" + suit for suit in SUITS]

# Dealer, hands, pile (bottom first), stock (next card first), and the bottom card if it is shown.
Deal = tuple[int, list[list[str]], list[str], list[str], str | None]

# Policies for whole matches: "capture" takes what it can, "shy" takes nothing if it can help it,
# "jacks" brings jacks on jacks, and "hoard" keeps its jacks to the end.
TEMPERS = ("uniform", "capture", "shy", "jacks", "hoard")


class Table:
    """The cards that are given out so far: the pile, and each seat's hands of both deals."""

    def __init__(self, rng: random.Random, rules: dict[str, Any], dealer: int) -> None:
        self.rng = rng
        self.redeal = rules.get("redeal_pile", True)  # R2.2
        self.shown = rules.get("show_bottom_card", False)  # R2.3
        self.dealer = dealer
        self.left = rng.sample(ALL_CARDS, len(ALL_CARDS))
        self.pile: list[str] = []
        self.hands: list[list[list[str]]] = [[[], [], [], []], [[], [], [], []]]

    def seat(self, place: int) -> int:
        """The seat that plays in this place of a trick, the dealer in place 3 (R3.1)."""
        return (self.dealer + 1 + place) % 4

    def give(self, half: int, seat: int, card: str) -> None:
        """Give the card to a hand of the first (0) or second deal (1), if that can be done."""
        if card in self.left and len(self.hands[half][seat]) < 6:
            self.left.remove(card)
            self.hands[half][seat].append(card)

    def some(self, rank: str, count: int) -> list[str]:
        """So many cards of the rank that are left, or fewer."""
        return [card for card in self.left if card[0] == rank][:count]

    def lay_pile(self, wanted: Sequence[str] = ()) -> None:
        """The pile: these cards in this order on top of others, as far as R2.2 allows."""
        for card in (*reversed(wanted), *self.left):
            ranks = [other[0] for other in self.pile]
            if len(self.pile) == 4 or card in self.pile:
                continue
            if self.redeal and (card[0] in ranks or (not ranks and card[0] == "J")):
                continue
            self.pile.insert(0, card)
        for card in self.pile:
            self.left.remove(card)

    def deal(self) -> Deal:
        """Fill up the hands at random; the jacks of the dealer are not the last to be dealt."""
        rest = list(self.left)
        for half in self.hands:
            for hand in half:
                while len(hand) < 6:
                    hand.append(rest.pop())
                self.rng.shuffle(hand)
        last = self.hands[1][self.dealer]
        if self.shown:  # R2.3
            last.sort(key=lambda card: card[0] != "J")
            plain = [place for place, card in enumerate(last) if card[0] != "J"]
            place = self.rng.choice(plain)
            last[place], last[-1] = last[-1], last[place]
        stock = [self.hands[1][self.seat(n % 4)][n // 4] for n in range(24)]
        return self.dealer, self.hands[0], self.pile, stock, stock[-1] if self.shown else None


def _uniform(table: Table) -> None:
    """Nothing is arranged."""
    table.lay_pile()


def _pairs(table: Table) -> None:
    """Neighbours hold cards of the same rank, so that xeris are common."""
    table.lay_pile()
    rng = table.rng
    for half in (0, 1):
        for _ in range(rng.randint(4, 10)):
            seat = rng.randrange(4)
            pair = table.some(rng.choice(PLAIN_RANKS), 2)
            for step, card in enumerate(pair):
                table.give(half, (seat + step) % 4, card)


def _jack_pile(table: Table) -> None:
    """Jacks in the pile, as many as the rules allow."""
    rng = table.rng
    jacks = rng.sample(JACKS, rng.randint(1, 4))
    others = [card for card in table.left if card[0] != "J"][: 4 - len(jacks)]
    wanted = [*jacks, *others]
    if rng.random() < 0.5:
        rng.shuffle(wanted)
    table.lay_pile(wanted)


def _equal_pile(table: Table) -> None:
    """Equal ranks in the pile, if the rules allow it; more of them with the first to play."""
    rng = table.rng
    rank = rng.choice(RANKS)
    equal = table.some(rank, rng.randint(2, 3))
    others = [card for card in table.left if card[0] != rank][: 4 - len(equal)]
    wanted = [*equal, *others]
    rng.shuffle(wanted)
    table.lay_pile(wanted)
    for card in table.some(table.pile[-1][0], 2):
        table.give(0, table.seat(0), card)


def _jack_hands(table: Table) -> None:
    """The jacks with neighbours in one deal, so that jacks are played on jacks."""
    table.lay_pile()
    rng = table.rng
    half, seat = rng.randrange(2), rng.randrange(4)
    for card in table.some("J", 4):
        table.give(half, (seat + rng.randrange(2)) % 4, card)


def _dry(table: Table) -> None:
    """Each seat has ranks of its own, and jacks are in the pile: few captures, or none."""
    table.lay_pile(JACKS)
    rng = table.rng
    ranks = rng.sample(PLAIN_RANKS, len(PLAIN_RANKS))
    for place, rank in enumerate(ranks):
        for number, card in enumerate(table.some(rank, 4)):
            table.give(number % 2, place % 4, card)


def _late(table: Table) -> None:
    """The dealer and the seat before it end the round with the same ranks, after jacks."""
    table.lay_pile()
    rng = table.rng
    for rank in rng.sample(PLAIN_RANKS, rng.randint(2, 3)):
        for number, card in enumerate(table.some(rank, 4)):
            table.give(1, table.seat(2 + number % 2), card)
    for card in table.some("J", 4):
        table.give(1, table.seat(rng.choice((1, 1, 1, 2, 3))), card)


_ARRANGE: dict[str, Callable[[Table], None]] = {
    "uniform": _uniform,
    "pairs": _pairs,
    "jack_pile": _jack_pile,
    "equal_pile": _equal_pile,
    "jack_hands": _jack_hands,
    "dry": _dry,
    "late": _late,
}
KINDS = tuple(_ARRANGE)


def biased_deal(
    rng: random.Random, kind: str, rules: dict[str, Any], dealer: int | None = None
) -> Deal:
    """A deal for these rules (R2.2, R2.3), by a random dealer if none is given."""
    table = Table(rng, rules, rng.randrange(4) if dealer is None else dealer)
    _ARRANGE[kind](table)
    return table.deal()


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Every field of the rules, over wide ranges."""
    target = rng.choice((None, None, 151, rng.randint(1, 60), rng.randint(1, 300)))
    extended = 251 if target in (None, 151) else target + rng.choice((0, 1, rng.randint(0, 150)))
    return {
        "num_rounds": rng.choice((1, 2, 3, 4, rng.randint(1, 9))),
        "redeal_pile": rng.random() < 0.5,
        "show_bottom_card": rng.random() < 0.4,
        "dealer_last_card_xeri": rng.random() < 0.5,
        "xeri_points": rng.choice((10, 5, 15, rng.randint(0, 40))),
        "jack_xeri_points": rng.choice((20, 25, rng.randint(0, 60))),
        "target_score": target,
        "extended_target_score": extended,
    }


def choose(rng: random.Random, legal: Sequence[str], pile: Sequence[str], temper: str) -> str:
    """A move by temper, for the pile (bottom first) that lies on the table."""
    top = pile[-1][0] if pile else ""
    jacks = [move for move in legal if move[5] == "J"]
    plain = [move for move in legal if move[5] != "J"]
    same = [move for move in legal if move[5] == top]
    wishes: list[list[str]] = []
    if temper == "capture" and pile:
        wishes = [same, jacks]
    elif temper == "shy" and pile:
        wishes = [[move for move in plain if move not in same], same]
    elif temper == "jacks":
        on_jack = len(pile) == 1 and top == "J"
        wishes = [jacks] if not pile or on_jack else [[m for m in same if m in plain], plain]
    elif temper == "hoard":
        wishes = [[move for move in same if move in plain], plain]
    wish = next((moves for moves in wishes if moves), legal)
    return rng.choice(wish)
