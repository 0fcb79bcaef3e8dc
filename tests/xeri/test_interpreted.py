"""Players and searches do the same compiled and as plain Python (``NUMBA_DISABLE_JIT=1``)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.xeri.fingerprint import fingerprint
from xabitha_env._jit import INTERPRETED


def fingerprint_of_the_other_way() -> str:
    """What a process prints that compiles if this one does not, and the other way round."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0" if INTERPRETED else "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.xeri.fingerprint"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.interpreted
def test_compiled_and_interpreted_players_do_the_same() -> None:
    """Choices, candidates, worlds and results of some dozen decisions."""
    digest, decisions = fingerprint()
    assert decisions > 25
    assert fingerprint_of_the_other_way() == str((digest, decisions))
