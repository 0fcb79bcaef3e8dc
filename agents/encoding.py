"""From the games of an engine to the inputs of the networks.

A decision is described by the features that are 1 (what the seat sees, and for critics what is
hidden from it) and, for each legal action, by a token and its traits; see `<game>/advice.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.sparse import Lists, gather, list_active, pick
from xabitha_env._jit import records
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.games import engine_class
from xabitha_env.protocol import Engine
from xabitha_env.symmetry import kind_map, layout_map

WORD = 8
"""Columns of the dense features come in groups of so many."""


class Inputs(NamedTuple):
    """Inputs of n decisions with m legal actions in all."""

    found: NDArray[np.int16]  # numbers of the active features, decision after decision
    begins: NDArray[np.int64]  # (n + 1,) where those of a decision begin
    splits: NDArray[np.int64]  # (n,) where those begin that its seat does not see
    actions: NDArray[np.int32]  # (m,) the engine's numbers
    tokens: NDArray[np.int64]  # (m,)
    traits: NDArray[np.float32]  # (m, T)
    starts: NDArray[np.int64]  # (n + 1,) where the actions of a decision begin
    hidden: NDArray[np.int64]  # (n, 3) masks of the kinds that the other seats hold

    @property
    def size(self) -> int:
        """How many decisions."""
        return len(self.splits)

    @property
    def rows(self) -> NDArray[np.int64]:
        """(m,) the decision that each action belongs to."""
        return np.repeat(np.arange(self.size), np.diff(self.starts))

    def actions_of(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Return the actions of some decisions.

        Args:
            rows: (k,) which.

        Returns:
            Their places over all actions; for each the place of its decision among the k; and
            (k,) where those of a decision begin.
        """
        sizes = np.diff(self.starts)[rows]
        begins = np.cumsum(sizes) - sizes
        group = np.repeat(np.arange(len(rows)), sizes)
        return np.arange(len(group)) - begins[group] + self.starts[rows][group], group, begins


def join(parts: Sequence[Inputs]) -> Inputs:
    """Return the inputs of several batches as one."""

    def chain(name: str) -> NDArray[np.int64]:
        sizes = np.concatenate([np.diff(getattr(part, name)) for part in parts])
        return np.concatenate([[0], np.cumsum(sizes)])

    found = np.cumsum([0] + [len(part.found) for part in parts])
    splits = np.concatenate([part.splits + start for part, start in zip(parts, found)])
    flat = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("found", "actions", "tokens", "traits", "hidden")
    }
    return Inputs(begins=chain("begins"), splits=splits, starts=chain("starts"), **flat)


class Renamings(NamedTuple):
    """What r renamings of suits make of inputs: the new number of each."""

    features: NDArray[np.int32]  # (r, inputs)
    tokens: NDArray[np.int64]  # (r, tokens)
    kinds: NDArray[np.int64]  # (r, kinds)


class Encoder:
    """What a game's networks are given; it knows the sizes of their inputs.

    Args:
        game: the game's name.
        blind: leave out which cards the partner has played, for studies of what that tells.
    """

    def __init__(self, game: str, blind: bool = False) -> None:
        self.game, self.blind = game, blind
        self.advice: Any = import_module(f"xabitha_env.{game}.advice")
        self.symmetry: Any = import_module(f"xabitha_env.{game}.symmetry")
        kind = engine_class(game)
        self.observation = kind.all_features
        sections = [self.observation, self.advice.INSIGHT]
        seen = sum(layout.size for layout in sections)
        self.seen = _whole(seen)
        self.size = _whole(self.seen + self.advice.SECRETS.size)
        self.insight = slice(self.observation.size, seen)
        self.secrets = slice(self.seen, self.seen + self.advice.SECRETS.size)
        self.tokens = self.advice.TOKENS.size
        self.traits = self.advice.TRAITS.size
        self.kinds = self.symmetry.KINDS
        self.hint = self.advice.TRAITS.offset("expert")
        self.points: float = self.advice.REWARD_POINTS
        self._numbers = np.arange(self.size, dtype=np.int32)
        for name in self.advice.MATCH_SECTIONS:
            self._numbers[self.observation.slice(name)] = -1
        if blind:
            by_seat = self._numbers[self.observation.slice(self.advice.PLAYS)]
            by_seat.reshape(NUM_SEATS, -1)[NUM_TEAMS] = -1  # the partner, from the own seat

    @property
    def sizes(self) -> tuple[int, ...]:
        """What the sizes of a network depend on."""
        return self.seen, self.tokens, self.traits, self.kinds

    def renamings(self) -> Renamings:
        """Return the renamings of suits, the first of which changes nothing."""
        symmetry, features, tokens, kinds = self.symmetry, [], [], []
        places = (slice(0, self.observation.size), self.insight, self.secrets)
        layouts = (self.observation, self.advice.INSIGHT, self.advice.SECRETS)
        for order in symmetry.SUIT_ORDERS:
            renamed = np.arange(self.size, dtype=np.int32)
            for place, layout in zip(places, layouts):
                own = layout_map(layout, order, symmetry.KINDS, symmetry.SUITS_AT)
                renamed[place] = place.start + own
            features.append(renamed)
            tokens.append(symmetry.token_map(order))
            kinds.append(kind_map(order, symmetry.KINDS))
        return Renamings(np.array(features), np.array(tokens), np.array(kinds))

    def encode(self, engine: Engine, games: NDArray[np.int64], secrets: bool = False) -> Inputs:
        """Describe the decisions of the seats to act in some games.

        Args:
            engine: with all of its outputs.
            games: (n,) games that go on.
            secrets: whether to list what the seats cannot see, too.

        Raises:
            ValueError: the engine's observations have no derived sections.
        """
        if engine.features.size != self.observation.size:
            raise ValueError(
                f"learned players need observations with the derived sections "
                f"({self.observation.size} features), not {engine.features.size}"
            )
        count = engine.legal_count[games]
        starts = np.concatenate([[0], np.cumsum(count, dtype=np.int64)])
        rows = np.repeat(np.arange(len(games)), count)
        actions = engine.legal[games[rows], np.arange(starts[-1]) - starts[rows]]
        tokens = np.empty(starts[-1], np.int64)
        traits = np.empty((starts[-1], self.traits), np.float32)
        dense = np.zeros((len(games), self.size if secrets else self.seen), np.int8)
        dense[:, : self.observation.size] = engine.observation[games]
        states = records(engine.games)
        self.advice.advise(
            states, games, engine.legal, starts, dense[:, self.insight], tokens, traits
        )
        hidden = np.zeros((len(games), 3), np.int64)
        if secrets:
            self.advice.tell(states, games, dense[:, self.secrets], hidden)
        found, begins, splits = self._listed(dense)
        return Inputs(found, begins, splits, actions, tokens, traits, starts, hidden)

    def survey(self, games: NDArray[Any], indices: NDArray[np.int64], secrets: bool) -> Lists:
        """List the features of the seats to act, for a critic.

        Args:
            games: (N,) records of an engine.
            indices: (n,) games that go on.
            secrets: whether also those that they do not see.
        """
        dense = np.zeros((len(indices), self.size), np.int8)
        parts = (dense[:, : self.observation.size], dense[:, self.insight], dense[:, self.secrets])
        self.advice.survey(records(games), indices, *parts)
        found, begins, _ = self._listed(dense if secrets else dense[:, : self.seen].copy())
        return Lists(found, begins, np.zeros(len(dense), np.bool_))

    def _listed(self, dense: NDArray[np.int8]) -> tuple[Any, Any, Any]:
        begins, splits = np.empty(len(dense) + 1, np.int64), np.empty(len(dense), np.int64)
        found = np.empty(int(np.count_nonzero(dense)), np.int16)
        count = list_active(dense, self._numbers, self.seen, found, begins, splits)
        if dense.shape[1] == self.seen:
            splits = begins[1:]
        return found[:count], begins, splits


