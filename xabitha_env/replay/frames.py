"""A recorded match as frames: the table after each event, what happened, and what it brought."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from xabitha_env.games import make_engine, make_rules
from xabitha_env.protocol import Engine
from xabitha_env.record import Difference
from xabitha_env.record.verify import replay_record
from xabitha_env.replay.words import Told, tell, tell_public
from xabitha_env.scene import Group, Scene, SeatScene

OPENING, STEAL, FORMATION, DECLARATION = "opening", "steal", "formation", "declaration"
UNDO, RESHUFFLE, CAPTURE, XERI, ROUND_END = "undo", "reshuffle", "capture", "xeri", "round end"

JUMPS = {"xabitha": (OPENING, STEAL, FORMATION), "xeri": (XERI, CAPTURE)}
"""The marks worth a jump, by game."""
_GAIN = {"xabitha": -1, "xeri": 1}  # a point is a penalty, or won
_MOVES = {
    "open": OPENING,
    "steal": STEAL,
    "formation": FORMATION,
    "declare:yes": DECLARATION,
}
_FIELDS = {"undo": UNDO, "reshuffled": RESHUFFLE, "captured": CAPTURE, "xeri": XERI}


class RecordDiffers(ValueError):
    """A record that departs from the rules and is not replayed.

    Attributes:
        difference: where it first does.
    """

    def __init__(self, difference: Difference) -> None:
        given, own = difference.given, difference.own
        super().__init__(f"{difference.path}: record {given!r}, rules {own!r}"[:500])
        self.difference = difference


@dataclass(frozen=True)
class Frame:
    """The table after one event, or after a deal.

    Attributes:
        round: the round's number, from 1.
        event: the event's number in its round, from 1; 0 for the deal.
        seat: who acted; None for the deal.
        told: what happened.
        public: the same for who does not see the hand of the seat that acted.
        marks: what kind of event it was, such as `OPENING`; most have none.
        scene: the table with all hands open; after a round's last event as the round left it.
        totals: the points of both teams so far (penalties in Xabitha).
        standing: what the round would bring each team if it ended now; zeros once it has ended.
        swing: by how much the event changed totals and standings in favour of team 0.
        legal: the moves that were legal ahead of the event, if the record holds them.
    """

    round: int
    event: int
    seat: int | None
    told: Told
    public: Told
    marks: tuple[str, ...]
    scene: Scene
    totals: tuple[int, int]
    standing: tuple[int, int]
    swing: int = 0
    legal: tuple[str, ...] | None = None

    @property
    def place(self) -> str:
        """Where it is, such as ``2:57``."""
        return f"{self.round}:{self.event}"

    @property
    def forecast(self) -> tuple[int, int]:
        """Totals and standing together, by team."""
        return self.totals[0] + self.standing[0], self.totals[1] + self.standing[1]

    def told_to(self, hidden: Collection[int] = ()) -> Told:
        """Return what happened as it is told when the hands of some seats are hidden."""
        return self.public if self.seat in hidden else self.told

    def legal_to(self, hidden: Collection[int] = ()) -> tuple[str, ...] | None:
        """Return the legal moves, unless they tell of a hidden hand."""
        return None if self.seat in hidden else self.legal

    def marks_to(self, hidden: Collection[int] = ()) -> tuple[str, ...]:
        """Return the marks without what is the secret of a hidden hand (X3.3)."""
        return tuple(mark for mark in self.marks if mark != DECLARATION or self.seat not in hidden)


@dataclass(frozen=True)
class Replay:
    """A match, frame by frame.

    Attributes:
        game: which game.
        agents: four names, by seat, without control characters.
        seed: the seed of the match, if it is known.
        result: what the match ended with, in words; empty if it was cut off.
        frames: one for each deal and event, at least one.
    """

    game: str
    agents: tuple[str, ...]
    seed: int | None
    result: str
    frames: tuple[Frame, ...]

    def find(self, round: int, event: int = 0) -> int:
        """Return the index of a frame.

        Raises:
            ValueError: there is no such round, or no such event in it.
        """
        events = {frame.event: index for index, frame in enumerate(self.frames)
                  if frame.round == round}  # fmt: skip
        if not events:
            raise ValueError(f"no round {round}; there are 1 to {self.frames[-1].round}")
        if event not in events:
            raise ValueError(f"round {round} has no event {event}; it has 1 to {max(events)}")
        return events[event]

    def marked(self, mark: str) -> list[int]:
        """Return the indices of the frames with a mark."""
        return [index for index, frame in enumerate(self.frames) if mark in frame.marks]

    def swings(self, count: int = 10) -> list[int]:
        """Return the indices of the largest swings, the largest first, without zeros."""
        moved = [index for index, frame in enumerate(self.frames) if frame.swing]
        return sorted(moved, key=lambda index: (-abs(self.frames[index].swing), index))[:count]


def replay(record: Mapping[str, Any]) -> Replay:
    """Return a record's match as frames.

    Raises:
        FieldError: the record's structure is wrong.
        RecordDiffers: it departs from the rules.
    """
    filming = _Filming(record)
    difference = replay_record(dict(record), filming.watch)
    if difference is not None:
        raise RecordDiffers(difference)
    frames = filming.frames
    gain = _GAIN[record["game"]]
    swings = [0, *(_swing(gain, old, new) for old, new in pairwise(frames))]
    return Replay(
        record["game"],
        tuple(map(printable, record["agents"])),
        record["seed"],
        _result(record, frames[-1].scene.scores),
        tuple(replace(frame, swing=swing) for frame, swing in zip(frames, swings, strict=True)),
    )


def hide_hands(scene: Scene, hidden: Collection[int]) -> Scene:
    """Return a scene of open hands with those of some seats face down, and what goes with them."""
    seats = tuple(_hidden(seat) if seat.seat in hidden else seat for seat in scene.seats)
    return replace(scene, seats=seats)


def printable(text: str) -> str:
    """Return a name from a file in characters that no terminal takes for commands."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def _hidden(seat: SeatScene) -> SeatScene:
    count = seat.hand.count + sum(meld.count for meld in seat.staged)  # X6.4
    return SeatScene(seat.seat, Group(seat.hand.name, hidden=count), seat.status)


