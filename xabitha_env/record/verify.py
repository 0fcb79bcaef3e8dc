"""Records checked against the rules, move by move.

The checks are generators of differences of which only the first is ever taken, so that each can
be written as if the record were right up to there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from xabitha_env.games import make_engine, make_rules
from xabitha_env.protocol import Engine
from xabitha_env.record.fields import FORMATS, GameFormat, check_record
from xabitha_env.record.files import PathName, Progress, RecordProblem, read_records

Watch: TypeAlias = Callable[[Engine, int, int | None], None]
"""Is shown the engine, the round's index and that of the event just made; None after the deal."""


class Difference(NamedTuple):
    """Where a record first departs from the rules.

    Attributes:
        field: the name of the field, such as ``drawn`` or ``result.penalties``.
        given: what the record says; None where it says nothing.
        own: what the rules say, or why what is given cannot be; None for nothing.
        round: the round's index in the match, from 0; None for the match as a whole.
        event: the event's index in the round, from 0; None for the round as a whole.
    """

    field: str
    given: Any
    own: Any
    round: int | None = None
    event: int | None = None

    @property
    def path(self) -> str:
        """The field's place in the record, such as ``rounds[0].events[5].move``."""
        place = "" if self.round is None else f"rounds[{self.round}]."
        place += "" if self.event is None else f"events[{self.event}]."
        return place + self.field


def verify_record(record: dict[str, Any]) -> Difference | None:
    """Replay a match and return the first difference from the rules, or None.

    Every move must be legal; deals, starters, each given list of legal moves, what was drawn,
    reshuffled or undone, the results of the rounds and the match must be what the rules say. The
    seed is not looked at, since records may come from elsewhere.

    Raises:
        FieldError: the record's structure is wrong.
    """
    return replay_record(record, _look_away)


def replay_record(record: dict[str, Any], watch: Watch) -> Difference | None:
    """Replay a match as `verify_record` does, and show the engine after each deal and event.

    Args:
        record: the match.
        watch: is called after each deal and event that agrees with the rules. After a round's
            last event the engine holds the next round already, with cards of its own.

    Returns:
        The first difference, at which the replay ends, or None.

    Raises:
        FieldError: the record's structure is wrong.
    """
    check_record(record)
    return _first_difference(record, watch)


def verify_file(
    path: PathName, progress: Progress = None
) -> Iterator[tuple[int, Difference | RecordProblem | None]]:
    """Verify each match of a file; gives line numbers, from 1, and what is wrong, or None.

    Args:
        path: a file of records.
        progress: as in `read_records`.

    Raises:
        FileError: the file cannot be read, or is damaged from some line on.
    """
    for line, found in read_records(path, progress):
        if isinstance(found, RecordProblem):
            yield line, found
        else:
            yield line, _first_difference(found, _look_away)


def _look_away(engine: Engine, number: int, event: int | None) -> None:
    """Watch nothing."""


def _first_difference(record: dict[str, Any], watch: Watch) -> Difference | None:
    game = record["game"]
    rules = {name: record["rules"][name] for name in make_rules(game).to_dict()}
    engine = make_engine(game, 1, rules=make_rules(game, rules), outputs=())
    engine.reset(seed=0)
    return next(_match(engine, FORMATS[game], record, watch), None)


def _match(
    engine: Engine, form: GameFormat, record: dict[str, Any], watch: Watch
) -> Iterator[Difference]:
    rounds, last = record["rounds"], len(record["rounds"]) - 1
    for number, entry in enumerate(rounds):
        if engine.over[0]:
            yield Difference("rounds", len(rounds), number)
        cut = number == last and record["result"] is None
        seen = partial(watch, engine, number)
        for found in _round(engine, form, entry, number > 0, cut, seen):
            yield found._replace(round=number)
    yield from _compare_result(record["result"], engine.match_result() if engine.over[0] else None)


def _round(
    engine: Engine,
    form: GameFormat,
    entry: dict[str, Any],
    follows: bool,
    may_be_cut: bool,
    seen: Callable[[int | None], None],
) -> Iterator[Difference]:
    """Compare one round; one that is not the first `follows`, one cut off may be short."""
    if follows:
        head = engine.deal_record()
        for name in form.follows:
            yield from _compare(name, entry.get(name), head.get(name))
    try:
        engine.set_deal({name: entry[name] for name in form.head if name in entry})
    except ValueError as error:
        yield Difference("deal", entry["deal"], str(error))
    seen(None)
    played = int(engine.rounds_played[0])
    for number, event in enumerate(entry["events"]):
        if engine.rounds_played[0] != played:
            yield Difference("move", event["move"], "the round is over", event=number)
        for found in _event(engine, form, event):
            yield found._replace(event=number)
        seen(number)
    over = engine.rounds_played[0] != played
    if not over and not may_be_cut:
        own = f"seat {engine.seats[0]} is to act: {', '.join(engine.legal_texts())}"
        yield Difference("move", None, own, event=len(entry["events"]))
    yield from _compare_result(entry["result"], engine.round_result() if over else None)


def _event(engine: Engine, form: GameFormat, event: dict[str, Any]) -> Iterator[Difference]:
    """Compare one event with the engine's position, then with what its move did there."""
    yield from _compare("seat", event["seat"], int(engine.seats[0]))
    if "legal" in event:
        yield from _compare("legal", event["legal"], engine.legal_texts())
    move = event["move"]
    try:
        action = engine.parse(move)
    except ValueError as error:
        yield Difference("move", move, str(error))
    if (refusal := engine.refusal(action)) is not None:
        yield Difference("move", move, f"{refusal.rule}: {refusal.message}")
    before = engine.get_state()
    if form.chance is not None:
        try:
            engine.prepare_event(event)
        except ValueError as error:
            yield Difference(form.chance, event.get(form.chance), str(error))
    engine.step([action])
    own = engine.event_record(before, action)
    for name in ("move", *form.outcome):
        yield from _compare(name, event.get(name), own.get(name))


def _compare(field: str, given: Any, own: Any) -> Iterator[Difference]:
    if given != own:
        yield Difference(field, given, own)


def _compare_result(
    given: dict[str, Any] | None, own: dict[str, Any] | None
) -> Iterator[Difference]:
    """Compare two results field by field; None is the result of what was cut off."""
    if given is None or own is None:
        yield from _compare("result", given, own)
        return
    for name, value in own.items():
        yield from _compare(f"result.{name}", given[name], value)
