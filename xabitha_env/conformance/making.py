"""``python -m xabitha_env.conformance.making --write`` makes the sample records anew.

Matches of arranged deals are played until each mark of `marks.required` is shown by one; of those
that show nothing new only a few are kept.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from xabitha_env.cards import NUM_SEATS
from xabitha_env.conformance.deals import TEMPERS, choose, deal, varied_rules
from xabitha_env.conformance.marks import Record, marks, required
from xabitha_env.conformance.samples import FILE
from xabitha_env.games import GAMES, make_engine, make_rules
from xabitha_env.protocol import Engine
from xabitha_env.record import write_records
from xabitha_env.record.play import end_round, new_record

SEED = 7
MOST_TRIES = 4000
FEWEST = 12
"""Matches of each game."""


def make_samples(seed: int = SEED) -> list[Record]:
    """Return matches that show everything that is wanted, the fewest that a greedy choice finds.

    Raises:
        RuntimeError: something was not found in `MOST_TRIES` matches.
    """
    return [record for game in GAMES for record in _samples_of(game, seed)]


def _samples_of(game: str, seed: int) -> list[Record]:
    missing = required(game)
    kept: list[tuple[Record, set[str]]] = []
    for number in range(MOST_TRIES):
        if not missing and len(kept) >= FEWEST:
            break
        rng = random.Random(f"{game} {seed} {number}")
        rules = make_rules(game).to_dict() if not number else varied_rules(rng, game)
        record = _match(rng, game, rules)
        shows = marks(record) & required(game)
        if shows & missing or not missing:
            kept.append((record, shows))
            missing -= shows
    if missing:
        raise RuntimeError(f"{game}: nothing shows {', '.join(sorted(missing))}")
    return _without_vain(kept)


def _without_vain(kept: list[tuple[Record, set[str]]]) -> list[Record]:
    """Leave out those of which the others show everything, the longest first, down to `FEWEST`."""
    for one in sorted(kept[1:], key=lambda pair: -len(str(pair[0]))):
        if len(kept) <= FEWEST:
            break
        others = [other for other in kept if other is not one]
        if one[1] <= set().union(*(shows for _, shows in others)):
            kept = others
    return [record for record, _ in kept]


def _match(rng: random.Random, game: str, rules: dict[str, Any]) -> Record:
    engine = make_engine(game, 1, rules=make_rules(game, rules), outputs=())
    engine.reset(seed=[rng.getrandbits(32)], deals=[deal(rng, game, rules, None)])
    tempers = [rng.choice(list(TEMPERS)) for _ in range(NUM_SEATS)]
    record = new_record(engine, 0, 0, tempers if game == "xabitha" else ["any"] * NUM_SEATS)
    record["seed"] = None  # the deals are not the seed's
    drawn: str | None = None
    while not engine.over[0]:
        legal = engine.legal_texts()
        temper = tempers[int(engine.seats[0])]
        move = choose(rng, legal, temper, drawn) if game == "xabitha" else _play(rng, legal, engine)
        before, rounds = engine.get_state(), int(engine.rounds_played[0])
        action = engine.parse(move)
        engine.step([action])
        event = engine.event_record(before, action)
        drawn = event.get("drawn", drawn)
        record["rounds"][-1]["events"].append(event)
        if int(engine.rounds_played[0]) != rounds:
            if not engine.over[0]:
                head = engine.deal_record()
                first = int(head["starter" if game == "xabitha" else "dealer"])
                engine.set_deal(deal(rng, game, rules, first))
            end_round(engine, 0, record)
    return record


def _play(rng: random.Random, legal: list[str], engine: Engine) -> str:
    """Return a play of Xeri: often the one that makes the most of the pile."""
    pile = engine.scene().piles[0].cards
    same = [move for move in legal if pile and move[5] == pile[-1][0]]
    return rng.choice(same if same and rng.random() < 0.7 else legal)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m xabitha_env.conformance.making --write")
    target = Path(__file__).with_name(FILE)
    print(write_records(target, make_samples()), "records in", target)
