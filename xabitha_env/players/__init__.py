"""Players: the interface, the compiled ones, loading by name, and a table that seats them."""

from xabitha_env.players.base import Agent, View
from xabitha_env.players.compiled import CompiledPlayer
from xabitha_env.players.function import FunctionPlayer
from xabitha_env.players.loader import compiled_names, load_player, load_players
from xabitha_env.players.table import PlayerError, Table, ask

__all__ = [
    "Agent",
    "CompiledPlayer",
    "FunctionPlayer",
    "PlayerError",
    "Table",
    "View",
    "ask",
    "compiled_names",
    "load_player",
    "load_players",
]
