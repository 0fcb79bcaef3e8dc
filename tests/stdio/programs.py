"""Programs that misbehave, as small Python scripts over the protocol."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

HEAD = """
import json, os, signal, subprocess, sys, time
def say(message): print(json.dumps(message), flush=True)
count = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "ready"})
    elif message["type"] == "decide":
        count += 1
        first = {"move": message["legal"][0], "id": message["id"]}
"""
"""A body follows, at the depth of an answer to a question; `count` is its number, from 1."""


def program(folder: Path, body: str, name: str = "bot.py") -> list[str]:
    """Write a program with this answer to a question; returns how it is run."""
    path = folder / name
    lines = "\n".join("        " + line for line in body.splitlines())
    path.write_text(HEAD + lines + "\n")
    return [sys.executable, str(path)]


def script(folder: Path, text: str, name: str = "script.py") -> list[str]:
    """Write a program of its own; returns how it is run."""
    path = folder / name
    path.write_text(text)
    return [sys.executable, str(path)]


def gone(pid: int, seconds: float = 5.0) -> bool:
    """Whether a process is gone, or only a zombie, within some time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        status = Path(f"/proc/{pid}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False
