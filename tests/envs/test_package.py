"""Importing the package: what it loads, how long it takes, and that it can be repeated."""

from __future__ import annotations

import subprocess
import sys

CHECK = """
import importlib, sys
import xabitha_env
import gymnasium, pettingzoo
heavy = {"numba", "torch", "stable_baselines3", "rich", "typer"} & set(sys.modules)
assert not heavy, heavy
assert "xabitha_env/Xabitha-v0" in gymnasium.registry
assert "xabitha_env/Xabitha-v0" in pettingzoo.aec_registry
importlib.reload(xabitha_env)
"""


def test_import_is_light_and_can_be_repeated():
    subprocess.run([sys.executable, "-W", "error", "-c", CHECK], check=True, timeout=60)
