"""Records a round of each game between `expert` players as docs/images/<game>.gif, all hands open.

    python -m tools.recording
    python -m tools.recording --game xeri --seed 7 --folder docs/images

By default Xabitha is recorded with the seed 14 (four openings, eight cards added, a joker stolen)
and Xeri with the seed 7 (five xeris). The same arguments write the same bytes with the same
versions of pygame and Pillow.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pygame
from PIL import Image

from xabitha_env.files import check_place, write_bytes
from xabitha_env.games import GAMES, make_engine
from xabitha_env.pictures import faces, sheet
from xabitha_env.pictures.table import draw_table
from xabitha_env.players.loader import load_players
from xabitha_env.players.table import Table
from xabitha_env.scene import Scene

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SEEDS = {"xabitha": 14, "xeri": 7}
SIZE = (640, 427)
SHADES = 3
"""How many shades lie between a ground and what is drawn on it, each without the ground."""
GROUNDS = (
    (sheet.BAR, (sheet.LIGHT, sheet.DIM, sheet.GOLD, *sheet.TEAMS)),
    (sheet.MAT, (sheet.LIGHT, sheet.DIM, sheet.GOLD, sheet.VIOLET, *sheet.TEAMS, sheet.LINE)),
    (sheet.FELT, (sheet.LIGHT, sheet.DIM, sheet.GOLD, *sheet.TEAMS, sheet.LINE, faces.PAPER)),
    (faces.PAPER, (faces.RED, faces.BLACK, faces.PURPLE, faces.EDGE, sheet.STAGED)),
    (faces.NAVY, (faces.PALE,)),
)
MILLISECONDS = {"xabitha": 270, "xeri": 330}
LAST_MILLISECONDS = 3000


def scenes_of(game: str, seed: int) -> list[Scene]:
    """Return the tables of a match's first round, and the one with its result.

    The declarations, during which nothing is to be seen, are left out.
    """
    engine = make_engine(game)
    engine.reset(seed)
    table = Table(engine, load_players(["expert"], game))
    table.reset(seed)
    scenes = []
    while not engine.rounds_played[0]:
        if not engine.legal_texts()[0].startswith("declare"):
            scenes.append(engine.scene())
        table.step()
    return [*scenes, engine.scene()]


def image_of(scene: Scene) -> Image.Image:
    surface = pygame.transform.smoothscale(draw_table(scene), SIZE)
    return Image.frombytes("RGB", SIZE, pygame.image.tobytes(surface, "RGB"))


def palette() -> Image.Image:
    """Return an image with the colours of all recordings: those of the pictures, and between."""
    colours = [ground for ground, _ in GROUNDS]
    for ground, drawn in GROUNDS:
        shares = np.arange(1, SHADES + 1)[:, np.newaxis] / SHADES
        for colour in drawn:
            mixed = np.rint(shares * colour + (1 - shares) * ground).astype(int)
            colours += [tuple(shade) for shade in mixed.tolist()]
    image = Image.new("P", (1, 1))
    image.putpalette(np.array(list(dict.fromkeys(colours)), np.uint8).tobytes())
    return image


def animation(images: Sequence[Image.Image], milliseconds: int) -> bytes:
    """Return images as an animated GIF that is played over and over."""
    colours = palette()
    frames = [image.quantize(palette=colours, dither=Image.Dither.NONE) for image in images]
    file = io.BytesIO()
    frames[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[milliseconds] * (len(frames) - 1) + [LAST_MILLISECONDS],
        loop=0,
        optimize=False,
    )
    return file.getvalue()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Record a round of each game as an animated GIF.")
    parser.add_argument("--game", choices=GAMES, help="only this one")
    parser.add_argument("--seed", type=int, help="of the match")
    parser.add_argument("--folder", type=Path, default=IMAGES)
    options = parser.parse_args(arguments)
    for game in [options.game] if options.game else GAMES:
        path = options.folder / f"{game}.gif"
        check_place(path)
        scenes = scenes_of(game, SEEDS[game] if options.seed is None else options.seed)
        content = animation([image_of(scene) for scene in scenes], MILLISECONDS[game])
        write_bytes(path, content)
        print(f"{path}: {len(scenes)} frames, {len(content) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
