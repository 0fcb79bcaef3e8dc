"""Players by name, by ``module:Class`` or ``module:function``, from files, or as programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import parse_qsl, unquote_plus

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.games import engine_class
from xabitha_env.players.base import Agent
from xabitha_env.players.compiled import CompiledPlayer
from xabitha_env.players.function import FunctionPlayer
from xabitha_env.players.search import CheatingSearchAgent, SearchAgent

PlayerSpec: TypeAlias = "str | PathLike[str] | Agent | Callable[..., Any]"

CHECKPOINT = ".zip"
"""The ending of a saved Stable-Baselines3 model."""
PROGRAM = "stdio:"
"""The beginning of a program that is asked over its pipes; no module of this name is looked for."""
PLAYERS, FILES = "xabitha_env.players", "xabitha_env.player_files"
"""Groups of entry points by which packages add players: by name, and by the ending of a file."""
OPTIONS = "xabitha_env.player_options"
"""Entry points that change one thing about any player: called with the agent, the option's value (a
text) and ``game=``, they return another agent."""


SEARCHES: dict[str, type[SearchAgent]] = {
    agent.name: agent for agent in (SearchAgent, CheatingSearchAgent)
}


@cache
def added(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group whose packages are there, by name."""
    found = sorted(entry_points(group=group), key=lambda one: one.name)
    return {one.name: one for one in found if find_spec(one.module.partition(".")[0]) is not None}


def player_names(game: str = "xabitha") -> tuple[str, ...]:
    """Return the names of a game's players."""
    return (*compiled_names(game), *SEARCHES, *added(PLAYERS))


def compiled_names(game: str = "xabitha") -> tuple[str, ...]:
    """Return the names of a game's compiled players."""
    return tuple(engine_class(game).player_codes)


def load_player(spec: PlayerSpec, game: str = "xabitha") -> Agent:
    """Return the player that a specification names.

    Args:
        spec: a player's name, the searches optionally with arguments as in ``search?ms=50``;
            ``module:Class`` or ``module:function``, optionally with
            keyword arguments as in ``my_bot:Bot?depth=2&name=deep`` (a class is called with
            them, a function gets them with every decision; values that read as whole numbers
            are passed as such); ``stdio:PROGRAM ARGUMENT …`` for another program, as
            `xabitha_env.stdio.load_program` takes it; the path of a Stable-Baselines3 model,
            ``FILE.zip``; or a
            `Agent`, a class of players, or a function (observation, mask) -> action. Every player
            that is named by a text takes the options of installed packages among its arguments,
            as in ``greedy?declare=no``.
        game: the game that it is to play.

    Raises:
        ValueError: nothing of this name, or it is no player; the message says what there is.
        ImportError: a library that a saved model needs is missing.
    """
    if isinstance(spec, PathLike):
        spec = fspath(spec)
    if not isinstance(spec, str):
        return _as_player(spec, {}, getattr(spec, "__name__", type(spec).__name__))
    spec, chosen = _without_options(spec)
    player = _load_named(spec, game)
    for option, value in chosen:
        player = _with_option(player, option, value, game)
    return player


