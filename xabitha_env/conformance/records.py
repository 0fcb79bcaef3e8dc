"""Records that an engine in any language wrote of the sample matches, compared with the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xabitha_env.conformance.report import FAIL, PASS, Finding
from xabitha_env.conformance.samples import sample_records
from xabitha_env.record import Difference, RecordProblem, read_records
from xabitha_env.record.fields import FORMATS
from xabitha_env.record.files import PathName
from xabitha_env.record.verify import verify_record

Record = dict[str, Any]
HEADER = ("format", "version", "game", "rules", "seed", "agents")
GIVEN = ("move", "reshuffled")
"""What of an event a task tells; the rest is for the engine to find out."""
SHOWN = 160


def tasks(records: Iterable[Record]) -> Iterator[Record]:
    """Yield matches as tasks: the deals, the moves and what chance did, and nothing that follows.

    An engine reads them and writes whole records, one a line in the same order, with the list of
    legal moves at every decision.
    """
    for record in records:
        form = FORMATS[record["game"]]
        yield {
            **{name: record[name] for name in HEADER},
            "rounds": [
                {
                    **_given_head(entry, form.head, () if not number else form.follows),
                    "events": [
                        {name: event[name] for name in GIVEN if name in event}
                        for event in entry["events"]
                    ],
                }
                for number, entry in enumerate(record["rounds"])
            ],
        }


def _given_head(entry: Record, head: tuple[str, ...], follows: tuple[str, ...]) -> Record:
    return {name: entry[name] for name in head if name in entry and name not in follows}


def check_records(path: PathName) -> list[Finding]:
    """Compare a file of records with the samples of the games that it holds.

    Each record must be of the sample in its place (the same deals and moves), have the legal moves
    at every decision, and agree with the rules.

    Raises:
        FileError: the file cannot be read.
    """
    found = [record for _, record in read_records(path)]
    good = [record for record in found if not isinstance(record, RecordProblem)]
    games = sorted({record["game"] for record in good})
    samples = [sample for sample in sample_records() if not games or sample["game"] in games]
    findings = []
    for number, sample in enumerate(samples):
        record = found[number] if number < len(found) else None
        problem = _problem(sample, record)
        name = f"sample {number}: {len(sample['rounds'])} rounds"
        events = sum(len(entry["events"]) for entry in sample["rounds"])
        detail = problem[:SHOWN] if problem else f"{events} decisions"
        findings.append(Finding(name, FAIL if problem else PASS, detail, sample["game"]))
    if len(found) > len(samples):
        more = f"{len(found)} records for {len(samples)} samples"
        findings.append(Finding("nothing else", FAIL, more))
    return findings


def _problem(sample: Record, record: Record | RecordProblem | None) -> str:
    """Return what is wrong with a record of a sample; empty for nothing."""
    if record is None:
        return "there is no record of it"
    if isinstance(record, RecordProblem):
        return str(record)
    if list(tasks([record])) != list(tasks([sample])):
        return "it is not the same match: rules, deals or moves differ"
    for number, entry in enumerate(record["rounds"]):
        for index, event in enumerate(entry["events"]):
            if "legal" not in event:
                return f"rounds[{number}].events[{index}].legal: missing"
    difference = verify_record(record)
    return "" if difference is None else told(difference)


def told(difference: Difference) -> str:
    """Return a difference as a line: of two lists what only one of them has."""
    given, own = difference.given, difference.own
    if isinstance(given, list) and isinstance(own, list):
        only = [one for one in given if one not in own], [one for one in own if one not in given]
        given, own = only if any(only) else (given, own)
    return f"{difference.path}: {given!r}, by the rules {own!r}"
