"""PPO of RLlib in its smallest form: a policy that plays, a league, and runs that go on."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray", reason="needs Ray, in an environment of its own (docs/ray.md)")

import torch

from train import rllib_ppo
from train.rllib_ppo import SMOKE, Args
from train.running import MOST_SEED
from xabitha_env.cli import main
from xabitha_env.contrib.rllib import APART, LEARNER
from xabitha_env.contrib.rllib_player import load_policy
from xabitha_env.evaluation.deals import LISTS
from xabitha_env.games import GAMES
from xabitha_env.record import record_matches

ROOT = Path(__file__).parents[2]
PLAYER = "xabitha_env.contrib.rllib_player:Player"
pytestmark = pytest.mark.filterwarnings(  # RLlib registers its table for each algorithm
    "ignore:.*Overriding environment rllib-multi-agent-env-v0"
)


def smoke(folder, *options):
    """Run the command on the cluster that is there; returns its results."""
    assert rllib_ppo.run(["--smoke", "--quiet", "--out", str(folder), *options]) == 0
    return json.loads((folder / "results.json").read_text())


@pytest.fixture(scope="module", params=GAMES)
def done(request, tmp_path_factory, two_workers):
    """The game, the folder and the results of a run."""
    folder = tmp_path_factory.mktemp(request.param) / "new" / "folder"
    return request.param, folder, smoke(folder, "--game", request.param)


def weights(folder):
    return load_policy(folder / "policy.rllib").policy.state_dict()


def same(first, second):
    return all(torch.equal(first[name], second[name]) for name in first)


def test_it_leaves_a_policy_a_checkpoint_and_results(done):
    game, folder, results = done
    files = {"policy.rllib", "checkpoint", "curve.csv", "results.json"}
    assert {path.name for path in folder.iterdir()} == files
    assert results["arguments"] == {
        **Args().__dict__,
        **SMOKE,
        "game": game,
        "out": str(folder),
        "quiet": True,
    }
    assert results["decisions"] >= SMOKE["decisions"] and results["updates"] == 2
    counts = [one["decisions"] for one in results["evaluations"]]
    assert counts[0] == 0 and counts[-1] == results["decisions"] and len(counts) == 3
    assert results["test"]["deals"] == SMOKE["test_deals"]
    assert results["test"]["low"] <= results["test"]["margin"] <= results["test"]["high"]
    with (folder / "curve.csv").open() as file:
        assert [int(row["decisions"]) for row in csv.DictReader(file)] == counts
    info = load_policy(folder / "policy.rllib").info
    assert info["decisions"] == results["decisions"] and info["arguments"] == results["arguments"]


def test_the_policy_is_a_player(done, tmp_path, monkeypatch):
    """Players are refused if they do anything illegal."""
    game, folder, _ = done
    player = f"{PLAYER}?path={folder}/policy.rllib"
    (record,) = record_matches([player, "random"], [3], game=game, rules={"num_rounds": 1})
    assert record["result"] is not None
    command = ["tournament", player, f"{player}&sampled=1", "greedy", "--deals", "4"]
    assert main.run([*command, "--game", game, "-q", "--ray", "local"]) == 0


def test_a_run_goes_on_from_its_checkpoint(done, tmp_path):
    game, folder, results = done
    before = weights(folder)
    (tmp_path / "checkpoint").mkdir()  # of a run before, which is replaced
    given = ["--game", game, "--resume", str(folder / "checkpoint"), "--decisions", "1"]
    resumed = smoke(tmp_path, *given, "--runners", "0")
    assert resumed["updates"] == results["updates"] + 1
    assert resumed["decisions"] > results["decisions"]
    first, last = resumed["evaluations"][0], results["evaluations"][-1]
    assert {**first, "seconds": 0} == {**last, "seconds": 0}  # the same policy on the same deals
    assert same(before, weights(folder)) and not same(before, weights(tmp_path))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_policy(tmp_path):
    """In a process each, with a runner of its own."""
    for name, seed in (("one", "0"), ("two", "0"), ("three", "1")):
        command = [sys.executable, "-m", "train.rllib_ppo", "--smoke", "--quiet", "--seed", seed]
        subprocess.run(
            [*command, "--decisions", "64", "--every", "9", "--out", str(tmp_path / name)],
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"},
            check=True,
        )
    one, two, three = (weights(tmp_path / name) for name in ("one", "two", "three"))
    assert same(one, two) and not same(one, three)


def test_frozen_policies_are_what_the_learner_was(two_workers):
    """And learn nothing."""
    args = rllib_ppo.parse(["--smoke", "--past", "2", "--league", "self,past"])
    algorithm = rllib_ppo.algorithm_of(args, 0)
    try:
        rllib_ppo.take_snapshot(algorithm, 0)
        start = kept(algorithm, LEARNER)
        for _ in range(2):
            algorithm.train()
        assert equal(start, kept(algorithm, "past_0"))
        learnt = kept(algorithm, LEARNER)
        assert not equal(start, learnt) and not equal(start, kept(algorithm, "past_1"))
        rllib_ppo.take_snapshot(algorithm, 1)
        assert equal(learnt, kept(algorithm, "past_1")) and equal(start, kept(algorithm, "past_0"))
        (playing,) = algorithm.env_runner_group.foreach_env_runner(
            lambda runner: runner.module["past_1"].get_state(), local_env_runner=False
        )  # the runner in another process
        assert equal(playing, kept(algorithm, "past_1"))
    finally:
        algorithm.stop()


def kept(algorithm, module):
    """The weights of a module's policy."""
    found = algorithm.learner_group.get_weights([module])[module]
    return {name: np.copy(one) for name, one in found.items() if name.startswith("policy.")}


