"""The window of the render mode ``human``, on SDL's dummy display."""

from __future__ import annotations

import copy
import pickle
import time
from collections.abc import Iterator

import numpy as np
import pygame
import pytest

from tests.pictures.scenes import xeri_scene
from xabitha_env.pictures.sheet import SIZE
from xabitha_env.pictures.table import pixels
from xabitha_env.pictures.window import Window

FAST = 10_000.0


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    pygame.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    made = Window("a table")
    yield made
    made.close()
    pygame.quit()


def shown() -> np.ndarray:
    """Return what the window shows, (640, 960, 3)."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)


def test_it_shows_one_scene_after_another(window: Window) -> None:
    assert not window.open and not pygame.display.get_init()
    for count in (3, 4):
        window.show(xeri_scene(count), FAST)
        assert window.open
        assert (shown() == pixels(xeri_scene(count))).all()
    assert pygame.display.get_window_size() == SIZE
    assert pygame.display.get_caption()[0] == "a table"


def test_closing(window: Window) -> None:
    window.close()
    window.show(xeri_scene(3), FAST)
    window.close()
    window.close()
    assert not window.open and not pygame.display.get_init()
    window.show(xeri_scene(3), FAST)
    assert window.open


def test_somebody_closes_it(window: Window) -> None:
    window.show(xeri_scene(3), FAST)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for count in (4, 5):
        window.show(xeri_scene(count), FAST)
        assert not window.open and not pygame.display.get_init()
    began = time.monotonic()
    window.show(xeri_scene(6), 0.5)  # nobody waits for what is not shown
    assert time.monotonic() - began < 1
    window.close()
    window.show(xeri_scene(3), FAST)
    assert window.open


def test_other_events_change_nothing(window: Window) -> None:
    window.show(xeri_scene(3), FAST)
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_q))
    window.show(xeri_scene(4), FAST)
    assert window.open and not pygame.event.peek(pygame.KEYDOWN)


def test_it_keeps_its_pace(window: Window) -> None:
    began = time.monotonic()
    for count in range(5):
        window.show(xeri_scene(count), 20.0)
    assert 0.15 < time.monotonic() - began < 5
    began = time.monotonic()
    window.show(xeri_scene(4), 0.2)  # the same scene does not wait
    assert time.monotonic() - began < 2.5


def test_two_tables_share_the_window(window: Window) -> None:
    other = Window("another table")
    window.show(xeri_scene(3), FAST)
    other.show(xeri_scene(4), FAST)
    assert (shown() == pixels(xeri_scene(4))).all()
    other.close()
    assert window.open and pygame.display.get_init()
    window.show(xeri_scene(5), FAST)
    assert (shown() == pixels(xeri_scene(5))).all()
    other.show(xeri_scene(4), FAST)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(xeri_scene(6), FAST)
    other.show(xeri_scene(7), FAST)
    assert not window.open and not other.open
    other.close()


def test_a_copy_has_no_window(window: Window) -> None:
    window.show(xeri_scene(3), FAST)
    for twin in (copy.deepcopy(window), pickle.loads(pickle.dumps(window))):
        assert not twin.open
        twin.close()
        assert window.open and pygame.display.get_init()
        twin.show(xeri_scene(4), FAST)
        assert twin.open
        twin.close()
    assert window.open


def test_pygame_is_ended_by_somebody_else(window: Window) -> None:
    window.show(xeri_scene(3), FAST)
    pygame.quit()
    window.show(xeri_scene(4), FAST)
    assert not window.open


def test_no_window_can_be_opened(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_display")
    with pytest.raises(RuntimeError, match="no_such_display.*rgb_array"):
        window.show(xeri_scene(3), FAST)
    assert not window.open
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window.show(xeri_scene(3), FAST)
    assert window.open
