"""The lines that go both ways: how they are written, read and described."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, NamedTuple

PROTOCOL = "xabitha-stdio"
VERSION = 1
SCHEMA = "protocol.schema.json"
"""A JSON Schema (draft 2020-12) of every message, beside this file."""
SHOWN = 60
"""Characters of a bad line that a message about it shows."""


class BadLine(ValueError):
    """A line that is no message, or not the one that was awaited."""


class Answer(NamedTuple):
    """What a program said to a question.

    Attributes:
        move: in text form, as it was given.
        id: the question's, if it was given.
    """

    move: str
    id: int | None


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the protocol; `$defs` has each message by its name."""
    text = (files(__package__) / SCHEMA).read_text(encoding="utf-8")
    return dict(json.loads(text))


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line of ASCII."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """Return the object that a line holds.

    Raises:
        BadLine: it is no UTF-8, no JSON, or no object.
    """
    try:
        found = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadLine(f"no line of JSON: {shown(line)}") from None
    if not isinstance(found, dict):
        raise BadLine(f"no JSON object: {shown(line)}")
    return found


def read_answer(line: bytes) -> Answer:
    """Return the answer that a line holds.

    Raises:
        BadLine: it holds none; the message says what one looks like.
    """
    found = decode(line)
    move, number = found.get("move"), found.get("id")
    if not isinstance(move, str):
        raise BadLine(f'an answer is {{"move": "a legal move"}}, not {shown(line)}')
    if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
        raise BadLine(f"id must be the question's number, not {shown(line)}")
    return Answer(move, number)


def shown(line: bytes) -> str:
    """Return a line as it may stand in a message: printable, short, in quotes."""
    text = line.decode("utf-8", "backslashreplace").rstrip("\r\n")
    short = text if len(text) <= SHOWN else text[:SHOWN] + " ..."
    return ascii(short)


def dice(*parts: object) -> int:
    """Return a number below 2**32 that follows from the parts and tells nothing of them."""
    digest = hashlib.sha256(repr(parts).encode()).digest()
    return int.from_bytes(digest[:4], "big")
