"""The command line: what it does, and how it answers wrong use."""

import copy
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from xabitha_env.cli import main, options
from xabitha_env.cli.main import run
from xabitha_env.games import make_engine, make_rules
from xabitha_env.record import read_records, verify_record

SAMPLES = sorted((Path(__file__).parent / "data" / "records").glob("xabitha-*.jsonl.gz"))
COMMAND = [sys.executable, "-m", "xabitha_env.cli.main"]
QUICK = ["--players", "random", "--rounds", "1", "--rule", "max_turns=20", "--seed", "7"]


@pytest.fixture(autouse=True, scope="module")
def compiled():
    """The engine, compiled: the first use on a machine announces that on standard error."""
    make_engine("xabitha", 1)


def _records(path):
    return [record for _, record in read_records(path)]


def _one_error(capsys, *arguments):
    """Run the command, which must fail with one line; returns the line."""
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ") and err.count("\n") == 1, err
    return err


# record


def test_record_writes_what_was_asked_for(tmp_path, capsys):
    out = tmp_path / "games.jsonl.gz"
    arguments = ["record", "--players", "greedy,random,greedy,random", "--matches", "3"]
    arguments += ["--rounds", "2", "--seed", "7", "--rule", "opening_points=60", "--legal"]
    assert run([*arguments, "--out", str(out)]) == 0
    records = _records(out)
    assert [record["seed"] for record in records] == [7, 8, 9]
    assert records[0]["agents"] == ["greedy", "random", "greedy", "random"]
    rules = make_rules("xabitha", {"num_rounds": 2, "opening_points": 60}).to_dict()
    assert all(record["rules"] == rules for record in records)
    assert all("legal" in event for event in records[0]["rounds"][0]["events"])
    assert [verify_record(record) for record in records] == [None] * 3
    printed, err = capsys.readouterr()
    assert "greedy + greedy" in printed and "3 matches" in printed and "seed 7" in printed
    assert err == ""


def test_the_same_seed_gives_the_same_file(tmp_path):
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        assert run(["record", *QUICK, "--matches", "5", "-q", "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_record_as_json(tmp_path, capsys):
    out = tmp_path / "games.jsonl"
    assert run(["record", *QUICK, "--matches", "4", "--json", "--out", str(out)]) == 0
    summary = json.loads(capsys.readouterr().out)
    records = _records(out)
    assert summary.pop("seconds") >= 0
    assert summary == {
        "file": str(out), "game": "xabitha", "seed": 7, "players": ["random"] * 4,
        "matches": 4, "rounds": 4,
        "decisions": sum(len(record["rounds"][0]["events"]) for record in records),
        "wins": [sum(r["result"]["winners"] == [team] for r in records) for team in (0, 1)],
        "shared": sum(r["result"]["winners"] == [0, 1] for r in records),
        "totals": [sum(r["result"]["totals"][team] for r in records) for team in (0, 1)],
    }  # fmt: skip


def test_players_by_team_and_a_seed_of_its_own(tmp_path, capsys):
    out = tmp_path / "games.jsonl"
    assert run(["record", "--players", "random, greedy", "--rounds", "1", "--out", str(out)]) == 0
    (record,) = _records(out)
    assert record["agents"] == ["random", "greedy"] * 2
    assert f"seed {record['seed']}" in capsys.readouterr().out


def test_quiet_prints_nothing(tmp_path, capsys):
    assert run(["record", *QUICK, "--quiet", "--out", str(tmp_path / "games.jsonl")]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "Missing option '--out'. (see xabitha record --help)"),
    (["--out", "games.txt"], "named *.jsonl or *.jsonl.gz, not games.txt"),
    (["--out", "nowhere/games.jsonl"], "cannot write nowhere/games.jsonl: No such file"),
    (["--out", "folder.jsonl"], "cannot write folder.jsonl: it is a folder"),
    (["--players", "greddy", "--out", "x.jsonl"], "no player 'greddy'; did you mean 'greedy'?"),
    (["--players", "random,random,random", "--out", "x.jsonl"], "3 players: name one"),
    (["--players", "random,", "--out", "x.jsonl"], "a name is missing"),
    (["--players", "model.zip", "--out", "x.jsonl"], "'model.zip': there is no such file"),
    (["--players", "nowhere:Bot", "--out", "x.jsonl"], "No module named 'nowhere'"),
    (["--matches", "0", "--out", "x.jsonl"], "'--matches'"),
    (["--matches", "many", "--out", "x.jsonl"], "'--matches'"),
    (["--seed", "-1", "--out", "x.jsonl"], "'--seed'"),
    (["--rounds", "0", "--out", "x.jsonl"], "'--rounds'"),
    (["--game", "chess", "--out", "x.jsonl"], "no game 'chess'; there are xabitha"),
    (["--rule", "opening_points", "--out", "x.jsonl"], "write it as NAME=VALUE"),
    (["--rule", "openin_points=5", "--out", "x.jsonl"], "did you mean opening_points?"),
    (["--rule", "opening_points=-5", "--out", "x.jsonl"], "a whole number from 0 to 1000000"),
    (["--rule", "opening_points=lots", "--out", "x.jsonl"], "a whole number from 0 to 1000000"),
    (["--rule", "opening_points=", "--out", "x.jsonl"], "a whole number from 0 to 1000000"),
    (["--rule", "opening_needs_run=2", "--out", "x.jsonl"], "must be true or false, not '2'"),
    (["--rounds", "2", "--rule", "num_rounds=3", "--out", "x.jsonl"], "num_rounds is set twice"),
    (["--nonsense", "--out", "x.jsonl"], "No such option"),
    (["extra", "--out", "x.jsonl"], "extra"),
])  # fmt: skip
def test_wrong_use_of_record_is_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.jsonl").mkdir()
    assert message in _one_error(capsys, "record", *arguments)
    assert os.listdir(tmp_path) == ["folder.jsonl"]


