"""Checks of what comes from outside: deals and states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from xabitha_env.cards import (
    JOKER,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SEATS,
    NUM_SUITS,
    pack_difference,
    read_cards,
    read_hands,
)
from xabitha_env.xabitha.actions import NUM_SLOTS
from xabitha_env.xabitha.melds import (
    HIGH_ACE,
    LARGEST_SET,
    LOW_ACE,
    MELDS,
    NUM_CARDS,
    NUM_MELDS,
    PACK,
    RUN,
    SET,
    SHORTEST_MELD,
    position_rank,
)
from xabitha_env.xabitha.rules import XabithaRules
from xabitha_env.xabitha.state import (
    CANCELLED,
    DECLARING,
    DRAWN,
    FORMED,
    HAND_CARDS,
    MOST_STAGED,
    MOST_TRAIL,
    NO_KIND,
    NO_SEAT,
    PLAYING,
    REWARDS,
)

Deal = tuple[int, list[list[int]], list[int]]
"""Starter, hands by seat, deck (next card first), as kinds."""


def read_deal(deal: Any) -> Deal:
    """Return starter, hands by seat and deck (next card first) of a deal given as text (X3.1).

    Raises:
        ValueError: a field is missing or wrong, or the cards are not the 106 of the game.
    """
    if not isinstance(deal, Mapping):
        raise ValueError(f"a deal is a mapping with starter, hands and deck, not {deal!r}")
    cards = deal["deal"] if isinstance(deal.get("deal"), Mapping) else deal
    for name, holder in (("starter", deal), ("hands", cards), ("deck", cards)):
        if name not in holder:
            raise ValueError(f"the deal has no {name!r}")
    starter, hands = deal["starter"], cards["hands"]
    if isinstance(starter, bool) or starter not in range(NUM_SEATS):
        raise ValueError(f"starter must be a seat from 0 to {NUM_SEATS - 1}, not {starter!r}")
    dealt = read_hands(hands, [HAND_CARDS + (seat == starter) for seat in range(NUM_SEATS)])
    deck = read_cards(cards["deck"], "deck", NUM_CARDS - HAND_CARDS * NUM_SEATS - 1)
    wrong = pack_difference([kind for hand in dealt for kind in hand] + deck, PACK)
    if wrong:
        raise ValueError(f"hands and deck are not the {NUM_CARDS} cards of the game: {wrong}")
    return int(starter), dealt, deck


def state_problem(game: Any) -> str:
    """Say what is wrong with a record that claims to be a game's state; empty if nothing is."""
    rules: dict[str, Any] = {}
    for item in fields(XabithaRules):
        value = int(game[item.name])
        rules[item.name] = value == 1 if isinstance(item.default, bool) else value
    try:
        XabithaRules(**rules)
    except ValueError as error:
        return str(error)
    for name, low, high in _RANGES:
        high = int(game[high]) if isinstance(high, str) else high
        values = game[name].ravel().tolist() if game[name].ndim else [game[name].item()]
        if any(not low <= value <= high for value in values):
            return f"{name} must lie in {low} to {high}, not {values}"
    return _match_problem(game) or _cards_problem(game) or _round_problem(game)


_MOST = 1 << 62
_RANGES: tuple[tuple[str, int, int | str], ...] = (
    ("reward_scheme", 0, len(REWARDS) - 1),
    ("rounds", 0, "num_rounds"),
    ("totals", 0, _MOST),
    ("starter", 0, NUM_SEATS - 1),
    ("seat", 0, NUM_SEATS - 1),
    ("phase", 0, FORMED),
    ("turn", 0, "max_turns"),
    ("declared", 0, 1),
    ("opened", 0, 1),
    ("threshold", 0, _MOST),
    ("reshuffles", 0, "max_reshuffles"),
    ("deck_count", 0, NUM_CARDS),
    ("fixed_draws", 0, 1),
    ("deck_seat", NO_SEAT, NUM_SEATS - 1),
    ("last_discard", NO_KIND, JOKER),
    *((name, 0, _MOST) for name in ("decisions", "turns", "cancellations")),
    *((name, 0, "rounds") for name in ("openings", "declarations", "formations")),
    ("fire_count", 0, NUM_CARDS),
    ("deck", 0, JOKER),
    ("fire", 0, JOKER),
    ("hand_count", 0, HAND_CARDS + 1),
    ("taken", NO_KIND, JOKER),
    ("staged", 0, MOST_STAGED),
    ("staged_rows", 0, NUM_MELDS - 1),
    ("num_melds", 0, NUM_SLOTS),
    ("slot_type", 0, SET),
    ("trail", 0, (DRAWN + 1) * NUM_SEATS - 1),
    ("trail_count", 0, MOST_TRAIL),
    ("last_reason", 0, CANCELLED),
    ("last_winner", NO_SEAT, NUM_SEATS - 1),
    ("last_penalties", 0, _MOST),
    ("last_declared", 0, 1),
    ("reward", -_MOST, _MOST),
    *(
        (name, 0, (1 << NUM_KINDS) - 1)
        for name in (
            *("hand_one", "hand_two", "fire_one", "fire_two", "discarded", "took", "laid"),
            *("known_one", "known_two", "reshuffled_one", "reshuffled_two", "drew_one", "drew_two"),
        )
    ),
)
"""Fields, their lowest and highest value (or the field that holds it)."""


