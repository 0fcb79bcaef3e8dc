"""``xabitha verify``: check recorded matches against the rules."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xabitha_env.cli.options import JsonOption, QuietOption

if TYPE_CHECKING:
    from xabitha_env.record import Difference, RecordProblem

SHOWN = 300
"""Characters of a value that a line of the report shows; JSON has all of them."""


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="*.jsonl or *.jsonl.gz")],
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Check recorded matches move by move against the rules.

    Reports the first difference of each match, and each line that is no valid record. Lines
    count from 1; matches, rounds and events from 0. The exit status is 1 if anything differed
    and 2 if a file could not be read.

    \b
    Examples:
      xabitha verify games.jsonl.gz
      xabitha verify --json first.jsonl second.jsonl.gz
    """
    reports = [_verify(path, as_json, quiet) for path in files]
    if as_json:
        print(json.dumps({"files": [asdict(report) for report in reports]}))
    elif not quiet:
        _print_table(reports)
    if any(report.error for report in reports):
        raise typer.Exit(2)
    if any(report.differences or report.problems for report in reports):
        raise typer.Exit(1)


@dataclass
class Report:
    """What was found in one file."""

    file: str
    matches: int = 0
    agree: int = 0
    differences: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None

    def add(self, line: int, found: Difference | RecordProblem | None) -> str | None:
        """Count a line of the file; returns what to tell about it."""
        from xabitha_env.record import Difference

        self.matches += 1
        if found is None:
            self.agree += 1
            return None
        if not isinstance(found, Difference):
            self.problems.append(found._asdict())
            return f"{self.file}: {found}"
        entry = {"line": line, "match": line - 1, "path": found.path, **found._asdict()}
        self.differences.append(entry)
        return f"{self.file}: {_told(entry)}"


def _verify(path: Path, as_json: bool, quiet: bool) -> Report:
    from xabitha_env.cli.output import progress_bar
    from xabitha_env.record import FileError, verify_file

    report = Report(str(path))
    texts = []
    size = path.stat().st_size if path.is_file() else None
    try:
        with progress_bar(path.name, size, quiet) as move:
            texts = [report.add(line, found) for line, found in verify_file(path, move)]
    except FileError as error:
        report.error = str(error)
    if not as_json:
        for text in filter(None, texts):
            print(text)
    if report.error:
        print("error:", report.error, file=sys.stderr)
    return report


def _told(entry: dict[str, Any]) -> str:
    """Return a difference as one line."""
    places = [
        f"{name} {entry[name]}"
        for name in ("line", "match", "round", "event")
        if entry[name] is not None
    ]
    given, own = entry["given"], entry["own"]
    if isinstance(given, list) and isinstance(own, list):
        given, own = _only(given, own) or given, _only(own, given) or own
    return f"{', '.join(places)}: {entry['field']}: record {_shown(given)}, rules {_shown(own)}"


def _only(items: list[Any], others: list[Any]) -> list[Any]:
    return [item for item in items if item not in others]


def _shown(value: Any) -> str:
    """Return a value on one line, of bounded length, without control characters."""
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value)
    text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
    return text if len(text) <= SHOWN else text[:SHOWN] + " ..."


def _print_table(reports: list[Report]) -> None:
    from xabitha_env.cli.output import print_table

    rows = [
        (report.file, report.matches, report.agree, len(report.differences), len(report.problems))
        for report in reports
    ]
    print_table("verified", ("file", "matches", "agree", "differ", "invalid"), rows)
