"""A hash of all that some play shows; ``python -m tests.xabitha.fingerprint`` prints it."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np

from tests.xabitha.walks import SEATS, reshuffled_by, walk
from xabitha_env.xabitha.engine import XabithaEngine

# Seeds and kinds of deals of short matches with formations, steals and reshuffles among them.
PLAY = [(seed, "near_formation") for seed in (0, 1, 2)] + [(3, "joker_rich"), (4, "sets")]
RULES = {"num_rounds": 2, "max_turns": 30, "opening_points": 30}
LONG = {"num_rounds": 1, "max_turns": 90}  # beyond the 49 cards of the deck
CODES = [np.full(1, code, np.int8) for code in (0, 1)]


def shown(engine: XabithaEngine, views: bool) -> bytes:
    """What the engine shows at a decision; of all seats, if asked."""
    count = engine.legal_count[0]
    parts = [engine.observation, engine.mask, engine.legal[0, :count], engine.rewards]
    parts += [engine.choose(codes) for codes in CODES]
    if views:
        parts += [engine.observe(0, seat) for seat in SEATS] + [engine.global_state(0)]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def fingerprint() -> tuple[str, dict[str, int]]:
    """The hash, and how often each kind of move was made."""
    digest = hashlib.sha256()
    moves: Counter[str] = Counter()
    matches = [walk(seed, RULES, (kind,)) for seed, kind in PLAY]
    for match in [*matches, walk(6, LONG, ("uniform",))]:
        for engine, move in match:
            digest.update(shown(engine, moves.total() % 5 == 0) + move.encode())
            moves[move.partition(":")[0]] += 1
            moves["reshuffle"] += reshuffled_by(engine, move) is not None
        digest.update(engine.get_state().tobytes())
    return digest.hexdigest(), dict(sorted(moves.items()))


if __name__ == "__main__":
    print(fingerprint())
