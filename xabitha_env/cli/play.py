"""``xabitha play``: play a match in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xabitha_env.cli.options import (
    GameOption,
    OthersOption,
    RoundsOption,
    RuleOption,
    SeedOption,
    parse_rules,
    split_players,
)

if TYPE_CHECKING:
    from xabitha_env.terminal.match import Match

FIXED_BY_FILE = ("game", "seat", "players", "rule", "rounds", "seed")
"""Options that a match that is continued has brought along."""


def play(
    context: typer.Context,
    seat: Annotated[int, typer.Option("--seat", min=0, max=3, help="Your seat.")] = 0,
    players: OthersOption = "expert",
    hints: Annotated[
        str, typer.Option("--hints", metavar="NAME", help="The player that gives hints.")
    ] = "search?worlds=64",
    rounds: RoundsOption = None,
    seed: SeedOption = None,
    rule: RuleOption = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Save the match here when you quit."),
    ] = None,
    continued: Annotated[
        Path | None,
        typer.Option(
            "--continue", metavar="FILE", help="Go on with a saved match, and save it there again."
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE.jsonl", help="Write the match's record here."),
    ] = None,
    game: GameOption = "xabitha",
) -> None:
    """Play a match in the terminal, at one seat, against and with players of any kind.

    Press ? there for all keys. Hints come from a player that knows no more than your seat does.

    \b
    Examples:
      xabitha play
      xabitha play --game xeri --seat 2 --players expert,greedy --rounds 2
      xabitha play --players learned --hints learned --save evening.json --record evening.jsonl
      xabitha play --continue evening.json
    """
    from xabitha_env.terminal.library import check_library

    check_library("playing in the terminal")
    from xabitha_env.players.loader import load_player
    from xabitha_env.terminal.app import PlayApp
    from xabitha_env.terminal.keeping import Keeping, new_file

    if continued is None:
        match = _new_match(game, seat, players, rule, rounds, seed)
    else:
        match = _saved_match(context, continued)
    keeping = Keeping(match, continued if save is None else new_file(save), record)
    keeping.check()
    app = PlayApp(keeping, load_player(hints, match.setup.game), hints)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ValueError("playing needs a terminal: standard input or output is none")
    try:
        app.run()
    finally:
        keeping.write_record()
    if app.return_code:
        raise typer.Exit(app.return_code)
    if keeping.saved:
        print(f"saved: xabitha play --continue {keeping.save_path}")


def _new_match(
    game: str,
    seat: int,
    players: str,
    rule: list[str] | None,
    rounds: int | None,
    seed: int | None,
) -> Match:
    import secrets

    from xabitha_env.terminal.match import Match, Setup

    rules = parse_rules(game, rule, rounds)
    chosen = secrets.randbits(32) if seed is None else seed
    return Match(Setup(game, rules, chosen, seat, tuple(split_players(players))))


def _saved_match(context: typer.Context, path: Path) -> Match:
    from xabitha_env.terminal.saving import load_match

    for name in FIXED_BY_FILE:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise ValueError(f"--{name} cannot be given with --continue: the match has its own")
    return load_match(path)
