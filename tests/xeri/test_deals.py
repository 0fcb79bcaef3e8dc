"""The engine's own deals, by the thousand: uniform, and as R1.2 and R2 have them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xeri.walks import engine_for
from xabitha_env.cards import JACK, NUM_RANKS
from xabitha_env.xeri.actions import NUM_CARDS, PILE_CARDS, STOCK_CARDS
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.players import RANDOM

GAMES = 20_000
SIGMA = 4.5
"""Standard deviations that no count may be off: seeds are fixed, so a test passes or fails."""


@cache
def dealt(redeal: bool, shown: bool) -> XeriEngine:
    """Many first deals."""
    engine = engine_for({"redeal_pile": redeal, "show_bottom_card": shown}, GAMES, outputs=())
    engine.reset(seed=12345)
    return engine


ALL = pytest.mark.parametrize("shown", [False, True], ids=["", "shown"])
BOTH = pytest.mark.parametrize("redeal", [False, True], ids=["any", "redeal"])


def assert_uniform(counts: np.ndarray, chance: float, total: int = GAMES) -> None:
    """Counts of events that have this chance each, in so many trials, are not far off."""
    error = (total * chance * (1 - chance)) ** 0.5
    assert np.abs(counts - total * chance).max() < SIGMA * error


def hands_of(engine: XeriEngine) -> np.ndarray:
    """(4, 52) how often each seat, from the dealer on, was dealt each card."""
    rows = np.arange(GAMES)
    return np.array([
        [(engine.games["hand"][rows, (engine.games["dealer"] + step) % 4] >> kind & 1).sum()
         for kind in range(NUM_CARDS)]
        for step in range(4)
    ])  # fmt: skip


def stock_of(engine: XeriEngine) -> np.ndarray:
    """(N, 24) the stock, the next card first."""
    return engine.games["stock"][:, STOCK_CARDS - 1 :: -1][:, :STOCK_CARDS]


def is_jack(cards: np.ndarray) -> np.ndarray:
    return cards % NUM_RANKS == JACK


@ALL
@BOTH
def test_deals_are_whole(redeal: bool, shown: bool) -> None:
    """R2.1: 6 cards to each seat, 4 in the pile, 24 in the stock, each card once."""
    games = dealt(redeal, shown).games
    masks = np.bitwise_or.reduce(games["hand"], axis=1)
    for cards in (games["pile"][:, :PILE_CARDS], stock_of(dealt(redeal, shown))):
        ones = np.left_shift(np.int64(1), cards.astype(np.int64))
        assert not (masks & np.bitwise_or.reduce(ones, axis=1)).any()
        masks = masks | np.bitwise_or.reduce(ones, axis=1)
    assert (masks == (1 << NUM_CARDS) - 1).all()
    assert (games["pile_count"] == PILE_CARDS).all() and (games["stock_count"] == 24).all()


@BOTH
def test_hands_are_uniform(redeal: bool) -> None:
    """R2.1: any card is as likely in any hand; a redeal does not touch the hands (R2.2)."""
    counts = hands_of(dealt(redeal, False))
    assert_uniform(counts, 6 / 52)
    spread = (counts - GAMES * 6 / 52) / (GAMES * 6 / 52 * 46 / 52) ** 0.5
    assert 0.7 < spread.std() < 1.3


def test_the_pile_and_the_stock_are_uniform() -> None:
    """R2.1: at each place, where no pile is refused."""
    engine = dealt(False, False)
    pile, stock = engine.games["pile"][:, :PILE_CARDS], stock_of(engine)
    for cards in (*pile.T, *stock.T):
        assert_uniform(np.bincount(cards, minlength=NUM_CARDS), 1 / 52)


def refused(engine: XeriEngine) -> np.ndarray:
    """(N,) which piles have two cards of a rank or a jack on top (R2.2)."""
    ranks = np.sort(engine.games["pile"][:, :PILE_CARDS] % NUM_RANKS, axis=1)
    return (np.diff(ranks, axis=1) == 0).any(1) | is_jack(engine.games["pile"][:, PILE_CARDS - 1])


@ALL
def test_the_redeal_rule_is_never_violated(shown: bool) -> None:
    """R2.2; the variation accepts any pile, with the chance that it has."""
    assert not refused(dealt(True, shown)).any()
    if not shown:
        distinct = 48 / 51 * 44 / 50 * 40 / 49
        assert_uniform(refused(dealt(False, shown)).sum(), 1 - distinct * 12 / 13)


@ALL
def test_piles_that_are_dealt_anew_are_random(shown: bool) -> None:
    """R2.2: no card but jacks is more likely on top, and jacks are as likely at any other place."""
    pile = dealt(True, shown).games["pile"][:, :PILE_CARDS]
    tops = np.bincount(pile[:, -1], minlength=NUM_CARDS)
    assert_uniform(tops[~is_jack(np.arange(NUM_CARDS))], 1 / 48)
    jacks = is_jack(pile[:, :-1]).sum(0)
    assert_uniform(jacks, jacks.mean() / GAMES)
    assert jacks.min() > GAMES / 20


@BOTH
def test_the_bottom_card_is_no_jack_and_uniform(redeal: bool) -> None:
    """R2.3: any of the 48 others, and the last card of the stock, redeals or not."""
    engine = dealt(redeal, True)
    bottom = engine.games["bottom_card"]
    assert not is_jack(bottom).any() and (stock_of(engine)[:, -1] == bottom).all()
    plain = ~is_jack(np.arange(NUM_CARDS))
    assert_uniform(np.bincount(bottom, minlength=NUM_CARDS)[plain], 1 / 48)


def test_no_bottom_card_is_shown_by_default() -> None:
    """R2.3."""
    engine = dealt(True, False)
    assert (engine.games["bottom_card"] == -1).all()
    assert "bottom_card" not in engine.deal_record()
    assert is_jack(stock_of(engine)[:, -1]).any()


def test_jacks_passed_over_are_anywhere() -> None:
    """R2.3: the 51 other cards lie in random order, jacks not lower than others."""
    engine = dealt(False, True)
    stock = stock_of(engine)
    pile = engine.games["pile"][:, :PILE_CARDS]
    assert_uniform(is_jack(stock[:, :-1]).sum(0), 4 / 51)
    assert_uniform(is_jack(pile).sum(0), 4 / 51)
    jacks = is_jack(np.arange(NUM_CARDS))
    assert_uniform(hands_of(engine)[:, jacks], 6 / 51)


def test_jacks_passed_over_are_anywhere_after_a_redeal() -> None:
    """R2.2 shuffles the stock, but for the bottom card: all its other places are alike."""
    jacks = is_jack(stock_of(dealt(True, True))[:, :-1]).sum(0)
    assert_uniform(jacks, jacks.mean() / GAMES)
    assert_uniform(hands_of(dealt(True, True))[:, is_jack(np.arange(NUM_CARDS))], 6 / 51)


def test_later_places_do_not_follow_from_earlier_ones() -> None:
    """R2.1: no card is likelier than another to lie beneath, or next to, a given one."""
    stock = stock_of(dealt(False, False)).astype(np.int64)
    pairs = (stock[:, :-1] * NUM_CARDS + stock[:, 1:]).ravel()
    counts = np.bincount(pairs, minlength=NUM_CARDS**2).reshape(NUM_CARDS, NUM_CARDS)
    apart = counts[~np.eye(NUM_CARDS, dtype=bool)]
    assert_uniform(apart, 1 / (52 * 51), GAMES * (STOCK_CARDS - 1))


def test_the_first_dealer_is_random_and_the_deal_passes() -> None:
    """R1.2, R3.1: clockwise, and the seat left of the dealer plays first."""
    engine = dealt(True, False)
    assert_uniform(np.bincount(engine.games["dealer"], minlength=4), 1 / 4)
    assert (engine.seats == (engine.games["dealer"] + 1) % 4).all()
    few = engine_for({"num_rounds": 6}, 50, outputs=())
    few.reset(seed=3)
    codes = np.full(50, RANDOM, np.int8)
    for number in range(6):
        dealers = few.games["dealer"].copy()
        assert (few.rounds_played == number).all()
        for _ in range(48):
            few.step(few.choose(codes))
        assert few.over.all() or (few.games["dealer"] == (dealers + 1) % 4).all()
    assert few.over.all()


def test_hands_are_dealt_one_card_at_a_time() -> None:
    """R2.1: from the dealer's left, so the last card of the stock goes to the dealer."""
    engine: Any = engine_for({"show_bottom_card": True}, 50, outputs=())
    engine.reset(seed=7)
    stock, dealers = stock_of(engine).copy(), engine.games["dealer"].copy()
    codes = np.full(50, RANDOM, np.int8)
    for _ in range(24):
        engine.step(engine.choose(codes))
    for index in range(50):
        for place, kind in enumerate(stock[index].tolist()):
            seat = (dealers[index] + 1 + place) % 4
            assert engine.games["hand"][index, seat] >> kind & 1
        bottom = int(engine.games["bottom_card"][index])
        assert engine.games["hand"][index, dealers[index]] >> bottom & 1
