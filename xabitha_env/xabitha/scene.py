"""What can be seen of a table of Xabitha."""

from __future__ import annotations

from typing import Any

from xabitha_env.cards import ACE, JOKER, NUM_SEATS, NUM_TEAMS, card_text, rank_of
from xabitha_env.scene import Group, Scene, SeatScene, hand_group
from xabitha_env.xabitha.melds import MELDS, rank_points
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, PLAYING, REASONS
from xabitha_env.xabitha.validate import hand_kinds, table_cards

_PHASES = {
    DECLARING: "declares",
    DRAWING: "draws",
    PLAYING: "plays",
    FORMED: "discards after the formation",
}


def _texts(kinds: list[int] | tuple[int, ...]) -> tuple[str, ...]:
    return tuple(card_text(kind) for kind in kinds)


def _staged(game: Any) -> tuple[Group, ...]:
    rows = game["staged_rows"][: int(game["staged"])].tolist()
    return tuple(
        Group(f"staged {number}", _texts(MELDS[row].cards)) for number, row in enumerate(rows)
    )


def _seat(game: Any, seat: int, viewer: int | None) -> SeatScene:
    seen = viewer is None or viewer == seat
    staged = _staged(game) if seat == game["seat"] else ()
    hand = _texts(hand_kinds(game, seat))
    status = "down" if game["opened"][seat] else f"opens at {game['threshold'][seat]}"
    secret = "Xabitha mode" if seen and game["declared"][seat] else ""
    if seen:
        return SeatScene(seat, hand_group(hand, True), status, staged, secret)
    in_hand = len(hand) + sum(meld.count for meld in staged)  # X6.4
    return SeatScene(seat, Group("hand", hidden=in_hand), status)


def _piles(game: Any) -> tuple[Group, ...]:
    fire = int(game["fire_count"])
    top = _texts(game["fire"][max(fire - 1, 0) : fire].tolist())
    shuffled = f"reshuffles {game['reshuffles']} of {game['max_reshuffles']}"
    return (
        Group("deck", hidden=int(game["deck_count"]), note=shuffled),
        Group("fire", top, hidden=fire - len(top)),
    )


def scene_of(game: Any, viewer: int | None) -> Scene:
    """Return what a viewer sees.

    Args:
        game: a game's record.
        viewer: the seat whose view it is, or None for all hands open.
    """
    over = bool(game["over"])
    now = min(int(game["rounds"]) + 1, int(game["num_rounds"]))
    first, second = game["totals"].tolist()
    news = ""
    if (game["last_reason"] and game["phase"] == DECLARING) or over:
        reason, penalties = REASONS[int(game["last_reason"])], game["last_penalties"].tolist()
        news = f"last round: {reason}, penalties {penalties}"
    return Scene(
        game="xabitha",
        viewer=viewer,
        place=f"round {now} of {game['num_rounds']}, turn {game['turn']}",
        scores=(("penalties", first, second),),
        seats=tuple(_seat(game, seat, viewer) for seat in range(NUM_SEATS)),
        piles=_piles(game),
        melds=tuple(
            Group(f"meld {slot}", _texts(table_cards(game, slot)))
            for slot in range(int(game["num_melds"]))
            if game["slot_type"][slot]
        ),
        actor=None if over else int(game["seat"]),
        doing=(
            "the match is over" if over else f"seat {game['seat']} {_PHASES[int(game['phase'])]}"
        ),
        news=news,
    )


def standing(game: Any) -> tuple[int, int]:
    """Return what each team would pay if the other went out now, without a formation (X11.2)."""
    paid = [0] * NUM_TEAMS
    for seat in range(NUM_SEATS):
        if game["opened"][seat]:
            penalty = sum(_left(game, kind) for kind in hand_kinds(game, seat))
        else:
            penalty = int(game["closed_penalty"])
        paid[seat % NUM_TEAMS] += penalty
    return paid[0], paid[1]


def _left(game: Any, kind: int) -> int:
    if kind == JOKER:
        return int(game["joker_penalty"])
    rank = rank_of(kind)
    return int(game["ace_high_points"]) if rank == ACE else rank_points(rank)
