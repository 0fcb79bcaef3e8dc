"""Runs: the same for any number of processes, and on from where they stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.evaluation.helpers import DRAWING, XABITHA, XERI, pairing
from xabitha_env.cli import main
from xabitha_env.evaluation import run
from xabitha_env.evaluation.outcomes import outcome_type
from xabitha_env.evaluation.play import Setup
from xabitha_env.evaluation.run import play_pairings
from xabitha_env.evaluation.runfile import RunFile
from xabitha_env.evaluation.settings import settings_of
from xabitha_env.evaluation.timing import Spent, time_compiled
from xabitha_env.files import FileError
from xabitha_env.players import PlayerError

ROOT = Path(__file__).parents[2]
PAIRINGS = [pairing("greedy", "random"), pairing(f"{DRAWING}+random", "greedy")]
SEEDS = range(300, 322)
CHUNK = 5
CHUNKS = 2 * 5


@pytest.fixture(scope="module")
def whole():
    """What an undisturbed run gives."""
    return play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK)


def keep(path, seeds=SEEDS, pairings=PAIRINGS, setup=XERI, chunk=CHUNK):
    return RunFile(path, settings_of(setup, pairings, seeds, chunk), outcome_type(setup.game))


class Count:
    """Counts the chunks that are played, and stops the run before the one of this number."""

    def __init__(self, monkeypatch, stop=None, error=KeyboardInterrupt):
        self.chunks = 0
        original = run.play_deals

        def play_deals(*args):
            if self.chunks == stop:
                raise error
            self.chunks += 1
            return original(*args)

        monkeypatch.setattr(run, "play_deals", play_deals)


def test_processes_change_nothing(whole):
    found = play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK, workers=2)
    assert found.rows.tobytes() == whole.rows.tobytes()
    assert {name: one.decisions for name, one in found.spent.items()} == {
        name: one.decisions for name, one in whole.spent.items()
    }


def test_chunks_change_nothing_for_players_without_lots_of_their_own():
    pairings = [pairing("greedy", "random"), pairing("random+greedy", "random")]
    one, other = (play_pairings(XABITHA, pairings, SEEDS, chunk=chunk) for chunk in (3, 100))
    assert one.rows.tobytes() == other.rows.tobytes()
    assert one.rows["seed"][1, :, 0].tolist() == list(SEEDS)


def test_players_with_lots_of_their_own_are_seeded_by_the_deals(whole):
    alone = play_pairings(XERI, PAIRINGS[1:], SEEDS[CHUNK : 2 * CHUNK], chunk=CHUNK)
    assert alone.rows.tobytes() == whole.rows[1, CHUNK : 2 * CHUNK].tobytes()
    other = play_pairings(XERI, PAIRINGS[1:], SEEDS, chunk=len(SEEDS))
    assert other.rows.tobytes() != whole.rows[1].tobytes()


def test_fixed_draws_are_played(whole):
    pairings = PAIRINGS[:1]
    fixed = Setup("xabitha", XABITHA.rules, fixed_draws=True)
    one, other = (play_pairings(setup, pairings, SEEDS) for setup in (fixed, XABITHA))
    assert one.rows.tobytes() != other.rows.tobytes()


def test_decisions_of_outside_players_are_timed(whole):
    (name,) = whole.spent
    assert name == DRAWING
    assert whole.spent[name].decisions == 12 * 2 * len(SEEDS)  # one seat of four, both sides
    assert whole.spent[name].seconds > 0
    assert Spent(200, 0.5).milliseconds == 2.5 and Spent().milliseconds is None


def test_compiled_players_are_timed_at_a_table_with_themselves():
    found = time_compiled(XERI, ["greedy", DRAWING])
    assert list(found) == ["greedy"]
    assert found["greedy"].decisions == 64 * 48 and found["greedy"].seconds > 0


def test_progress_is_in_deals(tmp_path):
    moves = []
    play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK, move=moves.append)
    assert moves[-1] == 2 * len(SEEDS) and moves == sorted(moves) and len(moves) == CHUNKS


# Going on.


def test_a_run_goes_on_where_it_was_interrupted(tmp_path, monkeypatch, whole):
    path = tmp_path / "run.jsonl"
    with monkeypatch.context() as patch:
        count = Count(patch, stop=4)
        with keep(path) as kept, pytest.raises(KeyboardInterrupt):
            play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK, kept=kept)
    assert count.chunks == 4 and len(path.read_text().splitlines()) == 1 + 4
    count, moves = Count(monkeypatch), []
    with keep(path) as kept:
        found = play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK, kept=kept, move=moves.append)
    assert count.chunks == CHUNKS - 4
    assert moves[-1] == 2 * len(SEEDS)
    assert found.rows.tobytes() == whole.rows.tobytes()
    assert found.spent[DRAWING].decisions == whole.spent[DRAWING].decisions


def test_a_player_that_fails_keeps_what_was_done(tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"
    Count(monkeypatch, stop=3, error=PlayerError("tired"))
    with keep(path) as kept, pytest.raises(PlayerError, match="tired"):
        play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK, kept=kept)
    assert len(path.read_text().splitlines()) == 1 + 3


def test_a_line_that_was_cut_off_is_played_again(tmp_path, monkeypatch, whole):
    path = tmp_path / "run.jsonl"
    with keep(path) as kept:
        play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK, kept=kept)
    content = path.read_bytes()
    path.write_bytes(content[:-7])
    count = Count(monkeypatch)
    with keep(path) as kept:
        found = play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK, kept=kept)
    assert count.chunks == 1
    assert found.rows.tobytes() == whole.rows.tobytes()
    last, again = (json.loads(text.splitlines()[-1]) for text in (content, path.read_bytes()))
    assert last["rows"] == again["rows"]


def test_more_deals_can_be_added(tmp_path, monkeypatch, whole):
    path = tmp_path / "run.jsonl"
    few = SEEDS[: 2 * CHUNK + 1]
    with keep(path, few) as kept:
        play_pairings(XERI, PAIRINGS, few, chunk=CHUNK, kept=kept)
    count = Count(monkeypatch)
    with keep(path) as kept:
        found = play_pairings(XERI, PAIRINGS, SEEDS, chunk=CHUNK, kept=kept)
    assert count.chunks == CHUNKS - 2 * 2
    assert found.rows.tobytes() == whole.rows.tobytes()


def test_other_settings_are_refused_by_name(tmp_path):
    path = tmp_path / "run.jsonl"
    keep(path).__exit__(None, None, None)
    before = path.read_bytes()
    others = {
        "first_seed 300, not 301": {"seeds": range(301, 310)},
        "chunk 5, not 6": {"chunk": 6},
        "game 'xeri', not 'xabitha'": {"setup": XABITHA},
        "pairings": {"pairings": PAIRINGS[:1]},
    }
    for message, other in others.items():
        with pytest.raises(ValueError, match=message):
            keep(path, **other)
    assert path.read_bytes() == before


def test_a_saved_model_that_changed_is_another_player(tmp_path):
    model = tmp_path / "model.zip"
    pairings = [pairing(str(model), "greedy")]
    model.write_bytes(b"one")
    path = tmp_path / "run.jsonl"
    keep(path, pairings=pairings).__exit__(None, None, None)
    keep(path, pairings=pairings).__exit__(None, None, None)
    model.write_bytes(b"other")
    with pytest.raises(ValueError, match="other settings: files"):
        keep(path, pairings=pairings)


@pytest.mark.parametrize(
    "content",
    ["[]\n", "{}\n", "a,b\n1,2\n", "one line", "two\nlines", '{"format": "xabitha-record"}\n'],
)
def test_another_file_is_no_run_and_stays_as_it_is(tmp_path, content):
    path = tmp_path / "games.jsonl"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"games\.jsonl keeps no run: name another file"):
        keep(path)
    assert path.read_text() == content


@pytest.mark.parametrize("line", ["{}", "[]", "{", '{"pairing": 0, "start": 0, "rows": [[1]]}'])
def test_a_damaged_line_is_told(tmp_path, line):
    path = tmp_path / "run.jsonl"
    keep(path).__exit__(None, None, None)
    whole = path.read_text()
    path.write_text(whole + line + "\n")
    with pytest.raises(ValueError, match=r"run\.jsonl, line 2, is damaged"):
        keep(path)


def test_a_head_that_was_cut_off_is_written_again(tmp_path):
    path = tmp_path / "run.jsonl"
    keep(path).__exit__(None, None, None)
    whole = path.read_bytes()
    path.write_bytes(whole[:50])
    keep(path).__exit__(None, None, None)
    assert path.read_bytes() == whole


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(FileError, match="cannot keep a run in .*: No such file"):
        keep(tmp_path / "nowhere" / "run.jsonl")


@pytest.mark.parametrize("name", ["chunk", "workers"])
def test_sizes_are_checked(name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, not 0"):
        play_pairings(XERI, PAIRINGS, SEEDS, **{name: 0})


BOT = """
import time
class Bot:
    name = "bot"
    def reset(self, engine, seed): pass
    def act(self, view):
        time.sleep({seconds})
        return view.legal[:, 0]
