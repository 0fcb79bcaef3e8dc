"""The command `xabitha play`."""

from __future__ import annotations

import builtins
import os
import pty
import select
import subprocess
import sys
import time

from tests.terminal.driving import go, new_match
from xabitha_env.cli.main import run
from xabitha_env.record import read_records, verify_record
from xabitha_env.terminal.saving import load_match, save_match


def error_of(capsys, *arguments: str) -> str:
    """The one line with which the command refuses these arguments."""
    assert run(["play", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and err.count("\n") == 1
    return err


def test_wrong_use_is_told_in_one_line(capsys, tmp_path):
    (tmp_path / "old.json").write_text("{}")
    assert "no player 'nobody'" in error_of(capsys, "--players", "nobody")
    assert "no player 'nobody'" in error_of(capsys, "--hints", "nobody")
    assert "3 players" in error_of(capsys, "--players", "random,random,random")
    assert "no game 'whist'" in error_of(capsys, "--game", "whist")
    assert "num_rounds" in error_of(capsys, "--rule", "num_rounds=0")
    assert "seat" in error_of(capsys, "--seat", "4")
    assert "cannot write" in error_of(capsys, "--save", str(tmp_path / "no" / "m.json"))
    assert "there already" in error_of(capsys, "--save", str(tmp_path / "old.json"))
    assert "*.jsonl" in error_of(capsys, "--record", str(tmp_path / "m.txt"))
    assert "no saved match" in error_of(capsys, "--continue", str(tmp_path / "old.json"))
    assert "cannot read" in error_of(capsys, "--continue", str(tmp_path / "missing"))
    assert "needs a terminal" in error_of(capsys, "--players", "random")


def test_what_the_match_brings_along_cannot_be_given_again(capsys, tmp_path):
    path = tmp_path / "m.json"
    save_match(path, new_match("xeri"))
    for option in ("--seat=1", "--game=xeri", "--players=random", "--rounds=1", "--seed=1"):
        name = option.partition("=")[0]
        assert f"{name} cannot be given with --continue" in error_of(
            capsys, "--continue", str(path), option
        )


def test_without_textual_the_extra_is_named(capsys, monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name == "textual":
            raise ImportError("no textual")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    assert "playing in the terminal needs textual: install xabitha-env[play]" in error_of(capsys)


def in_terminal(keys: list[tuple[str, bytes]], *arguments: str) -> str:
    """Run the command in a terminal: once a text was seen, press its keys; returns the output."""
    own, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "xabitha_env.cli.main", "play", *arguments]
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment)
    os.close(its)
    seen, start, deadline = b"", 0, time.monotonic() + 120
    left = list(keys)
    try:
        while time.monotonic() < deadline:
            if select.select([own], [], [], 0.1)[0]:
                try:
                    seen += os.read(own, 65536)
                except OSError:  # the other end is closed
                    break
            elif left and left[0][0].encode() in seen[start:]:
                start = len(seen)
                os.write(own, left.pop(0)[1])
        assert process.wait(20) == 0, seen[-3000:]
    finally:
        process.kill()
        os.close(own)
    return seen.decode(errors="replace")


def test_a_match_in_a_terminal_is_saved_and_continued(tmp_path):
    """Two moves, saved on quitting; the rest is the match that was never interrupted."""
    path, record = tmp_path / "m.json", tmp_path / "m.jsonl"
    common = ("--game", "xeri", "--seat", "1", "--players", "greedy", "--seed", "5")
    out = in_terminal(
        [("play:", b"\r"), ("play:", b"q")],
        *(*common, "--rounds", "1", "--save", str(path), "--record", str(record)),
    )
    assert f"xabitha play --continue {path}" in out
    match = load_match(path)
    assert match.setup.seat == 1 and match.played >= 4
    [(_, cut)] = read_records(record)
    assert cut == match.record and verify_record(cut) is None
    played = match.played
    in_terminal([("play:", b"\r"), ("play:", b"q")], "--continue", str(path))
    again = load_match(path)
    assert (
        again.played > played
        and again.record["rounds"][0]["events"][:played] == (match.record["rounds"][0]["events"])
    )
    assert go(again).over
