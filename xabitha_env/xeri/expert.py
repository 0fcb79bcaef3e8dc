"""The player `expert`: counts cards, knows the odds, and plays the end of a round exactly.

It weighs the terms of a play (`terms`). The weights were fitted to the results of plays in deals
that were drawn anew and played on by the player itself, and then tuned in mirrored deals; seeds
from 30,000,000 on were kept for measuring. With few plays left it adds up the exact results over
all deals that can be (`endgame`).
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.xeri.actions import HAND_CARDS, PLAYS
from xabitha_env.xeri.endgame import EXACT_PLAYS, average_plays
from xabitha_env.xeri.odds import DEAL_PLAYS
from xabitha_env.xeri.terms import NUM_TERMS, TERMS, look, write_terms

# Points for each term: with the first hands, and with the second, when the stock is dealt out.
WEIGHT_OF = {
    "taken": (1.49, 1.37),
    "xeri": (1.13, 1.05),
    "lead": (-0.89, 4.26),
    "lead_early": (0.48, 0.09),
    "lone": (-1.0, -0.98),
    "left_to_rank": (-0.64, -0.46),
    "left_to_jack": (-0.18, -0.19),
    "left_to_own_jack": (0.43, 0.49),
    "jack": (-5.4, -11.95),
    "jack_of_many": (0.19, 0.66),
    "jack_of_two": (0.95, 1.59),
    "dead": (-0.54, -5.4),
    "two_unseen": (1.34, 6.51),
    "all_unseen": (2.07, 11.57),
    "match": (-2.92, -14.97),
    "met_before": (-5.04, -3.01),
    "reach": (24.99, 17.86),
    "reach_square": (-2.14, -1.05),
    "safe": (0.35, 1.05),
}
WEIGHTS = np.array([WEIGHT_OF[name] for name in TERMS]).T.copy()
"""(2, NUM_TERMS)."""
SECOND_THOUGHT = 0.1
"""How much the weighed terms count beside exact results, which suppose that all hands are open."""


@kernel
def weigh_terms(weights, terms):
    """Return the sum of the terms by their weights."""
    value = 0.0
    for place in range(NUM_TERMS):
        value += weights[place] * terms[place]
    return value


@kernel
def rate_quickly(g, ids, count, terms, values):
    """Write what the first so many plays are worth by their terms.

    Args:
        g: a game's record.
        ids: plays of the seat to act.
        count: their number.
        terms: room for `NUM_TERMS` terms.
        values: (count,) float64, written: points, but for a number that is the same for all.
    """
    sight = look(g)
    weights = WEIGHTS[int(g.plays >= DEAL_PLAYS)]
    for place in range(count):
        write_terms(g, np.int64(ids[place]), sight, terms)
        values[place] = weigh_terms(weights, terms)


@kernel
def first_best(values, count):
    """Return the place of the first of the highest values."""
    best = 0
    for place in range(1, count):
        if values[place] > values[best]:
            best = place
    return best


@kernel
def rate(g, ids, count, terms, values):
    """Write what all legal plays are worth; returns the place of the one that `expert` makes.

    One function for both, as each more in the chain of calls takes seconds to compile.

    Args:
        g, terms, values: as in `rate_quickly`.
        ids: all legal plays, ascending.
        count: their number.
    """
    values[0] = 0.0
    if count == 1:
        return 0
    rate_quickly(g, ids, count, terms, values)
    if PLAYS - g.plays <= EXACT_PLAYS:
        results = np.empty(HAND_CARDS)
        average_plays(g, results)
        for place in range(count):
            values[place] = results[place] + SECOND_THOUGHT * values[place]
    return first_best(values, count)
