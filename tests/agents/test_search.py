"""The search that starts from a policy."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from agents.encoding import Encoder
from agents.network import Policy, Shape
from agents.policy import PolicyAgent, log_odds
from agents.search import MOST_ACTIONS, WORLDS, LearnedSearchAgent
from tests.agents.helpers import engine_of
from xabitha_env.players import Table, draw_worlds, load_player

GAMES = ("xabitha", "xeri")


def policy_of(game):
    encoder = Encoder(game)
    torch.manual_seed(0)
    policy = Policy(encoder, Shape(16, 8, 4, 4))
    with torch.no_grad():
        policy.common.weight[0, encoder.hint] = 3  # near `expert`, so that rounds end
    return policy, encoder


def agent_of(game, **options):
    return LearnedSearchAgent(*policy_of(game), **{"worlds": 16, "depth": 3, **options})


@pytest.fixture(params=GAMES)
def engine(request):
    """Four games in mid-round."""
    made = engine_of(request.param, 4)
    codes = np.full(4, made.player_codes["expert"], np.int8)
    for _ in range(14):
        made.step(np.where(made.over, 0, made.choose(codes)))
    return made


def test_the_policys_choice_comes_first(engine):
    agent = agent_of(engine.game)
    agent.reset(engine, 0)
    for game in range(4):
        verdict = agent.search(game)
        inputs = agent.encoder.encode(engine, np.array([game]))
        odds = log_odds(agent.policy, inputs)
        assert verdict.actions[0] == inputs.actions[odds.argmax()]
        assert len(verdict.actions) <= MOST_ACTIONS
        assert set(verdict.actions) <= set(inputs.actions)


def test_it_searches_where_the_policy_doubts(engine):
    tried = []
    for doubt in (0.0, 0.1, 1.0):
        agent = agent_of(engine.game, doubt=doubt)
        agent.reset(engine, 0)
        tried.append([len(agent.search(game).actions) for game in range(4)])
    every, some, sure = tried
    assert sure == [1] * 4
    assert all(few <= many for few, many in zip(some, every)) and some < every


def test_without_a_clear_gain_it_plays_the_policy(engine):
    agent = agent_of(engine.game, caution=1e9)
    agent.reset(engine, 0)
    player = PolicyAgent(*policy_of(engine.game))
    player.reset(engine, 0)
    for game in range(4):
        verdict = agent.search(game)
        assert verdict.best == verdict.actions[0]


def test_it_sees_no_hidden_cards(engine):
    """In worlds that the seat cannot tell apart its whole verdict is the same."""
    agent = agent_of(engine.game)
    agent.reset(engine, 0)
    for game in range(4):
        own = agent.search(game)
        worlds, _ = draw_worlds(engine, game, 2, seed=game)
        worlds["player_word"] = engine.games["player_word"][game]  # what its own luck is drawn from
        twins = engine_of(engine.game, 2)
        twins.games[:] = worlds
        twins.refresh()
        agent.reset(twins, 0)
        for place in range(2):
            other = agent.search(place)
            assert all(np.array_equal(a, b) for a, b in zip(own, other))
        agent.reset(engine, 0)


def test_its_budget_may_be_worlds_or_time():
    policy, encoder = policy_of("xeri")
    by_default = LearnedSearchAgent(policy, encoder)
    assert (by_default.worlds, by_default.ms) == (WORLDS, None)
    assert LearnedSearchAgent(policy, encoder, worlds=7).worlds == 7
    assert LearnedSearchAgent(policy, encoder, ms=5).ms == 5


def test_the_games_stay_as_they_are(engine):
    agent = agent_of(engine.game)
    agent.reset(engine, 0)
    before = engine.get_state().tobytes()
    agent.search(0)
    assert engine.get_state().tobytes() == before


@pytest.mark.parametrize("game", GAMES)
def test_it_plays_a_round(game):
    engine = engine_of(game, 1)
    agent = agent_of(game, worlds=4, depth=2)
    table = Table(engine, [agent, load_player("greedy")] * 2)
    table.reset(0)
    table.play()
    assert engine.over.all()
