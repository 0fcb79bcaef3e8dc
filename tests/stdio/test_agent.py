"""A program as a player: it decides, and where it fails the match goes on."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import xabitha_env
from tests.stdio.programs import gone, program, script
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import Table, load_player, load_players
from xabitha_env.players.table import ask
from xabitha_env.record import record_matches, verify_record
from xabitha_env.stdio import StdioAgent, play_matches

FIRST = "say(first)"
QUICK = {"xeri": {"num_rounds": 1}, "xabitha": {"num_rounds": 1, "max_turns": 24}}
assert xabitha_env.__version__

Make = Callable[..., StdioAgent]


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Make]:
    """Makes agents of the body of a program; their lines on standard error are in `lines`."""
    made: list[StdioAgent] = []

    def make(body: str, fallback: str = "greedy", game: str = "xeri", **options: Any) -> StdioAgent:
        words = program(tmp_path, body, f"bot{len(made)}.py")
        one = StdioAgent(words, load_player(fallback, game), say=make.lines.append, **options)  # type: ignore[attr-defined]
        made.append(one)
        return one

    make.lines = []  # type: ignore[attr-defined]
    yield make
    for one in made:
        one.close()


def match(one: StdioAgent, game: str = "xeri", seeds: Any = (5,)) -> list[dict[str, Any]]:
    """Matches with the program in seat 0; every record must be by the rules."""
    players = [one, *[load_player("random", game)] * 3]
    rules = make_rules(game, QUICK[game])
    records = list(play_matches(players, seeds, game=game, rules=rules))
    assert [verify_record(record) for record in records] == [None] * len(seeds)
    return records


def moves(record: dict[str, Any], seat: int = 0) -> list[str]:
    return [e["move"] for entry in record["rounds"] for e in entry["events"] if e["seat"] == seat]


@pytest.mark.parametrize("game", ["xeri", "xabitha"])
def test_a_program_that_works(agent: Make, game: str) -> None:
    one = agent(FIRST, game=game)
    records = match(one, game, (5, 6))
    assert one.tally.faultless and one.tally.decisions == one.tally.answered > 10
    assert sum(len(moves(record)) for record in records) == one.tally.decisions
    assert agent.lines == [] and one.tally.slowest > 0  # type: ignore[attr-defined]
    assert [r["rounds"] for r in records] == [
        r["rounds"] for r in match(agent(FIRST, game=game), game, (5, 6))
    ]


BAD = {
    "illegal": 'say({"move": "play:ZZ"})',
    "not in hand": 'say({"move": "declare:no"})',
    "no move": 'say({"id": message["id"]})',
    "no text": 'say({"move": 7})',
    "bad id": 'say({"move": "x", "id": "one"})',
    "garbage": 'print("hello, world", flush=True)',
    "empty": "print(flush=True)",
    "no object": 'print("[1, 2]", flush=True)',
    "not UTF-8": 'os.write(1, b"\\xff\\xfe\\n")',
    "huge": 'print("[" * 200000, flush=True)',
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
def test_bad_answers_are_refused_and_asked_again(agent: Make, line: str) -> None:
    one = agent(
        f"{line}\nanswer = json.loads(sys.stdin.readline())\n"
        "assert answer['type'] == 'refused' and answer['tries_left'] == 2\n"
        "assert answer['id'] == message['id']\nsay(first)"
    )
    record = match(one)[0]
    assert one.tally.refused == one.tally.answered == one.tally.decisions == len(moves(record))
    assert not one.tally.replaced and not one.tally.faultless


def test_a_refusal_says_which_rule(agent: Make, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    one = agent(
        "held = {move[8:] for move in message['legal']}\n"
        "if count == 1: say({'move': 'open'})\n"
        f"if count == 1: open({str(seen)!r}, 'w').write(sys.stdin.readline())\nsay(first)",
        game="xabitha",
    )
    match(one, "xabitha")
    message = json.loads(seen.read_text())
    assert message["move"] == "open" and message["rule"].startswith("X")
    assert "is illegal" in message["message"] and "declare:no" in message["message"]


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
def test_after_all_tries_another_plays(agent: Make, line: str) -> None:
    one = agent(f"for _ in range(3): {line}", fallback="random")
    record = match(one)[0]
    assert one.tally.replaced == one.tally.decisions == len(moves(record)) == 12
    assert one.tally.refused == 3 * 12 and not one.tally.crashes
    lines = agent.lines  # type: ignore[attr-defined]
    assert len(lines) == 6 and "no legal move in 3 tries; random plays" in lines[0]
    assert "only counted" in lines[5]


def test_the_fallback_is_told_to_the_program(agent: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    told = "sys.stdin.readline() + sys.stdin.readline()"
    one = agent(f"say({{'move': 'no'}})\nopen({str(log)!r}, 'a').write({told})", tries=1)
    record = match(one)[0]
    one.close()
    messages = [json.loads(line) for line in log.read_text().splitlines()]
    assert [m["type"] for m in messages] == ["refused", "replaced"] * 12
    assert [m["move"] for m in messages[1::2]] == moves(record)


@pytest.mark.parametrize(
    ("crash", "words"),
    [
        ("sys.exit(3)", "ended with exit status 3"),
        ("1 / 0", "ZeroDivisionError"),
        ("os.kill(os.getpid(), 9)", "SIGKILL"),
        ("os.close(1); time.sleep(60)", "closed its standard output"),
    ],
)
def test_after_a_crash_another_plays_the_rest_of_the_match(
    agent: Make, crash: str, words: str
) -> None:
    one = agent(f"if count == 4: {crash}\nsay(first)")
    match(one, seeds=(5, 6))
    assert one.tally.crashes == 2 and one.tally.answered == 6  # it starts anew with each match
    assert one.tally.replaced == 18 and one.tally.restarts == 0
    assert words in agent.lines[0] and "greedy plays the rest" in agent.lines[0]  # type: ignore[attr-defined]


def test_it_can_be_started_again_within_a_match(agent: Make) -> None:
    one = agent("if count == 3: sys.exit(3)\nsay(first)", restart=True)
    match(one)
    # Four lives of two answers and a crash; after three restarts another plays the rest.
    assert (one.tally.restarts, one.tally.crashes, one.tally.answered) == (3, 4, 8)
    assert one.tally.replaced == 4


@pytest.mark.parametrize(
    "text",
    ["", "import sys; sys.exit(1)", "print('what?', flush=True)\nimport time; time.sleep(60)",
     "print('{\"type\": \"hello\"}', flush=True)\nimport time; time.sleep(60)"],
)  # fmt: skip
def test_a_program_that_is_never_ready(tmp_path: Path, text: str) -> None:
    lines: list[str] = []
    one = StdioAgent(script(tmp_path, text), load_player("greedy", "xeri"), say=lines.append)
    match(one)
    assert one.tally.crashes == 1 and one.tally.replaced == 12
    assert len(lines) == 1 and "not ready" in lines[0]
    one.close()


def test_silence_costs_the_decision_and_three_the_match(agent: Make) -> None:
    one = agent("if count == 2 or count > 4: time.sleep(60)\nsay(first)", seconds=0.3)
    started = time.monotonic()
    match(one)
    assert time.monotonic() - started < 20
    assert (one.tally.answered, one.tally.silences, one.tally.crashes) == (1, 3, 1)
    assert one.tally.replaced == 11
    assert "no answer in 0.3 s; greedy plays" in agent.lines[0]  # type: ignore[attr-defined]
    assert "silent 3 times in a row" in agent.lines[-1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("with_id", [True, False])
def test_a_late_answer_counts_for_no_other_question(agent: Make, with_id: bool) -> None:
    late = "say(first)" if with_id else "say({'move': first['move']})"
    one = agent(f"if count == 2: time.sleep(0.9)\n{late}", seconds=0.6)
    record = match(one)[0]
    assert one.tally.silences == 1 and one.tally.refused == 0
    assert one.tally.answered == len(moves(record)) - 1


@pytest.mark.parametrize(
    "noise",
    [
        'os.write(1, b"noise\\n" * 200000)',
        'sys.stderr.write("e" * 2000000)',
        "os.close(0)",
    ],
)
def test_noise_and_closed_pipes_never_harm(agent: Make, noise: str) -> None:
    one = agent(f"if count == 2: {noise}\nsay(first)", seconds=3)
    started = time.monotonic()
    record = match(one)[0]
    assert time.monotonic() - started < 30
    assert one.tally.answered + one.tally.replaced == len(moves(record)) == 12


def test_a_program_that_never_reads(tmp_path: Path) -> None:
    text = 'import time\nprint(\'{"type": "ready"}\', flush=True)\ntime.sleep(100)'
    lines: list[str] = []
    fallback = load_player("greedy", "xabitha")
    one = StdioAgent(script(tmp_path, text), fallback, seconds=0.2, say=lines.append)
    match(one, "xabitha")
    assert one.tally.silences == 3 and one.tally.crashes == 1 and one.tally.answered == 0
    one.close()


# As a specification.


def spec(words: list[str], more: str = "") -> str:
    return "stdio:" + shlex.join(words) + more


def test_records_of_a_batch_are_those_of_single_matches(tmp_path: Path) -> None:
    """One after another, with the number of the game; its dice are the decision's."""
    body = "say({'move': message['legal'][message['seed'] % len(message['legal'])]})"
    name = spec(program(tmp_path, body))
    runs = [
        list(record_matches([name, "random"], range(4), game="xeri", rules=QUICK["xeri"], batch=n))
        for n in (1, 4)
    ]
    assert runs[0] == runs[1]
    assert [verify_record(record) for record in runs[0]] == [None] * 4
    assert runs[0][0]["agents"][0] == name


