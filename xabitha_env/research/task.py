"""What all research tasks have in common: the game, the deals, and how teams are played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from xabitha_env.evaluation.deals import seeds_of
from xabitha_env.evaluation.intervals import Floats
from xabitha_env.evaluation.play import Agents, Setup, one_round, play_deals
from xabitha_env.evaluation.teams import load_team, parse_player, parse_team
from xabitha_env.games import GAMES
from xabitha_env.players import Agent, load_player
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.research.results import Result, line_of

BATCH = 128
"""Deals played side by side."""

Names = tuple[str, ...]
Move = Callable[[int], object]
"""Told how many rounds are played."""


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """A fixed problem with a score; single rounds by the default rules.

    Fields that only one task has say what they are in their metadata, by ``help``.

    Attributes:
        game: which game.
        deals: D, how many.
        seeds: which deals, as `evaluation.deals.seeds_of` takes it.

    Raises:
        ValueError: the game does not have the task, or there are no such deals.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    games: ClassVar[Names] = GAMES

    game: str = "xabitha"
    deals: int = 200
    seeds: str = "development"

    def __post_init__(self) -> None:
        if self.game not in self.games:
            raise ValueError(f"task {self.name!r} is of {', '.join(self.games)}, not {self.game}")
        seeds_of(self.seeds, self.deals)

    @abstractmethod
    def run(self, player: PlayerSpec, move: Move = lambda played: None) -> Result:
        """Return how a player does.

        Args:
            player: as `players.load_player` takes it; a class or a text gives each seat a player
                of its own, an object sits in all of them.
            move: called now and then with the number of deals played.

        Raises:
            ValueError: there is no such player, or it fails (`PlayerError`).
            ImportError: it needs a library that is missing.
        """

    @property
    def rounds(self) -> int:
        """How many deals are played for a player, as `move` is told."""
        return self.deals

    @property
    def setup(self) -> Setup:
        """What is played."""
        return one_round(self.game)

    @property
    def chosen(self) -> range:
        """The seeds of the deals."""
        return seeds_of(self.seeds, self.deals)

    def settings(self) -> dict[str, Any]:
        """Return the fields by name, the first seed, and a hash of the rules."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**own, "first_seed": self.chosen.start, "rules_hash": self.setup.rules.hash()}

    def load(self, player: PlayerSpec) -> Agents:
        """Return a player for each seat of a team."""
        if isinstance(player, str):
            player = parse_player(player)
        return load_player(player, self.game), load_player(player, self.game)

    def teams(self, texts: Sequence[str]) -> list[Agents]:
        """Return the teams of texts ``PLAYER`` or ``PLAYER+PLAYER``."""
        if not texts:
            raise ValueError(f"task {self.name!r} needs at least one team to play against")
        return [load_team(parse_team(text), self.game) for text in texts]

    def margins(self, team: Agents, panel: Sequence[Agents], tell: Tell) -> Floats:
        """Return (D,) the mean margins of a team over both sides and all teams of a panel."""
        found = [
            np.concatenate(
                [tell(play_deals(self.setup, team, other, seeds)) for seeds in self.batches()]
            )
            for other in panel
        ]
        means: Floats = np.mean([rows["margin"].mean(axis=1) for rows in found], axis=0)
        return means

    def batches(self) -> Iterator[range]:
        """Yield the seeds of deals that are played side by side."""
        for start in range(0, self.deals, BATCH):
            yield self.chosen[start : start + BATCH]


@dataclass(frozen=True, kw_only=True)
class PanelTask(Task):
    """A task in which teams play against a panel.

    Attributes:
        panel: the teams that they play against.
    """

    panel: Names = field(default=("expert",), metadata={"help": "teams to play against"})

    @property
    def against(self) -> str:
        """What the margins are, in words."""
        return f"against {', '.join(self.panel)}"

    def difference(
        self,
        player: PlayerSpec,
        change: Callable[[Agent], Agent],
        names: tuple[str, str, str],
        move: Move,
    ) -> Result:
        """Return what a team loses when both of its players are changed.

        Args:
            player: as in `run`.
            change: returns a changed player.
            names: of the difference, of the margin before, and after.
            move: as in `run`.
        """
        tell, panel = Tell(move), self.teams(self.panel)
        first, second = self.load(player)
        before = self.margins((first, second), panel, tell)
        after = self.margins((change(first), change(second)), panel, tell)
        lines = [line_of(*one) for one in zip(names, (before - after, before, after))]
        measure = f"points a round {self.against}"
        return Result(self.name, name_of(player), measure, self.settings(), lines)


class Tell:
    """Passes rows of played deals on, and says how many they were.

    Args:
        move: is told the number so far.
    """

    def __init__(self, move: Move) -> None:
        self._move, self._played = move, 0

    def __call__(self, rows: Any) -> Any:
        """Return the rows."""
        self._played += len(rows)
        self._move(self._played)
        return rows


def name_of(player: PlayerSpec) -> str:
    """Return what tables call a player."""
    if isinstance(player, str):
        return player
    return str(getattr(player, "name", None) or getattr(player, "__name__", player))
