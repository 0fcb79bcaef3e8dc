"""Mirrored deals: the same cards twice, and what is read from finished matches."""

from __future__ import annotations

import numpy as np
import pytest

from tests.evaluation.helpers import XABITHA, XERI, Onlooker, team
from xabitha_env.evaluation.comparison import compare, summarise
from xabitha_env.evaluation.outcomes import outcome_type
from xabitha_env.evaluation.play import Setup, one_round, play_deals
from xabitha_env.games import make_rules
from xabitha_env.record import record_matches

SEEDS = range(5, 17)
MATCHES = {
    "xabitha": Setup("xabitha", make_rules("xabitha", {"num_rounds": 3})),
    "xeri": Setup("xeri", make_rules("xeri", {"num_rounds": 2})),
    "xeri to 60": Setup("xeri", make_rules("xeri", {"target_score": 60})),
}


@pytest.mark.parametrize("fixed", [False, True])
def test_both_sides_of_a_deal_have_the_same_cards_and_starter(fixed):
    player = Onlooker()
    setup = Setup("xabitha", XABITHA.rules, fixed)
    rows = play_deals(setup, (player, player), team("greedy"), SEEDS)
    first, second = player.deals
    assert first == second
    assert len({str(deal) for deal in first}) == len(SEEDS)
    assert player.seats == [{0, 2}, {1, 3}]
    assert rows["seed"].tolist() == [[seed, seed] for seed in SEEDS]
    assert rows["side"].tolist() == [[0, 1]] * len(SEEDS)


def test_all_rounds_of_a_match_have_the_same_cards_for_both_sides():
    class Noting(Onlooker):
        def act(self, view):
            for game in view.game.tolist():
                key = int(self.engine.games["rounds"][game]), game
                if self.engine.games["turn"][game] == 0:  # nobody has played yet
                    self.decks.setdefault(key, set()).add(self.engine.games["deck"][game].tobytes())
            return super().act(view)

        def reset(self, engine, seed):
            super().reset(engine, seed)
            self.engine, self.decks = engine, {}
            self.all = [*getattr(self, "all", []), self.decks]

    player = Noting()
    play_deals(MATCHES["xabitha"], (player, player), team("greedy"), SEEDS)
    one, other = player.all
    assert len(one) == 3 * len(SEEDS) and one == other


def test_each_player_sits_in_its_seat_of_the_team():
    low, high, other = Onlooker(), Onlooker(), Onlooker()
    play_deals(XABITHA, (low, high), (other, other), SEEDS)
    assert (low.seats, high.seats) == ([{0}, {1}], [{2}, {3}])
    assert other.seats == [{1, 3}, {0, 2}]


@pytest.mark.parametrize("setup", [XABITHA, XERI], ids=["xabitha", "xeri"])
@pytest.mark.parametrize("name", ["greedy", "random"])
def test_a_team_against_itself_is_level(setup, name):
    one = team(name, setup.game)
    rows = play_deals(setup, one, one, SEEDS)
    assert np.array_equal(rows["margin"][:, 0], -rows["margin"][:, 1])
    assert rows["margin"].any()
    found = summarise(setup.game, rows)
    assert (found.margin, found.low, found.high, found.won) == (0, 0, 0, 0.5)


@pytest.mark.parametrize("match", MATCHES)
def test_rows_say_what_the_records_of_the_same_matches_say(match):
    setup = MATCHES[match]
    a, b = "greedy", "random"
    rows = play_deals(setup, team(a, setup.game), team(b, setup.game), SEEDS)
    for side, players in enumerate(([a, b], [b, a])):
        records = record_matches(players, SEEDS, game=setup.game, rules=setup.rules)
        for row, record in zip(rows[:, side], records, strict=True):
            check_row(row, record, side)


def check_row(row, record, side):
    rounds, result = record["rounds"], record["result"]
    mine, theirs = result["totals"][side], result["totals"][1 - side]
    ahead = mine - theirs if record["game"] == "xeri" else theirs - mine
    assert row["rounds"] == len(rounds)
    assert row["margin"] == pytest.approx(ahead / len(rounds))
    assert row["won"] == (side in result["winners"]) / len(result["winners"])
    seats = [event["seat"] for played in rounds for event in played["events"]]
    assert row["decisions_a"] == sum(seat % 2 == side for seat in seats)
    assert row["decisions_b"] == sum(seat % 2 != side for seat in seats)
    if record["game"] == "xeri":
        wins = [played["result"]["winner"] for played in rounds]
        assert row["rounds_won_a"] == pytest.approx(wins.count(side) / len(rounds))
        assert row["rounds_won_b"] == pytest.approx(wins.count(1 - side) / len(rounds))
    else:
        check_shares(row, rounds, side)


def check_shares(row, rounds, side):
    events = [
        [(event["seat"], event["move"], "undo" in event) for event in played["events"]]
        for played in rounds
    ]
    for end, lowest in (("_a", side), ("_b", 1 - side)):
        seats = {lowest, lowest + 2}
        opened = sum(
            len({seat for seat, move, _ in one if move in ("open", "formation")} & seats)
            for one in events
        )
        declared = sum(
            move == "declare:yes" and seat in seats for one in events for seat, move, _ in one
        )
        results = [played["result"] for played in rounds]
        formed = sum(one["reason"] == "xabitha" and one["winner"] in seats for one in results)
        assert row["opened" + end] == pytest.approx(opened / (2 * len(rounds)))
        assert row["declared" + end] == pytest.approx(declared / (2 * len(rounds)))
        assert row["formation" + end] == pytest.approx(formed / len(rounds))
    cancelled = [played["result"]["reason"] for played in rounds].count("cancelled")
    assert row["cancelled"] == pytest.approx(cancelled / len(rounds))
    turns = sum(move.startswith("discard") and not undo for one in events for _, move, undo in one)
    assert row["turns"] == pytest.approx(turns / len(rounds))


def test_exchanging_the_teams_exchanges_the_signs():
    greedy, random = team("greedy"), team("random")
    ahead = compare(greedy, random, SEEDS, XABITHA)
    behind = compare(random, greedy, SEEDS, XABITHA)
    assert ahead.margin == -behind.margin > 100
    assert ahead.won + behind.won == pytest.approx(1)
    assert ahead.means["declared_a"] == behind.means["declared_b"] == 0 < ahead.means["declared_b"]


def test_nothing_depends_on_the_batch():
    greedy, random = team("greedy"), team("random")
    whole = compare(greedy, random, SEEDS, XABITHA)
    assert whole == compare(greedy, random, SEEDS, XABITHA, batch=5)


def test_one_deal_has_no_interval():
    with pytest.raises(ValueError, match="at least 2 deals, not 1"):
        compare(team("greedy"), team("random"), [1], XABITHA)


def test_fixed_draws_are_for_games_that_have_them():
    with pytest.raises(ValueError, match="xeri has no fixed draws: leave them out"):
        Setup("xeri", XERI.rules, fixed_draws=True)


def test_columns_that_do_not_apply_are_left_out():
    assert "cancelled" in (outcome_type("xabitha").names or ())
    assert not {"cancelled", "turns", "opened_a"} & set(outcome_type("xeri").names or ())


def test_a_round_is_the_usual_match():
    assert one_round("xeri").rules.num_rounds == 1
