"""What agents think of moves, and that it rests on nothing hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.terminal.driving import go, new_match
from xabitha_env.games import GAMES
from xabitha_env.players import Agent, load_player
from xabitha_env.players.opinion import Opinion, opinion_of
from xabitha_env.terminal.hints import hint_lines
from xabitha_env.terminal.match import Match


def asked(game: str) -> Match:
    """A match in which the person has a choice of cards."""
    match = go(new_match(game, seed=3), until=lambda match: match.my_turn and match.played > 8)
    if game == "xabitha":
        match.choose("draw:deck")
    return match


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("spec", "unit"),
    [
        ("search?worlds=8", "points a round"),
        ("expert", ""),
        ("greedy", ""),
        ("learned", "probability"),
        ("learned?sampled=1", "probability"),
        ("learned+search?worlds=16", "points a round"),
    ],
)
def test_opinions(game, spec, unit):
    pytest.importorskip("torch") if "learned" in spec else None
    match = asked(game)
    agent = load_player(spec, game)
    opinion = match.opinion(agent)
    legal = match.engine.legal[0, : match.engine.legal_count[0]].tolist()
    assert opinion.choice in legal
    assert len(opinion.actions) == len(opinion.values)
    if opinion.actions.size:
        assert opinion.unit == unit
        assert set(opinion.actions.tolist()) <= set(legal) and opinion.choice in opinion.actions
    if unit == "probability":
        assert sorted(opinion.actions.tolist()) == legal and opinion.errors is None
        assert opinion.values.sum() == pytest.approx(1, abs=1e-4)
        assert opinion.choice == opinion.actions[opinion.values.argmax()]
    elif spec.startswith("search"):
        assert opinion.actions.size > 1 and opinion.errors is not None
    lines = hint_lines(match, opinion, spec)
    assert lines[0] == f"{spec}: {match.engine.text(opinion.choice)}"
    assert len(lines) >= (2 if opinion.actions.size else 1)


@pytest.mark.parametrize("option", ["declare=yes", "opening=least"])
def test_players_with_options_give_the_reasons_of_the_player_below(option):
    match = new_match("xabitha", seed=3)
    match = go(match, until=lambda match: match.my_turn)
    found = match.opinion(load_player(f"search?worlds=4&{option}", "xabitha"))
    if option == "declare=yes":
        assert match.engine.text(found.choice) == "declare:yes" and not found.actions.size
    match = go(new_match(seed=3), until=lambda match: match.my_turn and match.played > 8)
    assert match.moves() == ["draw:deck", "draw:fire"]
    assert match.opinion(load_player(f"search?worlds=4&{option}", "xabitha")).actions.size > 1
    assert not match.opinion(load_player(f"greedy?{option}", "xabitha")).actions.size


def test_a_single_legal_move_needs_no_reasons():
    match = go(new_match("xeri"), until=lambda match: len(match.moves()) == 1)
    found = match.opinion(load_player("search?worlds=4", "xeri"))
    assert match.engine.text(found.choice) == match.moves()[0] and not found.actions.size


class Peeping(Agent):
    """A player that looks at all hands."""

    name = "peeping"

    def reset(self, engine: Any, seed: int) -> None:
        self.engine = engine

    def act(self, view: Any) -> Any:
        self.seen = self.engine.scene(0)
        return view.legal[:, 0].astype(np.int64)


@pytest.mark.parametrize("game", GAMES)
def test_a_peeping_agent_sees_only_what_may_be(game):
    """It is shown hands that the seat cannot tell from the true ones."""
    match = asked(game)
    before = match.engine.get_state().tobytes()
    agent = Peeping()
    match.opinion(agent)
    true = match.engine.scene(0)
    assert agent.seen.seats[0] == true.seats[0] and agent.seen.piles[0].count
    assert all(agent.seen.seats[seat].hand != true.seats[seat].hand for seat in (1, 2, 3))
    assert agent.engine.scene(0, 0) == match.engine.scene(0, 0)
    assert match.engine.get_state().tobytes() == before


def test_an_old_style_agent_is_asked_for_its_choice():
    """A class that does not inherit from `Agent` has no opinion."""

    class Plain:
        name = "plain"

        def reset(self, engine: Any, seed: int) -> None:
            pass

        def act(self, view: Any) -> Any:
            return [int(row[0]) for row in view.legal]

    match = asked("xeri")
    plain: Any = Plain()
    assert opinion_of(match.engine, 0, plain) == Opinion(int(match.engine.legal[0, 0]))


def test_what_a_sampled_policy_draws_next_is_part_of_its_state():
    pytest.importorskip("torch")
    match = new_match("xeri", players="learned?sampled=1")
    go(match, until=lambda match: match.played >= 12)
    state = match.table.get_state()
    rest = go(match).record
    again = new_match("xeri", players="learned?sampled=1")
    go(again, until=lambda match: match.played >= 12)
    again.table.set_state(state)
    assert go(again).record == rest
    with pytest.raises(ValueError, match="no such state"):
        load_player("learned", "xeri").set_state({"state": 1})
