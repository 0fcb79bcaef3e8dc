"""The MaskablePPO script, in its smallest form, on both games."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("sb3_contrib")
pytest.importorskip("matplotlib")

import torch
from sb3_contrib.common.maskable import callbacks
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from train import sb3_maskable
from train.running import MOST_SEED
from train.sb3_maskable import SMOKE, Args
from xabitha_env.evaluation.deals import LISTS
from xabitha_env.games import GAMES
from xabitha_env.players import load_player
from xabitha_env.record import record_matches


def smoke(folder, game, *options):
    """Run the command; returns its results."""
    arguments = ["--smoke", "--quiet", "--game", game, "--out", str(folder), *options]
    assert sb3_maskable.run(arguments) == 0
    return json.loads((folder / "results.json").read_text())


@pytest.fixture(scope="module", params=GAMES)
def done(request, tmp_path_factory):
    """The game, the folder and the results of a run."""
    folder = tmp_path_factory.mktemp(request.param) / "new" / "folder"
    return request.param, folder, smoke(folder, request.param)


def weights(folder):
    return load_player(folder / "model.zip").model.policy.state_dict()


def same(first, second):
    return all(torch.equal(first[name], second[name]) for name in first)


def test_it_leaves_a_model_and_its_results(done):
    game, folder, results = done
    assert {path.name for path in folder.iterdir()} == {"curve.csv", "model.zip", "results.json"}
    assert results["game"] == game
    assert results["arguments"] == {
        **Args(**sb3_maskable.XABITHA if game == "xabitha" else {}).__dict__,
        **SMOKE,
        "game": game,
        "out": str(folder),
        "quiet": True,
    }
    assert results["decisions"] == SMOKE["decisions"]
    assert results["decisions_per_second"] == pytest.approx(
        SMOKE["decisions"] / results["learning_seconds"], rel=0.05
    )
    assert [one["decisions"] for one in results["evaluations"]] == [0, 32, 64]
    assert results["test"]["deals"] == SMOKE["test_deals"]


def test_the_model_is_a_player(done):
    game, folder, _ = done
    players = [load_player(folder / "model.zip"), "random"]
    (record,) = record_matches(players, [3], game=game, rules={"num_rounds": 1})
    assert record["result"] is not None


def test_the_same_seed_gives_the_same_model(done, tmp_path):
    game, folder, results = done
    again = smoke(tmp_path / "again", game)
    smoke(tmp_path / "other", game, "--seed", "1")
    assert same(weights(folder), weights(tmp_path / "again"))
    assert not same(weights(folder), weights(tmp_path / "other"))
    for name in ("evaluations", "test"):
        assert again[name] == results[name]


def test_evaluations_change_nothing_and_are_on_the_same_deals(done, tmp_path):
    game, folder, _ = done
    often = smoke(tmp_path, game, "--every", "16")
    assert same(weights(folder), weights(tmp_path))
    first, second, third = often["evaluations"][:3]  # all before the first update
    assert {**first, "decisions": 16} == second and {**first, "decisions": 32} == third


def test_evaluation_needs_its_masks(done, tmp_path, monkeypatch, capfd):
    """With them nothing is illegal; once they are left out, an evaluation fails."""
    game, _, _ = done
    asked = []

    def evaluate(*arguments, use_masking, **options):
        asked.append(use_masking)
        return evaluate_policy(*arguments, use_masking=False, **options)

    monkeypatch.setattr(callbacks, "evaluate_policy", evaluate)
    arguments = ["--smoke", "--quiet", "--game", game, "--out", str(tmp_path)]
    assert sb3_maskable.run(arguments) == 2
    assert asked == [True]
    assert capfd.readouterr().err.startswith("error: table ")


def test_a_resumed_model_goes_on(done, tmp_path):
    game, folder, results = done
    model = folder / "model.zip"
    before = weights(folder)
    resumed = smoke(tmp_path, game, "--resume", str(model), "--decisions", "32", "--envs", "2")
    assert resumed["decisions"] == results["decisions"] + 32
    assert resumed["decisions_per_second"] * resumed["learning_seconds"] == pytest.approx(32, 0.05)
    assert same(before, weights(folder)) and not same(before, weights(tmp_path))
    first = resumed["evaluations"][0]
    saved = load_player(model).model
    found = sb3_maskable.measured(saved, Args(game=game), "development", SMOKE["dev_deals"])
    assert (first["decisions"], first["margin"]) == (results["decisions"], found.margin)
    after = load_player(tmp_path / "model.zip").model
    assert after.seed != saved.seed  # other deals than the first time
    steps = [one.policy.optimizer.state_dict()["state"][0]["step"] for one in (saved, after)]
    assert steps[1] > steps[0]  # the optimiser goes on too


def test_the_time_limit_ends_learning(tmp_path):
    results = smoke(tmp_path, "xeri", "--minutes", "1e-9", "--decisions", "1000000000")
    assert results["decisions"] == SMOKE["envs"]
    assert results["test"]["deals"] == SMOKE["test_deals"]


def test_tensorboard_gets_the_evaluations(tmp_path):
    pytest.importorskip("tensorboard")
    smoke(tmp_path, "xeri", "--tensorboard")
    (events,) = (tmp_path / "tensorboard").glob("*/events*")
    assert all(
        name in events.read_bytes()
        for name in (b"eval/team_margin", b"eval/mean_reward", b"rollout/ep_rew_mean")
    )


def test_learning_keeps_off_the_deals_of_measurements():
    assert MOST_SEED + Args().envs < min(LISTS.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--stepps", "1"], "unrecognized arguments: --stepps"),
        (["--steps", "many"], "argument --steps: invalid int value"),
        (["stray"], "unrecognized arguments: stray"),
        (["--game", "whist"], "no game 'whist'"),
        (["--decisions", "0"], "--decisions must be at least 1, not 0"),
        (["--steps", "1"], "--steps must be at least 2"),
        (["--epochs", "0"], "--epochs must be at least 1"),
        (["--envs", "3", "--steps", "3", "--batch", "4"], "a minibatch of one decision"),
        (["--learning-rate", "nan"], "--learning-rate must be at least 0"),
        (["--test-deals", "1"], "--test-deals must be at least 2"),
        (["--seed", "-1"], "--seed must be at least 0"),
        (["--seed", "999999999"], "--seed must be 0 to"),
        (["--partner", "gredy"], "did you mean 'greedy'"),
        (["--opponents", "nobody"], "no player 'nobody'"),
        (["--resume", "none.zip"], "no model 'none.zip'"),
        (["--resume", __file__], "is no MaskablePPO model"),
    ],
)
def test_a_bad_option_is_one_line(arguments, message, tmp_path, capfd):
    assert sb3_maskable.run(["--smoke", "--out", str(tmp_path / "out"), *arguments]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith("error: ") and message in printed and printed.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_model_of_another_game_is_one_line(done, tmp_path, capfd):
    game, folder, _ = done
    (other,) = set(GAMES) - {game}
    arguments = ["--smoke", "--game", other, "--resume", str(folder / "model.zip")]
    assert sb3_maskable.run([*arguments, "--out", str(tmp_path / "out")]) == 2
    printed = capfd.readouterr().err
    assert "was made for observations of shape" in printed and printed.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_is_one_line(tmp_path, capfd):
    (tmp_path / "file").write_text("")
    assert sb3_maskable.run(["--smoke", "--quiet", "--out", str(tmp_path / "file")]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_defaults_are_those_of_the_game_and_options_override_them():
    assert sb3_maskable.parse([]) == Args()
    xabitha = sb3_maskable.parse(["--game", "xabitha"])
    assert xabitha == Args(game="xabitha", **sb3_maskable.XABITHA) != Args(game="xabitha")
    given = sb3_maskable.parse(["--smoke", "--game", "xabitha", "--steps", "9"])
    assert (given.steps, given.envs) == (9, SMOKE["envs"])


def test_help_names_every_option(capsys):
    with pytest.raises(SystemExit):
        sb3_maskable.run(["--help"])
    printed = capsys.readouterr().out
    assert all(f"--{name.replace('_', '-')}" in printed for name in Args.__dataclass_fields__)
