"""Matches in which programs are told all that their seats may see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from xabitha_env.games import make_engine
from xabitha_env.players.base import Agent
from xabitha_env.players.table import Table
from xabitha_env.protocol import Engine, Rules
from xabitha_env.record.play import end_round, new_record
from xabitha_env.stdio.agent import StdioAgent
from xabitha_env.stdio.events import Sight, match_result, round_result


def play_matches(
    players: Sequence[Agent], seeds: Iterable[int], *, game: str, rules: Rules
) -> Iterator[dict[str, Any]]:
    """Play matches one after another and give their records.

    Args:
        players: four by seat. Programs among them are told every event; they stay open.
        seeds: of the matches.
        game: which game.
        rules: its rules.

    Raises:
        PlayerError: a player that is no program failed, or gave no legal action.
    """
    engine = make_engine(game, 1, rules=rules)
    table = Table(engine, players)
    for player in table.players:
        if isinstance(player, StdioAgent):
            player.watching = True
    for seed in seeds:
        yield _Match(table, seed).play()


class _Match:
    """One match, from its deal to its result."""

    def __init__(self, table: Table, seed: int) -> None:
        self.table, self.engine = table, table.engine
        self.engine.reset(seed=[seed])
        table.reset(seed)
        names = [player.name for player in table.players]
        self.record = new_record(self.engine, 0, seed, names)
        self._programs = [
            (player, Sight(seat))
            for seat, player in enumerate(table.players)
            if isinstance(player, StdioAgent)
        ]

    def play(self) -> dict[str, Any]:
        """Play it and return its record."""
        self._tell_deal()
        while not self.engine.over[0]:
            self._step()
        for player, _ in self._programs:
            player.tell(match_result(self.engine, 0))
        return self.record

    def _step(self) -> None:
        engine, rounds = self.engine, int(self.engine.rounds_played[0])
        before = engine.get_state()
        action = int(self.table.step()[0])
        event = engine.event_record(before, action)
        self.record["rounds"][-1]["events"].append(event)
        ended = int(engine.rounds_played[0]) != rounds
        melds = [] if ended else _melds(engine)
        for player, sight in self._programs:
            if (seen := sight.event(event, melds)) is not None:
                player.tell(seen)
        if ended:
            end_round(engine, 0, self.record)
            for player, _ in self._programs:
                player.tell(round_result(engine, 0))
            if not engine.over[0]:
                self._tell_deal()

    def _tell_deal(self) -> None:
        entry, number = self.record["rounds"][-1], len(self.record["rounds"])
        for player, sight in self._programs:
            player.tell(sight.begin(entry, number))


def _melds(engine: Engine) -> list[tuple[str, ...]]:
    return [meld.cards for meld in engine.scene().melds]
