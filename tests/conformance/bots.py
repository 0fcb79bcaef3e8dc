"""Agents with one fault each, for the checks to find."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np

from xabitha_env.players import Agent, View

COUNT = itertools.count()


class Good(Agent):
    """Takes the first legal move, or another by what it sees."""

    name = "good"

    def reset(self, engine: Any, seed: int) -> None:
        self.engine, self.seed, self.decisions = engine, seed, 0

    def act(self, view: View) -> Any:
        return np.array([self.choose(view, row) for row in range(len(view.game))])

    def choose(self, view: View, row: int) -> int:
        return int(view.legal[row, int(view.observation[row].sum()) % view.legal_count[row]])


class Illegal(Good):
    name = "illegal"

    def choose(self, view: View, row: int) -> int:
        return int(np.flatnonzero(view.mask[row] == 0)[0])


class Failing(Good):
    name = "failing"

    def choose(self, view: View, row: int) -> int:
        raise KeyError("lost")


class Erratic(Good):
    """Draws lots that no seed fixes."""

    name = "erratic"

    def choose(self, view: View, row: int) -> int:
        return int(view.legal[row, next(COUNT) * 7919 // 5 % view.legal_count[row]])


class Ordered(Good):
    """Draws lots in the order in which it is asked, whatever the game."""

    name = "ordered"

    def reset(self, engine: Any, seed: int) -> None:
        super().reset(engine, seed)
        self.rng = random.Random(seed)

    def choose(self, view: View, row: int) -> int:
        return int(view.legal[row, self.rng.randrange(view.legal_count[row])])

    def get_state(self) -> Any:
        return self.rng.getstate()

    def set_state(self, state: Any) -> None:
        self.rng.setstate(state)


class Cheating(Good):
    """Looks at all cards."""

    name = "cheating"

    def choose(self, view: View, row: int) -> int:
        cards = int(self.engine.global_state(int(view.game[row])).nonzero()[0].sum())
        return int(view.legal[row, cards % view.legal_count[row]])


class Forgetful(Good):
    """Counts its decisions by game, and does not keep the counts."""

    name = "forgetful"

    def reset(self, engine: Any, seed: int) -> None:
        super().reset(engine, seed)
        self.counts: dict[int, int] = {}

    def choose(self, view: View, row: int) -> int:
        game = int(view.game[row])
        self.counts[game] = self.counts.get(game, 0) + 1
        return int(view.legal[row, self.counts[game] % view.legal_count[row]])


class Remembering(Forgetful):
    name = "remembering"

    def get_state(self) -> Any:
        return dict(self.counts)

    def set_state(self, state: Any) -> None:
        self.counts = dict(state)


def aec() -> Any:
    from xabitha_env import xeri_v0

    return xeri_v0.env()


def single() -> Any:
    import gymnasium

    import xabitha_env

    assert xabitha_env.__version__
    return gymnasium.make("xabitha_env/Xeri-v0")


def broken() -> Any:
    env = single()

    class Broken(type(env.unwrapped)):  # type: ignore[misc]
        def reset(self, **options: Any) -> Any:
            observation, _ = super().reset(**options)
            return observation  # no info

    return Broken("xeri")


def nothing() -> Any:
    return object()


def failing() -> Any:
    raise RuntimeError("out of order")
