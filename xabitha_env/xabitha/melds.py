"""All melds that can be laid from a hand, as one constant table (X5).

1,064 runs and 273 sets, one row each; the row's number is the action. Within the runs, rows go by
suit, lowest position, length and joker places; within the sets, by rank and the real suits. Points
are a base plus counts of aces, which the rules may value freely (X1.3), so the table is the same
under all rules.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from xabitha_env.cards import (
    ACE,
    JOKER,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    card_text,
    kind_of,
    rank_of,
)

SHORTEST_MELD = 3  # X5.1, X5.2
LONGEST_LAID = 5  # X5.3
LARGEST_SET = 4  # X5.1
NUM_JOKERS = 2  # X1.1
COPIES = 2  # X1.1
REAL_AMONG_FIRST = 2  # X5.4: of the first three cards
LOW_ACE, HIGH_ACE = 1, 14  # positions of a run (X5.2)
NUM_POSITIONS = HIGH_ACE
RUN, SET = 1, 2  # types of a meld on the table; 0 is an empty slot
PACK = tuple(COPIES for _ in range(NUM_KINDS))
"""How often each kind belongs to the pack: every card twice, two jokers (X1.1)."""
NUM_CARDS = sum(PACK)

_FACE_POINTS = 10  # J, Q, K (X1.3)


def rank_points(rank: int) -> int:
    """Return the points of an ordinary rank (X1.3); 0 for the ace, which the rules value."""
    return 0 if rank == ACE else min(rank + 1, _FACE_POINTS)


def position_rank(position: int) -> int:
    """Return the rank at a run's position 1 (low ace) to 14 (high ace) (X5.2)."""
    return (position - 1) % NUM_RANKS


class Meld(NamedTuple):
    """One row: a meld and the cards that it takes from the hand."""

    type: int  # RUN or SET
    cards: tuple[int, ...]  # kinds as written, JOKER where a joker lies
    suits: int  # bit mask: the suit of a run, the real suits of a set
    low: int  # lowest position of a run; 1 + rank of a set
    high: int  # highest position of a run; 1 + rank of a set
    joker_bits: int  # bit p: a joker at position p of a run; in a set, one bit a joker from bit 0

    @property
    def jokers(self) -> int:
        """How many jokers it takes."""
        return self.cards.count(JOKER)

    @property
    def need(self) -> int:
        """Bit mask of the real kinds that it takes, each once."""
        return sum(1 << kind for kind in self.cards if kind != JOKER)

    def text(self) -> str:
        """Return the cards as X12 writes them."""
        return "-".join(card_text(kind) for kind in self.cards)

    def positions(self) -> list[int]:
        """Return the position (of a set: 1 + rank) that each card stands for."""
        return (
            list(range(self.low, self.high + 1))
            if self.type == RUN
            else [self.low for _ in self.cards]
        )

    def grows(self) -> set[int]:
        """Return the real kinds that may be added to it (X7.1)."""
        if self.type == RUN:
            ends = {self.low - 1, self.high + 1} - {LOW_ACE - 1, HIGH_ACE + 1}
            return {kind_of(self.suits.bit_length() - 1, position_rank(end)) for end in ends}
        if len(self.cards) == LARGEST_SET:
            return set()
        missing = [suit for suit in range(NUM_SUITS) if not self.suits >> suit & 1]
        return {kind_of(suit, self.low - 1) for suit in missing}

    def frees(self) -> set[int]:
        """Return the real kinds that free a joker of it (X8.1, X8.2)."""
        if self.type == SET:
            return self.grows() if self.jokers else set()
        suit = self.suits.bit_length() - 1
        places = [p for p in self.positions() if self.joker_bits >> p & 1]
        return {kind_of(suit, position_rank(p)) for p in places}


def _runs(suit: int) -> list[Meld]:
    melds = []
    for low in range(LOW_ACE, HIGH_ACE - SHORTEST_MELD + 2):
        for length in range(SHORTEST_MELD, min(LONGEST_LAID, HIGH_ACE - low + 1) + 1):
            for jokers in range(NUM_JOKERS + 1):
                for places in combinations(range(length), jokers):
                    if sum(place >= SHORTEST_MELD for place in places) < jokers - 1:
                        continue  # X5.4: at least two of the three lowest are real
                    cards = tuple(
                        JOKER if place in places else kind_of(suit, position_rank(low + place))
                        for place in range(length)
                    )
                    bits = sum(1 << (low + place) for place in places)
                    melds.append(Meld(RUN, cards, 1 << suit, low, low + length - 1, bits))
    return melds


def _sets(rank: int) -> list[Meld]:
    melds = []
    for real in range(REAL_AMONG_FIRST, LARGEST_SET + 1):  # X5.4: a set needs two real cards
        for suits in combinations(range(NUM_SUITS), real):
            for jokers in range(NUM_JOKERS + 1):
                if SHORTEST_MELD <= real + jokers <= LARGEST_SET:
                    cards = tuple(kind_of(suit, rank) for suit in suits) + (JOKER,) * jokers
                    mask = sum(1 << suit for suit in suits)
                    melds.append(Meld(SET, cards, mask, rank + 1, rank + 1, (1 << jokers) - 1))
    return melds


RUNS: tuple[Meld, ...] = tuple(meld for suit in range(NUM_SUITS) for meld in _runs(suit))
SETS: tuple[Meld, ...] = tuple(meld for rank in range(len(RANKS)) for meld in _sets(rank))
MELDS: tuple[Meld, ...] = RUNS + SETS
NUM_RUNS = len(RUNS)
NUM_MELDS = len(MELDS)
ROW_OF: dict[str, int] = {meld.text(): row for row, meld in enumerate(MELDS)}

