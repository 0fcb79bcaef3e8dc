"""`xabitha tournament` and `xabitha crossplay`: what they write, and how they answer wrong use."""

from __future__ import annotations

import csv
import io
import json
import os
import sys

import pytest

from tests.evaluation.helpers import DRAWING
from xabitha_env.cli.main import run
from xabitha_env.games import make_engine

QUICK = ["--deals", "12", "--chunk", "5"]
TEAMS = ["greedy", "random", f"greedy+{DRAWING}"]


@pytest.fixture(autouse=True, scope="module")
def compiled():
    """The engines, compiled: the first use on a machine announces that on standard error."""
    make_engine("xabitha", 1), make_engine("xeri", 1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(*arguments, name="r"):
    """Run a command; returns its JSON without the timing, the timing, and the lines of its CSV."""
    files = ["--json", f"{name}.json", "--csv", f"{name}.csv"]
    assert run([*arguments, *QUICK, *files]) == 0
    with open(f"{name}.json", encoding="utf-8") as file:
        found = json.load(file)
    with open(f"{name}.csv", encoding="utf-8", newline="") as file:
        return found, found.pop("timing"), list(csv.DictReader(file))


def test_a_tournament_tells_of_every_pair(capsys):
    found, timing, deals = results("tournament", *TEAMS, "--seeds", "test")
    out, err = capsys.readouterr()
    assert err == ""
    assert found["teams"] == TEAMS
    assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == [
        (TEAMS[0], TEAMS[1]), (TEAMS[0], TEAMS[2]), (TEAMS[1], TEAMS[2])
    ]  # fmt: skip
    first = found["pairs"][0]
    assert first["low"] < first["margin"] < first["high"]
    assert found["payoff"][0] == [None, first["margin"], found["pairs"][1]["margin"]]
    assert found["payoff"][1][0] == -first["margin"]
    assert sum(one["rating"] for one in found["ratings"]) == pytest.approx(0, abs=1e-4)
    assert found["settings"]["deals"] == 12 and found["settings"]["first_seed"] == 2_000_000_000
    assert set(timing) == {"greedy", "random", DRAWING}
    assert all(one["milliseconds"] > 0 for one in timing.values())
    assert len(deals) == 3 * 12 * 2
    margins = [float(row["margin"]) for row in deals if (row["a"], row["b"]) == tuple(TEAMS[:2])]
    assert sum(margins) / 24 == pytest.approx(first["margin"])
    for text in (
        "points a round",
        "cancelled",
        "ratings",
        "ms a decision",
        f"{first['margin']:+.2f}",
    ):
        assert text in out


def test_any_number_of_processes_gives_the_same_files():
    one, _, _ = results("tournament", *TEAMS, "-q")
    other, _, _ = results("tournament", *TEAMS, "-q", "--workers", "2", name="s")
    assert one == other
    with open("r.csv", "rb") as first, open("s.csv", "rb") as second:
        assert first.read() == second.read()


def test_a_tournament_of_xeri_matches(capsys):
    found, _, deals = results("tournament", "counting", "random", "--game", "xeri", "--rounds", "2")
    assert {row["rounds"] for row in deals} == {"2"}
    assert list(found["pairs"][0]["means"]) == ["rounds_won_a", "rounds_won_b"]
    assert "cancelled" not in capsys.readouterr().out


def test_rounds_are_one_unless_told_otherwise():
    for arguments, rounds in ((["--rule", "num_rounds=2"], 2), (["--rounds", "3"], 3), ([], 1)):
        _, _, deals = results("tournament", "greedy", "random", "-q", *arguments)
        assert {row["rounds"] for row in deals} == {str(rounds)}


def test_fixed_draws_are_asked_for_by_an_option():
    plain, _, _ = results("tournament", "greedy", "random", "-q")
    fixed, _, _ = results("tournament", "greedy", "random", "-q", "--fixed-draws")
    assert (plain["settings"]["fixed_draws"], fixed["settings"]["fixed_draws"]) == (False, True)
    assert plain["pairs"] != fixed["pairs"]


def test_the_guard_says_how_many_deals_are_needed(capsys):
    found, _, _ = results("tournament", "greedy", "random", "--want", "2")
    (need,) = found["needs"]["pairs"]
    deviation = found["pairs"][0]["deviation"]
    assert need["needed"] == pytest.approx((1.96 * deviation / 2) ** 2, abs=1)
    assert need["deals"] == 12 and need["to_tell"] >= 2
    out = capsys.readouterr().out
    assert "deals for ±2 points" in out and f"{need['needed']:,}" in out and " no " in out
    results("tournament", "greedy", "random", "--want", "200")
    assert " yes " in capsys.readouterr().out


def test_cross_play_tells_of_every_ordered_pair(capsys):
    found, timing, deals = results("crossplay", "greedy", "random", "--panel", "greedy+random")
    out = capsys.readouterr().out
    assert (found["players"], found["panel"]) == (["greedy", "random"], ["greedy+random"])
    assert {row["a"] for row in deals} == {"greedy", "random", "greedy+random", "random+greedy"}
    margins, synergy = found["margins"]["mean"], found["synergy"]["mean"]
    mixed = [float(row["margin"]) for row in deals if row["a"] == "random+greedy"]
    assert margins[1][0] == pytest.approx(sum(mixed) / len(mixed), abs=1e-5)
    assert sum(synergy[0]) == pytest.approx(0, abs=1e-5)
    gap = (margins[0][0] + margins[1][1] - margins[0][1] - margins[1][0]) / 2
    assert found["gap"]["mean"] == pytest.approx(gap, abs=1e-5)
    assert set(timing) == {"greedy", "random"}
    for text in ("synergy", "self-play minus cross-play", "p = "):
        assert text in out


@pytest.mark.parametrize(
    "arguments",
    [["tournament", "greedy", "random"], ["crossplay", "greedy", "random", "--panel", "greedy"]],
)
def test_pictures_are_whole_and_repeat(arguments):
    for name in ("one.png", "two.png"):
        assert run([*arguments, *QUICK, "-q", "--plot", name]) == 0
    with open("one.png", "rb") as one, open("two.png", "rb") as two:
        content = one.read()
        assert content.startswith(b"\x89PNG") and content == two.read()


def test_quiet_prints_nothing(capsys):
    assert run(["tournament", "greedy", "random", *QUICK, "-q"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "Missing argument 'TEAM'"),
    (["greedy"], "a tournament needs at least 2 teams, not 1"),
    (["greedy", "greedy"], "team 'greedy' is named twice"),
    (["greedy", "greddy"], "no player 'greddy'; did you mean 'greedy'?"),
    (["greedy", "greedy+greddy"], "team 'greedy+greddy': no player 'greddy'"),
    (["greedy", "a+b+c"], "team 'a+b+c': write PLAYER or PLAYER+PLAYER"),
    (["greedy", "random", "--deals", "1"], "'--deals'"),
    (["greedy", "random", "--seeds", "dev"], "seeds 'dev': development, test, or a first seed"),
    (["greedy", "random", "--chunk", "0"], "'--chunk'"),
    (["greedy", "random", "--workers", "0"], "'--workers'"),
    (["greedy", "random", "--want", "0"], "--want must be above 0, not 0"),
    (["greedy", "random", "--want", "nan"], "--want must be above 0, not nan"),
    (["greedy", "random", "--game", "chess"], "no game 'chess'"),
    (["greedy", "random", "--game", "xeri", "--fixed-draws"], "xeri has no fixed draws"),
    (["greedy", "random", "--rounds", "2", "--rule", "num_rounds=3"], "num_rounds is set twice"),
    (["greedy", "random", "--json", "nowhere/r.json"], "cannot write nowhere/r.json: No such file"),
    (["greedy", "random", "--plot", "folder"], "cannot write folder: it is a folder"),
    (["greedy", "random", "--state", "folder"], "cannot keep a run in folder: Is a directory"),
    (["greedy", "random", "--state", "notes.txt"], "notes.txt keeps no run: name another file"),
    (["greedy", "tests.evaluation.test_commands:tired"], "failed: ZeroDivisionError"),
])  # fmt: skip
def test_wrong_use_of_a_tournament_is_one_line(folder, capsys, arguments, message):
    (folder / "folder").mkdir()
    (folder / "notes.txt").write_text("notes\n")
    assert message in one_error(capsys, "tournament", *arguments)
    assert sorted(os.listdir(folder)) == ["folder", "notes.txt"]