def _without_options(spec: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a specification without the options of `OPTIONS`, and these with their values."""
    name, _, query = spec.partition("?")
    kept, chosen = [], []
    for part in query.split("&") if query else ():
        key, _, value = part.partition("=")
        if key in added(OPTIONS):
            chosen.append((key, unquote_plus(value)))
        else:
            kept.append(part)
    return (f"{name}?{'&'.join(kept)}" if kept else name), sorted(chosen)


def _with_option(player: Agent, option: str, value: str, game: str) -> Agent:
    spec = f"{player.name}{'&' if '?' in player.name else '?'}{option}={value}"
    changed = _made(lambda: added(OPTIONS)[option].load()(player, value, game=game), spec)
    changed.name = spec
    return changed


def _load_named(spec: str, game: str) -> Agent:
    name, _, query = spec.partition("?")
    if spec.startswith(PROGRAM):
        return _load_program(spec, game)
    ending = Path(name).suffix.lower()
    if ending == CHECKPOINT:
        return _load_checkpoint(spec)
    if ending[1:] in added(FILES):
        return _load_added(added(FILES)[ending[1:]], spec, game, path=name)
    if ":" in spec:
        return _load_attribute(spec)
    if spec in compiled_names(game):
        return CompiledPlayer(spec)
    if name in SEARCHES:
        return _as_player(SEARCHES[name], _arguments(spec, query), name)
    if name in added(PLAYERS):
        return _load_added(added(PLAYERS)[name], spec, game)
    names = player_names(game)
    close = get_close_matches(spec, names, 1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    files = " or ".join(
        f"FILE{one}" for one in (CHECKPOINT, *("." + name for name in added(FILES)))
    )
    raise ValueError(
        f"no player {spec!r}; {hint}there are {', '.join(names)}, module:Class, module:function, "
        f"stdio:PROGRAM, or a saved model {files}"
    )


def load_players(specs: Sequence[PlayerSpec], game: str = "xabitha") -> tuple[Agent, ...]:
    """Return four players by seat from one specification for all, two by team, or four by seat.

    Seats with the same specification share one player, which then decides for them in one call.

    Raises:
        ValueError: another number of them, or as in `load_player`.
    """
    if len(specs) not in (1, NUM_TEAMS, NUM_SEATS):
        raise ValueError(
            f"{len(specs)} players: name one for all seats, two (seats 0 and 2, seats 1 and 3) "
            "or four by seat"
        )
    loaded: list[tuple[PlayerSpec, Agent]] = []
    for spec in specs:
        known = next((player for name, player in loaded if _same(name, spec)), None)
        loaded.append((spec, known or load_player(spec, game)))
    return tuple(loaded[seat % len(loaded)][1] for seat in range(NUM_SEATS))


def _same(first: PlayerSpec, second: PlayerSpec) -> bool:
    return first is second or (isinstance(first, str) and first == second)


def _load_checkpoint(spec: str) -> Agent:
    if not Path(spec).is_file():
        raise ValueError(f"no player {spec!r}: there is no such file")
    try:
        from xabitha_env.contrib.sb3 import load_player as load_sb3_player
    except ImportError as error:
        raise ImportError(
            f"player {spec!r} needs Stable-Baselines3: install xabitha-env[train] ({error})"
        ) from error
    return cast(Agent, load_sb3_player(spec))


def _load_program(spec: str, game: str) -> Agent:
    from xabitha_env.stdio.naming import load_program  # what speaks to programs is above players

    command, _, query = spec.partition("?")
    return load_program(command, _arguments(spec, query), load_player, game)


def _load_added(entry: EntryPoint, spec: str, game: str, **more: Any) -> Agent:
    """Return the player that an added package makes for a game."""
    arguments = {**more, **_arguments(spec, spec.partition("?")[2])}
    return _made(lambda: entry.load()(game=game, **arguments), spec)


def _made(make: Callable[[], Any], spec: str) -> Agent:
    """Return what an added package makes, or say why it does not."""
    try:
        return cast(Agent, make())
    except ImportError as error:
        raise ImportError(
            f"player {spec!r} needs more than the library: install xabitha-env[train] ({error})"
        ) from error
    except Exception as error:  # whatever is wrong with a file, or with arguments
        raise ValueError(f"player {spec!r} cannot be made: {error}") from error


def _load_attribute(spec: str) -> Agent:
    target, _, query = spec.partition("?")
    module_name, _, attribute = target.partition(":")
    try:
        found: Any = import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever a foreign module does when it is imported
        raise ValueError(f"no player {spec!r}: {type(error).__name__}: {error}") from error
    return _as_player(found, _arguments(spec, query), attribute)


def _arguments(spec: str, query: str) -> dict[str, Any]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as error:
        raise ValueError(f"player {spec!r}: arguments are written ?key=value&key=value") from error
    return {key: _number_or_text(value) for key, value in pairs}


def _number_or_text(value: str) -> int | str:
    try:
        return int(value)
    except ValueError:
        return value


def _as_player(found: Any, arguments: dict[str, Any], name: str) -> Agent:
    """Return a player object, or one made of a class or a function."""
    if inspect.isclass(found):
        try:
            found, arguments = found(**arguments), {}
        except Exception as error:
            raise ValueError(
                f"player {name!r} cannot be made: {type(error).__name__}: {error}"
            ) from error
    if hasattr(found, "act") and hasattr(found, "reset"):
        if arguments:
            raise ValueError(f"player {name!r} is made already and takes no arguments")
        if not isinstance(getattr(found, "name", None), str):
            raise ValueError(f"player {name!r} has no name: give it an attribute 'name', a text")
        return cast(Agent, found)
    if not callable(found):
        raise ValueError(
            f"{name!r} is no player: it needs name, reset(engine, seed) and act(view), or to be a "
            "function of (observation, mask)"
        )
    return FunctionPlayer(partial(found, **arguments) if arguments else found, name)
