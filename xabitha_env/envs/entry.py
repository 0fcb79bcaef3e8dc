"""The PettingZoo entry points `env` and `raw_env` of both games."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Protocol

from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from xabitha_env.envs.aec import Last, TableEnv
from xabitha_env.protocol import Rules


class EnvFunction(Protocol):
    """A PettingZoo entry point."""

    def __call__(
        self,
        *,
        rules: Rules | Mapping[str, Any] | None = None,
        reward: str = "team_difference",
        episode: str = "match",
        derived: bool = True,
        illegal: str = "refuse",
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> AECEnv:
        """Return a table for four agents, one of which acts at a time.

        An agent may act many times in a row, as the rules have it; whose turn it is says
        ``agent_selection``. Rewards come to all four agents when a round ends. Infos are empty,
        except for what follows on an illegal action; they say nothing that the agent cannot see.

        Args:
            rules: a rules configuration, some of its fields, or None for the default rules.
            reward: the engine's reward, by name.
            episode: ``match``, or ``round`` for matches of a single round.
            derived: whether observations hold the derived sections.
            illegal: what an illegal action does. ``refuse``: nothing changes, the same agent is
                still to act, and its info has ``illegal_action`` (True), the ``rule`` and the
                ``message``. ``raise``: a ValueError, and nothing changes. ``terminate``: the
                episode ends for all, terminated and truncated, as with PettingZoo's
                ``TerminateIllegalWrapper``; the agent gets -1, the others nothing.
            max_cycles: steps, refused ones included, after which the episode is truncated; by
                default 20,000 a round, which legal play does not reach.
            render_mode: how `render` shows the table, all hands open. ``ansi``: it returns text.
                ``rgb_array``: it returns an array (640, 960, 3) uint8. ``human``: a window shows
                the table after `reset` and after each `step`, at most
                ``metadata["render_fps"]`` of them a second; once somebody closes it, the match
                goes on without. None: not at all.

        Raises:
            ValueError: an argument is none of what it may be; the message says which and why.
            ImportError: the render mode draws pictures, and pygame is missing.
        """


class OrderedTableEnv(OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's check of the order of calls, without its cost for `last`."""

    def last(self, observe: bool = True) -> Last:
        """Return what the agent to act needs (see `TableEnv.last`)."""
        return self.env.last(observe)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return str(self.env)


def entry_points(game: str, name: str) -> tuple[EnvFunction, EnvFunction]:
    """Return a game's PettingZoo entry points `env` and `raw_env`.

    Args:
        game: the game's name.
        name: the name and version of the environment, such as ``xabitha_v0``.
    """

    def raw_env(**options: Any) -> TableEnv:
        return TableEnv(game, name, **options)

    def env(**options: Any) -> OrderedTableEnv:
        return OrderedTableEnv(raw_env(**options))

    signature = inspect.signature(EnvFunction.__call__)
    options = list(signature.parameters.values())[1:]
    for function in (env, raw_env):
        function.__doc__ = EnvFunction.__call__.__doc__
        function.__module__ = f"xabitha_env.{name}"
        function.__dict__["__signature__"] = signature.replace(parameters=options)
    return env, raw_env
