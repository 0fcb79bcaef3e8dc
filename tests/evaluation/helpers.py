"""Players and results that tests of the evaluation share."""

from __future__ import annotations

import numpy as np

from xabitha_env.evaluation.play import one_round
from xabitha_env.evaluation.run import Pairing
from xabitha_env.evaluation.teams import parse_team
from xabitha_env.players import load_player

XABITHA = one_round("xabitha")
XERI = one_round("xeri")


def team(name, game="xabitha"):
    return (load_player(name, game),) * 2


def pairing(a, b):
    return Pairing(parse_team(a), parse_team(b))


class Onlooker:
    """Plays the first legal action; notes what was dealt, where it sat and its seeds."""

    name = "onlooker"

    def __init__(self):
        self.deals, self.seats, self.seeds = [], [], []

    def reset(self, engine, seed):
        self.deals.append([engine.deal_record(game) for game in range(engine.num_games)])
        self.seats.append(set())
        self.seeds.append(seed)

    def act(self, view):
        self.seats[-1] |= set(view.seat.tolist())
        return view.legal[:, 0]


class Drawing:
    """Draws legal actions from a generator of its own."""

    name = "drawing"

    def __init__(self, stop=None):
        self.stop = stop  # a decision that is an interrupt

    def reset(self, engine, seed):
        self.generator = np.random.default_rng(seed)

    def act(self, view):
        return view.legal[np.arange(len(view.seat)), self.generator.integers(0, view.legal_count)]


DRAWING = f"{__name__}:Drawing"
