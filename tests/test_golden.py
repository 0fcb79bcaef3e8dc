"""Golden playthroughs: what was played once is played again (``make golden`` rewrites them)."""

from __future__ import annotations

import re

import pytest

from tools.golden import FOLDER, PLAYTHROUGHS, Playthrough, difference, main, path_of


@pytest.mark.parametrize("plan", PLAYTHROUGHS, ids=lambda plan: f"{plan.game}-{plan.name}")
def test_playthroughs_are_as_written(plan: Playthrough) -> None:
    """Deals, moves, legal actions, observations, rewards and results; the first differences."""
    found = difference(plan)
    assert not found, "\n".join(found.splitlines()[:20])


def test_every_file_belongs_to_a_playthrough() -> None:
    assert {*FOLDER.glob("*.txt")} == {path_of(plan) for plan in PLAYTHROUGHS}


def test_the_files_cover_the_rules() -> None:
    """Every kind of move, undos, reshuffles and every end of a round."""
    text = "".join(path_of(plan).read_text(encoding="utf-8") for plan in PLAYTHROUGHS)
    moves = {move.partition(":")[0] for move in re.findall(r"^  \d (\S+)", text, re.MULTILINE)}
    assert moves == {"declare", "draw", "meld", "open", "formation", "add", "steal", "discard"}
    for mark in ("undo", "reshuffled", "draw:fire", "normal,", "xabitha,", "cancelled,"):
        assert mark in text, mark


def test_the_command_agrees() -> None:
    assert main(["--check"]) == 0
