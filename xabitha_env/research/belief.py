"""The belief task: what is made of hidden cards, of the partner's mode, and of who opens next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from xabitha_env.batched import BatchedEngine
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.evaluation.intervals import Floats
from xabitha_env.games import make_engine
from xabitha_env.players import Agent, draw_worlds, load_player
from xabitha_env.players.base import view_of
from xabitha_env.players.loader import PlayerSpec
from xabitha_env.protocol import Engine
from xabitha_env.research.beliefs import (
    NOBODY,
    PARTNER,
    Belief,
    Sample,
    Worlds,
    brier,
    find_openers,
    held,
    log_loss,
    sample_decisions,
)
from xabitha_env.research.results import Line, Result, line_of
from xabitha_env.research.task import Move, Task, name_of

UNIFORM, WEIGHED = "uniform", "weighed"
"""Believers that are built in: all placements of unseen cards as likely; as `expert` plays."""
TARGETS = {
    "xabitha": ("partner's cards", "opponents' cards", "partner's declaration", "who opens next"),
    "xeri": ("partner's cards", "opponents' cards"),
}
SCORES = ("Brier", "log")
NOTE = f"less is better but for the gain, which is the score of {UNIFORM} less the player's"


class _Asked(NamedTuple):
    """Decisions in which the believers were asked."""

    places: NDArray[np.int64]  # (n,) of the deals
    games: NDArray[Any]  # (n,) records
    said: list[Belief]  # by believer
    opener: NDArray[np.int64]  # (n,) written when the round goes on


@dataclass(frozen=True, kw_only=True)
class Beliefs(Task):
    """How much nearer to the truth a player's beliefs are than if all placements were as likely.

    A player that is scored has a method ``beliefs(view)``, called after ``reset(engine, seed)`` as
    ``act`` is, which returns a `beliefs.Belief`. It is asked in a world in which all that the seat
    cannot know is dealt anew.

    Attributes:
        play: who plays in all seats.
        worlds: of the built-in believers.
        percent: of the decisions that leave a choice, how many are looked at.
        near: 1 for deals in which a seat, drawn at random, lacks at most one card of a formation,
            so that there are declarations to guess at (Xabitha).
    """

    name = "belief"
    summary = "proper scores of beliefs about hidden cards, declarations and openings"

    deals: int = 100
    play: str = field(default="expert", metadata={"help": "who plays in all seats"})
    worlds: int = field(default=256, metadata={"help": "worlds of the built-in believers"})
    percent: int = field(
        default=5, metadata={"help": "percent of the decisions that are looked at"}
    )
    near: int = field(
        default=0,
        metadata={"help": "1: deals in which a seat lacks at most one card of a formation"},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("worlds", self.worlds), ("percent", self.percent)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        if self.near not in (0, 1) or (self.near and self.game != "xabitha"):
            raise ValueError(f"near is 0, or 1 in Xabitha, not {self.near} in {self.game}")

    def run(self, player: PlayerSpec, move: Move = lambda played: None) -> Result:
        """Return the scores of a player's beliefs; see `Task.run`.

        Args:
            player: one with beliefs, or a name: ``uniform``, ``weighed``.
            move: as there.

        Raises:
            ValueError: as there, or the player has no beliefs.
        """
        believers = [self.believer(player), self.believer(UNIFORM)]
        parts, played = [], 0
        for seeds in self.batches():
            parts += self._ask_all(believers, seeds)
            played += len(seeds)
            move(played)
        return self._result(name_of(player), parts)

    def believer(self, player: PlayerSpec) -> Agent:
        """Return the believer of a specification."""
        if player in (UNIFORM, WEIGHED):
            return Worlds(player, player == WEIGHED, self.worlds)
        found = load_player(player, self.game)
        if not hasattr(found, "beliefs"):
            raise ValueError(
                f"player {found.name!r} has no beliefs: it needs a method beliefs(view); "
                f"{UNIFORM} and {WEIGHED} are built in"
            )
        return found

    def _ask_all(self, believers: Sequence[Agent], seeds: range) -> list[_Asked]:
        """Play deals and ask in a part of the decisions."""
        asked: list[_Asked] = []
        player, share = load_player(self.play, self.game), self.percent / 100
        deals = [_near_deal(seed) for seed in seeds] if self.near else None
        for sample in sample_decisions(self.setup, player, seeds, share, seeds.start, deals):
            if self.game == "xabitha":
                for one in asked:
                    _follow(one, sample.engine, seeds.start - self.chosen.start)
            if sample.games.size:
                asked.append(self._ask(believers, sample, seeds.start - self.chosen.start))
        return asked

    def _ask(self, believers: Sequence[Agent], sample: Sample, first: int) -> _Asked:
        engine, games = sample.engine, sample.games
        room = make_engine(self.game, games.size, rules=engine.rules)
        assert isinstance(room, BatchedEngine)
        seed = (self.chosen.start + first) * 1000 + sample.number
        for place, game in enumerate(games.tolist()):
            room.games[place] = draw_worlds(engine, game, 1, seed=seed)[0][0]
        room.refresh()
        said = []
        for one in believers:
            one.reset(room, seed)
            said.append(cast(Any, one).beliefs(view_of(room, np.arange(games.size))))
        nobody = np.full(games.size, NOBODY)
        return _Asked(games + first, engine.games[games].copy(), said, nobody)

    def _result(self, name: str, parts: Sequence[_Asked]) -> Result:
        if not parts:
            raise ValueError("no decision was looked at: take more deals, or a higher percentage")
        places = np.concatenate([one.places for one in parts])
        scores = [self._scores(parts, place) for place in range(2)]
        lines: list[Line] = []
        for target in TARGETS[self.game]:
            for score in SCORES:
                for ending, own in zip(("", f" ({UNIFORM})"), scores):
                    means = self._by_deal(places, own[target, score])
                    if not np.isnan(means).all():
                        lines.append(line_of(f"{target}, {score}{ending}", means))
        said, base = (self._by_deal(places, one["partner's cards", "Brier"]) for one in scores)
        lines.insert(0, line_of("gain on the partner's cards, Brier", base - said))
        settings = {**self.settings(), "decisions": len(places)}
        measure = f"proper scores among {self.play}, {len(places):,} decisions"
        return Result(self.name, name, measure, settings, lines, ".4f", (NOTE,))

    def _by_deal(self, places: NDArray[np.int64], values: Floats) -> Floats:
        """Return the means (D,) of values (n,) that are not nan."""
        told = ~np.isnan(values)
        counts = np.bincount(places[told], minlength=self.deals)
        sums = np.bincount(places[told], values[told], self.deals)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def _scores(self, parts: Sequence[_Asked], believer: int) -> dict[tuple[str, str], Floats]:
        """Return the scores (n,) of a believer by target; nan where it says nothing."""
        found = [_scores_of(self.game, one, one.said[believer]) for one in parts]
        return {key: np.concatenate([one[key] for one in found]) for key in found[0]}


def _near_deal(seed: int) -> dict[str, object]:
    """Return a deal in which some seat lacks at most one card of a formation."""
    from xabitha_env.research.formations import near_formation

    rng = Random(seed)
    return near_formation(rng, rng.randrange(2), rng.randrange(NUM_SEATS), rng.randrange(NUM_SEATS))


def _follow(asked: _Asked, engine: Engine, first: int) -> None:
    """Write who has opened since."""
    now = engine.games["opened"][asked.places - first]
    find_openers(asked.opener, asked.games["opened"], now, asked.games["seat"])


def _scores_of(game: str, asked: _Asked, said: Belief) -> dict[tuple[str, str], Floats]:
    """Return the scores (n,) of decisions by target and score."""
    nothing = np.full(len(asked.places), np.nan)
    found = {(target, score): nothing for target in TARGETS[game] for score in SCORES}
    if said.hands is not None:
        own = held(game, asked.games)
        for score, rule in zip(SCORES, (brier, log_loss)):
            errors = rule(said.hands, own).mean(axis=-1)
            found["partner's cards", score] = errors[:, PARTNER]
            found["opponents' cards", score] = np.delete(errors, PARTNER, axis=1).mean(axis=1)
    if game == "xabitha":
        _add_answers(found, asked, said)
    return found


def _add_answers(found: dict[tuple[str, str], Floats], asked: _Asked, said: Belief) -> None:
    """Add the scores of declarations and openings, once all have answered (X3.3)."""
    from xabitha_env.xabitha.state import DECLARING

    rows, games = np.arange(len(asked.places)), asked.games
    waiting = games["phase"] == DECLARING
    if said.declared is not None:
        true = games["declared"][rows, (games["seat"] + NUM_TEAMS) % NUM_SEATS] == 1
        for score, rule in zip(SCORES, (brier, log_loss)):
            errors = rule(said.declared, true)
            found["partner's declaration", score] = np.where(waiting, np.nan, errors)
    if said.opener is not None:
        true = np.arange(NOBODY + 1) == asked.opener[:, None]
        done = waiting | games["opened"].all(axis=1)
        all_errors = brier(said.opener, true).sum(axis=1)
        given = log_loss(said.opener[rows, asked.opener], np.ones(len(rows), np.bool_))
        found["who opens next", "Brier"] = np.where(done, np.nan, all_errors)
        found["who opens next", "log"] = np.where(done, np.nan, given)
