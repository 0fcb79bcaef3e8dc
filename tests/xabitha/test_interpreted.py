"""Kernels give the same compiled and as plain Python (``NUMBA_DISABLE_JIT=1``)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.xabitha.fingerprint import fingerprint
from xabitha_env._jit import INTERPRETED


def fingerprint_of_the_other_way() -> str:
    """What a process prints that compiles if this one does not, and the other way round."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0" if INTERPRETED else "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.xabitha.fingerprint"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.interpreted
def test_compiled_and_interpreted_play_are_the_same() -> None:
    """Observations, masks, lists, rewards, choices, searches, states of some hundred decisions."""
    digest, moves = fingerprint()
    wanted = ("add", "steal", "meld", "open", "formation", "reshuffle", "search")
    assert all(moves[name] for name in wanted), moves
    assert fingerprint_of_the_other_way() == str((digest, moves))
