"""The end of a round and of a match: penalties, rewards, results (X2, X11)."""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.xabitha.hands import held_jokers
from xabitha_env.xabitha.opening import most_value
from xabitha_env.xabitha.state import CANCELLED, MATCH_RESULT, OWN_PENALTIES, XABITHA

POINTS_PER_REWARD = np.float32(100)
"""Penalty points that one unit of reward stands for."""


@kernel
def cards_left(g, seat):
    """Return the penalty of a seat that is down at a normal win (X11.2)."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    high = int(g.ace_high_points)
    points = most_value(one, high) + most_value(two, high)
    return points + held_jokers(one, two) * int(g.joker_penalty)


@kernel
def penalty(g, seat, reason):
    """Return what a seat of the losing team pays (X11.2, X11.3)."""
    if reason == XABITHA:
        return 0 if g.opened[seat] else int(g.xabitha_closed_penalty)
    return cards_left(g, seat) if g.opened[seat] else int(g.closed_penalty)


@kernel
def score_round(g, reason, winner):
    """Book the end of a round: penalties, totals, what is shown of it, the round count.

    Args:
        g: the game's record.
        reason: NORMAL, XABITHA or CANCELLED.
        winner: the seat that went out, or NO_SEAT.
    """
    g.last_reason = reason
    g.last_winner = winner
    for seat in range(NUM_SEATS):
        loses = reason != CANCELLED and seat % NUM_TEAMS != winner % NUM_TEAMS  # X11.1, X10.1
        g.last_penalties[seat] = penalty(g, seat, reason) if loses else 0
        g.last_declared[seat] = g.declared[seat]
        g.totals[seat % NUM_TEAMS] += g.last_penalties[seat]
        g.openings[seat] += g.opened[seat]
        g.declarations[seat] += g.declared[seat]
        g.formations[seat] += np.int64(reason == XABITHA and seat == winner)
    g.turns += g.turn
    g.cancellations += np.int64(reason == CANCELLED)
    g.rounds += 1
    g.over = g.rounds == g.num_rounds
    reward_round(g)


@kernel
def reward_round(g):
    """Give all four seats their reward for the round that has just ended."""
    for seat in range(NUM_SEATS):
        team = seat % NUM_TEAMS
        own = theirs = 0
        for other in range(NUM_SEATS):
            if other % NUM_TEAMS == team:
                own += int(g.last_penalties[other])
            else:
                theirs += int(g.last_penalties[other])
        if g.reward_scheme == MATCH_RESULT:
            lead = int(g.totals[1 - team]) - int(g.totals[team])
            g.reward[seat] += np.float32(np.sign(lead) if g.over else 0)
        elif g.reward_scheme == OWN_PENALTIES:
            g.reward[seat] -= np.float32(own) / POINTS_PER_REWARD
        else:
            g.reward[seat] += np.float32(theirs - own) / POINTS_PER_REWARD
