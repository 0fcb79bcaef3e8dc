"""What a seat sees as JSON: complete, as the schema says, and nothing hidden."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from tests.xabitha import hidden as xabitha_hidden
from tests.xabitha.walks import sample_states as xabitha_states
from tests.xeri import hidden as xeri_hidden
from tests.xeri.walks import sample_states as xeri_states
from xabitha_env.conformance import sample_records
from xabitha_env.games import GAMES, make_engine, make_rules
from xabitha_env.players import draw_worlds
from xabitha_env.record.verify import replay_record
from xabitha_env.stdio import observe, schema
from xabitha_env.stdio.observation import last_round

HIDDEN = {"xabitha": xabitha_hidden, "xeri": xeri_hidden}
SEATS = range(4)


@cache
def validator(name: str) -> Draft202012Validator:
    whole = schema()
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]})


@cache
def states(game: str) -> np.ndarray:
    if game == "xabitha":
        return xabitha_states(range(4), 1)
    rules = {"num_rounds": 2, "redeal_pile": False, "show_bottom_card": True}
    return xeri_states(range(4), 1, rules)


def engine_of(game: str, state: np.ndarray) -> Any:
    engine = make_engine(game, 1, rules=make_rules(game, HIDDEN[game].rules_of(state[0])))
    engine.set_state(state)
    return engine


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("game", GAMES)
def test_every_position_is_as_the_schema_says(game: str) -> None:
    seen = 0

    def watch(engine: Any, number: int, index: int | None) -> None:
        nonlocal seen
        seen += 1
        if seen % 60 == 0 or engine.over[0]:
            for seat in SEATS:
                observation = observe(engine, 0, seat)
                validator(game).validate(observation)
                assert json.loads(json.dumps(observation)) == observation

    for record in sample_records(game):
        assert replay_record(record, watch) is None
    assert seen > 600


@pytest.mark.parametrize("game", GAMES)
def test_nothing_hidden_shows(game: str) -> None:
    """Whatever is hidden from a seat is dealt anew, and nothing changes (X3.3, X6.4)."""
    rng = random.Random(1)
    differ = 0
    for place in range(len(states(game))):
        state = states(game)[place : place + 1]
        engine = engine_of(game, state)
        for seat in SEATS:
            other = engine_of(game, HIDDEN[game].resampled(rng, state, seat))
            assert observe(other, 0, seat) == observe(engine, 0, seat)
            differ += any(observe(other, 0, one) != observe(engine, 0, one) for one in SEATS)
    assert differ > len(states(game))  # other seats see that their cards are others


@pytest.mark.parametrize("game", GAMES)
def test_worlds_look_the_same_to_the_seat_to_act(game: str) -> None:
    looked = 0
    for place in range(0, len(states(game)), 3):
        engine = engine_of(game, states(game)[place : place + 1])
        if engine.over[0]:
            continue
        seat = int(engine.seats[0])
        worlds, _ = draw_worlds(engine, 0, 2, seed=place)
        for world in range(2):
            room = make_engine(game, 1, rules=engine.rules)
            room.set_state(worlds[world : world + 1])
            assert observe(room, 0, seat) == observe(engine, 0, seat)
            assert room.legal_texts() == engine.legal_texts()
        looked += 1
    assert looked > 5


def test_memory_of_xabitha_is_what_happened() -> None:
    """Discards, takes, cards on the table and the fire pile, kept beside from the records."""
    for record in sample_records("xabitha")[:6]:
        replay_record(record, Memory(record).watch)


class Memory:
    """What happened in a round, by its events alone."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record

    def watch(self, engine: Any, number: int, index: int | None) -> None:
        entry = self.record["rounds"][number]
        if index is None:
            self.discarded: list[set[str]] = [set(), set(), set(), set()]
            self.took: list[set[str]] = [set(), set(), set(), set()]
            return
        if index == len(entry["events"]) - 1:
            return
        event = entry["events"][index]
        seat, move = event["seat"], event["move"]
        if move == "draw:fire":
            self.took[seat].add(event["drawn"])
        if move.startswith("discard") and "undo" not in event:
            self.discarded[seat].add(move[8:])
        if event.get("undo"):
            self.took[seat].discard(move[8:])
        seen = observe(engine, 0, seat)
        own = seen["seats"][seat]
        assert own["cards"] == len(seen["hand"]) + sum(map(len, seen["staged"]))
        cards = Counter(seen["hand"])
        for meld in seen["staged"]:
            cards += Counter(meld)
        assert not Counter(own["known"]) - cards
        lying = Counter(seen["fire"])
        for meld in seen["melds"]:
            lying += Counter(meld["cards"])
        hands = sum(other["cards"] for other in seen["seats"])
        assert lying.total() + hands + seen["deck"]["cards"] == 106
        for other in SEATS:
            assert self.discarded[other] <= set(seen["seats"][other]["discarded"])
        if move.startswith("discard"):
            assert seen["fire"][-1] == move[8:]


def test_memory_of_xeri_is_what_was_played() -> None:
    for record in sample_records("xeri"):

        def watch(engine: Any, number: int, index: int | None, record: Any = record) -> None:
            entry = record["rounds"][number]
            if index in (None, len(entry["events"]) - 1):
                return
            events = entry["events"][: index + 1]
            seen = observe(engine, 0, 0)
            for seat in SEATS:
                played = {one["move"][5:] for one in events if one["seat"] == seat}
                assert set(seen["seats"][seat]["played"]) == played
            taken = sum(one.get("captured", 0) for one in events)
            assert sum(len(team["captured"]) for team in seen["teams"]) == taken
            assert len(seen["pile"]) == 4 + len(events) - taken
            made = [one["xeri"] for one in events if one["seat"] % 2 == 1 and "xeri" in one]
            assert seen["teams"][1]["xeris"] == made
            assert seen["stock"]["bottom_card"] == entry.get("bottom_card")

        assert replay_record(record, watch) is None


@pytest.mark.parametrize("game", GAMES)
def test_the_last_round_is_the_records(game: str) -> None:
    for record in sample_records(game):
        results: list[Any] = []

        def watch(engine: Any, number: int, index: int | None, results: Any = results) -> None:
            if index is None:
                results.append(last_round(engine, 0))

        replay_record(record, watch)
        assert results[0] is None
        for found, entry in zip(results[1:], record["rounds"], strict=False):
            assert {name: found[name] for name in entry["result"]} == entry["result"]
            if game == "xabitha":
                yes = {one["seat"] for one in entry["events"] if one["move"] == "declare:yes"}
                assert {seat for seat in SEATS if found["declared"][seat]} == yes


def test_wrong_seats_and_games() -> None:
    engine = make_engine("xeri", 1)
    with pytest.raises(ValueError, match="no seat 4; there are 0 to 3"):
        observe(engine, 0, 4)
    with pytest.raises(IndexError):
        observe(engine, 1, 0)
