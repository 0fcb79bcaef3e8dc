"""Results as JSON, as CSV of every deal, and as rows of tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np

from xabitha_env.evaluation.comparison import Comparison
from xabitha_env.evaluation.intervals import deals_for_width, deals_to_tell
from xabitha_env.evaluation.outcomes import GAMES_COLUMNS
from xabitha_env.evaluation.run import Pairing, Played
from xabitha_env.evaluation.timing import Spent
from xabitha_env.evaluation.tournament import Tournament

DIGITS = 6
"""Decimals of figures in JSON: what lies beyond depends on the machine."""
VERSUS = " - "
SHARES = ("cancelled", "opened", "declared", "formation", "rounds_won")
"""Columns that are shown as percentages."""

Row: TypeAlias = tuple[str, ...]
Table: TypeAlias = tuple[str, Row, list[Row]]
"""A title, the head, and rows."""


def rounded(value: Any) -> Any:
    """Return a value for JSON: plain types, figures rounded, nan as null."""
    if isinstance(value, np.ndarray):
        return rounded(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    if isinstance(value, float):
        return None if np.isnan(value) else round(value, DIGITS) + 0.0  # no -0
    return value


def json_text(result: Mapping[str, Any], spent: Mapping[str, Spent]) -> str:
    """Return a result as JSON; all but the entry ``timing`` is the same for the same settings."""
    timing = {
        name: {**one._asdict(), "milliseconds": one.milliseconds} for name, one in spent.items()
    }
    return json.dumps(rounded({**result, "timing": timing}), indent=2) + "\n"


def csv_text(pairings: Sequence[Pairing], played: Played) -> str:
    """Return every deal and side as a line of CSV."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["a", "b", *(played.rows.dtype.names or ())])
    for pairing, rows in zip(pairings, played.rows, strict=True):
        teams = [team.text for team in pairing]
        writer.writerows([*teams, *row] for row in rows.ravel().tolist())
    return buffer.getvalue()


def tournament_dict(found: Tournament) -> dict[str, Any]:
    """Return a tournament's results for `json_text`."""
    pairs = [
        {"a": found.names[a], "b": found.names[b], **asdict(one)}
        for (a, b), one in zip(found.pairs, found.comparisons, strict=True)
    ]
    rated = [
        {"team": name, "rating": one.mean, "low": one.low, "high": one.high}
        for name, one in zip(found.names, found.ratings, strict=True)
    ]
    return {
        "teams": found.names,
        "pairs": pairs,
        "payoff": found.payoff,
        "ratings": rated,
        "warnings": found.warnings,
    }


def tournament_tables(game: str, found: Tournament) -> list[Table]:
    """Return the tables of a tournament."""
    titles = [found.names[a] + VERSUS + found.names[b] for a, b in found.pairs]
    pairs = list(zip(titles, found.comparisons, strict=True))
    return [
        ("points a round and matches won", _MARGIN_HEAD, [_margins(*one) for one in pairs]),
        _rounds(game, pairs),
        ("points a round, row against column", ("", *found.names), _matrix(found)),
        ("ratings (Elo points)", ("team", "rating", "95% interval"), _ratings(found)),
    ]


_MARGIN_HEAD = ("teams", "points", "95% interval", "won", "95% interval")


def _margins(title: str, one: Comparison) -> Row:
    return (
        title,
        f"{one.margin:+.2f}",
        span(one.low, one.high),
        f"{one.won:.1%}",
        f"{one.won_low:.1%} to {one.won_high:.1%}",
    )


def span(low: float, high: float) -> str:
    """Return an interval as text."""
    return f"{low:+.2f} to {high:+.2f}"


def _rounds(game: str, pairs: Sequence[tuple[str, Comparison]]) -> Table:
    columns = GAMES_COLUMNS[game]
    names = (*columns.single, *columns.by_team)
    rows = [(title, *(_cell(one.means, name) for name in names)) for title, one in pairs]
    return "the rounds (first / second team)", ("teams", *names), rows


def _cell(means: Mapping[str, float], name: str) -> str:
    values = [means[end] for end in (name, name + "_a", name + "_b") if end in means]
    return " / ".join(f"{one:.1%}" if name in SHARES else f"{one:.1f}" for one in values)


def _matrix(found: Tournament) -> list[Row]:
    return [
        (name, *("" if np.isnan(one) else f"{one:+.1f}" for one in row))
        for name, row in zip(found.names, found.payoff.tolist(), strict=True)
    ]


def _ratings(found: Tournament) -> list[Row]:
    rated = sorted(zip(found.ratings, found.names, strict=True), reverse=True)
    return [(name, f"{one.mean:+.0f}", f"{one.low:+.0f} to {one.high:+.0f}") for one, name in rated]


def timing_table(spent: Mapping[str, Spent]) -> Table:
    """Return the table of milliseconds a decision."""
    rows: list[Row] = [
        (name, "" if one.milliseconds is None else f"{one.milliseconds:.3g}")
        for name, one in spent.items()
    ]
    return "thinking time", ("player", "ms a decision"), rows


def guard(found: Tournament, half_width: float) -> list[dict[str, Any]]:
    """Say how many deals each pair needs for an interval of plus or minus so many points.

    What was played is the pilot. ``to_tell`` is how many deals show a true margin of the size
    that was found as different from zero, in 80 of 100 cases; None if it is zero.
    """
    return [
        {
            "a": found.names[a],
            "b": found.names[b],
            "deals": one.deals,
            "needed": deals_for_width(one.deviation, half_width),
            "to_tell": deals_to_tell(one.deviation, one.margin),
        }
        for (a, b), one in zip(found.pairs, found.comparisons, strict=True)
    ]


def guard_table(needs: Sequence[Mapping[str, Any]], half_width: float) -> Table:
    """Return the table of `guard`."""
    rows: list[Row] = [
        (
            need["a"] + VERSUS + need["b"],
            f"{need['deals']:,}",
            f"{need['needed']:,}",
            "yes" if need["deals"] >= need["needed"] else "no",
            "never" if need["to_tell"] is None else f"{need['to_tell']:,}",
        )
        for need in needs
    ]
    title = f"deals for ±{half_width:g} points"
    return title, ("teams", "played", "needed", "enough", "to tell the margin from 0"), rows
