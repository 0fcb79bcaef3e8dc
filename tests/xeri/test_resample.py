"""Drawing hidden cards anew: what stays, what changes, and that all deals are as likely."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xeri.exhaustive import names, possible_hands
from tests.xeri.hidden import has_public_card, resampled
from tests.xeri.kernels import resample_games
from tests.xeri.walks import SEATS, engine_for, sample_states
from xabitha_env._jit import records
from xabitha_env.xeri.state import STATE
from xabitha_env.xeri.validate import state_problem

RULES = [
    {"num_rounds": 2},
    {"num_rounds": 2, "show_bottom_card": True},
    {"target_score": 40, "show_bottom_card": True, "dealer_last_card_xeri": False},
]
VARIATIONS = range(len(RULES))
HIDDEN = ("hand", "stock", "deal_word", "player_word")


@cache
def states(variation: int) -> np.ndarray:
    return sample_states(range(10), 1, RULES[variation])


def words_for(seed: int, count: int) -> np.ndarray:
    return np.random.SeedSequence(seed).generate_state(count, np.uint64) | np.uint64(1)


def drawn(game: Any, seat: int, words: np.ndarray) -> np.ndarray:
    """So many copies of a game with everything hidden from a seat drawn anew."""
    out = np.zeros(len(words), STATE)
    single = np.array([game], STATE)
    before = single.tobytes()
    resample_games(records(single), 0, seat, words, records(out))
    assert single.tobytes() == before
    return out


def hands_of(game: Any) -> tuple[frozenset[str], ...]:
    return tuple(names(mask) for mask in game["hand"])


# --- what stays and what changes ------------------------------------------------------------


@pytest.mark.interpreted
@pytest.mark.parametrize("variation", VARIATIONS)
def test_only_what_is_hidden_changes(variation: int) -> None:
    """The records are sound, and the seat sees what it saw, byte for byte."""
    engine = engine_for(RULES[variation], 2)
    moved = 0
    for number, state in enumerate(states(variation)[::3]):
        for seat in SEATS:
            other = drawn(state, seat, words_for(number, 1))[0]
            assert state_problem(other) == ""
            for name in STATE.names:
                assert name in HIDDEN or np.array_equal(state[name], other[name]), name
            assert other["hand"][seat] == state["hand"][seat]
            assert other["deal_word"] != state["deal_word"]
            assert other["player_word"] != state["player_word"]
            engine.set_state(np.array([state, other], STATE))
            assert engine.observe(0, seat).tobytes() == engine.observe(1, seat).tobytes()
            moved += not np.array_equal(other["hand"], state["hand"])
    assert moved > len(states(variation))


@pytest.mark.parametrize("variation", VARIATIONS)
def test_the_bottom_card_stays(variation: int) -> None:
    """R2.3: it is the last card of the stock, and then the dealer's until it is played."""
    shown: Counter[str] = Counter()
    for state in filter(has_public_card, states(variation)):
        kind, dealer = int(state["bottom_card"]), int(state["dealer"])
        for seat in SEATS:
            for other in drawn(state, seat, words_for(seat, 4)):
                in_stock = bool(other["stock_count"])
                assert other["stock"][0] == kind if in_stock else other["hand"][dealer] >> kind & 1
                shown["stock" if in_stock else "hand"] += 1
    assert bool(shown) == ("show_bottom_card" in RULES[variation])
    assert not shown or min(shown["stock"], shown["hand"]) > 50


@pytest.mark.parametrize("variation", VARIATIONS)
def test_the_true_cards_do_not_matter(variation: int) -> None:
    """The same stream gives the same cards wherever the hidden ones lie."""
    rng = random.Random(1)
    words = words_for(2, 3)
    for state in states(variation):
        for seat in SEATS:
            other = resampled(rng, state.reshape(1), seat)[0]
            for name in HIDDEN[2:]:
                other[name] = rng.getrandbits(64) | 1
            one, two = drawn(state, seat, words), drawn(other, seat, words)
            assert one.tobytes() == two.tobytes()


def test_streams_differ() -> None:
    copies = drawn(states(0)[0], 1, words_for(3, 500))
    for name in HIDDEN[2:]:
        assert len(set(copies[name].tolist())) == 500 and copies[name].all()
    assert len({copy["stock"].tobytes() for copy in copies}) == 500


# --- all deals are as likely ----------------------------------------------------------------


def assert_uniform(seen: Counter[Any], cells: int, total: int) -> None:
    """A chi-square test over so many cells, at about one in a million."""
    assert len(seen) <= cells
    expected = total / cells
    square = sum((seen[cell] - expected) ** 2 / expected for cell in seen)
    square += (cells - len(seen)) * expected
    freedom = cells - 1
    assert abs(square - freedom) < 6.5 * (2 * freedom) ** 0.5, (square, freedom)


@pytest.mark.parametrize("variation", VARIATIONS)
def test_all_deals_of_few_cards_are_as_likely(variation: int) -> None:
    """In the second deal, against all deals that there can be."""
    sizes = set()
    for number, state in enumerate(states(variation)):
        if state["plays"] < 38 or state["over"]:
            continue
        deals = possible_hands(state)
        if len(deals) < 2 or len(deals) > 100:
            continue
        count = 200 * len(deals)
        copies = drawn(state, int(state["seat"]), words_for(number, count))
        seen = Counter(map(hands_of, copies))
        assert set(seen) <= set(deals)
        assert_uniform(seen, len(deals), count)
        sizes.add(len(deals))
    assert len(sizes) > 2, sizes


@pytest.mark.parametrize("variation", VARIATIONS)
def test_every_unseen_card_is_anywhere_as_often(variation: int) -> None:
    """In the first deal: each card lies in each place of the stock, and in each hand, as often."""
    checked = 0
    for number, state in enumerate(states(variation)):
        if not state["stock_count"] or number % 4:
            continue
        seat, count = int(state["seat"]), 4000
        copies = drawn(state, seat, words_for(number, count))
        lowest = int(state["bottom_card"] >= 0)
        places = copies["stock"][:, lowest : int(state["stock_count"])]
        pool = Counter(places.ravel().tolist())
        cells = len(pool)
        for place in range(places.shape[1]):
            assert_uniform(Counter(places[:, place].tolist()), cells, count)
        for other in set(SEATS) - {seat}:
            for kind in pool:
                held = (copies["hand"][:, other] >> kind & 1).mean()
                share = len(names(state["hand"][other])) / cells
                assert abs(held - share) <= 5 * (share * (1 - share) / count) ** 0.5
        checked += 1
    assert checked > 3
