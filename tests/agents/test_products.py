"""Products of keys and queries against the same by plain torch."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from agents.products import LANES, Products

DECISIONS, ACTIONS, TOKENS = 5, 40, 7


@pytest.mark.parametrize(("token", "hidden", "traits"), [(3, 5, 2), (LANES, 2 * LANES, 19)])
def test_products_and_their_gradients(token, hidden, traits):
    torch.manual_seed(0)
    rows = torch.sort(torch.randint(DECISIONS, (ACTIONS,))).values
    tokens = torch.randint(TOKENS, (ACTIONS,))
    given = [
        torch.randn(DECISIONS, token + hidden + traits),
        torch.randn(TOKENS, token),
        torch.randn(ACTIONS, hidden),
    ]
    known, push = torch.randn(ACTIONS, traits), torch.randn(ACTIONS)
    own = [one.clone().requires_grad_() for one in given]
    plain = [one.clone().requires_grad_() for one in given]
    found = Products.apply(*own, known, tokens, rows)
    keys = torch.cat([plain[1][tokens], plain[2], known], dim=1)
    wanted = (plain[0][rows] * keys).sum(dim=1)
    assert torch.allclose(found, wanted, atol=1e-5)
    (found * push).sum().backward()
    (wanted * push).sum().backward()
    for one, other in zip(own, plain):
        assert torch.allclose(one.grad, other.grad, atol=1e-5)
        assert one.grad.abs().max() > 0
