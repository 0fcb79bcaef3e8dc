"""Xeri for PettingZoo: `env` checks the order of calls, `raw_env` is the bare environment."""

from xabitha_env.envs.entry import entry_points

env, raw_env = entry_points("xeri", "xeri_v0")
