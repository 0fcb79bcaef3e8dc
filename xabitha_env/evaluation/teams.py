"""Teams by name: two players, one for each of the team's seats."""

from __future__ import annotations

from typing import NamedTuple

from xabitha_env.players import Agent, load_player
from xabitha_env.players.loader import PLAYERS, added

JOINT = "+"


class Team(NamedTuple):
    """The players of a team: in the lower of its seats, and in the higher one."""

    first: str
    second: str

    @property
    def text(self) -> str:
        """The team as it is written: a single name where both are the same."""
        return self.first if self.first == self.second else self.first + JOINT + self.second


def parse_team(text: str) -> Team:
    """Return the team of a text ``PLAYER`` or ``PLAYER+PLAYER``.

    Raises:
        ValueError: a name is missing, or there are more than two.
    """
    names = _players_of(text)
    if len(names) > len(Team._fields) or not all(names):
        raise ValueError(
            f"team {text!r}: write PLAYER or PLAYER{JOINT}PLAYER "
            f"(a player whose own text holds a {JOINT} has to get another name)"
        )
    return Team(names[0], names[-1])


def _players_of(text: str) -> list[str]:
    """Return the players of a team's text; a known name may hold the sign that joins them."""
    names: list[str] = []
    for part in (part.strip() for part in text.split(JOINT)):
        if names and (names[-1] + JOINT + part).partition("?")[0] in added(PLAYERS):
            names[-1] += JOINT + part
        else:
            names.append(part)
    return names


def parse_teams(texts: list[str]) -> list[Team]:
    """Return teams of texts, none of them twice.

    Raises:
        ValueError: as in `parse_team`, or a team is named twice.
    """
    teams = [parse_team(text) for text in texts]
    for place, team in enumerate(teams):
        if team in teams[:place]:
            raise ValueError(f"team {team.text!r} is named twice")
    return teams


def parse_player(text: str) -> str:
    """Return the player of a text that names a single one.

    Raises:
        ValueError: it names none, or a team of two.
    """
    team = parse_team(text)
    if len(_players_of(text)) > 1:
        raise ValueError(f"{text!r} is a team: name single players, they are paired here")
    return team.first


def load_team(team: Team, game: str) -> tuple[Agent, Agent]:
    """Return the players of a team, an object for each seat.

    Partners share no object even when they are the same player, so that what one of them
    remembers of its own cards cannot reach the other.

    Raises:
        ValueError: there is no such player; ImportError: it needs a library that is missing.
    """
    try:
        return load_player(team.first, game), load_player(team.second, game)
    except ValueError as error:
        if team.first == team.second:
            raise
        raise ValueError(f"team {team.text!r}: {error}") from error
