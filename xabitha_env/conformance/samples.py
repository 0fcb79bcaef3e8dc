"""Sample records of both games: small, and with every rule, variation and rare event."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

from xabitha_env.protocol import Engine
from xabitha_env.record import read_records
from xabitha_env.record.verify import replay_record

Record = dict[str, Any]

FILE = "samples.jsonl.gz"
"""Beside this file; `making` says how it is made anew."""


def sample_records(game: str | None = None) -> list[Record]:
    """Return the sample records, of both games or one."""
    with as_file(files(__package__) / FILE) as path:
        found = [record for _, record in read_records(path)]
    records = [record for record in found if isinstance(record, dict)]
    return [record for record in records if game in (None, record["game"])]


def with_legal(record: Record) -> Record:
    """Return a record with the legal moves at every decision.

    Raises:
        ValueError: it is not by the rules.
    """
    whole: Record = {**record, "rounds": [dict(entry) for entry in record["rounds"]]}
    lists: dict[tuple[int, int], list[str]] = {}

    def watch(engine: Engine, number: int, event: int | None) -> None:
        following = 0 if event is None else event + 1
        if following < len(record["rounds"][number]["events"]):
            lists[number, following] = engine.legal_texts()

    if (difference := replay_record(record, watch)) is not None:
        raise ValueError(
            f"{difference.path}: {difference.given!r}, by the rules {difference.own!r}"
        )
    for number, entry in enumerate(whole["rounds"]):
        entry["events"] = [
            {**event, "legal": lists[number, index]} for index, event in enumerate(entry["events"])
        ]
    return whole
