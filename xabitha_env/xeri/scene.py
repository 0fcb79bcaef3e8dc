"""What can be seen of a table of Xeri."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS, card_text
from xabitha_env.scene import Group, Scene, SeatScene, hand_group
from xabitha_env.xeri.play import EXTRA_BITS, MOST_CARDS_POINTS, POINT_BITS
from xabitha_env.xeri.state import JACK_XERI, NO_KIND, NO_TARGET, NO_TEAM
from xabitha_env.xeri.validate import hand_kinds


def _texts(kinds: Sequence[int]) -> tuple[str, ...]:
    return tuple(card_text(kind) for kind in kinds)


def _seat(game: Any, seat: int, viewer: int | None) -> SeatScene:
    hand = _texts(hand_kinds(game, seat))
    status = "deals" if seat == game["dealer"] else ""
    return SeatScene(seat, hand_group(hand, viewer is None or viewer == seat), status)


def _piles(game: Any) -> tuple[Group, ...]:
    bottom = int(game["bottom_card"])
    shown = "" if bottom == NO_KIND else f"bottom card {card_text(bottom)}"  # R2.3
    return (
        Group("pile", _texts(game["pile"][: int(game["pile_count"])].tolist())),
        Group("stock", hidden=int(game["stock_count"]), note=shown),
        *(_captured(game, team) for team in range(NUM_TEAMS)),
    )


def _captured(game: Any, team: int) -> Group:
    cards, xeris = int(game["captured"][team]).bit_count(), int(game["xeri_count"][team])
    note = f"{xeris} xeri{'' if xeris == 1 else 's'}"
    return Group(f"team {team} captured", hidden=cards, note=note)  # R3.3


def scene_of(game: Any, viewer: int | None) -> Scene:
    """Return what a viewer sees.

    Args:
        game: a game's record.
        viewer: the seat whose view it is, or None for all hands open.
    """
    over = bool(game["over"])
    goal = (
        f"of {game['num_rounds']}"
        if game["target_score"] == NO_TARGET
        else f"to {game['extended_target_score' if game['extended'] else 'target_score']} points"
    )
    totals, wins = game["totals"].tolist(), game["round_wins"].tolist()
    return Scene(
        game="xeri",
        viewer=viewer,
        place=f"round {int(game['rounds']) + (not over)} {goal}, play {game['plays']}",
        scores=(("points", totals[0], totals[1]), ("rounds won", wins[0], wins[1])),
        seats=tuple(_seat(game, seat, viewer) for seat in range(NUM_SEATS)),
        piles=_piles(game),
        actor=None if over else int(game["seat"]),
        doing="the game is over" if over else f"seat {game['seat']} plays",
        news=_news(game) if over or (game["rounds"] and not game["plays"]) else "",
    )


def _news(game: Any) -> str:
    first, second = game["last_points"].tolist()
    winner = int(game["last_winner"])
    who = "nobody won" if winner == NO_TEAM else f"won by team {winner}"
    return f"last round: points {first} : {second}, {who}"


def standing(game: Any) -> tuple[int, int]:
    """Return each team's points of the round, as if it ended now without the pile (R4)."""
    cards = [int(mask) for mask in game["captured"]]
    points = [_points(game, team) for team in range(NUM_TEAMS)]
    for team, own in enumerate(cards):
        if own.bit_count() > cards[1 - team].bit_count():
            points[team] += MOST_CARDS_POINTS
    return points[0], points[1]


def _points(game: Any, team: int) -> int:
    own = int(game["captured"][team])
    xeris = game["xeris"][team, : int(game["xeri_count"][team])].tolist()
    made = sum(
        int(game["jack_xeri_points" if xeri == JACK_XERI else "xeri_points"]) for xeri in xeris
    )
    return (own & int(POINT_BITS)).bit_count() + (own & int(EXTRA_BITS)).bit_count() + made
