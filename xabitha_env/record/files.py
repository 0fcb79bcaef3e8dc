"""Match records on disk: JSON Lines, plain or gzip, written whole or not at all."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeAlias, cast

from xabitha_env.files import FileError, NewFile, reason
from xabitha_env.record.fields import FieldError, check_record

PathName: TypeAlias = "str | PathLike[str]"
Progress: TypeAlias = "Callable[[int], None] | None"

PLAIN, ZIPPED = ".jsonl", ".jsonl.gz"
_GZIP_MAGIC = b"\x1f\x8b"


class RecordProblem(NamedTuple):
    """A line that is no valid record.

    Attributes:
        line: its number in the file, from 1.
        field: the path of the field that is wrong; empty for the line as a whole.
        message: what is wrong.
    """

    line: int
    field: str
    message: str

    def __str__(self) -> str:
        where = f"line {self.line}: {self.field}" if self.field else f"line {self.line}"
        return f"{where}: {self.message}"


def write_records(
    path: PathName, records: Iterable[Mapping[str, Any]], progress: Progress = None
) -> int:
    """Write records to a file, which appears, whole, only when the last one is written.

    The same records give the same bytes, compressed or not.

    Args:
        path: a name in ``.jsonl`` or ``.jsonl.gz``; a file of that name is replaced.
        records: the records, taken one at a time.
        progress: called with the number of records written so far, after each.

    Returns:
        The number of records.

    Raises:
        ValueError: the name ends otherwise.
        FileError: the folder is missing, read-only or full, or the name is a folder's.
    """
    count = 0
    target = Path(path)
    if not target.name.endswith((PLAIN, ZIPPED)) or target.name in (PLAIN, ZIPPED):
        raise ValueError(f"records go to a file named *{PLAIN} or *{ZIPPED}, not {target}")
    file = NewFile(target, zipped=target.name.endswith(ZIPPED))
    try:
        file.open()
        for count, record in enumerate(records, 1):
            file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
            if progress is not None:
                progress(count)
        file.commit()
    except BaseException:  # KeyboardInterrupt too
        file.discard()
        raise
    return count


def read_records(
    path: PathName, progress: Progress = None
) -> Iterator[tuple[int, dict[str, Any] | RecordProblem]]:
    """Read the records of a file one at a time, checking the structure of each.

    Args:
        path: a file of JSON Lines, plain or gzip.
        progress: called with the number of bytes of the file read so far, after each line,
            unless it is a pipe.

    Yields:
        The number of a line, from 1, and its record, or what is wrong with it. No line is
        skipped, and a file without any is a problem in line 1.

    Raises:
        FileError: the file cannot be read, or is damaged from some line on.
    """
    number = 0
    for number, line in enumerate(_lines(Path(path), progress), 1):
        try:
            yield number, parse_record(line)
        except FieldError as error:
            yield number, RecordProblem(number, error.path, error.message)
    if not number:
        yield 1, RecordProblem(1, "", "no record: the file is empty")


def parse_record(line: bytes | str) -> dict[str, Any]:
    """Return the record that one line holds, its structure checked.

    Raises:
        FieldError: no JSON, or a field that is missing or wrong.
    """
    if not line.strip():
        raise FieldError("no record: the line is empty")
    try:
        text = line.decode() if isinstance(line, bytes) else line
        record = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except FieldError:
        raise
    except (ValueError, RecursionError) as error:
        raise FieldError(f"no valid JSON: {error}") from None
    check_record(record)
    return record  # type: ignore[no-any-return]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise FieldError(f"the field {twice!r} stands more than once in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise FieldError(f"no valid JSON: {name} is no JSON number")


def _lines(path: Path, progress: Progress) -> Iterator[bytes]:
    number = 0
    with ExitStack() as stack:
        try:
            raw = stack.enter_context(path.open("rb"))
            zipped = path.suffix == ".gz" or raw.peek(2)[:2] == _GZIP_MAGIC
            stream: BinaryIO = raw
            if zipped:
                stream = cast(BinaryIO, stack.enter_context(gzip.GzipFile(fileobj=raw)))
            while line := stream.readline():
                number += 1
                yield line
                if progress is not None and raw.seekable():
                    progress(raw.tell())
        except (OSError, EOFError, zlib.error) as error:
            after = f" after line {number}" if number else ""
            raise FileError(f"cannot read {path}{after}: {reason(error)}") from error