def _swing(gain: int, old: Frame, new: Frame) -> int:
    if new.event == 0:  # nobody's doing
        return 0
    before, after = old.forecast, new.forecast
    return gain * ((after[0] - after[1]) - (before[0] - before[1]))


def _result(record: Mapping[str, Any], scores: Sequence[tuple[str, int, int]]) -> str:
    """Return how a match ended, given the last scene's scores."""
    if (result := record["result"]) is None:
        return ""
    by_rounds = "round_wins" in result and record["rules"]["target_score"] is None  # R5.1, R5.2
    name, first, second = scores[1 if by_rounds else 0]
    won = f"team {result['winners'][0]} wins" if len(result["winners"]) == 1 else "a shared win"
    return f"{won}, {name} {first} : {second}"


class _Filming:
    """Makes the frames of a record while it is replayed."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.frames: list[Frame] = []
        self._record = record
        self._single: Engine

    def watch(self, engine: Engine, number: int, event: int | None) -> None:
        """Add the frame of a deal or an event."""
        entry = self._record["rounds"][number]
        if event is None:
            self._begin(engine, number)
        else:
            self._add(engine, number, event, entry["events"][event])

    def _begin(self, engine: Engine, number: int) -> None:
        """Put the deal on an engine of its own, too: it keeps the table when the round is over."""
        self._single = _single_round(self._record)
        self._single.set_deal(engine.deal_record())
        told = Told("", f"Round {number + 1} is dealt")
        scene = replace(engine.scene(), news="")
        self.frames.append(
            Frame(number + 1, 0, None, told, told, (), scene, _totals(scene), engine.standing())
        )

    def _add(self, engine: Engine, number: int, index: int, event: Mapping[str, Any]) -> None:
        single = self._single
        single.prepare_event(event)
        single.step([single.parse(event["move"])])
        over = bool(single.over[0])
        now = engine.scene()
        scene = self._ended(now, number) if over else now
        staged = self._staged(scene, event["seat"])
        marks = _marks(event)
        self.frames.append(
            Frame(
                round=number + 1,
                event=index + 1,
                seat=event["seat"],
                told=tell(event, staged),
                public=tell_public(event, staged),
                marks=(*marks, ROUND_END) if over else marks,
                scene=scene,
                totals=_totals(now),
                standing=(0, 0) if over else engine.standing(),
                legal=tuple(event["legal"]) if "legal" in event else None,
            )
        )

    def _staged(self, scene: Scene, seat: int) -> list[str]:
        """Return the melds that are staged now, or were so until this event."""
        melds = scene.seats[seat].staged or self.frames[-1].scene.seats[seat].staged
        return [" ".join(meld.cards) for meld in melds]

    def _ended(self, now: Scene, number: int) -> Scene:
        """Return the table as the round left it, under the heading of the match."""
        last = self._single.scene()
        match, single = self.frames[-1].scene.place, last.place
        doing = now.doing if now.actor is None else f"round {number + 1} is over"
        return replace(
            last,
            place=", ".join((match.partition(", ")[0], single.partition(", ")[2])),
            scores=now.scores,
            doing=doing,
            news=now.news,
        )


def _single_round(record: Mapping[str, Any]) -> Engine:
    """Return an engine for one round under a record's rules, with any deal."""
    game = record["game"]
    rules = {name: record["rules"][name] for name in make_rules(game).to_dict()}
    rules |= {"num_rounds": 1} | ({"target_score": None} if "target_score" in rules else {})
    engine = make_engine(game, rules=make_rules(game, rules), outputs=())
    engine.reset(seed=0)
    return engine


def _totals(scene: Scene) -> tuple[int, int]:
    _, first, second = scene.scores[0]
    return first, second


def _marks(event: Mapping[str, Any]) -> tuple[str, ...]:
    move = event["move"]
    name = move if move in _MOVES else move.partition(":")[0]
    marks = [_MOVES[name]] if name in _MOVES else []
    return (*marks, *(mark for field, mark in _FIELDS.items() if field in event))
