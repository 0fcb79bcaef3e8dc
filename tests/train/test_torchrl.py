"""The TorchRL example: masks, turns, whose reward is whose, and the script as a whole."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

pytest.importorskip("torch")
with warnings.catch_warnings():  # of the libraries themselves, on import
    warnings.simplefilter("ignore")
    pytest.importorskip("torchrl")
    from train import torchrl_ppo

import torch
from torchrl.envs.utils import check_env_specs

from train.torchrl_ppo import GROUP, SMOKE, Args, SeatToAct, make_actor, make_table, make_tables
from xabitha_env.games import GAMES, make_engine, make_rules
from xabitha_env.players import load_player
from xabitha_env.record import record_matches

STEPS = 150


def smoke(folder, game: str, *options: str) -> dict:
    arguments = ["--smoke", "--quiet", "--game", game, "--out", str(folder), *options]
    assert torchrl_ppo.run(arguments) == 0
    return json.loads((folder / "results.json").read_text())


@pytest.mark.parametrize("game", GAMES)
def test_tables_keep_to_their_specs(game: str) -> None:
    check_env_specs(make_tables(Args(game=game, envs=3)), seed=1)


@pytest.mark.parametrize("game", GAMES)
def test_no_action_of_a_rollout_is_illegal(game: str) -> None:
    """Drawn by TorchRL from the masked spec, and by a policy; over the ends of rounds."""
    torch.manual_seed(0)
    tables = make_tables(Args(game=game, envs=4, partner="greedy", opponents="expert"))
    for policy in (None, make_actor(game, 8)):
        rollout = tables.rollout(40, policy, break_when_any_done=False)
        assert rollout["action_mask"].gather(-1, rollout["action"].unsqueeze(-1)).all()
    if game == "xeri":
        assert rollout["next", "done"].sum() == 4 * 3  # 12 decisions a round


def test_rewards_of_a_learner_are_all_that_fell_on_it() -> None:
    """Also when another seat ends the round; against the tables' own engine."""
    torch.manual_seed(0)
    tables = make_tables(Args(game="xeri", envs=6, partner="greedy"))
    rollout = tables.rollout(12, None, break_when_any_done=False)
    assert rollout["next", "done"][:, -1].all()
    base = tables.base_env.tables
    final = base.engine.rewards[np.arange(6), base.seats]
    assert rollout["next", "reward"].sum(dim=1).squeeze(1).numpy() == pytest.approx(final)
    assert np.abs(final).sum() > 0


@pytest.mark.parametrize("game", GAMES)
def test_turns_of_the_wrapper_are_those_of_the_engine(game: str) -> None:
    """Who is to act, what it may do and sees, and the rewards of all four seats."""
    torch.manual_seed(0)
    table, policy = make_table(game, 5), SeatToAct(make_actor(game, 8))
    begun = table.reset()
    engine = make_engine(game, 1, rules=make_rules(game, {"num_rounds": 1}))
    engine.set_state(table.unwrapped.engine.get_state())
    rollout = table.rollout(STEPS, policy, auto_reset=False, tensordict=begun)
    for step in rollout:
        seats = step[GROUP]
        (seat,) = torch.nonzero(seats["mask"]).flatten().tolist()
        assert seat == engine.seats[0] and not engine.over[0]
        assert (seats["action_mask"][seat].numpy() == (engine.mask[0] != 0)).all()
        seen = seats["observation", "observation"][seat].numpy()
        assert (seen == engine.observation[0]).all()
        assert not engine.step([int(seats["action"][seat])])[0]
        rewards = step["next", GROUP, "reward"].flatten().numpy()
        assert rewards == pytest.approx(engine.rewards[0])
    assert bool(rollout["next", "done"][-1]) == bool(engine.over[0])
    assert game == "xabitha" or len(rollout) == 48


def test_decisions_get_the_rewards_that_came_while_others_acted() -> None:
    torch.manual_seed(2)
    table, policy = make_table("xeri"), SeatToAct(make_actor("xeri", 8))
    table.set_seed(8)
    rollout = table.rollout(2 * 48 + 10, policy, break_when_any_done=False)
    own = torchrl_ppo.own_decisions(rollout)
    assert len(own) == 2 * 48 + 10 - 4  # the last one of each seat is left open
    assert own["action_mask"].gather(-1, own["action"].unsqueeze(-1)).all()
    ends = own["next", "terminated"].squeeze(1)
    assert ends.sum() == 2 * 4 and own["next", "done"].sum() == 3 * 4
    paid = own["next", "reward"].squeeze(1)
    assert (paid[~ends] == 0).all()
    rewards = rollout["next", GROUP, "reward"].squeeze(-1)
    given = [rewards[47], rewards[95]]
    assert paid[ends].view(4, 2).T.numpy() == pytest.approx(torch.stack(given).numpy())
    assert paid.abs().sum() > 0
    acts = rollout[GROUP, "mask"]
    seen = rollout[GROUP, "observation", "observation"]
    start = 0
    for seat in range(4):
        steps = torch.nonzero(acts[:, seat]).flatten()
        count = len(steps) - 1
        chain = own[start : start + count]
        assert torch.equal(chain["observation"], seen[steps[:-1], seat])
        inside = ~chain["next", "terminated"].squeeze(1)
        assert torch.equal(chain["next", "observation"][inside], seen[steps[1:], seat][inside])
        start += count


@pytest.fixture(scope="module", params=[(game, "one") for game in GAMES] + [("xeri", "four")])
def done(request, tmp_path_factory):
    game, seats = request.param
    folder = tmp_path_factory.mktemp(game) / "new" / "folder"
    return game, folder, smoke(folder, game, "--seats", seats)


def test_it_leaves_a_policy_and_its_results(done) -> None:
    game, folder, results = done
    assert {path.name for path in folder.iterdir()} == {"policy.pt", "results.json"}
    assert results["decisions"] >= SMOKE["decisions"]
    assert results["test"]["deals"] == SMOKE["test_deals"]
    player = f"train.torchrl_ppo:Player?path={folder / 'policy.pt'}"
    (record,) = record_matches([player, "random"], [3], game=game, rules={"num_rounds": 1})
    assert record["result"] is not None
    (other,) = set(GAMES) - {game}
    with pytest.raises(ValueError, match=f"the policy plays {game}"):
        load_player(player, other).reset(make_engine(other), 0)


def test_the_same_seed_gives_the_same_policy(tmp_path) -> None:
    for name, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        smoke(tmp_path / name, "xeri", "--seed", seed)
    weights = [torch.load(tmp_path / name / "policy.pt")["weights"] for name in "abc"]
    assert all(torch.equal(weights[0][key], weights[1][key]) for key in weights[0])
    assert not all(torch.equal(weights[0][key], weights[2][key]) for key in weights[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stepps", "1"], "unrecognized arguments: --stepps"),
        (["--game", "whist"], "--game must be xabitha or xeri"),
        (["--seats", "two"], "--seats must be one or four"),
        (["--seed", "999999999"], "--seed must be 0 to"),
        (["--partner", "gredy"], "did you mean 'greedy'"),
    ],
)
def test_a_bad_option_is_one_line(arguments, message, tmp_path, capfd) -> None:
    out = tmp_path / "out"
    assert torchrl_ppo.run(["--smoke", "--out", str(out), *arguments]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith("error: ") and message in printed and printed.count("\n") == 1
    assert not out.exists()
