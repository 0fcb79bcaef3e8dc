"""A match as one page that needs nothing else: no network, no other file, no font."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

from xabitha_env.pictures.svg import symbols_svg
from xabitha_env.replay.frames import JUMPS, Frame, Replay
from xabitha_env.scene import Group, Scene

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_SCRIPTS = ("data.js", "table.js", "chart.js", "steps.js")
_ENOUGH_SWINGS = 10


def page_html(match: Replay) -> str:
    """Return the page of a match; its parts are the files of the folder ``page``.

    Names from foreign files reach the page only as data that its script puts into text nodes.
    """
    style, script = _part("page.css"), "\n".join(map(_part, _SCRIPTS))
    parts = {
        "policy": _policy(style, script),
        "title": f"A match of {match.game.capitalize()}",
        "style": style,
        "script": script,
        "symbols": symbols_svg(),
        "data": _json(page_data(match)),
    }
    return _PLACE.sub(lambda place: parts[place[1]], _part("page.html"))


def page_data(match: Replay) -> dict[str, Any]:
    """Return what the script shows: each frame holds only what changed since the one before."""
    moves: dict[str, int] = {}
    frames, before = [], dict[str, Any]()
    for frame in match.frames:
        now = _table(frame.scene)
        frames.append(_frame(frame, moves) | {"changed": _changes(before, now)})
        before = now
    return {
        "game": match.game,
        "agents": match.agents,
        "seed": match.seed,
        "result": match.result,
        "counted": match.frames[0].scene.scores[0][0],
        "jumps": {mark: match.marked(mark) for mark in JUMPS[match.game]},
        "swings": match.swings(_ENOUGH_SWINGS),
        "moves": list(moves),
        "frames": frames,
    }


def _part(name: str) -> str:
    return (files("xabitha_env.replay") / "page" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return a Content-Security-Policy that allows this style and script, and nothing else."""
    sources = [("style-src", style), ("script-src", script)]
    allowed = [
        f"{name} 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for name, text in sources
    ]
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _json(data: Any) -> str:
    """Return data as JSON that cannot end the element that holds it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _frame(frame: Frame, moves: dict[str, int]) -> dict[str, Any]:
    """Return a frame without its table; what does not apply is absent."""
    data: dict[str, Any] = {
        "round": frame.round,
        "event": frame.event,
        "words": frame.told.words,
        "totals": frame.totals,
        "standing": frame.standing,
    }
    if frame.seat is not None:
        data |= {"seat": frame.seat, "move": frame.told.move}
    if frame.public != frame.told:
        data["public"] = frame.public
    if frame.marks:
        data["marks"] = frame.marks
        data["openMarks"] = frame.marks_to((frame.seat,)) if frame.seat is not None else ()
    if frame.swing:
        data["swing"] = frame.swing
    if frame.legal is not None:
        data["legal"] = [moves.setdefault(move, len(moves)) for move in frame.legal]
    return data


def _table(scene: Scene) -> dict[str, Any]:
    """Return a scene as flat fields, so that few of them change at a time."""
    fields: dict[str, Any] = {
        "place": scene.place,
        "doing": scene.doing,
        "news": scene.news,
        "actor": scene.actor,
        "scores": [list(score) for score in scene.scores],
    }
    for seat in scene.seats:
        fields[f"hand {seat.seat}"] = " ".join(seat.hand.cards)
        fields[f"status {seat.seat}"] = seat.status
        fields[f"secret {seat.seat}"] = seat.secret
        fields[f"staged {seat.seat}"] = [" ".join(meld.cards) for meld in seat.staged]
    fields |= {f"pile {number}": _group(pile) for number, pile in enumerate(scene.piles)}
    fields |= {meld.name: _group(meld) for meld in scene.melds}
    return fields


def _group(group: Group) -> list[Any]:
    return [group.name, " ".join(group.cards), group.hidden, group.note]


def _changes(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are new; those that are gone are None."""
    changed = {name: value for name, value in now.items() if before.get(name, ...) != value}
    return changed | {name: None for name in before if name not in now}
