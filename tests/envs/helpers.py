"""What the tests of the environments share."""

from __future__ import annotations

from typing import Any

import numpy as np

SHORT = {"num_rounds": 2}
RULES_SEED = 5


def any_legal(mask: np.ndarray, rng: np.random.Generator) -> int:
    """Return a random action that a mask allows."""
    return int(rng.choice(np.flatnonzero(mask)))


def any_illegal(mask: np.ndarray) -> int:
    """Return an action that a mask forbids."""
    return int(np.flatnonzero(mask == 0)[0])


def some_legal(masks: np.ndarray, step: int) -> np.ndarray:
    """Return for each mask an action that depends on nothing but the mask and the step."""
    picks = []
    for mask in masks:
        allowed = np.flatnonzero(mask)
        picks.append(
            allowed[(7919 * step + 13 * len(allowed)) % len(allowed)] if len(allowed) else 0
        )
    return np.array(picks)


def step_randomly(env: Any, rng: np.random.Generator, steps: int) -> None:
    """Let a PettingZoo environment's agents make some random legal actions."""
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.last()
        done = terminated or truncated
        env.step(None if done else any_legal(observation["action_mask"], rng))
        if not env.agents:
            return


def same_state(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether two arrays of records are the same (padding between fields aside)."""
    return bool((first == second).all())


def same_games(first: Any, second: Any) -> bool:
    """Return whether two engines are in the same state."""
    return same_state(first.get_state(), second.get_state())
