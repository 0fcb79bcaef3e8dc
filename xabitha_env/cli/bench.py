"""``xabitha bench``: measure speed on this machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xabitha_env.cli.options import GameOption, QuietOption

if TYPE_CHECKING:
    from xabitha_env.bench import Figure

THOUSAND = 1000


def bench(
    game: GameOption = "xabitha",
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="Seconds a figure and repeat.")
    ] = 0.5,
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure other libraries beside (extra: bench).")
    ] = False,
    cold: Annotated[
        bool, typer.Option("--cold/--no-cold", help="Time the first use, which compiles.")
    ] = True,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the figures here.")
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Measure random legal play, the environments and the first use.

    Each figure is the median of repeats that are taken in turn with all the others, with its
    range; a ratio says how many times faster ours is than the peer, within the same turns.

    \b
    Examples:
      xabitha bench
      xabitha bench --seconds 2 --peers --json speed.json
    """
    from xabitha_env.bench import measure, own_figures
    from xabitha_env.cli.output import progress_bar
    from xabitha_env.files import write_text

    figures = [figure for figure in own_figures(game) if cold or "cold" not in figure.name]
    if peers:
        figures += _peers()
    total = sum(figure.repeats for figure in figures)
    with progress_bar("measuring", total, quiet) as move:
        for done, _ in enumerate(measure(figures, seconds), start=1):
            move(done)
    ours = {figure.name: figure for figure in figures}
    rows = [figure.row(ours) for figure in figures]
    if json_file is not None:
        write_text(json_file, json.dumps({"game": game, "figures": rows}, indent=2) + "\n")
    _print(rows)


def _peers() -> list[Figure]:
    from xabitha_env.contrib.peers import peer_figures

    figures, missing = peer_figures()
    for line in missing:
        print(line, file=sys.stderr)
    return figures


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= THOUSAND else f"{value:.3g}"


def _print(rows: list[dict[str, Any]]) -> None:
    from xabitha_env.cli.output import print_table

    cells = [
        (
            row["name"],
            *(_number(row[column]) for column in ("value", "low", "high")),
            row["unit"],
            f"{row['ratio']:.1f} x" if "ratio" in row else "",
        )
        for row in rows
    ]
    print_table("speed", ("figure", "median", "low", "high", "unit", "ours"), cells)
