"""The matches of a file: which there are, and one of them as frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from xabitha_env.record import RecordProblem, read_records
from xabitha_env.replay.frames import printable


class MatchLine(NamedTuple):
    """A match in a list.

    Attributes:
        number: its line in the file, from 1.
        text: who played and what came of it, or what is wrong with the line.
    """

    number: int
    text: str


def read_match(path: Path, number: int = 1) -> dict[str, Any]:
    """Return the record of one match of a file, its structure checked.

    Args:
        path: a file of records.
        number: the match, from 1, which is its line.

    Raises:
        FileError: the file cannot be read.
        ValueError: there is no such match, or its line is no record.
    """
    line = 0
    for line, found in read_records(path):
        if line == number and isinstance(found, RecordProblem):
            raise ValueError(f"{path}: {found}")
        if line == number:
            return found  # type: ignore[return-value]
    lines = "1 line" if line == 1 else f"{line} lines"
    raise ValueError(f"{path} has {lines}; there is no match {number}")


def list_matches(path: Path) -> Iterator[MatchLine]:
    """Give the matches of a file, one line of it at a time.

    Raises:
        FileError: the file cannot be read.
    """
    for line, found in read_records(path):
        wrong = isinstance(found, RecordProblem)
        yield MatchLine(line, str(found) if wrong else _summary(found))  # type: ignore[arg-type]


def _summary(record: Mapping[str, Any]) -> str:
    names = [printable(name) for name in record["agents"]]
    teams = " against ".join(" + ".join(names[team::2]) for team in (0, 1))
    result = record["result"]
    score = "cut off" if result is None else "{} : {}".format(*result["totals"])
    return f"{record['game']}  {teams}  {score}"
