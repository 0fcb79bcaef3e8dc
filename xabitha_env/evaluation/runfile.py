"""The file that keeps finished chunks while a run goes on, so that it can go on after a stop.

JSON lines: first the settings, then a line a chunk, each whole on the disk before the next chunk
counts as done. A last line that was cut off is dropped. More deals may be asked for later: chunks
do not depend on how many there are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_TEAMS
from xabitha_env.evaluation.timing import Spent
from xabitha_env.files import FileError, reason

FORMAT = "xabitha-run"


class RunFile:
    """Finished chunks of a run, in a file; use it in a ``with``.

    Args:
        path: the file, made if there is none.
        settings: whatever the chunks depend on, as JSON.
        row: the type of a row.

    Raises:
        ValueError: it is another file, or one of other settings; the message names them.
        FileError: it cannot be opened or written.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], row: np.dtype[Any]) -> None:
        self._path = path
        self._row = row
        self._found: dict[tuple[int, int, int], tuple[NDArray[Any], dict[str, Spent]]] = {}
        head = {"format": FORMAT, "settings": json.loads(json.dumps(settings))}
        try:
            self._file: BinaryIO = path.open("a+b")
        except OSError as error:
            raise FileError(f"cannot keep a run in {path}: {reason(error)}") from error
        try:
            self._go_on(head)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def find(
        self, number: int, start: int, deals: int
    ) -> tuple[NDArray[Any], dict[str, Spent]] | None:
        """Return the rows (deals, 2) of a chunk and what its players spent, if it is there."""
        return self._found.get((number, start, deals))

    def add(self, number: int, start: int, rows: NDArray[Any], spent: dict[str, Spent]) -> None:
        """Keep a chunk.

        Raises:
            FileError: the disk is full, or the like.
        """
        values = [list(row) for row in rows.ravel().tolist()]
        self._write({"pairing": number, "start": start, "rows": values, "spent": spent})

    def _go_on(self, head: dict[str, Any]) -> None:
        """Read what there is; without a whole first line, begin."""
        self._file.seek(0)
        lines = self._file.read().splitlines(keepends=True)
        cut_off = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        if lines:
            self._check_head(lines[0], head["settings"])
        elif not _line(head).startswith(cut_off):
            raise self._another()
        if cut_off:
            self._file.truncate(sum(map(len, lines)))
        for number, line in enumerate(lines[1:], start=2):
            try:
                self._read(json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{self._path}, line {number}, is damaged: {error}") from error
        if not lines:
            self._write(head)

    def _check_head(self, line: bytes, settings: Mapping[str, Any]) -> None:
        try:
            found = json.loads(line)
        except ValueError as error:
            raise self._another() from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self._another()
        old = found.get("settings", {})
        differ = [name for name in {**old, **settings} if old.get(name) != settings.get(name)]
        if differ:
            told = (f"{name} {old.get(name)!r}, not {settings.get(name)!r}" for name in differ)
            raise ValueError(f"{self._path} keeps a run of other settings: {'; '.join(told)}")

    def _another(self) -> ValueError:
        return ValueError(f"{self._path} keeps no run: name another file")

    def _read(self, chunk: dict[str, Any]) -> None:
        rows = np.array([tuple(row) for row in chunk["rows"]], self._row).reshape(-1, NUM_TEAMS)
        spent = {name: Spent(*values) for name, values in chunk["spent"].items()}
        self._found[chunk["pairing"], chunk["start"], len(rows)] = rows, spent

    def _write(self, line: dict[str, Any]) -> None:
        try:
            self._file.write(_line(line))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise FileError(f"cannot write {self._path}: {reason(error)}") from error


def _line(content: dict[str, Any]) -> bytes:
    return (json.dumps(content) + "\n").encode()
