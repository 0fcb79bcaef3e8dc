"""Players that declare as they are told: `declare=` (X3.2)."""

from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("torch")

from agents import declaring
from agents.declaring import FEATURES, MOST_MISSING, OUTPUTS, describe_declarations, gain_of_yes
from agents.regression import Regression
from tests.xabitha.hidden import resampled
from tests.xabitha.kernels import mask_cards
from tests.xabitha.test_chase import plain_distance
from xabitha_env._jit import records
from xabitha_env.cards import CARD_NAMES, KIND_OF
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import Table, load_player
from xabitha_env.research.formations import near_formation
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.state import DECLARING, STATE

JOKER = CARD_NAMES[-1]


def near_engine(count: int, missing: int | None = None, **rules: int) -> XabithaEngine:
    """Deals in which seat 0, who starts, lacks so many cards of a formation, or any number."""
    rng = random.Random(count)
    deals = [
        near_formation(rng, rng.randrange(7) if missing is None else missing) for _ in range(count)
    ]
    made = make_rules("xabitha", {"num_rounds": 1, **rules})
    engine: XabithaEngine = make_engine("xabitha", count, rules=made)
    engine.reset(0, deals=deals)
    return engine


def described(games: np.ndarray) -> np.ndarray:
    out = np.full((len(games), len(FEATURES)), np.nan, np.float32)
    describe_declarations(records(games), np.arange(len(games)), out)
    return out


def test_what_is_known_of_a_declaration() -> None:
    """X9.1: distances and outs by counting, card by card."""
    engine = near_engine(30)
    told = described(engine.games)
    for game, row in zip(engine.games, told):
        hand = mask_cards(int(game["hand_one"][0]), int(game["hand_two"][0]))
        missing = plain_distance(list(hand.elements()))
        assert row[:MOST_MISSING].tolist() == [missing <= n for n in range(MOST_MISSING)]
        outs = sum(
            2 - hand[card]
            for card in CARD_NAMES
            if card != JOKER and plain_distance([*hand.elements(), card]) < missing
        )
        assert row[FEATURES.index("unseen cards that bring it nearer")] == outs
        assert row[FEATURES.index("jokers")] == hand[JOKER]
        assert row[FEATURES.index("cards above 14")] == 1
        assert row[FEATURES.index("place in the order")] == 0


def test_nothing_hidden_counts() -> None:
    rng = random.Random(5)
    engine = near_engine(20)
    engine.step(np.zeros(20, np.int64))  # seat 0 answers, seat 1 is asked
    for game in engine.games:
        state = np.array([game], STATE)
        assert state["phase"][0] == DECLARING and state["seat"][0] == 1
        others = [resampled(rng, state, 1) for _ in range(4)]
        told = described(np.concatenate([state, *others]))
        assert (told == told[0]).all()


def test_a_seat_that_has_declared_plays_as_chase() -> None:
    """The same rounds as of a compiled player that has declared, whoever the base is."""
    engine, other = near_engine(12), near_engine(12)
    yes = load_player("greedy?declare=yes")
    table = Table(engine, [yes, *[load_player("random")] * 3])
    assert yes.name == "greedy?declare=yes"
    table.reset(0)
    table.play()
    plain = Table(other, [load_player("chase"), *[load_player("random")] * 3])
    plain.reset(0)
    plain.play()
    assert (engine.games["declarations"][:, 0] == 1).all()
    assert (engine.games["totals"] == other.games["totals"]).all()


def test_never_declares() -> None:
    engine = near_engine(12, 0)
    never = load_player("chase?declare=no")
    table = Table(engine, [never] * 4)
    table.reset(0)
    table.play()
    assert (engine.games["declarations"] == 0).all()


def test_learned_acts_on_the_larger_value_under_the_rules() -> None:
    """E[yes] = yes + closed * penalty (X11.3)."""
    estimates = np.array([[0.5, -1.0, 1.0, 0.0], [0.5, 0.0, 0.1, 0.0]], np.float32)
    assert gain_of_yes(estimates, 200).tolist() == pytest.approx([50, -30])
    assert gain_of_yes(estimates, 800).tolist() == pytest.approx([650, 30])


def test_a_regression_in_a_file(tmp_path) -> None:
    """One that declares where the hand holds two jokers at least, found by its path."""
    made = Regression(FEATURES, OUTPUTS, 4)
    with np.errstate(all="ignore"):
        for layer in made.layers:
            if hasattr(layer, "weight"):
                layer.weight.data.zero_()
                layer.bias.data.zero_()
    first, second, last = (layer for layer in made.layers if hasattr(layer, "weight"))
    first.weight.data[0, FEATURES.index("jokers")] = 1.0
    second.weight.data[0, 0] = 1.0
    last.weight.data[declaring.YES, 0] = 1.0
    last.bias.data[declaring.NO] = 1.5
    made.save(tmp_path / "two.pt")
    agent = load_player(f"expert?declare={tmp_path / 'two.pt'}")
    engine = near_engine(60)
    table = Table(engine, [agent] * 4)
    table.reset(0)
    jokers = [
        mask_cards(*map(int, (g["hand_one"][0], g["hand_two"][0])))[JOKER] for g in engine.games
    ]
    table.step()
    declared = engine.games["declared"][:, 0] == 1
    assert declared.tolist() == [count == 2 for count in jokers]
    assert KIND_OF[JOKER] == 52


@pytest.mark.parametrize(
    ("spec", "game", "message"),
    [
        ("expert?declare=maybe", "xabitha", "declare=maybe: it is no, yes, learned or FILE.pt"),
        ("expert?declare=no", "xeri", "declare is an option for xabitha, not for xeri"),
        ("expert?declare=none.pt", "xabitha", "no regression 'none.pt'"),
        ("expert?opening=wide", "xabitha", "opening=wide: it is hold, least"),
        ("expert?opening=hold", "xeri", "opening is an option for xabitha"),
    ],
)
def test_bad_options_are_told(spec: str, game: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_player(spec, game)


def test_other_files_are_refused(tmp_path) -> None:
    Regression(("one",), ("two",), 2).save(tmp_path / "other.pt")
    (tmp_path / "none.pt").write_bytes(b"no regression")
    for name in ("other", "none"):
        with pytest.raises(ValueError, match="holds no such regression"):
            load_player(f"expert?declare={tmp_path / name}.pt")
