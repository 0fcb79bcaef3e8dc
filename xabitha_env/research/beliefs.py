"""What players believe of what is hidden, and how it is scored against what is true.

A belief is made of probabilities, for the seat to act: which kinds the other seats hold, whether
the partner has declared, and who opens next. Both scores are proper, that is, best when what is
said is what is thought, and less is better: the squared error of the probabilities (Brier, 1950),
and the negative logarithm of what was given to the truth, in nats (Good, 1952). For kinds they are
means over all kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env._jit import records
from xabitha_env.batched import BatchedEngine
from xabitha_env.cards import NUM_SEATS
from xabitha_env.evaluation.intervals import Floats
from xabitha_env.evaluation.play import Setup
from xabitha_env.games import make_engine
from xabitha_env.players import Agent, Table, View, draw_worlds
from xabitha_env.protocol import Engine

OTHERS = NUM_SEATS - 1
PARTNER = 1
"""Place of the partner among the other seats, in order of play."""
NOBODY = NUM_SEATS
"""Who opens next, if nobody does before the round is over; seats are counted from the own."""
FLOOR = 1e-4
"""The least that a probability counts in the logarithmic score."""
FOLLOWED = 32
"""Worlds that are played on to see who opens next."""


class Belief(NamedTuple):
    """Probabilities in n decisions; None where nothing is said."""

    hands: Floats | None = None  # (n, 3, K) that the other seats hold a kind, in order of play
    declared: Floats | None = None  # (n,) that the partner plays in Xabitha mode (X3.2)
    opener: Floats | None = None  # (n, 5) who opens next (X6.1), counted from the own seat; nobody


class Sample(NamedTuple):
    """Decisions that are looked at."""

    number: int  # of the decision in its round
    engine: Engine
    games: NDArray[np.int64]  # (n,)


def sample_decisions(
    setup: Setup,
    player: Agent,
    seeds: Sequence[int],
    share: float,
    seed: int = 0,
    deals: Sequence[Any] | None = None,
) -> Iterator[Sample]:
    """Yield a random part of the decisions of matches, while they are played side by side.

    Args:
        setup: the game.
        player: has all seats.
        seeds: of the matches.
        share: of the decisions that leave a choice.
        seed: of the choice.
        deals: of the first rounds, instead of those of the seeds.
    """
    engine = make_engine(setup.game, len(seeds), rules=setup.rules)
    engine.reset(list(seeds), deals=deals)
    table = Table(engine, (player,) * NUM_SEATS)
    table.reset(seed)
    random = np.random.default_rng(seed)
    for number in count():
        going = np.flatnonzero(~engine.over & (engine.legal_count > 1))
        yield Sample(number, engine, going[random.random(going.size) < share])
        if engine.over.all():
            return
        table.step()


def held(game: str, games: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which kinds the other seats than that to act hold, (n, 3, K), of records (n,)."""
    advice, kinds = _module(game, "advice"), _module(game, "symmetry").KINDS
    secrets = np.zeros((len(games), advice.SECRETS.size), np.int8)
    masks = np.zeros((len(games), OTHERS), np.int64)
    advice.tell(records(games), np.arange(len(games)), secrets, masks)
    found: NDArray[np.bool_] = (masks[:, :, None] >> np.arange(kinds)) & 1 == 1
    return found


def _module(game: str, name: str) -> Any:
    return import_module(f"xabitha_env.{game}.{name}")


def share_held(game: str, worlds: NDArray[Any], weights: Floats) -> Floats:
    """Return in which share of worlds (w,) the other seats hold each kind, (3, K)."""
    shares: Floats = (held(game, worlds) * weights[:, None, None]).sum(axis=0) / weights.sum()
    return shares


def brier(said: Floats, true: NDArray[Any]) -> Floats:
    """Return squared errors of probabilities, of the same shape."""
    errors: Floats = (said - true) ** 2
    return errors


