"""The meld table, which rows a hand can lay, and the bound of the number of legal actions."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.reference import xabitha as reference
from tests.xabitha.kernels import from_python
from xabitha_env.cards import CARD_NAMES, JOKER, KIND_OF, NUM_RANKS, SUITS
from xabitha_env.xabitha import actions, melds
from xabitha_env.xabitha.melds import MELDS, NUM_RUNS, RUNS, SETS
from xabitha_env.xabitha.opening import layable, row_points, usable

DECK = [kind for kind in range(JOKER + 1) for _ in range(2)]
_layable = from_python(layable)
_points = from_python(row_points)
_usable = from_python(usable)
CARDS_OF = [Counter(meld.cards) for meld in MELDS]


def masks(kinds: list[int]) -> tuple[np.int64, np.int64]:
    """The two masks of a collection of cards."""
    counts = Counter(kinds)
    one = sum(1 << kind for kind in counts)
    return np.int64(one), np.int64(sum(1 << kind for kind in counts if counts[kind] == 2))


def rows_of(hand: list[int]) -> list[int]:
    """The rows that the engine says a hand can lay."""
    rows = np.empty(actions.MAX_LEGAL, np.int32)
    return rows[: _layable(*masks(hand), rows)].tolist()


def texts_by_trying(hand: list[int]) -> list[str]:
    """The melds that a hand can lay: every row whose cards are all there."""
    held = Counter(hand)
    return [MELDS[row].text() for row, cards in enumerate(CARDS_OF) if cards <= held]


def random_hand(rng: random.Random, size: int, jokers: int, suits: str = SUITS) -> list[int]:
    """A hand with so many jokers, its other cards of these suits."""
    deck = [kind for kind in DECK if kind != JOKER and SUITS[kind // NUM_RANKS] in suits]
    return rng.sample(deck, size - jokers) + [JOKER] * jokers


def some_hands(count: int) -> list[list[int]]:
    """Hands of 1 to 15 cards, most of them with jokers, many of one or two suits."""
    rng = random.Random(1)
    hands = []
    for _ in range(count):
        jokers = rng.randrange(3)
        suits = "".join(rng.sample(SUITS, rng.choice((1, 2, 4, 4))))
        hands.append(random_hand(rng, rng.randint(max(1, jokers), 15), jokers, suits))
    return hands


# --- the table ------------------------------------------------------------------------------


def test_every_meld_that_can_be_laid_has_one_row() -> None:
    """X5.1 to X5.4, X12: the same melds as the reference finds by trying."""
    texts = [meld.text() for meld in MELDS]
    assert len(set(texts)) == len(texts) == melds.NUM_MELDS
    assert sorted(texts) == [meld.text for meld in reference.every_meld()]


def test_there_are_1064_runs_and_273_sets() -> None:
    assert (len(RUNS), len(SETS)) == (1064, 273)
    assert len(MELDS) == 1337 and (*RUNS, *SETS) == MELDS


def reference_meld(row: int) -> reference.Meld:
    meld = reference.as_meld(MELDS[row].text().split("-"))
    assert meld is not None
    return meld


def test_places_of_the_cards() -> None:
    """X5.2, X5.5: suit, positions and jokers of every row."""
    for row, meld in enumerate(MELDS):
        other = reference_meld(row)
        kinds = tuple(KIND_OF[card] for card in other.cards)
        assert (meld.cards, meld.type == melds.RUN) == (kinds, other.kind == "run")
        jokers = [place for place, card in enumerate(other.cards) if card == reference.JOKER]
        if other.kind == "run":
            suits, low, high = other.suit, other.low, other.high
            bits = sum(1 << (low + place) for place in jokers)
        else:
            suits = [card[1] for card in other.reals]
            low = high = reference.RANKS.index(other.rank) + 1
            bits = 2 ** len(jokers) - 1
        assert meld.suits == sum(1 << SUITS.index(suit) for suit in suits), meld.text()
        assert (meld.low, meld.high, meld.joker_bits) == (low, high, bits), meld.text()


def test_what_a_meld_takes_on_the_table() -> None:
    """X7.1, X8: the real cards that may be added to every row, and those that free a joker."""
    reals = [card for card in KIND_OF if card != reference.JOKER]
    for row, meld in enumerate(MELDS):
        other = reference_meld(row)
        grows = {
            c
            for c in reals
            if reference.grown(other, c, ":low") or reference.grown(other, c, ":high")
        }
        frees = {card for card in reals if reference.swapped(other, card)}
        assert meld.grows() == {KIND_OF[card] for card in grows}, meld.text()
        assert meld.frees() == {KIND_OF[card] for card in frees}, meld.text()
        for mask, kinds in ((melds.GROWS[row], meld.grows()), (melds.FREES[row], meld.frees())):
            assert int(mask) == sum(1 << kind for kind in kinds)


def test_rows_stand_in_their_order() -> None:
    """Runs by suit, position, length and number of jokers; sets by rank."""
    keys = [(meld.suits, meld.low, len(meld.cards), meld.jokers) for meld in RUNS]
    assert keys == sorted(keys)
    assert [meld.low for meld in SETS] == sorted(meld.low for meld in SETS)


@pytest.mark.parametrize("aces", [(11, 1), (0, 0), (1, 20), (10_000, 7)])
def test_points_of_every_row(aces: tuple[int, int]) -> None:
    """X1.3: a joker counts as the card it stands for, an ace as the rules say."""
    for row in range(len(MELDS)):
        expected = reference.meld_points(reference_meld(row), *aces)
        assert _points(row, *aces) == expected, MELDS[row].text()


def test_columns_are_the_rows() -> None:
    for row, meld in enumerate(MELDS):
        real = [kind for kind in meld.cards if kind != JOKER]
        assert int(melds.NEED[row]) == meld.need == sum(1 << kind for kind in real)
        assert melds.JOKERS[row] == meld.jokers == meld.cards.count(JOKER)
        assert melds.CARDS[row] == len(meld.cards)
        assert melds.SLOT_SUITS[row] == meld.suits
        assert (melds.SLOT_LOW[row], melds.SLOT_HIGH[row]) == (meld.low, meld.high)
        assert melds.SLOT_JOKERS[row] == meld.joker_bits
        ranks = [CARD_NAMES[kind][0] for kind in real]
        points = sum(reference.rank_points(rank, 0) for rank in ranks)
        assert melds.REAL_POINTS[row] == points
        assert melds.REAL_ACES[row] == ranks.count("A")
        assert melds.ROW_OF[meld.text()] == row


def test_rows_by_lowest_real_kind() -> None:
    """What the search for openings branches on."""
    assert sorted(melds.LOWEST_ROWS.tolist()) == list(range(len(MELDS)))
    for kind in range(JOKER):
        rows = melds.LOWEST_ROWS[melds.LOWEST_START[kind] : melds.LOWEST_START[kind + 1]]
        lowest = [min(k for k in MELDS[row].cards if k != JOKER) for row in rows]
        assert set(lowest) <= {kind} and rows.tolist() == sorted(rows)


@pytest.mark.parametrize(
    ("text", "points"),
    [("8C-9C-TC", 27), ("AS-2S-3S", 6), ("QS-KS-AS", 31), ("QC-QD-JK-JK", 40), ("AC-AD-JK", 33)],
)
def test_points_of_the_examples(text: str, points: int) -> None:
    """X12, examples 1, 3 and 6."""
    assert _points(melds.ROW_OF[text], 11, 1) == points


@pytest.mark.parametrize(
    "text",
    ["KS-AS-2S", "4S-JK-JK", "4S-JK-JK-7S", "JK-JK-6S", "QC-JK-JK", "2S-3S-4S-5S-6S-7S", "2S-3S"],
)
def test_what_is_no_meld(text: str) -> None:
    """X5.2 to X5.4; X12, examples 4 and 5."""
    assert text not in melds.ROW_OF


def test_actions_of_melds_are_rows() -> None:
    assert actions.ACTIONS["meld"].size == len(MELDS)
    block, place = actions.ACTIONS.block_at(actions.MELD + NUM_RUNS)
    assert (block.name, place) == ("meld", NUM_RUNS)


# --- what a hand can lay --------------------------------------------------------------------


def test_layable_rows_against_trying_all() -> None:
    for hand in some_hands(400):
        rows = rows_of(hand)
        assert rows == sorted(rows)
        assert [MELDS[row].text() for row in rows] == texts_by_trying(hand), hand


def test_layable_rows_against_the_reference() -> None:
    for hand in some_hands(60):
        held = tuple(sorted(CARD_NAMES[kind] for kind in hand))
        own = sorted(MELDS[row].text() for row in rows_of(hand))
        assert own == [meld.text for meld in reference.melds_in(held)]


def test_every_row_is_layable_from_its_own_cards() -> None:
    for row, meld in enumerate(MELDS):
        assert row in rows_of(list(meld.cards))
        for place in range(len(meld.cards)):
            assert row not in rows_of([*meld.cards[:place], *meld.cards[place + 1 :]])


def test_usable_kinds_are_those_of_layable_rows() -> None:
    room = np.empty(actions.MAX_LEGAL, np.int32)
    for hand in some_hands(200):
        used = {kind for row in rows_of(hand) for kind in MELDS[row].cards if kind != JOKER}
        assert int(_usable(*masks(hand), room)) == sum(1 << kind for kind in used)


# --- how many actions can be legal ----------------------------------------------------------


@cache
def most_runs(jokers: int) -> tuple[int, ...]:
    """By the number of kinds held of one suit: the most runs of it that can be laid."""
    best = [0] * (NUM_RANKS + 1)
    needs = [meld.need for meld in RUNS if meld.suits == 1 and meld.jokers <= jokers]
    held = np.arange(1 << NUM_RANKS)
    counts = sum(((np.int64(need) & ~held) == 0).astype(int) for need in needs)
    for mask, count in zip(held.tolist(), counts.tolist()):
        best[mask.bit_count()] = max(best[mask.bit_count()], count)
    return tuple(best)


@cache
def most_sets(jokers: int) -> tuple[int, ...]:
    """By the number of suits held of one rank: the most sets of it that can be laid."""
    one_rank = [meld for meld in SETS if meld.low == 1 and meld.jokers <= jokers]
    return tuple(
        max(
            sum(set(suits) >= {s for s in range(4) if meld.suits >> s & 1} for meld in one_rank)
            for suits in itertools.combinations(range(4), held)
        )
        for held in range(5)
    )


def most_in_all(gains: tuple[int, ...], groups: int, cards: int) -> int:
    """The most that groups of cards (suits, ranks) give in all."""
    best = [0] * (cards + 1)
    for _ in range(groups):
        best = [
            max(best[total - part] + gains[part] for part in range(min(total, len(gains) - 1) + 1))
            for total in range(cards + 1)
        ]
    return best[cards]


def legal_bound(jokers: int) -> int:
    """No seat with so many jokers in a hand of 15 ever has more legal actions than this.

    Runs and sets are bounded each on its own. Each of the 16 melds takes a card at two places
    and, for a joker in hand, a joker at two; jokers to steal are those that are not in hand.
    """
    real = 15 - jokers
    laid = most_in_all(most_runs(jokers), 4, real) + most_in_all(most_sets(jokers), 13, real)
    on_slots = actions.NUM_SLOTS * (4 if jokers else 2) + (2 - jokers)
    return laid + on_slots + real + 1


def test_legal_actions_fit_their_room() -> None:
    """`MAX_LEGAL` is derived from the meld table.

    While melds are staged, or a formation can be laid, fewer are legal: a commit takes the place
    of what can be done to melds on the table.
    """
    assert most_runs(2)[NUM_RANKS] == NUM_RUNS // 4 and most_sets(2)[4] == len(SETS) // 13
    bounds = [legal_bound(jokers) for jokers in range(3)]
    print("bounds by jokers in hand:", bounds)
    assert max(bounds) <= actions.MAX_LEGAL


def test_sixteen_melds_are_enough() -> None:
    """X12: a seat lays at most 14 cards of its own, in melds of three or more."""
    most = (15 - 1) // melds.SHORTEST_MELD
    assert 4 * most <= actions.NUM_SLOTS


def climb(rng: random.Random, value: Any, steps: int) -> tuple[int, list[int]]:
    """Change one card of a hand of 15 with two jokers after another while the value grows."""
    hand = random_hand(rng, 15, 2)
    best = value(hand)
    for _ in range(steps):
        place = rng.randrange(13)
        left = Counter(DECK) - Counter(hand)
        other = [*hand[:place], rng.choice(list(left.elements())), *hand[place + 1 :]]
        if other.count(JOKER) == 2 and value(other) >= best:
            hand, best = other, value(other)
    return best, hand


def test_the_most_melds_that_a_search_finds_are_fewer() -> None:
    rng = random.Random(3)
    best, hand = max(climb(rng, lambda hand: len(rows_of(hand)), 400) for _ in range(6))
    cards = " ".join(CARD_NAMES[kind] for kind in sorted(hand))
    print(f"the most melds found: {best}, of {cards}")
    assert NUM_RUNS // 4 // 2 < best <= legal_bound(2) <= actions.MAX_LEGAL
