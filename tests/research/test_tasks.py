"""The research tasks, each on a few deals: what their figures are made of."""

from __future__ import annotations

import json

import numpy as np
import pytest

from xabitha_env.evaluation.deals import seeds_of
from xabitha_env.evaluation.intervals import interval
from xabitha_env.evaluation.play import one_round, play_deals
from xabitha_env.games import GAMES
from xabitha_env.players import CheatingSearchAgent, CompiledPlayer, PlayerError, load_player
from xabitha_env.research import TASKS, task
from xabitha_env.research.ad_hoc import POOLS
from xabitha_env.research.results import line_of

DEALS = 4
PLAYER = {name: "greedy" for name in TASKS} | {"belief": "weighed", "credit": "expert"}
SMALL = {name: {} for name in TASKS} | {"belief": {"worlds": 8, "percent": 20}}


def small(name: str, game: str, **options):
    return task(name, game=game, **{"deals": DEALS, **SMALL[name], **options})


def margins(game: str, a: tuple[str, str], b: str = "expert") -> np.ndarray:
    """Margins of a team by deal, played here."""
    teams = [tuple(CompiledPlayer(one) for one in team) for team in (a, (b, b))]
    rows = play_deals(one_round(game), *teams, list(seeds_of("development", DEALS)))
    return rows["margin"].mean(axis=1)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", TASKS)
def test_every_task_has_a_score_with_its_interval_and_a_table(name: str, game: str) -> None:
    made, told = small(name, game), []
    found = made.run(PLAYER[name], told.append)
    assert told[-1] == made.rounds and told == sorted(told)
    assert found.task == name and found.player == PLAYER[name]
    assert found.score == found.interval.mean == found.lines[0].interval.mean
    assert found.interval.low <= found.score <= found.interval.high
    title, head, rows = found.table()
    assert name in title and PLAYER[name] in title
    assert [row[0] for row in rows] == [one.name for one in found.lines]
    assert all(len(row) == len(head) for row in rows)
    kept = json.loads(json.dumps(found.to_dict()))
    assert kept["figures"][0]["by_deal"] == found.lines[0].values.tolist()
    assert kept["settings"]["deals"] == DEALS and kept["score"]["mean"] == found.score
    assert "by_deal" not in found.to_dict(by_deal=False)["figures"][0]


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_the_same_again_and_other_deals_give_other_figures(name: str) -> None:
    first, second, other = (
        small(name, "xeri", seeds=seeds).run(PLAYER[name]) for seeds in ("7", "7", "8000")
    )
    assert first.to_dict() == second.to_dict()
    assert any(
        not np.array_equal(one.values, two.values, equal_nan=True)
        for one, two in zip(first.lines, other.lines)
    )


def test_lines_leave_out_deals_that_say_nothing() -> None:
    values = np.array([1.0, np.nan, 3.0, 5.0])
    line = line_of("x", values)
    assert line.interval == interval(np.array([1.0, 3.0, 5.0]))
    assert np.isnan(line_of("x", np.array([1.0, np.nan])).interval.mean)


# --- ad hoc partnership -------------------------------------------------------------------------


def test_partners_of_a_pool_are_tried_in_both_seats() -> None:
    found = small("ad-hoc", "xeri", pool=("random", "expert")).run("greedy")
    by_partner = [
        (margins("xeri", ("greedy", other)) + margins("xeri", (other, "greedy"))) / 2
        for other in ("random", "expert")
    ]
    assert found.lines[0].values == pytest.approx(np.mean(by_partner, axis=0))
    assert found.line("with random").values == pytest.approx(by_partner[0])
    alone = margins("xeri", ("greedy", "greedy"))
    assert found.line("with itself").values == pytest.approx(alone)
    gap = found.line("itself minus unknown").values
    assert gap == pytest.approx(alone - np.mean(by_partner, axis=0))


@pytest.mark.parametrize("game", GAMES)
def test_pools_are_players_of_the_game(game: str) -> None:
    assert all(load_player(name, game) for name in POOLS[game])
    assert small("ad-hoc", game).partners == POOLS[game]