# Columns for the kernels, by row.
NEED = np.array([meld.need for meld in MELDS], np.int64)
JOKERS = np.array([meld.jokers for meld in MELDS], np.int64)
CARDS = np.array([len(meld.cards) for meld in MELDS], np.int64)
SLOT_SUITS = np.array([meld.suits for meld in MELDS], np.int64)
SLOT_LOW = np.array([meld.low for meld in MELDS], np.int64)
SLOT_HIGH = np.array([meld.high for meld in MELDS], np.int64)
SLOT_JOKERS = np.array([meld.joker_bits for meld in MELDS], np.int64)
BASE_POINTS = np.array(
    [sum(rank_points(position_rank(p)) for p in meld.positions()) for meld in MELDS], np.int64
)
LOW_ACES = np.array(
    [sum(p == LOW_ACE for p in meld.positions()) if meld.type == RUN else 0 for meld in MELDS],
    np.int64,
)
HIGH_ACES = (
    np.array([sum(position_rank(p) == ACE for p in meld.positions()) for meld in MELDS], np.int64)
    - LOW_ACES
)
# What the real cards alone are worth: a base and a count of aces.
REAL_POINTS = np.array(
    [sum(rank_points(rank_of(kind)) for kind in meld.cards if kind != JOKER) for meld in MELDS],
    np.int64,
)
REAL_ACES = np.array(
    [sum(kind != JOKER and rank_of(kind) == ACE for kind in meld.cards) for meld in MELDS], np.int64
)

# What a meld would take once it lies on the table: masks of the kinds that may be added (X7.1) and
# of those that free a joker (X8.1, X8.2).
GROWS = np.array([sum(1 << kind for kind in meld.grows()) for meld in MELDS], np.int64)
FREES = np.array([sum(1 << kind for kind in meld.frees()) for meld in MELDS], np.int64)

# Which rows contain a kind as their lowest real kind: LOWEST_ROWS[LOWEST_START[k]:…[k + 1]].
_lowest = [min(kind for kind in meld.cards if kind != JOKER) for meld in MELDS]
LOWEST_ROWS = np.array(sorted(range(NUM_MELDS), key=lambda row: (_lowest[row], row)), np.int64)
LOWEST_START = np.array(
    [sum(kind < start for kind in _lowest) for start in range(JOKER + 1)], np.int64
)
PARTNERS = np.array(
    [
        np.bitwise_or.reduce(NEED[LOWEST_ROWS[LOWEST_START[kind] : LOWEST_START[kind + 1]]])
        & ~np.int64(1 << kind)
        for kind in range(JOKER)
    ],
    np.int64,
)
"""By kind, the other kinds of these rows; each of the rows needs one of them (X5.4)."""

# Layable runs by window: of a suit's positions, five in a row from the lowest one, as a bit mask.
# FIT_RUNS[jokers in hand, window] lists the rows, counted from the first run of that suit and
# position; those at or beyond RUNS_AT[position] are cut off at the high ace.
RUNS_FROM = np.array(
    [
        next(r for r, meld in enumerate(RUNS) if meld.low == low and meld.suits == 1 << suit)
        for suit in range(NUM_SUITS)
        for low in range(LOW_ACE, HIGH_ACE - SHORTEST_MELD + 2)
    ],
    np.int64,
).reshape(NUM_SUITS, -1)
NUM_LOWS = RUNS_FROM.shape[1]
RUNS_AT = np.array(
    [sum(meld.low == low and meld.suits == 1 for meld in RUNS) for low in range(1, NUM_LOWS + 1)],
    np.int64,
)
SETS_PER_RANK = len(SETS) // NUM_RANKS
NO_ROW = -1


def _fit_runs(jokers: int, window: int) -> list[int]:
    rows = []
    for row, meld in enumerate(RUNS[: int(RUNS_AT[0])]):
        real = [place for place, kind in enumerate(meld.cards) if kind != JOKER]
        if meld.jokers <= jokers and all(window >> place & 1 for place in real):
            rows.append(row)
    return rows


def _fit_sets(jokers: int, suits: int) -> list[int]:
    return [
        row
        for row, meld in enumerate(SETS[:SETS_PER_RANK])
        if meld.jokers <= jokers and meld.suits & ~suits == 0
    ]


def _padded(lists: list[list[list[int]]]) -> tuple[np.ndarray, np.ndarray]:
    counts = np.array([[len(rows) for rows in line] for line in lists], np.int64)
    table = np.full((*counts.shape, int(counts.max())), NO_ROW, np.int64)
    for jokers, line in enumerate(lists):
        for pattern, rows in enumerate(line):
            table[jokers, pattern, : len(rows)] = rows
    return table, counts


FIT_RUNS, NUM_FIT_RUNS = _padded(
    [[_fit_runs(j, w) for w in range(1 << LONGEST_LAID)] for j in range(NUM_JOKERS + 1)]
)
FIT_SETS, NUM_FIT_SETS = _padded(
    [[_fit_sets(j, s) for s in range(1 << NUM_SUITS)] for j in range(NUM_JOKERS + 1)]
)

# The formation (X9.1).
FORMATION_RUN = 10
FORMATION_LOWS = HIGH_ACE - FORMATION_RUN + 1
FORMATION_CARDS = FORMATION_RUN + LARGEST_SET
