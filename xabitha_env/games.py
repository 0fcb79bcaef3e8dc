"""The games by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xabitha_env.protocol import Engine, Rules

if TYPE_CHECKING:
    from xabitha_env.xabitha.engine import XabithaEngine
    from xabitha_env.xabitha.rules import XabithaRules
    from xabitha_env.xeri.engine import XeriEngine
    from xabitha_env.xeri.rules import XeriRules

GAMES = ("xabitha", "xeri")


def _check(game: str) -> None:
    if game not in GAMES:
        raise ValueError(f"no game {game!r}; there are {', '.join(GAMES)}")


def make_rules(game: str, fields: Mapping[str, Any] | None = None) -> Rules:
    """Return a game's rules configuration with some fields set.

    Raises:
        ValueError: unknown game or field, or a value out of its range (the message says which).
    """
    return rules_class(game).from_dict(fields or {})


def rules_class(game: str) -> type[XabithaRules] | type[XeriRules]:
    """Return a game's class of rules configurations."""
    _check(game)
    if game == "xeri":
        from xabitha_env.xeri.rules import XeriRules

        return XeriRules
    from xabitha_env.xabitha.rules import XabithaRules

    return XabithaRules


def engine_class(game: str) -> type[XabithaEngine] | type[XeriEngine]:
    """Return a game's engine class; importing it takes half a second, so it is done here."""
    _check(game)
    if game == "xeri":
        from xabitha_env.xeri.engine import XeriEngine

        return XeriEngine
    from xabitha_env.xabitha.engine import XabithaEngine

    return XabithaEngine


def make_engine(game: str, num_games: int = 1, **options: Any) -> Engine:
    """Return an engine for N games; options are those of the game's engine class."""
    return engine_class(game)(num_games, **options)
