"""What a match record must look like, field by field, before any rule is asked.

A check is a function that raises `FieldError` for a value that cannot stand in its place. The
path of the field is put together on the way out, so that a good record costs little.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from xabitha_env.cards import KIND_OF, NUM_SEATS, NUM_TEAMS
from xabitha_env.games import GAMES, make_rules

FORMAT = "xabitha-record"
VERSION = 1

Check: TypeAlias = Callable[[Any], None]


class FieldError(ValueError):
    """A field of a record that is missing or wrong.

    Attributes:
        path: where, such as ``rounds[0].events[5].move``; empty for the whole record.
        message: what is wrong and what would be right.
    """

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message

    def under(self, parent: str) -> FieldError:
        """Return the same error seen from one level further out."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return FieldError(self.message, parent + joint + self.path)


class GameFormat(NamedTuple):
    """What the records of one game hold (see the format document).

    Attributes:
        head: the fields of a round that come before its events.
        follows: those of them that follow from the rounds before.
        chance: the field of an event that says what chance did, if the game has one.
        outcome: the fields of an event that follow from its move, in the order in which they
            are compared.
        round: the check of a round.
        result: the check of a match result.
    """

    head: tuple[str, ...]
    follows: tuple[str, ...]
    chance: str | None
    outcome: tuple[str, ...]
    round: Check
    result: Check


def check_record(record: Any) -> None:
    """Check the structure of a record; unknown fields are ignored.

    Raises:
        FieldError: the first field that is missing, of a wrong type or out of its range.
    """
    _HEADER(record)
    _field("rules", _rules(record["game"]))(record)
    game = FORMATS[record["game"]]
    _fields(rounds=_list(game.round), result=_or_null(game.result))(record)


# Checks of single values; `type(...) is` keeps true and false from passing as numbers.


def _fail(value: Any, wanted: str) -> FieldError:
    shown = repr(value)
    return FieldError(f"must be {wanted}, not {shown if len(shown) <= 60 else shown[:57] + '...'}")


def _integer(value: Any) -> None:
    if type(value) is not int:
        raise _fail(value, "a whole number")


def _text(value: Any) -> None:
    if type(value) is not str:
        raise _fail(value, "text")


def _card(value: Any) -> None:
    if type(value) is not str or value not in KIND_OF:
        raise _fail(value, "a card such as 'TD', or 'JK' for a joker")


def _true(value: Any) -> None:
    if value is not True:
        raise _fail(value, "true or absent")


def _below(limit: int) -> Check:
    def check(value: Any) -> None:
        if type(value) is not int or not 0 <= value < limit:
            raise _fail(value, f"a whole number from 0 to {limit - 1}")

    return check


def _one_of(*choices: Any) -> Check:
    def check(value: Any) -> None:
        if type(value) not in map(type, choices) or value not in choices:
            raise _fail(value, " or ".join(map(repr, choices)))

    return check


def _version(value: Any) -> None:
    if type(value) is not int or value != VERSION:
        raise FieldError(f"version {value!r} is not known; this reader knows version {VERSION}")


# Checks made of others.


def _or_null(inner: Check) -> Check:
    def check(value: Any) -> None:
        if value is not None:
            inner(value)

    return check


def _list(inner: Check, length: int | None = None) -> Check:
    def check(value: Any) -> None:
        if type(value) is not list or length not in (None, len(value)):
            found = f"a list of {len(value)}" if type(value) is list else repr(value)[:60]
            wanted = "a list" if length is None else f"a list of {length}"
            raise FieldError(f"must be {wanted}, not {found}")
        for index, item in enumerate(value):
            try:
                inner(item)
            except FieldError as error:
                raise error.under(f"[{index}]") from None

    return check


def _object(value: Any) -> None:
    if type(value) is not dict:
        raise _fail(value, "an object")


def _field(name: str, inner: Check, optional: bool = False) -> Check:
    def check(value: Any) -> None:
        if name not in value:
            if optional:
                return
            raise FieldError("missing", name)
        try:
            inner(value[name])
        except FieldError as error:
            raise error.under(name) from None

    return check


def _fields(optional: dict[str, Check] | None = None, /, **required: Check) -> Check:
    """Return the check of an object with these fields, required ones first."""
    checks = [_field(name, inner) for name, inner in required.items()]
    checks += [_field(name, inner, optional=True) for name, inner in (optional or {}).items()]

    def check(value: Any) -> None:
        _object(value)
        for inner in checks:
            inner(value)

    return check


def _rules(game: str) -> Check:
    """Return the check of a game's rules: every field there, each in its range."""

    def check(value: Any) -> None:
        _object(value)
        names = make_rules(game).to_dict()
        for name in names:
            if name not in value:
                raise FieldError("missing", name)
        try:
            make_rules(game, {name: value[name] for name in names})
        except ValueError as error:
            raise FieldError(str(error), _wrong_rule(game, value)) from None

    return check


def _wrong_rule(game: str, values: dict[str, Any]) -> str:
    """Return the first field that is wrong on its own; empty if only their combination is."""
    for name in make_rules(game).to_dict():
        try:
            make_rules(game, {name: values[name]})
        except ValueError:
            return name
    return ""


_seat = _below(NUM_SEATS)
_cards = _list(_card)

_HEADER = _fields(
    format=_one_of(FORMAT),
    version=_version,
    game=_one_of(*GAMES),
    seed=_or_null(_integer),
    agents=_list(_text, NUM_SEATS),
)

_MATCH_RESULT: dict[str, Check] = {
    "totals": _list(_integer, NUM_TEAMS),
    "winners": _list(_below(NUM_TEAMS)),
}

_EVENT: dict[str, Check] = {"seat": _seat, "move": _text}

XABITHA = GameFormat(
    head=("starter", "deal"),
    follows=("starter",),
    chance="reshuffled",
    outcome=("reshuffled", "drawn", "undo"),
    round=_fields(
        starter=_seat,
        deal=_fields(hands=_list(_cards, NUM_SEATS), deck=_cards),
        events=_list(
            _fields(
                {"drawn": _card, "reshuffled": _cards, "undo": _true, "legal": _list(_text)},
                **_EVENT,
            )
        ),
        result=_or_null(
            _fields(
                reason=_one_of("normal", "xabitha", "cancelled"),
                winner=_or_null(_seat),
                penalties=_list(_integer, NUM_SEATS),
            )
        ),
    ),
    result=_fields(**_MATCH_RESULT),
)

XERI = GameFormat(
    head=("dealer", "deal", "bottom_card"),
    follows=("dealer",),
    chance=None,
    outcome=("captured", "xeri"),
    round=_fields(
        {"bottom_card": _card},
        dealer=_seat,
        deal=_fields(hands=_list(_cards, NUM_SEATS), pile=_cards, stock=_cards),
        events=_list(
            _fields({"captured": _integer, "xeri": _integer, "legal": _list(_text)}, **_EVENT)
        ),
        result=_or_null(
            _fields(
                points=_list(_integer, NUM_TEAMS),
                cards=_list(_integer, NUM_TEAMS),
                xeris=_list(_list(_integer), NUM_TEAMS),
                winner=_or_null(_below(NUM_TEAMS)),
            )
        ),
    ),
    result=_fields(**_MATCH_RESULT, round_wins=_list(_integer, NUM_TEAMS)),
)

FORMATS: dict[str, GameFormat] = {"xabitha": XABITHA, "xeri": XERI}
"""The record format of each game."""