def equal(first, second):
    return all(np.array_equal(first[name], second[name]) for name in first)


def test_the_time_limit_ends_learning(tmp_path, two_workers):
    given = ["--minutes", "1e-9", "--decisions", "1000000", "--league", "greedy", "--runners", "0"]
    results = smoke(tmp_path, *given)
    assert results["updates"] == 0 and results["decisions_per_second"] == 0
    assert results["test"]["deals"] == SMOKE["test_deals"]
    assert (tmp_path / "policy.rllib").exists() and (tmp_path / "checkpoint").exists()


def test_learning_keeps_off_the_deals_of_measurements():
    assert MOST_SEED + 10**8 + APART < min(LISTS.values())  # and what a run that goes on adds


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stepps", "1"], "unrecognized arguments: --stepps"),
        (["--game", "whist"], "no game 'whist'"),
        (["--decisions", "0"], "--decisions must be at least 1, not 0"),
        (["--minibatch", "65"], "--minibatch 65 is more than --batch 64"),
        (["--seed", "499999999"], "--seed must be 0 to"),
        (["--league", "self,,greedy"], "a name is missing"),
        (["--league", "gredy"], "did you mean 'greedy'"),
        (["--against", "nobody"], "no player 'nobody'"),
        (["--resume", "none"], "no checkpoint 'none': No such file"),
    ],
)
def test_a_bad_option_is_one_line(arguments, message, tmp_path, capfd):
    assert rllib_ppo.run(["--smoke", "--out", str(tmp_path / "out"), *arguments]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith("error: ") and message in printed and printed.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_checkpoint_that_does_not_fit_is_one_line(tmp_path, capfd):
    state = {"game": "xeri", "width": 8, "past": 1, "decisions": 1, "updates": 1}
    for text, message in [
        (json.dumps({**state, "game": "xabitha"}), "was made with --game xabitha, not xeri"),
        (json.dumps({**state, "width": 9}), "was made with --width 9, not 8"),
        ("{", "xabitha.json' is damaged"),
    ]:
        (tmp_path / "xabitha.json").write_text(text)
        assert rllib_ppo.run(["--smoke", "--resume", str(tmp_path)]) == 2
        printed = capfd.readouterr().err
        assert message in printed and printed.count("\n") == 1
