"""Policies in files, and as players."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from agents.checkpoint import load_policy, save_policy, to_bytes
from agents.encoding import Encoder
from agents.network import Policy, Shape
from agents.policy import PolicyAgent
from tests.agents.helpers import engine_of
from xabitha_env.players import Table, load_player

SHAPE = Shape(16, 8, 4, 4)


@pytest.fixture(scope="module")
def encoder():
    return Encoder("xabitha")


@pytest.fixture(scope="module")
def policy(encoder):
    torch.manual_seed(0)
    return Policy(encoder, SHAPE)


@pytest.fixture
def file(tmp_path, encoder, policy):
    path = tmp_path / "mine.pt"
    save_policy(path, policy, encoder, {"seed": 3})
    return path


def played(player, tables, games=None):
    """The actions of a team of the player against `greedy`, by table."""
    engine = engine_of("xabitha", tables)
    if games is not None:
        engine.reset(games)
    table = Table(engine, [player, load_player("greedy")] * 2)
    table.reset(5)
    return [table.step() for _ in range(30)], engine.games["hand_one"].copy()


def test_a_policy_comes_back_as_it_was(file, policy):
    found = load_policy(file)
    assert found.info == {"seed": 3}
    assert found.policy.shape == SHAPE
    for name, weight in policy.state_dict().items():
        assert torch.equal(found.policy.state_dict()[name], weight)


def test_a_file_is_a_player(file, policy, encoder):
    player = load_player(str(file))
    assert player.name == "mine"
    moves, hands = played(player, 3)
    wanted, others = played(PolicyAgent(policy, encoder), 3)
    assert (np.array(moves) == np.array(wanted)).all() and (hands == others).all()


def test_a_match_is_the_same_in_any_batch(policy, encoder):
    _, together = played(PolicyAgent(policy, encoder), 6)
    _, alone = played(PolicyAgent(policy, encoder), 1, [4])
    assert (together[4] == alone[0]).all()


def test_sampled_play_is_its_seeds(file):
    one, two = (played(load_player(f"{file}?sampled=1"), 4)[1] for _ in range(2))
    likeliest = played(load_player(str(file)), 4)[1]
    assert (one == two).all() and (one != likeliest).any()


def test_it_must_be_reset_first(policy, encoder):
    with pytest.raises(RuntimeError, match="needs reset"):
        PolicyAgent(policy, encoder).act(None)


def test_what_is_no_policy_is_named(tmp_path, file, policy, encoder):
    with pytest.raises(ValueError, match=r"no policy .*none.pt': there is no such file"):
        load_player(str(tmp_path / "none.pt"))
    damaged = tmp_path / "damaged.pt"
    damaged.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"damaged.pt' holds no policy"):
        load_player(str(damaged))
    with pytest.raises(ValueError, match=r"plays xabitha, not xeri"):
        load_player(str(file), "xeri")
    with pytest.raises(ValueError, match=r"unexpected keyword argument 'depth'"):
        load_player(f"{file}?depth=2")


def test_other_inputs_are_refused(tmp_path, file):
    content = torch.load(file, weights_only=True)
    content["inputs"] = (1, 2, 3, 4)
    other = tmp_path / "other.pt"
    other.write_bytes(to_bytes(content))
    with pytest.raises(ValueError, match="use the version of the library"):
        load_policy(other)
