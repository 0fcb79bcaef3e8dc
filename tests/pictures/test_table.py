"""Pictures of tables: everything has its place, and pixels repeat."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pygame
import pytest

from tests.pictures.scenes import FULLEST, hand, xabitha_scene, xeri_scene
from xabitha_env.cards import CARD_NAMES
from xabitha_env.games import GAMES, make_engine, make_rules
from xabitha_env.pictures.faces import ACROSS, DOWN, back, face
from xabitha_env.pictures.lettering import SMALLEST, fitted, lettering
from xabitha_env.pictures.sheet import BADGE, CARD, GOLD, PANEL, SIZE, TEXT, Piece
from xabitha_env.pictures.table import pixels, sheet_of
from xabitha_env.scene import Scene

SHAPE = (SIZE[1], SIZE[0], 3)


def collisions(scene: Scene) -> list[tuple[Piece, Piece]]:
    """Return the pieces that lie on each other and should not.

    Words lie on nothing but grounds; badges on no more than the backs of their own pile; and only
    cards of one group overlap.
    """
    pieces = [piece for piece in sheet_of(scene).pieces if piece.kind != PANEL]
    return [
        (one, other)
        for one, other in combinations(pieces, 2)
        if one.rect.colliderect(other.rect)
        and (
            TEXT in (one.kind, other.kind)
            or one.owner != other.owner
            or one.kind == other.kind == BADGE
        )
    ]


def strip(card: Piece, after: Piece) -> tuple[int, int]:
    """Return how much of a card is seen beside, or above, the next one of its group."""
    return after.rect.x - card.rect.x, after.rect.y - card.rect.y


@pytest.mark.parametrize("name", FULLEST)
def test_everything_has_its_place(name: str) -> None:
    scene = FULLEST[name]
    whole = pygame.Rect((0, 0), SIZE)
    pieces = sheet_of(scene).pieces
    assert all(whole.contains(piece.rect) for piece in pieces)
    assert collisions(scene) == []
    mats = {p.owner: p.rect for p in pieces if p.kind == PANEL and p.owner.startswith("seat")}
    for piece in pieces:
        if piece.owner.startswith("seat"):
            seat = piece.owner[:6]
            mat = next(p.rect for p in pieces if p.owner == seat and p.kind == PANEL)
            assert mat.contains(piece.rect), (name, piece)
    assert len(mats) >= 4


@pytest.mark.parametrize("name", FULLEST)
def test_every_card_is_drawn_and_can_be_read(name: str) -> None:
    scene = FULLEST[name]
    cards = [piece for piece in sheet_of(scene).pieces if piece.kind == CARD]
    for seat in scene.seats:
        own = [piece for piece in cards if piece.owner == f"seat {seat.seat}"]
        assert len(own) == seat.hand.count
        for meld in seat.staged:
            assert sum(p.owner == f"seat {seat.seat} {meld.name}" for p in cards) == meld.count
    for group in scene.melds:
        assert sum(piece.owner == group.name for piece in cards) == group.count
    for one, other in pairwise(cards):
        if one.owner == other.owner and not one.owner.startswith(("deck", "fire", "team", "stock")):
            right, below = strip(one, other)
            legible = 0.34 * one.rect.width
            assert right >= legible or below >= 16 or below < 0  # or another line begins


def test_long_runs_stay_legible() -> None:
    """As many cards as can be on a table, four times fourteen, are at least 46 pixels wide."""
    scene = xabitha_scene([hand(1)] * 4, [tuple(f"{rank}S" for rank in "A23456789TJQKA")] * 4)
    widths = {p.rect.width for p in sheet_of(scene).pieces if p.owner.startswith("meld ")}
    assert max(widths) >= 46


@pytest.mark.parametrize("game", GAMES)
def test_matches_fit_and_pixels_repeat(game: str) -> None:
    engine = make_engine(game, rules=make_rules(game, {"num_rounds": 1}))
    engine.reset(seed=6)
    code = np.full(1, engine.player_codes["expert"], np.int8)
    viewers = (None, 0, 1, 2, 3)
    decision = 0
    while not engine.over[0] and decision < 150:
        scene = engine.scene(0, viewers[decision % 5])
        assert collisions(scene) == []
        if decision % 40 == 0:
            first, second = pixels(scene), pixels(scene)
            assert first.shape == SHAPE and first.dtype == np.uint8 and first.flags.writeable
            assert first is not second and (first == second).all()
        engine.step(engine.choose(code))
        decision += 1
    assert collisions(engine.scene()) == []


def test_a_match_does_not_show_what_the_viewer_does_not_see() -> None:
    """Two tables that differ in other seats' cards only look the same."""
    hidden = [hand(14, False)] * 4
    hidden[2] = hand(15)
    first = xabitha_scene(hidden, [], viewer=2)
    second = xabitha_scene(hidden, [], viewer=2)
    assert (pixels(first) == pixels(second)).all()
    for seat in (0, 1, 3):
        own = [p for p in sheet_of(first).pieces if p.kind == CARD and p.owner == f"seat {seat}"]
        assert {piece.surface for piece in own} == {back(own[0].rect.width)}


