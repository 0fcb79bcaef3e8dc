"""What the tests of render modes share."""

from __future__ import annotations

import pygame
import pytest

from xabitha_env.envs.single_agent import SingleAgentEnv

SHAPE = (640, 960, 3)


def use_dummy_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let windows open where nobody sees them, and show scenes as fast as they come."""
    pygame.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("xabitha_env.envs.aec.RENDER_FPS", 10_000)
    monkeypatch.setitem(SingleAgentEnv.metadata, "render_fps", 10_000)
