"""When players of Xabitha open: the share of seats that have not, by turn (Kaplan and Meier, 1958).

A seat is looked at from the first turn until it opens. A round that ends earlier *censors* it at
the round's last turn: from then on nothing is known of it. A seat in Xabitha mode can never open
(X9.1), so it is censored by its declaration and counts at no turn; how many declare is told apart.
Of the seats that are still looked at in a turn, some share opens in it; the curve is the product of
the others' shares over all turns so far.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.evaluation.intervals import Floats, Interval, bounds, resampled_means
from xabitha_env.evaluation.report import rounded
from xabitha_env.evaluation.run import Pairing

FIRST_MARK = 4
"""Of the turns that are told of: every seat has had one by then."""
FEWEST_SHOWN = 0.01
"""Curves are shown as long as at least this share of their seats is still looked at."""


class Median(NamedTuple):
    """The first turn by which half of the seats have opened, and its 95% interval.

    None stands for a turn later than all that were seen.
    """

    turn: int | None
    low: int | None
    high: int | None


@dataclass(frozen=True)
class Curve:
    """The share of seats that have not yet opened, after each of the turns 1 to T.

    Attributes:
        at_risk: (T,) seats that were looked at in the turn.
        opened: (T,) how many of them opened in it.
        share: (T,) of seats that have not opened by its end.
        low, high: (T,) the 95% interval, by resampling deals.
    """

    at_risk: NDArray[np.int64]
    opened: NDArray[np.int64]
    share: Floats
    low: Floats
    high: Floats

    def after(self, turn: int) -> Interval | None:
        """Return the share after a turn; None if no seat was looked at for so long."""
        if turn > len(self.share) and (len(self.share) == 0 or self.share[-1] > 0):
            return None
        place = min(turn, len(self.share)) - 1
        return Interval(*(float(one[place]) for one in (self.share, self.low, self.high)))

    @property
    def shown(self) -> int:
        """How many turns are worth showing: later ones rest on next to no seats."""
        return int((self.at_risk >= FEWEST_SHOWN * self.at_risk.max(initial=0)).sum())

    @property
    def median(self) -> Median:
        """The median, and the interval of the medians of resampled deals."""
        return Median(*(_half(one) for one in (self.share, self.low, self.high)))


@dataclass(frozen=True)
class Survival:
    """When the seats of a player opened.

    Attributes:
        player, against: who, and who the others were.
        seats: in all rounds together.
        declared: share of seats in Xabitha mode.
        never: share of the others that had not opened when their round ended.
        turns: by turn of the round.
        own: by the seat's own turns.
    """

    player: str
    against: str
    seats: int
    declared: Interval
    never: Interval
    turns: Curve
    own: Curve


def _half(share: Floats) -> int | None:
    reached = np.flatnonzero(share <= 0.5)
    return int(reached[0]) + 1 if reached.size else None


def summarise_survival(pairing: Pairing, seats: NDArray[Any]) -> Survival:
    """Return what came of the seats of a pairing's first team.

    Args:
        pairing: who played.
        seats: (D, S) of `openings.SEAT`, at least two deals.
    """
    declared, opened = seats["declared"], seats["opened"]
    normal = ~declared
    return Survival(
        pairing.a.text,
        pairing.b.text,
        seats.size,
        _ratio(declared.sum(axis=1), np.full(len(seats), seats.shape[1])),
        _ratio((normal & ~opened).sum(axis=1), normal.sum(axis=1)),
        kaplan_meier(seats["turn"], opened),
        kaplan_meier(seats["own"], opened),
    )


def kaplan_meier(times: NDArray[np.int64], opened: NDArray[np.bool_]) -> Curve:
    """Return the curve of seats, with intervals by resampling deals.

    Args:
        times: (D, S) by deal: the turn of a seat's opening, or the last one that it is looked
            at; 0 if it is looked at in none.
        opened: (D, S) whether it opened then.
    """
    last = int(times.max(initial=0))
    opening, ending = (_by_turn(times, which, last) for which in (opened, np.ones_like(opened)))
    at_risk = np.cumsum(ending[:, ::-1], axis=1)[:, ::-1]  # in a turn: who ends in it or later
    events = np.concatenate([opening, at_risk], axis=1)
    sums, samples = events.sum(axis=0), resampled_means(events)
    share = _shares(sums[:last], sums[last:])
    low, high = bounds(_shares(samples[:, :last], samples[:, last:]))
    return Curve(sums[last:], sums[:last], share, low, high)


def _by_turn(times: NDArray[np.int64], which: NDArray[np.bool_], last: int) -> NDArray[np.int64]:
    """Return how many of a deal's seats have each of the turns 1 to `last`: (D, last)."""
    places = times + np.arange(len(times))[:, None] * (last + 1)
    counts = np.bincount(places[which], minlength=len(times) * (last + 1))
    return counts.reshape(len(times), last + 1)[:, 1:]


def _shares(opened: NDArray[Any], at_risk: NDArray[Any]) -> Floats:
    """Return the curve (..., T) of means or sums by turn (..., T)."""
    stays = np.ones(opened.shape)  # the share that does not open in the turn
    np.divide(at_risk - opened, at_risk, out=stays, where=at_risk > 0)
    np.clip(stays, 0, 1, out=stays)  # resampled means are widened
    return np.multiply.accumulate(stays, axis=-1)


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Interval:
    """Return the share of sums over (D,) deals and its interval; nan of nothing."""
    if not whole.any():
        return Interval(np.nan, np.nan, np.nan)
    samples = resampled_means(np.stack([part, whole], axis=1))
    shares = np.clip(samples[:, 0] / np.maximum(samples[:, 1], 1 / len(whole)), 0, 1)
    low, high = bounds(shares)
    return Interval(float(part.sum() / whole.sum()), float(low), float(high))


# Results.


def turn_marks(last: int) -> list[int]:
    """Return turns to tell of, ever further apart: 4, 8, 12, 16, 24, 32, 48, 64 … up to the last.

    The first is told of in any case.
    """
    marks = [FIRST_MARK, FIRST_MARK * 2]
    while marks[-1] < last:
        doubled = marks[-1] if marks[-1].bit_count() == 1 else marks[-2]
        marks.append(doubled + doubled // 2 if marks[-1] == doubled else doubled * 2)
    return [mark for mark in marks if mark <= max(last, FIRST_MARK)]


def rivals_of(found: Sequence[Survival]) -> str:
    """Return with whom the players met, in words."""
    if all(one.player == one.against for one in found):
        return "each with itself"
    return "against " + ", ".join(dict.fromkeys(one.against for one in found))


def survival_dict(found: Survival) -> dict[str, Any]:
    """Return the results of a player for JSON."""
    return {
        "player": found.player,
        "against": found.against,
        "seats": found.seats,
        "declared": found.declared._asdict(),
        "never_opened": found.never._asdict(),
        "median_turn": found.turns.median._asdict(),
        "median_own_turn": found.own.median._asdict(),
        "by_turn": asdict(found.turns),
        "by_own_turn": asdict(found.own),
    }


def curves_csv(found: Sequence[Survival]) -> str:
    """Return the curves by turn of the round as CSV, a line a player and turn."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["player", "against", "turn", *Curve.__dataclass_fields__])
    for one in found:
        columns = [rounded(column) for column in asdict(one.turns).values()]
        for turn, row in enumerate(zip(*columns, strict=True), 1):
            writer.writerow([one.player, one.against, turn, *row])
    return buffer.getvalue()
