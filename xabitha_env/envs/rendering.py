"""How environments show tables: as text, as pixels, or in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from xabitha_env.envs.settings import one_of
from xabitha_env.pictures.library import check_library
from xabitha_env.protocol import Engine

if TYPE_CHECKING:
    from xabitha_env.pictures.window import Window

Pixels: TypeAlias = NDArray[np.uint8]
Frame: TypeAlias = str | Pixels

RENDER_MODES = ("human", "rgb_array", "ansi")
FRAME_MODES = ("rgb_array", "ansi")
"""Those whose result is returned, so that there may be many tables."""
RENDER_FPS = 4
"""Scenes a second in a window and in videos: slow enough to follow a match."""


def render_mode_of(value: str | None, allowed: tuple[str, ...] = RENDER_MODES) -> str | None:
    """Return a render mode, None for no rendering.

    Raises:
        ValueError: there is no such mode.
        ImportError: it draws pictures, and pygame is missing.
    """
    if value is None:
        return None
    if one_of("render_mode", value, allowed) != "ansi":
        check_library()
    return value


def frame_of(engine: Engine, index: int, seat: int | None, mode: str) -> Frame:
    """Return a table as one seat sees it, or with all hands open (None).

    Args:
        engine: the games.
        index: which one.
        seat: whose view it is.
        mode: ``ansi`` for lines of text, ``rgb_array`` for an array (640, 960, 3) of its own.
    """
    if mode == "ansi":
        return engine.render(index, seat)
    from xabitha_env.pictures.table import pixels

    return pixels(engine.scene(index, seat))


class Screen:
    """Shows an environment's table in its render mode.

    Args:
        mode: a render mode, or None for none.
        title: what stands above a window.
    """

    def __init__(self, mode: str | None, title: str) -> None:
        self._mode = mode
        self._window: Window | None = None
        if mode == "human":
            from xabitha_env.pictures.window import Window

            self._window = Window(title)

    def render(self, engine: Engine, seat: int | None, scenes_per_second: float) -> Frame | None:
        """Return the table as `frame_of` does, or show it in a window.

        Args:
            engine: a batch of one game.
            seat: whose view it is, or None for all hands open.
            scenes_per_second: how many scenes a window shows at most.
        """
        if self._mode is None:
            logger.warn("render() does nothing: the environment was made without a render_mode")
            return None
        if self._window is None:
            return frame_of(engine, 0, seat, self._mode)
        self._window.show(engine.scene(0, seat), scenes_per_second)
        return None

    def close(self) -> None:
        """Release the window, if there is one."""
        if self._window is not None:
            self._window.close()
