"""The compiled engine and the reference side by side, decision by decision."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.reference.xabitha import Round
from tests.xabitha.biased_deals import KINDS, TEMPERS, biased_deal, choose, random_rules
from tests.xabitha.engine_table import EngineTable

QUICK, MANY = 150, 3000
MARKS = ("undo", "reshuffled", "formation", "steal", "open", "cancelled", "xabitha", "normal")


def play_both(seed: int) -> Counter[str]:
    """Play one round on both from biased cards under random rules; what happened, counted."""
    rng = random.Random(seed)
    kind, temper = rng.choice(KINDS), rng.choice(TEMPERS)
    rules = random_rules(rng) if rng.random() < 0.7 else {}
    deal = biased_deal(rng, kind)
    engine, reference = EngineTable(rules, *deal), Round({**rules}, *deal)
    seen: Counter[str] = Counter()
    where = f"seed {seed} ({kind}, {temper})"
    while not reference.over:
        legal = reference.legal()
        assert engine.seat == reference.seat, where
        assert engine.legal() == legal, where
        move = choose(rng, legal, temper)
        event = engine.play(move)
        assert event == reference.play(move, event.get("reshuffled")), where
        assert engine.thresholds == reference.thresholds or reference.over, where
        seen.update([move.split(":")[0], *event])
    assert engine.over, where
    assert engine.result == reference.result, where
    seen[str(reference.result and reference.result["reason"])] += 1
    return seen


def play_all(seeds: range) -> Counter[str]:
    """Play a round for each seed; what happened in all, counted."""
    return sum((play_both(seed) for seed in seeds), Counter())


def test_agrees_with_the_reference() -> None:
    seen = play_all(range(QUICK))
    assert all(seen[mark] for mark in MARKS), seen


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_agrees_with_the_reference_over_thousands_of_rounds() -> None:
    seen = play_all(range(QUICK, QUICK + MANY))
    assert all(seen[mark] >= 20 for mark in MARKS), seen
