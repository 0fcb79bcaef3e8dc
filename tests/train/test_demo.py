"""The main job, in its smallest form."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
pytest.importorskip("matplotlib")

import torch

from train import demo, imitation, network
from train.demo import SMOKE, Args
from train.running import MOST_SEED
from xabitha_env.contrib.sb3 import SB3Player, TablesVecEnv
from xabitha_env.evaluation.deals import LIST_SIZE, LISTS, seeds_of
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import Table, load_player
from xabitha_env.record import record_matches

FILES = {"model.zip", "curve.csv", "curve.png", "results.json"}


def smoke(folder, **options):
    return demo.main(Args(**{**SMOKE, "out": str(folder), "quiet": True, **options}))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The folder and the results of a run."""
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    return folder, smoke(folder)


@pytest.fixture
def model():
    args = Args(**SMOKE)
    env = TablesVecEnv(args.envs, seat="random", episode="round")
    return demo.make_model(args, env), env


def weights(folder):
    return load_player(folder / "model.zip").model.policy.state_dict()


def test_it_leaves_its_files_whole(done):
    folder, results = done
    assert {path.name for path in folder.iterdir()} == FILES
    assert json.loads((folder / "results.json").read_text()) == results
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert results["arguments"] == {
        **Args(**SMOKE).__dict__,
        "out": str(folder),
        "quiet": True,
    }


def test_the_results_have_figures_for_both_yardsticks(done):
    _, results = done
    assert list(results["test"]) == ["random", "greedy"]
    for found in results["test"].values():
        assert found["deals"] == SMOKE["test_deals"]
        assert found["low"] <= found["margin"] <= found["high"]
        assert 0 <= found["won"] + found["means"]["cancelled"] / 2 <= 1
    assert results["imitation"]["decisions"] == SMOKE["imitation_decisions"]
    assert results["ppo"]["decisions"] == SMOKE["steps"]
    assert results["ppo"]["episodes"] > 0
    assert not results["ppo"]["stopped_by_time"]


def test_the_curve_has_every_stage(done):
    folder, results = done
    with (folder / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["stage"] for row in rows] == ["imitation", "imitation", "ppo", "ppo", "test"]
    assert float(rows[1]["agreement"]) > float(rows[0]["agreement"])
    margin = results["test"]["greedy"]["margin"]
    assert float(rows[-1]["greedy_margin"]) == pytest.approx(margin, abs=0.01)
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds)


def test_the_model_is_a_player(done):
    folder, _ = done
    player = load_player(str(folder / "model.zip"))
    engine = make_engine("xabitha", 4, rules=make_rules("xabitha", {"num_rounds": 2}))
    engine.reset(1)
    table = Table(engine, [player, load_player("greedy")] * 2)
    table.reset(1)
    table.play()
    assert engine.over.all()
    (record,) = record_matches([str(folder / "model.zip"), "greedy"], [3])
    assert record["agents"] == ["model", "greedy"] * 2


def test_the_same_seed_gives_the_same_agent(done, tmp_path):
    folder, results = done
    again, other = smoke(tmp_path / "again"), smoke(tmp_path / "other", seed=1)
    first, second, third = (
        weights(one) for one in (folder, tmp_path / "again", tmp_path / "other")
    )
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not all(torch.equal(first[name], third[name]) for name in first)
    assert again["test"] == results["test"] != other["test"]


def test_the_time_limit_ends_the_learning_alone(tmp_path):
    results = smoke(tmp_path, time_limit=1e-6, steps=10**9)
    assert results["imitation"]["decisions"] == 0
    assert results["ppo"]["stopped_by_time"]
    assert results["test"]["greedy"]["deals"] == SMOKE["test_deals"]
    assert {path.name for path in tmp_path.iterdir()} == FILES


def test_each_stage_can_be_left_out(tmp_path):
    results = smoke(tmp_path, imitation_decisions=0, steps=0, opponents="greedy")
    assert results["ppo"]["decisions"] == 0
    assert {path.name for path in tmp_path.iterdir()} == FILES


