"""Matches from biased cards, played decision by decision on the compiled engine."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tests.xabitha.biased_deals import KINDS, TEMPERS, biased_deal, choose, random_rules
from xabitha_env.games import make_engine, make_rules
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.state import DECLARING, STATE

SEATS = range(4)
Step = tuple[XabithaEngine, str]


def engine_for(rules: dict[str, Any] | None = None, num_games: int = 1, **options: Any) -> Any:
    """Return an engine by these rules fields, the others at their defaults."""
    return make_engine("xabitha", num_games, rules=make_rules("xabitha", rules), **options)


def biased_start(engine: XabithaEngine, rng: random.Random, kinds: Sequence[str]) -> list[str]:
    """Put biased cards in place of a round's deal; returns the temper of each seat."""
    kind = rng.choice(kinds)
    starter, hands, deck = biased_deal(rng, kind, int(engine.games["starter"][0]))
    engine.set_deal({"starter": starter, "hands": hands, "deck": deck})
    tempers = [rng.choice(TEMPERS) for _ in SEATS]
    if kind == "near_formation":
        tempers = [rng.choice((temper, "xabitha", "eager")) for temper in tempers]
    return tempers


def walk(
    seed: int,
    rules: dict[str, Any] | None = None,
    kinds: Sequence[str] = (*KINDS, "near_formation"),
    **options: Any,
) -> Iterator[Step]:
    """Play a match; yields the engine and the move that it makes next, at every decision."""
    rng = random.Random(seed)
    engine = engine_for(rules, **options)
    engine.reset(seed=seed)
    rounds, drawn, tempers = -1, None, [""]
    while not engine.over[0]:
        if engine.rounds_played[0] != rounds:
            rounds = int(engine.rounds_played[0])
            tempers = biased_start(engine, rng, kinds)
        move = choose(rng, engine.legal_texts(), tempers[engine.seats[0]], drawn)
        yield engine, move
        before, action = engine.get_state(), engine.parse(move)
        assert not engine.step([action])[0], move
        drawn = engine.event_record(before, action).get("drawn", drawn)


def walks(seeds: Iterable[int], **options: Any) -> Iterator[Step]:
    """Play a match of two rounds for each seed, by random rules for every second one."""
    for seed in seeds:
        rules = random_rules(random.Random(seed)) if seed % 2 else {}
        yield from walk(seed, {**rules, "num_rounds": 2}, **options)


def reshuffled_by(engine: XabithaEngine, move: str) -> list[str] | None:
    """The new deck, next card first, if this move makes one (X10.1)."""
    if move != "draw:deck" or engine.games["deck_count"][0] > 0:
        return None
    ahead, action = engine.copy(), engine.parse(move)
    ahead.step([action])
    cards: list[str] | None = ahead.event_record(engine.get_state(), action).get("reshuffled")
    return cards


def starts_round(engine: XabithaEngine) -> bool:
    """Whether no decision of the round has been made."""
    game = engine.games[0]
    return bool(game["phase"] == DECLARING and game["seat"] == game["starter"])


def situation(game: Any) -> tuple[bool | int, ...]:
    """What kind of a decision it is: states of one kind are alike for most purposes."""
    seat = int(game["seat"])
    return (
        int(game["phase"]),
        int(game["staged"]),
        bool(game["taken"] >= 0),
        bool(game["fire_locked"]),
        bool(game["declared"][seat]),
        bool(game["declared"].sum() > game["declared"][seat]),
        bool(game["opened"][seat]),
        bool(game["opened"].any()),
        bool(game["reshuffles"]),
        bool(game["rounds"]),
    )


def sample_states(
    seeds: Iterable[int],
    each: int,
    label: Callable[[Any], Hashable] = situation,
    rules: dict[str, Any] | None = None,
) -> np.ndarray:
    """States of matches of two rounds, up to so many of every kind of situation, at random."""
    rng = random.Random(0)
    kept: dict[Hashable, list[np.ndarray]] = defaultdict(list)
    seen: dict[Hashable, int] = defaultdict(int)
    for seed in seeds:
        for engine, _ in walk(seed, {**(rules or {}), "num_rounds": 2}):
            name = label(engine.games[0])
            seen[name] += 1
            place = len(kept[name]) if len(kept[name]) < each else rng.randrange(seen[name])
            if place < each:
                kept[name][place : place + 1] = [engine.get_state()]
    states = [state for _, group in sorted(kept.items(), key=str) for state in group]
    return np.concatenate(states).view(STATE)
