"""Records to look at again."""

from __future__ import annotations

import random
from typing import Any

import pytest

from xabitha_env.record import record_matches
from xabitha_env.replay import Replay, replay
from xabitha_env.research.formations import near_formation

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="session")
def records() -> dict[str, dict[str, Any]]:
    """One match of each kind, by name."""
    rng = random.Random(1)
    return {
        "xabitha": _played("xabitha", ["expert", "greedy"], 3, {"num_rounds": 2}, legal=True),
        "long": _played("xabitha", ["random"], 1, {"num_rounds": 5}),
        "formation": _played(
            "xabitha", ["expert"], 0, {"num_rounds": 2}, deals=[near_formation(rng, 0, seat=1)]
        ),
        "xeri": _played("xeri", ["expert", "greedy"], 3, {"num_rounds": 2}, legal=True),
        "target": _played("xeri", ["greedy"], 5, {"target_score": 60, "extended_target_score": 90}),
    }


def _played(game: str, players: list[str], seed: int, rules: Any, **options: Any) -> dict[str, Any]:
    return next(record_matches(players, [seed], game=game, rules=rules, **options))


@pytest.fixture(scope="session")
def matches(records: dict[str, dict[str, Any]]) -> dict[str, Replay]:
    """The same matches, frame by frame."""
    return {name: replay(record) for name, record in records.items()}
