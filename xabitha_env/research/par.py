"""Par: what the cards of a deal are worth when all four seats search with every card open.

The bound is `cheating-search` in every seat: it plays each candidate out with `expert` in the true
deal and takes the one that comes out best. That looks one decision deep, in Xabitha among the moves
that `expert` finds sensible; in Xeri the last 8 plays are solved exactly. It is no true optimum:
better play of either side may exist, and a player may be ahead of par.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.intervals import Floats
from xabitha_env.evaluation.outcomes import outcomes
from xabitha_env.evaluation.play import play_deals, start_side
from xabitha_env.evaluation.report import Row, Table
from xabitha_env.players import CheatingSearchAgent
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.research.results import Result, line_of
from xabitha_env.research.task import Move, Task, Tell, name_of

BATCH = 8
"""Deals played side by side; a search takes its time."""
NOTE = "par is a bounded search with all cards open, no true optimum: regret may be below zero"


@dataclass(frozen=True, kw_only=True)
class Par(Task):
    """A player's regret: how far its team stays behind par, against a team that sees all cards."""

    name = "par"
    summary = "regret against a bounded par score, found with all cards open"

    deals: int = 50

    @property
    def rounds(self) -> int:
        """For par, and for the player."""
        return self.deals * 2

    def margins_of_par(self, tell: Tell) -> Floats:
        """Return (D,) the points by which seats 0 and 2 win each deal at par."""
        rows = [tell(self._at_par(seeds)) for seeds in self.batches()]
        margins: Floats = np.concatenate(rows)
        return margins

    def run(self, player: PlayerSpec, move: Move = lambda played: None) -> Result:
        """Return a player's regret; see `Task.run`. Deals are played on both sides."""
        tell, team = Tell(move), self.load(player)
        par = self.margins_of_par(tell)
        seeing = (CheatingSearchAgent(), CheatingSearchAgent())
        rows = [tell(play_deals(self.setup, team, seeing, list(seeds))) for seeds in self.batches()]
        margins = np.concatenate(rows)["margin"]  # (D, 2) by side
        regret = np.stack([par, -par], axis=1) - margins
        lines = [
            line_of("regret", regret.mean(axis=1)),
            line_of("regret in seats 0 and 2", regret[:, 0]),
            line_of("regret in seats 1 and 3", regret[:, 1]),
            line_of("par of seats 0 and 2", par),
            line_of("size of par", np.abs(par)),
        ]
        measure = "points a round behind par, against cheating-search"
        return Result(self.name, name_of(player), measure, self.settings(), lines, notes=(NOTE,))

    def table_of_par(self) -> Table:
        """Return par of each deal as a table."""
        margins = self.margins_of_par(Tell(lambda played: None))
        pairs = zip(self.chosen, margins.tolist())
        rows: list[Row] = [(str(seed), f"{margin:+.0f}") for seed, margin in pairs]
        return f"par of {self.game}, points of seats 0 and 2", ("seed", "par"), rows

    def batches(self) -> Iterator[range]:
        """Yield the seeds of deals that are played side by side."""
        for start in range(0, self.deals, BATCH):
            yield self.chosen[start : start + BATCH]

    def _at_par(self, seeds: range) -> NDArray[np.float64]:
        seeing = (CheatingSearchAgent(),) * 2
        table = start_side(self.setup, seeing, seeing, seeds, 0)
        table.play()
        margins: Floats = outcomes(self.game, table.engine.games, list(seeds), 0)["margin"]
        return margins
