"""``xabitha replay``: look at a recorded match again, in the terminal or as a page."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xabitha_env.cli.options import QuietOption

if TYPE_CHECKING:
    from xabitha_env.replay import Replay

_PLACE = re.compile(r"(\d{1,6})(?::(\d{1,6}))?", re.ASCII)


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="*.jsonl or *.jsonl.gz")],
    match: Annotated[int, typer.Option("--match", min=1, help="Which match of the file.")] = 1,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="ROUND:EVENT", help="Where to begin, such as 2:57."),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Print it, as is done where no terminal is.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page instead.")
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Step through a recorded match, with all hands open.

    Matches, rounds and events count from 1; event 0 is the deal. A match that departs from the
    rules is not shown. In the terminal, ? lists the keys (extra: play).

    \b
    Examples:
      xabitha replay games.jsonl.gz --at 2:57
      xabitha replay games.jsonl.gz --match 3 --html match.html
      xabitha replay games.jsonl.gz --text | less
    """
    from xabitha_env.files import check_place

    round_event = None if at is None else _place(at)
    if html is not None:
        if text or at is not None:
            raise ValueError("--html goes with neither --text nor --at: #r2e57 leads into a page")
        check_place(html)
    shown = _load(file, match)
    index = 0 if round_event is None else _find(shown, round_event)
    if html is not None:
        _write(html, shown, quiet)
    elif text or not sys.stdout.isatty():
        _print(shown, index)
    else:
        _step_through(file, match, shown, index)


def _place(text: str) -> tuple[int, int]:
    found = _PLACE.fullmatch(text)
    if found is None:
        raise ValueError(f"--at {text}: write it as ROUND:EVENT, such as 2:57, or as ROUND")
    return int(found[1]), int(found[2] or 0)


def _find(shown: Replay, place: tuple[int, int]) -> int:
    try:
        return shown.find(*place)
    except ValueError as error:
        raise ValueError(f"--at {place[0]}:{place[1]}: {error}") from None


def _load(file: Path, number: int) -> Replay:
    """Read a match; one that departs from the rules is refused in the words of ``verify``."""
    from xabitha_env.cli.verify import Report
    from xabitha_env.replay import RecordDiffers, read_match, replay

    record = read_match(file, number)
    try:
        return replay(record)
    except RecordDiffers as error:
        raise ValueError(Report(str(file)).add(number, error.difference)) from None


def _write(html: Path, shown: Replay, quiet: bool) -> None:
    from xabitha_env.files import write_text
    from xabitha_env.replay import page_html

    page = page_html(shown)
    write_text(html, page)
    if not quiet:
        print(f"{html}: {len(shown.frames)} frames, {len(page.encode()) / 1024:.0f} KiB")


def _print(shown: Replay, index: int) -> None:
    from xabitha_env.replay.text import replay_text

    for block in replay_text(shown, index):
        print(block)


def _step_through(file: Path, number: int, shown: Replay, index: int) -> None:
    try:
        from xabitha_env.terminal.replay import ReplayApp, Source
    except ImportError as error:
        raise ImportError(
            f"stepping through a match needs textual: install xabitha-env[play] ({error}); "
            "--text and --html work without"
        ) from error
    from xabitha_env.replay import list_matches

    source = Source(partial(_load, file), partial(list_matches, file))
    ReplayApp(source, number, shown, index).run()
