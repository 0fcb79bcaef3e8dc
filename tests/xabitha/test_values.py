"""What cards are worth, against plain definitions over all melds of three."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from math import isclose, prod
from typing import Any

import numpy as np
import pytest

from tests.reference.xabitha import JOKER, RANKS, every_meld
from tests.xabitha.kernels import from_python, mask_cards, masks_of, record
from tests.xabitha.walks import engine_for, sample_states
from xabitha_env.cards import CARD_NAMES, KIND_OF, card_text
from xabitha_env.xabitha import reading, values
from xabitha_env.xabitha.state import PLAYING

_completes_meld = from_python(values.completes_meld)
_prospects = from_python(values.prospects)
_meld_danger = from_python(values.meld_danger)
_unseen_rate = from_python(values.unseen_rate)
_table_wants = from_python(values.table_wants)
_safest = from_python(values.safest)
_card_points = from_python(values.card_points)
_unseen_cards = from_python(reading.unseen_cards)

REAL = [name for name in CARD_NAMES if name != JOKER]


@cache
def partners(card: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The melds of three real cards with a card (X5.1, X5.2): their type, the other two."""
    return tuple(
        (meld.kind, frozenset(meld.cards) - {card})
        for meld in every_meld()
        if len(meld.cards) == 3 and card in meld.cards and JOKER not in meld.cards
    )


def random_hand(rng: random.Random, size: int) -> list[str]:
    """Cards of two or three suits, so that melds are common; a joker now and then."""
    suits = rng.sample("CDHS", rng.choice((2, 3, 4)))
    return rng.sample([card for card in REAL * 2 if card[1] in suits] + [JOKER] * 2, size)


def test_partners_are_as_expected() -> None:
    assert {tuple(sorted(pair)) for kind, pair in partners("AS") if kind == "run"} == {
        ("2S", "3S"),
        ("KS", "QS"),
    }
    assert len(partners("8C")) == 3 + 3 and len(partners("2C")) == 2 + 3


@pytest.mark.interpreted
def test_completes_meld() -> None:
    """X5: with two real cards of the hand, for all kinds and many hands."""
    rng = random.Random(1)
    seen: Counter[bool] = Counter()
    for _ in range(150):
        hand = random_hand(rng, rng.randrange(2, 15))
        one = masks_of(hand)[0]
        for card in REAL:
            wanted = any(pair <= set(hand) for _, pair in partners(card))
            assert bool(_completes_meld(one, KIND_OF[card])) == wanted, (hand, card)
            seen[wanted] += 1
    assert min(seen.values()) > 1000


def plain_prospects(
    held: set[str], unseen: Counter[str], card: str, made: float
) -> tuple[float, float]:
    """Unseen cards that make a run with a held card, and that make a set; `made` for both held."""
    runs = 0.0
    for kind, pair in partners(card):
        if kind == "run":
            missing = pair - held
            if len(missing) < 2:
                runs += sum(unseen[other] for other in missing) if missing else made
    suits = {other for kind, pair in partners(card) if kind == "set" for other in pair}
    if not suits & held:
        return runs, 0.0
    sets = made if len(suits & held) > 1 else float(sum(unseen[c] for c in suits - held))
    return runs, sets


@pytest.mark.interpreted
def test_prospects() -> None:
    rng = random.Random(2)
    seen: Counter[str] = Counter()
    for _ in range(60):
        hand = set(random_hand(rng, rng.randrange(1, 14)))
        unseen = Counter(rng.sample(REAL * 2, 50))
        made = rng.choice((0.0, 2.5))
        for card in REAL:
            held = hand - {card}
            runs, sets = plain_prospects(held, unseen, card, made)
            seen.update(runs=runs > 0, sets=sets > 0)
            masks = (masks_of(held)[0], *masks_of(unseen.elements()))
            found = _prospects(*masks, KIND_OF[card], 0.7, 0.4, made)
            assert isclose(found, 0.7 * runs + 0.4 * sets), (held, unseen, card)
    assert min(seen.values()) > 200


