"""A hash of all that some play shows; ``python -m tests.xabitha.fingerprint`` prints it."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np

from tests.xabitha.walks import SEATS, reshuffled_by, walk
from xabitha_env._jit import records
from xabitha_env._random import seed_streams
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import PLAYER_CODES
from xabitha_env.xabitha.search import list_candidates, roll_out
from xabitha_env.xabitha.state import DRAWING

# Seeds and kinds of deals of short matches with formations, steals and reshuffles among them.
PLAY = [(seed, "near_formation") for seed in (0, 1, 2)] + [(3, "joker_rich"), (4, "sets")]
RULES = {"num_rounds": 2, "max_turns": 30, "opening_points": 30}
LONG = {"num_rounds": 1, "max_turns": 90}  # beyond the 49 cards of the deck
CODES = [np.full(1, code, np.int8) for code in PLAYER_CODES.values()]
QUICK = 2  # of them; the others are asked less often


def shown(engine: XabithaEngine, views: bool) -> bytes:
    """What the engine shows at a decision; of all seats and players, if asked."""
    count = engine.legal_count[0]
    parts = [engine.observation, engine.mask, engine.legal[0, :count], engine.rewards]
    parts += [engine.choose(codes) for codes in CODES[: None if views else QUICK]]
    if views:
        parts += [engine.observe(0, seat) for seat in SEATS] + [engine.global_state(0)]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def searched(engine: XabithaEngine) -> bytes:
    """What a search of one world finds near the end of a round: candidates and margins."""
    games, ids = records(engine.games), np.empty(engine.max_legal, np.int32)
    actions = ids[: list_candidates(games, 0, ids)].astype(np.int64)
    margins, weights = np.empty((1, len(actions))), np.empty(1)
    roll_out(games, 0, actions, seed_streams(1, 1), False, False, margins, weights)
    return actions.tobytes() + margins.tobytes() + weights.tobytes()


def is_late(engine: XabithaEngine) -> bool:
    """A draw before the last turns, in one match after a reshuffle."""
    game = engine.games[0]
    left = int(game["max_turns"]) - int(game["turn"])
    return bool(game["phase"] == DRAWING and left == 2)


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
            if is_late(engine):
                digest.update(searched(engine))
                moves["search"] += 1
        digest.update(engine.get_state().tobytes())
    return digest.hexdigest(), dict(sorted(moves.items()))


if __name__ == "__main__":
    print(fingerprint())
