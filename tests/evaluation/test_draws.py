"""Fixed draws: the same means from fewer deals."""

from __future__ import annotations

import numpy as np
import pytest

from tests.evaluation.helpers import XABITHA, XERI, team
from tools.fixed_draws import Slips, main
from xabitha_env.evaluation.deals import seeds_of
from xabitha_env.evaluation.draws import compare_draws
from xabitha_env.evaluation.play import Setup, play_deals

SEEDS = seeds_of("development", 40)


def test_figures_are_those_of_the_margins():
    greedy, mixed = team("greedy"), (team("greedy")[0], team("random")[0])
    found = compare_draws(greedy, mixed, SEEDS, XABITHA)
    plain, fixed = (
        play_deals(Setup("xabitha", XABITHA.rules, mode), greedy, mixed, SEEDS)["margin"]
        for mode in (False, True)
    )
    one, other = plain.mean(axis=1), fixed.mean(axis=1)
    assert (found.plain.mean, found.fixed.mean) == pytest.approx((one.mean(), other.mean()))
    assert found.difference.mean == pytest.approx((other - one).mean())
    assert found.variance.mean == pytest.approx(other.var() / one.var())
    assert found.variance.low < found.variance.mean < found.variance.high
    assert found.mirrored == pytest.approx(2 * one.var() / plain.var())


def test_a_game_without_fixed_draws_is_refused():
    with pytest.raises(ValueError, match="xeri has no fixed draws"):
        compare_draws(team("greedy", "xeri"), team("random", "xeri"), SEEDS, XERI)


@pytest.mark.slow
def test_means_agree_and_similar_teams_need_fewer_deals():
    slips = (Slips(2),) * 2
    found = compare_draws(slips, team("greedy"), seeds_of("development", 4000), XABITHA)
    assert not found.difference.clear_of_zero
    assert found.mirrored < 0.5
    assert found.variance.high < 0.9


def test_the_tool_tells_both_means(capsys):
    main(["--deals", "20", "greedy", "random"])
    out = capsys.readouterr().out
    assert out.startswith("greedy - random: +") and "with fixed draws +" in out
    assert np.isfinite(float(out.split(" points")[0].split()[-1]))
