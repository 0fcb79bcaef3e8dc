"""A program as a player: it is asked over its pipes, and replaced where it fails."""

from __future__ import annotations

import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.players.base import Agent, View, view_of
from xabitha_env.players.loader import PROGRAM
from xabitha_env.protocol import Engine
from xabitha_env.stdio.events import round_result
from xabitha_env.stdio.messages import PROTOCOL, VERSION, BadLine, decode, dice, encode, read_answer
from xabitha_env.stdio.observation import observe
from xabitha_env.stdio.program import Program, ProgramEnded, ProgramSilent, Sink
from xabitha_env.stdio.tally import Tally, print_error

SECONDS, TRIES = 10.0, 3
START_SECONDS = 30.0
MOST_SECONDS = 86_400.0
MOST_TRIES = 100
MOST_SILENCES = 3
"""In a row; then the program counts as hung, and is ended."""
MOST_RESTARTS = 3
"""Between two resets."""
MOST_TOLD = 5
"""Incidents that are told one by one; the others are only counted."""


class StdioAgent(Agent):
    """A player that asks a program, one process for the object.

    Games of a batch are asked about one after another. What the program does wrong never harms the
    match: an illegal move is refused and asked for again (X4.6), and where it gives no legal one in
    the time of the decision, the fallback decides; after a crash until the next reset.

    Args:
        words: the program and its arguments.
        fallback: the player that stands in.
        seconds: the time of a decision, refusals included.
        tries: answers to a question, of which all but the last may be refused.
        restart: start the program again at the next decision after a crash.
        seats: its seats, if they are known beforehand.
        sink: is shown all that is said, as of `Program`.
        say: is told of incidents, a line each.

    Raises:
        ValueError: a limit that is out of its range, or no such program.
    """

    def __init__(
        self,
        words: Sequence[str],
        fallback: Agent,
        *,
        seconds: float = SECONDS,
        tries: int = TRIES,
        restart: bool = False,
        seats: Sequence[int] | None = None,
        sink: Sink = lambda mark, text: None,
        say: Callable[[str], object] = print_error,
    ) -> None:
        if not words or shutil.which(words[0]) is None:
            named = repr(words[0]) if words else "''"
            raise ValueError(f"no program {named}: it is not there, or cannot be run")
        if isinstance(seconds, str) or not 0 < seconds <= MOST_SECONDS:
            raise ValueError(f"seconds must be above 0, up to {MOST_SECONDS:g}, not {seconds!r}")
        if not isinstance(tries, int) or not 1 <= tries <= MOST_TRIES:
            raise ValueError(f"tries must be a whole number from 1 to {MOST_TRIES}, not {tries!r}")
        self.name = PROGRAM + shlex.join(words)
        self.words, self.fallback = tuple(words), fallback
        self.seconds, self.tries, self.restart = float(seconds), tries, restart
        self.seats = None if seats is None else list(seats)
        self.watching = False
        """Whether somebody tells it all events; the results of rounds then come from there."""
        self.tally = Tally()
        self._sink, self._say, self._told = sink, say, 0
        self._engine: Engine | None = None
        self._program: Program | None = None
        self._hello: dict[str, Any] = {}
        self._down = False  # until the next reset, or a restart
        self._restarts = self._silences = self._owed = self._asked = self._seed = 0
        self._rounds: dict[int, int] = {}  # finished, by game

    # Matches.

    def reset(self, engine: Engine, seed: int) -> None:
        """Begin new matches; the program is started if it is not there, or knows other rules."""
        self._engine, self._seed = engine, seed
        self.fallback.reset(engine, seed)
        self._down, self._restarts, self._silences = False, 0, 0
        self._rounds = {game: 0 for game in range(engine.num_games)}
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "version": VERSION,
            "game": engine.game,
            "rules": engine.rules.to_dict(),
            "seats": self.seats,
            "seconds": self.seconds,
            "events": self.watching,
        }
        if hello != self._hello:
            self.close("other rules")
            self._hello = hello
        if self._program is None:
            self._start()
        else:
            self._begin()

    def _start(self) -> None:
        """Start the program and wait until it is ready."""
        self._owed = self._silences = 0
        try:
            program = self._program = Program(self.words, self._sink)
            program.send(encode(self._hello))
            deadline = time.monotonic() + START_SECONDS
            if decode(program.receive(deadline)).get("type") != "ready":
                raise BadLine('its first line must be {"type": "ready"}')
            self._begin()
        except (OSError, BadLine, ProgramEnded, ProgramSilent) as error:
            self._crash(f"not ready: {error}")

    def _begin(self) -> None:
        assert self._engine is not None
        self.tell({"type": "match", "games": self._engine.num_games, "seed": self._seed})

    def tell(self, message: Mapping[str, Any]) -> None:
        """Tell the program something that needs no answer."""
        if self._program is not None:
            self._program.send(encode(message))

    def close(self, reason: str = "the end") -> None:
        """Say good-bye and end the program and its children."""
        if self._program is not None:
            self._program.close(encode({"type": "bye", "reason": reason}))
            self._program = None

    # Decisions.

    def act(self, view: View) -> NDArray[np.int64]:
        """Return one legal action a row, (n,), as the engine's games stand now.

        Raises:
            RuntimeError: `reset` was never called.
        """
        if self._engine is None:
            raise RuntimeError(f"player {self.name!r} needs reset(engine, seed) before act(view)")
        return np.array([self._decide(view, row) for row in range(len(view.game))], np.int64)

    def _decide(self, view: View, row: int) -> int:
        game, seat = int(view.game[row]), int(view.seat[row])
        self.tally.decisions += 1
        if self._down and self.restart and self._restarts < MOST_RESTARTS:
            self._down, self._restarts = False, self._restarts + 1
            self.tally.restarts += 1
            self._start()
        action = None if self._down else self._timed(game, seat)
        if action is not None:
            self.tally.answered += 1
            return action
        self.tally.replaced += 1
        assert self._engine is not None
        one = view_of(self._engine, np.array([game], np.int64))
        action = int(np.asarray(self.fallback.act(one))[0])
        move = self._engine.text(action, game)
        self.tell({"type": "replaced", "id": self._asked, "game": game, "move": move})
        return action

    def _timed(self, game: int, seat: int) -> int | None:
        started = time.monotonic()
        action = self._question(game, seat, started + self.seconds)
        spent = time.monotonic() - started
        self.tally.seconds += spent
        self.tally.slowest = max(self.tally.slowest, spent)
        return action

    def _question(self, game: int, seat: int, deadline: float) -> int | None:
        """Return the program's legal action, or None where it gives none."""
        assert self._engine is not None and self._program is not None
        self._asked += 1
        where = f"seat {seat}, question {self._asked}"
        try:
            self._owed = max(0, self._owed - self._program.drain())
            self._tell_rounds(game)
            seen = observe(self._engine, game, seat)
            word = int(self._engine.games["player_word"][game])
            self.tell(
                {
                    "type": "decide",
                    "id": self._asked,
                    "game": game,
                    "seat": seat,
                    "seed": dice(word, seen),
                    "observation": seen,
                    "legal": self._engine.legal_texts(game),
                }
            )
            action = self._answer(game, deadline)
        except ProgramSilent:
            self._silent(where)
            return None
        except ProgramEnded as error:
            self._crash(f"{where}: {error}")
            return None
        self._silences = 0
        if action is None:
            self._report(
                f"{where}: no legal move in {self.tries} tries; {self.fallback.name} plays"
            )
        return action

    def _answer(self, game: int, deadline: float) -> int | None:
        """Wait for a legal answer; None when all tries are used up."""
        assert self._program is not None
        left = self.tries
        while left:
            move, line = None, self._program.receive(deadline)
            try:
                answer = read_answer(line)
                if answer.id is not None and answer.id != self._asked:
                    continue  # to an older question
                if answer.id is None and self._owed:
                    self._owed -= 1
                    continue
                move = answer.move
                return self._legal(move, game)
            except BadLine as error:
                rule, message = "", str(error)
            except _Refused as error:
                rule, message = error.rule, str(error)
            left -= 1
            self.tally.refused += 1
            told = {"id": self._asked, "move": move, "rule": rule, "message": message}
            self.tell({"type": "refused", **told, "tries_left": left})
        return None

    def _legal(self, move: str, game: int) -> int:
        assert self._engine is not None
        try:
            action = self._engine.parse(move, game)
        except ValueError as error:
            raise _Refused(str(error), "") from None
        if (refusal := self._engine.refusal(action, game)) is not None:
            raise _Refused(refusal.message, refusal.rule)
        return action

    def _tell_rounds(self, game: int) -> None:
        """Tell how a round ended, where nobody told it when that happened."""
        assert self._engine is not None
        finished = int(self._engine.rounds_played[game])
        if not self.watching and finished != self._rounds[game]:
            self.tell(round_result(self._engine, game))
        self._rounds[game] = finished

    # What goes wrong.

    def _silent(self, where: str) -> None:
        self.tally.silences += 1
        self._silences += 1
        self._owed += 1
        if self._silences >= MOST_SILENCES:
            self._crash(f"{where}: silent {self._silences} times in a row, so it is ended")
        else:
            self._report(f"{where}: no answer in {self.seconds:g} s; {self.fallback.name} plays")

    def _crash(self, what: str) -> None:
        self.tally.crashes += 1
        self._down = True
        if self._program is not None:
            self._program.close()
            self._program = None
        again = self.restart and self._restarts < MOST_RESTARTS
        how = "it is started again" if again else f"{self.fallback.name} plays the rest"
        self._report(f"{what}; {how}")

    def _report(self, what: str) -> None:
        """Tell of an incident, if not too many have been told."""
        self._told += 1
        if self._told <= MOST_TOLD:
            self._say(f"{self.name}: {what}")
        elif self._told == MOST_TOLD + 1:
            self._say(f"{self.name}: more of the kind; from here on they are only counted")


class _Refused(Exception):
    """A move that is not legal (X4.6, R6)."""

    def __init__(self, message: str, rule: str) -> None:
        super().__init__(message)
        self.rule = rule
