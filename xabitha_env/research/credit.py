"""Per-partner credit: what each partner adds, by swapping a baseline in on the same cards.

A difference reward (Wolpert and Tumer, 2002) is what a team does beyond what it does with one of
its members replaced. With two partners there are two orders in which to replace them; the mean over
the orders is the Shapley value (1953), and the values add up to the whole gain. All four teams
play the same deals, so that the luck of the cards cancels out (common random numbers).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xabitha_env.evaluation.play import Agents
from xabitha_env.evaluation.teams import load_team, parse_team
from xabitha_env.players import load_player
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.research.results import Result, line_of
from xabitha_env.research.task import Move, PanelTask, Tell, name_of

TEAMS = 4


@dataclass(frozen=True, kw_only=True)
class PartnerCredit(PanelTask):
    """What a team gains over a team of baselines, and each partner's part in it.

    Attributes:
        baseline: who takes a partner's seat.
    """

    name = "credit"
    summary = "what each partner adds to a team, by swapping a baseline in"

    baseline: str = field(default="greedy", metadata={"help": "who takes a partner's seat"})

    @property
    def rounds(self) -> int:
        """With both, one of the two, and none of the partners."""
        return self.deals * len(self.panel) * TEAMS

    def run(self, player: PlayerSpec, move: Move = lambda played: None) -> Result:
        """Return the parts of a player, or of the two partners of a text ``PLAYER+PLAYER``."""
        tell, panel = Tell(move), self.teams(self.panel)
        first, second = self.load(player)
        low, high = (load_player(self.baseline, self.game) for _ in range(2))
        both = self.margins((first, second), panel, tell)
        first_alone = self.margins((first, high), panel, tell)
        second_alone = self.margins((low, second), panel, tell)
        neither = self.margins((low, high), panel, tell)
        without_first, without_second = both - second_alone, both - first_alone
        lines = [
            line_of("gain of both", both - neither),
            line_of("first partner (Shapley)", (without_first + first_alone - neither) / 2),
            line_of("second partner (Shapley)", (without_second + second_alone - neither) / 2),
            line_of("lost without the first", without_first),
            line_of("lost without the second", without_second),
            line_of("more than the sum", both - first_alone - second_alone + neither),
        ]
        return Result(
            self.name,
            name_of(player),
            f"points a round over {self.baseline}, {self.against}",
            self.settings(),
            lines,
        )

    def load(self, player: PlayerSpec) -> Agents:
        """Return the partners; a text may name two."""
        if isinstance(player, str):
            return load_team(parse_team(player), self.game)
        return super().load(player)
