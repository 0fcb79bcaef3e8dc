"""Deals in which a seat is near a formation, which chance hardly ever gives."""

from __future__ import annotations

import random

from xabitha_env.cards import NUM_RANKS, NUM_SEATS, NUM_SUITS, card_text
from xabitha_env.xabitha.melds import FORMATION_CARDS, FORMATION_LOWS, FORMATION_RUN, PACK
from xabitha_env.xabitha.state import HAND_CARDS


def near_formation(
    rng: random.Random, missing: int | None, seat: int = 0, starter: int = 0
) -> dict[str, object]:
    """Return a deal in which a seat lacks so many cards of some formation.

    Args:
        rng: draws the formation and all other cards.
        missing: cards of it that are not dealt to the seat (others may serve as well); None for a
            deal like any other.
        seat: whose hand it is.
        starter: who starts the round.
    """
    suit, low, rank = rng.randrange(NUM_SUITS), rng.randrange(FORMATION_LOWS), rng.randrange(13)
    run = [suit * NUM_RANKS + (low + place) % NUM_RANKS for place in range(FORMATION_RUN)]
    wanted = run + [other * NUM_RANKS + rank for other in range(NUM_SUITS)]
    held = [] if missing is None else rng.sample(wanted, FORMATION_CARDS - missing)
    rest = [kind for kind, copies in enumerate(PACK) for _ in range(copies)]
    for kind in held:
        rest.remove(kind)
    rng.shuffle(rest)
    sizes = [HAND_CARDS + (other == starter) for other in range(NUM_SEATS)]
    hands = []
    for other, size in enumerate(sizes):
        own = held if other == seat else []
        hands.append(own + [rest.pop() for _ in range(size - len(own))])
    return {
        "starter": starter,
        "hands": [[card_text(kind) for kind in hand] for hand in hands],
        "deck": [card_text(kind) for kind in rest],
    }
