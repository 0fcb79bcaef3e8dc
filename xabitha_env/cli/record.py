"""``xabitha record``: play matches and write their records."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from xabitha_env.cli.options import (
    GameOption,
    JsonOption,
    PlayersOption,
    QuietOption,
    RoundsOption,
    RuleOption,
    SeedOption,
    parse_rules,
    split_players,
)


def record(
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where to write: *.jsonl or *.jsonl.gz.")
    ],
    players: PlayersOption = "greedy",
    matches: Annotated[int, typer.Option("--matches", min=1, help="How many matches.")] = 1,
    rounds: RoundsOption = None,
    seed: SeedOption = None,
    rule: RuleOption = None,
    legal: Annotated[
        bool, typer.Option("--legal", help="Write down the legal moves at every decision.")
    ] = False,
    game: GameOption = "xabitha",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Play matches and write their records, one match a line.

    The file appears when it is whole; the same seed gives the same file.

    \b
    Examples:
      xabitha record --players greedy,random --matches 20 --out games.jsonl.gz
      xabitha record --rounds 1 --rule opening_points=60 --legal --out quick.jsonl
    """
    import secrets

    from xabitha_env.cli.output import progress_bar
    from xabitha_env.record import record_matches, write_records

    first = secrets.randbits(32) if seed is None else seed
    summary = Summary(str(out), game, first)
    rules = parse_rules(game, rule, rounds)
    started = time.perf_counter()
    records = record_matches(
        split_players(players),
        range(first, first + matches),
        game=game,
        rules=rules,
        legal=legal,
    )
    with progress_bar("recording", matches, quiet) as move:
        write_records(out, summary.count(records), move)
    summary.seconds = round(time.perf_counter() - started, 3)
    if as_json:
        print(json.dumps(asdict(summary)))
    elif not quiet:
        summary.print()


@dataclass
class Summary:
    """What was recorded."""

    file: str
    game: str
    seed: int
    players: list[str] = field(default_factory=list)  # by seat
    matches: int = 0
    rounds: int = 0
    decisions: int = 0
    wins: list[int] = field(default_factory=lambda: [0, 0])  # by team, alone
    shared: int = 0
    totals: list[int] = field(default_factory=lambda: [0, 0])  # by team, over all matches
    seconds: float = 0.0

    def count(self, records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Pass records on and count what is in them."""
        for match in records:
            self.players = match["agents"]
            self.matches += 1
            self.rounds += len(match["rounds"])
            self.decisions += sum(len(played["events"]) for played in match["rounds"])
            result = match["result"]
            if len(result["winners"]) == 1:
                self.wins[result["winners"][0]] += 1
            else:
                self.shared += 1
            self.totals = [a + b for a, b in zip(self.totals, result["totals"], strict=True)]
            yield match

    def print(self) -> None:
        """Print a table with a row for each team."""
        from xabitha_env.cli.output import print_table

        rows = [
            (f"{team}: {' + '.join(self.players[team::2])}", wins, f"{total / self.matches:.1f}")
            for team, (wins, total) in enumerate(zip(self.wins, self.totals, strict=True))
        ]
        print_table(self.file, ("team", "matches won", "mean total"), rows)
        print(
            f"{self.matches} matches ({self.shared} shared), {self.rounds} rounds, "
            f"{self.decisions} decisions in {self.seconds:.1f} s; seed {self.seed}"
        )
