"""When the player `expert` opens and when it waits, and whether it declares (X6, X3.2)."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest

from tests.reference.xabitha import JOKER, best_completion
from tests.xabitha.biased_deals import biased_deal
from tests.xabitha.hidden import rules_of
from tests.xabitha.kernels import from_python, mask_cards, record
from tests.xabitha.walks import SEATS, engine_for, walks
from xabitha_env.cards import card_text
from xabitha_env.xabitha import expert
from xabitha_env.xabitha.actions import DECLARE, DISCARD, MELD, OPEN
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.expert import WEIGHTS
from xabitha_env.xabitha.players import EXPERT
from xabitha_env.xabitha.state import DECLARING, PLAYING

_act = from_python(expert.act)


def weights(**changed: float) -> np.ndarray:
    """The weights with some others, by their names in `expert`."""
    w = WEIGHTS.copy()
    for name, value in changed.items():
        w[getattr(expert, name)] = value
    return w


NO_HOLD = weights(HOLD_TURNS=0)
MANY_CARDS = weights(HOLD_TURNS=0, CARD_WORTH=50, RUN_WORTH=0)
HOLD = weights(HOLD_TURNS=10_000, HOLD_MARGIN=10_000)


@cache
def could_open() -> list[np.ndarray]:
    """States in which the seat to act could begin to stage an opening (X6.4)."""
    found = []
    for engine, _ in walks(range(40, 75), kinds=("near_opening", "sets", "joker_rich", "uniform")):
        game = engine.games[0]
        legal = engine.legal[0, : engine.legal_count[0]]
        closed = game["phase"] == PLAYING and not game["opened"][game["seat"]]
        if closed and game["staged"] == 0 and ((legal >= MELD) & (legal < OPEN)).any():
            found.append(engine.get_state())
    return found


def engine_in(state: np.ndarray) -> XabithaEngine:
    engine: XabithaEngine = engine_for(rules_of(state[0]))
    state = state.copy()
    state["reward"] = 0
    engine.set_state(state)
    return engine


@pytest.mark.parametrize("w", [NO_HOLD, MANY_CARDS], ids=["own weights", "many cards"])
def test_it_opens_unless_it_waits(w: np.ndarray) -> None:
    """X6.1: with every opening that there is; staged melds are always committed (X6.4).

    Also where the melds that it keeps its hand for are not those with the most points.
    """
    assert len(could_open()) > 150
    for state in could_open():
        engine, seat = engine_in(state), int(state["seat"][0])
        moves = []
        while not engine.games["opened"][0, seat]:
            moves.append(int(_act(record(engine.games), w)))
            assert not engine.step([moves[-1]])[0], engine.text(moves[-1])
        assert moves[-1] == OPEN and all(MELD <= move < OPEN for move in moves[:-1])


def test_it_waits_only_while_nobody_is_down() -> None:
    seen: Counter[bool] = Counter()
    for state in could_open():
        waits = int(_act(record(state), HOLD)) >= DISCARD
        assert waits == (not state["opened"][0].any())
        seen[waits] += 1
    assert min(seen.values()) > 20


def test_it_waits_until_a_turn_and_below_a_margin() -> None:
    """The margin is what its best melds have above the bar."""
    checked = 0
    for state in could_open():
        game = state[0]
        seat = int(game["seat"])
        hand = mask_cards(game["hand_one"][seat], game["hand_two"][seat])
        if game["opened"].any() or JOKER in hand or not game["opening_needs_run"]:
            continue
        aces = int(game["ace_high_points"]), int(game["ace_low_points"])
        taken = card_text(int(game["taken"])) if game["taken"] >= 0 else None
        best = best_completion(tuple(sorted(hand.elements())), taken, True, aces)
        assert best is not None
        margin, turn = best - int(game["threshold"][seat]), int(game["turn"])
        for turns, more, waits in ((turn, 1, True), (turn, 0, False), (turn - 1, 1, False)):
            w = weights(HOLD_TURNS=turns, HOLD_MARGIN=margin + more, OPEN_CARD=0, OPEN_JOKER=0)
            assert (int(_act(record(state), w)) >= DISCARD) == waits
        checked += 1
    assert checked > 20


def test_it_declares_with_a_formation_in_hand() -> None:
    """X3.2: with all its cards (X9.1), and not with a hand far from one."""
    formation = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QS".split()
    declared = 0
    for seed in range(30):
        starter, hands, deck = biased_deal(random.Random(seed), "uniform", seed % 4)
        pool = [card for hand in hands for card in hand] + deck
        for card in formation:
            pool.remove(card)
        hands = [pool[14 * at : 14 * at + 14] for at in SEATS]
        hands[1], rest = list(formation), pool[14 * 4 :] + hands[1]
        hands[starter].append(rest.pop())
        engine = engine_for()
        engine.reset(seed=1, deals=[{"starter": starter, "hands": hands, "deck": rest}])
        for _ in SEATS:
            assert engine.games["phase"][0] == DECLARING
            answer = int(engine.choose(np.full(1, EXPERT, np.int8))[0]) - DECLARE
            assert answer == 1 or engine.seats[0] != 1
            declared += answer
            engine.step([DECLARE + answer])
    assert 30 <= declared < 40
