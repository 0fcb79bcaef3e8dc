"""Matches with a person in save files, to be continued later.

A file is one JSON object: what fixes the match, the engine's state, what players remember, and the
record so far. Nothing in it is ever executed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS
from xabitha_env.files import FileError, reason, write_text
from xabitha_env.games import GAMES, make_rules
from xabitha_env.record import check_record
from xabitha_env.record.verify import replay_record
from xabitha_env.scene import Scene
from xabitha_env.terminal.match import Match, Setup

FORMAT = "xabitha-match"
VERSION = 1


def save_match(path: Path, match: Match) -> None:
    """Write a match to a file, as it stood after the last move; a draft is not kept.

    Raises:
        ValueError: a player remembers something that JSON does not hold.
        FileError: the file cannot be written.
    """
    check_savable(match)
    setup = match.setup
    content = {
        "format": FORMAT,
        "version": VERSION,
        "game": setup.game,
        "rules": setup.rules.to_dict(),
        "seed": setup.seed,
        "seat": setup.seat,
        "players": list(setup.players),
        "state": {
            "type": _type_hash(match.state.dtype),
            "data": base64.b64encode(match.state.tobytes()).decode("ascii"),
        },
        "memory": match.memory,
        "record": match.record,
    }
    write_text(path, json.dumps(content, separators=(",", ":")) + "\n")


def check_savable(match: Match) -> None:
    """See that what the players remember can be saved.

    Raises:
        ValueError: it cannot; the message names the player.
    """
    for seat, kept in enumerate(match.memory):
        try:
            same = json.loads(json.dumps(kept, allow_nan=False)) == kept
        except (TypeError, ValueError, RecursionError):
            same = False
        if same is not True:
            raise ValueError(
                f"the match cannot be saved: player {match.names[seat]!r} in seat {seat} remembers "
                f"what JSON does not hold ({type(kept).__name__})"
            )


def load_match(path: Path) -> Match:
    """Return the match of a save file; it goes on as if it had never been interrupted.

    Raises:
        ValueError: it is no such file, or a damaged one, or its players cannot be loaded.
        FileError: it cannot be read.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {reason(error)}") from error
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no saved match: no valid JSON ({error})") from None
    try:
        return _restored(content)
    except KeyError as error:
        raise ValueError(f"{path} is no saved match: {error} is missing") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from error


def _restored(content: Any) -> Match:
    setup = _setup(content)
    match = Match(setup)
    match.engine.set_state(_state(content["state"], match.engine.get_state().dtype))
    memory = content["memory"]
    if not isinstance(memory, list):
        raise ValueError("memory must be a list of what the players remember, by seat")
    match.table.set_state(memory)
    _check_story(content["record"], match)
    match.begin(content["record"])
    return match


def _setup(content: Any) -> Setup:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"no saved match: its format is not {FORMAT!r}")
    if content["version"] != VERSION:
        raise ValueError(
            f"version {content['version']!r} is not known; this program knows version {VERSION}"
        )
    game, rules, seed, seat, players = (
        content[name] for name in ("game", "rules", "seed", "seat", "players")
    )
    if game not in GAMES:
        raise ValueError(f"game must be one of {', '.join(GAMES)}, not {game!r}")
    if not isinstance(rules, dict):
        raise ValueError("rules must be an object of rules values")
    if type(seed) is not int or seed < 0 or type(seat) is not int or not 0 <= seat < NUM_SEATS:
        raise ValueError(f"seed {seed!r} or seat {seat!r} is no whole number that it can be")
    if not isinstance(players, list) or not all(isinstance(spec, str) for spec in players):
        raise ValueError("players must be a list of texts")
    return Setup(game, make_rules(game, rules), seed, seat, tuple(players))


def _type_hash(dtype: np.dtype[Any]) -> str:
    """Return a short hash of the fields of the engine's state."""
    return hashlib.sha256(repr(dtype.descr).encode()).hexdigest()[:16]


def _state(saved: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    if not isinstance(saved, dict) or not isinstance(saved["data"], str):
        raise ValueError("state must be an object with a type and data")
    if saved["type"] != _type_hash(dtype):
        raise ValueError("its state is that of another version of the library")
    try:
        data = base64.b64decode(saved["data"], validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("its state is damaged: no base64") from None
    if len(data) != dtype.itemsize:
        raise ValueError(f"its state is damaged: {len(data)} bytes instead of {dtype.itemsize}")
    return np.frombuffer(data, dtype).copy()


def _check_story(record: Any, match: Match) -> None:
    """See that the record leads to the state.

    Raises:
        ValueError: it does not.
    """
    check_record(record)
    if record["game"] != match.setup.game or record["rules"] != match.setup.rules.to_dict():
        raise ValueError("its record is of another game, or of other rules")
    last: list[Scene] = []
    difference = replay_record(record, lambda engine, *_: last.append(engine.scene()))
    if difference is not None:
        raise ValueError(f"its record breaks the rules at {difference.path}: {difference.own}")
    if not last or last[-1] != match.engine.scene():
        raise ValueError("its record does not lead to its state")
