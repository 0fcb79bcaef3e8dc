"""The one-file PPO over PettingZoo: masks, whose reward is whose, and the script as a whole."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from train import cleanrl_pettingzoo
from train.cleanrl_pettingzoo import SMOKE, Args, Closed, Decision, Network, Tables, advantages
from train.running import MOST_SEED
from xabitha_env.envs.aec import AGENTS
from xabitha_env.evaluation.deals import LISTS
from xabitha_env.games import GAMES, make_engine, make_rules
from xabitha_env.players import load_player
from xabitha_env.record import record_matches


def smoke(folder, game: str, *options: str) -> dict:
    arguments = ["--smoke", "--quiet", "--game", game, "--out", str(folder), *options]
    assert cleanrl_pettingzoo.run(arguments) == 0
    return json.loads((folder / "results.json").read_text())


def play_greedily(tables: Tables, count: int) -> list:
    """Let `greedy` play; the value of a decision is its number at its table."""
    done, asked = [], []
    for number in range(count):
        seen = tables.look()
        codes = [env.unwrapped.engine.player_codes["greedy"] for env in tables.envs]
        actions = [
            int(env.unwrapped.engine.choose(np.array([code], np.int8))[0])
            for env, code in zip(tables.envs, codes)
        ]
        assert all(view["action_mask"][action] for (_, view, _), action in zip(seen, actions))
        tables.act(seen, actions, [-1.0] * len(seen), [float(number)] * len(seen))
        asked.append([seat for seat, *_ in seen])
        done.append(actions)
    return [asked, done]


@pytest.mark.parametrize("game", GAMES)
def test_a_reward_belongs_to_the_last_decision_before_it(game: str) -> None:
    """Each seat's, whoever ended the round; against the engine's own rewards."""
    tables = Tables([cleanrl_pettingzoo.AEC[game](episode="round")], 5)
    engine = make_engine(game, 1, rules=make_rules(game, {"num_rounds": 1}))
    engine.reset(5)
    steps = 0
    twin = engine.copy()
    while not twin.over[0]:
        twin.step(twin.choose(np.array([twin.player_codes["greedy"]], np.int8)))
        steps += 1
    asked, actions = play_greedily(tables, steps + 1)
    whose: dict[int, list[int]] = {seat: [] for seat in range(4)}
    for number, ((seat,), (action,)) in enumerate(zip(asked[:steps], actions)):
        assert engine.seats[0] == seat
        whose[seat].append(number)
        engine.step([action])
    assert engine.over[0] and np.abs(engine.rewards[0]).sum() > 0
    assert tables.paid == [pytest.approx(engine.rewards[0].tolist())]
    chains = {int(chain[0].decision.value): chain for chain in tables.take()}
    for seat, numbers in whose.items():
        chain = chains[numbers[0]]
        assert [one.decision.value for one in chain] == numbers
        assert [one.reward for one in chain[:-1]] == [0.0] * (len(chain) - 1)
        assert chain[-1].reward == pytest.approx(float(engine.rewards[0, seat]))
        assert [one.over for one in chain] == [False] * (len(chain) - 1) + [True]
        assert [one.bootstrap for one in chain] == [*numbers[1:], 0.0]


def test_open_decisions_wait_for_the_next_update() -> None:
    tables = Tables([cleanrl_pettingzoo.AEC["xeri"](episode="round") for _ in range(3)], 0)
    play_greedily(tables, 6)  # seats 0 to 3 and two of them again
    first = tables.take()
    assert sum(len(chain) for chain in first) == 3 * 2
    assert not any(one.over for chain in first for one in chain)
    play_greedily(tables, 42)
    assert sum(len(chain) for chain in tables.take()) == 3 * (48 - 2 - 4)
    play_greedily(tables, 1)
    last = [one for chain in tables.take() for one in chain]
    assert len(last) == 3 * 4 and all(one.over for one in last)
    assert len(tables.paid) == 3


def test_advantages_by_hand() -> None:
    def closed(value: float, reward: float, over: bool, bootstrap: float) -> Closed:
        nothing = np.zeros(1, np.int8)
        return Closed(Decision(nothing, nothing, 0, 0.0, value), reward, over, bootstrap)

    chain = [
        closed(0.5, 0.0, False, 0.2),
        closed(0.2, 1.0, True, 0.0),
        closed(0.1, 0.0, False, 0.4),
    ]
    third = 0.4 - 0.1
    second = 1.0 - 0.2
    first = 0.2 - 0.5 + 0.5 * second
    assert advantages(chain, 0.5) == pytest.approx([first, second, third])


@pytest.mark.parametrize("game", GAMES)
def test_only_legal_actions_are_drawn(game: str) -> None:
    torch.manual_seed(1)
    engine = make_engine(game, 16)
    engine.reset(3)
    network = Network(game, 8)
    mask = torch.from_numpy(engine.mask != 0)
    odds = network.odds(torch.from_numpy(engine.observation.astype(np.float32)), mask)
    drawn = odds.sample((50,))
    assert mask.gather(1, drawn.T).all()
    assert (odds.probs[~mask] == 0).all() and odds.entropy().isfinite().all()
    few = mask.sum(dim=1).float().log()
    assert (odds.entropy() <= few + 1e-5).all()


def test_tables_have_seeds_of_their_own() -> None:
    tables = cleanrl_pettingzoo.make_tables(Args(envs=3, seed=7))
    hands = [env.unwrapped.engine.games["hand"].tolist() for env in tables.envs]
    assert hands[0] != hands[1] != hands[2]
    assert tables.envs[0].possible_agents == list(AGENTS)


@pytest.fixture(scope="module", params=GAMES)
def done(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param) / "new" / "folder"
    return request.param, folder, smoke(folder, request.param)


def test_it_leaves_a_policy_and_its_results(done) -> None:
    game, folder, results = done
    assert {path.name for path in folder.iterdir()} == {"policy.pt", "results.json"}
    assert results["decisions"] == SMOKE["decisions"] and results["arguments"]["game"] == game
    assert results["test"]["deals"] == SMOKE["test_deals"]
    player = f"train.cleanrl_pettingzoo:Player?path={folder / 'policy.pt'}"
    (record,) = record_matches([player, "random"], [3], game=game, rules={"num_rounds": 1})
    assert record["result"] is not None
    (other,) = set(GAMES) - {game}
    with pytest.raises(ValueError, match=f"the policy plays {game}"):
        load_player(player, other).reset(make_engine(other), 0)


def test_the_same_seed_gives_the_same_policy(tmp_path) -> None:
    first, again, other = (
        smoke(tmp_path / name, "xeri", "--seed", seed)
        for name, seed in (("a", "0"), ("b", "0"), ("c", "1"))
    )
    assert first["test"] == again["test"]
    weights = [torch.load(tmp_path / name / "policy.pt")["weights"] for name in "abc"]
    name = "actor.4.weight"
    assert torch.equal(weights[0][name], weights[1][name])
    assert not torch.equal(weights[0][name], weights[2][name])
    assert other["arguments"]["seed"] == 1


def test_learning_keeps_off_the_deals_of_measurements() -> None:
    assert MOST_SEED + Args().envs < min(LISTS.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stepps", "1"], "unrecognized arguments: --stepps"),
        (["--game", "whist"], "--game must be xabitha or xeri"),
        (["--batch", "1"], "--batch must be at least 2"),
        (["--seed", "999999999"], "--seed must be 0 to"),
        (["--against", "gredy"], "did you mean 'greedy'"),
    ],
)
def test_a_bad_option_is_one_line(arguments, message, tmp_path, capfd) -> None:
    out = tmp_path / "out"
    assert cleanrl_pettingzoo.run(["--smoke", "--out", str(out), *arguments]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith("error: ") and message in printed and printed.count("\n") == 1
    assert not out.exists()
