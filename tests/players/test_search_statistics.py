"""How a search sums up its rollouts, on margins that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from xabitha_env.players import Verdict
from xabitha_env.players.search import (
    FEWEST_WORLDS,
    SURE,
    _better_half,
    _is_sure,
    _judge,
)

NAN = float("nan")
CAUTION = 1.0
IDS = np.array([30, 10, 20])


def judged(margins: list[list[float]], weights: list[float] | None = None) -> Verdict:
    array = np.array(margins, float)
    shares = np.ones(len(array)) if weights is None else np.array(weights, float)
    return _judge(IDS, array, shares, CAUTION)


def test_means_are_weighted_and_leave_out_what_was_dropped() -> None:
    verdict = judged([[1, 2, NAN], [3, 8, 4]], [1, 3])
    assert verdict.means.tolist() == [2.5, 6.5, 4.0]
    assert verdict.worlds.tolist() == [2, 2, 1]
    assert verdict.actions is IDS


def test_errors_are_those_of_paired_differences() -> None:
    rng = np.random.default_rng(1)
    margins = rng.normal(size=(50, 3)) + 30 * rng.normal(size=(50, 1))
    lags = margins[:, [0]] - margins
    direct = lags.std(axis=0) / 50**0.5
    assert np.allclose(judged(margins.tolist()).errors, direct)
    assert direct.max() < 0.1 * margins.std(axis=0).min() / 50**0.5  # worlds cancel out


def test_errors_with_weights_and_gaps() -> None:
    """Of a ratio of sums: the root of sum((w / W)^2 (d - mean d)^2)."""
    rng = np.random.default_rng(2)
    margins, weights = rng.normal(size=(30, 3)), rng.uniform(0.1, 2, 30)
    margins[20:, 2] = NAN
    verdict = judged(margins.tolist(), weights.tolist())
    for place, count in enumerate((30, 30, 20)):
        share = weights[:count] / weights[:count].sum()
        lag = (margins[:, 0] - margins[:, place])[:count]
        error = (share**2 * (lag - share @ lag) ** 2).sum() ** 0.5
        assert verdict.errors[place] == pytest.approx(error)
        assert verdict.means[place] == pytest.approx(share @ margins[:count, place])
    rescaled = judged(margins.tolist(), (7 * weights).tolist())
    assert np.allclose(rescaled.errors, verdict.errors)


def test_the_best_must_be_ahead_by_its_error() -> None:
    worlds = np.array([9, 9, 8])
    sure = Verdict(IDS, np.array([1.0, 2.0, 9.0]), np.array([0, 0.9, 1.0]), worlds, CAUTION)
    assert sure.best == 10 and sure.bounds[2] == -np.inf  # the third was dropped
    assert sure.bounds[1] == 2 - CAUTION * 0.9
    assert sure._replace(errors=np.array([0, 1.1, 1.0])).best == 30
    assert sure._replace(caution=1.2).best == 30
    assert sure._replace(means=np.array([1.0, 1.0, 0]), errors=np.zeros(3)).best == 30  # a tie


def test_the_better_half_stays_and_always_the_first() -> None:
    means = np.array([0.0, 5, 1, 4, 2, 3, 6])
    verdict = Verdict(np.arange(7), means, np.zeros(7), np.full(7, 8), CAUTION)
    assert _better_half(verdict, np.arange(7)).tolist() == [0, 1, 3, 6]
    assert _better_half(verdict, np.array([0, 1, 3, 6])).tolist() == [0, 6]
    assert _better_half(verdict, np.array([0, 2, 4])).tolist() == [0, 4]


@pytest.mark.parametrize(
    ("worlds", "lead", "sure"),
    [(FEWEST_WORLDS, SURE + 1, True), (FEWEST_WORLDS, SURE - 1, False), (8, SURE + 1, False)],
)
def test_a_lead_is_sure_after_some_worlds(worlds: int, lead: float, sure: bool) -> None:
    count = np.full(2, worlds)
    verdict = Verdict(IDS[:2], np.array([0.0, lead]), np.array([0.0, 1.0]), count, CAUTION)
    assert _is_sure(verdict, np.arange(2)) == sure
    assert _is_sure(verdict._replace(means=np.array([lead, 0.0])), np.arange(2)) == sure
