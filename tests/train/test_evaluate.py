"""Mirrored deals and their statistics."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from train import evaluate
from train.evaluate import Rounds, compare, play_mirrored, summarise
from xabitha_env.players import CompiledPlayer

DEALS = 12


class Onlooker:
    """Plays the first legal action, and notes what was dealt and where it sat."""

    name = "onlooker"

    def __init__(self):
        self.deals, self.seats = [], []

    def reset(self, engine, seed):
        self.deals.append([engine.deal_record(game) for game in range(engine.num_games)])
        self.seats.append(set())

    def act(self, view):
        self.seats[-1] |= set(view.seat.tolist())
        return view.legal[:, 0]


def rounds(margin, **others):
    margin = np.array(margin)
    nothing = np.zeros(margin.shape)
    columns = {"won": nothing != 0, "cancelled": nothing != 0, "declared": nothing}
    return Rounds(margin, **{**columns, **others})


def test_a_deal_is_one_observation():
    found = summarise(rounds([[100, -100], [60, 20], [10, 10]]))
    deals = [0, 40, 10]
    half = 1.96 * np.std(deals, ddof=1) / 3**0.5
    assert found.deals == 3
    assert found.margin == pytest.approx(50 / 3)
    assert (found.low, found.high) == pytest.approx((50 / 3 - half, 50 / 3 + half))


def test_luck_that_mirroring_cancels_leaves_no_interval():
    luck = np.random.default_rng(0).integers(-200, 200, 50)
    found = summarise(rounds(np.stack([7 + luck, 7 - luck], axis=1)))
    assert (found.margin, found.low, found.high) == (7, 7, 7)


def test_the_interval_holds_the_mean_in_95_of_100_samples():
    generator = np.random.default_rng(1)
    samples = generator.normal(5, 80, (2000, 100, 2))
    hits = sum(one.low < 5 < one.high for one in map(summarise, map(rounds, samples)))
    assert 0.93 < hits / len(samples) < 0.965


def test_shares_are_of_rounds():
    found = summarise(
        rounds(
            [[1, 0], [0, 0]],
            won=np.array([[True, False], [False, False]]),
            cancelled=np.array([[False, False], [True, True]]),
            declared=np.array([[0.5, 0], [0, 0]]),
        )
    )
    assert (found.won, found.cancelled, found.declared) == (0.25, 0.5, 0.125)


def test_both_rounds_of_a_deal_have_the_same_cards_and_starter():
    player = Onlooker()
    play_mirrored(player, CompiledPlayer("greedy"), 5, DEALS)
    first, second = player.deals
    assert first == second
    assert len({str(deal) for deal in first}) == DEALS
    assert player.seats == [{0, 2}, {1, 3}]


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_a_team_against_itself_is_level(name):
    found = play_mirrored(CompiledPlayer(name), CompiledPlayer(name), 9, DEALS)
    assert np.array_equal(found.margin[:, 0], -found.margin[:, 1])
    assert found.margin.any()
    result = summarise(found)
    assert (result.margin, result.low, result.high) == (0, 0, 0)


def test_exchanging_the_teams_exchanges_the_signs():
    greedy, random = CompiledPlayer("greedy"), CompiledPlayer("random")
    ahead, behind = compare(greedy, random, 3, DEALS), compare(random, greedy, 3, DEALS)
    assert ahead.margin == -behind.margin > 100
    assert (ahead.low, ahead.high) == pytest.approx((-behind.high, -behind.low))
    assert ahead.won + behind.won + ahead.cancelled == pytest.approx(1)
    assert (ahead.declared, behind.declared > 0) == (0, True)


def test_nothing_depends_on_the_batch(monkeypatch):
    greedy, random = CompiledPlayer("greedy"), CompiledPlayer("random")
    whole = play_mirrored(greedy, random, 3, DEALS)
    monkeypatch.setattr(evaluate, "BATCH", 5)
    for one, other in zip(whole, play_mirrored(greedy, random, 3, DEALS)):
        assert np.array_equal(one, other)


def test_one_deal_has_no_interval():
    greedy = CompiledPlayer("greedy")
    with pytest.raises(ValueError, match="at least 2 deals, not 1"):
        compare(greedy, greedy, 0, 1)
    assert len(astuple(compare(greedy, greedy, 0, 2))) == 7
