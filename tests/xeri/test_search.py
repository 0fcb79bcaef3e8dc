"""The kernels of searching players: candidates, worlds, results to the end of the round."""

from __future__ import annotations

import random
from functools import cache
from math import exp
from typing import Any

import numpy as np
import pytest

from tests.xeri.exhaustive import after, best_lead, names, position_of
from tests.xeri.hidden import resampled
from tests.xeri.kernels import on_game
from tests.xeri.walks import engine_for, sample_states, walks
from xabitha_env._jit import records
from xabitha_env.cards import CARD_NAMES, KIND_OF
from xabitha_env.xeri import expert, search
from xabitha_env.xeri.actions import MAX_LEGAL, PLAYS
from xabitha_env.xeri.endgame import EXACT_PLAYS
from xabitha_env.xeri.players import EXPERT
from xabitha_env.xeri.state import STATE
from xabitha_env.xeri.terms import NUM_TERMS
from xabitha_env.xeri.validate import hand_kinds

RULES = [
    {"num_rounds": 2, "redeal_pile": False},
    {"target_score": 40, "show_bottom_card": True, "dealer_last_card_xeri": False},
]
VARIATIONS = range(len(RULES))
WORTH = {"2C": 1, "TD": 2}  # cards of a rank that counts otherwise (R4.2)
rewind = on_game(search.rewind)
rate_quickly = on_game(expert.rate_quickly)


@cache
def states(variation: int) -> np.ndarray:
    found = sample_states(range(12), 2, RULES[variation])
    return found[~found["over"]]


def one(state: Any) -> np.ndarray:
    """A record as a batch."""
    return np.array([state], STATE)


def words_for(seed: int, count: int) -> np.ndarray:
    return np.random.SeedSequence(seed).generate_state(count, np.uint64) | np.uint64(1)


def candidates_of(state: Any) -> list[int]:
    ids = np.empty(MAX_LEGAL, np.int32)
    count = search.list_candidates(records(one(state)), 0, ids)
    return ids[:count].tolist()


