"""The policy's scores, and the softmax over the actions of a decision."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from agents.encoding import Encoder, lists_of
from agents.network import Critic, Policy, Shape, log_softmax
from agents.policy import draw, likeliest, log_odds
from tests.agents.helpers import decisions

SHAPE = Shape(16, 8, 4, 4)


def test_log_softmax_is_one_softmax_a_decision():
    torch.manual_seed(0)
    sizes = [1, 4, 2, 30]
    logits = torch.randn(sum(sizes)) * 40
    rows = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes))
    found = log_softmax(logits, rows, len(sizes)).split(sizes)
    for own, part in zip(found, logits.split(sizes)):
        assert torch.allclose(own, part.log_softmax(0), atol=1e-5)


def test_log_softmax_has_its_gradient():
    torch.manual_seed(1)
    logits = torch.randn(5, dtype=torch.float64, requires_grad=True)
    rows = torch.tensor([0, 0, 1, 1, 1])
    assert torch.autograd.gradcheck(lambda given: log_softmax(given, rows, 2), logits)


@pytest.fixture(scope="module")
def seen():
    encoder = Encoder("xabitha")
    return encoder, decisions(encoder, 60)


def test_a_decision_is_scored_alone_as_in_a_batch(seen):
    encoder, inputs = seen
    torch.manual_seed(0)
    policy = Policy(encoder, SHAPE)
    together = log_odds(policy, inputs)
    for row in range(0, inputs.size, 7):
        places, group, _ = inputs.actions_of(np.array([row]))
        lists = lists_of(inputs, np.array([row]), np.arange(encoder.size, dtype=np.int32), False)
        tokens, traits = inputs.tokens[places], inputs.traits[places]
        given = (torch.from_numpy(one) for one in (tokens, traits, group))
        with torch.no_grad():
            alone = policy.score(policy.look(lists), *given)
        wanted = alone.log_softmax(0).numpy()
        assert np.allclose(together[inputs.starts[row] : inputs.starts[row + 1]], wanted, atol=1e-5)


def test_the_critic_sees_what_the_policy_does_not(seen):
    encoder, inputs = seen
    assert (inputs.begins[1:] > inputs.splits).all()
    same, rows = np.arange(encoder.size, dtype=np.int32), np.arange(inputs.size)
    whole = lists_of(inputs, rows, same, True).found
    part = lists_of(inputs, rows, same, False).found
    assert whole.max() >= encoder.seen > part.max()
    with torch.no_grad():
        values = Critic(encoder.size, SHAPE)(lists_of(inputs, rows, same, True))
    assert values.shape == (inputs.size,)


def test_short_factors_change_little(seen):
    """bfloat16 has eight bits; gradients reach the long weights."""
    encoder, inputs = seen
    torch.manual_seed(0)
    policy = Policy(encoder, SHAPE)
    long = log_odds(policy, inputs)
    policy.short = True
    short = log_odds(policy, inputs)
    assert 0 < np.abs(long - short).max() < 0.05
    same = np.arange(encoder.size, dtype=np.int32)
    policy.look(lists_of(inputs, np.arange(inputs.size), same, False)).sum().backward()
    assert policy.second.weight.grad.dtype == torch.float32 and policy.second.weight.grad.any()


def test_the_likeliest_action_is_found():
    odds, starts = np.log(np.array([0.2, 0.5, 0.3, 1.0, 0.4, 0.6])), np.array([0, 3, 4, 6])
    chosen = np.empty(3, np.int64)
    likeliest(odds, starts, chosen)
    assert chosen.tolist() == [1, 3, 5]


def test_actions_are_drawn_by_their_odds():
    shares = np.array([0.2, 0.5, 0.3])
    count = 4000
    odds, starts = np.log(np.tile(shares, count)), np.arange(count + 1) * 3
    chosen = np.empty(count, np.int64)
    draw(odds, starts, np.random.default_rng(0).random(count), chosen)
    counts = np.bincount(chosen - starts[:-1], minlength=3)
    assert np.abs(counts / count - shares).max() < 0.03
    draw(odds, starts, np.full(count, np.nextafter(1.0, 0.0)), chosen)
    assert (chosen - starts[:-1]).max() == 2  # rounding must not lead past the last action
