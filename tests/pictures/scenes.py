"""Tables fuller than any match brings them, for the tests of the pictures."""

from __future__ import annotations

from xabitha_env.cards import CARD_NAMES, RANKS, SUITS
from xabitha_env.scene import Group, Scene, SeatScene

RUNS = [tuple(rank + suit for rank in RANKS + "A") for suit in SUITS]
SET = ("TC", "TD", "JK")
FULL_SET = ("TC", "JK", "JK", "TS")


def hand(count: int, seen: bool = True) -> Group:
    return (
        Group("hand", ("TH", "JK", "QC", "8S", "2D") * 3)
        if seen and count == 15
        else (Group("hand", CARD_NAMES[13 : 13 + count]) if seen else Group("hand", hidden=count))
    )


def staging(melds: list[tuple[str, ...]]) -> tuple[Group, ...]:
    return tuple(Group(f"staged {number}", cards) for number, cards in enumerate(melds))


def xabitha_scene(
    hands: list[Group],
    melds: list[tuple[str, ...]],
    staged: dict[int, list[tuple[str, ...]]] | None = None,
    viewer: int | None = None,
    actor: int | None = 1,
    deck: int = 49,
) -> Scene:
    """Return a table of Xabitha with the longest words that there may be."""
    seats = tuple(
        SeatScene(
            seat,
            hands[seat],
            "opens at 1280",
            staging((staged or {}).get(seat, [])),
            "Xabitha mode" if viewer in (None, seat) else "",
        )
        for seat in range(4)
    )
    return Scene(
        game="xabitha",
        viewer=viewer,
        place="round 100 of 100, turn 1000",
        scores=(("penalties", 12345, 10400),),
        seats=seats,
        piles=(
            Group("deck", hidden=deck, note="reshuffles 20 of 20"),
            Group("fire", ("TD",) if deck else (), hidden=90 if deck else 0),
        ),
        actor=actor,
        doing="seat 3 discards after the formation",
        melds=tuple(Group(f"meld {number}", cards) for number, cards in enumerate(melds)),
        news="last round: cancelled, penalties [200, 200, 200, 200]",
    )


def xeri_scene(pile: int, viewer: int | None = None, actor: int | None = 0) -> Scene:
    """Return a table of Xeri with so many cards on the pile."""
    return Scene(
        game="xeri",
        viewer=viewer,
        place="round 100 to 10000 points, play 48",
        scores=(("points", 12345, 10250), ("rounds won", 100, 111)),
        seats=tuple(SeatScene(seat, hand(6, viewer in (None, seat)), "deals") for seat in range(4)),
        piles=(
            Group("pile", CARD_NAMES[:pile]),
            Group("stock", note="bottom card TD"),
            Group("team 0 captured", hidden=48, note="12 xeris"),
            Group("team 1 captured", hidden=0, note="0 xeris"),
        ),
        actor=actor,
        doing="seat 0 plays",
        news="last round: points 120 : 340, won by team 1",
    )


FULL = [hand(15)] * 4
BACKS = [hand(15, False)] * 4
FULLEST = {
    "fifteen cards each": xabitha_scene(FULL, []),
    "fifteen backs each": xabitha_scene([*BACKS[:2], hand(15), BACKS[3]], [], viewer=2),
    "sixteen melds of three": xabitha_scene(FULL, [SET] * 16),
    "sixteen melds of four": xabitha_scene(FULL, [FULL_SET] * 16),
    "sixteen melds, four of them long": xabitha_scene(FULL, [*RUNS, *[FULL_SET] * 12]),
    "eight long runs": xabitha_scene(FULL, RUNS * 2),
    "sixteen long runs": xabitha_scene(FULL, RUNS * 4),
    "four melds staged by each": xabitha_scene(
        [hand(3)] * 4, [SET] * 3, {seat: [SET] * 4 for seat in range(4)}
    ),
    "a long meld staged by each": xabitha_scene(
        [hand(1)] * 4, [SET] * 3, {seat: [RUNS[0]] for seat in range(4)}
    ),
    "four longer melds staged by each": xabitha_scene(
        [hand(1)] * 4, RUNS, {seat: [FULL_SET, FULL_SET, SET, SET] for seat in range(4)}
    ),
    "no cards at all": xabitha_scene([hand(0)] * 4, [], actor=None, deck=0),
    "no pile": xeri_scene(0),
    "one card on the pile": xeri_scene(1, viewer=3),
    "thirty cards on the pile": xeri_scene(30, viewer=1, actor=2),
    "all cards on the pile": xeri_scene(52),
}