def test_results_of_rounds_are_told_without_events(tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = (
        "import json, sys\n"
        f"log = open({str(log)!r}, 'a')\n"
        "for line in sys.stdin:\n"
        "    log.write(line); log.flush()\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'hello': print('{\"type\": \"ready\"}', flush=True)\n"
        "    if message['type'] == 'decide':\n"
        "        print(json.dumps({'move': message['legal'][0]}), flush=True)\n"
    )
    name = spec(script(tmp_path, text))
    (record,) = record_matches([name, *["random"] * 3], [3], game="xeri", rules={"num_rounds": 2})
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert told[0]["events"] is False and told[0]["seats"] is None
    results = [message["result"] for message in told if message["type"] == "result"]
    assert results == [record["rounds"][0]["result"]]
    assert sum(message["type"] == "decide" for message in told) == 24


def test_it_plays_in_environments(tmp_path: Path) -> None:
    name = spec(program(tmp_path, FIRST))
    env = gymnasium.make("xabitha_env/Xeri-v0", partner=name, opponents="random")
    _, info = env.reset(seed=7)
    over = False
    while not over:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    env.close()


def test_other_rules_start_it_anew(tmp_path: Path, agent: Make) -> None:
    one = agent(FIRST)
    match(one)
    first = one._program.pid  # type: ignore[union-attr]
    match(one)
    assert one._program.pid == first  # type: ignore[union-attr]
    engine = make_engine("xeri", 1, rules=make_rules("xeri", {"num_rounds": 2}))
    one.reset(engine, 0)
    assert one._program.pid != first and gone(first)  # type: ignore[union-attr]
    assert int(ask(engine, Table(engine, [one] * 4).players[0], np.zeros(1, np.int64))[0]) >= 0


def test_partners_share_a_process_only_if_they_share_an_object(tmp_path: Path) -> None:
    name = spec(program(tmp_path, FIRST))
    players = load_players([name, "random"], "xeri")
    assert players[0] is players[2] and isinstance(players[0], StdioAgent)
    assert load_player(name, "xeri") is not players[0]


def test_arguments_of_a_specification(tmp_path: Path) -> None:
    words = [sys.executable, "a b,c", "d+e", "100%?"]
    quoted = "stdio:" + shlex.join(words).replace("%", "%25").replace(",", "%2C").replace(
        "?", "%3F").replace("+", "%2B")  # fmt: skip
    one = load_player(quoted + "?seconds=2.5&tries=1&fallback=random&restart=1", "xeri")
    assert isinstance(one, StdioAgent)
    assert list(one.words) == words and one.fallback.name == "random"
    assert (one.seconds, one.tries, one.restart) == (2.5, 1, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stdio:", "no program ''"),
        ("stdio:no-such-program x", "no program 'no-such-program': it is not there, or cannot be"),
        ("stdio:python 'x", "No closing quotation"),
        ("stdio:sh x?depth=2", "no argument 'depth'; there are seconds, tries, fallback, restart"),
        ("stdio:sh x?seconds=soon", "seconds must be a number, not 'soon'"),
        ("stdio:sh x?seconds=0", "seconds must be above 0"),
        ("stdio:sh x?seconds=nan", "seconds must be above 0"),
        ("stdio:sh x?tries=0", "tries must be a whole number from 1 to 100, not 0"),
        ("stdio:sh x?tries=many", "tries must be a whole number"),
        ("stdio:sh x?restart=2", "restart must be 0 or 1, not 2"),
        ("stdio:sh x?fallback=nobody", "no player 'nobody'"),
        ("stdio:sh x?fallback=stdio:sh", "must not be a program itself"),
    ],
)
def test_what_cannot_be_named(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_player(name, "xeri")


def test_it_needs_a_reset(agent: Make) -> None:
    with pytest.raises(RuntimeError, match="needs reset"):
        agent(FIRST).act(None)  # type: ignore[arg-type]