def log_loss(said: Floats, true: NDArray[Any]) -> Floats:
    """Return negative logarithms of the probabilities given to the truth of yes or no."""
    given = np.where(true, said, 1 - said)
    losses: Floats = -np.log(np.maximum(given, FLOOR))
    return losses


class Worlds(Agent):
    """A believer, and no player: shares of worlds in which all that is hidden is dealt anew.

    A share is kept half a world away from 0 and 1. The partner's declaration is what `expert` would
    have answered with the cards of the world; who opens next is seen by letting `expert` play some
    of the worlds on.

    Args:
        name: how tables call it.
        weighted: whether hands count by how likely `expert` would have played so with them; else
            every placement of the unseen cards is as likely.
        size: how many worlds.
    """

    def __init__(self, name: str, weighted: bool, size: int) -> None:
        self.name, self.weighted, self.size = name, weighted, size
        self._engine: Engine | None = None

    def reset(self, engine: Engine, seed: int) -> None:
        """Look at this engine's games from now on."""
        self._engine, self._seed = engine, seed

    def act(self, view: View) -> Any:
        """Refuse: it has beliefs and makes no decisions."""
        raise NotImplementedError(f"{self.name!r} has beliefs and does not play")

    def beliefs(self, view: View) -> Belief:
        """Return what the seats of a view are to believe."""
        engine = self._engine
        if engine is None:
            raise RuntimeError(f"{self.name!r} needs reset(engine, seed) before beliefs(view)")
        said = [self._one(engine, int(game)) for game in view.game]
        hands, *rest = (np.array(part) for part in zip(*said))
        return Belief(hands, *rest)

    def _one(self, engine: Engine, game: int) -> tuple[Any, ...]:
        worlds, weights = draw_worlds(
            engine, game, self.size, weighted=self.weighted, seed=self._seed + game
        )
        worlds = np.asarray(worlds)
        hands = self._apart(share_held(engine.game, worlds, weights), len(worlds))
        if engine.game != "xabitha":
            return (hands,)
        partner = (int(engine.seats[game]) + NUM_SEATS // 2) % NUM_SEATS
        declared = np.average(worlds["declared"][:, partner], weights=weights)
        some, heavy = worlds[:FOLLOWED], weights[:FOLLOWED]
        who = next_openers(engine, some)
        opener = np.bincount(who, heavy / heavy.sum(), NOBODY + 1)
        opener = self._apart(opener, len(some))
        return hands, self._apart(declared, len(worlds)), opener / opener.sum()

    @staticmethod
    def _apart(share: Any, worlds: int) -> Any:
        return np.clip(share, 0.5 / worlds, 1 - 0.5 / worlds)


def next_openers(engine: Engine, worlds: NDArray[Any]) -> NDArray[np.int64]:
    """Return who opens next, (w,), counted from the seat to act, if `expert` plays worlds on."""
    room = make_engine(engine.game, len(worlds), rules=engine.rules, outputs=("mask",))
    assert isinstance(room, BatchedEngine)
    room.games[:] = worlds
    room.refresh()
    seats, before = room.seats.copy(), room.games["opened"].copy()
    found = np.full(len(worlds), NOBODY)
    code = np.full(len(worlds), room.player_codes["expert"], np.int8)
    while (going := ~room.over & (found == NOBODY)).any():
        room.step(np.where(going, room.choose(code), -1))
        find_openers(found, before, room.games["opened"], seats)
    return found


def find_openers(
    found: NDArray[np.int64], before: NDArray[Any], after: NDArray[Any], seats: NDArray[Any]
) -> None:
    """Write who has opened since, in rows where `found` says nobody.

    Args:
        found: (n,) seats counted from the own, written.
        before, after: (n, 4) which seats are down.
        seats: (n,) the own.
    """
    new = (after > before) & (found == NOBODY)[:, None]
    rows = np.flatnonzero(new.any(axis=1))
    found[rows] = (new[rows].argmax(axis=1) - seats[rows]) % NUM_SEATS
