"""Both games in OpenSpiel; skipped where that is not installed."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import test_utils  # noqa: E402
from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402

from xabitha_env import make_engine, make_rules  # noqa: E402
from xabitha_env.contrib import openspiel  # noqa: E402
from xabitha_env.contrib.openspiel.table import MOST_LENGTH  # noqa: E402

SHORT = {"xabitha": {"num_rounds": 2, "max_turns": 14}, "xeri": {"num_rounds": 2}}
GAMES = list(SHORT)


def load(game: str, seed: int = 5, **parameters: Any) -> Any:
    return pyspiel.load_game(f"python_{game}", {**SHORT[game], "rng_seed": seed, **parameters})


def dealt(game: str, seed: int = 5, **parameters: Any) -> Any:
    state = load(game, seed, **parameters).new_initial_state()
    state.apply_action(0)
    return state


def act(state: Any, rng: np.random.Generator) -> None:
    """Play something; melds and openings rather than discards."""
    texts = {state.action_to_string(action): action for action in state.legal_actions()}
    wanted = [action for text, action in texts.items() if text.startswith(("open", "meld", "add"))]
    state.apply_action(int(rng.choice(wanted or list(texts.values()))))


def walk(game: str, seed: int = 5, **parameters: Any) -> Iterator[Any]:
    """Yield the same state at each decision of a match."""
    state, rng = dealt(game, seed, **parameters), np.random.default_rng(seed)
    while not state.is_terminal():
        yield state
        act(state, rng)
    yield state


@pytest.mark.parametrize("game", GAMES)
def test_openspiel_takes_the_game(game: str) -> None:
    pyspiel.random_sim_test(load(game), num_sims=3, serialize=False, verbose=False)
    state = test_utils.random_playout(load(game).new_initial_state(), seed=1)
    assert state.is_terminal() and state.current_player() == pyspiel.PlayerId.TERMINAL


@pytest.mark.parametrize("game", GAMES)
def test_what_openspiel_is_told(game: str) -> None:
    loaded = load(game)
    engine = make_engine(game, 1)
    kind = loaded.get_type()
    assert kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    assert kind.utility == pyspiel.GameType.Utility.ZERO_SUM and loaded.utility_sum() == 0
    assert loaded.num_players() == 4
    assert loaded.num_distinct_actions() == engine.actions.size
    assert loaded.observation_tensor_shape() == [engine.features.size]
    assert loaded.information_state_tensor_shape() == [engine.features.size]
    assert loaded.max_chance_nodes_in_history() == 1
    fields = make_rules(game).to_dict()
    unbounded = {"target_score", "extended_target_score"}
    assert set(loaded.get_parameters()) == {"rng_seed", *fields} - unbounded
    default = type(loaded)()
    assert default.rules == make_rules(game)


@pytest.mark.parametrize("game", GAMES)
def test_it_is_the_engines_game(game: str) -> None:
    """Legal actions, texts, features, seats and rewards are those of the engine."""
    rules = make_rules(game, SHORT[game])
    twin = make_engine(game, 1, rules=rules)
    total = np.zeros(4)
    state, rng = dealt(game), np.random.default_rng(0)
    twin.set_state(state.engine.get_state())
    while not state.is_terminal():
        seat = state.current_player()
        legal = state.legal_actions()
        assert seat == twin.seats[0] and legal == np.flatnonzero(twin.mask[0]).tolist()
        assert sorted(map(state.action_to_string, legal)) == twin.legal_texts()
        assert all(state.string_to_action(state.action_to_string(one)) == one for one in legal)
        for other in range(4):
            expected = twin.observe(0, other)
            assert (np.array(state.observation_tensor(other)) == expected).all()
            assert (np.array(state.information_state_tensor(other)) == expected).all()
        assert state.observation_string() == twin.render(0, seat)
        action = int(rng.choice(legal))
        state.apply_action(action)
        twin.step([action])
        assert state.rewards() == twin.rewards[0].tolist()
        total += twin.rewards[0]
        assert state.returns() == total.tolist()
    assert twin.over[0]
    first, second = twin.games["totals"][0].tolist()
    lead = (second - first) / 100 if game == "xabitha" else (first - second) / 25
    assert state.returns() == pytest.approx([lead, -lead, lead, -lead])


def test_rules_values_reach_the_table() -> None:
    state = dealt("xabitha", opening_points=63, num_rounds=1)
    assert "opens at 63" in state.observation_string()
    assert state.get_game().rules.num_rounds == 1
    shown = dealt("xeri", show_bottom_card=True)
    assert "bottom_card" in json.loads(shown.story[0])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"num_rounds": 0}, "num_rounds must be a whole number"),
        ({"rng_seed": -2}, "rng_seed must be -1 or a seed"),
    ],
)
def test_bad_values_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game("python_xeri", values)


def test_games_to_a_target_are_no_games_of_openspiel() -> None:
    with pytest.raises(pyspiel.SpielError, match="target_score"):
        pyspiel.load_game("python_xeri", {"target_score": 151})


def test_lengths_fit_openspiel() -> None:
    game = pyspiel.load_game("python_xabitha", {"max_turns": 10**9})
    assert game.max_game_length() == MOST_LENGTH


@pytest.mark.parametrize("game", GAMES)
def test_seeds_choose_the_deals(game: str) -> None:
    one, other = load(game), load(game)
    first, second, third = (
        one.new_initial_state(),
        one.new_initial_state(),
        other.new_initial_state(),
    )
    assert first.is_chance_node() and first.chance_outcomes() == [(0, 1.0)]
    assert first.action_to_string(0) == "deal" and first.information_state_string(2)
    assert not any(first.information_state_tensor(0))
    for state in (first, second, third):
        state.apply_action(0)
    assert str(first) == str(third) != str(second)
    unseeded = [dealt(game, seed=-1) for _ in range(2)]
    assert str(unseeded[0]) != str(unseeded[1])


@pytest.mark.parametrize("game", GAMES)
def test_an_illegal_action_changes_nothing(game: str) -> None:
    state = dealt(game)
    action = next(one for one in range(state.num_distinct_actions())
                  if one not in state.legal_actions())  # fmt: skip
    before = str(state)
    with pytest.raises(ValueError, match="is illegal"):
        state.apply_action(action)
    assert str(state) == before
    with pytest.raises(ValueError, match="not dealt|nothing is dealt"):
        _ = load(game).new_initial_state().table


# Copies.


@pytest.mark.parametrize("game", GAMES)
def test_copies_go_on_alike_and_apart(game: str) -> None:
    for number, state in enumerate(walk(game)):
        if number != 11:
            continue
        text = str(state)
        copies = [
            state.clone(),
            copy.deepcopy(state),
            pickle.loads(pickle.dumps(state)),
            state.get_game().deserialize_state(state.serialize()),
        ]
        for one in copies:
            assert str(one) == text and one.history() == state.history()
            assert one.returns() == state.returns()
            assert isinstance(one, openspiel.TableState)
            test_utils.random_playout(one, seed=3)
        assert len({str(one) for one in copies}) == 1
        assert str(state) == text
        return


@pytest.mark.parametrize("game", GAMES)
def test_a_pickled_game_goes_on_with_the_same_deals(game: str) -> None:
    played = load(game)
    played.new_initial_state().apply_action(0)
    twin = pickle.loads(pickle.dumps(played))
    assert twin.get_parameters() == played.get_parameters()
    states = [one.new_initial_state() for one in (played, twin)]
    for state in states:
        state.apply_action(0)
    assert str(states[0]) == str(states[1])


# Hidden information.


@pytest.mark.parametrize("game", GAMES)
def test_resampled_states_cannot_be_told_apart(game: str) -> None:
    rng, changed = np.random.default_rng(1), 0
    for state in walk(game):
        if state.is_terminal():
            break
        seat = state.current_player()
        other = state.resample_from_infostate(seat, rng.random)
        assert other.current_player() == seat
        assert other.information_state_string() == state.information_state_string()
        assert other.information_state_tensor() == state.information_state_tensor()
        assert other.observation_string() == state.observation_string()
        assert other.legal_actions() == state.legal_actions()
        assert other.returns() == state.returns() and other.history() == []
        changed += str(other) != str(state)
        act(other, rng)  # and can be played on
    assert changed > 20


@pytest.mark.parametrize("game", GAMES)
def test_worlds_depend_on_the_given_number_alone(game: str) -> None:
    state = dealt(game)
    seat = state.current_player()
    numbers = iter([0.3, 0.3, 0.4])
    worlds = [str(state.resample_from_infostate(seat, numbers.__next__)) for _ in range(3)]
    assert worlds[0] == worlds[1] != worlds[2]
    for wrong in ((seat + 1) % 4, -1):
        with pytest.raises(ValueError, match="for the seat to act"):
            state.resample_from_infostate(wrong, lambda: 0.5)


def test_answers_are_secret_until_the_round_is_over() -> None:
    yes, no = dealt("xabitha"), dealt("xabitha")
    seat = yes.current_player()
    yes.apply_action(yes.string_to_action("declare:yes"))
    no.apply_action(no.string_to_action("declare:no"))
    for other in range(4):
        same = yes.information_state_string(other) == no.information_state_string(other)
        assert same == (other != seat)
    assert "Xabitha mode" in yes.information_state_string(seat)
    ends = [json.loads(line) for state in walk("xabitha") if state.is_terminal()
            for line in state.story if "reason" in line]  # fmt: skip
    assert len(ends) == 2 and all(len(end["declared"]) == 4 for end in ends)


def openings() -> Iterator[tuple[Any, Any]]:
    """Yield pairs of states ahead of and after a move while melds are staged."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        state = dealt("xabitha", seed, num_rounds=1, max_turns=40, opening_points=20)
        while not state.is_terminal():
            before = state.clone()
            if state.action_to_string(state.legal_actions()[0]).startswith("declare"):
                state.apply_action(state.string_to_action("declare:no"))
            else:
                act(state, rng)
            if before.engine.games["staged"][0] or state.engine.games["staged"][0]:
                yield before, state


