"""The rules configuration of Xeri: every value that a table could set otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from xabitha_env.rules import RulesFields, bounded, switch

MOST_POINTS = 1_000_000
MOST_ROUNDS = 1_000_000


@dataclass(frozen=True)
class XeriRules(RulesFields):
    """Rules values, by the names that the rules give them; whole numbers or switches.

    Raises:
        ValueError: a value of the wrong type or out of its range; the message names both.
    """

    num_rounds: int = bounded(4, 1, MOST_ROUNDS, "rounds of a game without a target (R1.2)")
    redeal_pile: bool = switch(True, "a pile with a pair or a jack on top is dealt anew (R2.2)")
    show_bottom_card: bool = switch(False, "the bottom card is shown at the cut (R2.3)")
    dealer_last_card_xeri: bool = switch(True, "the dealer's last card can make a xeri (R3.6)")
    xeri_points: int = bounded(10, 0, MOST_POINTS, "a xeri (R4.3)")
    jack_xeri_points: int = bounded(20, 0, MOST_POINTS, "a jack that takes a lone jack (R4.3)")
    target_score: int | None = bounded(
        None, 1, MOST_POINTS, "points that win the game, instead of rounds (R5.2)", optional=True
    )
    extended_target_score: int = bounded(
        251, 1, MOST_POINTS, "the target when both reach the first at once (R5.2)"
    )
