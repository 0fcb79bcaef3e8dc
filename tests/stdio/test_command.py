"""``xabitha seat``: programs at seats, their records and reports, and wrong use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.stdio.programs import gone, program, script
from tools import docs_session
from xabitha_env.cli.main import run
from xabitha_env.games import make_engine
from xabitha_env.record import read_records, verify_record

ROOT = Path(__file__).parents[2]
PYTHON = [sys.executable, str(ROOT / "examples" / "stdio_bot.py")]
SHELL = ["sh", str(ROOT / "examples" / "stdio_bot.sh")]
QUICK = ["seat", "--game", "xeri", "--rounds", "1", "--players", "greedy", "--seed", "7"]


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """The engines, compiled: the first use on a machine announces that on standard error."""
    make_engine("xabitha", 1)
    make_engine("xeri", 1)


def records(path: Path) -> list[dict]:  # type: ignore[type-arg]
    return [record for _, record in read_records(path) if isinstance(record, dict)]


@pytest.mark.parametrize("game", ["xabitha", "xeri"])
@pytest.mark.parametrize("words", [PYTHON, SHELL], ids=["python", "shell"])
def test_the_examples_play(words: list[str], game: str, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    arguments = ["seat", "--game", game, "--rounds", "1", "--players", "random", "--seed", "3",
                 "--matches", "2", "-q", "--record", str(out)]  # fmt: skip
    if game == "xabitha":
        arguments += ["--rule", "max_turns=60"]
    assert run([*arguments, "--stdio", *words]) == 0
    found = records(out)
    assert [record["seed"] for record in found] == [3, 4]
    assert [verify_record(record) for record in found] == [None, None]
    assert found[0]["agents"][0].startswith("stdio:") and found[0]["agents"][1:] == ["random"] * 3


def test_the_python_example_knows_how_to_win(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["seat", "--team", "0", "--players", "random", "--rounds", "1", "--seed", "1"]
    assert run([*arguments, "--matches", "6", "--json", "--stdio", *PYTHON]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["wins"][0] >= 5


def test_a_team_has_a_process_for_each_seat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = tmp_path / "said.txt"
    arguments = [*QUICK, "--team", "1", "--json", "--transcript", str(said)]
    assert run([*arguments, "--stdio", *SHELL]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert set(summary["programs"]) == {"1", "3"}
    assert all(tally["answered"] == 12 for tally in summary["programs"].values())
    assert summary["players"][0] == "greedy" and summary["players"][1].startswith("stdio:sh")
    told = [line.split(" ", 2) for line in said.read_text().splitlines()]
    seats = {who: json.loads(text)["seats"] for who, mark, text in told if '"hello"' in text}
    assert seats == {"1": [1], "3": [3]}
    for who, mark, text in told:  # each hears of its own cards alone
        if '"decide"' in text and mark == ">":
            assert json.loads(text)["seat"] == int(who)


def test_the_summary_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*QUICK, "--seat", "2", "--stdio", *SHELL]) == 0
    out, err = capsys.readouterr()
    assert "matches won" in out and "answered" in out and "1 matches" in out and "seed 7" in out
    assert err == ""


def test_a_program_that_fails_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors, out = tmp_path / "errors.txt", tmp_path / "games.jsonl"
    words = program(tmp_path, "if count == 5: raise RuntimeError('oh dear')\nsay(first)")
    more = ["--fallback", "random", "--stderr", str(errors), "--record", str(out), "--json"]
    assert run([*QUICK, *more, "--stdio", *words]) == 1
    printed, err = capsys.readouterr()
    tally = json.loads(printed)["programs"]["0"]
    assert (tally["answered"], tally["replaced"], tally["crashes"]) == (4, 8, 1)
    assert err.count("\n") == 1 and "RuntimeError: oh dear; random plays the rest" in err
    assert errors.read_text().endswith("RuntimeError: oh dear\n")
    assert verify_record(records(out)[0]) is None


def test_standard_error_can_be_shown(tmp_path: Path) -> None:
    words = program(tmp_path, "print('thinking', file=sys.stderr)\nsay(first)")
    command = [sys.executable, "-m", "xabitha_env.cli.main", *QUICK, "-q", "--stderr", "-"]
    done = subprocess.run(
        [*command, "--stdio", *words], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and done.stderr.count("thinking") == 12 and done.stdout == ""


def test_a_programs_options_are_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = program(tmp_path, f"open({str(log)!r}, 'w').write(repr(sys.argv[1:]))\nsay(first)")
    assert run([*QUICK, "-q", "--stdio", *words, "--seed", "x", "--help", "-q"]) == 0
    assert log.read_text() == repr(["--seed", "x", "--help", "-q"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_program_too(tmp_path: Path, number: int) -> None:
    pid = tmp_path / "pid"
    words = script(
        tmp_path,
        f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(99)",
    )
    command = [sys.executable, "-m", "xabitha_env.cli.main", *QUICK, "-q"]
    out = tmp_path / "games.jsonl"
    process = subprocess.Popen(
        [*command, "--record", str(out), "--stdio", *words], cwd=ROOT, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert gone(int(pid.read_text())) and not out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stdio"], "Missing argument 'PROGRAM'"),
        ([], "Missing argument"),
        (["sh"], "say --stdio before the program"),
        (["--stdio", "no-such-program"], "no program 'no-such-program': it is not there"),
        (["--seat", "4", "--stdio", "sh"], "--seat"),
        (["--seat", "0", "--team", "1", "--stdio", "sh"], "give --seat or --team, not both"),
        (["--seconds", "0", "--stdio", "sh"], "seconds must be above 0"),
        (["--tries", "0", "--stdio", "sh"], "tries must be a whole number from 1"),
        (["--fallback", "nobody", "--stdio", "sh"], "no player 'nobody'"),
        (["--fallback", "stdio:sh", "--stdio", "sh"], "must not be a program itself"),
        (["--players", "greedy,", "--stdio", "sh"], "a name is missing"),
        (["--players", "a,b,c", "--stdio", "sh"], "3 players"),
        (["--game", "chess", "--stdio", "sh"], "no game 'chess'"),
        (["--rule", "x=1", "--stdio", "sh"], "no rules field 'x'"),
        (["--record", "games.txt", "--stdio", "sh"], "named *.jsonl"),
        (["--record", "nowhere/a.jsonl", "--stdio", "sh"], "cannot write nowhere/a.jsonl"),
        (["--transcript", "nowhere/a", "--stdio", "sh"], "cannot write nowhere/a"),
        (["--stderr", "nowhere/a", "--stdio", "sh"], "cannot write nowhere/a"),
        (["--nonsense", "--stdio", "sh"], "No such option"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(["seat", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1
    assert message in err
    assert os.listdir(tmp_path) == []


def test_it_is_a_player_of_other_commands(tmp_path: Path) -> None:
    name = f"stdio:sh {SHELL[1]}"
    out = tmp_path / "games.jsonl"
    arguments = ["record", "--game", "xeri", "--rounds", "1", "--players", f"{name},random", "-q"]
    assert run([*arguments, "--seed", "1", "--out", str(out)]) == 0
    assert records(out)[0]["agents"] == [name, "random"] * 2
    deals = ["--game", "xeri", "--deals", "4", "--workers", "1", "-q"]
    results = tmp_path / "results.json"
    assert run(["tournament", name, "random", *deals, "--json", str(results)]) == 0
    assert results.exists()


def test_the_session_of_the_page_is_the_same_every_time() -> None:
    assert docs_session.lines() == docs_session.lines()
