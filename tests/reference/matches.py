"""Random matches of the reference engine as records, with every list of legal moves."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.reference.xabitha import Event, Round, Rules
from tests.xabitha.biased_deals import KINDS, TEMPERS, biased_deal, choose

Watch = Callable[[Round, Event], None]


def _play_round(
    rng: random.Random, rules: Rules, starter: int | None, tempers: list[str], watch: Watch | None
) -> dict[str, Any]:
    kind = rng.choice(KINDS)
    first, hands, deck = biased_deal(rng, kind, starter)
    if kind == "near_formation":
        tempers = [rng.choice((temper, "xabitha", "eager")) for temper in tempers]
    game = Round(rules, first, hands, deck, shuffle=lambda pool: rng.sample(pool, len(pool)))
    events: list[Event] = []
    drawn: str | None = None
    while not game.over:
        legal = game.legal()
        event = game.play(choose(rng, legal, tempers[game.seat], drawn))
        drawn = event.get("drawn", drawn)
        if watch is not None:
            watch(game, event)
        events.append({**event, "legal": legal})
    return {
        "starter": first,
        "deal": {"hands": hands, "deck": deck},
        "events": events,
        "result": game.result,
    }


def random_match(
    rng: random.Random, rules: Rules, temper: str | None = None, watch: Watch | None = None
) -> dict[str, Any]:
    """A match under these rules; each seat has the temper, or a random one, in most rounds.

    ``watch`` sees the round after every move, and the event.
    """
    rounds: list[dict[str, Any]] = []
    starter: int | None = None
    tempers = [temper or rng.choice(TEMPERS) for _ in range(4)]
    for _ in range(rules["num_rounds"]):
        entry = _play_round(rng, rules, starter, tempers, watch)
        rounds.append(entry)
        winner = entry["result"]["winner"]
        starter = entry["starter"] if winner is None else winner  # X2.3
    totals = [
        sum(entry["result"]["penalties"][seat] for entry in rounds for seat in (team, team + 2))
        for team in (0, 1)
    ]
    winners = [team for team in (0, 1) if totals[team] == min(totals)]  # X2.2
    return {
        "format": "xabitha-record",
        "version": 1,
        "game": "xabitha",
        "rules": dict(rules),
        "seed": None,
        "agents": tempers,
        "rounds": rounds,
        "result": {"totals": totals, "winners": winners},
    }