def rolled(
    state: Any,
    plays: list[int],
    words: np.ndarray,
    open_cards: bool = False,
    weighted: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Margins and weights; the game does not change."""
    games = one(state)
    before = games.tobytes()
    margins, weights = np.full((len(words), len(plays)), np.nan), np.full(len(words), np.nan)
    chosen = np.array(plays, np.int64)
    search.roll_out(records(games), 0, chosen, words, open_cards, weighted, margins, weights)
    assert games.tobytes() == before
    assert not np.isnan(margins).any() and not np.isnan(weights).any()
    return margins, weights


# --- candidates -----------------------------------------------------------------------------


def likeness(kind: int) -> tuple[str, int]:
    """Cards with the same are worth the same."""
    name = CARD_NAMES[kind]
    return name[0], WORTH.get(name, 0)


@pytest.mark.interpreted
@pytest.mark.parametrize("variation", VARIATIONS)
def test_candidates(variation: int) -> None:
    """`expert`'s choice first, no two that count alike, nobody left out but those and the worst."""
    engine = engine_for(RULES[variation])
    left_out = alike = 0
    for state in states(variation)[::3]:
        engine.set_state(one(state))
        found = candidates_of(state)
        assert found[0] == engine.choose(np.full(1, EXPERT, np.int8))[0]
        legal = hand_kinds(state, int(state["seat"]))
        assert set(found) <= set(legal)
        kinds = [likeness(kind) for kind in found]
        assert len(set(kinds)) == len(kinds)
        other = {kind for kind in legal if likeness(kind) not in kinds}
        left_out += len(other)
        alike += len(legal) - len(found) - len(other)
        if PLAYS - state["plays"] > EXACT_PLAYS:
            values = dict(zip(legal, values_of(state)))
            assert [values[kind] for kind in found] == sorted(
                (values[kind] for kind in found), reverse=True
            )
            assert all(values[kind] < values[found[0]] - search.HOPELESS for kind in other)
    assert left_out > 5 and alike > 5


def values_of(state: Any) -> list[float]:
    """What `expert` thinks of the legal plays, ascending, apart from the end."""
    ids = np.array(hand_kinds(state, int(state["seat"])), np.int32)
    values = np.empty(len(ids))
    rate_quickly(records(one(state)), 0, ids, len(ids), np.empty(NUM_TERMS), values)
    return values.tolist()


# --- results --------------------------------------------------------------------------------


def test_worlds_do_not_depend_on_what_else_is_asked() -> None:
    """A stream a world: the same results in any order, alone or with others."""
    words = words_for(1, 6)
    for state in states(0)[::6]:
        plays = hand_kinds(state, int(state["seat"]))
        margins, _ = rolled(state, plays, words)
        again, _ = rolled(state, plays[::-1], words[::-1])
        assert (again[::-1, ::-1] == margins).all()
        assert (rolled(state, plays[:1], words[2:3])[0] == margins[2:3, :1]).all()


@pytest.mark.parametrize("variation", VARIATIONS)
def test_results_do_not_depend_on_hidden_cards(variation: int) -> None:
    """Unless they are kept, which is for reports."""
    rng = random.Random(1)
    words = words_for(2, 4)
    kept = 0
    for state in states(variation)[::3]:
        seat = int(state["seat"])
        other = resampled(rng, state.reshape(1), seat)[0]
        plays = hand_kinds(state, seat)
        for weighted in (False, True):
            own, theirs = (rolled(game, plays, words, False, weighted) for game in (state, other))
            assert own[0].tobytes() == theirs[0].tobytes()
            assert own[1].tobytes() == theirs[1].tobytes()
        own, theirs = (rolled(game, plays, words[:1], True) for game in (state, other))
        kept += own[0].tobytes() != theirs[0].tobytes()
    assert kept > 5


@pytest.mark.parametrize("variation", VARIATIONS)
def test_open_cards_near_the_end_are_played_best(variation: int) -> None:
    """With few plays left the result is that of the plain search with the true cards."""
    checked = 0
    for state in states(variation):
        if 1 < PLAYS - int(state["plays"]) <= search.SOLVED_PLAYS + 1:
            seat = int(state["seat"])
            plays = hand_kinds(state, seat)
            margins, _ = rolled(state, plays, words_for(3, 2), open_cards=True)
            wanted = [
                best_lead(after(position_of(state), CARD_NAMES[kind], state), seat % 2, state)
                for kind in plays
            ]
            assert margins.tolist() == [wanted, wanted]
            checked += len(plays) > 1
    assert checked > 4


@pytest.mark.parametrize("variation", VARIATIONS)
def test_a_result_is_that_of_one_round(variation: int) -> None:
    """Rounds before and after, and targets (R5), change nothing."""
    words = words_for(4, 3)
    for state in states(variation)[::5]:
        plays = hand_kinds(state, int(state["seat"]))
        alone = one(state)[0]
        alone["num_rounds"], alone["rounds"], alone["target_score"] = 1, 0, -1
        alone["totals"], alone["round_wins"] = 0, 0
        assert (rolled(state, plays, words)[0] == rolled(alone, plays, words)[0]).all()


def test_the_last_card_is_played_as_it_counts() -> None:
    """Results of plays with one card left in the round are those of the game itself."""
    checked = 0
    for engine, _ in walks(range(6)):
        if engine.games["plays"][0] == PLAYS - 1:
            twin = engine.copy()
            action = int(twin.legal[0, 0])
            team = int(twin.seats[0]) % 2
            margins, _ = rolled(twin.games[0], [action], words_for(5, 1))
            twin.step([action])
            points = twin.round_result()["points"]
            assert margins[0, 0] == points[team] - points[1 - team]
            checked += 1
    assert checked > 6


# --- weights --------------------------------------------------------------------------------


def test_plays_are_undone() -> None:
    """Back to what the game was when a seat last left a card in this deal."""
    undone = refused = 0
    for seed in range(6):
        history: list[np.ndarray] = []
        for engine, _ in walks([seed]):
            state = engine.get_state()
            if not state["plays"][0] % 24:
                history = []
            for seat in set(range(4)) - {int(state["seat"][0])}:
                ago = (int(state["seat"][0]) - seat) % 4
                lies = ago <= len(history) and int(state["pile_count"][0]) >= ago
                past = state.copy()
                card = int(rewind(records(past), 0, seat))
                if not lies:
                    assert card == -1 and (past == state).all()
                    refused += 1
                    continue
                old = history[-ago]
                count = int(old["pile_count"][0])
                for name in ("hand", "played", "seat", "plays", "captured", "pile_count"):
                    assert (past[name] == old[name]).all(), name
                assert (past["pile"][0, :count] == old["pile"][0, :count]).all()
                assert not int(past["played"][0, seat]) >> card & 1
                undone += 1
            history.append(state)
    assert undone > 200 and refused > 200


def test_weights_are_how_likely_the_last_plays_are() -> None:
    """A softmax, but for slips, of what `expert` thinks of the last plays, with the true cards."""
    checked = 0
    for state in states(0):
        wanted = 1.0
        for seat in set(range(4)) - {int(state["seat"])}:
            past = one(state)
            card = int(rewind(records(past), 0, seat))
            if card >= 0:
                kinds = hand_kinds(past[0], seat)
                shares = [exp(value / search.TEMPERATURE) for value in values_of(past[0])]
                chosen = shares[kinds.index(card)] / sum(shares)
                wanted *= search.OTHERWISE / len(kinds) + (1 - search.OTHERWISE) * chosen
                checked += 1
        plays = hand_kinds(state, int(state["seat"]))[:1]
        _, weights = rolled(state, plays, words_for(6, 1), True, True)
        assert weights[0] == pytest.approx(wanted, rel=1e-9)
        assert rolled(state, plays, words_for(6, 1))[1][0] == 1.0
    assert checked > 50


def test_worlds_in_which_a_pile_was_let_lie_are_unlikely() -> None:
    """A seat that let a nine lie upon a nine's pile has none, nearly for certain."""
    first = ["7C 9S 3C 6C 4H 5H", "5C 5D 6D 6H 7H 7S", "8C 5S 2D 2H 2S KC", "8D 8H 8S KD KH KS"]
    hands, pile = [hand.split() for hand in first], "9C QD AD 4C".split()
    stock = [name for name in CARD_NAMES[:52] if name not in [*pile, *" ".join(first).split()]]
    engine = engine_for({"num_rounds": 1})
    engine.reset(seed=1, deals=[{"dealer": 3, "hands": hands, "pile": pile, "stock": stock}])
    for card in "9S 5C 8C".split():  # seat 1 lets the nine lie
        assert not engine.step([engine.parse(f"play:{card}")])[0], card
    words = words_for(7, 2000)
    copies = np.zeros(len(words), STATE)
    search.draw_worlds(
        records(engine.games), 0, False, words, records(copies), np.empty(len(words))
    )
    plays = [KIND_OF["8D"]]
    _, weights = rolled(engine.games[0], plays, words, False, True)
    holds = np.array([any(card[0] == "9" for card in names(m)) for m in copies["hand"][:, 1]])
    assert holds.sum() > 100
    assert weights[holds].mean() < 0.5 * weights[~holds].mean()


# --- decisions ------------------------------------------------------------------------------


def test_every_decision_has_a_stream_of_its_own() -> None:
    """It depends on the stream for players and the number of the decision alone."""
    seen = set()
    rng = random.Random(2)
    for engine, _ in walks([2, 3]):
        state = engine.get_state()
        word = int(search.describe_decision(engine._records, 0))
        assert word != 0 and engine.get_state().tobytes() == state.tobytes()
        other = resampled(rng, state, int(state["seat"][0]))
        assert int(search.describe_decision(records(other), 0)) == word
        other["player_word"] ^= np.uint64(2)
        assert int(search.describe_decision(records(other), 0)) != word
        seen.add(word)
    assert len(seen) == 4 * PLAYS
