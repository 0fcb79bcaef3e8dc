"""An engine in any language, asked position by position over its pipes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xabitha_env.conformance.records import GIVEN, SHOWN, tasks, told
from xabitha_env.conformance.report import FAIL, PASS, SKIP, Finding
from xabitha_env.conformance.samples import with_legal
from xabitha_env.record.fields import FORMATS
from xabitha_env.record.verify import Difference
from xabitha_env.stdio.messages import BadLine, decode, encode
from xabitha_env.stdio.program import Program, ProgramEnded, ProgramSilent

PROTOCOL = "xabitha-engine"
VERSION = 1
Record = dict[str, Any]


class _Differs(Exception):
    """An answer that is not what the rules say."""


def check_engine(
    words: Sequence[str],
    records: Sequence[Record],
    *,
    seconds: float = 10.0,
    move: Callable[[int], object] = lambda done: None,
) -> list[Finding]:
    """Ask an engine for the legal moves and the results of every position of some records.

    After the first difference of a match it goes on with the next match; when the program has
    ended or is silent, the rest is left out.

    Args:
        words: the program and its arguments.
        records: by the rules.
        seconds: time for an answer.
        move: called with the number of records done.

    Raises:
        OSError: the program cannot be started.
    """
    findings: list[Finding] = []
    program = Program(words)
    try:
        down = ""
        for number, record in enumerate(records):
            name = f"sample {number}: {len(record['rounds'])} rounds"
            result, detail = (SKIP, down) if down else (PASS, "")
            if not down:
                try:
                    detail = f"{_Match(program, record, seconds).play()} positions"
                except _Differs as error:
                    result, detail = FAIL, str(error)
                except (ProgramEnded, ProgramSilent, OSError) as error:
                    result = FAIL
                    down = detail = f"the program {error}"
            findings.append(Finding(name, result, detail[:SHOWN], record["game"]))
            move(number + 1)
    finally:
        program.close(encode({"type": "bye"}))
    return findings


class _Match:
    """One record, told to the program deal by deal and move by move."""

    def __init__(self, program: Program, record: Record, seconds: float) -> None:
        self.program, self.seconds = program, seconds
        self.form = FORMATS[record["game"]]
        self.record = with_legal(record)
        (self.task,) = tasks([record])

    def play(self) -> int:
        """Ask for all of it; returns the number of positions.

        Raises:
            _Differs: an answer is not by the rules; ProgramEnded, ProgramSilent: there is none.
        """
        self.program.drain()
        head = {name: self.task[name] for name in ("game", "rules")}
        hello = {"type": "match", "protocol": PROTOCOL, "version": VERSION, **head}
        self.program.send(encode(hello))
        count = 0
        for number, (entry, given) in enumerate(
            zip(self.record["rounds"], self.task["rounds"], strict=True)
        ):
            self._round(number, entry, given)
            count += len(entry["events"]) + 1
        return count

    def _round(self, number: int, entry: Record, given: Record) -> None:
        deal = {name: value for name, value in given.items() if name != "events"}
        events = entry["events"]
        self._ask(number, None, {"type": "round", **deal}, self._position(events[0]))
        for index, event in enumerate(events):
            expected = {name: event[name] for name in self.form.outcome if name in event}
            if index + 1 < len(events):
                expected |= self._position(events[index + 1])
            else:
                expected["result"] = entry["result"]
                if number + 1 == len(self.record["rounds"]):
                    expected["match_result"] = self.record["result"]
            expected.pop("reshuffled", None)  # it was told
            moved = {name: event[name] for name in GIVEN if name in event}
            self._ask(number, index, {"type": "move", **moved}, expected)

    def _position(self, event: Mapping[str, Any]) -> Record:
        return {"seat": event["seat"], "legal": event["legal"]}

    def _ask(
        self, number: int, index: int | None, message: Record, expected: Mapping[str, Any]
    ) -> None:
        self.program.send(encode(message))
        try:
            answer = decode(self.program.receive(time.monotonic() + self.seconds))
        except BadLine as error:
            raise _Differs(f"rounds[{number}]: {error}") from None
        names = (*self.form.outcome, "seat", "legal", "result", "match_result")
        for name in names:
            if name != "reshuffled" and answer.get(name) != expected.get(name):
                found = Difference(name, answer.get(name), expected.get(name), number, index)
                raise _Differs(told(found))
