"""What a record shows: which rules, variations and rare events, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from xabitha_env.games import make_rules
from xabitha_env.protocol import Engine
from xabitha_env.record.verify import replay_record

Record = dict[str, Any]

LAST_PLAY = 47

WANTED: dict[str, frozenset[str]] = {
    "xabitha": frozenset(
        (
            *("declare:yes", "declare:no", "draw:deck", "draw:fire", "open", "discard"),
            *("lay when down", "add to a run: low", "add to a run: high", "add to a set"),
            *("add a joker to a run", "add a joker to a set", "steal from a run"),
            *("steal from a set", "formation", "formation with a joker", "undo"),
            *("undo after an opening", "first reshuffle", "second reshuffle", "buried set"),
            *("opening with a joker", "opening without a run", "both teams open"),
            *("normal win", "xabitha win", "cancelled by the deck", "cancelled by the turns"),
            *("win over a seat in Xabitha mode", "shared match"),
        )
    ),
    "xeri": frozenset(
        (
            *("capture", "capture by a jack", "jack on a lone card of another rank", "xeri"),
            *("xeri of jacks", "jack on an empty pile", "xeri of the dealer's last card"),
            *("no xeri of the dealer's last card", "nobody captures", "cards left on the table"),
            *("equal numbers of cards", "round won by nobody", "shared game", "bottom card"),
            *("pile with a pair", "pile with a jack on top", "target", "extended target"),
        )
    ),
}
"""What the samples of each game show, beside a match for each field of its rules."""


def required(game: str) -> set[str]:
    """Return all marks that the samples of a game must show."""
    return {*WANTED[game], *(f"rule {name}" for name in make_rules(game).to_dict())}


def marks(record: Record) -> set[str]:
    """Return the names of the events and rules that a record shows, as `WANTED` has them."""
    found: set[str] = set()
    defaults = make_rules(record["game"]).to_dict()
    for name, value in record["rules"].items():
        if value != defaults[name]:
            found.add(f"rule {name}")
    mark = {"xabitha": _xabitha_marks, "xeri": _xeri_marks}[record["game"]]
    replay_record(record, partial(mark, record, found, {}))
    if record["result"] is not None and len(record["result"]["winners"]) > 1:
        found.add("shared match" if record["game"] == "xabitha" else "shared game")
    return found


def _xabitha_marks(
    record: Record,
    found: set[str],
    memory: dict[str, Any],
    engine: Engine,
    number: int,
    index: int | None,
) -> None:
    entry = record["rounds"][number]
    if index is None:
        memory.update(melds={}, down=set(), turn_opened=None, staged=[], declared=set())
        memory["reshuffles"] = 0
        return
    event, last = entry["events"][index], index == len(entry["events"]) - 1
    verb, _, rest = event["move"].partition(":")
    melds = {} if last else {meld.name: meld.cards for meld in engine.scene().melds}
    if not last and set(memory["melds"]) - set(melds):
        found.add("buried set")
    for mark in _move_marks(event, verb, rest, memory, melds):
        found.add(mark)
    memory["melds"] = melds
    if last and entry["result"] is not None:
        found |= _ending_marks(entry, event, memory)


def _move_marks(
    event: Mapping[str, Any],
    verb: str,
    rest: str,
    memory: dict[str, Any],
    melds: Mapping[str, tuple[str, ...]],
) -> Iterator[str]:
    seat = event["seat"]
    if verb in ("declare", "draw"):
        yield event["move"]
        if event["move"] == "declare:yes":
            memory["declared"].add(seat)
    elif verb in ("add", "steal"):
        yield from _table_marks(verb, rest, melds)
    elif verb == "meld" and seat in memory["down"]:
        yield "lay when down"
    elif verb == "meld":
        memory["staged"].append(rest.split("-"))
    else:
        yield verb
    if verb in ("open", "formation"):
        yield from _opening_marks(verb, seat, memory, melds)
    if "reshuffled" in event:
        memory["reshuffles"] += 1
        yield ("first reshuffle", "second reshuffle")[min(memory["reshuffles"], 2) - 1]
    if event.get("undo"):
        yield "undo after an opening" if memory["turn_opened"] == seat else "undo"
    elif verb == "discard":
        memory["turn_opened"] = None


def _table_marks(verb: str, rest: str, melds: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    card, _, place = rest.partition("@")
    number, _, end = place.partition(":")
    cards = melds.get(f"meld {number}", ())
    kind = "set" if len({one[0] for one in cards if one != "JK"}) == 1 else "run"
    if verb == "steal":
        yield f"steal from a {kind}"
    elif card == "JK":
        yield f"add a joker to a {kind}"
    else:
        yield f"add to a run: {end}" if end else "add to a set"


def _opening_marks(
    verb: str, seat: int, memory: dict[str, Any], melds: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    memory["down"].add(seat)
    laid = memory["staged"] if verb == "open" else list(melds.values())[-2:]
    if any("JK" in meld for meld in laid):
        yield "opening with a joker" if verb == "open" else "formation with a joker"
    if verb == "open":
        memory["turn_opened"] = seat
        if all(len({card[0] for card in meld if card != "JK"}) == 1 for meld in laid):
            yield "opening without a run"
        if {one % 2 for one in memory["down"]} == {0, 1}:
            yield "both teams open"
    memory["staged"] = []


def _ending_marks(
    entry: Mapping[str, Any], event: Mapping[str, Any], memory: Mapping[str, Any]
) -> set[str]:
    reason, winner = entry["result"]["reason"], entry["result"]["winner"]
    if reason == "cancelled":
        by_deck = event["move"] == "draw:deck" and "drawn" not in event
        return {"cancelled by the deck" if by_deck else "cancelled by the turns"}
    found = {f"{reason} win"}
    if any(seat % 2 != winner % 2 for seat in memory["declared"]):
        found.add("win over a seat in Xabitha mode")
    return found


def _xeri_marks(
    record: Record,
    found: set[str],
    memory: dict[str, Any],
    engine: Engine,
    number: int,
    index: int | None,
) -> None:
    entry = record["rounds"][number]
    if index is None:
        ranks = [card[0] for card in entry["deal"]["pile"]]
        found |= {"bottom card"} if "bottom_card" in entry else set()
        found |= {"pile with a jack on top"} if ranks[-1] == "J" else set()
        found |= {"pile with a pair"} if len(set(ranks)) < len(ranks) else set()
        memory["size"] = len(ranks)
        return
    events = entry["events"]
    event, before = events[index], events[index - 1]["move"][5:6] if index else ""
    found |= _play_marks(event, before, index, memory["size"])
    memory["size"] = 0 if "captured" in event else memory["size"] + 1
    if index == LAST_PLAY and entry["result"] is not None:
        found |= _round_marks(record, entry, number)


def _play_marks(event: Mapping[str, Any], before: str, index: int, size: int) -> set[str]:
    rank, taken = event["move"][5], event.get("captured", 0)
    found = set()
    if rank == "J" and not size:
        found.add("jack on an empty pile")
    if taken:
        found.add("capture by a jack" if rank == "J" and before != "J" else "capture")
    if taken == 2 and rank == "J" and before != "J":
        found.add("jack on a lone card of another rank")
    if "xeri" in event:
        found.add("xeri of jacks" if rank == "J" else "xeri")
    if index == LAST_PLAY and taken == 2 and rank == before:
        found.add(("" if "xeri" in event else "no ") + "xeri of the dealer's last card")
    return found


def _round_marks(record: Record, entry: Mapping[str, Any], number: int) -> set[str]:
    result, target = entry["result"], record["rules"]["target_score"]
    taken = sum(event.get("captured", 0) for event in entry["events"])
    found = (
        {"nobody captures"} if not taken else {"cards left on the table"} if taken < 52 else set()
    )
    found |= {"equal numbers of cards"} if result["cards"] == [26, 26] else set()
    found |= {"round won by nobody"} if result["winner"] is None else set()
    if target is not None and record["result"] is not None:
        rounds = record["rounds"][: number + 1]
        totals = [sum(one["result"]["points"][team] for one in rounds) for team in (0, 1)]
        if max(totals) >= target:
            found.add("extended target" if min(totals) >= target else "target")
    return found
