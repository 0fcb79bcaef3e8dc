"""``xabitha tournament``: every team against every other on mirrored deals."""

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
    RayOption,
    RoundsOption,
    RuleOption,
    SeedsOption,
    StateOption,
    WorkersOption,
    match_rules,
)


def tournament(
    teams: Annotated[
        list[str],
        typer.Argument(metavar="TEAM", help="A player for both seats, or PLAYER+PLAYER."),
    ],
    deals: DealsOption = 1000,
    seeds: SeedsOption = "development",
    rounds: RoundsOption = None,
    rule: RuleOption = None,
    fixed_draws: FixedDrawsOption = False,
    want: Annotated[
        float | None,
        typer.Option("--want", metavar="POINTS", help="Say how many deals ± so many points need."),
    ] = None,
    chunk: ChunkOption = None,
    workers: WorkersOption = 1,
    ray: RayOption = None,
    state: StateOption = None,
    json_file: JsonFileOption = None,
    csv_file: CsvOption = None,
    plot: PlotOption = None,
    game: GameOption = "xabitha",
    quiet: QuietOption = False,
) -> None:
    """Play every pair of teams on mirrored deals: the same cards twice, the seats exchanged.

    Matches are of one round unless --rounds says otherwise. Margins are in points a round, with
    95% intervals over deals. With --state, a run that was stopped goes on when the same command
    is given again, and more --deals can be added.

    \b
    Examples:
      xabitha tournament greedy random
      xabitha tournament greedy random --deals 200 --want 2
      xabitha tournament greedy random greedy+random --seeds test --json results.json
      xabitha tournament expert search --deals 100000 --ray auto --state run.jsonl
    """
    from xabitha_env.evaluation import report
    from xabitha_env.evaluation.deals import seeds_of
    from xabitha_env.evaluation.play import Setup
    from xabitha_env.evaluation.teams import parse_teams
    from xabitha_env.evaluation.tournament import pairings_of, summarise_tournament

    if want is not None and not 0 < want < float("inf"):
        raise ValueError(f"--want must be above 0, not {want:g}")
    named = parse_teams(teams)
    plan = Plan(
        Setup(game, match_rules(game, rule, rounds), fixed_draws),
        pairings_of(named),
        seeds_of(seeds, deals),
        chunk,
        workers,
        state,
        Outputs(json_file, csv_file, plot),
        quiet,
        ray,
    )
    settings, played = plan.play("playing")
    found = summarise_tournament(game, named, played)
    spent = plan.spent(played)
    result = {"settings": settings, **report.tournament_dict(found)}
    tables = [*report.tournament_tables(game, found), report.timing_table(spent)]
    if want is not None:
        needs = report.guard(found, want)
        result["needs"] = {"half_width": want, "pairs": needs}
        tables.append(report.guard_table(needs, want))
    plan.write(result, played, spent)
    if plot is not None:
        from xabitha_env.evaluation.plots import draw_tournament

        draw_tournament(plot, found)
    plan.print(tables, found.warnings)
