"""What is remembered since a reshuffle, made anew in plain Python from the moves (X10.1, X4.3)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.xabitha.biased_deals import choose
from tests.xabitha.hidden import drawn_by, held, hidden_of, resampled
from tests.xabitha.test_reading import Known, formation_of, laid_by
from tests.xabitha.walks import (
    SEATS,
    Step,
    engine_for,
    reshuffled_by,
    sample_states,
    starts_round,
    walk,
)
from xabitha_env.cards import KIND_OF, card_text
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import RANDOM
from xabitha_env.xabitha.state import DRAWN, MOST_TRAIL
from xabitha_env.xabitha.validate import state_problem

LONG = {"max_turns": 500, "max_reshuffles": 12}
Event = tuple[str, int]  # "draw", or the card shown, and the seat


class Memory:
    """What everyone saw since the last reshuffle of a round, and what each seat drew."""

    def __init__(self) -> None:
        self.known = Known()
        self.reshuffles = 0
        self.forget(Counter())

    def forget(self, pile: Counter[str]) -> None:
        self.pile = pile
        self.trail: list[Counter[Event]] = []  # by move, as the order within one means nothing
        self.drew: list[Counter[str]] = [Counter() for _ in SEATS]

    def follow(self, engine: XabithaEngine, move: str) -> None:
        """Take note of a move before it is made."""
        game = engine.games[0]
        seat = int(game["seat"])
        formed = formation_of(engine) if move == "formation" else []
        shown = laid_by(game, move, formed)
        unknown = Counter(shown) - self.known.cards[seat]
        self.known.follow(game, move, shown)
        if reshuffled_by(engine, move):
            self.reshuffles += 1
            pile = game["fire"][: int(game["fire_count"]) - 1].tolist()
            self.forget(Counter(card_text(kind) for kind in pile))
        if not self.reshuffles:
            return
        if move == "draw:deck":
            ahead, before = engine.copy(), held_by(game, seat)
            ahead.step([ahead.parse(move)])
            if ahead.rounds_played[0] == engine.rounds_played[0]:
                self.drew[seat] += held_by(ahead.games[0], seat) - before
                self.trail.append(Counter([("draw", seat)]))
        if unknown:
            self.trail.append(Counter({(card, seat): n for card, n in unknown.items()}))


def named(cards: Counter[int]) -> Counter[str]:
    return Counter({card_text(kind): count for kind, count in cards.items()})


def held_by(game: Any, seat: int) -> Counter[str]:
    return named(held(int(game["hand_one"][seat]), int(game["hand_two"][seat])))


def check(game: Any, memory: Memory) -> None:
    """The record has the memory, move by move."""
    assert game["reshuffles"] == memory.reshuffles
    one, two = int(game["reshuffled_one"]), int(game["reshuffled_two"])
    assert named(held(one, two)) == memory.pile
    assert [named(drawn_by(game, seat)) for seat in SEATS] == memory.drew
    events = game["trail"][: int(game["trail_count"])].tolist()
    assert len(events) == sum(step.total() for step in memory.trail)
    for step in memory.trail:
        part, events = events[: step.total()], events[step.total() :]
        cards = ["draw" if event // 4 == DRAWN else card_text(event // 4) for event in part]
        assert Counter(zip(cards, (event % 4 for event in part))) == step
    assert not game["trail"][int(game["trail_count"]) :].any()
    if memory.reshuffles:
        deck = Counter(card_text(kind) for kind in game["deck"][: int(game["deck_count"])].tolist())
        assert sum(memory.drew, deck) == memory.pile


def late_play(seed: int) -> Iterator[Step]:
    """A round in which the first deck is drawn before much is laid."""
    rng = random.Random(seed)
    engine = engine_for({**LONG, "num_rounds": 1, "opening_points": 25})
    engine.reset(seed=seed)
    while not engine.over[0]:
        early = engine.games["reshuffles"][0] == 0
        temper = "drawer" if early else rng.choice(("eager", "fire", "kinds"))
        move = choose(rng, engine.legal_texts(), temper)
        yield engine, move
        engine.step([engine.parse(move)])


def test_the_trail_is_as_the_moves_tell() -> None:
    """With openings, steals, undos and formations among them, and several reshuffles a round."""
    seen: Counter[str] = Counter()
    for seed in range(14):
        memory = Memory()
        rules = {**LONG, "num_rounds": 2, "max_turns": 250}
        for engine, move in late_play(seed) if seed % 2 else walk(seed, rules):
            if starts_round(engine):
                memory = Memory()
            if memory.reshuffles or engine.games["turn"][0] % 20 == 0:
                check(engine.games[0], memory)
            if memory.reshuffles:
                taken = int(engine.games["taken"][0])
                undo = taken >= 0 and move == f"discard:{card_text(taken)}"
                seen["undo" if undo else move.partition(":")[0]] += 1
            before = memory.reshuffles
            memory.follow(engine, move)
            seen["reshuffle"] += memory.reshuffles > before
    print(dict(seen))
    wanted = ("reshuffle", "undo", "add", "steal", "meld", "open", "discard")
    assert all(seen[name] > 5 for name in wanted), seen


@pytest.mark.interpreted
def test_before_a_reshuffle_nothing_is_followed() -> None:
    for engine, _ in walk(1, {"num_rounds": 1, "max_turns": 20}):
        game = engine.games[0]
        assert not game["trail_count"] and not game["trail"].any()
        assert not game["drew_one"].any() and not game["reshuffled_one"]


def test_the_trail_has_room() -> None:
    """`MOST_TRAIL` is never reached: random players, who show most, and many reshuffles."""
    rules = {"num_rounds": 1, "max_turns": 5000, "max_reshuffles": 100, "opening_points": 1}
    engine = engine_for(rules, 48, outputs=("legal",), auto_restart=True)
    engine.reset(seed=1)
    codes = np.full(48, RANDOM, np.int8)
    longest = reshuffles = 0
    for _ in range(1500):
        engine.step(np.where(engine.over, 0, engine.choose(codes)))
        longest = max(longest, int(engine.games["trail_count"].max()))
        reshuffles = max(reshuffles, int(engine.games["reshuffles"].max()))
    print(f"longest trail {longest} of {MOST_TRAIL}, {reshuffles} reshuffles")
    assert 100 < longest < MOST_TRAIL and reshuffles > 5


def test_states_drawn_anew_have_a_trail_that_can_be() -> None:
    """For `tests.xabitha.hidden`: valid states, in which everyone held what it has shown."""
    rng = random.Random(1)
    states = sample_states(range(8), 4, lambda game: int(game["reshuffles"]), LONG)
    late = 0
    for state in states.reshape(-1, 1):
        for seat in SEATS:
            game = resampled(rng, state, seat)[0]
            assert state_problem(game) == ""
            if not game["reshuffles"]:
                assert not game["drew_one"].any()
                continue
            late += 1
            pile = held(int(game["reshuffled_one"]), int(game["reshuffled_two"]))
            deck = Counter(game["deck"][: int(game["deck_count"])].tolist())
            assert sum((drawn_by(game, other) for other in SEATS), deck) == pile
            assert drawn_by(game, seat) == drawn_by(state[0], seat)
            for other in set(SEATS) - {seat}:
                shown = shown_by(game, other)
                assert drawn_by(game, other) <= hidden_of(game, other) + shown
    assert late > 100


def shown_by(game: Any, seat: int) -> Counter[int]:
    events = game["trail"][: int(game["trail_count"])].tolist()
    return Counter(event // 4 for event in events if event % 4 == seat and event // 4 != DRAWN)


def test_a_joker_and_both_copies_are_followed() -> None:
    """Kinds of events that matches should have had."""
    kinds: Counter[int] = Counter()
    for seed in (0, 2, 4, 6):
        for engine, _ in walk(seed, {**LONG, "num_rounds": 1, "max_turns": 260}):
            game = engine.games[0]
            if game["trail_count"]:
                kinds[int(game["trail"][int(game["trail_count"]) - 1]) // 4] += 1
    assert kinds[KIND_OF["JK"]] and kinds[DRAWN] and len(kinds) > 40
