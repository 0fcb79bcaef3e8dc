"""When seats open: what is seen in play, the curves of it, and `xabitha survival`."""

from __future__ import annotations

import csv
import json
import os
import sys

import numpy as np
import pytest

from tests.evaluation.helpers import XERI, pairing, team
from xabitha_env.cli.main import run
from xabitha_env.evaluation.intervals import intervals
from xabitha_env.evaluation.openings import SEAT, play_seats, play_side
from xabitha_env.evaluation.play import Setup
from xabitha_env.evaluation.survival import (
    kaplan_meier,
    summarise_survival,
    survival_dict,
    turn_marks,
)
from xabitha_env.games import make_engine, make_rules
from xabitha_env.record import record_matches

FIRST = f"{__name__}:first"
TIRED = f"{__name__}:tired"


def first(observation, mask):
    """A player that is not compiled: the first legal action."""
    return int(np.flatnonzero(mask)[0])


def tired(observation, mask):
    return 1 // 0


def setup(**rules):
    return Setup("xabitha", make_rules("xabitha", {"num_rounds": 1, **rules}))


# What is seen in play.


def told(record):
    """Return (turn, own, opened, declared) of each round and seat, from a record's events."""
    return [seats_of_round(one["starter"], one["events"]) for one in record["rounds"]]


def seats_of_round(starter, events):
    turn, opened, declared = 1, {}, set()
    owns = {seat: [] for seat in range(4)}  # the turns of each seat
    for event in events:
        seat, move = event["seat"], event["move"]
        if move.startswith("declare"):
            declared |= {seat} if move == "declare:yes" else set()
            continue
        if turn not in owns[seat]:
            owns[seat].append(turn)
        if move == "open":
            opened[seat] = turn
        last, ends = turn, move.startswith("discard") and not event.get("undo")
        turn += ends
    found = []
    for seat in range(4):
        until = opened.get(seat, 0 if seat in declared else last)
        own = sum(one <= until for one in owns[seat])
        found.append((until, own, seat in opened, seat in declared))
    return found


@pytest.mark.parametrize(("a", "b", "rules"), [
    ("greedy", "random", {}),
    ("expert", "greedy", {"num_rounds": 3}),
    ("random", "random", {"max_turns": 7, "num_rounds": 2}),  # cancelled rounds
    ("random", "random", {"max_reshuffles": 0}),  # cancelled in a draw
    ("greedy", FIRST, {"num_rounds": 2}),
])  # fmt: skip
def test_openings_are_those_of_the_records(a, b, rules):
    game, seeds = setup(**rules), range(70, 82)
    for side, players in enumerate([(a, b), (b, a)]):
        seen = play_side(game, team(a), team(b), seeds, side)
        records = record_matches(players, seeds, rules=game.rules)
        assert seen.tolist() == [told(record) for record in records]


def test_the_records_of_that_test_hold_all_that_can_happen():
    found = [
        seat
        for record in record_matches(["greedy", "random"], range(70, 82), rules={"num_rounds": 1})
        for seat in told(record)[0]
    ]
    kinds = {(opened, declared) for _, _, opened, declared in found}
    assert kinds == {(True, False), (False, False), (False, True)}
    events = [
        event
        for record in record_matches(["random"], range(70, 82), rules={"num_rounds": 1})
        for event in record["rounds"][0]["events"]
    ]
    assert any("undo" in event for event in events)


def test_a_team_has_its_seats_on_both_sides():
    game, seeds = setup(num_rounds=2), range(5)
    (seats,) = play_seats(game, [pairing("greedy", "random")], seeds)
    sides = [play_side(game, team("greedy"), team("random"), seeds, side) for side in (0, 1)]
    both = np.concatenate([sides[0][:, :, 0::2], sides[1][:, :, 1::2]], axis=1)
    assert np.array_equal(seats, both.reshape(5, -1))


def test_a_player_that_meets_itself_has_all_four_seats():
    (seats,) = play_seats(setup(), [pairing("greedy", "greedy")], range(5))
    side = play_side(setup(), team("greedy"), team("greedy"), range(5))
    assert np.array_equal(seats, side[:, 0])


def test_chunks_and_processes_make_no_difference():
    pairs = [pairing("greedy", "greedy"), pairing("random", "expert"), pairing(FIRST, "greedy")]
    moved = []
    one = play_seats(setup(), pairs, range(9), move=moved.append)
    assert moved[-1] == 27 and moved == sorted(moved)
    assert np.array_equal(one, play_seats(setup(), pairs, range(9), chunk=2))
    assert np.array_equal(one, play_seats(setup(), pairs, range(9), chunk=4, workers=2))


