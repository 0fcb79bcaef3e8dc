"""What the commands that measure players share: check, play with a progress bar, write files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xabitha_env.evaluation.play import Setup
    from xabitha_env.evaluation.report import Table
    from xabitha_env.evaluation.run import Pairing, Played, Spread
    from xabitha_env.evaluation.timing import Spent


@dataclass(frozen=True)
class Outputs:
    """The files that a command is to write; None is left out."""

    json: Path | None
    csv: Path | None
    plot: Path | None

    def check(self) -> None:
        """See that they can be written, before anything is played.

        Raises:
            FileError: one cannot; ImportError: pictures cannot be drawn.
        """
        from xabitha_env.files import check_place

        for path in (self.json, self.csv, self.plot):
            if path is not None:
                check_place(path)
        if self.plot is not None:
            from xabitha_env.evaluation.plots import check_library

            check_library()


@dataclass(frozen=True)
class Plan:
    """What is to be played, and how.

    Attributes:
        setup: the game.
        pairings: who meets.
        seeds: of the deals.
        chunk: deals of a chunk; None is the usual number.
        workers: processes.
        state: the file that keeps finished chunks, if any.
        outputs: what is written at the end.
        quiet: show no progress and no tables.
        ray: the address of a cluster, in place of processes of this machine.
    """

    setup: Setup
    pairings: list[Pairing]
    seeds: range
    chunk: int | None
    workers: int
    state: Path | None
    outputs: Outputs
    quiet: bool
    ray: str | None = None

    def play(self, title: str) -> tuple[dict[str, Any], Played]:
        """Play, under a progress bar; returns the settings, as JSON holds them, and the deals.

        Raises:
            ValueError, OSError, ImportError: wrong use, told before anything is played.
        """
        from xabitha_env.cli.output import progress_bar
        from xabitha_env.evaluation.outcomes import outcome_type
        from xabitha_env.evaluation.run import CHUNK, THREADS_VARIABLE, play_pairings
        from xabitha_env.evaluation.runfile import RunFile
        from xabitha_env.evaluation.settings import settings_of

        os.environ[THREADS_VARIABLE] = "1"  # players that load torch compute as in other processes
        self._load_all()
        self.outputs.check()
        chunk = self.chunk or CHUNK
        settings = settings_of(self.setup, self.pairings, self.seeds, chunk)
        with ExitStack() as stack:
            spread = stack.enter_context(self._spread())
            kept = None
            if self.state is not None:
                kept = RunFile(self.state, settings, outcome_type(self.setup.game))
                stack.enter_context(kept)
            total = len(self.pairings) * len(self.seeds)
            move = stack.enter_context(progress_bar(title, total, self.quiet))
            played = play_pairings(
                self.setup,
                self.pairings,
                self.seeds,
                chunk=chunk,
                workers=self.workers,
                spread=spread,
                kept=kept,
                move=move,
            )
        return {**settings, "deals": len(self.seeds)}, played

    def spent(self, played: Played) -> dict[str, Spent]:
        """Return the thinking time of all players."""
        from xabitha_env.evaluation.timing import time_compiled

        names = {name for pairing in self.pairings for team in pairing for name in team}
        return dict(sorted({**played.spent, **time_compiled(self.setup, names)}.items()))

    def write(self, result: Mapping[str, Any], played: Played, spent: Mapping[str, Spent]) -> None:
        """Write the results as JSON and every deal as CSV, where wanted."""
        from xabitha_env.evaluation.report import csv_text, json_text
        from xabitha_env.files import write_text

        if self.outputs.json is not None:
            write_text(self.outputs.json, json_text(result, spent))
        if self.outputs.csv is not None:
            write_text(self.outputs.csv, csv_text(self.pairings, played))

    def print(self, tables: Iterable[Table], notes: Iterable[str]) -> None:
        """Print tables, and lines below them, unless quiet."""
        from xabitha_env.cli.output import print_table

        if not self.quiet:
            for table in tables:
                print_table(*table)
            for line in notes:
                print(line)

    @contextmanager
    def _spread(self) -> Iterator[Spread | None]:
        """Connect to the cluster, if there is to be one."""
        if self.ray is None:
            yield None
            return
        from xabitha_env.contrib.ray import LOCAL, cluster

        if self.workers > 1 and self.ray != LOCAL:
            raise ValueError(
                f"--workers {self.workers} is for processes of this machine, and --ray {self.ray} "
                "plays on all of the cluster: leave one of them out"
            )
        with cluster(self.ray, self.workers) as found:
            yield found.play

    def _load_all(self) -> None:
        from xabitha_env.evaluation.teams import load_team

        for team in dict.fromkeys(team for pairing in self.pairings for team in pairing):
            load_team(team, self.setup.game)
