"""Options that several commands share, and what they mean."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from xabitha_env.games import GAMES, make_rules
from xabitha_env.protocol import Rules

MOST_SEED = 2**62

GameOption: TypeAlias = Annotated[
    str, typer.Option("--game", metavar="GAME", help=f"Which game: {', '.join(GAMES)}.")
]
PlayersOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--players",
        metavar="NAMES",
        help="One player for all seats, two by team (seats 0+2, seats 1+3) or four by seat, "
        "with commas: random, greedy, expert, search?ms=50, module:Class, module:function, "
        "stdio:PROGRAM, or a saved model FILE.zip.",
    ),
]
OthersOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--players",
        metavar="NAMES",
        help="Who sits at the other seats: one player for all of them, two by team (seats 0+2, "
        "seats 1+3) or four by seat, any for a seat that is taken then being ignored, with "
        "commas: random, greedy, expert, search?ms=50, module:Class, module:function, "
        "stdio:PROGRAM, or a saved model FILE.zip.",
    ),
]
RoundsOption: TypeAlias = Annotated[
    int | None,
    typer.Option("--rounds", min=1, help="Rounds of a match; short for --rule num_rounds=."),
]
RuleOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--rule", metavar="NAME=VALUE", help="Set a rules value; may be repeated."),
]
SeedOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        max=MOST_SEED,
        help="Seed of the first match, the next ones count up from it; drawn if not given.",
    ),
]
QuietOption: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress bar and no summary.")
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of tables.")
]

# Of the commands that measure players.
DealsOption: TypeAlias = Annotated[
    int, typer.Option("--deals", min=2, help="Mirrored deals of each pairing.")
]
SeedsOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--seeds",
        metavar="LIST",
        help="Which deals: development, to choose by; test, to report; or a first seed.",
    ),
]
FixedDrawsOption: TypeAlias = Annotated[
    bool,
    typer.Option("--fixed-draws", help="Fix each seat's draws with the deal: less variance."),
]
ChunkOption: TypeAlias = Annotated[
    int | None,
    typer.Option("--chunk", min=1, help="Deals that are played, kept and shown as done at once."),
]
WorkersOption: TypeAlias = Annotated[
    int, typer.Option("--workers", min=1, help="Processes; results do not depend on them.")
]
RayOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Play on a cluster of Ray (extra: ray): its address, auto for the one that runs here, "
        "local for one of --workers processes.",
    ),
]
StateOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--state", metavar="FILE", help="Keep what is done here, and go on from it."),
]
JsonFileOption: TypeAlias = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the results here.")
]
CsvOption: TypeAlias = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write every deal here.")
]
PlotOption: TypeAlias = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw them here (extra: plot).")
]

_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def split_players(names: str) -> list[str]:
    """Return the player specifications of a ``--players`` option.

    Raises:
        ValueError: one of them is empty.
    """
    specs = [name.strip() for name in names.split(",")]
    if not all(specs):
        raise ValueError(f"--players {names!r}: a name is missing between or beside the commas")
    return specs


def parse_rules(game: str, assignments: Iterable[str] | None, rounds: int | None = None) -> Rules:
    """Return a game's rules with values set as on the command line.

    Args:
        game: which game.
        assignments: texts ``NAME=VALUE``; switches are true or false, an empty field is none.
        rounds: the value of ``num_rounds``, if given.

    Raises:
        ValueError: an unknown or repeated name, or a value of the wrong kind or out of its range;
            the message says which.
    """
    defaults = make_rules(game).to_dict()
    values: dict[str, Any] = {} if rounds is None else {"num_rounds": rounds}
    for assignment in assignments or ():
        name, equals, text = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise ValueError(f"--rule {assignment}: write it as NAME=VALUE")
        _check_name(name, defaults)
        if name in values:
            raise ValueError(f"--rule {assignment}: {name} is set twice")
        values[name] = _parse_value(text, defaults[name])
        _check_alone(game, assignment, name, values[name])
    return make_rules(game, values)


def _check_name(name: str, known: Iterable[str]) -> None:
    if name not in known:
        close = get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise ValueError(f"no rules field {name!r}; {hint}there are {', '.join(sorted(known))}")


def _check_alone(game: str, assignment: str, name: str, value: Any) -> None:
    try:
        make_rules(game, {name: value})
    except ValueError as error:
        raise ValueError(f"--rule {assignment}: {error}") from error


def _parse_value(text: str, default: Any) -> Any:
    """Return a value in the type that the field wants, or the text, for the rules to refuse."""
    if isinstance(default, bool):
        return _SWITCHES.get(text.lower(), text)
    if text.lower() in ("none", "null"):
        return None
    try:
        return int(text)
    except ValueError:
        return text


def match_rules(game: str, assignments: list[str] | None, rounds: int | None) -> Rules:
    """Return the rules of matches that are of one round, unless they are told otherwise."""
    names = [assignment.partition("=")[0].strip() for assignment in assignments or ()]
    if rounds is None and "num_rounds" not in names:
        rounds = 1
    return parse_rules(game, assignments, rounds)