def test_xeri_has_no_openings():
    with pytest.raises(ValueError, match="xeri has no openings"):
        play_seats(XERI, [pairing("greedy", "greedy")], range(2))


# Curves.


def by_hand(seats):
    """Kaplan and Meier's estimate of (time, opened), as it is in the books."""
    share, curve = 1.0, []
    for turn in range(1, max(time for time, _ in seats) + 1):
        at_risk = sum(time >= turn for time, _ in seats)
        opened = sum(time == turn and event for time, event in seats)
        share *= 1 - opened / at_risk
        curve.append((at_risk, opened, share))
    return curve


def test_a_curve_is_that_of_the_records_by_hand():
    game, seeds = setup(), range(300, 340)
    (seats,) = play_seats(game, [pairing("random", "random")], seeds)
    found = summarise_survival(pairing("random", "random"), seats)
    every = [
        seat
        for record in record_matches(["random"], seeds, rules=game.rules)
        for seat in told(record)[0]
    ]
    for curve, place in ((found.turns, 0), (found.own, 1)):
        wanted = by_hand([(seat[place], seat[2]) for seat in every])
        assert np.array_equal(curve.at_risk, [one[0] for one in wanted])
        assert np.array_equal(curve.opened, [one[1] for one in wanted])
        assert curve.share == pytest.approx([one[2] for one in wanted])
        assert (curve.low <= curve.share + 1e-9).all()
        assert (curve.share <= curve.high + 1e-9).all()
    normal = [seat for seat in every if not seat[3]]
    assert found.seats == 160 and found.declared.mean == 1 - len(normal) / 160
    never = sum(not seat[2] for seat in normal) / len(normal)
    assert found.never.mean == pytest.approx(never)
    assert found.never.low < never < found.never.high


def test_a_censored_seat_counts_up_to_its_turn():
    times = np.array([[1, 2], [2, 3]])  # of 4 seats one opens in turn 1, one is censored in 2
    curve = kaplan_meier(times, np.array([[True, False], [True, True]]))
    assert curve.at_risk.tolist() == [4, 3, 1] and curve.opened.tolist() == [1, 1, 1]
    assert curve.share == pytest.approx([3 / 4, 3 / 4 * 2 / 3, 0])
    assert (curve.median.turn, curve.after(9).mean) == (2, 0)  # all have opened by then


def test_without_censoring_a_curve_is_a_mean_over_deals_and_its_interval_too():
    times = np.random.default_rng(4).integers(1, 9, (50, 4))
    curve = kaplan_meier(times, np.ones((50, 4), bool))
    for turn in range(1, 8):
        (wanted,) = intervals((times > turn).mean(axis=1)[:, None])
        assert curve.after(turn) == pytest.approx(wanted)


def test_intervals_take_deals_as_they_are():
    """Seats of a deal that open together tell less than seats that do not."""
    alone = np.random.default_rng(5).integers(1, 20, (200, 4))
    together = np.repeat(alone[:, :1], 4, axis=1)
    widths = [
        float((curve.high - curve.low).mean())
        for curve in (kaplan_meier(times, times > 3) for times in (alone, together))
    ]
    assert 1.5 < widths[1] / widths[0] < 2.5


def test_nothing_is_said_of_turns_that_nobody_saw():
    curve = kaplan_meier(np.array([[3, 5], [4, 2]]), np.array([[False, False], [False, True]]))
    assert curve.after(5) is not None and curve.after(6) is None
    assert curve.median.turn is None and curve.median.high is None
    nobody = np.zeros((3, 4), SEAT)
    nobody["declared"] = True
    found = survival_dict(summarise_survival(pairing("chase", "chase"), nobody))
    assert found["declared"]["mean"] == 1 and np.isnan(found["never_opened"]["mean"])
    assert len(found["by_turn"]["share"]) == 0 and found["median_turn"]["turn"] is None


@pytest.mark.parametrize(("last", "marks"), [
    (0, [4]), (4, [4]), (7, [4]), (8, [4, 8]), (12, [4, 8, 12]), (31, [4, 8, 12, 16, 24]),
    (64, [4, 8, 12, 16, 24, 32, 48, 64]), (100, [4, 8, 12, 16, 24, 32, 48, 64, 96]),
])  # fmt: skip
def test_turns_to_tell_of_lie_ever_further_apart(last, marks):
    assert turn_marks(last) == marks


# The command.

QUICK = ["--deals", "12", "--chunk", "5"]


@pytest.fixture(scope="module")
def compiled():
    """The engines, compiled: the first use on a machine announces that on standard error."""
    make_engine("xabitha", 1), make_engine("xeri", 1)