def tired(observation, mask):
    return 1 // 0


@pytest.mark.parametrize(("arguments", "message"), [
    (["greedy", "random"], "Missing option '--panel'"),
    (["greedy", "--panel", "greedy"], "at least 2 players, not 1"),
    (["greedy", "greedy", "--panel", "greedy"], "a player is named twice"),
    (["greedy", "greedy+random", "--panel", "greedy"], "'greedy+random' is a team"),
    (["greedy", "random", "--panel", "nobody"], "no player 'nobody'"),
])  # fmt: skip
def test_wrong_use_of_cross_play_is_one_line(folder, capsys, arguments, message):
    assert message in one_error(capsys, "crossplay", *arguments)
    assert os.listdir(folder) == []


def one_error(capsys, *arguments):
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1, err
    return err


def test_a_failure_in_a_process_is_one_line(folder, capfd):
    arguments = ["greedy", "tests.evaluation.test_commands:tired", *QUICK, "--workers", "2"]
    assert run(["tournament", *arguments, "--state", "run.jsonl"]) == 2
    err = capfd.readouterr().err
    assert "player 'tired' (seats" in err and err.count("\n") == 1


def test_other_settings_are_refused_and_named(capsys):
    state = ["--state", "run.jsonl"]
    assert run(["tournament", "greedy", "random", *QUICK, *state, "-q"]) == 0
    err = one_error(capsys, "tournament", "greedy", "random", *QUICK, *state, "--fixed-draws")
    assert "run.jsonl keeps a run of other settings: fixed_draws False, not True" in err


def test_without_matplotlib_a_picture_is_refused_before_anything_is_played(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ["greedy", "random", "--plot", "r.png", "--state", "run.jsonl"]
    err = one_error(capsys, "tournament", *arguments)
    assert "pictures need matplotlib: install xabitha-env[plot]" in err
    assert os.listdir() == []


def test_csv_is_that_of_a_reader():
    results("tournament", "greedy", "random", "-q")
    with open("r.csv", "rb") as file:
        text = file.read().decode()
    assert "\r" not in text
    head = next(csv.reader(io.StringIO(text)))
    assert head[:7] == ["a", "b", "seed", "side", "rounds", "margin", "won"]
