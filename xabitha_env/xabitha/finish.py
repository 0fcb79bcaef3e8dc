"""Whether a seat that is down can go out this turn: a search over what it can do on the table."""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import INTERPRETED, kernel
from xabitha_env.xabitha import play
from xabitha_env.xabitha.actions import DISCARD, MAX_LEGAL
from xabitha_env.xabitha.legal import list_legal
from xabitha_env.xabitha.state import STATE

MOST_CARDS = 8
"""Larger hands are not searched."""
MOST_STEPS = 2 * MOST_CARDS
MOST_NODES = 300
RECORD = np.dtype((np.record, STATE)) if INTERPRETED else STATE


@kernel
def winning_action(g, seat):
    """Return the first of some actions on the table that leave the seat one card, or -1.

    A depth-first search on copies of the game; it gives up after `MOST_NODES` actions. That the
    card left can be discarded is what makes an action legal (X4.5).
    """
    if g.hand_count[seat] > MOST_CARDS:
        return -1
    games = np.empty(MOST_STEPS + 1, RECORD)
    ids = np.empty((MOST_STEPS + 1, MAX_LEGAL), np.int32)
    left = np.empty(MOST_STEPS + 1, np.int64)
    games[0] = g
    left[0] = list_legal(games[0], ids[0])
    depth = 0
    for _ in range(MOST_NODES):
        while left[depth] == 0 or ids[depth, left[depth] - 1] >= DISCARD:
            if left[depth] > 0:
                left[depth] -= 1  # discards are the last in the list
            elif depth == 0:
                return -1
            else:
                depth -= 1
        left[depth] -= 1
        games[depth + 1] = games[depth]
        play.play(games[depth + 1], np.int64(ids[depth, left[depth]]))
        if games[depth + 1].hand_count[seat] == 1:
            return int(ids[0, left[0]])
        if depth + 1 < MOST_STEPS:
            depth += 1
            left[depth] = list_legal(games[depth], ids[depth])
    return -1
