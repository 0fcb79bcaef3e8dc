"""Programs named by a text, wherever players are named."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from xabitha_env.players.base import Agent
from xabitha_env.players.loader import PROGRAM
from xabitha_env.stdio.agent import SECONDS, StdioAgent

FALLBACK = "greedy"

Maker: TypeAlias = Callable[[str, str], Agent]
"""Returns the player of a specification, and of a game."""


def load_program(spec: str, arguments: Mapping[str, Any], make: Maker, game: str) -> StdioAgent:
    """Return the player of a specification ``stdio:PROGRAM ARGUMENT …``.

    Args:
        spec: the specification without its arguments of ``?key=value``: words as in a shell, in
            which a comma, a plus, a question mark or a percent sign is written ``%2C``, ``%2B``,
            ``%3F``, ``%25``.
        arguments: ``seconds``, ``tries``, ``fallback`` and ``restart`` (0 or 1), where given.
        make: returns the fallback.
        game: the game that is to be played.

    Raises:
        ValueError: unbalanced quotes, no program, or an argument that is unknown or wrong.
    """
    try:
        words = shlex.split(unquote(spec.removeprefix(PROGRAM)))
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    options = dict(arguments)
    known = ("seconds", "tries", "fallback", "restart")
    if unknown := set(options) - set(known):
        raise ValueError(
            f"player {spec!r} has no argument {min(unknown)!r}; there are {', '.join(known)}"
        )
    if options.setdefault("restart", 0) not in (0, 1):
        raise ValueError(f"player {spec!r}: restart must be 0 or 1, not {options['restart']!r}")
    options["restart"] = bool(options["restart"])
    seconds = options.pop("seconds", SECONDS)
    try:
        seconds = float(seconds)
    except ValueError:
        raise ValueError(f"player {spec!r}: seconds must be a number, not {seconds!r}") from None
    fallback = make_fallback(str(options.pop("fallback", FALLBACK)), make, game)
    try:
        return StdioAgent(words, fallback, seconds=seconds, **options)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None


def make_fallback(spec: str, make: Maker, game: str) -> Agent:
    """Return the player that stands in for a program.

    Raises:
        ValueError: it is a program itself, or as `make` raises.
    """
    if spec.startswith(PROGRAM):
        raise ValueError(f"the fallback {spec!r} must not be a program itself")
    return make(spec, game)
