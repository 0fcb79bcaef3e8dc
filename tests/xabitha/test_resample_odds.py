"""How likely each world is: frequencies against counts of all placements of physical cards."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.xabitha.placements import Cards, Case, World, exact, random_case, read, state_of
from xabitha_env._jit import records
from xabitha_env._random import seed_streams
from xabitha_env.xabitha.search import draw_worlds
from xabitha_env.xabitha.state import STATE


def draw(case: Case, world: World, count: int) -> tuple[list[World], np.ndarray]:
    """Worlds drawn from a state, and their weights."""
    worlds, weights = np.zeros(count, STATE), np.empty(count)
    words = seed_streams(11, count)
    draw_worlds(records(state_of(case, world)), 0, False, words, records(worlds), weights)
    fields = worlds["hand_one"], worlds["hand_two"], worlds["deck"][:, : len(world[1])]
    _, first, which = np.unique(np.hstack(fields), axis=0, return_index=True, return_inverse=True)
    different = [read(case, worlds[place]) for place in first]
    return [different[number] for number in which.ravel()], weights


def strays(
    chances: dict[World, float], found: list[World], weights: np.ndarray
) -> tuple[float, float]:
    """How far weighted frequencies are off: the sum of squares by world, and the largest, in
    standard errors."""
    sums: dict[World, float] = defaultdict(float)
    squares: dict[World, float] = defaultdict(float)
    for world, weight in zip(found, weights.tolist()):
        sums[world] += weight
        squares[world] += weight * weight
    assert set(sums) <= set(chances), "a world that cannot be"
    total, square = weights.sum(), (weights**2).sum()
    gaps = []
    for world, chance in chances.items():
        inside = squares[world] * (1 - chance) ** 2
        outside = (square - squares[world]) * chance**2
        expected = chance * (1 - chance) * square  # where too few were drawn to tell
        error = max(inside + outside, expected) ** 0.5 / total
        gaps.append(((sums[world] / total - chance) / error) ** 2 if error else 0.0)
    return sum(gaps), max(gaps) ** 0.5


def agrees(case: Case, count: int, weigh: bool = True) -> bool:
    """Whether frequencies are as counted, in two of the states that seat 0 cannot tell apart."""
    chances = exact(case)
    true = max(chances)
    found, weights = draw(case, true, count)
    assert draw(case, min(chances), 50)[0] == found[:50]
    if not case.new:
        assert (weights == 1).all()
    if len(chances) == 1:
        return set(found) == {true}
    squares, largest = strays(chances, found, weights if weigh else np.ones(count))
    return squares < chi_square_limit(len(chances) - 1) and largest < 5


def chi_square_limit(freedom: int) -> float:
    """Exceeded by chance once in some 30,000 times (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return float(freedom * (1 - spread + 4 * spread**0.5) ** 3)


PAIRS: Cards = ("3H", "3H", "4S", "4S")


@pytest.mark.parametrize(
    "case",
    [
        Case((2, 1, 1), ("3H", "3H", "4S", "5D", "JK", "7C")),
        Case((3, 2, 0), ("3H", "4S", "5D", "JK", "JK")),
        Case(
            (0, 2, 2), ("3H", "3H", "4S", "4S", "9D", "9D"), known=(("KS",), ("3D", "JK"), ("KC",))
        ),
        Case((1, 1, 1), ("3H", "4S", "5D", "6D", "7D", "8D")),
    ],
)
def test_before_a_reshuffle_all_placements_are_equally_likely(case: Case) -> None:
    assert agrees(case, 20_000)


FIVES: tuple[Cards, Cards] = (("5H", "6S", "7D"), ("5H", "8C", "9C"))  # an old and a new one
TOLD = {
    "which copy was it": Case((2, 1, 0), *FIVES, (("draw", 1), ("5H", 1))),
    "it must be old": Case((2, 1, 0), *FIVES, (("5H", 1), ("draw", 1))),
    "it must be new": Case(
        (1, 1, 1), ("6S", "7D", "4D"), ("5H", "8C", "9C"), (("draw", 2), ("5H", 2))
    ),
    "both are shown by one": Case((2, 1, 0), *FIVES, (("draw", 1), ("5H", 1), ("5H", 1))),
    "both are shown by two": Case(
        (1, 1, 1),
        ("5H", "6S", "7D"),
        ("5H", "8C", "9C", "TC"),
        (("draw", 1), ("draw", 2), ("5H", 2), ("5H", 1)),
    ),
    "jokers": Case(
        (2, 1, 1), ("JK", "6S", "7D", "3D"), ("JK", "8C", "9C"), (("draw", 3), ("JK", 3))
    ),
    "own draws": Case(
        (2, 1, 0),
        ("5H", "6S", "7D"),
        ("5H", "8C", "9C", "9C"),
        (("draw", 1), ("draw", 2), ("draw", 3), ("draw", 0), ("5H", 1)),
        ("9C",),
    ),
    "the observer has the new copy": Case(
        (2, 1, 0),
        ("5H", "6S", "7D"),
        ("5H", "8C", "9C", "TC"),
        (("draw", 1), ("draw", 0), ("5H", 1), ("draw", 2), ("5H", 0)),
        ("5H",),
    ),
    "two kinds": Case(
        (2, 2, 0),
        ("5H", "6S", "7D", "8D"),
        ("5H", "6S", "9C", "9C"),
        (("draw", 1), ("draw", 2), ("5H", 1), ("6S", 2)),
    ),
}


@pytest.mark.parametrize("case", TOLD.values(), ids=TOLD)
def test_after_a_reshuffle_what_was_shown_tells(case: Case) -> None:
    assert agrees(case, 20_000)


@pytest.mark.parametrize("name", ["which copy was it", "two kinds", "both are shown by two"])
def test_without_the_trail_it_would_be_seen(name: str) -> None:
    """With one pool of cards there are worlds that cannot be."""
    case = TOLD[name]
    chances = exact(case)
    shown = Counter(what for what, _ in case.trail if what != "draw")
    mixed = Case(
        tuple(len(hand) for hand in max(chances)[0]),
        tuple((Counter(case.old + case.new) - shown).elements()),
    )
    found, weights = draw(mixed, max(chances), 5000)
    with pytest.raises(AssertionError, match="cannot be"):
        strays(chances, found, weights)


def test_without_weights_it_would_be_seen() -> None:
    """Where two seats show a card of which either may have held either copy."""
    case = TOLD["both are shown by two"]
    assert not agrees(case, 20_000, weigh=False)


@pytest.mark.parametrize("seed", range(10))
def test_random_trails(seed: int) -> None:
    assert agrees(random_case(random.Random(seed)), 8_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 60))
def test_more_random_trails(seed: int) -> None:
    assert agrees(random_case(random.Random(seed)), 40_000)
