"""Sparse layers against dense ones."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from agents.sparse import Lists, SparseLinear, gather, list_active

INPUTS, SPLIT, UNITS = 40, 24, 5


@pytest.fixture
def dense():
    seen = np.random.default_rng(0).random((30, INPUTS)) < 0.2
    seen[3] = False
    seen[4, SPLIT:] = False
    return seen.astype(np.int8)


def listed(dense, inputs=None):
    numbers = np.arange(INPUTS, dtype=np.int32) if inputs is None else inputs
    found = np.full(dense.size, -7, np.int32)
    begins, splits = np.empty(len(dense) + 1, np.int64), np.empty(len(dense), np.int64)
    count = list_active(dense, numbers, SPLIT, found, begins, splits)
    return found[:count], begins, splits


def test_lists_name_the_active_features(dense):
    found, begins, splits = listed(dense)
    for row, own in enumerate(dense):
        assert found[begins[row] : begins[row + 1]].tolist() == np.flatnonzero(own).tolist()
        assert found[begins[row] : splits[row]].tolist() == np.flatnonzero(own[:SPLIT]).tolist()
    assert begins[-1] == len(found) == dense.sum()


def test_features_can_be_renumbered_or_left_out(dense):
    inputs = np.arange(INPUTS, dtype=np.int32)[::-1].copy()
    inputs[[2, 30]] = -1
    found, begins, splits = listed(dense, inputs)
    for row, own in enumerate(dense):
        kept = [INPUTS - 1 - place for place in np.flatnonzero(own) if place not in (2, 30)]
        assert found[begins[row] : begins[row + 1]].tolist() == kept
        early = [place for place in np.flatnonzero(own[:SPLIT]) if place != 2]
        assert splits[row] - begins[row] == len(early)


@pytest.fixture
def related(dense):
    """Rows of which most are much like the one before, and which those are."""
    random = np.random.default_rng(2)
    follows = random.random(len(dense)) < 0.7
    follows[0] = False
    for row in np.flatnonzero(follows):
        dense[row] = dense[row - 1] ^ (random.random(INPUTS) < 0.05)
    return dense, follows


def gathered(dense, rows, follows, renamed):
    found, begins, _ = listed(dense)
    out, places = np.empty(2 * dense.size, np.int32), np.empty(len(rows) + 1, np.int64)
    gather(found, begins[:-1], begins[1:], rows, follows, renamed, out, places)
    return Lists(out[: places[-1]], places, follows)


def test_gather_copies_rows_renamed(dense):
    renamed = np.random.default_rng(1).permutation(INPUTS).astype(np.int32)
    rows = np.array([4, 0, 3, 4, 29])
    lists = gathered(dense, rows, np.zeros(5, np.bool_), renamed)
    for place, row in enumerate(rows):
        own = lists.found[lists.begins[place] : lists.begins[place + 1]]
        assert own.tolist() == renamed[np.flatnonzero(dense[row])].tolist()


def test_gather_lists_changes_where_a_row_follows(related):
    dense, follows = related
    renamed = np.random.default_rng(1).permutation(INPUTS).astype(np.int32)
    found, begins, _ = gathered(dense, np.arange(len(dense)), follows, renamed)
    for row in np.flatnonzero(follows):
        change = dense[row] - dense[row - 1]
        own = found[begins[row] : begins[row + 1]]
        assert sorted(own[own >= 0]) == sorted(renamed[change == 1])
        assert sorted(~own[own < 0]) == sorted(renamed[change == -1])
    assert len(found) < dense.sum() and (found < 0).any()


@pytest.mark.parametrize("copies", [1, 20])
def test_the_layer_is_a_linear_one(related, copies):
    """Also with more rows than go into a block, and whichever of them follow on others."""
    dense, follows = (np.concatenate([one] * copies) for one in related)
    torch.manual_seed(0)
    layer = SparseLinear(INPUTS, UNITS, 8)
    weight = layer.weight.detach().clone().requires_grad_()
    bias = layer.bias.detach().clone().requires_grad_()
    same = np.arange(INPUTS, dtype=np.int32)
    push = torch.randn(len(dense), UNITS)
    out = layer(gathered(dense, np.arange(len(dense)), follows, same))
    wanted = torch.from_numpy(dense).float() @ weight + bias
    assert torch.allclose(out, wanted, atol=1e-5)
    (out * push).sum().backward()
    (wanted * push).sum().backward()
    assert torch.allclose(layer.weight.grad, weight.grad, atol=1e-4)
    assert torch.allclose(layer.bias.grad, bias.grad, atol=1e-4)
    assert weight.grad.abs().max() > 0
