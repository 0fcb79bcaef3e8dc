"""Cut-down Xeri: its rules beside the other engines, and what OpenSpiel does with it."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import exploitability  # noqa: E402
from open_spiel.python.policy import UniformRandomPolicy  # noqa: E402

from tests.reference import xeri as reference  # noqa: E402
from train import openspiel_solve as solving  # noqa: E402
from xabitha_env import make_engine  # noqa: E402
from xabitha_env.contrib.openspiel.small import (  # noqa: E402
    Round,
    SmallRules,
    final_points,
    kind_of,
    play,
)

TINY = {"ranks": "AJ", "suits": 3, "hand_cards": 2}
FOUR = {"seats": 4, "ranks": "AJ", "hand_cards": 2, "pile_cards": 0}
TWOS = {"ranks": "2TJ", "suits": 3, "hand_cards": 2, "pile_cards": 2}
PACKS = [TINY, FOUR, TWOS]


def load(**rules: Any) -> Any:
    return pyspiel.load_game("python_small_xeri", rules)


def hand_of(cards: list[str]) -> tuple[str, ...]:
    return tuple(sorted(map(kind_of, cards)))


# Rules.


@pytest.mark.parametrize("seats", [2, 4])
def test_it_plays_as_the_reference_does(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any cards, to the end of a deal: captures, xeris and the points (R3, R4)."""
    monkeypatch.setattr(reference, "deal_error", lambda *deal: None)
    monkeypatch.setattr(reference, "clockwise", lambda seat: (seat + 1) % seats)
    rng = np.random.default_rng(seats)
    captures = xeris = 0
    for _ in range(150):
        ranks = "".join(rng.choice(list("A2359TJQK"), 4, replace=False))
        rules = SmallRules(
            seats=seats, ranks=ranks, hand_cards=3, pile_cards=int(rng.integers(0, 4))
        )
        cards = [rank + suit for rank in ranks for suit in "CDHS"]
        rng.shuffle(cards)
        hands = [[cards.pop() for _ in range(3)] for _ in range(seats)]
        pile = [cards.pop() for _ in range(rules.pile_cards)]
        theirs = reference.Round({}, seats - 1, hands, pile, [])
        ours = Round(tuple(map(hand_of, hands)), tuple(map(kind_of, pile)))
        while not theirs.over:
            assert ours.seat == theirs.seat and not ours.over
            move = str(rng.choice(theirs.legal()))
            event = theirs.play(move)
            before = ours
            ours = play(rules, ours, kind_of(move.removeprefix("play:")))
            taken = sum(ours.cards) - sum(before.cards)
            assert taken == event.get("captured", 0)
            assert ours.pile == (tuple(map(kind_of, theirs.pile)) if not theirs.over else ours.pile)
            captures += bool(taken)
            xeris += "xeri" in event
        assert ours.over and theirs.result is not None
        assert list(final_points(ours)) == theirs.result["points"]
    assert captures > 100 and xeris > 20


def test_it_plays_as_the_engine_does() -> None:
    """The first deal of whole rounds: captures, points and what lies on the table."""
    engine = make_engine("xeri", 1)
    rules = SmallRules(4, "A23456789TJQK", hand_cards=6, pile_cards=4)
    rng = np.random.default_rng(0)
    for seed in range(20):
        engine.reset(seed=seed)
        head = engine.deal_record()
        first = (head["dealer"] + 1) % 4
        hands = [head["deal"]["hands"][(first + place) % 4] for place in range(4)]
        ours = Round(tuple(map(hand_of, hands)), tuple(map(kind_of, head["deal"]["pile"])))
        while not ours.over:
            move = str(rng.choice(engine.legal_texts()))
            before = engine.get_state()
            engine.step([engine.parse(move)])
            event = engine.event_record(before, engine.parse(move))
            old = ours
            ours = play(rules, ours, kind_of(move.removeprefix("play:")))
            assert sum(ours.cards) - sum(old.cards) == event.get("captured", 0)
            by_team = [int(mask).bit_count() for mask in engine.games["captured"][0]]
            assert by_team == [ours.cards[(team + first) % 2] for team in range(2)]
        standing = [int(mask) for mask in engine.games["pile"][0, : len(ours.pile)]]
        assert len(standing) == int(engine.games["pile_count"][0])
        points = engine.standing()
        most = [3 * (ours.cards[team] > ours.cards[1 - team]) for team in range(2)]
        expected = [ours.points[(team + first) % 2] + most[(team + first) % 2] for team in range(2)]
        assert list(points) == expected


