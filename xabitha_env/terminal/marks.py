"""What is marked in a hand: melds and near-melds, cards for the table, cards that capture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import JOKER, KIND_OF, card_text
from xabitha_env.protocol import Engine
from xabitha_env.scene import Group
from xabitha_env.terminal.moves import cards_of, verb_of
from xabitha_env.xabitha.melds import (
    BASE_POINTS,
    CARDS,
    HIGH_ACES,
    JOKERS,
    LOW_ACES,
    MELDS,
    NEED,
    NUM_RUNS,
    ROW_OF,
    SHORTEST_MELD,
)

IN_MELD, NEARLY, FITS, CAPTURES = "=", "-", "+", "!"
LEGENDS = {
    "xabitha": f"{IN_MELD} in a meld  {NEARLY} one short  {FITS} fits on the table",
    "xeri": f"{CAPTURES} captures",
}


def hand_marks(engine: Engine, hand: Sequence[str], moves: Sequence[str]) -> dict[str, str]:
    """Return the marks of the cards of a hand, by card; none where nothing is to be said.

    Args:
        engine: one game, as far as the seat knows it (a draft, perhaps).
        hand: cards, in text form.
        moves: the legal moves, if the seat is to act.
    """
    if engine.game == "xeri":
        return dict.fromkeys(_capturing(engine, moves), CAPTURES)
    marks = meld_marks(hand)
    for move in moves:
        if verb_of(move) in ("add", "steal"):
            for card in cards_of(move):
                marks[card] = marks.get(card, "") + FITS * (FITS not in marks.get(card, ""))
    return marks


def meld_marks(hand: Sequence[str]) -> dict[str, str]:
    """Return which cards of a hand are part of a meld, or of two that lack only a third.

    Jokers are left out: with one in hand any two such cards are a meld.
    """
    have = np.int64(sum(1 << kind for kind in {KIND_OF[card] for card in hand} - {JOKER}))
    shortest = NEED[(CARDS == SHORTEST_MELD) & (JOKERS == 0)]
    held = shortest & have
    near = np.bitwise_count(held.astype(np.uint64)) == SHORTEST_MELD - 1
    marks = dict.fromkeys(_cards_in(held[near]), NEARLY)
    return marks | dict.fromkeys(_cards_in(shortest[held == shortest]), IN_MELD)


def _cards_in(masks: NDArray[np.int64]) -> list[str]:
    every = int(np.bitwise_or.reduce(masks, initial=0))
    return [card_text(kind) for kind in range(JOKER) if every >> kind & 1]


def _capturing(engine: Engine, moves: Iterable[str]) -> list[str]:
    """Return the cards whose play would capture, as the engine says when it is tried."""
    found: list[str] = []
    for move in moves:
        trial = engine.copy()
        before, action = trial.get_state(), trial.parse(move)
        trial.step([action])
        if "captured" in trial.event_record(before, action):
            found.extend(cards_of(move))
    return found


@cache
def _rows_by_cards() -> dict[tuple[int, ...], list[int]]:
    rows: dict[tuple[int, ...], list[int]] = {}
    for row, meld in enumerate(MELDS):
        rows.setdefault(tuple(sorted(meld.cards)), []).append(row)
    return rows


def _points(engine: Engine, row: int) -> int:
    game = engine.games[0]
    aces = LOW_ACES[row] * game["ace_low_points"] + HIGH_ACES[row] * game["ace_high_points"]
    return int(BASE_POINTS[row] + aces)


def pick_note(engine: Engine, picked: Sequence[str]) -> str:
    """Say which meld the cards picked would be and its points; empty when they are none."""
    if engine.game != "xabitha":
        return ""
    rows = _rows_by_cards().get(tuple(sorted(KIND_OF[card] for card in picked)), [])
    return " or ".join(dict.fromkeys(_worth(engine, row) for row in rows))


def move_note(engine: Engine, move: str) -> str:
    """Say what the meld of a move is worth; empty for other moves."""
    if verb_of(move) != "meld":
        return ""
    return _worth(engine, ROW_OF[move.partition(":")[2]])


def _worth(engine: Engine, row: int) -> str:
    return f"a {'run' if row < NUM_RUNS else 'set'} of {_points(engine, row)}"


def possible_moves(game: str, picked: Sequence[str]) -> list[str]:
    """Return the moves, legal or not, that would take just these cards from a hand."""
    if len(picked) == 1:
        return [f"{'play' if game == 'xeri' else 'discard'}:{picked[0]}"]
    if game == "xeri":
        return []
    rows = _rows_by_cards().get(tuple(sorted(KIND_OF[card] for card in picked)), [])
    return [f"meld:{MELDS[row].text()}" for row in rows]


def opening_note(engine: Engine, seat: int, staged: Sequence[Group]) -> str:
    """Say how far an opening is: its points against the threshold, and whether a run is there.

    Args:
        engine: one game of Xabitha, the draft.
        seat: whose opening it is.
        staged: its melds.
    """
    rows = [ROW_OF["-".join(meld.cards)] for meld in staged]
    total = sum(_points(engine, row) for row in rows)
    run = any(row < NUM_RUNS for row in rows)
    needed = "" if engine.games["opening_needs_run"][0] else " (not needed)"
    there = "a run is there" if run else f"no run yet{needed}"
    return f"staged {total} of {engine.games['threshold'][0, seat]}, {there}"
