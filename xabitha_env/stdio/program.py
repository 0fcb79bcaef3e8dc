"""Another program, spoken to in lines over pipes, that can never hold us up.

All pipes are read and written without blocking, from one thread and only while somebody waits, so
that a program that writes too much, never reads or closes a pipe costs no more than the time that
it is given. It runs in a session of its own, and its process group is ended with it; a small shell
that waits for our end does that if we are killed.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.util import Finalize
from typing import IO, Any, TypeAlias

LONGEST_LINE = 1 << 16
"""Bytes of a line from the program; the rest of a longer one is thrown away."""
LONGEST_READ = 1 << 16
MOST_DRAINED = 1 << 20
"""Bytes that are thrown away at once of what the program wrote unasked."""
KEPT_ERRORS = 1 << 12
"""Bytes of standard error that are kept, for the report of a crash."""
GRACE = 1.0
"""Seconds that a program has to end of its own accord."""
STEP = 0.02
CHECK = 0.25
"""Seconds after which we look whether a program that says nothing is still there."""
_GUARD = 'read -r _; kill -s KILL -- "-$1"'
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FINISH_FIRST = 10  # finalizers of processes run by priority, and only those that have one

Sink: TypeAlias = Callable[[str, bytes], object]
"""Is shown all that is said: ``>`` to the program, ``<`` from it, ``!`` its standard error."""


class ProgramEnded(Exception):
    """The program ended, or closed a pipe; the message says how."""


class ProgramSilent(Exception):
    """No line came in time."""


class Program:
    """A running program.

    Args:
        words: the program and its arguments.
        sink: is shown all that is said.

    Raises:
        OSError: it cannot be started; the message names it.
    """

    def __init__(self, words: Sequence[str], sink: Sink = lambda mark, text: None) -> None:
        self._sink = sink
        with _undisturbed():
            self._process = _start(words)
            guard = _start_guard(self._process.pid)
            self._finish = Finalize(self, _end, (self._process, guard), exitpriority=_FINISH_FIRST)
        self._to = bytearray()  # not yet written
        self._part = bytearray()  # a line of which the end is missing
        self._too_long = False
        self._lines: deque[bytes] = deque()
        self._errors = bytearray()
        self._selector = selectors.DefaultSelector()
        self._open: dict[str, IO[bytes]] = {}
        for name in ("stdin", "stdout", "stderr"):
            self._join(name, getattr(self._process, name))

    @property
    def pid(self) -> int:
        """The number of its process, and of its process group."""
        return self._process.pid

    def _join(self, name: str, pipe: IO[bytes]) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._open[name] = pipe
        if name != "stdin":
            self._selector.register(pipe, selectors.EVENT_READ, name)

    def _leave(self, name: str) -> None:
        pipe = self._open.pop(name, None)
        if pipe is not None:
            with suppress(KeyError):
                self._selector.unregister(pipe)
            with suppress(OSError):
                pipe.close()

    # Speaking.

    def send(self, line: bytes) -> None:
        """Write a line as far as the program takes it; the rest follows while we wait."""
        self._sink(">", line)
        self._to += line
        self._write()

    def receive(self, deadline: float) -> bytes:
        """Return the next line, without its end.

        Args:
            deadline: until when to wait, of `time.monotonic`.

        Raises:
            ProgramSilent: none came in time.
            ProgramEnded: none will come.
        """
        while not self._lines:
            if "stdout" not in self._open:
                raise ProgramEnded(self._ending())
            if self._to and "stdin" not in self._open:
                raise ProgramEnded("closed its standard input")
            left = deadline - time.monotonic()
            if left <= 0:
                raise ProgramSilent("gave no answer in time")
            quiet = not self._pump(min(left, CHECK))
            if quiet and _exit_status(self._process, 0) is not None and not self._pump(0):
                raise ProgramEnded(self._ending())  # though a child may hold the pipe open
        return self._lines.popleft()

    def drain(self) -> int:
        """Throw away what the program wrote unasked; returns the number of lines."""
        count, total = 0, 0
        while total < MOST_DRAINED:
            read = self._pump(0)
            count += len(self._lines)
            self._lines.clear()
            if not read:
                break
            total += read
        return count

    def last_error(self) -> str:
        """Return the last line that the program wrote to standard error, printable and short."""
        lines = self._errors.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return "".join(letter if letter.isprintable() else "?" for letter in last)[-200:]

    # Pipes.

    def _pump(self, seconds: float) -> int:
        """Wait for something to do on any pipe, and do it; returns how much was read."""
        if self._to and "stdin" in self._open:
            with suppress(KeyError):  # it is there already
                self._selector.register(self._open["stdin"], selectors.EVENT_WRITE, "stdin")
        read = 0
        for key, _ in self._selector.select(seconds):
            if key.data == "stdin":
                self._write()
            else:
                read += self._read(key.data)
        return read

    def _write(self) -> None:
        pipe = self._open.get("stdin")
        if pipe is None:
            return
        try:
            while self._to:
                done = os.write(pipe.fileno(), self._to[:LONGEST_READ])
                del self._to[:done]
        except BlockingIOError:
            return
        except OSError:
            self._leave("stdin")
            return
        with suppress(KeyError):
            self._selector.unregister(pipe)

    def _read(self, name: str) -> int:
        try:
            data = os.read(self._open[name].fileno(), LONGEST_READ)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            self._leave(name)
        elif name == "stderr":
            self._sink("!", data)
            self._errors = (self._errors + data)[-KEPT_ERRORS:]
        else:
            self._split(data)
        return len(data)

    def _split(self, data: bytes) -> None:
        """Take what came apart into lines, each of a bounded length."""
        *whole, rest = data.split(b"\n")
        for piece in whole:
            self._grow(piece)
            line = bytes(self._part)
            self._sink("<", line + (b"..." if self._too_long else b""))
            self._lines.append(line)
            self._part.clear()
            self._too_long = False
        self._grow(rest)

    def _grow(self, piece: bytes) -> None:
        room = LONGEST_LINE - len(self._part)
        self._too_long = self._too_long or len(piece) > room
        self._part += piece[:room]

    # Ending.

    def _ending(self) -> str:
        """Say how the program ended, given a moment to do so."""
        status = _exit_status(self._process, GRACE)
        self._pump(0)  # its last words
        how = "closed its standard output" if status is None else _told(status)
        last = self.last_error()
        return f"{how}: {last}" if last else how

    def close(self, last: bytes = b"") -> None:
        """Say a last line, close the program's input, and end it and its children."""
        if last:
            self.send(last)
        if not self._to:
            self._leave("stdin")
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and _exit_status(self._process, 0) is None:
            self._pump(STEP)
            if not self._to:
                self._leave("stdin")
            if not self._selector.get_map():
                time.sleep(STEP)
        self._pump(0)
        self._finish()
        for name in tuple(self._open):
            self._leave(name)
        self._selector.close()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Put off the signals that would leave behind a program that is just being started."""
    if threading.current_thread() is not threading.main_thread():  # it alone gets signals
        yield
        return
    came: list[int] = []
    before = {one: signal.signal(one, lambda number, _: came.append(number)) for one in _SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in came:
            signal.raise_signal(number)


def _start(words: Sequence[str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OSError(f"cannot start {words[0]!r}: {reason}") from None


def _start_guard(group: int) -> subprocess.Popen[bytes]:
    """Start a shell that ends a process group when we have ended, in whatever way."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, "guard", str(group)],
        stdin=subprocess.PIPE,
        stdout=nothing,
        stderr=nothing,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes]) -> None:
    """End a program, its process group and its guard."""
    guard.kill()
    guard.wait()
    assert guard.stdin is not None
    guard.stdin.close()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # not reaped yet, so nobody else has its number
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _exit_status(process: subprocess.Popen[bytes], seconds: float) -> Any:
    """Return what `os.waitid` says of a process that ended, within some time; it stays a zombie."""
    deadline = time.monotonic() + seconds
    while True:
        with suppress(ChildProcessError):
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if (found := os.waitid(os.P_PID, process.pid, flags)) is not None:
                return found
        if time.monotonic() >= deadline:
            return None
        time.sleep(STEP)


def _told(status: Any) -> str:
    if status.si_code == os.CLD_EXITED:
        return f"ended with exit status {status.si_status}"
    return f"was ended by {signal.Signals(status.si_status).name}"
