"""`xabitha curves`: what it reads, how it names runs, and how it answers wrong use."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from train.curves import Curve
from xabitha_env.cli.curves import interval_columns, read_run, run_names
from xabitha_env.cli.main import run
from xabitha_env.evaluation.plots import LINE_COLOURS, LINE_STYLES, Learning, draw_learning

PPO = """stage,step,decisions,seconds,entropy,high,low,margin
critic,1,0,2.0,,,,
ppo,2,2000,120.0,0.5,,,
ppo,3,3000,180.0,0.4,6,2,4.5
ppo,1,1000,60.0,0.6,-4,-8,-6
"""
DEMO = """stage,decisions,seconds,agreement,greedy_margin,greedy_low,greedy_high
imitation,500,30,0.5,,,
ppo,0,60,,-9,-11,-7
ppo,800,90,,-3,-5,-1
test,800,99,,-4,-4.5,-3.5
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, text):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_run_has_the_rows_with_the_column_in_their_order():
    found = read_run(write("curve.csv", PPO), "a", "decisions", "margin")
    assert found.x.tolist() == [1000, 3000] and found.y.tolist() == [-6, 4.5]
    assert found.low.tolist() == [-8, 2] and found.high.tolist() == [-4, 6]
    assert found.tests.shape == (0, 4)


def test_minutes_are_sixty_seconds():
    assert read_run(write("curve.csv", PPO), "a", "minutes", "margin").x.tolist() == [1, 3]


def test_an_interval_is_drawn_with_its_own_column_only():
    found = read_run(write("curve.csv", PPO), "a", "decisions", "entropy")
    assert found.y.tolist() == [0.6, 0.5, 0.4] and np.isnan(found.low).all()
    assert interval_columns("margin") == ("low", "high")
    assert interval_columns("greedy_margin") == ("greedy_low", "greedy_high")
    assert interval_columns("agreement") == ("agreement_low", "agreement_high")


def test_a_measurement_of_the_kept_policy_is_no_part_of_the_curve():
    found = read_run(write("curve.csv", DEMO), "a", "decisions", "greedy_margin")
    assert found.x.tolist() == [0, 800] and found.tests.tolist() == [[800, -4, -4.5, -3.5]]


def test_the_table_of_a_training_program_is_read(tmp_path):
    curve = Curve(tmp_path)
    curve.note("critic", 1, 0, 3.0, {"explained": 0.5})
    for step, margin in ((2, -5.0), (4, 1.0)):
        figures = {"margin": margin, "low": margin - 1, "high": margin + 1}
        curve.note("ppo", step, 1000 * step, 60.0 * step, figures)
    curve.write()
    found = read_run(tmp_path / "curve.csv", "a", "minutes", "margin")
    assert found.x.tolist() == [2, 4] and found.high.tolist() == [-4, 2]


def test_runs_are_called_by_their_folders_or_files(folder):
    assert run_names([Path("a/curve.csv"), Path("b/curve.csv")]) == ["a", "b"]
    assert run_names([Path("curve.csv"), Path("b/other.csv")]) == [folder.name, "other"]
    assert run_names([Path("x/a/curve.csv"), Path("y/a/curve.csv")]) == [
        str(Path("x/a/curve.csv")), str(Path("y/a/curve.csv"))
    ]  # fmt: skip


