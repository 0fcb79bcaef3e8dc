"""Hints as lines of text."""

from __future__ import annotations

import numpy as np

from xabitha_env.players.opinion import Opinion
from xabitha_env.terminal.match import Match

MOST_LINES = 8


def hint_lines(match: Match, opinion: Opinion, name: str) -> list[str]:
    """Return what an agent would do and why: its choice, then the moves by their values.

    Args:
        match: in the position that the opinion is about.
        opinion: of the agent.
        name: how the agent is called.
    """
    sight = match.sight
    lines = [f"{name}: {sight.text(opinion.choice)}"]
    if not len(opinion.actions):
        return lines
    lines.append(f"in {opinion.unit}:")
    chosen = opinion.actions == opinion.choice
    for place in np.lexsort((-opinion.values, ~chosen))[:MOST_LINES]:
        value = f"{opinion.values[place]:7.2f}"
        if opinion.errors is not None:  # of the difference from the first, so that has none
            error = opinion.errors[place]
            value = f"{opinion.values[place]:6.1f} " + (f"+-{error:4.1f}" if error else " " * 6)
        lines.append(f"{value}  {sight.text(int(opinion.actions[place]))}")
    return lines
