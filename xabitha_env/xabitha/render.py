"""The table as text (ansi rendering)."""

from __future__ import annotations

from typing import Any

from xabitha_env.cards import NUM_SEATS, card_text
from xabitha_env.xabitha.melds import MELDS
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, PLAYING, REASONS
from xabitha_env.xabitha.validate import hand_kinds, table_cards

_PHASES = {
    DECLARING: "declares",
    DRAWING: "draws",
    PLAYING: "plays",
    FORMED: "discards after the formation",
}


def _cards(kinds: list[int] | tuple[int, ...]) -> str:
    return " ".join(card_text(kind) for kind in kinds)


def _staged(game: Any) -> list[tuple[int, ...]]:
    rows = game["staged_rows"][: int(game["staged"])].tolist()
    return [MELDS[row].cards for row in rows]


def _seat_line(game: Any, seat: int, viewer: int | None) -> str:
    mark = ">" if seat == game["seat"] and not game["over"] else " "
    staged = _staged(game) if seat == game["seat"] else []
    count = int(game["hand_count"][seat]) + sum(map(len, staged))
    status = "down" if game["opened"][seat] else f"opens at {game['threshold'][seat]}"
    line = f"{mark} seat {seat}  {count:2} cards  {status:13}"
    if viewer is None or viewer == seat:
        line += f" {_cards(hand_kinds(game, seat))}"
        if staged:
            line += f"  staged: {', '.join(map(_cards, staged))}"
        if game["declared"][seat]:
            line += "  (Xabitha mode)"
    return line.rstrip()


def render_table(game: Any, viewer: int | None) -> str:
    """Return one game as lines of text.

    Args:
        game: a game's record.
        viewer: the seat whose view is shown, or None to show all cards.
    """
    fire = int(game["fire_count"])
    top = card_text(int(game["fire"][fire - 1])) if fire else "empty"
    lines = [
        f"round {min(int(game['rounds']) + 1, int(game['num_rounds']))} of {game['num_rounds']}, "
        f"turn {game['turn']}   penalties {game['totals'][0]} : {game['totals'][1]}",
        f"deck {game['deck_count']}   fire {top} ({fire})   reshuffles {game['reshuffles']} "
        f"of {game['max_reshuffles']}",
        *(_seat_line(game, seat, viewer) for seat in range(NUM_SEATS)),
    ]
    for slot in range(int(game["num_melds"])):
        if game["slot_type"][slot]:
            lines.append(f"  meld {slot:2}  {_cards(table_cards(game, slot))}")
    if game["over"]:
        lines.append("the match is over")
    else:
        lines.append(f"seat {game['seat']} {_PHASES[int(game['phase'])]}")
    if (game["last_reason"] and game["phase"] == DECLARING) or game["over"]:
        lines.append(
            f"last round: {REASONS[int(game['last_reason'])]}, "
            f"penalties {game['last_penalties'].tolist()}"
        )
    return "\n".join(lines)
