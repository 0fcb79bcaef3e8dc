"""The table of Xeri as text (ansi rendering)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xabitha_env.cards import NUM_SEATS, card_text
from xabitha_env.xeri.state import NO_KIND, NO_TARGET
from xabitha_env.xeri.validate import hand_kinds


def _cards(kinds: Sequence[int]) -> str:
    return " ".join(card_text(kind) for kind in kinds)


def _seat_line(game: Any, seat: int, viewer: int | None) -> str:
    mark = ">" if seat == game["seat"] and not game["over"] else " "
    hand = hand_kinds(game, seat)
    deals = "deals" if seat == game["dealer"] else ""
    shown = _cards(hand) if viewer is None or viewer == seat else ""
    return f"{mark} seat {seat}  {len(hand)} cards  {deals:5}  {shown}".rstrip()


def render_table(game: Any, viewer: int | None) -> str:
    """Return one game as lines of text.

    Args:
        game: a game's record.
        viewer: the seat whose view is shown, or None to show all hands.
    """
    goal = (
        f"of {game['num_rounds']}"
        if game["target_score"] == NO_TARGET
        else f"to {game['extended_target_score' if game['extended'] else 'target_score']} points"
    )
    played = int(game["rounds"]) + (not game["over"])
    pile = game["pile"][: int(game["pile_count"])].tolist()
    lines = [
        f"round {played} {goal}, play {game['plays']}   points {game['totals'][0]} : "
        f"{game['totals'][1]}   rounds won {game['round_wins'][0]} : {game['round_wins'][1]}",
        f"pile ({len(pile)}): {_cards(pile) or 'empty'}   stock {game['stock_count']}",
        *(_seat_line(game, seat, viewer) for seat in range(NUM_SEATS)),
    ]
    for team, count in enumerate(game["xeri_count"].tolist()):
        cards = int(game["captured"][team]).bit_count()
        lines.append(f"  team {team}  {cards:2} cards captured, {count} xeris")
    if game["bottom_card"] != NO_KIND:
        lines.append(f"bottom card {card_text(int(game['bottom_card']))}")
    lines.append("the game is over" if game["over"] else f"seat {game['seat']} plays")
    return "\n".join(lines)
