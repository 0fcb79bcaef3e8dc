"""Fixed draws, which evaluations use: a seat's k-th card from the deck is dealt with the cards."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.xabitha.biased_deals import choose
from tests.xabitha.hidden import held
from tests.xabitha.walks import SEATS
from xabitha_env.games import make_rules
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.state import NO_SEAT

DECK = 49
OWN = [13, 12, 12, 12]  # of the 49 cards, the top one for seat 0


def engine_with(num_games: int = 1, fixed: bool = True, **rules: Any) -> XabithaEngine:
    options = {"num_rounds": 1, "max_turns": 150, "opening_points": 200, **rules}
    return XabithaEngine(num_games, rules=make_rules("xabitha", options), fixed_draws=fixed)


def hand(game: Any, seat: int) -> Counter[int]:
    return held(int(game["hand_one"][seat]), int(game["hand_two"][seat]))


def deck_of(game: Any) -> list[int]:
    cards: list[int] = game["deck"][: int(game["deck_count"])].tolist()
    return cards


def draws(engine: XabithaEngine, seed: int, temper: str) -> Iterator[tuple[int, int]]:
    """Play a round on; yields the seat and the card of each draw from the deck."""
    rng = random.Random(seed)
    while not engine.over[0]:
        move = choose(rng, engine.legal_texts(), rng.choice((temper, "uniform")))
        seat, before = int(engine.seats[0]), hand(engine.games[0], int(engine.seats[0]))
        engine.step([engine.parse(move)])
        if move == "draw:deck" and not engine.over[0]:
            ((card, _),) = (hand(engine.games[0], seat) - before).items()
            yield seat, card


def own_draws(seed: int, play: int, temper: str, fixed: bool = True) -> list[list[int]]:
    """By seat, the cards drawn before any seat has used up its own, or the deck is made anew."""
    engine = engine_with(fixed=fixed)
    engine.reset(seed=seed)
    drawn: list[list[int]] = [[] for _ in SEATS]
    for seat, card in draws(engine, play, temper):
        drawn[seat].append(card)
        if len(drawn[seat]) > OWN[seat] or engine.games["reshuffles"][0]:
            drawn[seat].pop()
            break
    return drawn


def agree(first: list[list[int]], second: list[list[int]]) -> bool:
    return all(a == b for one, other in zip(first, second) for a, b in zip(one, other))


@pytest.mark.parametrize("seed", range(4))
def test_a_seat_draws_the_same_whatever_the_others_do(seed: int) -> None:
    plays = [own_draws(seed, play, temper) for play in range(3) for temper in ("fire", "drawer")]
    assert all(agree(plays[0], other) for other in plays[1:])
    counts = {tuple(len(cards) for cards in play) for play in plays}
    assert len(counts) > 1 and max(map(sum, counts)) > 30  # they do not draw alike


def test_draws_from_the_top_are_not_the_same() -> None:
    plays = [own_draws(seed, play, "fire", fixed=False) for seed in range(4) for play in range(2)]
    assert not all(agree(*plays[at : at + 2]) for at in (0, 2, 4, 6))


@pytest.mark.parametrize("seed", range(6))
def test_each_card_of_the_deck_is_drawn_once(seed: int) -> None:
    """Also those that seats draw beyond their own; what is left keeps its order."""
    engine = engine_with()
    engine.reset(seed=seed)
    deck, drawn = deck_of(engine.games[0]), Counter[int]()
    for _, card in draws(engine, seed, "drawer"):
        game = engine.games[0]
        if game["reshuffles"]:
            break
        drawn[card] += 1
        left = deck_of(game)
        assert drawn + Counter(left) == Counter(deck)
        rest = iter(deck)
        assert all(kind in rest for kind in left)
    assert drawn == Counter(deck) and drawn.total() == DECK


def test_the_deck_is_shared_out_in_turn() -> None:
    engine = engine_with()
    game = engine.games[0]
    assert game["deck_seat"][:DECK][::-1].tolist() == [card % 4 for card in range(DECK)]
    assert (game["deck_seat"][DECK:] == NO_SEAT).all()
    assert (engine_with(fixed=False).games["deck_seat"] == NO_SEAT).all()


def test_after_a_reshuffle_cards_come_from_the_top() -> None:
    """X10.1: as by the rules."""
    later = 0
    engine = engine_with()
    engine.reset(seed=3)
    top = -1
    for _, card in draws(engine, 3, "drawer"):
        game = engine.games[0]
        if game["reshuffles"]:
            assert top in (-1, card)
            assert (game["deck_seat"] == NO_SEAT).all()
            later += 1
            top = deck_of(game)[-1] if game["deck_count"] else -1
    assert later > 30


def first_draws(fixed: bool) -> Iterator[np.ndarray]:
    """In many games, the kinds that the first seats draw."""
    engine = engine_with(4000, fixed)
    engine.reset(seed=5)
    rows = np.arange(4000)
    for _ in SEATS:
        engine.step(engine.legal[:, 0])
    engine.step(engine.legal[rows, 0])  # X4.2: the starter's discard
    for _ in range(3):
        seats = engine.seats.copy()
        before = [engine.games[name][rows, seats].copy() for name in ("hand_one", "hand_two")]
        engine.step(engine.legal[:, 0])
        after = [engine.games[name][rows, seats] for name in ("hand_one", "hand_two")]
        changed = (before[0] ^ after[0]) | (before[1] ^ after[1])
        yield np.log2(changed.astype(np.float64)).astype(int)
        engine.step(engine.legal[rows, engine.legal_count - 1])


@pytest.mark.parametrize("fixed", [True, False])
def test_every_card_is_as_likely_as_by_the_rules(fixed: bool) -> None:
    """Chi-square tests of the kinds that three seats draw first."""
    for kinds in first_draws(fixed):
        counts = np.bincount(kinds, minlength=53)
        expected = 4000 / 53  # two of 106
        square = ((counts - expected) ** 2 / expected).sum()
        assert square < 52 + 4 * (2 * 52) ** 0.5, square


def test_copies_and_states_keep_what_is_fixed() -> None:
    engine = engine_with()
    engine.reset(seed=4)
    other, twin = engine_with(fixed=False), engine.copy()
    other.set_state(engine.get_state())
    own = list(draws(engine, 1, "fire"))
    assert list(draws(twin, 1, "fire")) == own == list(draws(other, 1, "fire"))
