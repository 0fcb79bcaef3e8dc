"""A match with a person at one seat, without a screen: what the person sees and does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, partner_of
from xabitha_env.games import make_engine
from xabitha_env.players.base import Agent, View
from xabitha_env.players.loader import load_players
from xabitha_env.players.opinion import Opinion, opinion_of
from xabitha_env.players.table import Table
from xabitha_env.protocol import Engine, Rules
from xabitha_env.record.play import end_round, new_record
from xabitha_env.rulebook import rule_text
from xabitha_env.scene import Scene
from xabitha_env.terminal.marks import (
    hand_marks,
    move_note,
    opening_note,
    pick_note,
    possible_moves,
)
from xabitha_env.terminal.moves import containing, in_order
from xabitha_env.terminal.telling import tell_match_result, tell_record

PERSON = "person"
ANSWER_NO = "declare:no"
_RULE = re.compile(r"\(([XR][0-9]+(?:\.[0-9]+)?)\)")


@dataclass(frozen=True)
class Setup:
    """What fixes a match.

    Attributes:
        game: which game.
        rules: its rules.
        seed: of the match.
        seat: the person's.
        players: specifications: one for all other seats, two by team, or four by seat, of which
            the person's is ignored.
    """

    game: str
    rules: Rules
    seed: int
    seat: int
    players: tuple[str, ...]

    def seated(self) -> tuple[Agent, ...]:
        """Return the four players by seat.

        Raises:
            ValueError: a seat or a number of players that is wrong, or as in `load_players`.
        """
        if not 0 <= self.seat < NUM_SEATS:
            raise ValueError(f"seat must be 0 to {NUM_SEATS - 1}, not {self.seat}")
        specs = list(self.players)
        if len(specs) == NUM_SEATS:  # the person's is not even loaded
            specs[self.seat] = specs[partner_of(self.seat)]
        players = list(load_players(specs, self.game))
        players[self.seat] = Person()
        return tuple(players)


class Person(Agent):
    """The seat whose moves come from the screen."""

    name = PERSON

    def act(self, view: View) -> NDArray[np.int64]:
        """Refuse: nobody asks a person like this."""
        raise RuntimeError("a person's moves come from the screen")


class Refused(ValueError):
    """A move that the engine refuses.

    Attributes:
        rule: the number of the rule; empty if the message names none.
        words: the rule's own words.
    """

    def __init__(self, message: str, rule: str = "", words: str = "") -> None:
        super().__init__(message)
        self.rule, self.words = rule, words


class Match:
    """A match at a table with a person.

    The person's opening is drafted: melds are staged on a copy of the engine, where each can be
    taken back, and played when the opening is committed.

    Args:
        setup: what fixes it.

    Raises:
        ValueError: as in `Setup.seated`; ImportError: a player needs a missing library.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.seat = setup.seat
        self.engine = make_engine(setup.game, 1, rules=setup.rules)
        self.table = Table(self.engine, setup.seated())
        self.engine.reset(seed=[setup.seed])
        self.table.reset(setup.seed)
        self.names = [player.name for player in self.table.players]
        self.record: dict[str, Any] = new_record(self.engine, 0, setup.seed, self.names)
        self.begin(self.record)

    def begin(self, record: dict[str, Any]) -> None:
        """Take the engine and the players as they stand, with the record of how they came there."""
        self.record = record
        self.teller, self.story = tell_record(record, self.seat)
        self.played = sum(len(entry["events"]) for entry in record["rounds"])
        self._drafts: list[tuple[int, Engine]] = []  # actions, and the engine after each
        self._keep()

    def _keep(self) -> None:
        """Keep what a save file needs: players that think may draw on the engine's generator."""
        self.state = self.engine.get_state()
        self.memory = deepcopy(self.table.get_state())

    # What the person sees.

    @property
    def sight(self) -> Engine:
        """The engine with the draft, if there is one."""
        return self._drafts[-1][1] if self._drafts else self.engine

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return bool(self.engine.over[0])

    @property
    def my_turn(self) -> bool:
        """Whether the person is to act."""
        return not self.over and int(self.engine.seats[0]) == self.seat

    @property
    def position(self) -> tuple[int, int]:
        """A mark of the position: another one after every move and every step of a draft."""
        return self.played, len(self._drafts)

    @property
    def drafting(self) -> bool:
        """Whether melds are staged that can be taken back."""
        return bool(self._drafts)

    def scene(self) -> Scene:
        """Return the table as the person sees it."""
        return self.sight.scene(0, self.seat)

    def hand(self) -> tuple[str, ...]:
        """Return the person's cards, those that are staged aside."""
        return self.scene().seats[self.seat].hand.cards

    def moves(self) -> list[str]:
        """Return the person's legal moves, in the order in which they are offered."""
        return in_order(self.sight.legal_texts()) if self.my_turn else []

    def marks(self) -> dict[str, str]:
        """Return what is marked in the hand, by card."""
        return hand_marks(self.sight, self.hand(), self.moves())

    def pick_note(self, picked: Sequence[str]) -> str:
        """Say what the cards picked are, if something."""
        return pick_note(self.sight, picked)

    def move_note(self, move: str) -> str:
        """Say what a move brings, if something."""
        return move_note(self.sight, move)

    def draft_note(self) -> str:
        """Say how far the opening is that is drafted; empty without one."""
        if not self._drafts:
            return ""
        return opening_note(self.sight, self.seat, self.scene().seats[self.seat].staged)

    def seconds_to_answer(self) -> int | None:
        """Return how long the person has for the answer that is awaited; None without end."""
        if not self.my_turn or ANSWER_NO not in self.engine.legal_texts():
            return None
        seconds: int = self.setup.rules.to_dict()["declare_seconds"]
        return seconds

    def summary(self) -> list[str]:
        """Return how the last round ended and how the match stands."""
        ended = [entry["result"] for entry in self.record["rounds"] if entry["result"] is not None]
        lines = self.teller.result(self.setup.game, ended[-1]) if ended else []
        return [*lines, *tell_match_result(self.record, self.teller, self.scene().scores)]

    # What the person does.

    def choose(self, move: str) -> bool:
        """Make a move of the person; a meld of an opening is only drafted.

        Returns:
            Whether a round ended.

        Raises:
            Refused: it is not legal; nothing changed.
        """
        action = self._legal_action(move)
        trial = self.sight.copy()
        trial.step([action])
        if int(trial.seats[0]) == self.seat and trial.scene(0, self.seat).seats[self.seat].staged:
            self._drafts.append((action, trial))
            return False
        actions = [*(drafted for drafted, _ in self._drafts), action]
        self._drafts.clear()
        return any([self.play(one) for one in actions])

    def undo(self) -> None:
        """Take back the meld that was drafted last.

        Raises:
            Refused: none is.
        """
        if not self._drafts:
            raise Refused("there is no drafted meld to take back")
        self._drafts.pop()

    def why_not(self, picked: Sequence[str]) -> Refused:
        """Return why no legal move takes just these cards."""
        for move in possible_moves(self.setup.game, picked):
            try:
                self._legal_action(move)
            except Refused as refusal:
                return refusal
        more = len(containing(self.moves(), picked))
        return Refused(
            f"no legal move takes just {' '.join(picked) or 'no card'}; {more} take more"
        )

    def _legal_action(self, move: str) -> int:
        if not self.my_turn:
            raise Refused("it is not your turn")
        try:
            action = self.sight.parse(move)
        except ValueError as error:
            named = _RULE.search(str(error))
            raise self._refused(str(error), named[1] if named else "") from None
        refusal = self.sight.refusal(action)
        if refusal is not None:
            raise self._refused(refusal.message, refusal.rule)
        return action

    def _refused(self, message: str, rule: str) -> Refused:
        words = rule_text(self.setup.game, rule) if rule else ""
        return Refused(message, rule, words)

    # What happens at the table.

    def think(self) -> int:
        """Return what the player to act does; it may take a while, and changes nothing.

        Raises:
            PlayerError: it fails, or its answer is not legal.
        """
        return int(self.table.choose()[0])

    def play(self, action: int) -> bool:
        """Make a legal move of the seat to act; returns whether a round ended."""
        engine, rounds = self.engine, int(self.engine.rounds_played[0])
        before = engine.get_state()
        engine.step([action])
        entry = self.record["rounds"][-1]
        event = engine.event_record(before, action)
        entry["events"].append(event)
        self.played += 1
        self.story += self.teller.event(event)
        ended = int(engine.rounds_played[0]) != rounds
        if ended:
            end_round(engine, 0, self.record)
            self.story += self.teller.result(self.setup.game, entry["result"])
            if not self.over:
                number = len(self.record["rounds"])
                self.story += self.teller.begin(self.record["rounds"][-1], number)
        self._keep()
        return ended

    def opinion(self, agent: Agent, sight: Engine | None = None) -> Opinion:
        """Return what an agent thinks of the person's moves; it knows what the seat knows.

        Args:
            agent: sits at no table.
            sight: a copy of `sight`, for another thread.
        """
        return opinion_of(sight or self.sight, 0, agent)
