"""Players that search: each candidate is played out in many worlds that may be the true one.

For a decision the seat draws worlds, each with everything hidden from it dealt anew, and in every
world plays each candidate and then, all seats being played by `expert`, the round to its end
(determinised Monte Carlo; Ginsberg 2001). All candidates meet the same worlds, so that the luck of
the cards cancels out in their differences (common random numbers). Candidates that fall behind are
dropped, the weaker half at a time (sequential halving; Karnin, Koren and Somekh 2013).
"""

from __future__ import annotations

import time
from math import ceil, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env._jit import records
from xabitha_env._random import seed_streams
from xabitha_env.players.base import Agent, View
from xabitha_env.players.opinion import Opinion
from xabitha_env.players.worlds import search_kernels
from xabitha_env.protocol import Engine

DEFAULT_WORLDS = 256
CHUNK = 8
"""Worlds played between two looks at the clock and at the lead."""
FEWEST_LEFT = 2
FEWEST_WORLDS = 64
"""Worlds before a lead may end the search."""
SURE = 4.0
"""A lead over every other candidate of so many standard errors ends the search."""


class Verdict(NamedTuple):
    """What a search found.

    Attributes:
        actions: (k,) the candidates, the one that `expert` would choose first.
        means: (k,) points by which the own team won the round, on average.
        errors: (k,) standard errors of the differences from the mean of the first.
        worlds: (k,) in how many worlds each was played out; the first and the best in most.
        caution: how many standard errors better than the first another must be.
    """

    actions: NDArray[np.int64]
    means: NDArray[np.float64]
    errors: NDArray[np.float64]
    worlds: NDArray[np.int64]
    caution: float

    @property
    def bounds(self) -> NDArray[np.float64]:
        """(k,) cautious means, lower by some errors; -inf for candidates that were dropped."""
        return np.where(
            self.worlds == self.worlds.max(), self.means - self.caution * self.errors, -np.inf
        )

    @property
    def best(self) -> int:
        """The action that is best with caution: `expert`'s unless another is clearly better."""
        return int(self.actions[np.argmax(self.bounds)])


def _judge(
    actions: NDArray[np.int64],
    margins: NDArray[np.float64],
    weights: NDArray[np.float64],
    caution: float,
) -> Verdict:
    """Sum up (w, k) margins, NaN where a candidate was dropped before, and (w,) weights."""
    played = ~np.isnan(margins)
    share = weights[:, None] * played
    share /= np.maximum(share.sum(axis=0), np.finfo(float).tiny)
    known = np.where(played, margins, 0.0)
    means = (share * known).sum(axis=0)
    worlds = played.sum(axis=0)
    lag = np.where(played, margins[:, [0]] - margins, 0.0)
    spread = lag - (share * lag).sum(axis=0)
    return Verdict(actions, means, np.sqrt((share**2 * spread**2).sum(axis=0)), worlds, caution)


