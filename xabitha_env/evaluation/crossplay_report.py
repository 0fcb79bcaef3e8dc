"""Cross-play as JSON and as rows of tables."""

from __future__ import annotations

from typing import Any

from xabitha_env.evaluation.intervals import Floats, Interval
from xabitha_env.evaluation.partnership import Partnership
from xabitha_env.evaluation.report import Row, Table, span
from xabitha_env.evaluation.teams import Team


def crossplay_dict(found: Partnership) -> dict[str, Any]:
    """Return the results of cross-play for `report.json_text`; matrices are lists of rows."""
    return {
        "players": found.names,
        "panel": found.panel,
        "deals": found.deals,
        "margins": _parts(found.margins),
        "mean": found.mean._asdict(),
        "first": _parts(found.first),
        "second": _parts(found.second),
        "synergy": _parts(found.synergy),
        "synergy_test": found.test._asdict(),
        "gap": found.gap._asdict(),
        "gaps": [one._asdict() for one in found.gaps],
    }


def _parts(values: Floats) -> dict[str, Any]:
    """Return an array (..., 3) of means and intervals by name."""
    return {name: values[..., place] for place, name in enumerate(Interval._fields)}


def crossplay_tables(found: Partnership) -> list[Table]:
    """Return the tables of cross-play."""
    panel = ", ".join(found.panel)
    head = ("lower / higher seat", *found.names)
    return [
        (f"points a round against {panel}", head, _matrix(found, found.margins)),
        ("synergy: beyond the sum of both players", head, _matrix(found, found.synergy)),
        ("players", _PLAYER_HEAD, [_player(found, place) for place in range(len(found.names))]),
    ]


_PLAYER_HEAD = ("player", "lower seat", "higher seat", "itself - others", "95% interval")


def _matrix(found: Partnership, values: Floats) -> list[Row]:
    means = values[..., 0].tolist()
    return [
        (name, *(f"{one:+.1f}" for one in row))
        for name, row in zip(found.names, means, strict=True)
    ]


def _player(found: Partnership, place: int) -> Row:
    gap = found.gaps[place]
    return (
        found.names[place],
        f"{found.first[place, 0]:+.2f}",
        f"{found.second[place, 0]:+.2f}",
        f"{gap.mean:+.2f}",
        span(gap.low, gap.high),
    )


def crossplay_notes(found: Partnership) -> list[str]:
    """Return what the tables do not say, a line each."""
    test, gap = found.test, found.gap
    notes = [
        f"self-play minus cross-play: {gap.mean:+.2f} points ({span(gap.low, gap.high)})",
        f"synergy: {test.strength:.2f} points (root mean square); without any it would be "
        f"{test.low:.2f} to {test.high:.2f}; p = {test.chance:.4f}",
    ]
    for row, column in _beyond_chance(found):
        mean, low, high = found.synergy[row, column].tolist()
        team = Team(found.names[row], found.names[column])
        notes.append(f"beyond chance: {team.text}: {mean:+.2f} points ({span(low, high)})")
    return notes


def _beyond_chance(found: Partnership) -> list[tuple[int, int]]:
    players = range(len(found.names))
    return [
        (row, column)
        for row in players
        for column in players
        if abs(found.synergy[row, column, 0]) > found.test.threshold
    ]