def test_the_viewer_sits_below_and_play_goes_clockwise() -> None:
    for viewer in (None, 0, 1, 2, 3):
        mats = {p.owner: p.rect for p in sheet_of(xeri_scene(4, viewer)).pieces if p.kind == PANEL}
        below = viewer or 0
        places = [mats[f"seat {(below + turn) % 4}"] for turn in range(4)]
        assert places[0].y > places[2].y and places[1].x < places[3].x


def test_the_seat_to_act_is_marked() -> None:
    for actor in (0, 1, 2, 3, None):
        pieces = sheet_of(xeri_scene(4, actor=actor)).pieces
        marked = [
            piece.owner
            for piece in pieces
            if piece.kind == PANEL
            and piece.owner.startswith("seat")
            and np.abs(np.subtract(piece.surface.get_at((40, 1))[:3], GOLD)).max() < 9
        ]
        assert marked == ([] if actor is None else [f"seat {actor}"])


def test_what_is_said_changes_the_picture() -> None:
    """Every field of a scene can be seen."""
    scene = xabitha_scene([hand(14)] * 4, [("2C", "3C", "4C")], viewer=None)
    seat = scene.seats[0]
    others = (
        replace(scene, place="round 2"),
        replace(scene, scores=(("penalties", 12345, 0),)),
        replace(scene, doing="the match is over"),
        replace(scene, news=""),
        replace(scene, actor=2),
        replace(scene, melds=()),
        replace(scene, piles=scene.piles[:1]),
        replace(scene, viewer=0),
        replace(scene, seats=(replace(seat, status="down"), *scene.seats[1:])),
        replace(scene, seats=(replace(seat, secret=""), *scene.seats[1:])),
        replace(scene, seats=(replace(seat, hand=hand(13)), *scene.seats[1:])),
    )
    drawn = {pixels(one).tobytes() for one in (scene, *others)}
    assert len(drawn) == len(others) + 1


@pytest.mark.parametrize("overlap", [ACROSS, DOWN])
@pytest.mark.parametrize("width", [20, 28, 52, 84])
def test_faces_differ(width: int, overlap: str) -> None:
    made = {pygame.image.tobytes(face(card, width, overlap), "RGBA") for card in CARD_NAMES}
    made.add(pygame.image.tobytes(back(width), "RGBA"))
    assert len(made) == len(CARD_NAMES) + 1


def test_suits_differ_without_colour() -> None:
    """Clubs and spades, hearts and diamonds are told apart by shape."""
    grey = [
        pygame.surfarray.array_alpha(face("A" + suit, 84)) * 0
        + pygame.surfarray.array3d(face("A" + suit, 84)).min(axis=2)
        for suit in "CDHS"
    ]
    dark = [shade < 90 for shade in grey]
    for one, other in combinations(dark, 2):
        assert (one != other).sum() > 100


def test_no_card() -> None:
    with pytest.raises(ValueError, match="1X"):
        face("1X", 52)


def test_text_fits() -> None:
    for width in (400, 200, 100, 30, 3):
        made = fitted("opens at 51, and much more than that", 24, (1, 2, 3), width)
        assert made.get_width() <= width
    assert fitted("ab", 24, (1, 2, 3), 400) is lettering("ab", 24, (1, 2, 3))
    assert (
        fitted("a" * 200, 24, (1, 2, 3), 50).get_height()
        == lettering("a", SMALLEST, (1, 2, 3)).get_height()
    )


def test_pictures_outlive_pygame() -> None:
    """Somebody else may end pygame between two pictures."""
    before = pixels(xeri_scene(3))
    pygame.quit()
    assert (pixels(xeri_scene(3)) == before).all()
    assert pixels(xeri_scene(31)).shape == SHAPE


def test_no_display_is_needed() -> None:
    code = (
        "import pygame\n"
        "from xabitha_env import make_engine\n"
        "from xabitha_env.pictures.table import pixels\n"
        "engine = make_engine('xeri')\n"
        "engine.reset(1)\n"
        "print(pixels(engine.scene()).shape, pygame.display.get_init())\n"
    )
    hidden = {"SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{SHAPE} False\n"


def test_nothing_shines_through_a_card() -> None:
    """What lies below a card cannot be seen inside its edge."""
    for made in (face("KH", 84), face("JK", 48, DOWN), back(52)):
        alpha = pygame.surfarray.array_alpha(made)
        assert (alpha[8:-8, 8:-8] == 255).all()
