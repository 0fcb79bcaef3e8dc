"""Players: the interface, the compiled ones, loading by name, and a table that seats them."""

from xabitha_env.players.base import Agent, View
from xabitha_env.players.compiled import CompiledPlayer
from xabitha_env.players.function import FunctionPlayer
from xabitha_env.players.loader import compiled_names, load_player, load_players, player_names
from xabitha_env.players.opinion import Opinion, opinion_of
from xabitha_env.players.search import CheatingSearchAgent, SearchAgent, Verdict
from xabitha_env.players.table import PlayerError, Table, ask
from xabitha_env.players.worlds import draw_worlds

__all__ = [
    "Agent",
    "CheatingSearchAgent",
    "CompiledPlayer",
    "FunctionPlayer",
    "Opinion",
    "PlayerError",
    "SearchAgent",
    "Table",
    "Verdict",
    "View",
    "ask",
    "compiled_names",
    "draw_worlds",
    "load_player",
    "load_players",
    "opinion_of",
    "player_names",
]
