"""The exact end of a round, against play in plain Python; the odds, against counted deals."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.xeri.exhaustive import after, best_lead, names, points_of, position_of, possible_hands
from tests.xeri.kernels import on_game
from tests.xeri.walks import SEATS, engine_for, sample_states
from xabitha_env._jit import records
from xabitha_env.cards import CARD_NAMES
from xabitha_env.xeri import endgame, expert, odds
from xabitha_env.xeri.actions import PLAYS
from xabitha_env.xeri.players import EXPERT
from xabitha_env.xeri.terms import NUM_TERMS
from xabitha_env.xeri.validate import hand_kinds

RULES = [
    {"num_rounds": 2, "redeal_pile": False},
    {"num_rounds": 2, "show_bottom_card": True, "dealer_last_card_xeri": False},
    {"num_rounds": 1, "xeri_points": 3, "jack_xeri_points": 25},
]
average_plays = on_game(endgame.average_plays)
rate_quickly = on_game(expert.rate_quickly)
denied_cards = on_game(odds.denied_cards)


@on_game
def rank_chance(g, seat, other, wanted):
    """The chance that another seat holds one of the wanted cards, all of one rank."""
    return odds.chance_of(wanted, odds.unseen_cards(g, seat), odds.holder(g, other))


@cache
def states(variation: int, each: int = 2) -> np.ndarray:
    """States of the second deal, as many of each number of plays."""

    def label(game: Any) -> Any:
        return int(game["plays"]), min(int(game["pile_count"]), 3)

    found = sample_states(range(30), each, RULES[variation], label)
    return found[(found["plays"] >= 24) & ~found["over"]]


def cards_of(rank: str) -> np.int64:
    """The mask of a rank."""
    return np.int64(sum(1 << kind for kind, name in enumerate(CARD_NAMES[:52]) if name[0] == rank))


def let_lie(game: Any) -> dict[int, list[list[str]]]:
    """By seat: the piles upon which it laid a card in this deal, as far as they lie open."""
    pile = [CARD_NAMES[kind] for kind in game["pile"][: int(game["pile_count"])]]
    found: dict[int, list[list[str]]] = {seat: [] for seat in SEATS}
    for place in range(1, len(pile)):
        ago = len(pile) - place
        if ago <= game["plays"] % 24:
            found[(int(game["seat"]) - ago) % 4].append(pile[:place])
    return found


def weight_of(game: Any, hands: tuple[frozenset[str], ...]) -> float:
    """How well hands agree with what the other seats let lie."""
    weight = 1.0
    for seat, piles in let_lie(game).items():
        if seat == game["seat"] or not piles:
            continue
        if {card[0] for card in hands[seat]} & {pile[-1][0] for pile in piles}:
            weight *= endgame.SLIP
        if any(card[0] == "J" for card in hands[seat]):
            worth = points_of(piles[-1]) + odds.PASS_CARD * len(piles[-1])
            loss = odds.PASS_SLOPE * max(worth - odds.PASS_FROM, 0)
            weight *= max(1 - loss, odds.PASS_LEAST)
    return weight


def slow_average(game: Any) -> list[float]:
    """What each card leads to over all deals, in plain Python."""
    position, team = position_of(game), int(game["seat"]) % 2
    deals = possible_hands(game)
    weights = [weight_of(game, hands) for hands in deals]
    results = []
    for card in sorted(position.hands[position.seat], key=CARD_NAMES.index):
        leads = [
            best_lead(after(position._replace(hands=hands), card, game), team, game)
            for hands in deals
        ]
        results.append(float(np.average(leads, weights=weights)))
    return results


@pytest.mark.parametrize("variation", range(len(RULES)))
def test_the_end_is_exact(variation: int) -> None:
    """R3, R4: all deals, all plays, against the plain search."""
    seen = set()
    spread = 0
    for state in states(variation):
        left = PLAYS - int(state["plays"])
        if not 5 <= left <= endgame.EXACT_PLAYS or (left == endgame.EXACT_PLAYS and left in seen):
            continue
        sums = np.zeros(6)
        average_plays(records(state.reshape(1)), 0, sums)
        slow = slow_average(state)
        assert sums[: len(slow)] == pytest.approx(slow, abs=1e-9)
        seen.add(left)
        spread += max(slow) > min(slow)
    assert seen == set(range(5, endgame.EXACT_PLAYS + 1)) and spread > 5


@pytest.mark.parametrize("variation", range(len(RULES)))
def test_expert_plays_by_exact_results(variation: int) -> None:
    """Near the end it takes the best of them, with a little weight on what it else goes by."""
    engine = engine_for(RULES[variation])
    otherwise = 0
    for state in states(variation, 8):
        kinds = hand_kinds(state, int(state["seat"]))
        if len(kinds) == 1 or PLAYS - state["plays"] > endgame.EXACT_PLAYS:
            continue
        games = records(state.reshape(1))
        sums, values = np.zeros(6), np.zeros(6)
        average_plays(games, 0, sums)
        ids = np.array(kinds, np.int32)
        rate_quickly(games, 0, ids, len(kinds), np.empty(NUM_TERMS), values)
        engine.set_state(state.reshape(1))
        choice = kinds.index(int(engine.choose(np.full(1, EXPERT, np.int8))[0]))
        both = (sums + expert.SECOND_THOUGHT * values)[: len(kinds)]
        assert both[choice] == max(both)
        otherwise += choice != np.argmax(values[: len(kinds)])
    assert otherwise > 2


def test_who_takes_what_it_can_has_none_of_what_it_let_lie() -> None:
    """R3.2: in games of `greedy`, no seat holds a rank that it let lie in this deal."""
    engine = engine_for({"num_rounds": 1}, 40, outputs=())
    engine.reset(seed=5)
    known = 0
    while not engine.over.all():
        for index in range(40):
            for seat in SEATS:
                denied = int(denied_cards(engine._records, index, seat))
                assert not denied & int(engine.games["hand"][index, seat])
                piles = let_lie(engine.games[index])[seat]
                assert {card[0] for card in names(denied)} == {pile[-1][0] for pile in piles}
                known += denied != 0
        engine.step(engine.choose(np.full(40, 1, np.int8)))
    assert known > 2000


@pytest.mark.parametrize("variation", range(len(RULES)))
def test_odds_are_those_of_counted_deals(variation: int) -> None:
    """The chance that a seat holds a rank, over all hands that it can have."""
    checked = 0
    for state in states(variation)[::3]:
        if not 30 <= state["plays"] < 46:
            continue
        deals = possible_hands(state) if state["plays"] >= 37 else []
        seat = int(state["seat"])
        for other in set(SEATS) - {seat}:
            denied = {pile[-1][0] for pile in let_lie(state)[other]}
            hands = [deal[other] for deal in deals]
            hands = [hand for hand in hands if not denied & {card[0] for card in hand}]
            for rank in "A27TJK" if hands else "":
                share = np.mean([any(card[0] == rank for card in hand) for hand in hands])
                found = rank_chance(records(state.reshape(1)), 0, seat, other, cards_of(rank))
                assert found == pytest.approx(share, abs=1e-9)
                checked += 0 < share < 1
    assert checked > 30
