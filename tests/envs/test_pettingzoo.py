"""PettingZoo's own tests, and its registry."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pettingzoo
import pytest

import xabitha_env
from tests.pictures.helpers import use_dummy_display
from xabitha_env import xabitha_v0
from xabitha_env.envs.aec import TableEnv
from xabitha_env.envs.entry import OrderedTableEnv

with warnings.catch_warnings():  # where pygame is installed, they import an environment of old
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.test.state_test import state_test

THIRD_PARTY = pytest.mark.filterwarnings(
    # PettingZoo knows by name the environments whose observations are dictionaries,
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box",
    # and looks at the masks of agents that are done.
    "ignore:Action mask numpy array is all zeros",
)


@THIRD_PARTY
@pytest.mark.parametrize("make", [xabitha_v0.env, xabitha_v0.raw_env])
@pytest.mark.parametrize("options", [{}, {"episode": "round", "derived": False}])
def test_api(make, options):
    api_test(make(**options), num_cycles=2000)


@THIRD_PARTY
def test_api_with_truncation():
    api_test(xabitha_v0.env(max_cycles=40), num_cycles=100)


def test_seed():
    seed_test(xabitha_v0.env, num_cycles=300)


def test_render(monkeypatch):
    use_dummy_display(monkeypatch)
    render_test(xabitha_v0.env, {"ansi": lambda text: "seat 0" in text})


@THIRD_PARTY
@pytest.mark.parametrize("mode", ["human", "rgb_array"])
def test_api_with_pictures(monkeypatch, mode):
    use_dummy_display(monkeypatch)
    env = xabitha_v0.env(render_mode=mode, max_cycles=60)
    api_test(env, num_cycles=150)
    env.close()


def test_state():
    # The last part only asks for reset, state and state_space, which an AEC environment has.
    state_test(xabitha_v0.env(), xabitha_v0.env(), num_cycles=50)


def test_state_after_the_end():
    env = xabitha_v0.env(max_cycles=1)
    env.reset(seed=1)
    env.step(0)
    while env.agents:
        env.step(None)
    assert env.state_space.contains(env.state())


def test_registry():
    env = pettingzoo.make("aec", "xabitha_env/Xabitha-v0", rules={"opening_points": 60})
    assert isinstance(env, OrderedTableEnv)
    assert env.unwrapped.rules.opening_points == 60
    assert str(env) == str(env.unwrapped) == env.metadata["name"] == "xabitha_v0"


def test_signatures():
    of_class = dict(inspect.signature(TableEnv).parameters)
    del of_class["game"], of_class["name"]
    for function in (xabitha_v0.env, xabitha_v0.raw_env):
        shown = inspect.signature(function).parameters
        assert {name: p.default for name, p in shown.items()} == {
            name: p.default for name, p in of_class.items()
        }
        assert "max_cycles" in function.__doc__
        with pytest.raises(TypeError, match="no_such"):
            function(no_such=1)


def test_package_names():
    for name in xabitha_env.__all__:
        assert getattr(xabitha_env, name) is not None
    assert set(xabitha_env.__all__) <= set(dir(xabitha_env))
    with pytest.raises(AttributeError, match="no_such"):
        _ = xabitha_env.no_such


def test_spaces():
    env = xabitha_v0.raw_env()
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert space["observation"].dtype == space["action_mask"].dtype == np.int8
        assert space["action_mask"].shape == (env.action_space(agent).n,)
    with pytest.raises(ValueError, match="player_9"):
        env.action_space("player_9")
