"""Games from biased cards, played decision by decision on the compiled engine."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tests.xeri.biased_deals import KINDS, TEMPERS, Deal, biased_deal, choose, random_rules
from xabitha_env.cards import card_text
from xabitha_env.games import make_engine, make_rules
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.state import STATE

SEATS = range(4)
TEAMS = range(2)
MOST_ROUNDS = 12
"""After so many rounds a walk ends: without points no target is ever reached (R5.2)."""
Step = tuple[XeriEngine, str]


def engine_for(rules: dict[str, Any] | None = None, num_games: int = 1, **options: Any) -> Any:
    """Return an engine by these rules fields, the others at their defaults."""
    return make_engine("xeri", num_games, rules=make_rules("xeri", rules), **options)


def as_head(deal: Deal) -> dict[str, Any]:
    """A biased deal in the form of a round's head."""
    dealer, hands, pile, stock, bottom = deal
    head = {"dealer": dealer, "deal": {"hands": hands, "pile": pile, "stock": stock}}
    return head if bottom is None else {**head, "bottom_card": bottom}


def pile_of(engine: XeriEngine) -> list[str]:
    """The play pile, bottom first."""
    game = engine.games[0]
    return [card_text(int(kind)) for kind in game["pile"][: int(game["pile_count"])]]


def starts_round(engine: XeriEngine) -> bool:
    """Whether no decision of the round has been made."""
    return bool(engine.games["plays"][0] == 0)


def walk(
    seed: int,
    rules: dict[str, Any] | None = None,
    kinds: Sequence[str] = KINDS,
    **options: Any,
) -> Iterator[Step]:
    """Play a game; yields the engine and the move that it makes next, at every decision."""
    rng = random.Random(seed)
    engine = engine_for(rules, **options)
    engine.reset(seed=seed)
    own = engine.rules.to_dict()
    tempers = [""]
    while not engine.over[0] and engine.rounds_played[0] < MOST_ROUNDS:
        if starts_round(engine):
            dealer = int(engine.games["dealer"][0])
            engine.set_deal(as_head(biased_deal(rng, rng.choice(kinds), own, dealer)))
            tempers = [rng.choice(TEMPERS) for _ in SEATS]
        move = choose(rng, engine.legal_texts(), pile_of(engine), tempers[engine.seats[0]])
        yield engine, move
        assert not engine.step([engine.parse(move)])[0], move


def walk_rules(seed: int) -> dict[str, Any]:
    """The default rules and random ones in turn; two rounds, or a target that is near (R5.2)."""
    rules = random_rules(random.Random(seed)) if seed % 2 else {}
    if seed % 8 == 1:
        return {**rules, "target_score": min(rules["target_score"] or 30, 30)}
    if seed % 8 == 5:
        return {**rules, "target_score": 2, "extended_target_score": 60}
    return {**rules, "num_rounds": 2, "target_score": None}


def walks(seeds: Iterable[int], **options: Any) -> Iterator[Step]:
    """Play a short game for each seed, by random rules for every second one."""
    for seed in seeds:
        yield from walk(seed, walk_rules(seed), **options)


def situation(game: Any) -> tuple[Any, ...]:
    """What kind of a decision it is: states of one kind are alike for most purposes."""
    return (
        int(game["plays"]) // 12,
        min(int(game["pile_count"]), 2),
        int(game["last_capturer"]) >= 0,
        bool(game["xeri_count"].any()),
        bool(game["rounds"]),
        int(game["seat"]) == int(game["dealer"]),
    )


def sample_states(
    seeds: Iterable[int],
    each: int,
    rules: dict[str, Any],
    label: Callable[[Any], Hashable] = situation,
) -> np.ndarray:
    """States of games by these rules, up to so many of every kind of situation, at random."""
    rng = random.Random(0)
    kept: dict[Hashable, list[np.ndarray]] = defaultdict(list)
    seen: dict[Hashable, int] = defaultdict(int)
    for seed in seeds:
        for engine, _ in walk(seed, rules):
            name = label(engine.games[0])
            seen[name] += 1
            place = len(kept[name]) if len(kept[name]) < each else rng.randrange(seen[name])
            if place < each:
                kept[name][place : place + 1] = [engine.get_state()]
    states = [state for _, group in sorted(kept.items(), key=str) for state in group]
    return np.concatenate(states).view(STATE)
