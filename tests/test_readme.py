"""The README is true: its tables equal the code's, and its examples and those of the docs run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tools.readme_tables import README, with_tables

TEXT = README.read_text(encoding="utf-8")
PAGES = [README, *sorted((README.parent / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def title(page: Path, block: str) -> str:
    text = page.read_text(encoding="utf-8")
    return text[: text.index(block)].rpartition("\n## ")[2].partition("\n")[0]


APART = ("torchrl", "ray")
"""Libraries whose examples run where the tests of them do."""
COMMANDS = re.findall(r"^\$ (xabitha .*)$", "\n".join(blocks(README, "console")), re.MULTILINE)
EXAMPLES = [
    pytest.param(text, page.name, id=f"{page.stem}: {title(page, text)}")
    for page in PAGES
    for text in blocks(page, "python")
]


def test_tables_are_those_of_the_code() -> None:
    assert with_tables(TEXT) == TEXT, "run make docs-tables"


@pytest.mark.parametrize(("block", "page"), EXAMPLES)
def test_python_example(
    block: str, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in APART:
        if re.search(rf"^(import|from) {name}\b", block, re.MULTILINE):
            pytest.importorskip(name, reason=f"{name} has an environment of its own")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, page, "exec"), {"__name__": "__main__"})


def test_commands(tmp_path: Path) -> None:
    """The `xabitha` lines run in order, in one folder."""
    assert COMMANDS
    scripts = Path(sys.executable).parent
    path = os.pathsep.join([str(scripts), os.environ["PATH"]])
    for command in COMMANDS:
        run = subprocess.run(
            shlex.split(command, comments=True),
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, f"{command}\n{run.stdout}{run.stderr}"
