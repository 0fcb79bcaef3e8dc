"""OpenSpiel: both games, and Xeri games that are small enough to solve; extra ``openspiel``.

Importing this registers ``python_xabitha``, ``python_xeri`` and ``python_small_xeri``, so that
`pyspiel.load_game` finds them.
"""

try:
    import pyspiel  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"playing in OpenSpiel needs open_spiel: install xabitha-env[openspiel] ({error})"
    ) from error

from xabitha_env.contrib.openspiel.small_game import SmallXeriGame, SmallXeriState
from xabitha_env.contrib.openspiel.table import TableGame, TableState, XabithaGame, XeriGame

__all__ = [
    "SmallXeriGame",
    "SmallXeriState",
    "TableGame",
    "TableState",
    "XabithaGame",
    "XeriGame",
]
