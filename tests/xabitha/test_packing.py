"""The best melds of a hand, against all sets of disjoint melds in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pytest

from tests.reference.xabitha import JOKER, as_meld, keeps_discard, meld_points
from tests.xabitha.biased_deals import KINDS, RANKS, SUITS, biased_deal
from tests.xabitha.kernels import from_python, masks_of
from xabitha_env.cards import KIND_OF, card_text
from xabitha_env.xabitha import opening, packing
from xabitha_env.xabitha.actions import MAX_LEGAL
from xabitha_env.xabitha.melds import MELDS, NUM_RUNS

_best_melds = from_python(packing.best_melds)
_without_melds = from_python(packing.without_melds)
_best_packing = from_python(opening.best_packing)
_usable = from_python(opening.usable)


class Worth(NamedTuple):
    """What counts in a packing, and the rules that it depends on."""

    card: int = 0
    run: int = 0
    joker: int = 0
    taken: str | None = None
    ace_high: int = 11
    ace_low: int = 1


class Found(NamedTuple):
    rows: list[int]
    points: int
    run: bool


def pack(hand: Sequence[str], worth: Worth) -> Found:
    """What the kernel finds."""
    chosen = np.empty(opening.MOST_MELDS, np.int64)
    taken = -1 if worth.taken is None else KIND_OF[worth.taken]
    one, two = masks_of(hand)
    laid, points, run = _best_melds(
        *(one, two, worth.card, worth.run, worth.joker, taken, worth.ace_high, worth.ace_low),
        chosen,
    )
    return Found(chosen[:laid].tolist(), int(points), bool(run))


CARDS = [tuple(card_text(kind) for kind in meld.cards) for meld in MELDS]


def points_of(row: int, worth: Worth) -> int:
    meld = as_meld(CARDS[row])
    assert meld is not None
    return meld_points(meld, worth.ace_high, worth.ace_low)


def packings(hand: Counter[str], rows: Sequence[int]) -> Iterator[list[int]]:
    """All sets of melds that lie in the hand side by side, the empty one included."""
    yield []
    for place, row in enumerate(rows):
        need = Counter(CARDS[row])
        if need <= hand:
            for rest in packings(hand - need, rows[place:]):
                yield [row, *rest]


def value(rows: Sequence[int], worth: Worth) -> int:
    cards = [card for row in rows for card in CARDS[row]]
    points = sum(points_of(row, worth) for row in rows)
    run = any(row < NUM_RUNS for row in rows)
    return points + worth.card * len(cards) + worth.run * run - worth.joker * cards.count(JOKER)


def kept(hand: Sequence[str], rows: Sequence[int], taken: str | None) -> bool:
    """X4.5: whether a card is left whose discard would end the turn."""
    laid = Counter(card for row in rows for card in CARDS[row])
    left = list((Counter(hand) - laid).elements())
    return keeps_discard(left, None if taken in laid else taken)


def most(hand: Sequence[str], worth: Worth) -> int:
    """The most that any packing is worth; nothing laid is worth 0."""
    rows = [row for row, cards in enumerate(CARDS) if Counter(cards) <= Counter(hand)]
    return max(
        value(some, worth)
        for some in packings(Counter(hand), rows)
        if not some or kept(hand, some, worth.taken)
    )


def dense_hand(rng: random.Random, size: int, jokers: int) -> list[str]:
    """Cards of few suits and ranks, so that they make many melds."""
    suits = rng.sample(SUITS, rng.choice((1, 2, 2, 3)))
    start = rng.randrange(11)
    ranks = [RANKS[(start + step) % 13] for step in range(rng.choice((5, 7)))]
    pack = [rank + suit for suit in suits for rank in ranks] * 2
    size = min(size, len(pack))
    return rng.sample(pack, size) + [JOKER] * jokers


def random_worth(rng: random.Random, hand: Sequence[str]) -> Worth:
    return Worth(
        rng.choice((0, 1, 5, 100)),
        rng.choice((0, 16, 1000)),
        rng.choice((0, 0, 10)),
        rng.choice((None, rng.choice(hand), rng.choice(hand))),
        rng.choice((11, 11, 3)),
        rng.choice((1, 1, 15)),
    )


def cases(count: int, largest: int) -> Iterator[tuple[list[str], Worth]]:
    """Hands with no joker, one or two; the fewer cards the more jokers."""
    rng = random.Random(1)
    for number in range(count):
        jokers = number % 3
        hand = dense_hand(rng, rng.randrange(3, largest + 1 - 2 * jokers), jokers)
        yield hand, random_worth(rng, hand)


def check(hand: list[str], worth: Worth) -> None:
    found = pack(hand, worth)
    assert Counter(card for row in found.rows for card in CARDS[row]) <= Counter(hand)
    assert found.points == sum(points_of(row, worth) for row in found.rows)
    assert found.run == any(row < NUM_RUNS for row in found.rows)
    if found.rows:
        assert kept(hand, found.rows, worth.taken)
    assert value(found.rows, worth) == most(hand, worth), (hand, worth, found)


@pytest.mark.interpreted
def test_no_packing_is_worth_more() -> None:
    """X4.5, X5.4, X1.3: with pending takes, jokers, both copies of a kind, all kinds of worth."""
    for hand, worth in cases(150, 9):
        check(hand, worth)


@pytest.mark.slow
def test_no_packing_of_larger_hands_is_worth_more() -> None:
    for hand, worth in cases(400, 12):
        check(hand, worth)


@pytest.mark.parametrize("name", ["card", "run", "joker", "taken", "ace_high", "ace_low"])
def test_every_argument_matters_to_the_cases(name: str) -> None:
    """With another value some hand is packed otherwise, and the other packing is worth less."""
    plain = Worth()._replace(**{name: Worth._field_defaults[name]})
    changed = 0
    for hand, worth in cases(150, 9):
        other = pack(hand, worth._replace(**{name: getattr(plain, name)})).rows
        wrong = bool(other) and not kept(hand, other, worth.taken)
        changed += wrong or value(other, worth) < value(pack(hand, worth).rows, worth)
    assert changed > 0


@pytest.mark.parametrize(
    ("hand", "worth", "melds"),
    [
        ("8C 9C TC KS KD KH 2D", Worth(), ["8C-9C-TC", "KD-KH-KS"]),  # X12
        ("8C 9C TC", Worth(), []),  # X4.5: no card would be left
        ("8C 9C TC 8C 9C TC 2D", Worth(), ["8C-9C-TC", "8C-9C-TC"]),  # both copies
        ("KC KD KH KC 2S", Worth(), ["KC-KD-KH"]),
        ("KC KD KH KC", Worth(taken="KC"), ["KC-KD-KH"]),  # X4.4: the take stands
        ("KC KD KH 2S", Worth(taken="2S"), []),  # only an undo would be left
        ("8C 9C TC JC 2D", Worth(), ["8C-9C-TC-JC"]),
        ("8C 9C TC JC", Worth(), ["9C-TC-JC"]),
        ("QC QD JK JK 2S", Worth(), ["QC-QD-JK-JK"]),  # X5.4
        ("QC QD JK JK 2S", Worth(joker=15), ["QC-QD-JK"]),
        ("QC QD JK JK 2S", Worth(joker=30), []),
        ("QC QD JK JK 2S", Worth(joker=9), ["QC-QD-JK-JK"]),
        ("9S 9D 9H 8S 7S 2C", Worth(), ["9D-9H-9S"]),
        ("9S 9D 9H 8S 7S 2C", Worth(run=4), ["7S-8S-9S"]),
    ],
)
def test_hands_made_up(hand: str, worth: Worth, melds: list[str]) -> None:
    assert [MELDS[row].text() for row in pack(hand.split(), worth).rows] == melds


def test_without_jokers_large_hands_are_packed_exactly() -> None:
    """As by the exact search for openings: the limit of nodes is not met."""
    rng = random.Random(3)
    rows = np.empty(MAX_LEGAL, np.int32)
    packed = 0
    for number in range(1500):
        hands = biased_deal(rng, KINDS[number % len(KINDS)])[1]
        for hand in [*hands, dense_hand(rng, 15, 0)]:
            one, two = masks_of([card for card in hand if card != JOKER])
            exact = _best_packing(one, two, _usable(one, two, rows), 11, 1)
            chosen = np.empty(opening.MOST_MELDS, np.int64)
            assert _best_melds(one, two, 0, 0, 0, -1, 11, 1, chosen)[1] == exact
            packed += exact > 0
    assert packed > 2000


def test_the_limit_of_nodes_costs_little() -> None:
    """Hands with jokers and long runs may meet it: a few, and then by few points."""
    rng = random.Random(4)
    rows = np.empty(MAX_LEGAL, np.int32)
    gaps = []
    for _ in range(1500):
        for hand in biased_deal(rng, "near_formation")[1]:
            one, two = masks_of(hand)
            exact = _best_packing(one, two, _usable(one, two, rows), 11, 1)
            gaps.append(exact - pack(hand, Worth()).points)
    assert min(gaps) == 0 and np.count_nonzero(gaps) < 0.02 * len(gaps) and max(gaps) < 20


def test_without_melds() -> None:
    """X1.1: of a kind held twice one card stays; jokers go as well."""
    for hand, worth in cases(60, 9):
        rows = pack(hand, worth).rows
        laid = Counter(card for row in rows for card in CARDS[row])
        chosen = np.array([*rows, *range(5)], np.int64)  # what stands behind is not looked at
        left = _without_melds(*masks_of(hand), chosen, len(rows))
        assert tuple(left) == masks_of(list((Counter(hand) - laid).elements()))
