"""Golden playthroughs: whole rounds as text, move by move, in ``tests/golden``.

``python tools/golden.py --write`` writes them again, ``--check`` says whether they differ. A
difference means that trajectories, legal actions, observations, rewards or the built-in players
have changed: read it before committing it, and see CONTRIBUTING about environment versions.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:  # so that the file can be run by its path
    sys.path.insert(0, str(ROOT))

from xabitha_env.cards import CARD_NAMES  # noqa: E402
from xabitha_env.games import make_engine, make_rules  # noqa: E402

FOLDER = ROOT / "tests" / "golden"
GREEDY, RANDOM = "greedy", "random"
_FORMATION = "3H 4H 5H 6H 7H 8H 9H TH JK QH 5C 5D 5H 5S"
_DRAWN_LATER = ("7H", 2)  # a card of it, and its place in the deck


@dataclass(frozen=True)
class Playthrough:
    """One file: who plays what.

    Attributes:
        name: of the file.
        about: its first line.
        players: a compiled player by seat.
        seed: of the match.
        rules: fields that are not at their defaults.
        game: the game's name.
        deal: the first round's deal, if it is given.
        declares: a seat that plays in Xabitha mode, or None.
    """

    name: str
    about: str
    players: tuple[str, str, str, str]
    seed: int
    rules: Mapping[str, Any] = field(default_factory=dict)
    game: str = "xabitha"
    deal: Mapping[str, Any] | None = None
    declares: int | None = None


def formation_deal(seat: int, starter: int) -> dict[str, Any]:
    """A deal that gives a seat a formation but for one card, which it draws later."""
    rng = random.Random(1)
    hand = _FORMATION.split()
    card, place = _DRAWN_LATER
    hand.remove(card)
    rest = list(CARD_NAMES) * 2
    for gone in [*hand, card]:
        rest.remove(gone)
    rng.shuffle(rest)
    sizes = [15 if other == starter else 14 for other in range(4)]
    hands = [[rest.pop() for _ in range(sizes[other])] for other in range(4)]
    rest += hands[seat][: len(hand)]
    hands[seat][: len(hand)] = hand
    rng.shuffle(rest)
    rest.insert(place, card)
    return {"starter": starter, "hands": hands, "deck": rest}


PLAYTHROUGHS = (
    Playthrough("greedy", "Greedy players, two rounds.", (GREEDY,) * 4, 3, {"num_rounds": 2}),
    Playthrough(
        "random", "Random players, cut off.", (RANDOM,) * 4, 4, {"max_turns": 30, "num_rounds": 2}
    ),
    Playthrough(
        "table",
        "Low bars and long play: additions, steals, undos, a reshuffle.",
        (GREEDY, RANDOM, RANDOM, RANDOM),
        3,
        {"num_rounds": 1, "opening_points": 20, "climbing_threshold": False, "max_turns": 150},
    ),
    Playthrough(
        "formation",
        "Seat 2 plays in Xabitha mode and lays the formation.",
        (GREEDY,) * 4,
        5,
        {"num_rounds": 1, "xabitha_closed_penalty": 150},
        deal=formation_deal(seat=2, starter=1),
        declares=2,
    ),
)


def short_hash(array: np.ndarray) -> str:
    """Return eight hex digits of an array's values."""
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:8]


def deal_lines(engine: Any) -> Iterator[str]:
    """Yield the deal of the round that begins."""
    record = engine.deal_record()
    yield ""
    yield f"round {int(engine.rounds_played[0]) + 1}, seat {record['starter']} starts"
    for seat, hand in enumerate(record["deal"]["hands"]):
        yield f"  seat {seat}: {' '.join(hand)}"
    deck = record["deal"]["deck"]
    digest = hashlib.sha256(" ".join(deck).encode()).hexdigest()
    yield f"  deck: {' '.join(deck[:12])} ... {digest[:8]}"


def choose(engine: Any, plan: Playthrough) -> int:
    """Return the action of the seat to act."""
    seat = int(engine.seats[0])
    action = int(engine.choose(np.array([engine.player_codes[plan.players[seat]]], np.int8))[0])
    if engine.text(action).startswith("declare"):
        return int(engine.parse("declare:yes" if seat == plan.declares else "declare:no"))
    return action


def result_lines(engine: Any) -> Iterator[str]:
    """Yield how a round that is over ended."""
    result = engine.round_result()
    rewards = " ".join(f"{reward:+.2f}" for reward in engine.rewards[0].tolist())
    yield f"  {result['reason']}, winner {result['winner']}, penalties {result['penalties']}"
    yield f"  rewards {rewards}"
    if engine.over[0]:
        match = engine.match_result()
        yield f"  match: totals {match['totals']}, winners {match['winners']}"


def lines(plan: Playthrough) -> Iterator[str]:
    """Yield a playthrough: at each decision the move, the legal actions and what is seen."""
    rules = make_rules(plan.game, dict(plan.rules))
    engine = make_engine(plan.game, rules=rules)
    engine.reset(seed=plan.seed, deals=None if plan.deal is None else [plan.deal])
    yield plan.about
    yield f"{plan.game}, seed {plan.seed}, players {', '.join(plan.players)}"
    yield f"rules {', '.join(f'{name}={value}' for name, value in sorted(plan.rules.items()))}"
    rounds = -1
    while not engine.over[0]:
        if engine.rounds_played[0] != rounds:
            rounds = int(engine.rounds_played[0])
            yield from deal_lines(engine)
        seen, count = engine.observation[0].copy(), int(engine.legal_count[0])
        legal = short_hash(engine.legal[0, :count])
        seat, action = int(engine.seats[0]), choose(engine, plan)
        before = engine.get_state()
        move = engine.text(action)
        engine.step([action])
        event = engine.event_record(before, action)
        extra = "".join(f" {event[name]}" for name in ("drawn",) if name in event)
        extra += "".join(f" {name}" for name in ("undo", "reshuffled") if name in event)
        yield f"  {seat} {move + extra:<30} {count:>3} {legal} {short_hash(seen)}"
        if engine.rounds_played[0] != rounds:
            yield from result_lines(engine)


def text_of(plan: Playthrough) -> str:
    """Return the text of a playthrough's file."""
    return "\n".join(lines(plan)) + "\n"


def path_of(plan: Playthrough) -> Path:
    """Return the file of a playthrough."""
    return FOLDER / f"{plan.game}-{plan.name}.txt"


def difference(plan: Playthrough) -> str:
    """Return how a file differs from what is played now; empty if it does not."""
    path = path_of(plan)
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    names = (path.name, "now")
    return "\n".join(
        difflib.unified_diff(old.splitlines(), text_of(plan).splitlines(), *names, n=1, lineterm="")
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--check", action="store_true", help="say whether the files differ")
    way.add_argument("--write", action="store_true", help="write the files again")
    if parser.parse_args(arguments).write:
        for plan in PLAYTHROUGHS:
            path_of(plan).write_text(text_of(plan), encoding="utf-8")
        return 0
    differences = [found for plan in PLAYTHROUGHS if (found := difference(plan))]
    for found in differences:
        print("\n".join(found.splitlines()[:20]), file=sys.stderr)
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
