"""Files that are written whole or not at all."""

from __future__ import annotations

import gzip
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

_GZIP_LEVEL = 6


class FileError(OSError):
    """A file that cannot be read or written; the message names it and says why."""


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8); see `write_bytes`."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, which appears, whole, only when everything is written.

    Raises:
        FileError: the folder is missing, read-only or full, or the name is a folder's.
    """
    file = NewFile(path)
    try:
        file.open()
        file.write(content)
        file.commit()
    except BaseException:  # KeyboardInterrupt too
        file.discard()
        raise


def check_place(path: Path) -> None:
    """See that a file can be written, before the work that it is to hold.

    Raises:
        FileError: as in `write_bytes`.
    """
    file = NewFile(path)
    try:
        file.open()
    finally:
        file.discard()


def reason(error: Exception) -> str:
    """Return what is wrong with a file, without its name."""
    return getattr(error, "strerror", None) or str(error)


class NewFile:
    """A file that is written under another name in the same folder until it is whole.

    Args:
        path: its name in the end; a file of that name is replaced.
        zipped: whether to compress it (gzip; the same content gives the same bytes).
    """

    def __init__(self, path: Path, zipped: bool = False) -> None:
        self._shown = path
        self._zipped = zipped
        self._target = Path(os.path.realpath(path))  # a link stays a link
        name = f".{self._target.name}.{secrets.token_hex(4)}.tmp"
        self._temporary = self._target.with_name(name)
        self._raw: BinaryIO | None = None
        self._stream: BinaryIO | None = None

    def open(self) -> None:
        """Begin to write."""
        with self._naming():
            if self._target.is_dir():
                raise IsADirectoryError("it is a folder")
            self._stream = self._raw = self._temporary.open("xb")
            if self._zipped:  # without a name or a time: the bytes repeat
                zipped = gzip.GzipFile("", "wb", _GZIP_LEVEL, self._raw, mtime=0)
                self._stream = cast(BinaryIO, zipped)

    def write(self, data: bytes) -> None:
        """Write some bytes."""
        assert self._stream is not None
        with self._naming():
            self._stream.write(data)

    def commit(self) -> None:
        """Put the file in its place."""
        assert self._stream is not None and self._raw is not None
        with self._naming():
            if self._stream is not self._raw:
                self._stream.close()
            self._raw.flush()
            os.fsync(self._raw.fileno())
            self._raw.close()
            os.replace(self._temporary, self._target)

    def discard(self) -> None:
        """Leave no trace."""
        for stream in (self._stream, self._raw):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise FileError(f"cannot write {self._shown}: {reason(error)}") from error
