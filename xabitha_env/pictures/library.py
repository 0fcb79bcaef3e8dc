"""Whether pygame is there, asked before anything is drawn."""

from __future__ import annotations

import os


def check_library() -> None:
    """See that tables can be drawn.

    Raises:
        ImportError: pygame is missing; the message names the extra.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would print on being imported
    try:
        import pygame  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"drawing tables needs pygame: install xabitha-env[render] ({error})"
        ) from error
