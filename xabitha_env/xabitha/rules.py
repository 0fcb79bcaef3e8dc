"""The rules configuration of Xabitha: every value that a table could set otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from xabitha_env.rules import RulesFields, bounded, switch

MOST_POINTS = 1_000_000
"""Bound of every points field: totals of a million rounds still fit 64 bits."""
MOST_ACE_POINTS = 10_000
MOST_ROUNDS = 1_000_000
MOST_TURNS = 1_000_000_000


@dataclass(frozen=True)
class XabithaRules(RulesFields):
    """Rules values, by the names that the rules give them; all are whole numbers or switches.

    Raises:
        ValueError: a value of the wrong type or out of its range; the message names both.
    """

    ace_high_points: int = bounded(11, 0, MOST_ACE_POINTS, "ace in a set or atop a run (X1.3)")
    ace_low_points: int = bounded(1, 0, MOST_ACE_POINTS, "ace at the bottom of a run (X1.3)")
    num_rounds: int = bounded(5, 1, MOST_ROUNDS, "rounds of a match (X2.2)")
    declare_seconds: int = bounded(10, 0, 86_400, "seconds to answer, for people (X3.2)")
    opening_points: int = bounded(51, 0, MOST_POINTS, "everyone's first threshold (X6.2)")
    opening_needs_run: bool = switch(True, "an opening needs a run (X6.1)")
    climbing_threshold: bool = switch(True, "opponents' bars climb (X6.3)")
    threshold_step: int = bounded(1, 0, MOST_POINTS, "how far above the opening (X6.3)")
    max_reshuffles: int = bounded(2, 0, MOST_ROUNDS, "reshuffles a round (X10.1)")
    max_turns: int = bounded(1000, 1, MOST_TURNS, "turns before a round is cancelled (X10.2)")
    joker_penalty: int = bounded(25, 0, MOST_POINTS, "a joker left in hand (X11.2)")
    closed_penalty: int = bounded(100, 0, MOST_POINTS, "not down at a normal win (X11.2)")
    xabitha_closed_penalty: int = bounded(200, 0, MOST_POINTS, "not down at a Xabitha win (X11.3)")