def test_cards_that_bring_a_point_of_their_own() -> None:
    assert SmallRules(ranks="2T").pack == {"2": 3, "2C": 1, "T": 3, "TD": 1}
    assert SmallRules(ranks="2T", suits=1, hand_cards=1, pile_cards=0).pack == {"2C": 1, "T": 1}


def test_a_card_that_is_not_in_hand_is_refused() -> None:
    with pytest.raises(ValueError, match=r"play:5 is illegal \(R6\)"):
        play(SmallRules(), Round((("A",), ("5",)), ("9",)), "5")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seats": 3}, "2 or 4 seats, not 3"),
        ({"ranks": "AA"}, "different ones of"),
        ({"ranks": "X"}, "different ones of"),
        ({"ranks": ""}, "different ones of"),
        ({"suits": 5}, "suits must be 1 to 4, not 5"),
        ({"hand_cards": 0}, "hand_cards must be at least 1"),
        ({"pile_cards": -1}, "pile_cards at least 0"),
        ({"hand_cards": 9}, "19 cards are dealt, but the pack has 16"),
        ({"xeri_points": -1}, "must be at least 0"),
    ],
)
def test_bad_values_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load(**values)


# The game of OpenSpiel.


@pytest.mark.parametrize("rules", [{}, *PACKS])
def test_openspiel_takes_the_game(rules: dict[str, Any]) -> None:
    game = load(**rules)
    pyspiel.random_sim_test(game, num_sims=4, serialize=True, verbose=False)
    assert game.max_chance_nodes_in_history() == game.num_players() + 1


@pytest.mark.parametrize("rules", [TINY, FOUR, {**TWOS, "suits": 2, "hand_cards": 1}])
def test_deals_come_up_as_often_as_by_shuffling(rules: dict[str, Any]) -> None:
    """Every order of the pack is as likely; the pile is dealt anew where it must be (R2.2)."""
    small = SmallRules(**rules)
    expected: Counter[Any] = Counter()
    for order in permutations(small.pack.elements()):
        starts = range(0, small.plays, small.hand_cards)
        hands = tuple(tuple(sorted(order[at : at + small.hand_cards])) for at in starts)
        piles = list(permutations(order[small.plays :], small.pile_cards))
        lying = [pile for pile in piles if small.may_lie(pile)] or piles
        for pile in lying:
            expected[hands, pile] += 1 / len(lying)
    found: Counter[Any] = Counter()

    def deal(state: Any, chance: float) -> None:
        if not state.is_chance_node():
            found[tuple(tuple(sorted(hand)) for hand in state.hands), state.dealt_pile] += chance
            return
        for outcome, probability in state.chance_outcomes():
            deal(state.child(outcome), chance * probability)

    deal(load(**rules).new_initial_state(), 1.0)
    orders = sum(expected.values())
    assert dict(found) == pytest.approx({one: count / orders for one, count in expected.items()})


