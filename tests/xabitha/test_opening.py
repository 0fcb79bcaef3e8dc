"""The search for openings against trying all sets of disjoint melds (X6.1, X6.4, X4.5)."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass

import numba
import numpy as np
import pytest

from tests.xabitha.biased_deals import KINDS, biased_deal
from tests.xabitha.kernels import from_python
from tests.xabitha.test_melds import DECK, masks, random_hand
from xabitha_env.cards import CARD_NAMES, JOKER, KIND_OF
from xabitha_env.xabitha import opening
from xabitha_env.xabitha.actions import MAX_LEGAL
from xabitha_env.xabitha.hands import REAL_BITS
from xabitha_env.xabitha.melds import MELDS, RUN

ACES = [(11, 1), (11, 1), (1, 11), (0, 20), (20, 0), (3, 3), (10_000, 0)]
NO_TAKE = -1
NOTHING = -1  # no opening, or none with a row

_stageable = from_python(opening.stageable)
_reaches = from_python(opening.reaches_with)
_may_reach = from_python(opening.may_reach)
_layable = from_python(opening.layable)
_usable = from_python(opening.usable)
_packing = from_python(opening.best_packing)

# The cards of each row, filled up with -1.
CARDS_OF = np.array([(*meld.cards, *[-1] * (5 - len(meld.cards))) for meld in MELDS])


@dataclass(frozen=True)
class Case:
    """A hand without what is staged; whether a run is staged, or none needed; a pending take."""

    hand: tuple[int, ...]
    run: bool
    taken: int
    aces: tuple[int, int]

    def __str__(self) -> str:
        names = " ".join(CARD_NAMES[kind] for kind in sorted(self.hand))
        taken = CARD_NAMES[self.taken] if self.taken >= 0 else "none"
        return f"{names}, run {self.run}, taken {taken}, aces {self.aces}"


def points_of(row: int, aces: tuple[int, int]) -> int:
    """X1.3, position by position."""
    meld = MELDS[row]
    values = [aces[1], *range(2, 11), 10, 10, 10, aces[0]]
    if meld.type == RUN:
        return sum(values[place - 1] for place in range(meld.low, meld.high + 1))
    return len(meld.cards) * (aces[0] if meld.low == 1 else values[meld.low - 1])


@numba.njit
def lay(counts, cards, sign):
    """Put a meld's cards back (1) or take them away (-1); whether all were there."""
    good = True
    for card in cards:
        if card >= 0:
            counts[card] += sign
            good = good and counts[card] >= 0
    return good


@numba.njit
def keeps_discard(counts, taken, cards_of, chosen):
    """X4.5, X4.4: some card is left that is not of the kind of a take that can be undone."""
    for row in chosen:
        for card in cards_of[row]:
            if card >= 0 and card == taken:
                taken = -1
    left = 0
    for kind in range(counts.size):
        left += counts[kind] > 0 and kind != taken
    return left > 0


@numba.njit
def try_all(counts, cards_of, points, runs, run, taken, best_with):
    """Try every collection of disjoint melds; returns the best total that opens, or -1.

    Rows are numbered as in `cards_of`; ``best_with`` gets the best total with each row in it.
    """
    chosen = np.empty(6, np.int64)
    best_with[:] = -1
    best = 0 if run and keeps_discard(counts, taken, cards_of, chosen[:0]) else -1
    depth, total, run_count, row = 0, 0, 0, 0
    while True:
        if row == points.size:
            if depth == 0:
                return best
            depth -= 1
            row = chosen[depth]
            lay(counts, cards_of[row], 1)
            total -= points[row]
            run_count -= runs[row]
            row += 1
        elif not lay(counts, cards_of[row], -1):
            lay(counts, cards_of[row], 1)
            row += 1
        else:
            chosen[depth] = row  # the same row may follow: every card exists twice
            depth += 1
            total += points[row]
            run_count += runs[row]
            opens = run or run_count > 0
            if opens and keeps_discard(counts, taken, cards_of, chosen[:depth]):
                best = max(best, total)
                for other in chosen[:depth]:
                    best_with[other] = max(best_with[other], total)


def brute_force(case: Case) -> tuple[int, dict[int, int]]:
    """The best total of an opening; and, by row that the hand can lay, of one with that row."""
    counts = np.zeros(JOKER + 1, np.int64)
    for kind in case.hand:
        counts[kind] += 1
    held = Counter(case.hand)
    rows = [row for row, meld in enumerate(MELDS) if Counter(meld.cards) <= held]
    points = np.array([points_of(row, case.aces) for row in rows], np.int64)
    runs = np.array([MELDS[row].type == RUN for row in rows], np.int64)
    best_with = np.empty(len(rows), np.int64)
    cards_of = CARDS_OF[rows].reshape(len(rows), 5)
    best = int(try_all(counts, cards_of, points, runs, case.run, case.taken, best_with))
    return best, dict(zip(rows, best_with.tolist()))