@pytest.fixture
def folder(tmp_path, monkeypatch, compiled):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(*arguments, name="r"):
    files = ["--json", f"{name}.json", "--csv", f"{name}.csv"]
    assert run(["survival", *arguments, *QUICK, *files]) == 0
    with open(f"{name}.json", encoding="utf-8") as file:
        found = json.load(file)
    with open(f"{name}.csv", encoding="utf-8", newline="") as file:
        return found, list(csv.DictReader(file))


def test_the_command_tells_of_each_player(folder, capsys):
    found, lines = results("greedy", "chase", "--seeds", "test")
    out, err = capsys.readouterr()
    assert err == ""
    greedy, chase = found["players"]
    assert (greedy["player"], greedy["against"], greedy["seats"]) == ("greedy", "greedy", 48)
    assert found["settings"]["first_seed"] == 2_000_000_000 and found["settings"]["deals"] == 12
    assert chase["declared"]["mean"] == 1 and chase["never_opened"]["mean"] is None
    assert {line["player"] for line in lines} == {"greedy"}  # the other has no curve
    assert [float(line["share"]) for line in lines] == greedy["by_turn"]["share"]
    assert [int(line["turn"]) for line in lines] == list(range(1, len(lines) + 1))
    share, low, high = (100 * greedy["by_turn"][name][7] for name in ("share", "low", "high"))
    assert f"{share:.1f} ({low:.1f}-{high:.1f})" in out
    for text in ("after turn", "each with itself", "never opened, %", "median turn", "100.0%"):
        assert text in out


def test_the_others_may_be_somebody_else(folder, capsys):
    found, _ = results("greedy", "random", "--against", "expert", "--rounds", "2")
    assert [(one["player"], one["against"], one["seats"]) for one in found["players"]] == [
        ("greedy", "expert", 96), ("random", "expert", 96)
    ]  # fmt: skip
    assert "against expert" in capsys.readouterr().out


def test_any_number_of_processes_writes_the_same_files(folder):
    for name, workers in (("one", "1"), ("two", "2")):
        results("greedy", FIRST, "-q", "--workers", workers, name=name)
    for end in (".json", ".csv"):
        assert (folder / f"one{end}").read_bytes() == (folder / f"two{end}").read_bytes()


def test_a_picture_is_whole_and_repeats(folder):
    for name in ("one.png", "two.png"):
        arguments = ["greedy", "random", "chase", *QUICK, "-q", "--plot", name]
        assert run(["survival", *arguments]) == 0
    content = (folder / "one.png").read_bytes()
    assert content.startswith(b"\x89PNG") and content == (folder / "two.png").read_bytes()


def test_a_player_without_a_curve_has_a_picture_nonetheless(folder, capsys):
    assert run(["survival", "chase", *QUICK, "--plot", "one.png"]) == 0
    assert "100.0%" in capsys.readouterr().out


def test_quiet_prints_nothing(folder, capsys):
    assert run(["survival", "greedy", *QUICK, "-q"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "Missing argument 'PLAYER'"),
    (["greedy", "greedy"], "player 'greedy' is named twice"),
    (["greedy", "greddy"], "no player 'greddy'; did you mean 'greedy'?"),
    (["greedy", "--against", "greddy"], "no player 'greddy'; did you mean 'greedy'?"),
    (["greedy+random"], "'greedy+random' is a team: name single players"),
    (["greedy", "--deals", "1"], "'--deals'"),
    (["greedy", "--seeds", "dev"], "seeds 'dev': development, test, or a first seed"),
    (["greedy", "--workers", "0"], "'--workers'"),
    (["greedy", "--game", "xeri"], "xeri has no openings"),
    (["greedy", "--game", "chess"], "no game 'chess'"),
    (["greedy", "--rule", "opening_points=-1"], "--rule opening_points=-1"),
    (["greedy", "--csv", "nowhere/r.csv"], "cannot write nowhere/r.csv: No such file"),
    (["greedy", "--plot", "folder"], "cannot write folder: it is a folder"),
    (["greedy", TIRED], "player 'tired' (seats"),
])  # fmt: skip
def test_wrong_use_is_one_line(folder, capsys, arguments, message):
    (folder / "folder").mkdir()
    assert run(["survival", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1, err
    assert message in err
    assert os.listdir(folder) == ["folder"]


def test_a_failure_in_a_process_is_one_line(folder, capfd):
    assert run(["survival", "greedy", TIRED, *QUICK, "--workers", "2"]) == 2
    err = capfd.readouterr().err
    assert "player 'tired' (seats" in err and err.count("\n") == 1


def test_without_matplotlib_a_picture_is_refused_before_anything_is_played(
    folder, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(["survival", TIRED, "--plot", "r.png"]) == 2
    assert "pictures need matplotlib: install xabitha-env[plot]" in capsys.readouterr().err
    assert os.listdir(folder) == []
