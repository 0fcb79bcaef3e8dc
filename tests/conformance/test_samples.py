"""The sample records show every rule and rare event, and are by the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.reference.xabitha import check_match as check_xabitha
from tests.reference.xeri import check_match as check_xeri
from xabitha_env.conformance import sample_records, tasks, with_legal
from xabitha_env.conformance.deals import KINDS, deal, varied_rules
from xabitha_env.conformance.making import make_samples
from xabitha_env.conformance.marks import marks, required
from xabitha_env.games import GAMES, make_engine, make_rules
from xabitha_env.record import verify_record

REFERENCES = {"xabitha": check_xabitha, "xeri": check_xeri}
NUMBER = {game: len(sample_records(game)) for game in GAMES}
CASES = [pytest.param(game, n, id=f"{game}-{n}") for game in GAMES for n in range(NUMBER[game])]


@pytest.mark.parametrize(("game", "number"), CASES)
def test_a_sample_is_by_the_rules(game: str, number: int) -> None:
    """By the engine, and by the reference engine, which compares every list of legal moves."""
    record = sample_records(game)[number]
    assert verify_record(record) is None
    whole = with_legal(record)
    assert all("legal" in event for entry in whole["rounds"] for event in entry["events"])
    assert REFERENCES[game](whole) is None


@pytest.mark.parametrize("game", GAMES)
def test_the_samples_show_everything(game: str) -> None:
    shown = set().union(*map(marks, sample_records(game)))
    assert required(game) <= shown
    assert any(not mark.startswith("rule") for mark in required(game))


@pytest.mark.slow
def test_the_command_makes_the_same_file() -> None:
    assert make_samples() == sample_records()


@pytest.mark.parametrize("game", GAMES)
def test_arranged_deals_are_deals(game: str) -> None:
    rng = random.Random(3)
    seen = set()
    for _ in range(60):
        rules = varied_rules(rng, game)
        engine = make_engine(game, 1, rules=make_rules(game, rules), outputs=())
        head = deal(rng, game, rules, None)
        engine.reset(seed=[0], deals=[head])
        seen.add(head.get("starter", head.get("dealer")))
    assert seen == {0, 1, 2, 3} and len(KINDS[game]) > 4


def fields(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from fields(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, path)
    else:
        yield path


def test_tasks_tell_nothing_that_follows() -> None:
    told = {path for task in tasks(sample_records()) for path in fields(task)}
    assert {".rounds.events.move", ".rounds.events.reshuffled", ".rounds.starter"} <= told
    wrong = ("seat", "drawn", "undo", "captured", "xeri", "legal", "result", "winners", "totals")
    assert not [path for path in told if path.startswith(".rounds") and path.endswith(wrong)]
    for task in tasks(sample_records()):
        assert not any("starter" in entry or "dealer" in entry for entry in task["rounds"][1:])
