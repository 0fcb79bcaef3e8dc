"""Agents of others: each check finds its fault, and nothing is found in good ones."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.stdio.programs import program
from xabitha_env.conformance import check_agent, check_environment
from xabitha_env.conformance.agent import CHECKS
from xabitha_env.games import GAMES

NAMES = [name for name, _ in CHECKS]
LEGAL, REPEATS, BATCH, HIDDEN, STATE, TIME = NAMES
BOTS = "tests.conformance.bots:"


def results(spec: str, game: str = "xeri", deals: int = 4) -> dict[str, str]:
    found = check_agent(spec, game, deals=deals)
    assert [one.check for one in found] == NAMES and {one.game for one in found} == {game}
    return {one.check: one.result for one in found}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("spec", ["greedy", "random", BOTS + "Good", BOTS + "Remembering"])
def test_good_agents_pass(spec: str, game: str) -> None:
    assert set(results(spec, game).values()) == {"pass"}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("bot", "fails", "skips"),
    [
        ("Illegal", {LEGAL}, {REPEATS, BATCH, HIDDEN, STATE, TIME}),
        ("Failing", {LEGAL}, {REPEATS, BATCH, HIDDEN, STATE, TIME}),
        ("Erratic", {REPEATS}, {BATCH, HIDDEN, STATE}),
        ("Ordered", {BATCH}, set()),
        ("Cheating", {HIDDEN}, set()),
        ("Forgetful", {STATE}, set()),
    ],
)
def test_each_fault_is_found(bot: str, fails: set[str], skips: set[str], game: str) -> None:
    found = results(BOTS + bot, game)
    assert {name for name in NAMES if found[name] == "fail"} == fails, found
    assert {name for name in NAMES if found[name] == "skipped"} == skips


def test_the_cheating_search_is_found_out() -> None:
    assert results("cheating-search?worlds=4", deals=1)[HIDDEN] == "fail"


def test_what_is_wrong_is_said() -> None:
    found = check_agent(BOTS + "Illegal", "xeri", deals=1)
    assert "player 'illegal' in seat" in found[0].detail and "is not in hand" in found[0].detail
    assert found[1].detail == "it does not play legally"
    (hidden,) = [
        one for one in check_agent(BOTS + "Cheating", "xeri", deals=2) if one.check == HIDDEN
    ]
    assert "seat" in hidden.detail and "play:" in hidden.detail


@pytest.mark.slow
def test_programs_are_agents(tmp_path: Path) -> None:
    good = program(tmp_path, "say(first)")
    assert set(results("stdio:" + shlex.join(good), deals=1).values()) == {"pass"}
    bad = program(tmp_path, "say({'move': 'play:ZZ'})\nsay(first)", "bad.py")
    found = check_agent("stdio:" + shlex.join(bad), "xeri", deals=1)
    assert found[0].result == "fail" and "was refused" in found[0].detail


def test_unknown_agents() -> None:
    with pytest.raises(ValueError, match="no player 'nobody'"):
        check_agent("nobody", "xeri")


@pytest.mark.parametrize(("name", "checks"), [("aec", 2), ("single", 1)])
def test_environments(name: str, checks: int) -> None:
    found = check_environment(BOTS + name)
    assert [one.result for one in found] == ["pass"] * checks, found


def test_a_broken_environment() -> None:
    (found,) = check_environment(BOTS + "broken")
    assert found.result == "fail"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("no_such_module:make", "no function 'no_such_module:make'"),
        (BOTS + "none", "no function"),
        (BOTS + "COUNT", "is no function"),
        (BOTS + "nothing", "makes no AEC or Gymnasium environment"),
        (BOTS + "failing", "fails: RuntimeError: out of order"),
    ],
)
def test_what_makes_no_environment(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_environment(spec)
