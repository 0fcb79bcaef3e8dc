"""Players that open as they are told: `opening=` (X6)."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("torch")

from agents.opening import (
    CARDS,
    FEATURES,
    HOLD,
    LEAST,
    MOST,
    NO_MELD,
    THRIFT,
    WAYS,
    find_openings,
    next_actions,
    only,
)
from tests.xabitha.biased_deals import biased_deal
from tests.xabitha.hidden import resampled
from tests.xabitha.kernels import mask_cards
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import Table, load_player
from xabitha_env.record import record_matches, verify_record
from xabitha_env.xabitha.actions import MELD, OPEN
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.melds import CARDS as MELD_CARDS
from xabitha_env.xabitha.melds import JOKERS, MELDS, NUM_RUNS
from xabitha_env.xabitha.opening import row_points
from xabitha_env.xabitha.state import PLAYING

_points = row_points.py_func if hasattr(row_points, "py_func") else row_points


def openers(count: int = 40) -> XabithaEngine:
    """Games in which a seat could open, by deals that make it likely."""
    rng = random.Random(3)
    engine: XabithaEngine = make_engine(
        "xabitha", count, rules=make_rules("xabitha", {"num_rounds": 1})
    )
    deals = []
    for number in range(count):
        kind = ("near_opening", "joker_rich", "sets")[number % 3]
        starter, hands, deck = biased_deal(rng, kind)
        deals.append({"starter": starter, "hands": hands, "deck": deck})
    engine.reset(0, deals=deals)
    for _ in range(60):
        able = engine.games["staged"] == 0
        able &= (engine.legal[:, 0] >= MELD) & (engine.legal[:, 0] < OPEN)
        able &= engine.games["opened"][np.arange(count), engine.seats] == 0
        actions = engine.choose(np.full(count, engine.player_codes["expert"], np.int8))
        engine.step(np.where(able | engine.over, -1, actions))  # those wait
    return engine


def points_of(rows: list[int]) -> int:
    return sum(int(_points(row, 11, 1)) for row in rows)


def rows_of(ways: np.ndarray) -> list[int]:
    return [int(row) for row in ways if row != NO_MELD]


def test_ways_are_what_they_say() -> None:
    """X6.1, X6.2: enough points and a run; the least, the most, the most cards, fewest jokers."""
    engine = openers()
    found = find_openings(engine, np.arange(engine.num_games))
    assert found.games.size > 15
    differ = 0
    for game, ways, features in zip(found.games, found.ways, found.features):
        state = engine.games[game]
        bar = int(state["threshold"][state["seat"]])
        most = rows_of(ways[MOST])
        assert rows_of(ways[HOLD]) == []
        for way in (LEAST, MOST, CARDS, THRIFT):
            rows = rows_of(ways[way])
            assert points_of(rows) >= bar and any(row < NUM_RUNS for row in rows)
            above = features[FEATURES.index(f"{WAYS[way]}: points above the bar")]
            assert above == points_of(rows) - bar
            jokers = features[FEATURES.index(f"{WAYS[way]}: jokers laid")]
            assert jokers == sum(int(JOKERS[row]) for row in rows)
        enough = [
            points_of(list(some))
            for size in range(1, len(most) + 1)
            for some in combinations(most, size)
            if points_of(list(some)) >= bar and any(row < NUM_RUNS for row in some)
        ]
        assert points_of(rows_of(ways[LEAST])) == min(enough)
        assert points_of(most) >= max(points_of(rows_of(ways[way])) for way in range(1, len(WAYS)))
        laid = [sum(int(MELD_CARDS[row]) for row in rows_of(ways[way])) for way in range(len(WAYS))]
        assert laid[CARDS] == max(laid)
        differ += points_of(most) > min(enough)
    assert differ > 3


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_a_way_is_gone_to_its_end(way: int) -> None:
    """Every step is legal, and what is down then is what the way said; a hold discards."""
    engine = openers()
    begun = find_openings(engine, np.arange(engine.num_games))
    before = engine.get_state()
    seats = engine.seats.copy()
    for _ in range(6):
        found = find_openings(engine, begun.games)
        going = (engine.seats[found.games] == seats[found.games]) & (
            engine.games["turn"][found.games] == before["turn"][found.games]
        )
        places = np.flatnonzero(going)
        if places.size == 0:
            break
        actions = np.full(engine.num_games, -1)
        own = next_actions(engine, found, only(np.full(found.games.size, way)))
        actions[found.games[places]] = own[places]
        engine.step(actions)
        assert not engine.refused[found.games[places]].any()
    for place, game in enumerate(begun.games):
        seat = seats[game]
        rows = rows_of(begun.ways[place, way])
        laid = engine.games["num_melds"][game] - before["num_melds"][game]
        assert engine.games["opened"][game, seat] == (way != HOLD)
        assert laid == len(rows)
        size = mask_cards(
            int(engine.games["hand_one"][game, seat]), int(engine.games["hand_two"][game, seat])
        ).total()
        gone = sum(len(MELDS[row].cards) for row in rows) if rows else 1
        assert size == before["hand_count"][game, seat] - gone


def test_nothing_hidden_counts() -> None:
    rng = random.Random(6)
    engine = openers()
    found = find_openings(engine, np.arange(engine.num_games))
    for place, game in enumerate(found.games):
        state = engine.games[game : game + 1].copy()
        group = np.concatenate([resampled(rng, state, int(state["seat"][0])) for _ in range(4)])
        other: XabithaEngine = make_engine("xabitha", 4, rules=engine.rules)
        group["reward"] = 0
        other.set_state(group)
        again = find_openings(other, np.arange(4))
        assert (again.features == found.features[place]).all()
        assert (again.ways == found.ways[place]).all()


def test_what_is_staged_changes_nothing() -> None:
    """In the middle of an opening its ways are the same."""
    engine = openers()
    first = find_openings(engine, np.arange(engine.num_games))
    actions = np.full(engine.num_games, -1)
    actions[first.games] = next_actions(engine, first, only(np.full(first.games.size, MOST)))
    engine.step(actions)
    then = find_openings(engine, first.games)
    assert (then.games == first.games).all()
    assert (then.features == first.features).all() and (then.ways == first.ways).all()


def test_an_opening_that_was_begun_goes_on() -> None:
    """In the best way that has what is staged; another player decides where none has."""
    engine = openers()
    first = find_openings(engine, np.arange(engine.num_games))
    seen = set()
    for place, game in enumerate(first.games):
        others = engine.legal[game, : engine.legal_count[game]].tolist()
        for action in [action for action in others if MELD <= action < OPEN]:
            twin: XabithaEngine = make_engine("xabitha", 1, rules=engine.rules)
            state = engine.games[game : game + 1].copy()
            state["reward"] = 0
            twin.set_state(state)
            twin.step([action])
            now = find_openings(twin, np.array([0]))
            has = [action - MELD in rows_of(ways) for ways in first.ways[place]]
            for way in (HOLD, LEAST, CARDS):
                wanted = only(np.array([way])) if now.games.size else None
                if wanted is None:
                    continue
                (next_one,) = next_actions(twin, now, wanted).tolist()
                assert (next_one >= 0) == any(has)
                seen.add((way, any(has), has[way]))
                if any(has):
                    assert MELD <= next_one <= OPEN
                    twin_rows = [row for row in range(len(WAYS)) if has[row]]
                    on = way if has[way] else twin_rows[0]
                    left = [row for row in rows_of(first.ways[place, on]) if row != action - MELD]
                    assert next_one == (MELD + left[0] if left else OPEN)
    assert {(LEAST, True, True), (LEAST, True, False), (HOLD, True, False)} <= seen
    assert any(not some for _, some, _ in seen)


@pytest.mark.parametrize("spec", ["expert?opening=least", "random?opening=most&declare=no"])
def test_records_of_such_players_verify(spec: str) -> None:
    for record in record_matches([spec, "greedy?opening=hold"], [4, 5]):
        assert verify_record(record) is None
    assert record["agents"][0] == load_player(spec).name


def test_who_holds_never_opens() -> None:
    engine = make_engine("xabitha", 8, rules=make_rules("xabitha", {"num_rounds": 1}))
    engine.reset(1)
    table = Table(engine, [load_player("expert?opening=hold"), load_player("expert")] * 2)
    table.reset(0)
    table.play()
    assert (engine.games["openings"][:, ::2] == 0).all()
    assert engine.games["openings"][:, 1::2].any()
    assert PLAYING == 2