def test_greedy_is_watched_with_slips():
    seen = imitation.watch(7, 30, np.random.default_rng(0))
    assert seen.mask[np.arange(len(seen.action)), seen.action].all()
    assert seen.mask.sum(axis=1).min() > 1
    assert (seen.outcome != 0).mean() > 0.9  # rounds of greedy players are hardly ever cancelled
    declaring = seen.mask[:, 0]
    assert declaring.sum() == 4 * 30
    assert not seen.action[declaring].any()
    # In each round one team is as far ahead as the other is behind.
    assert seen.outcome[declaring].sum() == pytest.approx(0, abs=1e-3)


def test_the_detectors_see_a_card_that_completes_a_meld(model):
    made, env = model
    features = env.engine.features
    hidden = network.actor(made).hidden
    unit = 7
    seen = np.random.default_rng(0).integers(0, 2, (200, features.size)).astype(np.float32)
    both = (
        seen[:, features.offset("fire_card") + unit] * seen[:, features.offset("potential") + unit]
    )
    with torch.no_grad():
        active = torch.relu(hidden(torch.from_numpy(seen)))[:, unit].numpy()
    assert np.array_equal(active, both) and 0 < both.sum() < len(both)


def test_what_only_matches_have_does_not_move_the_agent(model):
    made, env = model
    before = env.reset()
    player = SB3Player(made)
    with torch.no_grad():
        wanted = network.actor(made)(torch.from_numpy(before))
    network.blind_to_match(made, before[0], env.engine)
    later = before.copy()
    for name in network.MATCH_SECTIONS:
        later[:, env.engine.features.slice(name)] ^= 1
    assert not np.array_equal(before, later)
    for seen in (before, later):
        with torch.no_grad():
            found = player.model.policy.get_distribution(torch.from_numpy(seen))
            logits = network.actor(made)(torch.from_numpy(seen))
        assert torch.allclose(logits, wanted, atol=1e-4)
        assert found.distribution.logits.shape == logits.shape


def test_training_keeps_off_the_deals_of_measurements():
    assert MOST_SEED + Args().envs < min(LISTS.values())
    assert imitation.HELD_OUT_SEED > seeds_of(demo.FINAL, LIST_SIZE)[-1]


def test_opponents_come_in_the_order_of_their_shares():
    schedule = demo.checked(Args(opponents="random, greedy", shares="1,3"))
    assert schedule == [("random", 0.25), ("greedy", 1.0)]
    assert demo.checked(Args(opponents="greedy")) == [("greedy", 1.0)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--steps", "-1"], "--steps must be at least 0, not -1"),
        (["--envs", "0"], "--envs must be at least 1"),
        (["--test-deals", "1"], "--test-deals must be at least 2"),
        (["--seed", "-1"], "--seed must be 0 to"),
        (["--time-limit", "0"], "--time-limit must be above 0"),
        (["--learning-rate", "nan"], "--learning-rate must be above 0"),
        (["--gae-lambda", "2"], "--gae-lambda must be 0 to 1"),
        (["--partner", "gredy"], "did you mean 'greedy'"),
        (["--opponents", "random,nobody"], "no player 'nobody'"),
        (["--shares", "1,x"], "--shares must be numbers"),
        (["--shares", "1,2,3"], "3 numbers for 2 opponents"),
        (["--shares", "1,0"], "--shares must be above 0"),
    ],
)
def test_a_bad_value_is_one_line(arguments, message, tmp_path, capfd):
    assert demo.run(["--smoke", "--out", str(tmp_path / "out"), *arguments]) == 2
    printed = capfd.readouterr().err
    assert message in printed and printed.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [["--stepps", "1"], ["--steps", "many"], ["stray"]])
def test_a_bad_option_is_one_line(arguments, capfd):
    assert demo.run(arguments) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_a_folder_that_cannot_be_is_one_line(tmp_path, capfd):
    (tmp_path / "file").write_text("")
    assert demo.run(["--smoke", "--quiet", "--out", str(tmp_path / "file")]) == 2
    printed = capfd.readouterr().err
    assert "file" in printed and printed.count("\n") == 1


def test_help_names_every_option(capsys):
    with pytest.raises(SystemExit):
        demo.parse(["--help"])
    printed = capsys.readouterr().out
    assert all(f"--{name.replace('_', '-')}" in printed for name in Args.__dataclass_fields__)


def test_smoke_gives_defaults_that_options_still_override():
    args = demo.parse(["--smoke", "--steps", "9"])
    assert (args.steps, args.envs) == (9, SMOKE["envs"])
    assert demo.parse([]) == Args()
