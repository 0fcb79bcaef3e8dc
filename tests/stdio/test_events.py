"""What a seat is told of what happens: all that it sees, and nothing that it does not."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from xabitha_env.conformance import sample_records
from xabitha_env.games import GAMES
from xabitha_env.record.verify import replay_record
from xabitha_env.stdio import schema
from xabitha_env.stdio.events import Sight

SEATS = range(4)
Told = tuple[int, dict[str, Any], dict[str, Any] | None]


@cache
def told(game: str) -> list[Told]:
    """Every event of the samples as each seat is told it: the seat, the event, the message."""
    found: list[Told] = []
    whole = schema()
    checks = {
        name: Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]})
        for name in ("round", "event")
    }
    records = sample_records(game)
    formed = [record for record in records if '"formation"' in json.dumps(record["rounds"])]
    for record in [*records[:5], *formed[:2]]:
        sights = [Sight(seat) for seat in SEATS]

        def watch(engine: Any, number: int, index: int | None, record=record, sights=sights):  # type: ignore[no-untyped-def]
            entry = record["rounds"][number]
            for sight in sights:
                if index is None:
                    checks["round"].validate(sight.begin(entry, number + 1))
                    continue
                melds = [meld.cards for meld in engine.scene().melds]
                message = sight.event(entry["events"][index], melds)
                if message is not None and len(found) % 20 == 0:
                    checks["event"].validate(message)
                found.append((sight.seat, entry["events"][index], message))

        assert replay_record(record, watch) is None
    return found


@pytest.mark.parametrize("game", GAMES)
def test_own_events_are_told_whole(game: str) -> None:
    for seat, event, message in told(game):
        if event["seat"] == seat:
            assert message is not None and message["move"] == event["move"]
            for name in ("drawn", "undo", "captured", "xeri"):
                assert message.get(name) == event.get(name)


def test_others_draws_answers_and_stagings_are_not_told() -> None:
    opened: set[int] = set()
    hidden = {"draw:deck": 0, "declare": 0, "meld": 0}
    for seat, event, message in told("xabitha"):
        verb = event["move"].partition(":")[0]
        if seat == 0 and verb == "declare":
            opened = set()
        if seat == 0 and verb in ("open", "formation"):
            opened.add(event["seat"])
        if seat == event["seat"]:
            continue
        if event["move"] == "draw:deck":
            assert message is not None and "drawn" not in message
            assert message.get("reshuffled") is (True if "reshuffled" in event else None)
        elif verb == "declare":
            assert message is not None and message["move"] == "declare"
        elif verb == "meld" and event["seat"] not in opened:
            assert message is None
        else:
            assert message is not None and message["move"] == event["move"]
            continue
        hidden[event["move"] if verb == "draw" else verb] += 1
    assert all(count > 20 for count in hidden.values()), hidden


def test_openings_and_formations_are_told_with_their_melds() -> None:
    laid = [message for _, _, message in told("xabitha") if message and "melds" in message]
    formations = [message for message in laid if message["move"] == "formation"]
    assert formations and all(
        [len(meld) for meld in message["melds"]] == [10, 4] for message in formations
    )
    openings = [message for message in laid if message["move"] == "open"]
    assert all(message["melds"] for message in openings)
    assert any(len(message["melds"]) > 1 for message in openings)


def test_nobody_is_told_the_hands_of_others() -> None:
    record = sample_records("xeri")[0]
    entry = record["rounds"][0]
    message = Sight(2).begin(entry, 1)
    assert message["hand"] == entry["deal"]["hands"][2] and message["pile"] == entry["deal"]["pile"]
    assert set(message) == {"type", "game", "number", "dealer", "pile", "hand"}
