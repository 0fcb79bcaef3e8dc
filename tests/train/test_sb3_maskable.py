"""The MaskablePPO script, in its smallest form, on both games."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("sb3_contrib")

from train import sb3_maskable
from xabitha_env.games import GAMES
from xabitha_env.record import record_matches


@pytest.mark.parametrize("game", GAMES)
def test_it_learns_measures_and_saves(game, tmp_path, capsys):
    small = {"envs": 4, "steps": 8, "batch": 16, "width": 8, "deals": 4, "every": 32}
    sb3_maskable.main(game, 1.0, 64, out=tmp_path, **small)
    folder = tmp_path / f"sb3_maskable_{game}"
    results = json.loads((folder / "results.json").read_text())
    assert results["game"] == game and results["decisions"] >= 64
    assert results["test"]["deals"] == 4
    assert "against greedy" in capsys.readouterr().out
    players = [folder / "model.zip", "random"]
    (record,) = record_matches(players, [3], game=game, rules={"num_rounds": 1})
    assert record["result"] is not None