def _better_half(verdict: Verdict, left: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the better half of the candidates that are left; the first always stays."""
    others = left[1:]
    order = np.argsort(-verdict.means[others], kind="stable")
    return np.append(0, np.sort(others[order[: (len(left) + 1) // 2 - 1]]))


def _is_sure(verdict: Verdict, left: NDArray[np.intp]) -> bool:
    """Return whether the best candidate is clearly ahead of the others that are left."""
    best = np.argmax(verdict.bounds)
    others = left[left != best]
    lead = verdict.means[best] - verdict.means[others]
    spread = np.hypot(verdict.errors[best], verdict.errors[others])
    return bool(verdict.worlds.max() >= FEWEST_WORLDS and (lead > SURE * spread).all())


class SearchAgent(Agent):
    """A player that searches at every decision that leaves a choice.

    Every decision has a random stream of its own, which follows from the match's seed and from how
    many decisions were made before; so with a budget in worlds a match is the same in any batch.
    With a budget in time it is not, as it depends on the machine.

    Args:
        worlds: how many worlds each of the last candidates is played out in.
        ms: milliseconds a decision instead (compiling aside).
        weighted: whether worlds count by how likely `expert` would have played as the others did.
        seed: another seed gives other worlds.

    Raises:
        ValueError: a budget below 1.
    """

    name = "search"
    open_cards = False
    chunk = CHUNK

    def __init__(
        self, worlds: int | None = None, ms: int | None = None, weighted: int = 1, seed: int = 0
    ) -> None:
        for name, value in (("worlds", worlds), ("ms", ms)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
        if worlds is not None and ms is not None:
            raise ValueError("give worlds or ms, not both")
        self.worlds = worlds or DEFAULT_WORLDS
        self.ms = ms
        self.weighted = bool(weighted)
        self._word = seed_streams(seed, 1)[0]
        self._engine: Engine | None = None

    def reset(self, engine: Engine, seed: int) -> None:
        """Play on this engine's games from now on; the seed of the games decides, not this one."""
        self._engine = engine
        self._kernels: Any = search_kernels(engine.game)
        self.caution = float(self._kernels.CAUTION)

    def act(self, view: View) -> NDArray[np.int64]:
        """Return one legal action a row, (n,), as the engine's games stand now.

        Raises:
            RuntimeError: `reset` was never called.
        """
        return np.array([self.search(int(game)).best for game in view.game], np.int64)

    def opinion(self, view: View) -> Opinion:
        """Return by how many points each candidate would win the round, with all its errors."""
        found = self.search(int(view.game[0]))
        if not found.worlds.any():
            return Opinion(found.best)
        return Opinion(found.best, found.actions, found.means, found.errors, "points a round")

    def search(self, game: int) -> Verdict:
        """Return what a search for the seat to act in a game finds."""
        if self._engine is None:
            raise RuntimeError(f"player {self.name!r} needs reset(engine, seed) before act(view)")
        games = records(self._engine.games)
        actions = self._candidates(games, game)
        if len(actions) == 1:
            return Verdict(actions, np.zeros(1), np.zeros(1), np.zeros(1, np.int64), 0.0)
        word = self._kernels.describe_decision(games, game) ^ self._word
        return self._halve(games, game, actions, int(word))

    def _candidates(self, games: NDArray[Any], game: int) -> NDArray[np.int64]:
        """Return the actions to be tried, (k,); the first is played unless another is better."""
        assert self._engine is not None
        ids = np.empty(self._engine.max_legal, np.int32)
        count = self._kernels.list_candidates(games, game, ids)
        return ids[:count].astype(np.int64)

    def _halve(
        self, games: NDArray[Any], game: int, actions: NDArray[np.int64], word: int
    ) -> Verdict:
        """Play candidates out; the weaker half is dropped at each equal share of the budget."""
        started = time.perf_counter()
        shares = max(1, ceil(log2(len(actions))))
        drops = 0
        left = np.arange(len(actions))
        margins, weights = np.empty((0, len(actions))), np.empty(0)
        while True:
            size = 1 if self.open_cards else self.chunk  # with open cards chance has no part
            if self.ms is None:
                size = min(size, self.worlds - len(margins))
            words = seed_streams([word, len(margins)], size)
            rows, heavy = np.full((size, len(actions)), np.nan), np.empty(size)
            rows[:, left] = self._roll_out(games, game, actions[left], words, heavy)
            margins, weights = np.concatenate([margins, rows]), np.concatenate([weights, heavy])
            verdict = _judge(actions, margins, weights, self.caution)
            spent = self._spent(len(margins), started)
            if self.open_cards or spent >= 1 or _is_sure(verdict, left):
                return verdict
            if len(left) > FEWEST_LEFT and spent >= (drops + 1) / shares:
                left = _better_half(verdict, left)
                drops += 1

    def _roll_out(
        self,
        games: NDArray[Any],
        game: int,
        actions: NDArray[np.int64],
        words: NDArray[np.uint64],
        weights: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        margins = np.empty((len(words), len(actions)))
        self._kernels.roll_out(
            games, game, actions, words, self.open_cards, self.weighted, margins, weights
        )
        return margins

    def _spent(self, worlds: int, started: float) -> float:
        """Return which share of the budget is used."""
        if self.ms is not None:
            return (time.perf_counter() - started) * 1000 / self.ms
        return worlds / self.worlds


class CheatingSearchAgent(SearchAgent):
    """A search that sees all cards: a ceiling for reports, and no player by the rules."""

    name = "cheating-search"
    open_cards = True