def hands_of_deals(rng: random.Random, count: int) -> list[list[int]]:
    """Hands of biased deals, with a card drawn, some of them with melds taken away."""
    hands = []
    while len(hands) < count:
        starter, dealt, deck = biased_deal(rng, rng.choice(KINDS))
        hand = [KIND_OF[card] for card in dealt[rng.randrange(4)]]
        hand += [KIND_OF[deck[0]]] * (len(hand) == 14 and hand.count(KIND_OF[deck[0]]) < 2)
        if rng.random() < 0.3:  # as if melds were staged
            hand = rng.sample(hand, rng.randint(3, 12))
        hands.append(hand)
    return hands


def cases(seed: int, count: int) -> list[Case]:
    """Random, joker-rich and biased hands with everything that bears on an opening."""
    rng = random.Random(seed)
    hands = hands_of_deals(rng, count // 2)
    while len(hands) < count:
        suits = "".join(rng.sample("CDHS", rng.choice((1, 2, 2, 3, 4))))
        jokers = rng.randrange(3)
        hands.append(random_hand(rng, rng.randint(3 + jokers, 15), jokers, suits))
    return [
        Case(
            tuple(hand),
            rng.random() < 0.4,
            rng.choice(hand) if rng.random() < 0.5 else NO_TAKE,
            rng.choice(ACES),
        )
        for hand in hands
    ]


def thresholds(rng: random.Random, best: int, best_with: dict[int, int]) -> list[int]:
    """Points that may be missing to the threshold, most of them near what can be reached."""
    values = sorted({value for value in best_with.values() if value >= 0})
    near = {51, best - 1, best, best + 1, rng.randint(-5, 120), 0}
    near |= {value + step for value in rng.sample(values, min(3, len(values))) for step in (0, 1)}
    return sorted(near)


def staged_rows(case: Case, wanted: int) -> list[int]:
    """What the engine says can be staged."""
    rows = np.empty(MAX_LEGAL, np.int32)
    one, two = masks(list(case.hand))
    run, taken = np.bool_(case.run), np.int64(case.taken)
    count = _stageable(one, two, np.int64(wanted), run, taken, *case.aces, rows)
    return rows[:count].tolist()


def check_case(rng: random.Random, case: Case) -> int:
    """Compare at many thresholds; returns how many rows could be staged at one of them."""
    best, best_with = brute_force(case)
    found = 0
    for wanted in thresholds(rng, best, best_with):
        expected = [row for row, total in best_with.items() if total >= max(wanted, 0)]
        assert staged_rows(case, wanted) == expected, f"{case}, {wanted} wanted"
        found += len(expected)
    return found


@pytest.mark.interpreted
def test_stageable_melds_of_a_few_hands() -> None:
    rng = random.Random(5)
    few = [case for case in cases(5, 80) if len(case.hand) < 12 and JOKER not in case.hand]
    assert sum(check_case(rng, case) for case in few[:12]) > 0


def test_stageable_melds_against_trying_all() -> None:
    """X6.4: exactly the rows with a completion, whatever is staged or was taken."""
    rng = random.Random(1)
    many = cases(1, 700)
    assert sum(check_case(rng, case) > 0 for case in many) > len(many) // 3


def rich_cases(seed: int, count: int) -> list[Case]:
    """Hands of 15 with two jokers, of one or two suits: they open in thousands of ways."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        hand = random_hand(rng, 15, 2, "".join(rng.sample("CDHS", rng.choice((1, 2)))))
        found.append(Case(tuple(hand), rng.random() < 0.5, rng.choice([*hand, NO_TAKE]), (11, 1)))
    return found


def test_stageable_melds_of_hands_with_many_openings() -> None:
    """Low bars, which nearly every set of melds reaches, and bars near the best."""
    for case in rich_cases(7, 40):
        best, best_with = brute_force(case)
        for wanted in (1, best // 4, best // 2, 51, 2 * best // 3, best - 2, best):
            expected = [row for row, total in best_with.items() if total >= wanted]
            assert staged_rows(case, wanted) == expected, f"{case}, {wanted} wanted"


@pytest.mark.slow
def test_stageable_melds_of_thousands_of_hands() -> None:
    rng = random.Random(2)
    for case in cases(2, 8000):
        check_case(rng, case)


def test_each_row_reaches_what_the_best_opening_with_it_is_worth() -> None:
    """`reaches_with` on its own, with all kinds allowed and with the usable ones."""
    room = np.empty(MAX_LEGAL, np.int32)
    for case in cases(3, 150):
        one, two = masks(list(case.hand))
        usable = np.int64(_usable(one, two, room))
        for row, total in brute_force(case)[1].items():
            for wanted in {max(total, 0), total + 1}:
                for free in (REAL_BITS, usable):
                    run, taken = np.bool_(case.run), np.int64(case.taken)
                    rest = (np.int64(wanted), run, taken, *case.aces, free)
                    reached = bool(_reaches(one, two, np.int64(row), *rest))
                    assert reached == (0 <= total >= wanted), f"{case}, {MELDS[row].text()}"


def test_the_cheap_bound_turns_away_no_opening() -> None:
    """`may_reach` holds up to the best total there is."""
    rows = np.empty(MAX_LEGAL, np.int32)
    turned_away = 0
    for case in cases(4, 700):
        best, best_with = brute_force(case)
        one, two = masks(list(case.hand))
        count = _layable(one, two, rows)
        for wanted in (best, best + 40):
            rest = (np.int64(wanted), np.bool_(case.run), *case.aces)
            may = bool(_may_reach(one, two, rows, count, *rest))
            turned_away += not may
            if max(best_with.values(), default=NOTHING) >= max(wanted, 0):
                assert may, f"{case}, {wanted} wanted"
    assert turned_away > 300, "a bound that always holds is no use"


def test_the_best_packing_keeps_a_card() -> None:
    """The derived feature: most points of melds with a card kept, sets alone allowed."""
    room = np.empty(MAX_LEGAL, np.int32)
    for case in cases(6, 400):
        plain = Case(case.hand, True, NO_TAKE, case.aces)
        one, two = masks(list(case.hand))
        usable = np.int64(_usable(one, two, room))
        assert _packing(one, two, usable, *case.aces) == max(brute_force(plain)[0], 0), str(plain)


@pytest.mark.parametrize(
    ("hand", "wanted", "run", "taken", "rows"),
    [
        # X12, example 1; example 2: sets alone do not open
        ("8C 9C TC KS KD KH 2D", 51, False, "", ["8C-9C-TC", "KD-KH-KS"]),
        ("KC KD KH QC QD QH 2D", 51, False, "", []),
        ("KC KD KH QC QD QH 2D", 51, True, "", ["QC-QD-QH", "KC-KD-KH"]),
        # X4.5: nothing is left to discard; the card left is the one taken
        ("8C 9C TC KS KD KH", 51, False, "", []),
        ("8C 9C TC KS KD KH 2D", 51, False, "2D", []),
        ("8C 9C TC KS KD KH 2D", 51, False, "9C", ["8C-9C-TC", "KD-KH-KS"]),
        # X4.4: one copy of the taken kind goes to the table, the other may be discarded
        ("8C 9C TC KS KD KH 9C", 51, False, "9C", ["8C-9C-TC", "KD-KH-KS"]),
    ],
)
def test_stageable_melds_of_given_hands(
    hand: str, wanted: int, run: bool, taken: str, rows: list[str]
) -> None:
    kinds = tuple(KIND_OF[card] for card in hand.split())
    case = Case(kinds, run, KIND_OF[taken] if taken else NO_TAKE, (11, 1))
    assert [MELDS[row].text() for row in staged_rows(case, wanted)] == rows


# --- how long it takes ----------------------------------------------------------------------


def cost(hand: list[int], repeats: int = 3) -> tuple[float, int]:
    """The most time of a search in ms, and what was wanted: a little, much, just too much."""
    case = Case(tuple(hand), False, NO_TAKE, (11, 1))
    best = brute_force(case)[0]
    worst = 0.0, best
    for wanted in (best // 2, 51, 3 * best // 4, best - 1, best, best + 1):
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            staged_rows(case, wanted)
            times.append(time.perf_counter() - start)
        worst = max(worst, (1000 * min(times), wanted))
    return worst


def climb_by_cost(rng: random.Random, steps: int) -> tuple[float, list[int]]:
    """Change one card after another of a hand with two jokers while the search gets slower."""
    hand = random_hand(rng, 15, 2, "".join(rng.sample("CDHS", rng.choice((1, 2, 3)))))
    best = cost(hand)[0]
    for _ in range(steps):
        other = list(hand)
        for place in rng.sample(range(13), rng.choice((1, 1, 2))):
            left = Counter(DECK) - Counter(other)
            left.pop(JOKER, None)
            other[place] = rng.choice(list(left.elements()))
        if cost(other, 1)[0] > best and (slower := cost(other)[0]) > best:
            hand, best = other, slower
    return best, hand


@pytest.mark.slow
def test_the_slowest_hands_are_searched_exactly() -> None:
    """A hill climb over hands of 15 with two jokers; prints what the slowest one takes."""
    rng = random.Random(9)
    found = sorted((climb_by_cost(rng, 250) for _ in range(6)), reverse=True)
    for milliseconds, hand in found:
        cards = " ".join(CARD_NAMES[kind] for kind in sorted(hand))
        print(f"{milliseconds:.3f} ms  {cards}")
        for run in (False, True):
            check_case(rng, Case(tuple(hand), run, NO_TAKE, (11, 1)))
