"""``xabitha crossplay``: every player as every other's partner, against a fixed panel."""

from __future__ import annotations

from typing import Annotated

import typer

from xabitha_env.cli.measuring import Outputs, Plan
from xabitha_env.cli.options import (
    ChunkOption,
    CsvOption,
    DealsOption,
    FixedDrawsOption,
    GameOption,
    JsonFileOption,
    PlotOption,
    QuietOption,
    RoundsOption,
    RuleOption,
    SeedsOption,
    StateOption,
    WorkersOption,
    match_rules,
)


def crossplay(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER", help="Two or more players.")],
    panel: Annotated[
        list[str],
        typer.Option("--panel", metavar="TEAM", help="Who they play against; may be repeated."),
    ],
    deals: DealsOption = 1000,
    seeds: SeedsOption = "development",
    rounds: RoundsOption = None,
    rule: RuleOption = None,
    fixed_draws: FixedDrawsOption = False,
    chunk: ChunkOption = None,
    workers: WorkersOption = 1,
    state: StateOption = None,
    json_file: JsonFileOption = None,
    csv_file: CsvOption = None,
    plot: PlotOption = None,
    game: GameOption = "xabitha",
    quiet: QuietOption = False,
) -> None:
    """Play every ordered pair of players as a team against a fixed panel, on mirrored deals.

    Says how well each player does with itself and with strangers, and whether some pairs do
    better or worse together than their strengths add up to.

    \b
    Examples:
      xabitha crossplay greedy random --panel greedy
      xabitha crossplay greedy random --panel greedy --panel random --seeds test --plot map.png
    """
    from xabitha_env.evaluation import crossplay_report
    from xabitha_env.evaluation.deals import seeds_of
    from xabitha_env.evaluation.partnership import (
        margins_of,
        pairings_of,
        summarise_partnership,
    )
    from xabitha_env.evaluation.play import Setup
    from xabitha_env.evaluation.report import timing_table
    from xabitha_env.evaluation.teams import parse_player, parse_teams

    names = [parse_player(player) for player in players]
    opponents = parse_teams(panel)
    plan = Plan(
        Setup(game, match_rules(game, rule, rounds), fixed_draws),
        pairings_of(names, opponents),
        seeds_of(seeds, deals),
        chunk,
        workers,
        state,
        Outputs(json_file, csv_file, plot),
        quiet,
    )
    settings, played = plan.play("playing")
    found = summarise_partnership(names, opponents, margins_of(played, len(names)))
    spent = plan.spent(played)
    result = {"settings": settings, **crossplay_report.crossplay_dict(found)}
    plan.write(result, played, spent)
    if plot is not None:
        from xabitha_env.evaluation.plots import draw_crossplay

        draw_crossplay(plot, found)
    tables = [*crossplay_report.crossplay_tables(found), timing_table(spent)]
    plan.print(tables, crossplay_report.crossplay_notes(found))
