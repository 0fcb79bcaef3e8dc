"""``xabitha conformance``: check agents, engines and environments of others."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xabitha_env.cli.options import JsonOption, QuietOption
from xabitha_env.games import GAMES

if TYPE_CHECKING:
    from xabitha_env.conformance import Finding


def conformance(
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="Check this player, named as anywhere."),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="PROGRAM", help="Ask this program, position by position."),
    ] = None,
    engine_records: Annotated[
        Path | None,
        typer.Option("--engine-records", metavar="FILE", help="Check records of the tasks."),
    ] = None,
    environment: Annotated[
        str | None,
        typer.Option(
            "--environment", metavar="MODULE:FUNCTION", help="Run the API checks on what it makes."
        ),
    ] = None,
    tasks_file: Annotated[
        Path | None,
        typer.Option("--tasks", metavar="FILE.jsonl", help="Write deals and moves for an engine."),
    ] = None,
    samples_file: Annotated[
        Path | None,
        typer.Option("--samples", metavar="FILE.jsonl", help="Write the samples with legal moves."),
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="One game; both if not given.")
    ] = None,
    deals: Annotated[
        int,
        typer.Option("--deals", min=1, help="Random deals, and as many arranged ones, an agent."),
    ] = 12,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the random deals.")] = 0,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="An engine's time for an answer.")
    ] = 10.0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Check an agent, an engine or an environment of others, one at a time.

    An agent plays random and arranged deals: legally, the same for the same seed, alone or in a
    batch, whatever the hidden cards are, and on from a saved state. An engine in any language is
    compared with sample records that show every rule: it writes records of --tasks, or answers as a
    program. The exit status is 1 if any check fails.

    \b
    Examples:
      xabitha conformance --agent my_bot:Bot --game xeri
      xabitha conformance --tasks tasks.jsonl
      xabitha conformance --engine-records mine.jsonl
      xabitha conformance --engine "python my_engine.py" --json
      xabitha conformance --environment my_package:make_env
    """
    given = {
        "--agent": agent,
        "--engine": engine,
        "--engine-records": engine_records,
        "--environment": environment,
        "--tasks": tasks_file,
        "--samples": samples_file,
    }
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        what = f"not {' and '.join(chosen)}" if chosen else "and none is given"
        raise ValueError(f"give one of {', '.join(given)}, {what}")
    if game is not None and game not in GAMES:
        raise ValueError(f"no game {game!r}; there are {', '.join(GAMES)}")
    if tasks_file is not None or samples_file is not None:
        _write(tasks_file, samples_file, game, quiet)
        return
    if agent is not None:
        findings = _check_agent(agent, game, deals, seed, quiet)
    elif engine is not None:
        findings = _check_engine(engine, game, seconds, quiet)
    elif engine_records is not None:
        from xabitha_env.conformance import check_records

        findings = check_records(engine_records)
    else:
        from xabitha_env.conformance import check_environment

        findings = check_environment(str(environment))
    _tell(findings, chosen[0].strip("-"), as_json, quiet)


def _check_agent(spec: str, game: str | None, deals: int, seed: int, quiet: bool) -> list[Finding]:
    from xabitha_env.cli.output import progress_bar
    from xabitha_env.conformance.agent import CHECKS, check_agent

    games = GAMES if game is None else (game,)
    findings: list[Finding] = []
    with progress_bar("checking", len(CHECKS) * len(games), quiet) as move:
        for one in games:
            findings += check_agent(spec, one, deals=deals, seed=seed)
            move(len(findings))
    return findings


def _check_engine(program: str, game: str | None, seconds: float, quiet: bool) -> list[Finding]:
    from xabitha_env.cli.output import progress_bar
    from xabitha_env.conformance import check_engine, sample_records

    try:
        words = shlex.split(program)
    except ValueError as error:
        raise ValueError(f"--engine {program!r}: {error}") from None
    if not words:
        raise ValueError("--engine: no program is named")
    records = sample_records(game)
    with progress_bar("asking", len(records), quiet) as move:
        return check_engine(words, records, seconds=seconds, move=move)


def _write(
    tasks_file: Path | None, samples_file: Path | None, game: str | None, quiet: bool
) -> None:
    from xabitha_env.conformance import sample_records, tasks, with_legal
    from xabitha_env.record import write_records

    records = sample_records(game)
    if tasks_file is not None:
        count = write_records(tasks_file, tasks(records))
    else:
        assert samples_file is not None
        count = write_records(samples_file, map(with_legal, records))
    if not quiet:
        print(f"{count} matches in {tasks_file or samples_file}")


def _tell(findings: Sequence[Finding], what: str, as_json: bool, quiet: bool) -> None:
    """Print the report; leave with 1 if a check failed."""
    from xabitha_env.conformance.report import FAIL

    failed = sum(one.result == FAIL for one in findings)
    if as_json:
        report = {"kind": what, "failed": failed, "checks": [one.to_dict() for one in findings]}
        print(json.dumps(report))
    else:
        for one in findings:
            if one.result == FAIL or not quiet:
                print(
                    f"{one.result:7}  {' '.join(filter(None, (one.game, one.check)))}: {one.detail}"
                )
        if not quiet:
            print(f"{len(findings) - failed} of {len(findings)} checks passed or were skipped")
    if failed:
        raise typer.Exit(1)
