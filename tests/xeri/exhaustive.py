"""The end of a round played out in plain Python, card by card: slow, and plain to see."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

from xabitha_env.cards import CARD_NAMES
from xabitha_env.xeri.validate import hand_kinds

PACK = frozenset(CARD_NAMES[:52])
POINTS = {rank + suit: 1 for rank in "AKQJT" for suit in "CDHS"} | {"2C": 1, "TD": 2}  # R4.2


class Position(NamedTuple):
    """All that decides how a round ends."""

    hands: tuple[frozenset[str], ...]
    pile: tuple[str, ...]
    seat: int
    points: tuple[int, int]
    cards: tuple[int, int]
    last: int  # seat or -1


def names(mask: Any) -> frozenset[str]:
    """The cards of a mask."""
    return frozenset(name for kind, name in enumerate(CARD_NAMES[:52]) if int(mask) >> kind & 1)


def points_of(cards: Any) -> int:
    return sum(POINTS.get(card, 0) for card in cards)


def position_of(game: Any) -> Position:
    """The position of a record."""
    worth = [int(game["xeri_points"]), int(game["jack_xeri_points"])]
    captured = [names(mask) for mask in game["captured"]]
    xeris = [sum(worth[x - 1] for x in game["xeris"][t, : game["xeri_count"][t]]) for t in (0, 1)]
    return Position(
        tuple(names(mask) for mask in game["hand"]),
        tuple(CARD_NAMES[kind] for kind in game["pile"][: int(game["pile_count"])]),
        int(game["seat"]),
        (points_of(captured[0]) + xeris[0], points_of(captured[1]) + xeris[1]),
        (len(captured[0]), len(captured[1])),
        int(game["last_capturer"]),
    )


def plus(pair: tuple[int, int], seat: int, more: int) -> tuple[int, int]:
    return (pair[0] + more, pair[1]) if seat % 2 == 0 else (pair[0], pair[1] + more)


def after(position: Position, card: str, rules: Any) -> Position:
    """The position after a play (R3)."""
    hands, pile, seat, points, cards, last = position
    hands = tuple(hand - {card} for hand in hands)
    following = (seat + 1) % 4
    if not pile or card[0] not in ("J", pile[-1][0]):
        return Position(hands, (*pile, card), following, points, cards, last)
    gain = points_of((*pile, card))
    final = not any(hands) and not rules["dealer_last_card_xeri"]  # R3.6
    if len(pile) == 1 and card[0] == pile[0][0] and not final:
        gain += int(rules["jack_xeri_points" if card[0] == "J" else "xeri_points"])
    points, cards = plus(points, seat, gain), plus(cards, seat, len(pile) + 1)
    return Position(hands, (), following, points, cards, seat)


def final_lead(position: Position, team: int) -> int:
    """By how much a team has won the round (R3.5, R4.1)."""
    _, pile, _, points, cards, last = position
    if last >= 0:
        points, cards = plus(points, last, points_of(pile)), plus(cards, last, len(pile))
    lead = points[0] - points[1] + 3 * ((cards[0] > cards[1]) - (cards[0] < cards[1]))
    return lead if team == 0 else -lead


def best_lead(position: Position, team: int, rules: Any) -> int:
    """By how much a team wins when all play best, hands open."""
    if not any(position.hands):
        return final_lead(position, team)
    hand = position.hands[position.seat]
    results = [best_lead(after(position, card, rules), team, rules) for card in hand]
    return max(results) if position.seat % 2 == team else min(results)


def possible_hands(game: Any) -> list[tuple[frozenset[str], ...]]:
    """All hands that the seat to act, with the stock empty, must reckon with."""
    seat = int(game["seat"])
    counts = [len(hand_kinds(game, other)) for other in range(4)]
    known = names(game["hand"][seat]) | {CARD_NAMES[k] for k in game["pile"][: game["pile_count"]]}
    for mask in (*game["captured"], *game["played"]):
        known |= names(mask)
    shown = {CARD_NAMES[int(game["bottom_card"])]} if game["bottom_card"] >= 0 else set()
    others = [other for other in range(4) if other != seat]
    unseen = PACK - known
    deals = []
    for first in combinations(sorted(unseen), counts[others[0]]):
        rest = sorted(unseen - set(first))
        for second in combinations(rest, counts[others[1]]):
            hands = {seat: names(game["hand"][seat]), others[0]: first, others[1]: second}
            hands[others[2]] = unseen - {*first, *second}
            if (shown & unseen) <= set(hands[int(game["dealer"])]):  # R2.3
                deals.append(tuple(frozenset(hands[other]) for other in range(4)))
    return deals
