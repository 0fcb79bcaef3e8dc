"""Checks of what comes from outside: deals and states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from xabitha_env.cards import (
    JACK,
    NUM_SEATS,
    NUM_TEAMS,
    card_text,
    pack_difference,
    parse_card,
    rank_of,
    read_cards,
    read_hands,
)
from xabitha_env.xeri.actions import HAND_CARDS, NUM_CARDS, PILE_CARDS, PLAYS, STOCK_CARDS
from xabitha_env.xeri.rules import XeriRules
from xabitha_env.xeri.state import (
    JACK_XERI,
    MOST_XERIS,
    NO_KIND,
    NO_SEAT,
    NO_TARGET,
    NO_TEAM,
    REWARDS,
)

PACK = (1,) * NUM_CARDS
"""How often each kind belongs to the pack (R1.1)."""


class Deal(NamedTuple):
    """A deal as kinds: hands by seat, pile (bottom first), stock (next card first)."""

    dealer: int
    hands: list[list[int]]
    pile: list[int]
    stock: list[int]
    bottom_card: int


def read_deal(deal: Any, rules: XeriRules) -> Deal:
    """Return a deal given as text, checked against the rules (R2).

    Raises:
        ValueError: a field is missing or wrong, the cards are not the 52 of the game, or the
            rules do not allow this pile or this bottom card.
    """
    if not isinstance(deal, Mapping):
        raise ValueError(f"a deal is a mapping with dealer, hands, pile and stock, not {deal!r}")
    cards = deal["deal"] if isinstance(deal.get("deal"), Mapping) else deal
    for name, holder in (("dealer", deal), *((n, cards) for n in ("hands", "pile", "stock"))):
        if name not in holder:
            raise ValueError(f"the deal has no {name!r}")
    dealer = deal["dealer"]
    if isinstance(dealer, bool) or dealer not in range(NUM_SEATS):
        raise ValueError(f"dealer must be a seat from 0 to {NUM_SEATS - 1}, not {dealer!r}")
    hands = read_hands(cards["hands"], [HAND_CARDS] * NUM_SEATS)
    pile = read_cards(cards["pile"], "pile", PILE_CARDS)
    stock = read_cards(cards["stock"], "stock", STOCK_CARDS)
    wrong = pack_difference([kind for hand in hands for kind in hand] + pile + stock, PACK)
    if wrong:
        raise ValueError(f"hands, pile and stock are not the {NUM_CARDS} cards: {wrong}")
    if rules.redeal_pile and (
        rank_of(pile[-1]) == JACK or len(set(map(rank_of, pile))) < len(pile)
    ):
        raise ValueError("pile: two cards of one rank or a jack on top are dealt anew (R2.2)")
    return Deal(int(dealer), hands, pile, stock, _bottom_card(deal, stock, rules))


def _bottom_card(deal: Mapping[str, Any], stock: list[int], rules: XeriRules) -> int:
    """Return the kind of the bottom card, or NO_KIND where the rules show none (R2.3)."""
    text = deal.get("bottom_card")
    if not rules.show_bottom_card:
        if text is not None:
            raise ValueError("bottom_card: the rules show none (R2.3)")
        return NO_KIND
    if text is None:
        raise ValueError("the deal has no 'bottom_card', which the rules show (R2.3)")
    kind = parse_card(text)
    if kind != stock[-1] or rank_of(kind) == JACK:
        raise ValueError(
            f"bottom_card must be the last card of the stock, {card_text(stock[-1])}, "
            f"and no jack, not {text} (R2.3)"
        )
    return kind


def state_problem(game: Any) -> str:
    """Say what is wrong with a record that claims to be a game's state; empty if nothing is."""
    try:
        rules_of(game)
    except ValueError as error:
        return str(error)
    for name, low, high in _RANGES:
        values = game[name].ravel().tolist() if game[name].ndim else [game[name].item()]
        if any(not low <= value <= high for value in values):
            return f"{name} must lie in {low} to {high}, not {values}"
    return _game_problem(game) or _cards_problem(game)


def rules_of(game: Any) -> XeriRules:
    """Return the rules configuration that a record holds.

    Raises:
        ValueError: a value is out of its range.
    """
    rules: dict[str, Any] = {}
    for item in fields(XeriRules):
        value: Any = int(game[item.name])
        if isinstance(item.default, bool):
            value = value == 1
        elif item.metadata["optional"] and value == NO_TARGET:
            value = None
        rules[item.name] = value
    return XeriRules(**rules)


_MOST = 1 << 62
_RANGES = (
    ("reward_scheme", 0, len(REWARDS) - 1),
    ("rounds", 0, _MOST),
    ("totals", 0, _MOST),
    ("round_wins", 0, _MOST),
    ("reward", -_MOST, _MOST),
    ("dealer", 0, NUM_SEATS - 1),
    ("seat", 0, NUM_SEATS - 1),
    ("plays", 0, PLAYS),
    ("hand", 0, (1 << NUM_CARDS) - 1),
    ("stock", 0, NUM_CARDS - 1),
    ("stock_count", 0, STOCK_CARDS),
    ("bottom_card", NO_KIND, NUM_CARDS - 1),
    ("pile", 0, NUM_CARDS - 1),
    ("pile_count", 0, NUM_CARDS),
    ("captured", 0, (1 << NUM_CARDS) - 1),
    ("xeris", 0, JACK_XERI),
    ("xeri_count", 0, MOST_XERIS),
    ("last_capturer", NO_SEAT, NUM_SEATS - 1),
    ("played", 0, (1 << NUM_CARDS) - 1),
    ("last_points", 0, _MOST),
    ("last_cards", 0, NUM_CARDS),
    ("last_xeris", 0, JACK_XERI),
    ("last_xeri_count", 0, MOST_XERIS),
    ("last_winner", NO_TEAM, NUM_TEAMS - 1),
)


