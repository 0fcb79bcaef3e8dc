"""``xabitha survival``: when players open, as the share of seats that have not yet, by turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xabitha_env.cli.measuring import Outputs
from xabitha_env.cli.options import (
    ChunkOption,
    GameOption,
    JsonFileOption,
    PlotOption,
    QuietOption,
    RoundsOption,
    RuleOption,
    SeedsOption,
    WorkersOption,
    match_rules,
)

if TYPE_CHECKING:
    from xabitha_env.evaluation.intervals import Interval
    from xabitha_env.evaluation.report import Row, Table
    from xabitha_env.evaluation.run import Pairing
    from xabitha_env.evaluation.survival import Curve, Survival


def survival(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER", help="One or more players.")],
    deals: Annotated[int, typer.Option("--deals", min=2, help="Deals of each player.")] = 1000,
    seeds: SeedsOption = "development",
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="PLAYER", help="Who has the other seats; else itself."),
    ] = None,
    rounds: RoundsOption = None,
    rule: RuleOption = None,
    chunk: ChunkOption = None,
    workers: WorkersOption = 1,
    json_file: JsonFileOption = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the curves here.")
    ] = None,
    plot: PlotOption = None,
    game: GameOption = "xabitha",
    quiet: QuietOption = False,
) -> None:
    """Play and see when each player opens: the share of its seats that have not, by turn.

    Turns are a round's, the starter's first discard being turn 1; the median is given in a seat's
    own turns, too. A seat counts until it opens or its round ends (Kaplan and Meier), a seat in
    Xabitha mode not at all. Each player has all four seats, or both of a team on mirrored deals
    with --against. Intervals are of 95%, over deals. Xabitha only.

    \b
    Examples:
      xabitha survival greedy expert
      xabitha survival greedy expert --deals 500 --seeds test --plot survival.png
      xabitha survival greedy random --against expert --csv curves.csv --json results.json
    """
    import os

    from xabitha_env.cli.output import print_table, progress_bar
    from xabitha_env.evaluation.deals import seeds_of
    from xabitha_env.evaluation.openings import check_game, play_seats
    from xabitha_env.evaluation.play import Setup
    from xabitha_env.evaluation.run import CHUNK, THREADS_VARIABLE
    from xabitha_env.evaluation.settings import settings_of
    from xabitha_env.evaluation.survival import summarise_survival

    check_game(game)
    setup, pairings = Setup(game, match_rules(game, rule, rounds)), pairings_of(players, against)
    chosen = seeds_of(seeds, deals)
    os.environ[THREADS_VARIABLE] = "1"  # players that load torch compute as in other processes
    load_all(pairings, game)
    outputs = Outputs(json_file, csv_file, plot)
    outputs.check()
    settings = {**settings_of(setup, pairings, chosen, chunk or CHUNK), "deals": deals}
    with progress_bar("playing", len(pairings) * deals, quiet) as move:
        seats = play_seats(
            setup, pairings, chosen, chunk=chunk or CHUNK, workers=workers, move=move
        )
    found = [summarise_survival(*one) for one in zip(pairings, seats, strict=True)]
    write(found, settings, outputs)
    if not quiet:
        for table in tables_of(found):
            print_table(*table)


def pairings_of(players: Sequence[str], against: str | None) -> list[Pairing]:
    """Return each player with whom it meets: itself, if nobody is named.

    Raises:
        ValueError: a player is named twice, or a text names no single player.
    """
    from xabitha_env.evaluation.run import Pairing
    from xabitha_env.evaluation.teams import Team, parse_player

    names = [parse_player(player) for player in players]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"player {name!r} is named twice")
    rivals = names if against is None else [parse_player(against)] * len(names)
    return [Pairing(Team(a, a), Team(b, b)) for a, b in zip(names, rivals, strict=True)]


def load_all(pairings: Sequence[Pairing], game: str) -> None:
    """See that all players are there, before anything is played.

    Raises:
        ValueError, ImportError: as in `load_team`.
    """
    from xabitha_env.evaluation.teams import load_team

    for team in dict.fromkeys(team for pairing in pairings for team in pairing):
        load_team(team, game)


def write(found: Sequence[Survival], settings: dict[str, Any], outputs: Outputs) -> None:
    """Write the results as JSON, the curves as CSV and as a picture, where wanted."""
    import json

    from xabitha_env.evaluation.report import rounded
    from xabitha_env.evaluation.survival import curves_csv, survival_dict
    from xabitha_env.files import write_text

    if outputs.json is not None:
        result = {"settings": settings, "players": [survival_dict(one) for one in found]}
        write_text(outputs.json, json.dumps(rounded(result), indent=2) + "\n")
    if outputs.csv is not None:
        write_text(outputs.csv, curves_csv(found))
    if outputs.plot is not None:
        from xabitha_env.evaluation.plots import draw_survival

        draw_survival(outputs.plot, found)


def tables_of(found: Sequence[Survival]) -> list[Table]:
    """Return the shares after some turns, and the figures of each player."""
    from xabitha_env.evaluation.survival import rivals_of, turn_marks

    names = [one.player for one in found]
    marks = turn_marks(max(one.turns.shown for one in found))
    shares: list[Row] = [
        (str(turn), *(_share(one.turns.after(turn)) for one in found)) for turn in marks
    ]
    figures: list[Row] = [
        (
            one.player,
            _share(one.never),
            *(_median(curve) for curve in (one.turns, one.own)),
            f"{one.declared.mean:.1%}",
        )
        for one in found
    ]
    head = ("player", "never opened, %", "median turn", "own turn", "declared")
    return [
        ("seats not yet opened, % (95% interval)", ("after turn", *names), shares),
        (f"openings, {rivals_of(found)} (95% intervals)", head, figures),
    ]


def _share(one: Interval | None) -> str:
    if one is None or one.mean != one.mean:  # nan: of no seat
        return ""
    return f"{100 * one.mean:.1f} ({100 * one.low:.1f}-{100 * one.high:.1f})"


def _median(curve: Curve) -> str:
    if not curve.shown:
        return ""
    middle, low, high = ("later" if turn is None else str(turn) for turn in curve.median)
    return middle if low == middle == high else f"{middle} ({low}-{high})"
