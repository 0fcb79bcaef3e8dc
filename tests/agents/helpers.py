"""Decisions to test networks on."""

from __future__ import annotations

import numpy as np

from agents.encoding import Encoder, Inputs
from xabitha_env.games import make_engine, make_rules
from xabitha_env.protocol import Engine


def engine_of(game: str, tables: int = 16, seed: int = 0, **options: object) -> Engine:
    engine = make_engine(game, tables, rules=make_rules(game, {"num_rounds": 1}), **options)
    engine.reset(seed)
    return engine


def decisions(encoder: Encoder, count: int, secrets: bool = True) -> Inputs:
    """So many decisions of rounds that are played at random for a while, then by `greedy`."""
    engine = engine_of(encoder.game, count, auto_restart=True)
    random = np.random.default_rng(3)
    code = engine.player_codes["greedy"]
    for _ in range(20):
        actions = engine.choose(np.full(count, code, np.int8))
        for table in np.flatnonzero(~engine.over & (random.random(count) < 0.2)):
            actions[table] = random.choice(engine.legal[table, : engine.legal_count[table]])
        engine.step(np.where(engine.over, 0, actions))
    return encoder.encode(engine, np.flatnonzero(~engine.over), secrets)
