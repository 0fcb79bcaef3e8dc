"""The studies of single decisions and of exploits, in their smallest form."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

from agents.checkpoint import load_policy
from agents.encoding import Encoder
from agents.opening import HOLD, LEAST, MOST, WAYS, find_openings
from tests.agents.test_opening import openers
from train import beliefs, declaration, exploit, opening, partners
from train.fitting import reliability
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import load_player
from xabitha_env.record import read_records, verify_file

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def declared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("declaration") / "new"
    assert declaration.run(["--smoke", "--out", str(folder)]) == 0
    return folder


def test_a_study_of_declarations_leaves_its_files(declared, capsys) -> None:
    names = {"declaration.pt", "declaration.json", "regrets.jsonl.gz"}
    pictures = {"reliability.png", "distance.png", "break-even.png"}
    assert {path.name for path in declared.iterdir()} == names | pictures
    assert all((declared / name).read_bytes().startswith(PNG) for name in pictures)
    info = json.loads((declared / "declaration.json").read_text())
    assert 0 <= info["brier"] <= 1 and len(info["gains"]) == 8
    assert load_player(f"greedy?declare={declared / 'declaration.pt'}").name


def test_regrets_can_be_replayed(declared) -> None:
    """The same deal twice, without and with a declaration."""
    path = declared / "regrets.jsonl.gz"
    assert [problem for _, problem in verify_file(path)] == [None, None]
    without, with_it = (record for _, record in read_records(path))
    assert without["rounds"][0]["deal"] == with_it["rounds"][0]["deal"]


def test_both_answers_are_played_with_the_same_cards() -> None:
    samples = declaration.branch("expert", range(20, 60), True)
    again = declaration.branch("expert", range(20, 60), True)
    assert all((first == second).all() for first, second in zip(samples, again))
    assert samples.near.tolist() == [seed % 2 == 1 for seed in range(20, 60)]
    formed = samples.formed
    assert formed.any() and (samples.closed[~formed] == 0).all()
    assert (samples.yes[formed] == 0).all()  # X11.3: nothing but the penalties
    assert (samples.missing[samples.near] <= 5).all()
    assert samples.gain(200) == pytest.approx(samples.yes + 200 * samples.closed - samples.no)


def test_openings_are_played_out_with_the_same_cards() -> None:
    """Two ways that lay the same melds come to the same points, in games that stay as they are."""
    engine = openers()
    found = find_openings(engine, np.arange(engine.num_games))
    before = engine.get_state()
    points = opening.play_out(engine, found, load_player("expert"))
    assert (engine.get_state() == before).all()
    assert points.shape == (found.games.size, len(WAYS))
    same = (found.ways[:, LEAST] == found.ways[:, MOST]).all(axis=1)
    assert same.any() and (points[same, LEAST] == points[same, MOST]).all()
    assert (points[:, HOLD] != points[:, MOST]).any()


def test_openings_of_any_player_are_played_out() -> None:
    """Also of one that is not compiled, which knows one engine at a time."""
    plan = opening.Plan("expert", 0, 1, 24, 1, True)
    compiled = opening.gather_chunk(plan, 0)
    python = opening.gather_chunk(plan._replace(player="expert?declare=no"), 0)
    assert (compiled.features == python.features).all()
    assert (compiled.points == python.points).all()


def test_a_study_of_openings_leaves_its_files(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(opening, "TABLES", 48)
    monkeypatch.setattr(opening, "ROUNDS", 1)
    assert opening.run(["--smoke", "--out", str(tmp_path)]) == 0
    pictures = {"opening.png", "blocking.png"}
    assert {path.name for path in tmp_path.iterdir()} == {"opening.pt", "opening.json", *pictures}
    assert all((tmp_path / name).read_bytes().startswith(PNG) for name in pictures)
    printed = capsys.readouterr().out
    assert "What blocking is worth" in printed
    assert load_player(f"greedy?opening={tmp_path / 'opening.pt'}").name


def test_exploits_of_players_and_policies(tmp_path, capsys) -> None:
    arguments = ["--smoke", "--game", "xeri", "--out", str(tmp_path), "--victims", "greedy,learned"]
    assert exploit.run(arguments) == 0
    rows = json.loads((tmp_path / "xeri" / "exploit.json").read_text())
    assert [row["victim"] for row in rows] == ["greedy", "learned"]
    assert all(row["low"] <= row["margin"] <= row["high"] for row in rows)
    assert (tmp_path / "xeri" / "exploit.png").read_bytes().startswith(PNG)
    assert "What is won of a frozen team" in capsys.readouterr().out


def test_partners_differ_by_seed_and_sight(tmp_path, capsys) -> None:
    assert partners.run(["--smoke", "--out", str(tmp_path)]) == 0
    folder = tmp_path / "xabitha"
    rows = json.loads((folder / "partners.json").read_text())
    assert [(row["blind"], row["seed"]) for row in rows] == [(False, 0), (True, 0)]
    blind = [load_policy(folder / f"{name}-0.pt").encoder.blind for name in ("seed", "blind")]
    assert blind == [False, True]
    assert "seeing" in capsys.readouterr().out


def test_beliefs_are_scored_over_the_round(tmp_path, capsys) -> None:
    assert beliefs.run(["--smoke", "--game", "xeri", "--out", str(tmp_path)]) == 0
    info = json.loads((tmp_path / "beliefs.json").read_text())
    assert list(info["scores"]) == ["learned", beliefs.UNIFORM, beliefs.WEIGHED]
    assert (tmp_path / "beliefs.png").read_bytes().startswith(PNG)
    assert "partner's hand" in capsys.readouterr().out


def test_worlds_say_how_likely_a_seat_holds_a_kind() -> None:
    """R2.1: four cards in each other hand, any of those that are unseen."""
    engine = make_engine("xeri", 2, rules=make_rules("xeri", {"num_rounds": 1}))
    engine.reset(3)
    encoder = Encoder("xeri")
    shares = beliefs.worlds_say("xeri", engine, [0, 1], 400, False, 0)
    truth = beliefs.held("xeri", engine.games)
    assert shares.shape == truth.shape == (2, 3, 52)
    assert truth.sum(axis=-1) == pytest.approx(shares.sum(axis=-1))
    own = engine.observation[:, encoder.observation.slice("hand")] == 1
    assert (shares[np.repeat(own[:, None], 3, axis=1)] == 0).all()
    assert np.ptp(shares[shares > 0]) < 0.12


def test_reliability_is_by_bins() -> None:
    said = np.array([0.05, 0.05, 0.95, 0.95])
    judged = reliability(said, np.array([False, True, True, True]))
    assert judged.count.tolist() == [2, 2]
    assert judged.happened.tolist() == [0.5, 1.0]
    assert judged.brier == pytest.approx((0.05**2 + 0.95**2 + 2 * 0.05**2) / 4)
    assert judged.base == pytest.approx(0.75 * 0.25)


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        (declaration, ["--player", "nobody"], "no player 'nobody'"),
        (declaration, ["--deals", "1"], "--deals must be at least 20"),
        (opening, ["--chunks", "0"], "--chunks must be at least 1"),
        (exploit, ["--start", "none.pt", "--victims", "greedy"], "no policy 'none.pt'"),
        (beliefs, ["--policies", "none.pt"], "no policy 'none.pt'"),
        (beliefs, ["--game", "chess"], "--game must be xabitha or xeri"),
    ],
)
def test_wrong_use_is_told(module, arguments, message, tmp_path, capsys) -> None:
    assert module.run(["--smoke", "--out", str(tmp_path), *arguments]) == 2
    assert message in capsys.readouterr().err
