"""The list of legal actions, the mask, and what a step accepts are the same (X4.6)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest

from tests.xabitha.walks import walk, walks
from xabitha_env._jit import records
from xabitha_env.xabitha.actions import MAX_LEGAL, NUM_ACTIONS
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.legal import is_legal

FAR = (-(2**62), -1, NUM_ACTIONS, 2**62)


@numba.njit
def ask_all(games, accepted):
    """Ask for every action whether it is legal in the first game."""
    for action in range(accepted.size):
        accepted[action] = is_legal(games[0], action)


@numba.njit
def ask(games, action):
    return is_legal(games[0], action)


def check(engine: XabithaEngine) -> None:
    accepted = np.zeros(NUM_ACTIONS, np.int8)
    games: Any = records(engine.games)
    ask_all(games, accepted)
    assert (accepted == engine.mask[0]).all(), [
        engine.text(action) for action in np.flatnonzero(accepted != engine.mask[0]).tolist()
    ]
    listed = engine.legal[0, : engine.legal_count[0]]
    assert listed.tolist() == np.flatnonzero(engine.mask[0]).tolist()
    assert len(listed) < MAX_LEGAL


def test_a_step_accepts_what_is_listed_and_nothing_else() -> None:
    """All actions, at every decision while melds are staged and some of the others."""
    seen: Counter[str] = Counter()
    for engine, move in walks(range(12)):
        game = engine.games[0]
        situation = "staged" if game["staged"] else f"phase {game['phase']}"
        seen[situation] += 1
        if seen[situation] % 40 == 1 or situation in ("staged", "phase 3"):
            check(engine)
            assert not any(ask(records(engine.games), action) for action in FAR)
        seen[move.partition(":")[0]] += 1
    assert seen["staged"] > 10 and seen["formation"], seen


@pytest.mark.interpreted
def test_nothing_is_legal_when_the_match_is_over() -> None:
    for engine, _ in walk(1, {"num_rounds": 1, "max_turns": 3}):
        check(engine)
    assert engine.over[0]
    check(engine)
    assert engine.legal_count[0] == 0


@pytest.mark.interpreted
def test_moves_as_text_and_back() -> None:
    """X12: `parse` inverts `text` for every legal action, and no two are written alike."""
    for engine, _ in walk(2, {"num_rounds": 1, "max_turns": 12}):
        ids = engine.legal[0, : engine.legal_count[0]].tolist()
        texts = [engine.text(action) for action in ids]
        assert [engine.parse(text) for text in texts] == ids
        assert engine.legal_texts() == sorted(set(texts))
