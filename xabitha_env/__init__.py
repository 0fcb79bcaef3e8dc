"""Xabitha and Xeri, two partnership card games, as fast reinforcement-learning environments.

Importing the package registers ``xabitha_env/Xabitha-v0`` and ``xabitha_env/Xeri-v0`` in
Gymnasium and in PettingZoo. It
compiles nothing and loads no engine; what needs one is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from xabitha_env.games import GAMES, make_engine, make_rules

if TYPE_CHECKING:
    from xabitha_env import xabitha_v0, xeri_v0
    from xabitha_env.players import load_player
    from xabitha_env.record import (
        read_records,
        record_matches,
        verify_file,
        verify_record,
        write_records,
    )
    from xabitha_env.xabitha.rules import XabithaRules
    from xabitha_env.xeri.rules import XeriRules

    __version__: str

__all__ = [
    "GAMES",
    "XabithaRules",
    "XeriRules",
    "__version__",
    "load_player",
    "make_engine",
    "make_rules",
    "read_records",
    "record_matches",
    "verify_file",
    "verify_record",
    "write_records",
    "xabitha_v0",
    "xeri_v0",
]

_HOMES = {
    "XabithaRules": "xabitha.rules",
    "XeriRules": "xeri.rules",
    "load_player": "players",
    "read_records": "record",
    "record_matches": "record",
    "verify_file": "record",
    "verify_record": "record",
    "write_records": "record",
}
"""Where the names are that are imported when they are first asked for."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = _version()
    elif name in ("xabitha_v0", "xeri_v0"):
        value = import_module(f"{__name__}.{name}")
    elif name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("xabitha-env")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _register(game: str, env_id: str, module: str) -> None:
    """Register a game's environments, once."""
    if env_id not in gymnasium.registry:
        gymnasium.register(
            id=env_id,
            entry_point="xabitha_env.envs.single_agent:SingleAgentEnv",
            vector_entry_point="xabitha_env.envs.vector:TablesVectorEnv",
            kwargs={"game": game},
        )
    if env_id not in pettingzoo.aec_registry:
        pettingzoo.register("aec", env_id, f"{module}:env")


_register("xabitha", "xabitha_env/Xabitha-v0", "xabitha_env.xabitha_v0")
_register("xeri", "xabitha_env/Xeri-v0", "xabitha_env.xeri_v0")
