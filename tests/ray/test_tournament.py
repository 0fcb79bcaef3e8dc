"""Tournaments on a cluster: the results of one machine, whatever happens to the workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="needs Ray, in an environment of its own (docs/ray.md)")

from xabitha_env.cli import main
from xabitha_env.contrib import ray as bridge
from xabitha_env.contrib.ray import Origin, cluster

ROOT = Path(__file__).parents[2]
SLOW = """
import os, time
from pathlib import Path

class Bot:
    name = "bot"
    def reset(self, engine, seed):
        Path(__file__).with_name(str(os.getpid())).touch()
    def act(self, view):
        time.sleep(0.01)
        return view.legal[:, 0]
"""
BOT = """
import os, signal
from pathlib import Path

class Bot:
    name = "bot"
    def __init__(self, when="once"):
        self.when = when
    def reset(self, engine, seed):
        self.marker = Path(__file__).with_name("die")
    def act(self, view):
        if self.marker.exists():
            if self.when == "once":
                self.marker.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.when == "fail":
            raise RuntimeError("tired")
        return view.legal[:, 0]
"""


@pytest.fixture
def bot(tmp_path, monkeypatch, two_workers):
    """A player that kills its process when there is a file `die` beside it."""
    name = f"bot_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return f"{name}:Bot"


def tournament(*arguments, deals=12, game="xeri"):
    """Run the command; returns its results without times, and its table of deals."""
    command = ["tournament", *arguments, "--game", game, "--deals", str(deals), "--chunk", "2"]
    assert main.run([*command, "-q", "--json", "r.json", "--csv", "r.csv"]) == 0
    result = json.loads(Path("r.json").read_text())
    result.pop("timing")
    return result, Path("r.csv").read_bytes()


@pytest.mark.parametrize("game", ["xabitha", "xeri"])
def test_a_cluster_changes_nothing(game, tmp_path, monkeypatch, two_workers):
    monkeypatch.chdir(tmp_path)
    teams = ["greedy", "random", "greedy+random"]
    alone = tournament(*teams, game=game)
    assert tournament(*teams, "--ray", "local", game=game) == alone


def test_a_worker_that_is_killed_loses_nothing(bot, tmp_path):
    alone = tournament(bot, "greedy", "--workers", "1")
    marker, state = tmp_path / "die", tmp_path / "run.jsonl"
    marker.touch()
    assert tournament(bot, "greedy", "--ray", "local", "--state", str(state)) == alone
    assert not marker.exists()  # one has died
    starts = [json.loads(line)["start"] for line in state.read_text().splitlines()[1:]]
    assert sorted(starts) == list(range(0, 12, 2))  # every chunk once


def test_a_run_goes_on_between_a_cluster_and_one_machine(bot, tmp_path):
    alone = tournament(bot, "greedy")
    state = ["--state", str(tmp_path / "run.jsonl")]
    tournament(bot, "greedy", *state, deals=4)
    assert tournament(bot, "greedy", *state, "--ray", "local", deals=8)[0]["settings"]["deals"] == 8
    assert tournament(bot, "greedy", *state) == alone


def test_a_chunk_that_always_kills_is_given_up(bot, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(bridge, "REPEATS", 1)
    (tmp_path / "die").touch()
    command = ["tournament", f"{bot}?when=always", "greedy", "--game", "xeri", "--deals", "2"]
    assert main.run([*command, "--ray", "local"]) == 2
    told = capfd.readouterr().err.splitlines()[-1]
    assert told.startswith("error: 2 workers died over the deals 1000000000 to 1000000001 of bot_")


def test_a_player_that_fails_is_told_in_one_line(bot, capfd):
    command = ["tournament", f"{bot}?when=fail", "greedy", "--game", "xeri", "--deals", "2"]
    assert main.run([*command, "--ray", "local"]) == 2
    told = capfd.readouterr().err.splitlines()[-1]
    assert told.startswith("error: player ") and told.endswith("failed: RuntimeError: tired")


def test_workers_of_another_version_do_not_play(tmp_path, monkeypatch, two_workers, capfd):
    monkeypatch.setattr(bridge, "_source_hash", lambda: "other")
    assert main.run(["tournament", "greedy", "random", "--deals", "2", "--ray", "local"]) == 2
    assert "is another version than the command's" in capfd.readouterr().err


def test_workers_with_another_file_do_not_play(tmp_path):
    (tmp_path / "model.zip").write_bytes(b"one")
    name = f"{tmp_path}/model.zip?sampled=1"
    files = {name: bridge._file_hash(name), "greedy": bridge._file_hash("greedy")}
    assert files[name] and not files["greedy"]
    origin = Origin(str(tmp_path / "nowhere"), bridge._source_hash(), files)
    bridge._settle(origin)
    (tmp_path / "model.zip").write_bytes(b"other")
    with pytest.raises(ValueError, match="model.zip.* is not the command's: put the same file"):
        bridge._settle(origin)


def test_wrong_use_is_one_line(monkeypatch, capfd):
    command = ["tournament", "greedy", "random", "--deals", "2", "--ray"]
    assert main.run([*command, "auto", "--workers", "2"]) == 2
    assert "--workers 2 is for processes of this machine" in capfd.readouterr().err
    monkeypatch.setattr(bridge.ray, "is_initialized", lambda: False)
    told = "no cluster of Ray at 'nonsense': Invalid address"
    with pytest.raises(ConnectionError, match=told), cluster("nonsense"):
        pass


def test_without_ray_the_extra_is_named(monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "xabitha_env.contrib.ray")
    assert main.run(["tournament", "greedy", "random", "--deals", "2", "--ray", "auto"]) == 2
    printed = capfd.readouterr().err
    assert "install xabitha-env[ray]" in printed and printed.count("\n") == 1


def test_an_interrupt_ends_the_cluster_and_keeps_what_was_done(tmp_path):
    (tmp_path / "slow_bot.py").write_text(SLOW)
    state, command = tmp_path / "run.jsonl", [sys.executable, "-m", "xabitha_env.cli.main"]
    command += ["tournament", "slow_bot:Bot", "greedy", "--game", "xeri", "--deals", "1000", "-q"]
    process = subprocess.Popen(
        [*command, "--chunk", "2", "--ray", "local", "--workers", "2", "--state", str(state)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not state.exists() or state.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    workers = [int(name) for name in os.listdir(tmp_path) if name.isdigit()]
    assert workers and all(map(running, workers))
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.splitlines()[-1]) == (130, "interrupted")
    assert "Traceback" not in err
    deadline = time.monotonic() + 20
    while any(map(running, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert state.read_bytes().endswith(b"\n")


def running(process):
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
