"""The scripts that compare runs, in their smallest form, and what command lines have in common."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
pytest.importorskip("matplotlib")

from train import ablations, learn_check, options, speed
from train.options import option


def test_ablations_leave_out_one_choice_at_a_time(tmp_path, capsys):
    assert ablations.run(["--smoke", "--out", str(tmp_path)]) == 0
    with (tmp_path / "xabitha" / "ablations.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["variant"] for row in rows] == list(ablations.VARIANTS)
    assert all(float(row["low"]) <= float(row["margin"]) <= float(row["high"]) for row in rows)
    assert (tmp_path / "xabitha" / "ablations.png").read_bytes().startswith(b"\x89PNG")
    assert "without the pool" in capsys.readouterr().out


def test_speeds_are_compared_in_turns(capsys):
    assert speed.run(["--smoke"]) == 0
    printed = capsys.readouterr().out
    assert "MaskablePPO" in printed and "train.ppo" in printed and "ratio:" in printed


def test_the_check_of_learners_tells_who_learns(monkeypatch, capsys):
    figures = iter([(-50.0, -40.0, -10.0, -20.0), (-9.0, -8.0, -5.0, -6.0), (-1.0, 0.0, 0.5, -0.5)])
    monkeypatch.setattr(learn_check, "check_ppo", lambda *given: next(figures))
    monkeypatch.setattr(learn_check, "check_sb3", lambda *given: next(figures))
    assert learn_check.run([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert ["DOES NOT" in line for line in lines] == [False, False, True]


@pytest.mark.parametrize("game", ["xabitha", "xeri"])
def test_the_check_runs_the_learner(game, tmp_path, monkeypatch):
    monkeypatch.setattr(learn_check, "RIVAL", "random")
    small = {"tables": 8, "sweeps": 4, "batch": 64, "width": 8, "depth": 4, "dev_deals": 4}
    monkeypatch.setitem(learn_check.ppo.BY_GAME, game, small)
    args = learn_check.Args(minutes=1e-9, workers=0)
    before, high, after, low = learn_check.check_ppo(game, args, tmp_path / "run")
    assert before <= high and low <= after


@dataclass
class Some:
    game: str = option("xabitha", "which game")
    count: int = option(3, "how many", 1)
    share: float = option(0.5, "which part", 0)
    fast: bool = option(False, "quickly")
    whole: bool = option(True, "all of it")


def parsed(*arguments):
    return options.parse(
        Some, "some", "what", list(arguments), {"count": 1, "share": 0.1}, {"xeri": {"count": 9}}
    )


def test_command_lines_follow_the_dataclass():
    assert parsed() == Some()
    assert parsed("--count", "4", "--fast", "--no-whole") == Some(count=4, fast=True, whole=False)
    assert parsed("--game", "xeri") == Some("xeri", 9)
    assert parsed("--game", "xeri", "--smoke") == Some("xeri", 1, 0.1)
    assert parsed("--smoke", "--share", "0.7") == Some(count=1, share=0.7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--count", "x"], "invalid int value: 'x' \\(see --help\\)"),
        (["--whole"], "unrecognized arguments: --whole"),
        (["--coun", "3"], "unrecognized arguments"),
    ],
)
def test_wrong_use_is_told(arguments, message):
    with pytest.raises(ValueError, match=message):
        parsed(*arguments)


def test_numbers_have_a_smallest_value():
    options.check_numbers(Some(count=1, share=0.0))
    for wrong in (
        Some(count=0),
        Some(share=-0.1),
        Some(share=float("inf")),
        Some(share=float("nan")),
    ):
        with pytest.raises(ValueError, match="must be at least"):
            options.check_numbers(wrong)


def test_a_command_line_can_be_written_again():
    args = Some("xeri", fast=True, whole=False)
    line = options.command("some", args)
    assert line == "python -m some --game xeri --fast --no-whole"
    assert options.parse(Some, "some", "what", line.split()[3:]) == args
    by_game = {"xeri": {"count": 9, "fast": True}}
    line = options.command("some", args, by_game)
    assert line == "python -m some --game xeri --count 3 --no-whole"
    assert options.parse(Some, "some", "what", line.split()[3:], by_game=by_game) == args


def test_the_exit_status_tells_how_it_went(capfd):
    def fail(error):
        raise error

    assert options.guarded(lambda: None) == 0
    assert options.guarded(lambda: fail(ValueError("two\nlines"))) == 2
    assert options.guarded(lambda: fail(KeyboardInterrupt())) == 130
    assert capfd.readouterr().err == "error: two lines\ninterrupted\n"
