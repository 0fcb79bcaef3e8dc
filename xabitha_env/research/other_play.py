"""Other-play: how much of what partners understand depends on the names of suits.

Hu, Lerer, Peysakhovich and Foerster (2020) let each player of a team see the game under a symmetry
of its own, so that only conventions survive that a stranger could share. Here each seat plays every
match under a random renaming of suits, all that it sees and does being translated. An agent that
treats suits alike loses nothing; what another loses is the gap between self-play and other-play.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS
from xabitha_env.players import Agent, View
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.protocol import Engine
from xabitha_env.research.mirror import MirrorAgent
from xabitha_env.research.renaming import maps_of, rename_actions, rename_games
from xabitha_env.research.results import Result
from xabitha_env.research.task import Move, PanelTask

SALT = 2020
"""Of the renamings, so that they have nothing to do with the cards."""


class RenamedAgent(MirrorAgent):
    """A player to whom the suits have other names, in each match and seat.

    The renaming of a seat follows from the match's seed, so that a match is the same in any batch.

    Args:
        player: who decides.
        name: what tables call it.
    """

    def reset(self, engine: Engine, seed: int) -> None:
        """Draw the renamings of the matches that an engine's games have just begun."""
        super().reset(engine, seed)
        count = len(maps_of(engine.game).orders)
        self.renamings = np.array(
            [
                np.random.default_rng([SALT, int(word)]).integers(count, size=NUM_SEATS)
                for word in engine.games["deal_word"]
            ]
        )  # (N, 4) by game and seat

    def changed(self, games: NDArray[Any], view: View) -> NDArray[Any]:
        """Return the records with the seats' own names."""
        return rename_games(self._engine.game, games, self.renamings[view.game, view.seat])

    def restored(
        self, actions: NDArray[np.int64], games: NDArray[Any], view: View
    ) -> NDArray[np.int64]:
        """Return the actions with the true names."""
        game, own = self._engine.game, self.renamings[view.game, view.seat]
        return rename_actions(game, games, maps_of(game).inverse[own], actions)

    def get_state(self) -> Any:
        """Return the renamings, too: they cannot be drawn again in the middle of a match."""
        return self.renamings.copy(), super().get_state()

    def set_state(self, state: Any) -> None:
        """Go on from what `get_state` returned, after a `reset`."""
        try:
            renamings, kept = state
            self.renamings[:] = renamings
        except (TypeError, ValueError) as error:
            raise ValueError(f"player {self.name!r} has no such state: {error}") from error
        super().set_state(kept)


def renamed(player: Agent) -> RenamedAgent:
    """Return a player to whom the suits have other names."""
    return RenamedAgent(player, f"renamed {player.name}")


@dataclass(frozen=True, kw_only=True)
class OtherPlay(PanelTask):
    """The gap: points a round that a team loses when each partner has its own names for suits.

    The suits of the teams that it plays against keep their names.
    """

    name = "other-play"
    summary = "self-play minus other-play: what depends on the names of suits"

    @property
    def rounds(self) -> int:
        """With the true names, and with others."""
        return self.deals * len(self.panel) * 2

    def run(self, player: PlayerSpec, move: Move = lambda played: None) -> Result:
        """Return the gap; see `Task.run`."""
        names = "self-play minus other-play", "self-play", "other-play"
        return self.difference(player, renamed, names, move)