@pytest.mark.parametrize(
    ("held", "unseen", "card", "expected"),
    [
        ("5H", "4H 4H 7H", "6H", 3.0),  # 4-5-6 with either 4, 5-6-7
        ("5H", "8H 3H", "6H", 0.0),
        ("5H 7H", "", "6H", 100.0),  # made
        ("5H 7H", "4H 8H 8H", "6H", 103.0),
        ("6S", "6D 6D 6C 5H", "6H", 30.0),
        ("6S 6D", "6C 6C", "6H", 1000.0),
        ("KS", "QS QS 2S 3S", "AS", 2.0),  # the ace is high
        ("2S", "QS QS 3S 3S", "AS", 2.0),  # and low
        ("KS", "2S", "AS", 0.0),  # X5.2: K-A-2 is no run
        ("KS QS 2S", "3S", "AS", 101.0),
        ("", "6S 7H 5H", "6H", 0.0),
    ],
)
def test_prospects_made_up(held: str, unseen: str, card: str, expected: float) -> None:
    """A card for a run counts 1, one for a set 10, both held a hundred of them."""
    masks = (masks_of(held.split())[0], *masks_of(unseen.split()))
    assert _prospects(*masks, KIND_OF[card], 1.0, 10.0, 100.0) == expected


# --- what a card is worth to the next seat ---------------------------------------------------


def knowing(known: str) -> Any:
    """A record in which seat 1 is known to hold these cards."""
    games = engine_for().get_state()
    games["known_one"][0, 1], games["known_two"][0, 1] = masks_of(known.split())
    return record(games)


@pytest.mark.parametrize(
    ("known", "unseen", "card", "expected"),
    [
        ("5H 7H", "", "6H", 1.0),
        ("4H 5H 7H 8H", "", "6H", 3.0),
        ("6S 6D", "", "6H", 1.0),
        ("6S 6D 6C", "", "6H", 3.0),
        ("6S 6S", "", "6H", 0.0),
        ("QS KS", "", "AS", 1.0),
        ("2S 3S", "", "AS", 1.0),
        ("2S KS", "", "AS", 0.0),
        ("5H", "7H", "6H", 0.1),
        ("5H", "7H 7H", "6H", 0.2),  # either copy
        ("5H 7H", "7H 7H", "6H", 1.0),  # known is certain
        ("", "5H 7H", "6H", 0.1 * 0.1),
        ("JK", "", "6H", 0.0),
    ],
)
def test_danger_made_up(known: str, unseen: str, card: str, expected: float) -> None:
    """A known card counts 1, each unseen copy of a kind a tenth."""
    danger = _meld_danger(knowing(known), 1, KIND_OF[card], *masks_of(unseen.split()), 0.1)
    assert danger == pytest.approx(expected)


def plain_danger(known: Counter[str], unseen: Counter[str], rate: float, card: str) -> float:
    """The sum over all melds of three of how likely both other cards are held."""
    chance = {name: 1.0 if known[name] else rate * unseen[name] for name in REAL}
    return sum(prod(chance[other] for other in pair) for _, pair in partners(card))


def dangers(game: Any, seat: int) -> dict[str, float]:
    """By card, what `safest` looks at."""
    g = record(game)
    following = (seat + 1) % 4
    unseen = mask_cards(*_unseen_cards(g, seat))
    rate = _unseen_rate(g, following, *_unseen_cards(g, seat))
    hidden = game[0]["hand_count"][following] - sum(
        int(game[0][name][following]).bit_count() for name in ("known_one", "known_two")
    )
    assert isclose(rate, hidden / unseen.total())
    known = mask_cards(game[0]["known_one"][following], game[0]["known_two"][following])
    wants = int(_table_wants(g)) if game[0]["opened"][following] else 0
    return {
        card: plain_danger(known, unseen, rate, card)
        + values.FIT_DANGER * (wants >> KIND_OF[card] & 1)
        for card in REAL
    }


@cache
def states() -> np.ndarray:
    found = sample_states(range(12), 4)
    return found[found["phase"] == PLAYING]


def test_safest_helps_the_next_seat_least() -> None:
    """And a joker goes only when it is alone."""
    rng = random.Random(3)
    spread = 0
    for game in states().reshape(-1, 1):
        seat = int(game["seat"][0])
        danger = dangers(game, seat)
        for size in (1, 2, 5, 12):
            choice = rng.sample(CARD_NAMES, size)
            found = card_text(int(_safest(record(game), seat, masks_of(choice)[0])))
            assert found in choice
            if choice == [JOKER]:
                continue
            assert found != JOKER
            least = min(danger[card] for card in choice if card != JOKER)
            assert danger[found] == pytest.approx(least)
            spread += danger[found] < max(danger[card] for card in choice if card != JOKER)
        assert _safest(record(game), seat, masks_of([JOKER])[0]) == KIND_OF[JOKER]
    assert spread > 100


def test_points_of_cards() -> None:
    """X1.3: the ace high."""
    g = record(engine_for({"ace_high_points": 13, "ace_low_points": 2}).get_state())
    for rank, points in zip(RANKS, (13, *range(2, 10), 10, 10, 10, 10), strict=True):
        assert {int(_card_points(g, KIND_OF[rank + suit])) for suit in "CDHS"} == {points}
