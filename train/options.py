"""Command lines made of a dataclass: a flag a field, with its help text; errors are one line."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")
ByGame = Mapping[str, Mapping[str, Any]]


def option(default: Any, text: str, least: float | None = None) -> Any:
    """Return a dataclass field with a help text and, for a number, its smallest value."""
    return field(default=default, metadata={"help": text, "least": least})


def flag(name: str) -> str:
    """Return the flag of a field."""
    return "--" + name.replace("_", "-")


def check_numbers(args: Any) -> None:
    """Check that the numbers of arguments are not below their smallest values.

    Raises:
        ValueError: one is; the message names it.
    """
    for one in fields(args):
        value, least = getattr(args, one.name), one.metadata["least"]
        if least is not None and not least <= value < math.inf:
            raise ValueError(f"{flag(one.name)} must be at least {least}, not {value}")


class _Parser(argparse.ArgumentParser):
    """A parser that raises its errors."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see --help)")


def parse(
    made: Callable[..., T],
    module: str,
    description: str,
    arguments: Sequence[str] | None = None,
    smoke: Mapping[str, Any] | None = None,
    by_game: ByGame | None = None,
) -> T:
    """Return the arguments of a command line (that of the process by default).

    Args:
        made: the dataclass; a field that is true by default gets a flag ``--no-NAME``.
        module: how the command is run, ``python -m MODULE``.
        description: what it does.
        arguments: the command line.
        smoke: values that ``--smoke`` makes the defaults.
        by_game: values that ``--game`` makes the defaults.

    Raises:
        ValueError: no such option, or no value of its type.
    """
    parser = _Parser(
        prog=f"python -m {module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    for one in fields(made):  # type: ignore[arg-type]
        name, text = flag(one.name), one.metadata["help"]
        if isinstance(one.default, bool):
            given = "--no-" + name[2:] if one.default else name
            action = "store_false" if one.default else "store_true"
            text = f"without: {text}" if one.default else text
            parser.add_argument(given, dest=one.name, action=action, help=text)
            continue
        others = [
            f"; {game}: {own[one.name]}" for game, own in (by_game or {}).items() if one.name in own
        ]
        if one.default not in ("", None):
            text += f" (default: {one.default}{''.join(others)})".replace("%", "%%")
        parser.add_argument(name, type=type(one.default), help=text)
    parser.add_argument("--smoke", action="store_true", help="defaults that take only seconds")
    values = vars(parser.parse_args(arguments))
    quick = (smoke or {}) if values.pop("smoke", False) else {}
    own = (by_game or {}).get(values.get("game", ""), {})
    return made(**{**own, **quick, **values})


def command(module: str, args: Any, by_game: dict[str, dict[str, Any]] | None = None) -> str:
    """Return the command line of arguments; those at their defaults are left out.

    Args:
        module: what is run.
        args: its arguments.
        by_game: as for `parse`.
    """
    words, own = ["python -m", module], (by_game or {}).get(getattr(args, "game", ""), {})
    for one in fields(args):
        value = getattr(args, one.name)
        if value == own.get(one.name, one.default):
            continue
        name = flag(one.name)
        if isinstance(value, bool):
            words.append(name if value else "--no-" + name[2:])
        else:
            words += [name, shlex.quote(str(value))]
    return " ".join(words)


def guarded(work: Callable[[], Any]) -> int:
    """Do a command's work; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError, ImportError) as error:
        print("error:", " ".join(str(error).split("\n")), file=sys.stderr)
        return 2
    return 0
