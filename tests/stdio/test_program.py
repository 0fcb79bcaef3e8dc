"""Programs over pipes: they can be slow, loud, deaf or gone, and never hold us up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.stdio.programs import gone, script
from xabitha_env.stdio import Program, ProgramEnded, ProgramSilent
from xabitha_env.stdio.program import GRACE, LONGEST_LINE

ROOT = Path(__file__).parents[2]


def soon(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds


def test_lines_go_both_ways(tmp_path: Path) -> None:
    said: list[tuple[str, bytes]] = []
    text = (
        "import sys\nprint('warm', file=sys.stderr)\n"
        "for line in sys.stdin: print(line[::-1].strip(), flush=True)"
    )
    program = Program(script(tmp_path, text), lambda mark, line: said.append((mark, line)))
    program.send(b"abc\n")
    assert program.receive(soon()) == b"cba"
    program.close()
    assert (">", b"abc\n") in said and ("<", b"cba") in said
    assert b"".join(line for mark, line in said if mark == "!") == b"warm\n"
    assert gone(program.pid)


def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"cannot start '/no/such': No such file"):
        Program(["/no/such"])
    (tmp_path / "data").write_text("x")
    with pytest.raises(OSError, match="Permission denied"):
        Program([str(tmp_path / "data")])


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("import sys; sys.exit(3)", "ended with exit status 3"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ("1 / 0", "exit status 1: ZeroDivisionError: division by zero"),
        ("import os, time; os.close(1); time.sleep(60)", "closed its standard output"),
    ],
)
def test_how_it_ended(tmp_path: Path, text: str, how: str) -> None:
    program = Program(script(tmp_path, text))
    with pytest.raises(ProgramEnded, match=how):
        program.receive(soon())
    program.close()


def test_a_closed_input_is_noticed(tmp_path: Path) -> None:
    program = Program(script(tmp_path, "import os, time; os.close(0); time.sleep(60)"))
    program.send(b"x" * 10)
    with pytest.raises(ProgramEnded, match="closed its standard input"):
        for _ in range(100):  # until it has closed it
            program.send(b"x\n")
            time.sleep(0.02)
            with pytest.raises(ProgramSilent):
                program.receive(soon(0.02))
    program.close()


@pytest.mark.parametrize(
    "text",
    [
        "import time; time.sleep(60)",
        "import sys\nwhile True: sys.stderr.write('e' * 1000)",
        "import sys\nwhile True: sys.stdout.write('no end of a line ')",
    ],
    ids=["deaf and mute", "loud on standard error", "an endless line"],
)
def test_silence_ends_in_time(tmp_path: Path, text: str) -> None:
    program = Program(script(tmp_path, text))
    program.send(b"x" * 3_000_000 + b"\n")  # more than any pipe takes
    started = time.monotonic()
    with pytest.raises(ProgramSilent):
        program.receive(soon(0.5))
    program.close(b"bye\n")
    assert time.monotonic() - started < 0.5 + GRACE + 3
    assert gone(program.pid)


def test_a_flood_of_lines_is_thrown_away(tmp_path: Path) -> None:
    program = Program(script(tmp_path, "import os\nwhile True: os.write(1, b'noise\\n' * 1000)"))
    assert program.receive(soon()) == b"noise"
    assert program.drain() > 0
    assert program.receive(soon()).startswith((b"noise", b"oise", b"ise", b"se", b"e", b""))
    program.close()


def test_long_lines_are_cut(tmp_path: Path) -> None:
    text = f"print('x' * {LONGEST_LINE * 3}); print('next')"
    program = Program(script(tmp_path, text))
    assert program.receive(soon()) == b"x" * LONGEST_LINE
    assert program.receive(soon()) == b"next"
    program.close()


CHILDREN = """
import subprocess, sys, time, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
print(child.pid, flush=True)
{then}
"""


@pytest.mark.parametrize("then", ["time.sleep(300)", "", "for line in sys.stdin: pass"])
def test_children_are_ended_too(tmp_path: Path, then: str) -> None:
    program = Program(script(tmp_path, CHILDREN.format(then=then)))
    child = int(program.receive(soon()))
    program.close()
    assert gone(program.pid) and gone(child)


def test_a_child_that_holds_the_pipe_hides_no_crash(tmp_path: Path) -> None:
    program = Program(script(tmp_path, CHILDREN.format(then="sys.exit(5)")))
    program.receive(soon())
    started = time.monotonic()
    with pytest.raises(ProgramEnded, match="exit status 5"):
        program.receive(soon(30))
    assert time.monotonic() - started < 10
    program.close()


def test_it_ends_when_nobody_holds_it(tmp_path: Path) -> None:
    program = Program(script(tmp_path, "import time; time.sleep(300)"))
    pid = program.pid
    del program
    assert gone(pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_we_are_killed(tmp_path: Path, number: int) -> None:
    bot = script(tmp_path, CHILDREN.format(then="time.sleep(300)"), "bot.py")
    ours = (
        "import sys, time\nfrom xabitha_env.stdio import Program\n"
        f"program = Program({bot!r})\n"
        "print(program.pid, int(program.receive(time.monotonic() + 20)), flush=True)\n"
        "time.sleep(300)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", ours], stdout=subprocess.PIPE, cwd=ROOT, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    pid, child = map(int, process.stdout.readline().split())
    process.send_signal(number)
    process.wait(timeout=20)
    process.stdout.close()
    assert gone(pid) and gone(child)
