"""Cross-play on data whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.evaluation.helpers import XABITHA, pairing
from xabitha_env.evaluation.partnership import (
    fit,
    margins_of,
    pairings_of,
    permutation_test,
    summarise_partnership,
)
from xabitha_env.evaluation.run import play_pairings
from xabitha_env.evaluation.teams import parse_teams

NAMES = ["ann", "bob", "cyd"]
PANEL = parse_teams(["greedy"])
FIRST, SECOND = np.array([6.0, -1, -5]), np.array([4.0, 1, -5])
ADDITIVE = 10 + FIRST[:, None] + SECOND
SYNERGY = np.array([[4.0, -2, -2], [-2, 4, -2], [-2, -2, 4]])


def margins(mean, deals=400, seed=0):
    """Deals (D, 3, 3) of these means; teams share the deal's luck and vary differently."""
    generator = np.random.default_rng(seed)
    luck = generator.normal(0, 30, (deals, 1, 1))
    own = generator.normal(0, np.linspace(5, 40, 9).reshape(3, 3), (deals, 3, 3))
    return mean + luck + own


def test_parts_add_up_and_are_found():
    found = fit(ADDITIVE + SYNERGY)
    assert found.mean == pytest.approx(10)
    assert found.first == pytest.approx(FIRST) and found.second == pytest.approx(SECOND)
    assert found.synergy == pytest.approx(SYNERGY)
    both = fit(np.stack([ADDITIVE + SYNERGY, ADDITIVE]))
    assert both.synergy == pytest.approx(np.stack([SYNERGY, np.zeros((3, 3))]))


def test_synergy_is_found_with_its_interval():
    found = summarise_partnership(NAMES, PANEL, margins(ADDITIVE + SYNERGY, deals=3000))
    assert found.test.strength > found.test.high and found.test.chance < 0.001
    assert found.synergy[..., 0] == pytest.approx(SYNERGY, abs=1.5)
    inside = (found.synergy[..., 1] <= SYNERGY) & (SYNERGY <= found.synergy[..., 2])
    assert inside.mean() > 0.7
    assert abs(found.synergy[0, 0, 0]) > found.test.threshold


def test_the_gap_is_of_players_with_themselves_over_players_with_others():
    found = summarise_partnership(NAMES, PANEL, margins(ADDITIVE + SYNERGY, deals=3000))
    # Means of the diagonal and of the rest: strengths are in both alike, synergies are not.
    assert found.gap.low < 4 + 2 < found.gap.high
    assert found.gap.mean == pytest.approx(np.mean([one.mean for one in found.gaps]))
    exact = summarise_partnership(NAMES, PANEL, np.stack([ADDITIVE + SYNERGY] * 2))
    own = 10 + FIRST + SECOND + 4
    others = [
        np.mean(
            [(ADDITIVE + SYNERGY)[i, j] + (ADDITIVE + SYNERGY)[j, i] for j in range(3) if j != i]
        )
        / 2
        for i in range(3)
    ]
    assert [one.mean for one in exact.gaps] == pytest.approx(list(own - others))
    assert exact.gap == pytest.approx((6, 6, 6))


def test_without_synergy_the_test_errs_in_5_of_100_cases():
    chances = [
        permutation_test(margins(ADDITIVE, deals=60, seed=seed), flips=200).chance
        for seed in range(400)
    ]
    assert 0.025 < np.mean(np.array(chances) <= 0.05) < 0.08


def test_without_synergy_some_pair_is_beyond_chance_in_5_of_100_cases():
    beyond = []
    for seed in range(400):
        values = margins(ADDITIVE, deals=60, seed=seed)
        threshold = permutation_test(values, flips=200).threshold
        beyond.append(np.abs(fit(values.mean(axis=0)).synergy).max() > threshold)
    assert 0.02 < np.mean(beyond) < 0.08


def test_the_test_is_repeatable():
    values = margins(ADDITIVE + SYNERGY)
    assert permutation_test(values) == permutation_test(values)


def test_every_ordered_pair_meets_the_panel():
    panel = parse_teams(["ann", "bob+ann"])
    found = pairings_of(["ann", "bob"], panel)
    assert len(set(found)) == len(found) == 8
    assert found[2:4] == [pairing("ann+bob", "ann"), pairing("ann+bob", "bob+ann")]


def test_margins_stand_where_their_players_do():
    names, panel = ["greedy", "random"], parse_teams(["greedy", "random"])
    seeds = range(20, 30)
    found = margins_of(play_pairings(XABITHA, pairings_of(names, panel), seeds), 2)
    assert found.shape == (10, 2, 2)
    for row, column in np.ndindex(2, 2):
        one = [pairing(f"{names[row]}+{names[column]}", team.text) for team in panel]
        alone = play_pairings(XABITHA, one, seeds).rows["margin"].mean(axis=(0, 2))
        assert found[:, row, column] == pytest.approx(alone)


@pytest.mark.parametrize(
    ("players", "panel", "message"),
    [
        (["ann"], PANEL, "at least 2 players, not 1"),
        (["ann", "bob", "ann"], PANEL, "named twice among ann, bob, ann"),
        (["ann", "bob"], [], "needs a panel"),
    ],
)
def test_bad_line_ups_are_refused(players, panel, message):
    with pytest.raises(ValueError, match=message):
        pairings_of(players, panel)