def _whole(size: int) -> int:
    return -(-size // WORD) * WORD


def lists_of(
    inputs: Inputs,
    rows: NDArray[np.int64],
    renamed: NDArray[np.int32],
    secrets: bool,
    follows: NDArray[np.bool_] | None = None,
) -> Lists:
    """Return the active features of some decisions, renamed.

    Args:
        inputs: many decisions.
        rows: (n,) which of them.
        renamed: (inputs,) the new number of each feature.
        secrets: whether to give what the seats do not see, too.
        follows: (n,) which are much like the one before in `rows`; none by default.
    """
    ends = inputs.begins[1:] if secrets else inputs.splits
    sizes = ends[rows] - inputs.begins[rows]
    if follows is None:
        follows = np.zeros(len(rows), np.bool_)
    found = np.empty(int(sizes.sum() + sizes[:-1] @ follows[1:]), np.int16)
    begins = np.empty(len(rows) + 1, np.int64)
    gather(inputs.found, inputs.begins, ends, rows, follows, renamed, found, begins)
    return Lists(found, begins, follows)


class Chains:
    """Decisions in the order of their chains, with what changes from one to the next.

    Args:
        inputs: many decisions.
        rows: which of them.
        chain: (all,) the same for decisions that are much like each other.
        secrets: whether to give what the seats do not see, too.

    Attributes:
        rows: (n,) the decisions, chain after chain.
        chain: (n,) of each.
    """

    def __init__(
        self, inputs: Inputs, rows: NDArray[np.int64], chain: NDArray[np.int64], secrets: bool
    ) -> None:
        self.rows = rows[np.argsort(chain[rows], kind="stable")]
        self.chain = chain[self.rows]
        self._inputs = inputs
        self._ends = inputs.begins[1:] if secrets else inputs.splits
        self._follows = np.concatenate([[False], np.diff(self.chain) == 0])
        same = np.arange(int(inputs.found.max()) + 1, dtype=np.int32)
        self._changes = lists_of(inputs, self.rows, same, secrets, self._follows)

    def lists(self, places: NDArray[np.int64], renamed: NDArray[np.int32]) -> Lists:
        """Return the active features of some decisions, renamed.

        Args:
            places: (k,) of the decisions in `rows`; after one comes the next of its chain, or the
                first of another chain.
            renamed: (inputs,) the new number of each feature.
        """
        rows, inputs, changes = self.rows[places], self._inputs, self._changes
        follows = self._follows[places]
        follows[0] = False
        changed = np.diff(changes.begins)[places]
        sizes = np.where(follows, changed, self._ends[rows] - inputs.begins[rows])
        found, begins = np.empty(int(sizes.sum()), np.int16), np.empty(len(rows) + 1, np.int64)
        whole = inputs.found, inputs.begins, self._ends
        pick(*whole, changes.found, changes.begins, rows, places, follows, renamed, found, begins)
        return Lists(found, begins, follows)