def _match_problem(game: Any) -> str:
    for name in ("deal_word", "shuffle_word", "player_word"):
        if game[name] == 0:
            return f"{name} must not be 0"
    if game["over"] != (game["rounds"] == game["num_rounds"]):
        return f"over is {game['over']} after {game['rounds']} of {game['num_rounds']} rounds"
    return ""


def _round_problem(game: Any) -> str:
    """Say in what the phase, the turn and the hands of a round disagree; the cards are right."""
    seat, phase = int(game["seat"]), int(game["phase"])
    if (phase == DECLARING) != (game["turn"] == 0):
        return f"phase {phase} in turn {game['turn']}"
    sizes = [HAND_CARDS + (other == game["starter"]) for other in range(NUM_SEATS)]
    if phase == DECLARING and (game["hand_count"].tolist() != sizes or game["fire_count"]):
        return "cards were played before all have declared"
    if not game["over"] and 0 in game["hand_count"]:
        return "a seat without cards in a round that goes on"
    if (game["declared"] & game["opened"]).any():
        return "a seat in Xabitha mode is down"
    left = int(not game["over"])  # the card to discard
    if phase == FORMED and not (game["declared"][seat] and game["hand_count"][seat] == left):
        return f"a formation is down, but not by a seat in Xabitha mode with {left} cards left"
    if game["staged"] and (phase != PLAYING or game["opened"][seat] or game["declared"][seat]):
        return "melds are staged by a seat that cannot open"
    return _memory_problem(game)


def _memory_problem(game: Any) -> str:
    """Say in what is known of the hands, and the take, is wrong."""
    seat, taken = int(game["seat"]), int(game["taken"])
    for other in range(NUM_SEATS):
        hand = Counter(hand_kinds(game, other))
        if other == seat:
            for row in game["staged_rows"][: int(game["staged"])].tolist():
                hand.update(MELDS[row].cards)
        known = Counter(_kinds(int(game["known_one"][other]), int(game["known_two"][other])))
        if known - hand:
            return f"seat {other} is known to hold cards that it does not hold"
        if other == seat and taken != NO_KIND and not known[taken]:
            return "the card taken is not among those known in hand"
    if taken != NO_KIND and game["phase"] != PLAYING:
        return "a take is pending outside the play of a turn"
    if game["fire_locked"] and game["phase"] == DECLARING:
        return "the fire pile is locked outside a turn"
    return ""


def _kinds(one: int, two: int) -> list[int]:
    return [kind for kind in range(NUM_KINDS) for mask in (one, two) if mask >> kind & 1]


def hand_kinds(game: Any, seat: int) -> list[int]:
    """Return the kinds in a hand, ascending."""
    return _kinds(int(game["hand_one"][seat]), int(game["hand_two"][seat]))


def table_cards(game: Any, slot: int) -> list[int]:
    """Return the kinds that lie in a slot, jokers as jokers."""
    suits, low, high = (int(game[name][slot]) for name in ("slot_suits", "slot_low", "slot_high"))
    jokers = int(game["slot_jokers"][slot])
    if game["slot_type"][slot] == SET:
        real = [s * NUM_RANKS + low - 1 for s in range(NUM_SUITS) if suits >> s & 1]
        return real + [JOKER] * jokers.bit_count()
    suit = suits.bit_length() - 1
    return [
        JOKER if jokers >> p & 1 else suit * NUM_RANKS + position_rank(p)
        for p in range(low, high + 1)
    ]


def _slot_problem(game: Any, slot: int) -> str:
    suits, low, high = (int(game[name][slot]) for name in ("slot_suits", "slot_low", "slot_high"))
    jokers = int(game["slot_jokers"][slot])
    if game["slot_type"][slot] == RUN:
        ends = LOW_ACE <= low and low + SHORTEST_MELD - 1 <= high <= HIGH_ACE
        inside = jokers & ~((1 << (high + 1)) - (1 << low)) == 0
        good = suits in (1, 2, 4, 8) and ends and inside
    else:
        size = suits.bit_count() + jokers.bit_count()
        good = 0 < suits < 1 << NUM_SUITS and 1 <= low == high <= NUM_RANKS
        good = good and SHORTEST_MELD <= size <= LARGEST_SET
    return "" if good else f"slot {slot} holds no meld"


def _cards_problem(game: Any) -> str:
    cards: list[int] = []
    for seat in range(NUM_SEATS):
        hand = hand_kinds(game, seat)
        if int(game["hand_two"][seat]) & ~int(game["hand_one"][seat]):
            return f"seat {seat} holds a kind twice that it does not hold once"
        if len(hand) != game["hand_count"][seat]:
            return f"seat {seat} holds {len(hand)} cards, not {game['hand_count'][seat]}"
        cards += hand
    fire = game["fire"][: int(game["fire_count"])].tolist()
    if Counter(fire) != Counter(_kinds(int(game["fire_one"]), int(game["fire_two"]))):
        return "fire_one and fire_two are not the cards of the fire pile"
    cards += fire + game["deck"][: int(game["deck_count"])].tolist()
    for place in range(int(game["staged"])):
        cards += MELDS[int(game["staged_rows"][place])].cards
    for slot in range(int(game["num_melds"])):
        if game["slot_type"][slot]:
            problem = _slot_problem(game, slot)
            if problem:
                return problem
            cards += table_cards(game, slot)
    wrong = pack_difference(cards, PACK)
    return f"the cards are not the {NUM_CARDS} of the game: {wrong}" if wrong else ""
