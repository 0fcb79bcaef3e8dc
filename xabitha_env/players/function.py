"""Plain functions as players."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xabitha_env.players.base import Agent, View


class FunctionPlayer(Agent):
    """A function from one observation (O,) and its mask (A,) to an action."""

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))

    def act(self, view: View) -> Any:
        """Return the function's answer for each row, a list of n."""
        return [
            self.function(observation, mask)
            for observation, mask in zip(view.observation, view.mask, strict=True)
        ]