def test_openings_are_told_when_they_are_made() -> None:
    """Melds that are staged are their owner's business (X6.4)."""
    kept = told = 0
    for before, after in openings():
        seat = before.current_player()
        rest = [other for other in range(4) if other != seat]
        if after.engine.games["staged"][0]:
            assert after.story == before.story
            for other in rest:
                told_before, told_after = (
                    one.information_state_string(other) for one in (before, after)
                )
                assert told_before == told_after
            assert "staged" in after.information_state_string(seat)
            kept += 1
        elif after.story[-1].startswith(f"{seat} open meld:"):
            staged = before.information_state_string(seat).splitlines()[-1].partition("staged ")[2]
            melds = " ".join(f"meld:{meld}" for meld in staged.split())
            assert after.story[-1] == f"{seat} open {melds}"
            told += 1
    assert kept > 3 and told > 3


def test_what_is_drawn_is_the_drawers_secret() -> None:
    state = next(state for state in walk("xabitha") if "draw:deck" in state.engine.legal_texts())
    after, seat = state.clone(), state.current_player()
    after.apply_action(after.string_to_action("draw:deck"))
    assert after.story == (*state.story, f"{seat} draw:deck")
    hands = [one.information_state_string(seat).splitlines()[-1].split() for one in (state, after)]
    assert len(hands[1]) == len(hands[0]) + 1


