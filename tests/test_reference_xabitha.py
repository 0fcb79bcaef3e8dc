"""The reference engine agrees with every sample record, legal lists included."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.reference.xabitha import check_match

HERE = Path(__file__).resolve().parent


def sample_files() -> list[Path]:
    """The samples beside these tests; more of them in XABITHA_SHARED or a sibling folder."""
    folders = [HERE / "data" / "records"]
    if "XABITHA_SHARED" in os.environ:
        shared = Path(os.environ["XABITHA_SHARED"])
        folders += [shared, shared / "records"]
    folders.append(HERE.parent.parent / "shared" / "records")
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob("xabitha-*.jsonl.gz")):
            found.setdefault(path.name, path)
    return list(found.values())


def matches() -> list[Any]:
    """All the sample matches, as test parameters."""
    cases = []
    for path in sample_files():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                cases.append(pytest.param(json.loads(line), id=f"{path.name}:{number + 1}"))
    return cases


def test_there_are_samples() -> None:
    assert len(matches()) >= 40


@pytest.mark.parametrize("record", matches())
def test_sample(record: dict[str, Any]) -> None:
    assert check_match(record) is None