"""
COMMAND = ["tournament", "killed_bot:Bot", "greedy", "--game", "xeri", "-q"]
COMMAND += ["--chunk", "2", "--deals", "12"]


def killed(folder, stop, workers):
    """Start the command and stop it, with its processes, once two chunks are done."""
    command = [sys.executable, "-m", "xabitha_env.cli.main", *COMMAND]
    process = subprocess.Popen(
        [*command, "--state", "run.jsonl", "--workers", str(workers)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    state, deadline = folder / "run.jsonl", time.monotonic() + 60
    while not state.exists() or state.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, stop)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.parametrize(("stop", "workers"), [(signal.SIGKILL, 1), (signal.SIGINT, 2)])
def test_a_run_that_is_killed_loses_nothing_that_was_done(tmp_path, monkeypatch, stop, workers):
    bot = tmp_path / "killed_bot.py"
    bot.write_text(BOT.format(seconds=0.005))
    status, err = killed(tmp_path, stop, workers)
    assert "Traceback" not in err
    if stop == signal.SIGINT:
        assert (status, err.splitlines()[-1]) == (130, "interrupted")
    state = tmp_path / "run.jsonl"
    done = state.read_bytes()
    assert 3 <= done.count(b"\n") < 1 + 6
    bot.write_text(BOT.format(seconds=0))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    results = []
    for arguments in (["--state", "run.jsonl"], []):
        assert main.run([*COMMAND, *arguments, "--json", "r.json", "--csv", "r.csv"]) == 0
        result = json.loads(Path("r.json").read_text())
        result.pop("timing")
        results.append((result, Path("r.csv").read_bytes()))
    assert results[0] == results[1]
    assert state.read_bytes().startswith(done[: done.rindex(b"\n") + 1])


def test_rows_survive_their_file(tmp_path):
    path = tmp_path / "run.jsonl"
    rows = np.zeros((1, 2), outcome_type("xabitha"))
    rows["margin"], rows["opened_a"] = 100 / 3, [[0.1, 0.2]]
    with keep(path, setup=XABITHA) as kept:
        kept.add(1, 5, rows, {"ann": Spent(3, 0.25)})
    with keep(path, setup=XABITHA) as kept:
        found, spent = kept.find(1, 5, 1)
        assert kept.find(1, 0, 1) is None and kept.find(0, 5, 1) is None
    assert found.tobytes() == rows.tobytes()
    assert spent == {"ann": Spent(3, 0.25)}
