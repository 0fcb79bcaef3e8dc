"""Engines of others: the reference engines are right, and mistakes are found."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

from tests.conformance import reference_engine
from tests.stdio.programs import gone, script
from xabitha_env.conformance import check_engine, check_records, sample_records, tasks
from xabitha_env.files import FileError

ENGINE = [sys.executable, reference_engine.__file__]
QUICK = {"xeri": sample_records("xeri")[:3], "xabitha": sample_records("xabitha")[:1]}


def lines(path: Path, records: list[object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def own_records(bug: bool = False) -> list[dict]:  # type: ignore[type-arg]
    return [reference_engine.record_of(task, bug) for task in tasks(sample_records("xeri"))]


@pytest.mark.parametrize("game", ["xeri", "xabitha"])
def test_the_reference_engine_over_pipes(game: str) -> None:
    found = check_engine(ENGINE, QUICK[game])
    assert [one.result for one in found] == ["pass"] * len(QUICK[game]), found
    assert all(one.detail.endswith("positions") and one.game == game for one in found)


def test_a_mistake_is_found_and_the_next_match_goes_on() -> None:
    found = check_engine([*ENGINE, "BUG"], QUICK["xeri"])
    assert [one.result for one in found] == ["fail"] * 3
    assert found[0].detail.startswith("rounds[0].legal: [], by the rules ['play:")


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("import sys; sys.exit(4)", "the program ended with exit status 4"),
        ("import time; time.sleep(60)", "the program gave no answer in time"),
        ("import sys\nfor line in sys.stdin: print('hm', flush=True)", "no line of JSON: 'hm'"),
        ("import sys\nfor line in sys.stdin: print('{}', flush=True)", "seat: None, by the rules"),
    ],
)
def test_programs_that_fail(tmp_path: Path, text: str, detail: str) -> None:
    found = check_engine(script(tmp_path, text), QUICK["xeri"], seconds=0.5)
    assert found[0].result == "fail" and detail in found[0].detail
    assert found[1].result == ("skipped" if "the program" in detail else "fail")


def test_programs_are_ended(tmp_path: Path) -> None:
    log = tmp_path / "pid"
    text = f"import os, time\nopen({str(log)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    check_engine(script(tmp_path, text), QUICK["xeri"], seconds=0.5)
    assert gone(int(log.read_text()))


def test_records_of_the_reference_engine(tmp_path: Path) -> None:
    source = lines(tmp_path / "tasks.jsonl", list(tasks(sample_records("xeri"))))
    sys.argv, kept = ["x", str(source), str(tmp_path / "mine.jsonl")], sys.argv
    try:
        reference_engine.main()
    finally:
        sys.argv = kept
    found = check_records(tmp_path / "mine.jsonl")
    assert len(found) == len(sample_records("xeri"))
    assert {one.result for one in found} == {"pass"}, found


def test_what_is_wrong_with_records_is_found(tmp_path: Path) -> None:
    records: list[object] = list(own_records())
    first, second, third, fourth = json.loads(json.dumps(records[:4]))
    first["rounds"][0]["events"][7]["legal"] = ["play:2C"]
    second["rounds"][0]["result"]["points"][0] += 1
    third["rounds"][0]["events"][0].pop("legal")
    fourth["rounds"][0]["events"][0]["move"] = "play:2C"
    records[:4] = [first, second, third, fourth]
    found = check_records(lines(tmp_path / "mine.jsonl", records[:-1]))
    details = [one.detail for one in found]
    assert details[0].startswith("rounds[0].events[7].legal: ")
    assert details[1].startswith("rounds[0].result.points: ")
    assert details[2] == "rounds[0].events[0].legal: missing"
    assert details[3] == "it is not the same match: rules, deals or moves differ"
    assert details[-1] == "there is no record of it"
    assert {one.result for one in found[4:-1]} <= {"pass"}


def test_records_too_many_and_broken_lines(tmp_path: Path) -> None:
    records: list[object] = list(own_records())
    found = check_records(lines(tmp_path / "mine.jsonl", [*records, records[0]]))
    assert found[-1].result == "fail" and "records for" in found[-1].detail
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt") as stream:
        stream.write("no JSON\n" + "".join(json.dumps(one) + "\n" for one in records[1:]))
    found = check_records(tmp_path / "mine.jsonl.gz")
    assert "line 1: no valid JSON" in found[0].detail and found[1].result == "pass"
    with pytest.raises(FileError):
        check_records(tmp_path / "none.jsonl")
