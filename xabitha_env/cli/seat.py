"""``xabitha seat``: let a program in any language play at a seat."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from xabitha_env.cli.options import (
    GameOption,
    JsonOption,
    OthersOption,
    QuietOption,
    RoundsOption,
    RuleOption,
    SeedOption,
    parse_rules,
    split_players,
)

if TYPE_CHECKING:
    from xabitha_env.players.base import Agent
    from xabitha_env.stdio import StdioAgent

SETTINGS = {"allow_interspersed_args": False}
"""What follows the program's name is the program's."""
SHOW = Path("-")
FROM_OUTSIDE = 128
"""Added to the number of a signal that ends the command."""


def seat(
    program: Annotated[
        list[str], typer.Argument(metavar="PROGRAM", help="The program to run, and its arguments.")
    ],
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Speak with it in lines of JSON over its pipes.")
    ] = False,
    place: Annotated[
        int | None, typer.Option("--seat", min=0, max=3, help="Its seat; 0 if not given.")
    ] = None,
    team: Annotated[
        int | None,
        typer.Option("--team", min=0, max=1, help="Both seats of a team, a process for each."),
    ] = None,
    players: OthersOption = "expert",
    seconds: Annotated[
        float, typer.Option("--seconds", help="Its time for a decision, refusals included.")
    ] = 10.0,
    tries: Annotated[
        int, typer.Option("--tries", help="Answers to a question, of which the last must be legal.")
    ] = 3,
    fallback: Annotated[
        str, typer.Option("--fallback", metavar="NAME", help="The player that stands in for it.")
    ] = "greedy",
    restart: Annotated[
        bool, typer.Option("--restart", help="Start it again within a match when it crashed.")
    ] = False,
    matches: Annotated[int, typer.Option("--matches", min=1, help="How many matches.")] = 1,
    rounds: RoundsOption = None,
    seed: SeedOption = None,
    rule: RuleOption = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE.jsonl", help="Write the matches' records here."),
    ] = None,
    stderr: Annotated[
        Path | None,
        typer.Option("--stderr", metavar="FILE", help="Keep its standard error here; - shows it."),
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option("--transcript", metavar="FILE", help="Write all that is said here."),
    ] = None,
    game: GameOption = "xabitha",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run a program, in any language, as a player over lines of JSON.

    It is told what its seat sees and which moves are legal, and answers with one of them. An
    illegal answer is refused and asked for again; where the program is silent, has crashed or used
    up its tries, another player stands in. The exit status is 1 if that happened at all.

    \b
    Examples:
      xabitha seat --stdio python examples/stdio_bot.py
      xabitha seat --game xeri --team 1 --players greedy --stdio sh examples/stdio_bot.sh
      xabitha seat --seconds 2 --matches 20 --seed 7 --record games.jsonl --stdio ./bot --depth 3
    """
    import secrets

    from xabitha_env.files import check_place
    from xabitha_env.record.files import write_records
    from xabitha_env.stdio.match import play_matches

    if not stdio:
        raise ValueError("say --stdio before the program: it is spoken with over its pipes")
    seats = _seats(place, team)
    rules = parse_rules(game, rule, rounds)
    for file in (record, transcript, None if stderr == SHOW else stderr):
        if file is not None:
            check_place(file)
    first = secrets.randbits(32) if seed is None else seed
    started = time.perf_counter()
    done: list[dict[str, Any]] = []
    with ExitStack() as stack:
        stack.enter_context(_ended_by_signals())
        listen = stack.enter_context(_listening(seats, transcript, stderr))
        agents = _programs(program, seats, fallback, game, listen, seconds, tries, restart)
        for agent in agents.values():
            stack.callback(agent.close)
        seated = _seated(agents, split_players(players), game)
        played = play_matches(seated, range(first, first + matches), game=game, rules=rules)
        move = stack.enter_context(_progress(matches, quiet))
        counted = _counted(played, done, move)
        if record is not None:
            write_records(record, counted)
        else:
            deque(counted, maxlen=0)
    summary = {
        "game": game,
        "seed": first,
        "players": done[0]["agents"],
        "programs": {str(one): agent.tally.to_dict() for one, agent in agents.items()},
        **_results(done),
        "time": round(time.perf_counter() - started, 3),
    }
    if as_json:
        print(json.dumps(summary))
    elif not quiet:
        _print(summary)
    if not all(agent.tally.faultless for agent in agents.values()):
        raise typer.Exit(1)


