"""``xabitha conformance``: reports, exit statuses, and wrong use."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conformance.test_engines import ENGINE, lines
from xabitha_env.cli.main import run
from xabitha_env.conformance import sample_records
from xabitha_env.games import make_engine
from xabitha_env.record import read_records, verify_file

BOTS = "tests.conformance.bots:"


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """The engines, compiled: the first use on a machine announces that on standard error."""
    make_engine("xabitha", 1)
    make_engine("xeri", 1)


def test_an_agent_of_both_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conformance", "--agent", "greedy", "--deals", "1"]) == 0
    out = capsys.readouterr().out
    assert out.count("pass") == 13 and "pass     xabitha legal moves: " in out
    assert "12 of 12 checks passed" in out


def test_a_fault_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["conformance", "--agent", BOTS + "Illegal", "--game", "xeri", "--deals", "1"]
    assert run([*arguments, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["kind"] == "agent" and report["failed"] == 1 and len(report["checks"]) == 6
    assert set(report["checks"][0]) == {"check", "result", "detail", "game"}


def test_quiet_tells_faults_alone(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--game", "xeri", "--deals", "1", "-q"]
    assert run(["conformance", "--agent", "greedy", *quick]) == 0
    assert capsys.readouterr().out == ""
    assert run(["conformance", "--agent", BOTS + "Illegal", *quick]) == 1
    assert capsys.readouterr().out.count("\n") == 1


def test_an_engine_over_pipes(capsys: pytest.CaptureFixture[str]) -> None:
    program = " ".join(ENGINE)
    assert run(["conformance", "--engine", program, "--game", "xeri"]) == 0
    assert "positions" in capsys.readouterr().out
    assert run(["conformance", "--engine", program + " BUG", "--game", "xeri", "-q"]) == 1


def test_samples_tasks_and_records(tmp_path: Path) -> None:
    samples, tasks = tmp_path / "samples.jsonl.gz", tmp_path / "tasks.jsonl"
    assert run(["conformance", "--samples", str(samples), "--game", "xeri", "-q"]) == 0
    assert [found for _, found in verify_file(samples)] == [None] * len(sample_records("xeri"))
    assert run(["conformance", "--tasks", str(tasks), "-q"]) == 0
    assert len(tasks.read_text().splitlines()) == len(sample_records())
    assert run(["conformance", "--engine-records", str(samples), "-q"]) == 0
    whole = [record for _, record in read_records(samples)]
    del whole[2]["rounds"][0]["events"][3]["legal"]  # type: ignore[index, union-attr]
    wrong = lines(tmp_path / "wrong.jsonl", whole)
    assert run(["conformance", "--engine-records", str(wrong), "-q"]) == 1


def test_an_environment(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conformance", "--environment", BOTS + "single"]) == 0
    assert "Gymnasium's check_env" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give one of --agent, --engine, --engine-records, --environment, --tasks, --samples"),
        (["--agent", "a", "--engine", "b"], "not --agent and --engine"),
        (["--agent", "nobody"], "no player 'nobody'"),
        (["--agent", "greedy", "--game", "chess"], "no game 'chess'"),
        (["--agent", "greedy", "--deals", "0"], "--deals"),
        (["--engine", "no-such-program"], "cannot start 'no-such-program': No such file"),
        (["--engine", "a 'b"], "No closing quotation"),
        (["--engine", ""], "no program is named"),
        (["--engine-records", "none.jsonl"], "cannot read none.jsonl"),
        (["--environment", "nowhere:make"], "no function 'nowhere:make'"),
        (["--tasks", "tasks.txt"], "named *.jsonl"),
        (["--samples", "nowhere/a.jsonl"], "cannot write nowhere/a.jsonl"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(["conformance", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1
    assert message in err
    assert os.listdir(tmp_path) == []
