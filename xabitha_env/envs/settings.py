"""Arguments that all environments share: what they may be, and clear errors where they are not."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from xabitha_env.games import make_rules
from xabitha_env.protocol import Rules

EPISODES = ("match", "round")
ILLEGAL = ("refuse", "raise", "terminate")
ILLEGAL_REWARD = -1.0
"""What an illegal action costs with ``illegal="terminate"``."""


def one_of(name: str, value: str, allowed: Sequence[str]) -> str:
    """Return an argument that must be one of a few words.

    Raises:
        ValueError: it is none of them.
    """
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def episode_rules(game: str, rules: Rules | Mapping[str, Any] | None, episode: str) -> Rules:
    """Return the rules of an episode: a round is a match of one round.

    Args:
        game: the game's name.
        rules: a rules configuration, or some of its fields, or None for the default rules.
        episode: ``match`` or ``round``.

    Raises:
        ValueError: unknown game, field or episode, or a value out of its range.
    """
    one_of("episode", episode, EPISODES)
    if rules is None or isinstance(rules, Mapping):
        fields = dict(rules or {})
    elif isinstance(rules, type(make_rules(game))):
        fields = rules.to_dict()
    else:
        raise ValueError(
            f"rules must be a rules configuration of {game}, or a mapping of some of its fields, "
            f"not {rules!r}"
        )
    if episode == "round":
        fields["num_rounds"] = 1
        if fields.get("target_score") is not None:  # Xeri, R5.2: the number of rounds is then open
            fields["target_score"] = None
    return make_rules(game, fields)


def step_limit(name: str, value: int | None, default: int) -> int:
    """Return after how many steps an episode is cut off.

    Raises:
        ValueError: not a whole number of at least 1.
    """
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
    return int(value)


def checked_action(action: Any, num_actions: int) -> int:
    """Return an action as an int.

    Raises:
        ValueError: not an integer, or no action of the game.
    """
    try:
        index = operator.index(action)
    except TypeError:
        raise ValueError(f"an action is one integer, not {action!r}") from None
    if not 0 <= index < num_actions:
        raise ValueError(f"there is no action {index}: actions are 0 to {num_actions - 1}")
    return index


def fresh_seed() -> int:
    """Return a seed that nobody chose."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)


def checked_seed(seed: Any) -> int | None:
    """Return a seed as an int, or None.

    Raises:
        ValueError: not an integer of at least 0.
    """
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"a seed is a whole number of at least 0 or None, not {seed!r}")
    return int(seed)


def features_space(size: int) -> spaces.Space[NDArray[np.int8]]:
    """Return the space (a `Box`) of `size` features that are 0 or 1 each, as int8."""
    return cast("spaces.Space[NDArray[np.int8]]", spaces.Box(0, 1, (size,), np.int8))
