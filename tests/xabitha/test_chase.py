"""The player `chase`, and every other player once it has declared (X9)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.xabitha.biased_deals import JOKER, KINDS, LADDER, RANKS, SUITS, biased_deal
from tests.xabitha.kernels import from_python, mask_cards, masks_of, record
from tests.xabitha.walks import engine_for, walks
from xabitha_env.cards import card_text
from xabitha_env.xabitha import chase, declaring, formation, reading
from xabitha_env.xabitha.actions import DECLARE, DRAW_DECK, DRAW_FIRE, FORMATION
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import CHASE, GREEDY, PLAYER_CODES, RANDOM
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, PLAYING

_missing_cards = from_python(chase.missing_cards)
_nearest_formation = from_python(chase.nearest_formation)
_formation_distance = from_python(chase.formation_distance)
_wants_formation = from_python(declaring.wants_formation)
_unseen_cards = from_python(reading.unseen_cards)
_find_formation = from_python(formation.find_formation)

FORMATIONS = list(product(range(4), range(1, 6), range(13)))  # suit, low, rank, in this order
Cards = Counter[str]


def parts(suit: int, low: int, rank: int) -> tuple[Cards, Cards]:
    """X9.1: a run of ten and a set of four."""
    run = [LADDER[position - 1] + SUITS[suit] for position in range(low, low + 10)]
    return Counter(run), Counter(RANKS[rank] + other for other in SUITS)


def lacking(hand: Cards, which: tuple[int, int, int]) -> Cards:
    """What a hand lacks for a formation; a card that both parts want is wanted twice."""
    run, quads = parts(*which)
    return run + quads - hand


def hands(count: int) -> Iterator[list[str]]:
    """Hands near to formations and others."""
    rng = random.Random(1)
    for number in range(count):
        kind = "near_formation" if number % 3 else rng.choice(KINDS)
        yield rng.choice(biased_deal(rng, kind)[1])


@pytest.mark.interpreted
def test_missing_cards() -> None:
    """A card that run and set share and that is held once goes to the run."""
    shared = 0
    rng = random.Random(2)
    for hand in hands(40):
        for which in rng.sample(FORMATIONS, 40):
            run, quads = parts(*which)
            own = Counter(hand)
            found = [mask_cards(mask, 0) for mask in _missing_cards(*masks_of(hand), *which)]
            assert found[0] == run - own
            assert found[1] == quads - (own - run)
            assert found[0] + found[1] == lacking(own, which)
            both = next(iter(run & quads), "")
            shared += bool(both) and own[both] == 1
    assert shared > 50


def plain_distance(hand: list[str]) -> int:
    own = Counter(hand)
    least = min(lacking(own, which).total() for which in FORMATIONS)
    return max(least - own[JOKER], 0)


def test_distance_to_the_nearest_formation() -> None:
    """X9.1, X9.2: jokers count as any card."""
    seen: Counter[int] = Counter()
    for hand in hands(90):
        distance = _formation_distance(*masks_of(hand))
        assert distance == plain_distance(hand)
        seen[distance] += 1
    assert seen[0] > 5 and seen[1] > 5 and len(seen) > 5


def test_distance_0_is_a_formation_but_for_the_places_of_jokers() -> None:
    """With a card to discard (X4.5); X5.4 may forbid it only to hands with two jokers."""
    formations = 0
    for hand in hands(3000):
        extra = next(rank + "C" for rank in RANKS if hand.count(rank + "C") < 2)
        one, two = masks_of([*hand, extra])
        found = _find_formation(one, two, -1)[0] >= 0
        near = _formation_distance(one, two) == 0
        assert near >= found
        assert near == found or hand.count(JOKER) == 2
        formations += found
    assert formations > 50


@pytest.mark.parametrize(
    ("hand", "distance"),
    [
        ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QS", 0),
        ("2S 3S 4S 5S 6S 7S 8S 9S TS JS 7C 7D 7H 7S", 0),  # both copies of a card
        ("2S 3S 4S 5S 6S 7S 8S 9S TS JS 7C 7D 7H 2C", 1),  # X9.2: one copy for both
        ("2S 3S 4S 5S 6S 7S 8S 9S TS JS 7C 7D 7H JK", 0),
        ("5S 6S 7S 8S 9S TS JS QS KS AS QC QD QH 2C", 1),
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JK JK QD 2C", 1),
        ("AC 3D 5H 7S 9C JD KH 2S 4C 6D 8H TS QC 3C", 9),
    ],
)
def test_distances_made_up(hand: str, distance: int) -> None:
    assert _formation_distance(*masks_of(hand.split())) == distance == plain_distance(hand.split())
    wants = _wants_formation(record(engine_for().games), *masks_of(hand.split()))
    assert bool(wants) or distance > 0


def plain_cost(missing: Cards, unseen: Cards) -> float:
    """In cards: more for those of which one copy is unseen, or none."""
    single = sum(count for card, count in missing.items() if unseen[card] == 1)
    gone = sum(count for card, count in missing.items() if unseen[card] == 0)
    return chase.MISSING * missing.total() + chase.SCARCE * single + chase.GONE * gone


def test_nearest_formation() -> None:
    rng = random.Random(4)
    pack = [rank + suit for rank in RANKS for suit in SUITS] * 2
    for hand in hands(50):
        own = Counter(hand)
        left = list((Counter(pack) - own).elements())
        unseen = Counter(rng.sample(left, rng.randrange(20, 90)))
        costs = {which: plain_cost(lacking(own, which), unseen) for which in FORMATIONS}
        masks = (*masks_of(hand), *masks_of(unseen.elements()))
        found = tuple(int(part) for part in _nearest_formation(*masks))
        assert costs[found] == pytest.approx(min(costs.values()))


# --- the player ------------------------------------------------------------------------------


def choices(engine: XabithaEngine) -> dict[str, int]:
    """What each player but `random` would do."""
    return {
        name: int(engine.choose(np.full(1, code, np.int8))[0])
        for name, code in PLAYER_CODES.items()
        if code != RANDOM
    }


def goal(game: Any, seat: int) -> tuple[Cards, Cards]:
    """The hand, and the cards of the formation that is nearest with the cards unseen."""
    one, two = (np.int64(game[name][seat]) for name in ("hand_one", "hand_two"))
    g = record(np.array([game]))
    which = _nearest_formation(one, two, *_unseen_cards(g, seat))
    run, quads = parts(*(int(part) for part in which))
    return mask_cards(one, two), run + quads


def check_discard(game: Any, card: str) -> None:
    """Of what the formation has no use for, if it can; no undo (X4.4), no joker."""
    hand, wanted = goal(game, int(game["seat"]))
    taken = card_text(int(game["taken"])) if game["taken"] >= 0 else ""
    loose, others = set(hand - wanted) - {JOKER, taken}, set(hand) - {JOKER, taken}
    assert card in (loose or others or set(hand) - {taken} or {taken})


def check_declared(engine: XabithaEngine, chosen: dict[str, int]) -> str:
    """All play alike; returns what kind of a choice it was."""
    assert len(set(chosen.values())) == 1, chosen
    action = chosen["chase"]
    legal = engine.legal[0, : engine.legal_count[0]].tolist()
    assert action in legal
    game = engine.games[0]
    if game["phase"] == DRAWING and DRAW_FIRE in legal:
        hand, wanted = goal(game, int(game["seat"]))
        top = card_text(int(game["fire"][game["fire_count"] - 1]))
        lacks = top == JOKER or (wanted - hand)[top] > 0
        assert action == (DRAW_FIRE if lacks else DRAW_DECK)
        return engine.text(action)
    if game["phase"] == PLAYING and FORMATION in legal:
        assert action == FORMATION
        return "formation"
    if game["phase"] == PLAYING:
        check_discard(game, engine.text(action).removeprefix("discard:"))
    return "last" if game["phase"] == FORMED else "other"


def test_declared_seats_all_play_as_chase() -> None:
    """They lay the formation whenever they may (X9.2), and never undo or throw a joker at will."""
    seen: Counter[str] = Counter()
    for engine, _ in walks(range(40), kinds=("near_formation",)):
        game = engine.games[0]
        if game["declared"][game["seat"]] and game["phase"] != DECLARING:
            seen[check_declared(engine, choices(engine))] += 1
    assert all(seen[name] > 10 for name in ("formation", "draw:fire", "draw:deck", "other")), seen
    assert seen["last"] > 5


def test_without_a_declaration_chase_plays_as_expert() -> None:
    """It always declares; where another player did not, it does what it can."""
    told = 0
    for outputs in ((), ("mask",), ("mask", "legal", "observation")):
        for engine, _ in walks(range(4), outputs=outputs):
            game = engine.games[0]
            chosen = choices(engine)
            if game["phase"] == DECLARING:
                assert chosen["chase"] == DECLARE + 1 and chosen["greedy"] == DECLARE
            elif not game["declared"][game["seat"]]:
                assert chosen["chase"] == chosen["expert"]
                told += chosen["chase"] != DRAW_DECK
    assert told > 1000


def test_chase_wins_with_formations() -> None:
    """Against greedy players, from hands that are near to a formation."""
    rng = random.Random(5)
    engine = engine_for({"num_rounds": 1}, 60, outputs=())
    deals = [biased_deal(rng, "near_formation") for _ in range(60)]
    engine.reset(
        seed=1,
        deals=[{"starter": start, "hands": cards, "deck": deck} for start, cards, deck in deals],
    )
    engine.advance(np.tile(np.array([CHASE, GREEDY] * 2, np.int8), (60, 1)))
    assert engine.over.all()
    assert engine.games["formations"].sum(0)[[0, 2]].sum() > 10
    assert engine.games["formations"].sum(0)[[1, 3]].sum() == 0
