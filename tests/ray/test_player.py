"""The player of a policy that was trained with RLlib; it needs torch and no Ray."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from xabitha_env.contrib.rllib_player import (
    MaskedPolicy,
    Player,
    Saved,
    Sizes,
    load_policy,
    save_policy,
)
from xabitha_env.games import GAMES, make_engine
from xabitha_env.players import load_player, opinion_of
from xabitha_env.players.base import view_of
from xabitha_env.record import record_matches

ALL = np.arange(3)
NAME = "xabitha_env.contrib.rllib_player:Player"


def policy(game, width=4, seed=0):
    engine = make_engine(game)
    torch.manual_seed(seed)
    return MaskedPolicy(Sizes(engine.features.size, engine.actions.size, width))


@pytest.fixture(params=GAMES)
def saved(request, tmp_path):
    """The game and a file with a policy for it."""
    path = tmp_path / "some.rllib"
    save_policy(path, request.param, policy(request.param), {"decisions": 3})
    return request.param, path


def engine_of(game):
    engine = make_engine(game, len(ALL))
    engine.reset(seed=3)
    return engine


def test_a_file_holds_the_policy(saved):
    game, path = saved
    found = load_policy(path)
    assert (found.game, found.info) == (game, {"decisions": 3})
    wanted = policy(game).state_dict()
    assert all(torch.equal(one, wanted[name]) for name, one in found.policy.state_dict().items())


def test_it_plays_the_likeliest_legal_action(saved):
    game, path = saved
    player, engine = Player(path), engine_of(game)
    player.reset(engine, 0)
    view = view_of(engine, ALL)
    scores = player.saved.policy.layers(torch.from_numpy(view.observation).float())
    wanted = np.where(view.mask, scores.detach().numpy(), -np.inf).argmax(1)
    assert player.act(view).tolist() == wanted.tolist()
    opinion = opinion_of(engine, 1, Player(path))
    assert opinion.choice == wanted[1] and opinion.values.sum() == pytest.approx(1)
    assert opinion.actions.tolist() == np.flatnonzero(view.mask[1]).tolist()


def test_sampled_actions_follow_the_seed_and_can_go_on(saved):
    game, path = saved
    one, two, engine = Player(path, sampled=1), Player(path, sampled=1), engine_of(game)
    view = view_of(engine, ALL)
    for player in (one, two):
        player.reset(engine, 5)
    first = [one.act(view).tolist() for _ in range(20)]
    assert first == [two.act(view).tolist() for _ in range(20)]
    assert len({tuple(drawn) for drawn in first}) > 1
    state, next_one = one.get_state(), one.act(view).tolist()
    two.reset(engine, 6)
    two.set_state(state)
    assert two.act(view).tolist() == next_one
    assert Player(path).get_state() is None
    for wrong in (None, {}):
        with pytest.raises(ValueError, match="has no such state"):
            one.set_state(wrong)


def test_a_player_is_named_by_module_or_by_its_file(saved):
    game, path = saved
    for name in (f"{NAME}?path={path}", f"{path}?sampled=1"):
        assert load_player(name, game).name == "some"
        (record,) = record_matches([name], [1], game=game, rules={"num_rounds": 1})
        assert record["result"] is not None


def test_another_game_is_told(saved):
    game, path = saved
    (other,) = set(GAMES) - {game}
    with pytest.raises(ValueError, match=f"plays {game}, not {other}"):
        load_player(path, other)
    with pytest.raises(ValueError, match=f"was made for {game} with"):
        Player(path).reset(make_engine(other), 0)
    with pytest.raises(ValueError, match="with or without the derived sections"):
        Player(path).reset(make_engine("xabitha", derived=False), 0)


def test_a_policy_can_be_a_player_without_a_file():
    player = Player(Saved("xeri", policy("xeri"), {}))
    (record,) = record_matches([player], [1], game="xeri", rules={"num_rounds": 1})
    assert record["result"] is not None


def test_a_file_that_is_none_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="no policy .*none.rllib': there is no such file"):
        load_policy(tmp_path / "none.rllib")
    path = tmp_path / "wrong.rllib"
    path.write_bytes(b"PK no")
    with pytest.raises(ValueError, match="holds no policy of train.rllib_ppo"):
        load_policy(path)
    torch.save({"format": 7, "game": "xeri"}, path)
    with pytest.raises(ValueError, match="its format is 7"):
        load_policy(path)
