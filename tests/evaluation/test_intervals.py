"""Intervals, numbers of deals and ratings, on data whose answers are known."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest

from xabitha_env.evaluation import ratings
from xabitha_env.evaluation.comparison import summarise
from xabitha_env.evaluation.intervals import (
    bounds,
    deals_for_width,
    deals_to_tell,
    interval,
    intervals,
    resampled_means,
)
from xabitha_env.evaluation.outcomes import outcome_type

WIDE = 1.96  # standard errors in half of a 95% interval of a normal distribution


def rows(margins, game="xabitha"):
    found = np.zeros(np.shape(margins), outcome_type(game))
    found["margin"] = margins
    found["won"] = (np.sign(margins) + 1) / 2
    return found


# Intervals.


def test_a_deal_is_one_observation():
    found = summarise("xabitha", rows([[100, -100], [60, 20], [10, 10]]))
    assert (found.deals, found.margin) == (3, pytest.approx(50 / 3))
    assert found.deviation == pytest.approx(np.std([0, 40, 10], ddof=1))
    assert found.won == pytest.approx(5 / 6)


def test_luck_that_mirroring_cancels_leaves_no_interval():
    luck = np.random.default_rng(0).integers(-200, 200, 50)
    found = summarise("xabitha", rows(np.stack([7 + luck, 7 - luck], axis=1)))
    assert (found.margin, found.low, found.high) == pytest.approx((7, 7, 7))


def test_shares_are_of_rounds_and_of_matches():
    one = rows([[1, 0], [-1, -1]])
    one["cancelled"] = [[0, 0.5], [0, 0.5]]
    found = summarise("xabitha", one)
    assert (found.won, found.means["cancelled"]) == (0.375, 0.25)
    assert 0 <= found.won_low <= found.won_high <= 1


def test_an_interval_is_that_of_the_normal_distribution_when_there_are_many_deals():
    values = np.random.default_rng(1).normal(3, 50, 4000)
    mean, low, high = interval(values)
    half = WIDE * values.std(ddof=1) / len(values) ** 0.5
    assert mean == pytest.approx(values.mean())
    assert (low, high) == pytest.approx((mean - half, mean + half), abs=0.05 * half)


def test_columns_are_resampled_together_and_repeatably():
    values = np.random.default_rng(2).normal(0, 1, (300, 1))
    both = np.concatenate([values, 5 - 2 * values], axis=1)
    means = resampled_means(both)
    assert np.allclose(means[:, 1], 5 - 2 * means[:, 0])
    assert np.array_equal(means, resampled_means(both))
    assert not np.array_equal(means, resampled_means(both, seed=1))
    assert intervals(both)[0] == pytest.approx(interval(values[:, 0]))


def test_blocks_change_nothing(monkeypatch):
    values = np.random.default_rng(3).normal(0, 1, (70, 2, 2))
    whole = resampled_means(values, resamples=100)
    monkeypatch.setattr("xabitha_env.evaluation.intervals._BLOCK", 7 * 70)
    assert whole.shape == (100, 2, 2)
    assert np.allclose(whole, resampled_means(values, resamples=100))


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda generator, size: generator.normal(5, 80, size), 5),
        (lambda generator, size: generator.exponential(40, size), 40),
        (lambda generator, size: 200 * (generator.random(size) < 0.3), 60),
    ],
    ids=["normal", "skewed", "two values"],
)
@pytest.mark.parametrize("deals", [30, 200])
def test_intervals_hold_the_true_mean_in_95_of_100_samples(draw, mean, deals):
    samples = draw(np.random.default_rng(4), (deals, 2000))
    low, high = bounds(resampled_means(samples, resamples=500))
    held = ((low <= mean) & (mean <= high)).mean()
    assert (0.92 if deals < 100 else 0.935) < held < 0.97


# How many deals.


def test_the_number_of_deals_gives_the_interval_that_was_wanted():
    needed = deals_for_width(deviation=60, half_width=2)
    assert needed == int(np.ceil((WIDE * 60 / 2) ** 2)) == 3458
    values = np.random.default_rng(5).normal(0, 60, needed)
    _, low, high = interval(values)
    assert (high - low) / 2 == pytest.approx(2, rel=0.05)
    assert deals_for_width(0, 2) == 2


def test_the_number_of_deals_tells_a_difference_in_80_of_100_cases():
    needed = deals_to_tell(deviation=60, difference=-10)
    assert needed == 283
    means = np.random.default_rng(6).normal(10, 60 / needed**0.5, 20_000)
    told = (means > WIDE * 60 / needed**0.5).mean()
    assert told == pytest.approx(0.8, abs=0.01)
    assert deals_to_tell(60, 0) is None


# Ratings.


def shares_of(strengths):
    ahead = np.subtract.outer(strengths, strengths)
    return 1 / (1 + 10 ** (-np.asarray(ahead, float) / 400))


def test_ratings_of_two_teams_are_their_odds():
    shares = np.array([[0.5, 0.8], [0.2, 0.5]])
    found = ratings.fit(shares, 10**9)
    assert found == pytest.approx([200 * log10(4), -200 * log10(4)], abs=1e-4)


def test_strengths_are_found_again():
    strengths = np.array([310.0, 40, -15, -335])
    assert ratings.fit(shares_of(strengths), 10**9) == pytest.approx(strengths, abs=1e-3)
    many = ratings.fit(np.stack([shares_of(strengths), shares_of(-strengths)]), 10**9)
    assert many == pytest.approx(np.stack([strengths, -strengths]), abs=1e-3)


def test_a_clean_sweep_has_a_finite_rating():
    shares = np.array([[0.5, 1, 1], [0, 0.5, 1], [0, 0, 0.5]])
    found = ratings.fit(shares, 2000)
    assert np.isfinite(found).all() and found.sum() == pytest.approx(0, abs=1e-6)
    assert found[0] > found[1] > found[2]
    two = ratings.fit(np.array([[0.5, 1], [0, 0.5]]), 2000)
    assert two[0] - two[1] == pytest.approx(400 * log10(2000.5 / 0.5))


def drawn(shares, pairs, deals, generator):
    """Win shares by deal (deals, pairs), of two matches each."""
    chances = np.array([shares[pair] for pair in pairs])
    return generator.binomial(2, chances, (deals, len(pairs))) / 2


PAIRS = [(0, 1), (0, 2), (1, 2)]


def rated(won):
    shares = ratings.square(PAIRS, won.mean(axis=0), 3)
    resampled = ratings.square(PAIRS, resampled_means(won, resamples=400), 3)
    return shares, resampled, 2 * len(won)


def test_rating_intervals_hold_the_true_rating():
    strengths, generator = np.array([120.0, 0, -120]), np.random.default_rng(7)
    held = []
    for _ in range(150):
        found = ratings.rate(*rated(drawn(shares_of(strengths), PAIRS, 200, generator)))
        held += [one.low <= true <= one.high for one, true in zip(found, strengths)]
    assert 0.92 < np.mean(held) < 0.98


def test_a_cycle_is_told():
    cycle = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    won = drawn(cycle, PAIRS, 500, np.random.default_rng(8))
    found = ratings.warnings(["ann", "bob", "cyd"], *rated(won))
    assert found[0] == (
        "a cycle that ratings cannot show: ann beats bob beats cyd beats ann, each surely"
    )
    assert [line.split(":")[0] for line in found[1:]] == [
        "ratings miss ann against bob",
        "ratings miss ann against cyd",
        "ratings miss bob against cyd",
    ]


def test_a_cycle_by_chance_is_not_told():
    cycle = np.array([[0.5, 0.52, 0.48], [0.48, 0.5, 0.52], [0.52, 0.48, 0.5]])
    won = drawn(cycle, PAIRS, 100, np.random.default_rng(9))
    assert ratings.warnings(["ann", "bob", "cyd"], *rated(won)) == []


def test_strengths_that_fit_give_no_warning():
    won = drawn(shares_of([150, 0, -150]), PAIRS, 3000, np.random.default_rng(10))
    assert ratings.warnings(["ann", "bob", "cyd"], *rated(won)) == []
