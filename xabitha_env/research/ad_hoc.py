"""Ad hoc partnership: a player with partners that it has not met (Stone and others, 2010).

The player sits opposite every partner of a frozen pool, in either seat, and the team plays a fixed
panel on mirrored deals; a partner drawn at random from the pool is worth the mean over the pool.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from xabitha_env.players import load_player
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.research.results import Result, line_of
from xabitha_env.research.task import Move, Names, PanelTask, Tell, name_of

POOLS: dict[str, Names] = {
    "xabitha": ("random", "greedy", "expert", "chase"),
    "xeri": ("random", "greedy", "counting", "expert"),
}
"""Partners by game, unless others are named; these never change."""


@dataclass(frozen=True, kw_only=True)
class AdHocPartner(PanelTask):
    """The mean margin with unknown partners.

    Attributes:
        pool: the partners; the game's own pool by default. Names, or files of models.
    """

    name = "ad-hoc"
    summary = "margin with partners from a frozen pool, beside with itself"

    pool: Names = field(default=(), metadata={"help": "partners"})

    @property
    def partners(self) -> Names:
        """The partners."""
        return self.pool or POOLS[self.game]

    @property
    def rounds(self) -> int:
        """Both seats with each partner, and the player with itself."""
        return self.deals * len(self.panel) * (2 * len(self.partners) + 1)

    def run(self, player: PlayerSpec, move: Move = lambda played: None) -> Result:
        """Return the margins with each partner; see `Task.run`."""
        tell, panel = Tell(move), self.teams(self.panel)
        low, high = self.load(player)
        alone = self.margins((low, high), panel, tell)
        by_partner = []
        for partner in self.partners:
            other = load_player(partner, self.game)
            teams = ((low, other), (other, high))
            by_partner.append(np.mean([self.margins(one, panel, tell) for one in teams], axis=0))
        with_others = np.mean(by_partner, axis=0)
        lines = [
            line_of("with unknown partners", with_others),
            line_of("with itself", alone),
            line_of("itself minus unknown", alone - with_others),
            *(line_of(f"with {name}", one) for name, one in zip(self.partners, by_partner)),
        ]
        return Result(
            self.name,
            name_of(player),
            f"points a round {self.against}",
            {**self.settings(), "pool": self.partners},
            lines,
        )
