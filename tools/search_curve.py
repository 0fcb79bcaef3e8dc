"""How strong search is by its budget: points a round over `expert`.

    python -m tools.search_curve --state curve.jsonl --plot docs/images/search-curve.png
    python -m tools.search_curve --game xeri --deals 200

Each budget, in worlds a candidate, plays the same mirrored deals against `expert`. With --state a
run that was stopped goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from xabitha_env.cli.output import print_table, progress_bar
from xabitha_env.evaluation.comparison import Comparison, summarise
from xabitha_env.evaluation.deals import seeds_of
from xabitha_env.evaluation.outcomes import outcome_type
from xabitha_env.evaluation.play import Setup, one_round
from xabitha_env.evaluation.run import Pairing, play_pairings
from xabitha_env.evaluation.runfile import RunFile
from xabitha_env.evaluation.settings import settings_of
from xabitha_env.evaluation.teams import parse_team
from xabitha_env.games import GAMES

WORLDS = (4, 16, 64, 256)
HEAD = ("worlds", "deals", "points a round", "95% interval", "won", "ms a decision")


def draw(path: Path, worlds: Sequence[int], found: Sequence[Comparison], game: str) -> None:
    """Write the curve as a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    means = [one.margin for one in found]
    low = [one.margin - one.low for one in found]
    high = [one.high - one.margin for one in found]
    axes.errorbar(worlds, means, yerr=[low, high], marker="o", capsize=4)
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(worlds, [str(count) for count in worlds])
    axes.set_xlabel("worlds a candidate")
    axes.set_ylabel("points a round over expert")
    axes.set_title(f"Search by its budget: {game}, 95% intervals", fontsize=10)
    figure.savefig(path, dpi=150)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="How strong search is by its budget.")
    parser.add_argument("--game", default=GAMES[0], choices=GAMES)
    parser.add_argument("--worlds", type=int, nargs="+", default=WORLDS)
    parser.add_argument("--deals", type=int, default=154)
    parser.add_argument("--seeds", default="test", help="a list, or a first seed")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--state", type=Path, help="keeps what was played")
    parser.add_argument("--plot", type=Path, help="a picture, *.png")
    options = parser.parse_args(arguments)
    game = options.game
    setup = Setup(game, one_round(game).rules, fixed_draws=game == "xabitha")
    rival = parse_team("expert")
    pairings = [Pairing(parse_team(f"search?worlds={count}"), rival) for count in options.worlds]
    seeds = seeds_of(options.seeds, options.deals)
    with ExitStack() as stack:
        kept = None
        if options.state is not None:
            settings = settings_of(setup, pairings, seeds, 2)
            kept = stack.enter_context(RunFile(options.state, settings, outcome_type(game)))
        move = stack.enter_context(progress_bar("playing", len(pairings) * len(seeds), False))
        played = play_pairings(
            setup, pairings, seeds, chunk=2, workers=options.workers, kept=kept, move=move
        )
    found = [summarise(game, rows) for rows in played.rows]
    rows = []
    for count, one in zip(options.worlds, found, strict=True):
        spent = played.spent[f"search?worlds={count}"]
        rows.append(
            (
                count,
                one.deals,
                f"{one.margin:+.1f}",
                f"{one.low:+.1f} to {one.high:+.1f}",
                f"{one.won:.1%}",
                f"{spent.milliseconds:.1f}",
            )
        )
    print_table(f"search - expert, {game}", HEAD, rows)
    if options.plot is not None:
        draw(options.plot, options.worlds, found, game)


if __name__ == "__main__":
    main()
