"""The command ``xabitha research``."""

from __future__ import annotations

import json

import pytest

from xabitha_env.cli.main import run
from xabitha_env.research import TASKS


def test_a_task_prints_a_table_a_player_and_writes_them(tmp_path, capsys) -> None:
    path = tmp_path / "found.json"
    words = "research credit greedy+random random --game xeri --deals 3 --seeds test".split()
    more = ["--option", "baseline=random", "--option", "panel=greedy,random", "--json", str(path)]
    assert run([*words, *more, "--by-deal"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("gain of both") == 2 and "greedy+random" in printed
    found = json.loads(path.read_text())
    assert [one["player"] for one in found] == ["greedy+random", "random"]
    assert found[0]["settings"]["panel"] == ["greedy", "random"]
    assert len(found[0]["figures"][0]["by_deal"]) == 3
    assert found[1]["score"] == {"mean": 0, "low": 0, "high": 0}


def test_quiet_prints_nothing(capsys) -> None:
    words = ["research", "blind", "greedy", "--game", "xeri", "--deals", "2", "--quiet"]
    assert run(words) == 0
    assert capsys.readouterr().out == ""


def test_notes_follow_their_table(capsys) -> None:
    assert run(["research", "par", "greedy", "--game", "xeri", "--deals", "2"]) == 0
    assert "no true optimum" in capsys.readouterr().out


def test_the_tasks_are_listed_with_their_options(capsys) -> None:
    assert run(["research", "list"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in TASKS)
    assert "  baseline=greedy: " in printed and "  panel=expert: " in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chess", "greedy"], "no task 'chess'; there are belief"),
        (["par"], "task 'par' needs at least one player"),
        (["par", "gredy"], "did you mean 'greedy'"),
        (["par", "greedy", "--option", "x=1"], "task 'par' has no option 'x'; there are none"),
        (["credit", "greedy", "--option", "baseline"], "write it as NAME=VALUE"),
        (["belief", "weighed", "--option", "worlds=many"], "'many' is no whole number"),
        (["belief", "greedy"], "player 'greedy' has no beliefs"),
        (["par", "greedy", "--seeds", "x"], "seeds 'x'"),
        (["par", "greedy", "--game", "whist"], "task 'par' is of xabitha, xeri"),
        (["par", "greedy", "--json", "no/such/folder/x.json"], "no/such/folder"),
    ],
)
def test_wrong_use_is_one_line(words: list[str], message: str, capfd) -> None:
    assert run(["research", *words]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith("error: ") and message in printed and printed.count("\n") == 1
