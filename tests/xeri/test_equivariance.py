"""Names do not matter: a game with other seats, or with cards that count alike, is the same game.

Seats have no order but the way round the table, suits and ranks none at all (R1.1): hearts and
spades can be exchanged, and so can the ranks that no rule names, 3 to 9.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.xeri.walks import SEATS, engine_for, starts_round, walk, walk_rules
from xabitha_env.cards import CARD_NAMES, KIND_OF, NUM_RANKS, RANKS
from xabitha_env.layout import Block
from xabitha_env.xeri.actions import NUM_CARDS
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.players import COUNTING, EXPERT

DULL = "3456789"

# --- seats ----------------------------------------------------------------------------------


def rotate_deal(head: dict[str, Any]) -> dict[str, Any]:
    """The same deal for the seats one further on."""
    hands = head["deal"]["hands"]
    deal = {**head["deal"], "hands": [hands[-1], *hands[:-1]]}
    return {**head, "dealer": (head["dealer"] + 1) % 4, "deal": deal}


def assert_rotated(engine: XeriEngine, twin: XeriEngine) -> None:
    """The twin is the engine with every seat one further on."""
    assert twin.seats[0] == (engine.seats[0] + 1) % 4
    assert (twin.legal_count, twin.legal.tobytes()) == (engine.legal_count, engine.legal.tobytes())
    assert twin.observation.tobytes() == engine.observation.tobytes()
    assert (np.roll(engine.rewards[0], 1) == twin.rewards[0]).all()
    for seat in SEATS:
        assert (engine.observe(0, seat) == twin.observe(0, (seat + 1) % 4)).all()
    for code in (COUNTING, EXPERT):
        player = np.full(1, code, np.int8)
        assert engine.choose(player) == twin.choose(player)


def assert_rotated_results(engine: XeriEngine, twin: XeriEngine) -> None:
    """What the teams have is exchanged."""
    own, other = engine.round_result(), twin.round_result()
    for name in ("points", "cards", "xeris"):
        assert own[name] == other[name][::-1]
    winner = own["winner"]
    assert other["winner"] == (None if winner is None else 1 - winner)
    for name in ("totals", "round_wins"):
        assert engine.match_result()[name] == twin.match_result()[name][::-1]
    winners = sorted(1 - team for team in engine.match_result()["winners"])
    assert twin.match_result()["winners"] == winners
    assert (engine.rewards[0] == np.roll(twin.rewards[0], -1)).all()


@pytest.mark.parametrize("seed", range(12))
def test_a_rotated_deal_gives_the_rotated_game(seed: int) -> None:
    """R1.1: legal actions, observations, rewards and results, over whole games."""
    twin = engine_for(walk_rules(seed))
    twin.reset(seed=seed)
    for engine, move in walk(seed, walk_rules(seed)):
        if starts_round(engine):
            twin.games["dealer"] = (engine.games["dealer"] + 1) % 4
            twin.set_deal(rotate_deal(engine.deal_record()))
        assert_rotated(engine, twin)
        twin.step([engine.parse(move)])
    assert twin.over[0] == engine.over[0]
    assert_rotated_results(engine, twin)


@pytest.mark.parametrize("rules", [{}, {"show_bottom_card": True}])
def test_a_rotated_first_deal_rotates_the_whole_game(rules: dict[str, Any]) -> None:
    """R1.2, R2.1: the engine's own later deals go round with the dealer."""
    rng = random.Random(4)
    engine, twin = engine_for(rules), engine_for(rules)
    engine.reset(seed=11)
    twin.reset(seed=11, deals=[rotate_deal(engine.deal_record())])
    while not engine.over[0]:
        assert_rotated(engine, twin)
        action = [int(rng.choice(engine.legal[0, : engine.legal_count[0]]))]
        engine.step(action)
        twin.step(action)
    assert_rotated_results(engine, twin)


# --- cards that count alike -----------------------------------------------------------------


def exchange(rng: random.Random) -> dict[str, str]:
    """Other names for cards: hearts and spades exchanged, the ranks 3 to 9 in another order."""
    ranks = dict(zip(DULL, rng.sample(DULL, len(DULL))))
    suits = {"H": "S", "S": "H"}
    return {
        name: ranks.get(name[0], name[0]) + suits.get(name[1], name[1])
        for name in CARD_NAMES[:NUM_CARDS]
    }


def change_deal(head: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    deal = {part: [names[card] for card in head["deal"][part]] for part in ("pile", "stock")}
    deal["hands"] = [[names[card] for card in hand] for hand in head["deal"]["hands"]]
    new = {**head, "deal": deal}
    return {**new, "bottom_card": names[head["bottom_card"]]} if "bottom_card" in head else new


def change_features(block: Block, part: np.ndarray, names: dict[str, str]) -> np.ndarray:
    """What a section of an observation is with the cards changed."""
    if block.shape[-1] == NUM_CARDS:
        old = part.reshape(-1, NUM_CARDS)
        new = old.copy()
        new[:, [KIND_OF[name] for name in names.values()]] = old
        return new.ravel()
    if block.shape[0] == NUM_RANKS:
        old = part.reshape(NUM_RANKS, -1)
        new = old.copy()
        new[[RANKS.index(names[rank + "C"][0]) for rank in RANKS]] = old
        return new.ravel()
    return part


def assert_changed(engine: XeriEngine, twin: XeriEngine, names: dict[str, str]) -> None:
    """The twin is the engine with the cards changed."""
    legal = sorted(f"play:{names[move[5:]]}" for move in engine.legal_texts())
    assert twin.legal_texts() == legal
    for seat in SEATS:
        own, other = engine.observe(0, seat), twin.observe(0, seat)
        for block in engine.features:
            place = engine.features.slice(block.name)
            assert (change_features(block, own[place], names) == other[place]).all(), block.name
    assert (engine.rewards == twin.rewards).all()


@pytest.mark.parametrize("seed", range(8))
def test_cards_that_count_alike_give_the_same_game(seed: int) -> None:
    """R1.1: moves and observations change their cards, results are the same."""
    names = exchange(random.Random(seed))
    twin = engine_for(walk_rules(seed))
    twin.reset(seed=seed)
    for engine, move in walk(seed, walk_rules(seed)):
        if starts_round(engine):
            twin.set_deal(change_deal(engine.deal_record(), names))
        assert_changed(engine, twin, names)
        twin.step([twin.parse(f"play:{names[move[5:]]}")])
    assert twin.over[0] == engine.over[0]
    assert engine.round_result() == twin.round_result()
    assert engine.match_result() == twin.match_result()
