"""The entry point of the ``xabitha`` command: commands, exit statuses, one-line errors.

A command is a function in the file of its name in this folder, listed in `COMMANDS`. It imports
what is slow inside the function, raises `ValueError`, `OSError` or `ImportError` with a clear
message for wrong use, and `typer.Exit(DIFFERENT)` for a negative answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, NoReturn

import typer

COMMANDS = (
    "record",
    "verify",
    "replay",
    "play",
    "tournament",
    "crossplay",
    "survival",
    "research",
    "curves",
    "bench",
    "seat",
    "conformance",
)

OK, DIFFERENT, WRONG_USE = 0, 1, 2
INTERNAL_ERROR = 70
INTERRUPTED = 130
BROKEN_PIPE = 141

DISTRIBUTION = "xabitha-env"
DEBUG_VARIABLE = "XABITHA_DEBUG"
"""An environment variable; when set, errors keep their tracebacks."""

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich's tables cut off option names in a narrow terminal
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in COMMANDS:
    _module = import_module(f"xabitha_env.cli.{_name}")
    app.command(_name, context_settings=getattr(_module, "SETTINGS", None))(getattr(_module, _name))


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            print(f"xabitha {version(DISTRIBUTION)}")
        except PackageNotFoundError:
            print("xabitha (not installed)")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    wants_version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Play, record and check matches of four-player partnership card games."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (those of the process by default).

    Returns:
        The exit status: 0, 1 for differences, 2 for wrong use (one line on standard error says
        which), 130 when interrupted, 141 when standard output was closed.
    """
    for stream in (sys.stdout, sys.stderr):  # no text is unprintable
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = app(args=arguments, prog_name="xabitha", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except SystemExit as error:  # how typer and rich end when the pipe breaks
        status = BROKEN_PIPE if isinstance(error.__context__, BrokenPipeError) else error.code
    except BrokenPipeError:
        status = BROKEN_PIPE
    except Exception as error:
        if DEBUG_VARIABLE in os.environ:
            raise
        status = _report(error)
    if status == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    _end_output()
    return status if isinstance(status, int) else OK


def _report(error: Exception) -> int:
    """Print an error as one line and return the exit status."""
    status, message = WRONG_USE, str(error)
    if (usage := getattr(error, "format_message", None)) is not None:  # typer's own errors
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context is not None else ""
        message = usage() + hint
    elif not isinstance(error, ValueError | OSError | ImportError):
        status = INTERNAL_ERROR
        message = (
            f"this should not happen: {type(error).__name__}: {error} "
            f"({DEBUG_VARIABLE}=1 shows where)"
        )
    print("error:", " ".join(message.split("\n")), file=sys.stderr)
    return status


def _end_output() -> None:
    """Throw away what standard output does not take, so that the interpreter does not complain."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> NoReturn:
    """Run the command and end the process with its exit status."""
    sys.path.append(os.getcwd())  # players of `module:Class` may lie where the user is
    sys.exit(run())


if __name__ == "__main__":
    main()
