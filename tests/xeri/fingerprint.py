"""A hash of what players and searches do; ``python -m tests.xeri.fingerprint`` prints it."""

from __future__ import annotations

import hashlib

import numpy as np

from tests.xeri.walks import engine_for, sample_states
from xabitha_env._jit import records
from xabitha_env.xeri.actions import MAX_LEGAL, PLAYS
from xabitha_env.xeri.endgame import EXACT_PLAYS
from xabitha_env.xeri.players import PLAYER_CODES
from xabitha_env.xeri.search import describe_decision, draw_worlds, list_candidates, roll_out
from xabitha_env.xeri.state import STATE

RULES = {"num_rounds": 2, "show_bottom_card": True}
WORLDS = 2
EXACT_EVERY = 2  # states near the end are slow to solve as plain Python


def searched(state: np.ndarray) -> bytes:
    """What the kernels for searching players write."""
    games = records(state)
    ids = np.zeros(MAX_LEGAL, np.int32)
    count = list_candidates(games, 0, ids)
    words = np.array([int(describe_decision(games, 0)), 12345], np.uint64)
    copies = np.zeros(WORLDS, STATE)
    margins, weights = np.empty((WORLDS, count)), np.empty(WORLDS)
    draw_worlds(games, 0, False, words, records(copies), weights)
    roll_out(games, 0, ids[:count].astype(np.int64), words, False, True, margins, weights)
    parts = [copies[name] for name in STATE.names]
    return b"".join(
        np.ascontiguousarray(part).tobytes()
        for part in (ids, words, *parts, margins, np.round(weights, 9))
    )


def fingerprint() -> tuple[str, int]:
    """The hash, and of how many decisions."""
    digest = hashlib.sha256()
    found = sample_states(range(3), 1, RULES)
    engine = engine_for(RULES)
    count = 0
    for number, state in enumerate(found[~found["over"]]):
        if PLAYS - state["plays"] <= EXACT_PLAYS and number % EXACT_EVERY:
            continue
        engine.set_state(state.reshape(1))
        for code in PLAYER_CODES.values():
            digest.update(engine.choose(np.full(1, code, np.int8)).tobytes())
        digest.update(searched(state.reshape(1)))
        count += 1
    return digest.hexdigest(), count


if __name__ == "__main__":
    print(fingerprint())