def test_a_player_that_fails_leaves_no_file(tmp_path, monkeypatch, capsys):
    (tmp_path / "cli_bots.py").write_text("def stuck(observation, mask): return -1 // 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    out = tmp_path / "games.jsonl"
    err = _one_error(capsys, "record", "--players", "cli_bots:stuck", "--out", str(out))
    assert "player 'stuck' (seats" in err and "failed: ZeroDivisionError" in err
    assert not list(tmp_path.glob("*.jsonl*")) and not list(tmp_path.glob(".*"))


def test_players_may_lie_in_the_current_folder(tmp_path):
    (tmp_path / "my_bot.py").write_text("def first(observation, mask): return mask.argmax()\n")
    arguments = ["record", *QUICK[2:], "--players", "my_bot:first", "--out", "games.jsonl", "-q"]
    environment = {**os.environ, "PYTHONPATH": str(Path(main.__file__).parents[2])}
    done = subprocess.run([*COMMAND, *arguments], cwd=tmp_path, env=environment, timeout=120)
    assert done.returncode == 0
    assert _records(tmp_path / "games.jsonl")[0]["agents"] == ["first"] * 4


def test_an_interrupt_leaves_no_file(tmp_path):
    arguments = ["record", "--matches", "1000000", "--out", str(tmp_path / "games.jsonl")]
    process = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size for path in tmp_path.iterdir()):  # it has begun to write
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted" and "Traceback" not in err
    assert os.listdir(tmp_path) == []


# verify


def test_the_samples_verify(capsys):
    assert run(["verify", *map(str, SAMPLES)]) == 0
    out, err = capsys.readouterr()
    assert "agree" in out and err == ""


@pytest.mark.parametrize(("columns", "lines"), [("30", 10), ("60", 9), ("200", 7)])
def test_tables_are_whole_at_any_width(monkeypatch, capsys, columns, lines):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.chdir(SAMPLES[0].parent)
    assert run(["verify", *[path.name for path in SAMPLES]]) == 0
    out = capsys.readouterr().out
    assert "matches" in out and "16" in out and "24" in out and "…" not in out
    assert len(out.splitlines()) == lines


@pytest.fixture
def mixed(tmp_path):
    """A file of one right match, one wrong, and one broken line."""
    with gzip.open(SAMPLES[0], "rt", encoding="utf-8") as lines:
        right = json.loads(next(lines))
    wrong = copy.deepcopy(right)
    wrong["rounds"][1]["events"][4]["move"] = "draw:deck"
    broken = copy.deepcopy(right)
    broken["rounds"][0]["events"][5]["move"] = 7
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in (right, wrong, broken)))
    return path


def test_differences_are_told_and_give_1(mixed, capsys):
    assert run(["verify", str(mixed), str(SAMPLES[1])]) == 1
    out, err = capsys.readouterr()
    assert f"{mixed}: line 2, match 1, round 1, event 4: move: record draw:deck, rules X" in out
    assert f"{mixed}: line 3: rounds[0].events[5].move: must be text, not 7" in out
    assert err == ""


def test_differences_as_json(mixed, capsys):
    assert run(["verify", "--json", str(mixed)]) == 1
    out, err = capsys.readouterr()
    (report,) = json.loads(out)["files"]
    assert (report["matches"], report["agree"], report["error"]) == (3, 1, None)
    (difference,) = report["differences"]
    assert difference.pop("own").startswith("X")
    assert difference == {
        "line": 2, "match": 1, "round": 1, "event": 4, "field": "move",
        "path": "rounds[1].events[4].move", "given": "draw:deck",
    }  # fmt: skip
    (problem,) = report["problems"]
    assert (problem["line"], problem["field"]) == (3, "rounds[0].events[5].move")