def _game_problem(game: Any) -> str:
    for name in ("deal_word", "player_word"):
        if game[name] == 0:
            return f"{name} must not be 0"
    won, rounds = game["round_wins"].tolist(), int(game["rounds"])
    if sum(won) > rounds:
        return f"round_wins must not be more than the {rounds} rounds played, not {won}"
    if game["extended"] != _is_extended(game):
        return f"extended is {game['extended']} with {game['totals'].tolist()} points"
    if game["over"] != _is_over(game):
        points = game["totals"].tolist()
        return f"over is {game['over']} after {rounds} rounds with {points} points"
    if game["seat"] != (game["dealer"] + 1 + game["plays"]) % NUM_SEATS:
        return f"seat {game['seat']} to act after {game['plays']} plays"
    if (game["plays"] == PLAYS) != game["over"]:
        return f"over is {game['over']} after {game['plays']} plays of a round"
    if (game["bottom_card"] == NO_KIND) != (game["show_bottom_card"] == 0):
        return "bottom_card does not agree with show_bottom_card"
    return ""


def _is_extended(game: Any) -> bool:
    """Return whether both teams have reached the first target (R5.2)."""
    return bool(game["target_score"] != NO_TARGET and min(game["totals"]) >= game["target_score"])


def _is_over(game: Any) -> bool:
    """Return whether the game has ended with its last round (R5)."""
    if game["target_score"] == NO_TARGET:
        return bool(game["rounds"] >= game["num_rounds"])
    first, second = game["totals"].tolist()
    target = game["extended_target_score" if game["extended"] else "target_score"]
    return bool(max(first, second) >= target and first != second)


def _kinds(mask: Any) -> list[int]:
    return [kind for kind in range(NUM_CARDS) if int(mask) >> kind & 1]


def hand_kinds(game: Any, seat: int) -> list[int]:
    """Return the kinds in a hand, ascending."""
    return _kinds(game["hand"][seat])


def _cards_problem(game: Any) -> str:
    cards = [kind for seat in range(NUM_SEATS) for kind in hand_kinds(game, seat)]
    cards += game["stock"][: int(game["stock_count"])].tolist()
    to_be_played = set(cards)
    cards += game["pile"][: int(game["pile_count"])].tolist()
    cards += [kind for team in range(NUM_TEAMS) for kind in _kinds(game["captured"][team])]
    nobody = game["over"] and game["last_capturer"] == NO_SEAT  # what is left is nobody's (R3.5)
    wrong = "" if nobody else pack_difference(cards, PACK)
    if wrong:
        return f"the cards are not the {NUM_CARDS} of the game: {wrong}"
    played = [kind for seat in range(NUM_SEATS) for kind in _kinds(game["played"][seat])]
    if len(set(played)) < len(played) or to_be_played & set(played):
        return "played holds a card twice, or one that is still to be played"
    return _counts_problem(game) or _captures_problem(game) or _bottom_problem(game)


def _counts_problem(game: Any) -> str:
    """Compare the numbers of cards with the number of plays (R2.1, R3.1)."""
    plays = int(game["plays"])
    second = plays >= NUM_SEATS * HAND_CARDS
    if game["stock_count"] != (0 if second else STOCK_CARDS):
        return f"stock_count is {game['stock_count']} after {plays} plays"
    for seat in range(NUM_SEATS):
        turns = (plays + NUM_SEATS - 1 - (seat - int(game["dealer"]) - 1) % NUM_SEATS) // NUM_SEATS
        if len(_kinds(game["played"][seat])) != turns:
            return f"seat {seat} has played {len(_kinds(game['played'][seat]))} cards, not {turns}"
        held = HAND_CARDS * (1 + second) - turns
        if len(hand_kinds(game, seat)) != held:
            return f"seat {seat} holds {len(hand_kinds(game, seat))} cards, not {held}"
    return ""


def _captures_problem(game: Any) -> str:
    """Compare who captured last with what was captured, and check the lists of xeris."""
    captured = [bool(mask) for mask in game["captured"].tolist()]
    last = int(game["last_capturer"])
    if any(captured) if last == NO_SEAT else not captured[last % NUM_TEAMS]:
        return f"last_capturer is {last}, which the captured cards forbid"
    for name, count in (("xeris", "xeri_count"), ("last_xeris", "last_xeri_count")):
        for team in range(NUM_TEAMS):
            if 0 in game[name][team, : int(game[count][team])]:
                return f"{name} of team {team} has fewer entries than its {count}"
    return ""


def _bottom_problem(game: Any) -> str:
    """Check that a card shown at the cut is no jack, and the dealer's last card (R2.3)."""
    kind, dealer = int(game["bottom_card"]), int(game["dealer"])
    if kind == NO_KIND:
        return ""
    dealt = (game["hand"][dealer] | game["played"][dealer]) >> kind & 1
    if rank_of(kind) == JACK or not (game["stock"][0] == kind if game["stock_count"] else dealt):
        return f"bottom_card {card_text(kind)} is a jack or not the dealer's last card"
    return ""