def test_formations_are_told_with_their_cards() -> None:
    run = [f"{rank}S" for rank in "23456789TJ"]
    fours = [f"K{suit}" for suit in "CDHS"]
    pack = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "CDHS"] * 2 + ["JK"] * 2
    for card in (*run, *fours, "QD"):
        pack.remove(card)
    hands = [[pack.pop() for _ in range(count)] for count in (15, 0, 14, 14)]
    hands[1] = [*run, *fours]
    state = dealt("xabitha")
    state.engine.reset(seed=0, deals=[{"starter": 0, "hands": hands, "deck": ["QD", *pack]}])
    for answer in ("no", "yes", "no", "no"):
        state.apply_action(state.string_to_action(f"declare:{answer}"))
    state.apply_action(state.legal_actions()[0])
    state.apply_action(state.string_to_action("draw:deck"))
    state.apply_action(state.string_to_action("formation"))
    assert state.story[-1] == f"1 formation {'-'.join(run)} {'-'.join(fours)}"


def test_observers_show_one_seat() -> None:
    game = load("xeri")
    with pytest.raises(ValueError, match="take no parameters"):
        game.make_py_observer(None, {"depth": 2})
    public = pyspiel.IIGObservationType(
        perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE
    )
    with pytest.raises(ValueError, match="what one seat sees"):
        game.make_py_observer(public)


# Search.


@pytest.mark.parametrize("game", GAMES)
def test_ismcts_plays_a_round(game: str) -> None:
    loaded = load(game, num_rounds=1)
    random = np.random.RandomState(2)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = ismcts.ISMCTSBot(loaded, evaluator, uct_c=2.0, max_simulations=6, random_state=random)
    bot.set_resampler(lambda state, seat: state.resample_from_infostate(seat, random.uniform))
    state, asked = loaded.new_initial_state(), 0
    while not state.is_terminal():
        mine = not state.is_chance_node() and state.current_player() % 2 == 0
        action = bot.step(state) if mine else random.choice(state.legal_actions())
        asked += mine
        assert action in state.legal_actions()
        state.apply_action(int(action))
    assert asked > 10 and sum(state.returns()) == 0


def test_ismcts_resamples_by_itself() -> None:
    state, random = dealt("xeri"), np.random.RandomState(2)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = ismcts.ISMCTSBot(state.get_game(), evaluator, 2.0, 6, random_state=random)
    assert bot.step(state) in state.legal_actions()


def test_without_openspiel_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith("xabitha_env.contrib.openspiel")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ImportError, match=r"xabitha-env\[openspiel\]"):
        __import__("xabitha_env.contrib.openspiel")