def test_quiet_tells_only_what_is_wrong(mixed, capsys):
    assert run(["verify", "-q", str(SAMPLES[1])]) == 0
    assert capsys.readouterr() == ("", "")
    assert run(["verify", "-q", str(mixed)]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_long_and_strange_values_stay_on_one_line(tmp_path, capsys):
    with gzip.open(SAMPLES[0], "rt", encoding="utf-8") as lines:
        record = json.loads(next(lines))
    record["rounds"][0]["events"][6]["legal"] = ["discard:\x1b[2J\n\ud800", "b" * 10_000]
    (tmp_path / "games.jsonl").write_text(json.dumps(record))
    assert run(["verify", "-q", str(tmp_path / "games.jsonl")]) == 1
    out = capsys.readouterr().out
    assert out.count("\n") == 1 and "\x1b" not in out and len(out) < 2000


def test_files_that_cannot_be_read_give_2_after_the_others(tmp_path, mixed, capsys):
    damaged = tmp_path / "damaged.jsonl.gz"
    damaged.write_bytes(SAMPLES[0].read_bytes()[:-1000])
    missing = tmp_path / "missing.jsonl"
    assert run(["verify", str(damaged), str(missing), str(mixed)]) == 2
    out, err = capsys.readouterr()
    assert f"{mixed}: line 2" in out
    first, second = err.splitlines()
    assert first.startswith(f"error: cannot read {damaged} after line ")
    assert second == f"error: cannot read {missing}: No such file or directory"


def test_unreadable_files_in_json(tmp_path, capsys):
    assert run(["verify", "--json", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert "Is a directory" in json.loads(out)["files"][0]["error"]
    assert err.count("\n") == 1


def test_an_empty_file_is_told(tmp_path, capsys):
    (tmp_path / "empty.jsonl").touch()
    assert run(["verify", str(tmp_path / "empty.jsonl")]) == 1
    assert "the file is empty" in capsys.readouterr().out


def test_verify_needs_a_file(capsys):
    assert "Missing argument 'FILE'" in _one_error(capsys, "verify")


# The command as a whole.


@pytest.mark.parametrize("command", main.COMMANDS)
@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_help_has_examples_at_any_width(monkeypatch, capsys, command, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert run([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"Examples:\n    xabitha {command}" in out
    assert "\x1b" not in out


def test_help_names_the_commands(capsys):
    for arguments in ([], ["--help"], ["-h"]):
        assert run(arguments) == 0
        out = capsys.readouterr().out
        assert all(f"  {command} " in out for command in main.COMMANDS)


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("xabitha ")


def test_wrong_command_and_option(capsys):
    assert "Did you mean 'record'?" in _one_error(capsys, "recrod")
    assert "--nonsense" in _one_error(capsys, "--nonsense")


def test_a_bug_is_one_line_too(monkeypatch, capsys):
    def fail(*args, **kwargs):
        raise KeyError("lost\nfound")

    monkeypatch.setattr("xabitha_env.record.verify_file", fail)
    assert run(["verify", "x.jsonl"]) == main.INTERNAL_ERROR
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "KeyError" in err
    monkeypatch.setenv(main.DEBUG_VARIABLE, "1")
    with pytest.raises(KeyError):
        run(["verify", "x.jsonl"])


def test_help_loads_no_engine():
    code = (
        "import sys; from xabitha_env.cli.main import run; run(['record', '--help']);"
        "assert not {'numba', 'torch', 'rich.progress'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_a_closed_pipe_is_quiet(mixed):
    for arguments in (["verify", *[str(mixed)] * 3], ["verify", "-q", str(mixed)], ["--help"]):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([*COMMAND, *arguments], stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        assert (done.returncode, done.stderr) == (141, b""), arguments


def test_a_full_disk_behind_standard_output_is_one_line(mixed):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "verify", str(mixed)], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "No space left on device" in done.stderr


def test_no_standard_output_at_all(mixed):
    command = " ".join([*COMMAND, "verify", str(mixed), ">&-"])
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_records_through_a_pipe(sample):
    command = [*COMMAND, "verify", "/dev/stdin", "--json"]
    done = subprocess.run(command, input=sample.read_bytes(), stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert json.loads(done.stdout)["files"][0]["agree"] >= 16


def test_an_ascii_terminal_shows_everything(tmp_path):
    path = tmp_path / "spiel-ü.jsonl"
    path.touch()
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "NO_COLOR": "1", "COLUMNS": "30"}
    done = subprocess.run([*COMMAND, "verify", str(path)], capture_output=True, env=environment)
    assert done.returncode == 1 and done.stderr == b""
    assert b"the file is empty" in done.stdout and b"\x1b" not in done.stdout


# Rules on the command line.


def test_rules_are_read_in_the_type_that_the_field_has():
    rules = options.parse_rules(
        "xabitha", ["opening_points = 60", "opening_needs_run=no", "climbing_threshold=TRUE"], 3
    )
    fields = {"opening_points": 60, "opening_needs_run": False, "climbing_threshold": True}
    assert rules == make_rules("xabitha", {**fields, "num_rounds": 3})
    assert options.parse_rules("xabitha", None) == make_rules("xabitha")


def test_one_rule_set_twice_is_refused():
    with pytest.raises(ValueError, match="opening_points is set twice"):
        options.parse_rules("xabitha", ["opening_points=1", "opening_points=1"])
