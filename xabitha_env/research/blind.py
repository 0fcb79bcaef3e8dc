"""Partner-blind ablation: what a player loses when its partner's plays are hidden from it.

As in training with ``Encoder(blind=True)``, but when it plays: what is remembered of the partner's
plays is taken away, for whatever the player works with. What lies on the table stays, and so do
the order of a pile and what is known of the opponents. The loss is what partners tell each other by
playing, as far as the player makes use of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.players import View
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.research.mirror import MirrorAgent
from xabitha_env.research.results import Result, line_of
from xabitha_env.research.task import Move, Names, Task, Tell, name_of

PLAYS: dict[str, Mapping[str, int]] = {
    "xabitha": {
        "discarded": 0,
        "last_discard": -1,
        "took": 0,
        "laid": 0,
        "known_one": 0,
        "known_two": 0,
    },
    "xeri": {"played": 0},
}
"""Fields of a game's record that remember a seat's plays, and their value before the first."""


class BlindAgent(MirrorAgent):
    """A player that is not shown what its partner has played."""

    def changed(self, games: NDArray[Any], view: View) -> NDArray[Any]:
        """Return the records without the partners' plays."""
        rows, partners = np.arange(len(games)), (view.seat + NUM_TEAMS) % NUM_SEATS
        for name, empty in PLAYS[self._engine.game].items():
            games[name][rows, partners] = empty
        return games


@dataclass(frozen=True, kw_only=True)
class PartnerBlind(Task):
    """How many points a round a team loses when neither of its players sees the other's plays.

    Attributes:
        panel: the teams that it plays against.
    """

    name = "blind"
    summary = "what a player loses when its partner's plays are hidden from it"

    panel: Names = field(default=("expert",), metadata={"help": "teams to play against"})

    @property
    def rounds(self) -> int:
        """Seeing, and blind."""
        return self.deals * len(self.panel) * 2

    def run(self, player: PlayerSpec, move: Move = lambda played: None) -> Result:
        """Return what blindness costs; see `Task.run`."""
        tell, panel = Tell(move), self.teams(self.panel)
        first, second = self.load(player)
        seeing = self.margins((first, second), panel, tell)
        hidden = [BlindAgent(one, f"blind {one.name}") for one in (first, second)]
        blind = self.margins((hidden[0], hidden[1]), panel, tell)
        lines = [
            line_of("lost by blindness", seeing - blind),
            line_of("seeing", seeing),
            line_of("blind", blind),
        ]
        measure = f"points a round against {', '.join(self.panel)}"
        return Result(self.name, name_of(player), measure, self.settings(), lines)