def _counted(
    played: Iterator[dict[str, Any]], done: list[dict[str, Any]], move: Callable[[int], None]
) -> Iterator[dict[str, Any]]:
    """Pass records on; what the summary needs of them is kept in `done`."""
    for match in played:
        done.append({name: match[name] for name in ("agents", "result")})
        move(len(done))
        yield match


def _seats(place: int | None, team: int | None) -> tuple[int, ...]:
    if place is not None and team is not None:
        raise ValueError("give --seat or --team, not both")
    return (place or 0,) if team is None else (team, team + 2)


def _programs(
    words: list[str],
    seats: tuple[int, ...],
    fallback: str,
    game: str,
    listen: Callable[[int], Callable[[str, bytes], None]],
    seconds: float,
    tries: int,
    restart: bool,
) -> dict[int, StdioAgent]:
    """Return an agent for each seat: partners share no process, as they share no cards."""
    from xabitha_env.players.loader import load_player
    from xabitha_env.stdio.agent import StdioAgent
    from xabitha_env.stdio.naming import make_fallback

    return {
        one: StdioAgent(
            words,
            make_fallback(fallback, load_player, game),
            seconds=seconds,
            tries=tries,
            restart=restart,
            seats=[one],
            sink=listen(one),
        )
        for one in seats
    }


def _seated(programs: dict[int, StdioAgent], specs: list[str], game: str) -> list[Agent]:
    """Return four players by seat; those that a program takes the place of are not loaded."""
    from xabitha_env.cards import NUM_SEATS
    from xabitha_env.players.loader import load_players

    if len(specs) == NUM_SEATS:
        other = next(spec for one, spec in enumerate(specs) if one not in programs)
        specs = [other if one in programs else spec for one, spec in enumerate(specs)]
    seated = list(load_players(specs, game))
    for one, program in programs.items():
        seated[one] = program
    return seated


@contextmanager
def _listening(
    seats: tuple[int, ...], transcript: Path | None, stderr: Path | None
) -> Iterator[Callable[[int], Callable[[str, bytes], None]]]:
    """Give the function that returns, for a seat, who is shown what the program says."""
    with ExitStack() as stack:
        said = stack.enter_context(transcript.open("wb")) if transcript else None
        errors = None
        if stderr is not None:
            show = stderr == SHOW
            errors = sys.stderr.buffer if show else stack.enter_context(stderr.open("wb"))

        def listen(one: int) -> Callable[[str, bytes], None]:
            who = f"{one} ".encode() if len(seats) > 1 else b""

            def hear(mark: str, text: bytes) -> None:
                if said is not None:
                    for line in text.rstrip(b"\n").split(b"\n"):
                        said.write(who + mark.encode() + b" " + line + b"\n")
                if errors is not None and mark == "!":
                    errors.write(text)
                    errors.flush()

            return hear

        yield listen


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Leave in order, and end the programs, when the command is told to end."""

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(FROM_OUTSIDE + number)

    signals = (signal.SIGTERM, signal.SIGHUP)
    try:
        before = [signal.signal(one, leave) for one in signals]
    except ValueError:  # not in the main thread, which alone gets signals
        yield
        return
    try:
        yield
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)


@contextmanager
def _progress(matches: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    from xabitha_env.cli.output import progress_bar

    with progress_bar("playing", matches, quiet) as move:
        yield move


def _results(records: list[dict[str, Any]]) -> dict[str, Any]:
    results = [match["result"] for match in records]
    alone = [result["winners"][0] for result in results if len(result["winners"]) == 1]
    return {
        "matches": len(results),
        "wins": [alone.count(team) for team in (0, 1)],
        "shared": len(results) - len(alone),
        "totals": [sum(result["totals"][team] for result in results) for team in (0, 1)],
    }


def _print(summary: dict[str, Any]) -> None:
    from xabitha_env.cli.output import print_table

    names, matches = summary["players"], summary["matches"]
    rows = [
        (f"{team}: {' + '.join(names[team::2])}", wins, f"{total / matches:.1f}")
        for team, (wins, total) in enumerate(zip(summary["wins"], summary["totals"], strict=True))
    ]
    print_table(summary["game"], ("team", "matches won", "mean total"), rows)
    columns = ("decisions", "answered", "refused", "silences", "crashes", "restarts", "replaced")
    told = [
        (one, *(tally[name] for name in columns), f"{tally['slowest'] * 1000:.0f}")
        for one, tally in summary["programs"].items()
    ]
    print_table("the program", ("seat", *columns, "slowest (ms)"), told)
    print(
        f"{matches} matches ({summary['shared']} shared) in {summary['time']:.1f} s; "
        f"seed {summary['seed']}"
    )
