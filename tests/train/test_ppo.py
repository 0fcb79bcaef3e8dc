"""Self-play PPO: its parts against plain ones, and whole runs in their smallest form."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

import torch

from agents.checkpoint import load_policy
from train import ppo
from train.ppo import SMOKE, Args, Rollout, Shard, advantages, shard_of
from train.warm_start import TABLES, Task, watch
from xabitha_env.batched import BatchedEngine
from xabitha_env.evaluation.deals import LISTS

FILES = {"state.pt", "policy.pt", "curve.csv", "curve.png", "results.json", "card.md"}


def smoke(folder, **options):
    return ppo.main(Args(**{**SMOKE, "out": str(folder), "quiet": True, **options}))


def weights(folder):
    return load_policy(folder / "policy.pt").policy.state_dict()


def same(first, second):
    return all(torch.equal(first[name], second[name]) for name in first)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ppo") / "new" / "folder"
    return folder, smoke(folder)


# Whole runs.


def test_it_leaves_its_files_whole(done):
    folder, results = done
    assert {path.name for path in folder.iterdir()} == FILES
    assert json.loads((folder / "results.json").read_text()) == results
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert results["arguments"]["chunk"] == SMOKE["chunk"]
    assert set(results["test"]) == {"greedy", "expert"}
    assert results["decisions"] > 0


def test_the_curve_has_every_stage(done):
    with (done[0] / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["stage"] for row in rows] == ["critic", "values", "ppo", "ppo"]
    assert all(row["margin"] for row in rows[2:])


def test_the_same_seed_gives_the_same_policy(done, tmp_path):
    smoke(tmp_path / "again")
    smoke(tmp_path / "other", seed=1)
    assert same(weights(done[0]), weights(tmp_path / "again"))
    assert not same(weights(done[0]), weights(tmp_path / "other"))


def test_a_run_goes_on_where_it_stopped(done, tmp_path, monkeypatch):
    """Stopped after every single step, it comes to the same."""
    steps = SMOKE["critic_chunks"] + SMOKE["value_chunks"] + SMOKE["updates"]
    for _ in range(steps):
        assert smoke(tmp_path, minutes=1e-9) == {}
        shard_of.cache_clear()  # as another process would
    assert smoke(tmp_path)["decisions"] == done[1]["decisions"]
    assert same(weights(done[0]), weights(tmp_path))


@pytest.mark.slow
def test_workers_change_nothing(done, tmp_path):
    smoke(tmp_path, workers=2)
    assert same(weights(done[0]), weights(tmp_path))


def test_a_run_with_other_options_is_refused(done, tmp_path):
    with pytest.raises(ValueError, match=r"--width 16, not 17: give the same options"):
        smoke(done[0], width=17)
    (tmp_path / "state.pt").write_bytes(b"no state")
    with pytest.raises(ValueError, match=r"holds no state of a run"):
        smoke(tmp_path)


def test_every_choice_can_be_switched_off(tmp_path):
    results = smoke(
        tmp_path,
        critic_chunks=0,
        value_chunks=0,
        opponents="self",
        privileged=False,
        augment=False,
        tried=0.0,
        hands=0.0,
        hint=0.0,
    )
    assert results["decisions"] > 0


def test_every_choice_has_its_figures(tmp_path):
    smoke(tmp_path, anchor=0.1, entropy=0.01, opponents="self,past,expert,greedy")
    with (tmp_path / "curve.csv").open() as file:
        last = list(csv.DictReader(file))[-1]
    assert float(last["anchor"]) >= 0
    assert float(last["entropy"]) > 0
    assert float(last["hands_loss"]) > 0


def test_a_run_starts_from_a_policy(done, tmp_path):
    """The first version is that policy; of another size or game, none is."""
    start = str(done[0] / "policy.pt")
    run = ppo.Run(Args(**{**SMOKE, "out": str(tmp_path), "start": start}), ppo.Crew(0))
    run.warm_policy()
    run.measure = lambda number: {}
    run.args.updates = 0
    run.practise()
    assert same(run.policy.state_dict(), weights(done[0])) and same(run.pool[0], weights(done[0]))
    results = smoke(tmp_path, start=start, opponents="past", short=True)
    assert results["decisions"] > 0
    assert f"from {start} on" in (tmp_path / "card.md").read_text()
    with pytest.raises(ValueError, match="needs --width 16 --depth 8"):
        ppo.check(Args(**{**SMOKE, "start": start, "width": 17}))
    with pytest.raises(ValueError, match="plays xabitha, not xeri"):
        ppo.check(Args(**{**SMOKE, "start": start, "game": "xeri"}))


def test_xeri_is_learnt_as_well(tmp_path):
    assert smoke(tmp_path, game="xeri")["decisions"] > 0
    assert load_policy(tmp_path / "policy.pt").encoder.game == "xeri"


def test_tensorboard_gets_the_curve(tmp_path):
    pytest.importorskip("tensorboard")
    smoke(tmp_path, tensorboard=True, updates=1)
    assert list((tmp_path / "tensorboard").iterdir())


def test_a_dry_run_does_nothing_but_tell_the_time(tmp_path, capsys):
    minutes = smoke(tmp_path / "none", dry_run=True)
    assert set(minutes) == {"critic", "values", "ppo", "measuring"}
    assert all(one > 0 for one in minutes.values())
    assert not (tmp_path / "none").exists()
    assert "all" in capsys.readouterr().out


def test_training_keeps_off_the_deals_of_measurements(tmp_path, monkeypatch):
    seeds = []
    reset = BatchedEngine.reset

    def noted(self, seed=None, **options):
        if isinstance(seed, list):
            seeds.extend(seed)
        return reset(self, seed, **options)

    monkeypatch.setattr(BatchedEngine, "reset", noted)
    args = Args(**{**SMOKE, "out": str(tmp_path), "quiet": True})
    Shard(args, 0)
    task = Task("xabitha", {"num_rounds": 1}, 0, 30, ppo.plan_of(args))
    watch(task, 0)
    assert len(seeds) >= TABLES + args.tables
    assert max(seeds) < min(LISTS.values())


# Play.


@pytest.fixture
def shard():
    args = Args(**{**SMOKE, "tables": 24, "sweeps": 60, "opponents": "self,past,greedy=6"})
    made = Shard(args, 0)
    torch.manual_seed(0)
    networks = shard_of(json.dumps(args.__dict__), 0)[1:]
    return made, networks


def test_a_rollout_holds_what_happened(shard):
    made, networks = shard
    names, codes = list(made.mix), made.codes.copy()
    found = made.collect(*networks, 2)
    assert found.inputs.size == len(found.chosen) == len(found.reward)
    assert (np.diff(found.inputs.starts) > 1).all()
    assert (found.inputs.starts[:-1] <= found.chosen).all()
    assert (found.chosen < found.inputs.starts[1:]).all()
    assert (found.odds <= 0).all()
    assert sum(len(one) for one in found.leads) == found.ends.sum() > 15
    leads = np.concatenate([np.abs(one) for one in found.leads])
    assert np.isclose(np.abs(found.reward[found.ends]).sum(), leads.sum(), rtol=1e-4)
    assert (found.reward[~found.ends] == 0).all()  # by default rewards come with the end
    assert (codes >= 0).any() and len(names) == 3


def test_only_the_learner_learns_from_decisions_of_its_own(shard):
    made, networks = shard
    past = list(made.mix).index("past")
    at_first, sides = made.opponent.copy(), made.side.copy()
    found = made.collect(*networks, 2)
    first = np.array([np.flatnonzero(found.table == table)[:6] for table in range(24)])
    for table, rows in enumerate(first):
        if at_first[table] == past:
            assert (found.learns[rows] == (found.seat[rows] % 2 == sides[table])).all()
        else:
            assert found.learns[rows].all()
    tried = np.zeros(found.inputs.size, bool)
    np.logical_or.at(tried, found.inputs.rows, found.share > 0)
    assert tried.any() and not tried[~found.learns].any()


def test_advantages_of_tried_actions_weigh_up(shard):
    """With the odds as weights their mean is 0 in each decision."""
    made, networks = shard
    found = made.collect(*networks, 2)
    sums = np.bincount(found.inputs.rows, found.share * found.worth)
    assert np.abs(sums).max() < 1e-4 < np.abs(found.worth).max()


def test_a_shard_goes_on_from_its_state(shard):
    made, networks = shard
    made.collect(*networks, 2)
    state = made.get_state()
    own = made.collect(*networks, 2)
    other = Shard(made.args, 5)
    other.set_state(state)
    twin = other.collect(*networks, 2)
    assert own.chosen.tolist() == twin.chosen.tolist()
    assert own.inputs.found.tobytes() == twin.inputs.found.tobytes()
    assert own.reward.tobytes() == twin.reward.tobytes()


# Advantages.


def rollout_of(table, time, seat, reward, ends, last_table, last_seat):
    count = len(table)
    blank = np.zeros(count, np.float32)
    arrays = (np.array(table), np.array(time), np.array(seat), np.ones(count, bool))
    return Rollout(
        None, blank, blank, *arrays, blank, blank, np.array(reward, np.float32),
        np.array(ends), None, np.array(last_table, int), np.array(last_seat, int), [],
    )  # fmt: skip


def plain_advantages(rollout, values, last, trace):
    """Each table by itself, from the definition: sums of discounted errors."""
    found = np.zeros(len(values))
    sign = 1 - 2 * (rollout.seat % 2)
    for table in np.unique(rollout.table):
        rows = np.flatnonzero(rollout.table == table)
        for place, row in enumerate(rows):
            total, weight = 0.0, 1.0
            for here in range(place, len(rows)):
                now = rows[here]
                after = 0.0
                if not rollout.ends[now]:
                    if here + 1 < len(rows):
                        after = sign[rows[here + 1]] * values[rows[here + 1]]
                    else:
                        (end,) = np.flatnonzero(rollout.last_table == table)
                        after = (1 - 2 * (rollout.last_seat[end] % 2)) * last[end]
                total += weight * (rollout.reward[now] + after - sign[now] * values[now])
                if rollout.ends[now]:
                    break
                weight *= trace
            found[row] = sign[row] * total
    return found


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
def test_advantages_follow_their_definition(trace):
    random = np.random.default_rng(0)
    table, time = np.nonzero((random.random((5, 40)) < 0.7).T[:, :])[::-1]
    count = len(table)
    ends = random.random(count) < 0.1
    for one in (3, 4):  # two tables whose last round is over
        ends[np.flatnonzero(table == one)[-1]] = True
    reward = random.normal(size=count) * ends
    rollout = rollout_of(
        table, time, random.integers(2, size=count), reward, ends, [0, 1, 2], [1, 0, 1]
    )
    values, last = random.normal(size=count).astype(np.float32), np.array([1.0, -2.0, 0.5], "f4")
    found, returns = advantages(rollout, values, last, trace)
    assert np.allclose(found, plain_advantages(rollout, values, last, trace), atol=1e-4)
    assert np.allclose(returns, found + values, atol=1e-5)


def test_a_reward_that_falls_while_others_act_reaches_both_teams():
    """Team 1 ends the round; the last decision of team 0 gets its share of the loss."""
    rollout = rollout_of([0, 0], [0, 1], [0, 1], [0, -1], [False, True], [], [])
    found, _ = advantages(rollout, np.zeros(2, np.float32), np.empty(0, np.float32), 1.0)
    assert found.tolist() == [-1, 1]


# The command line.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "chess"], "--game must be xabitha or xeri"),
        (["--updates", "-1"], "--updates must be at least 0, not -1"),
        (["--tables", "0"], "--tables must be at least 1"),
        (["--rate", "0"], "--rate must be above 0"),
        (["--trace", "2"], "--trace must be 0 to 1"),
        (["--opponents", "self,nobody=2"], "no 'nobody'; there are self, past, random"),
        (["--opponents", "self=x"], "'x' is no number (write self=3)"),
        (["--opponents", "self=0"], "the share of self must be above 0"),
        (["--opponents", ","], "names nobody"),
        (["--against", "gredy"], "did you mean 'greedy'"),
        (["--yardsticks", "expert,nobody"], "no player 'nobody'"),
        (["--upd", "1"], "unrecognized arguments"),
        (["--updates", "many"], "invalid int value"),
    ],
)
def test_a_bad_value_is_one_line(arguments, message, tmp_path, capfd):
    assert ppo.run(["--smoke", "--out", str(tmp_path / "out"), *arguments]) == 2
    printed = capfd.readouterr().err
    assert message in printed and printed.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_help_names_every_option(capsys):
    with pytest.raises(SystemExit):
        ppo.parse(["--help"])
    printed = capsys.readouterr().out
    for name in Args.__dataclass_fields__:
        shown = f"{'no-' if getattr(Args, name) is True else ''}{name.replace('_', '-')}"
        assert f"--{shown}" in printed


def test_defaults_can_depend_on_the_game():
    assert ppo.parse([]) == Args()
    own = ppo.parse(["--game", "xeri", "--updates", "7"])
    assert own == Args(**{**ppo.BY_GAME["xeri"], "game": "xeri", "updates": 7})
