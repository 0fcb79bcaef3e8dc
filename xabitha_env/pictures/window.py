"""A window that shows a table while it is played."""

from __future__ import annotations

from typing import Any, ClassVar
from weakref import WeakSet

import pygame

from xabitha_env.pictures.sheet import SIZE
from xabitha_env.pictures.table import draw_table
from xabitha_env.scene import Scene


class Window:
    """Shows one scene after another, not faster than so many a second.

    It opens with the first scene. Somebody may close it: then it stays closed, and what is to be
    shown is not, until `close` is called, after which it opens again. pygame has one window a
    process: several tables share it, and it shows the last one drawn. A copy (also by pickle) has
    no window yet.

    Args:
        title: what stands above.
    """

    _open: ClassVar[WeakSet[Window]] = WeakSet()
    """Who shows something in pygame's window."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._begin()

    def _begin(self) -> None:
        self._clock = pygame.time.Clock()
        self._last: Scene | None = None
        self._gone = False  # somebody closed it

    def __getstate__(self) -> dict[str, Any]:
        return {"_title": self._title}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    @property
    def open(self) -> bool:
        """Whether there is a window."""
        return self in Window._open and not self._gone

    def show(self, scene: Scene, scenes_per_second: float) -> None:
        """Show a scene, when the last one has been there for long enough.

        Args:
            scene: what to show; the last one again is drawn at once.
            scenes_per_second: how many scenes are shown at most.

        Raises:
            RuntimeError: no window can be opened here.
        """
        surface = self._surface()
        if surface is None:
            return
        if scene != self._last:
            self._clock.tick(scenes_per_second)
        surface.blit(draw_table(scene), (0, 0))
        pygame.display.flip()
        self._last = scene

    def _surface(self) -> pygame.Surface | None:
        """Return what is to be drawn on, None once somebody has closed the window.

        Events of the keyboard and the mouse are dropped: they mean nothing here.
        """
        if self._gone:
            return None
        if self not in Window._open:
            _open_window()
            pygame.display.set_caption(self._title)
            Window._open.add(self)
        surface = pygame.display.get_surface()  # None: closed while another table was shown
        if surface is None or any(event.type == pygame.QUIT for event in pygame.event.get()):
            self._gone = True
            Window._open.discard(self)
            pygame.display.quit()
            return None
        return surface

    def close(self) -> None:
        """Release the window; nothing happens if there is none."""
        if self in Window._open:
            Window._open.discard(self)
            if not Window._open:
                pygame.display.quit()
        self._begin()


def _open_window() -> None:
    """Open pygame's window, unless it is open."""
    try:
        pygame.display.init()
        if pygame.display.get_surface() is None:
            pygame.display.set_mode(SIZE)
    except pygame.error as error:
        raise RuntimeError(
            f"no window can be opened here ({error}): pictures without one need no display "
            "(render_mode='rgb_array')"
        ) from error