@pytest.mark.parametrize("rules", PACKS)
def test_information_states_are_what_a_seat_knows(rules: dict[str, Any]) -> None:
    """In the whole tree: same string, same tensor, same choices, and the same own past."""
    known: dict[str, Any] = {}
    hidden: dict[str, set[Any]] = {}

    def walk(state: Any, past: tuple[Any, ...]) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for outcome in state.legal_actions():
                walk(state.child(outcome), past)
            return
        seat = state.current_player()
        key = state.information_state_string()
        own = past[seat]
        now = (seat, state.legal_actions(), state.information_state_tensor(), own)
        assert known.setdefault(key, now) == now
        others = tuple(state.hand(other) for other in range(state.num_players()) if other != seat)
        hidden.setdefault(key, set()).add(others)
        for action in state.legal_actions():
            then = (*past[:seat], (*own, key, action), *past[seat + 1 :])
            walk(state.child(action), then)

    game = load(**rules)
    walk(game.new_initial_state(), ((),) * game.num_players())
    tensors = {tuple(tensor) for _, _, tensor, _ in known.values()}
    assert len(tensors) == len(known)
    assert max(map(len, hidden.values())) > 1


def test_what_lies_open() -> None:
    state = load(ranks="A5J", hand_cards=2).new_initial_state()
    for text in ("seat 0 A J", "seat 1 5 5", "pile 5"):
        state.apply_action(state.string_to_action(text))
    assert state.information_state_string(0) == "seat 0: A J | pile 5 | "
    assert state.observation_string(1) == "seat 1: 5 5 | pile 5 | captured 0 : 0"
    for move in ("play:J", "play:5", "play:A"):
        state.apply_action(state.string_to_action(move))
    assert state.information_state_string(1) == "seat 1: 5 | pile 5 | J 5 A"
    assert state.observation_string(1) == "seat 1: 5 | pile 5 A | captured 2 : 0"
    top = np.array(state.observation_tensor(1))
    assert top.sum() == 1 + 1 + 1 + 2 + 2  # seat, hand, top card, two in the pile, two captured
    assert state.returns() == [0, 0]
    state.apply_action(state.string_to_action("play:5"))
    assert state.is_terminal() and state.returns() == [1 + 1 + 3, -5]  # jack, ace, most cards
    assert "5 A" not in str(load().new_initial_state())


# Solving.


@pytest.mark.parametrize("rules", [TINY, FOUR])
def test_measures_are_those_of_openspiel(rules: dict[str, Any]) -> None:
    game = load(**rules)
    expected = exploitability.nash_conv(game, UniformRandomPolicy(game), False)
    cached = solving.small_game(**rules)
    states = solving.decisions(cached)
    even = solving.tabulate(
        states, lambda state: dict.fromkeys(state.legal_actions(), 1 / len(state.legal_actions()))
    )
    found = solving.measure(cached, even)
    assert found.nash_conv == pytest.approx(expected.nash_conv)
    assert found.improvements == pytest.approx(list(expected.player_improvements))
    assert sum(found.values) == pytest.approx(0)


@pytest.mark.parametrize("method", solving.METHODS)
def test_solvers_get_close_to_an_equilibrium(method: str) -> None:
    game = solving.small_game(**TINY)
    solver = solving.make_solver(game, method, seed=1)
    first, *_, last = solving.solve(game, solver, 3000, 3)
    assert first.iterations == 3 and last.iterations == 3000
    assert last.nash_conv < 0.1 < first.nash_conv
    copied = solving.tabulate(solving.decisions(game), solver.average_policy().action_probabilities)
    assert solving.measure(game, copied).nash_conv == pytest.approx(last.nash_conv)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert solving.run(["--smoke", "--out", str(out)]) == 0
    told = json.loads((out / solving.FILE).read_text())
    assert [one["iterations"] for one in told["measures"]] == [1, 17, 300]
    assert told["measures"][-1]["nash_conv"] < told["measures"][0]["nash_conv"]
    assert "NashConv" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--seats", "3"], ["--method", "all"], ["--iterations", "0"], ["--ranks", ""]]
)
def test_the_command_refuses(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert solving.run(["--smoke", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and said.count("\n") == 1


def test_stops() -> None:
    assert solving.stops(100_000, 3) == [100, 3162, 100_000]
    assert solving.stops(1, 5) == [1]
    assert solving.stops(10, 1) == [1, 10]
