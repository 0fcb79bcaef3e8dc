"""Command lines made of a dataclass: a flag a field, with its help text; errors are one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")


def option(default: Any, text: str) -> Any:
    """Return a dataclass field with a help text."""
    return field(default=default, metadata={"help": text})


def flag(name: str) -> str:
    """Return the flag of a field."""
    return "--" + name.replace("_", "-")


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        print(f"error: {message} (see --help)", file=sys.stderr)
        sys.exit(2)


class _Help(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Shows defaults, and leaves the description as it is."""


def parse(
    made: Callable[..., T],
    smoke: Mapping[str, Any],
    module: str,
    description: str,
    arguments: Sequence[str] | None = None,
) -> T:
    """Return the arguments of a command line (that of the process by default).

    Args:
        made: the dataclass; a field that is a bool becomes ``--name`` and ``--no-name``.
        smoke: values of its fields that ``--smoke`` makes the defaults.
        module: how the command is run, ``python -m MODULE``.
        description: what it does.
        arguments: the command line.
    """
    parser = _Parser(
        prog=f"python -m {module}",
        description=description,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    for one in fields(made):  # type: ignore[arg-type]
        details: dict[str, Any] = {"default": one.default, "help": one.metadata["help"]}
        if isinstance(one.default, bool):
            details["action"] = argparse.BooleanOptionalAction
        else:
            details["type"] = type(one.default)
        parser.add_argument(flag(one.name), **details)
    parser.add_argument("--smoke", action="store_true", help="defaults that take only seconds")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "--smoke" in given:
        parser.set_defaults(**smoke)
    chosen = vars(parser.parse_args(given))
    chosen.pop("smoke")
    return made(**chosen)


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
