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
        FileError: it cannot be read or written.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], row: np.dtype[Any]) -> None:
        self._path = path
        self._row = row
        self._found: dict[tuple[int, int, int], tuple[NDArray[Any], dict[str, Spent]]] = {}
        head = {"format": FORMAT, "settings": json.loads(json.dumps(settings))}
        try:
            self._file: BinaryIO = path.open("a+b")
            self._file.seek(0)
            lines = self._file.read().splitlines(keepends=True)
            if lines and not lines[-1].endswith(b"\n"):
                self._file.truncate(sum(map(len, lines[:-1])))
                lines.pop()
        except OSError as error:
            raise FileError(f"cannot keep a run in {path}: {reason(error)}") from error
        try:
            self._read(lines, head)
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

    def _read(self, lines: list[bytes], head: dict[str, Any]) -> None:
        if not lines:
            self._write(head)
            return
        try:
            first, *chunks = map(json.loads, lines)
            if not isinstance(first, dict) or first.get("format") != FORMAT:
                raise ValueError("not a run")
        except ValueError as error:
            raise ValueError(f"{self._path} keeps no run: name another file") from error
        _check_same(self._path, first["settings"], head["settings"])
        for chunk in chunks:
            rows = np.array([tuple(row) for row in chunk["rows"]], self._row)
            rows = rows.reshape(-1, NUM_TEAMS)
            spent = {name: Spent(*values) for name, values in chunk["spent"].items()}
            self._found[chunk["pairing"], chunk["start"], len(rows)] = rows, spent

    def _write(self, line: dict[str, Any]) -> None:
        try:
            self._file.write((json.dumps(line) + "\n").encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise FileError(f"cannot write {self._path}: {reason(error)}") from error


def _check_same(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    differ = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if differ:
        told = "; ".join(f"{name} {old.get(name)!r}, not {new.get(name)!r}" for name in differ)
        raise ValueError(f"{path} keeps a run of other settings: {told}")
