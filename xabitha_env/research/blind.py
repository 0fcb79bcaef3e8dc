"""Partner-blind ablation: what a player loses when its partner's plays are hidden from it.

As in training with ``Encoder(blind=True)``, but when it plays: what is remembered of the partner's
plays is taken away, for whatever the player works with. What lies on the table stays, and so do
the order of a pile and what is known of the opponents. The loss is what partners tell each other by
playing, as far as the player makes use of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.players import Agent, View
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.research.mirror import MirrorAgent
from xabitha_env.research.results import Result
from xabitha_env.research.task import Move, PanelTask

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


def blinded(player: Agent) -> BlindAgent:
    """Return a player that is not shown what its partner plays."""
    return BlindAgent(player, f"blind {player.name}")


@dataclass(frozen=True, kw_only=True)
class PartnerBlind(PanelTask):
    """How many points a round a team loses when neither of its players sees the other's plays."""

    name = "blind"
    summary = "what a player loses when its partner's plays are hidden from it"

    @property
    def rounds(self) -> int:
        """Seeing, and blind."""
        return self.deals * len(self.panel) * 2

    def run(self, player: PlayerSpec, move: Move = lambda played: None) -> Result:
        """Return what blindness costs; see `Task.run`."""
        names = "lost by blindness", "seeing", "blind"
        return self.difference(player, blinded, names, move)