def test_a_panel_of_two_is_averaged() -> None:
    found = small("ad-hoc", "xeri", pool=("random",), panel=("expert", "greedy")).run("greedy")
    own = ("greedy", "greedy")
    both = (margins("xeri", own, "expert") + margins("xeri", own, "greedy")) / 2
    assert found.line("with itself").values == pytest.approx(both)


# --- credit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_credits_add_up_and_a_baseline_partner_has_none(game: str) -> None:
    found = small("credit", game, baseline="random").run("greedy+random")
    total, first, second = (one.values for one in found.lines[:3])
    assert total == pytest.approx(first + second)
    assert (second == 0).all() and total == pytest.approx(first)
    alone = margins(game, ("greedy", "random")) - margins(game, ("random", "random"))
    assert total == pytest.approx(alone)


def test_credit_is_a_mean_over_both_orders() -> None:
    found = small("credit", "xeri", baseline="random").run("greedy+expert")
    both, none = margins("xeri", ("greedy", "expert")), margins("xeri", ("random", "random"))
    first, second = margins("xeri", ("greedy", "random")), margins("xeri", ("random", "expert"))
    assert found.lines[1].values == pytest.approx((both - second + first - none) / 2)
    assert found.lines[2].values == pytest.approx((both - first + second - none) / 2)
    assert found.line("more than the sum").values == pytest.approx(both - first - second + none)


# --- par ----------------------------------------------------------------------------------------


def test_the_player_of_par_has_no_regret() -> None:
    found = small("par", "xeri").run("cheating-search")
    assert (found.lines[0].values == 0).all()


def test_regret_is_what_is_missing_to_par_on_either_side() -> None:
    made = small("par", "xeri")
    found = made.run("greedy")
    seeing = (CheatingSearchAgent(), CheatingSearchAgent())
    seeds = list(seeds_of("development", DEALS))
    team = (CompiledPlayer("greedy"), CompiledPlayer("greedy"))
    rows = play_deals(one_round("xeri"), team, seeing, seeds)["margin"]
    par = found.line("par of seats 0 and 2").values
    assert found.line("regret in seats 0 and 2").values == pytest.approx(par - rows[:, 0])
    assert found.line("regret in seats 1 and 3").values == pytest.approx(-par - rows[:, 1])
    assert found.lines[0].values == pytest.approx(-rows.mean(axis=1))
    _, _, table = made.table_of_par()
    assert [int(seed) for seed, _ in table] == seeds
    assert [float(margin) for _, margin in table] == par.tolist()
    assert "no true optimum" in found.notes[0]


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("chess", {}, "no task 'chess'; there are belief, ad-hoc"),
        ("par", {"colour": 1}, "task 'par': .*colour"),
        ("par", {"game": "whist"}, "task 'par' is of xabitha, xeri, not whist"),
        ("par", {"deals": 1}, "at least 2 deals"),
        ("par", {"seeds": "many"}, "seeds 'many'"),
        ("belief", {"worlds": 0}, "worlds must be at least 1"),
        ("belief", {"near": 1, "game": "xeri"}, "near is 0, or 1 in Xabitha"),
    ],
)
def test_a_bad_task_is_refused(name: str, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        task(name, **options)


def test_bad_players_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'greedy'"):
        small("blind", "xeri").run("gredy")
    with pytest.raises(ValueError, match="is a team: name single players"):
        small("par", "xeri").run("greedy+random")
    with pytest.raises(ValueError, match="needs at least one team to play against"):
        small("blind", "xeri", panel=()).run("greedy")
    with pytest.raises(PlayerError, match="answered with"):
        small("other-play", "xeri").run(lambda observation, mask: -1)


def test_a_figure_is_found_by_its_name() -> None:
    found = small("credit", "xeri").run("random")
    assert found.line("gain of both") is found.lines[0]
    with pytest.raises(ValueError, match="credit has no figure 'x'; there are gain of both"):
        found.line("x")
