"""The recordings for the README."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tools.recording import IMAGES, LAST_MILLISECONDS, MILLISECONDS, SEEDS, SIZE, main, scenes_of
from xabitha_env.games import GAMES


def test_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--game", "xeri", "--folder", str(tmp_path)])
    path = tmp_path / "xeri.gif"
    assert str(path) in capsys.readouterr().out
    with Image.open(path) as film:
        assert film.size == SIZE and film.n_frames == 49 and film.info["loop"] == 0
    assert path.stat().st_size < 1_000_000
    assert not (tmp_path / "xabitha.gif").exists()


@pytest.mark.parametrize("game", GAMES)
def test_the_recordings_are_of_these_matches(game: str) -> None:
    scenes = scenes_of(game, SEEDS[game])
    assert scenes[-1].news and all(scene.actor is not None for scene in scenes)
    with Image.open(IMAGES / f"{game}.gif") as film:
        assert film.n_frames == len(scenes)
        length = MILLISECONDS[game] * (len(scenes) - 1) + LAST_MILLISECONDS
        assert 15_000 < length < 20_000