def test_the_command_draws_and_tells_where_the_curves_end(folder, capsys):
    write("a/curve.csv", PPO), write("b/curve.csv", "\ufeff" + PPO.replace("4.5", "5.5"))  # a BOM
    for name in ("one.png", "two.png"):
        files = ["a/curve.csv", "b/curve.csv", "--out", name, "--title", "Two runs"]
        assert run(["curves", *files]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "5.5" in out and "3,000" in out and "2 to 6" in out
    content = (folder / "one.png").read_bytes()
    assert content.startswith(b"\x89PNG") and content == (folder / "two.png").read_bytes()


@pytest.mark.parametrize("extra", [["--y", "greedy_margin"], ["--y", "agreement", "--x=minutes"]])
def test_the_table_of_the_demo_is_drawn(folder, capsys, extra):
    write("curve.csv", DEMO)
    assert run(["curves", "curve.csv", "--out", "demo.png", "-q", *extra]) == 0
    assert capsys.readouterr() == ("", "")
    assert (folder / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_a_file_of_nothing_but_a_measurement_is_drawn(capsys):
    write("kept.csv", "stage,decisions,margin\ntest,2000,7\n")
    assert run(["curves", "kept.csv", "--out", "kept.png"]) == 0
    assert "2,000" in capsys.readouterr().out


def test_many_runs_have_a_style_each(folder):
    assert math.gcd(len(LINE_COLOURS), len(LINE_STYLES)) == 1
    points = np.arange(3.0)
    runs = [
        Learning(str(place), points, points + place, points, points + 2, np.empty((0, 4)))
        for place in range(len(LINE_COLOURS) + 2)
    ]
    draw_learning(folder / "many.png", runs, "decisions", "margin", "")
    assert (folder / "many.png").stat().st_size > 0


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "Missing argument 'FILE.csv'"),
    (["ppo.csv"], "Missing option '--out'"),
    (["nowhere.csv", "--out", "r.png"], "cannot read nowhere.csv: No such file"),
    (["folder", "--out", "r.png"], "cannot read folder: Is a directory"),
    (["ppo.csv", "ppo.csv", "--out", "r.png"], "ppo.csv is named twice"),
    (["ppo.csv", "--y", "points", "--out", "r.png"], "no column 'points'; it has decisions, entro"),
    (["ppo.csv", "--x", "hours", "--out", "r.png"], "--x 'hours': decisions or minutes"),
    (["short.csv", "--x", "minutes", "--out", "r.png"], "short.csv has no column 'seconds'"),
    (["ppo.csv", "demo.csv", "--out", "r.png"], "demo.csv has no column 'margin'; it has agreem"),
    (["bad.csv", "--out", "r.png"], "bad.csv, line 3: margin is 'lots', not a number"),
    (["huge.csv", "--out", "r.png"], "huge.csv, line 2: low is '-inf', not a number"),
    (["gap.csv", "--out", "r.png"], "gap.csv, line 2: margin without decisions"),
    (["none.csv", "--out", "r.png"], "none.csv has a column 'margin', but no value in it"),
    (["empty.csv", "--out", "r.png"], "empty.csv has no column 'decisions'; it is empty"),
    (["picture.csv", "--out", "r.png"], "picture.csv is no CSV file"),
    (["ppo.csv", "--out", "nowhere/r.png"], "cannot write nowhere/r.png: No such file"),
    (["ppo.csv", "--out", "folder"], "cannot write folder: it is a folder"),
])  # fmt: skip
def test_wrong_use_is_one_line(folder, capsys, arguments, message):
    (folder / "folder").mkdir()
    write("ppo.csv", PPO), write("demo.csv", DEMO), write("empty.csv", "")
    write("short.csv", "decisions,margin\n1,2\n")
    write("bad.csv", "decisions,margin\n1,2\n2,lots\n")
    write("huge.csv", "decisions,margin,low,high\n1,2,-inf,3\n")
    write("gap.csv", "decisions,margin\n,2\n")
    write("none.csv", "decisions,margin\n1,\n2\n")
    Path("picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n")
    before = sorted(os.listdir(folder))
    assert run(["curves", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1, err
    assert message in err
    assert sorted(os.listdir(folder)) == before


def test_without_matplotlib_nothing_is_drawn(folder, monkeypatch, capsys):
    write("curve.csv", PPO)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(["curves", "curve.csv", "--out", "r.png"]) == 2
    assert "pictures need matplotlib: install xabitha-env[plot]" in capsys.readouterr().err
    assert os.listdir(folder) == ["curve.csv"]
