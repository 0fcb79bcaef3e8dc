"""How to open (X6), for any player: hold, with the least, with more, or as was learnt.

`train.opening` learns what each way is worth wherever an opening is possible.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.overriding import OverridingAgent
from agents.policy import FOLDER
from agents.regression import load_regression
from xabitha_env._jit import entry, kernel, records
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.masks import count_bits
from xabitha_env.players import Agent, View
from xabitha_env.protocol import Engine
from xabitha_env.xabitha.actions import MELD, OPEN
from xabitha_env.xabitha.advice import points_of
from xabitha_env.xabitha.expert import (
    CARDS_FIRST,
    RUN_FIRST,
    WEIGHTS,
    pick_discard,
    plan_melds,
)
from xabitha_env.xabitha.hands import (
    JOKER_BIT,
    can_discard,
    held_jokers,
    pending_take,
    remove_meld,
)
from xabitha_env.xabitha.melds import FREES, GROWS, JOKERS, NEED, NUM_RUNS
from xabitha_env.xabitha.opening import MOST_MELDS, row_points
from xabitha_env.xabitha.packing import best_melds, without_melds
from xabitha_env.xabitha.state import PLAYING
from xabitha_env.xabitha.values import table_wants

GAME = "xabitha"
WAYS = ("hold", "least", "most", "cards", "thrift")
"""Discard and open later; with the fewest points of the melds of `most` that are enough; with the
most points; with the most cards; with the most points, jokers aside."""
HOLD, LEAST, MOST, CARDS, THRIFT = range(len(WAYS))
THRIFTY = 40
"""What a joker counts against an opening of `thrift`."""
NO_MELD = -1

SITUATION = (
    "turn",
    "threshold",
    "threshold of the next seat",
    "threshold of the seat before",
    "next seat is down",
    "partner is down",
    "seat before is down",
    "cards of the next seat",
    "cards of the partner",
    "cards of the seat before",
    "cards in the deck",
    "melds on the table",
    "own cards",
    "own jokers",
    "a take is pending",
)
TURN, BAR, NEXT_BAR, LAST_BAR, NEXT_DOWN, PARTNER_DOWN, LAST_DOWN = range(7)
NEXT_CARDS, PARTNER_CARDS, LAST_CARDS, DECK, TABLE, OWN, OWN_JOKERS, PENDING = range(7, 15)
OF_A_WAY = ("points above the bar", "cards left", "cards stuck", "points left", "jokers laid")
ABOVE, LEFT, STUCK, LEFT_POINTS, LAID_JOKERS = range(len(OF_A_WAY))
NUM_SITUATION, NUM_OF_A_WAY = len(SITUATION), len(OF_A_WAY)
FEATURES = (*SITUATION, *(f"{way}: {what}" for way in WAYS[LEAST:] for what in OF_A_WAY))
FILE = FOLDER / "opening.pt"


@kernel
def restored_hand(g, seat):
    """Return the masks of a hand with the melds that it has staged."""
    one, two = g.hand_one[seat], g.hand_two[seat]
    for place in range(int(g.staged)):
        row = np.int64(g.staged_rows[place])
        need = NEED[row]
        one, two = one | need, two | (one & need)
        for _ in range(int(JOKERS[row])):
            one, two = one | JOKER_BIT, two | (one & JOKER_BIT)
    return one, two


@kernel
def least_melds(g, one, two, chosen, laid, out):
    """Write the fewest points of some melds that make an opening; returns their number.

    Args:
        g: a game's record.
        one, two: the masks of the hand.
        chosen, laid: the melds, which make one together.
        out: room for their rows.
    """
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    fewest, best = 0, (1 << laid) - 1
    for some in range(1, 1 << laid):
        points, run, taken = 0, not g.opening_needs_run, int(g.taken)
        left_one, left_two = one, two
        for place in range(laid):
            if (some >> place) & 1:
                row = chosen[place]
                points += row_points(row, high, low)
                run = run or row < NUM_RUNS
                taken = pending_take(taken, NEED[row], int(JOKERS[row]))
                left_one, left_two = remove_meld(left_one, left_two, NEED[row], int(JOKERS[row]))
        enough = run and points >= g.threshold[g.seat] and can_discard(left_one, taken)
        if enough and (fewest == 0 or points < fewest):
            fewest, best = points, some
    count = 0
    for place in range(laid):
        if (best >> place) & 1:
            out[count] = chosen[place]
            count += 1
    return count


@kernel
def write_ways(g, one, two, ways, out):
    """Write the melds of each way to open and what they are like; returns whether there is one.

    Args:
        g: a game's record.
        one, two: the masks of the hand.
        ways: (WAYS, MOST_MELDS) int64, written: rows, then `NO_MELD`.
        out: float32, `FEATURES` long; the part after `SITUATION` is written.
    """
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    threshold, taken = int(g.threshold[g.seat]), int(g.taken)
    run_worth = RUN_FIRST if g.opening_needs_run else 0
    chosen = np.empty(MOST_MELDS, np.int64)
    ways[:] = NO_MELD
    found = 0
    for way in (MOST, CARDS, THRIFT):
        card = CARDS_FIRST if way == CARDS else 0
        joker = THRIFTY if way == THRIFT else 0
        laid, points, run = best_melds(one, two, card, run_worth, joker, taken, high, low, chosen)
        if points < threshold or (g.opening_needs_run and not run):
            if way == MOST:
                return False
            ways[way] = ways[MOST]
            continue
        ways[way, :laid] = chosen[:laid]
        if way == MOST:
            found = least_melds(g, one, two, chosen, laid, ways[LEAST])
    wants = table_wants(g)
    for way in range(LEAST, len(WAYS)):
        start = NUM_SITUATION + (way - LEAST) * NUM_OF_A_WAY
        write_way(g, one, two, ways[way], wants, out[start:])
    return found > 0


@kernel
def write_way(g, one, two, rows, wants, out):
    """Write what an opening is like, `OF_A_WAY`."""
    high, low = int(g.ace_high_points), int(g.ace_low_points)
    points, jokers, taken = 0, 0, int(g.taken)
    for place in range(rows.size):
        row = rows[place]
        if row == NO_MELD:
            break
        points += row_points(row, high, low)
        jokers += int(JOKERS[row])
        taken = pending_take(taken, NEED[row], int(JOKERS[row]))
        one, two = remove_meld(one, two, NEED[row], int(JOKERS[row]))
        wants |= GROWS[row] | FREES[row]
    chosen = np.empty(MOST_MELDS, np.int64)
    laid, _, _ = best_melds(one, two, CARDS_FIRST, 0, 0, taken, high, low, chosen)
    one, two = without_melds(one, two, chosen, laid)
    out[ABOVE] = points - g.threshold[g.seat]
    out[LEFT] = count_bits(one) + count_bits(two)
    out[STUCK] = count_bits(one & ~wants) + count_bits(two & ~wants)
    out[LEFT_POINTS] = points_of(g, one) + points_of(g, two)
    out[LAID_JOKERS] = jokers


@kernel
def write_situation(g, one, two, out):
    """Write `SITUATION`."""
    seat = int(g.seat)
    out[TURN], out[BAR] = g.turn, g.threshold[seat]
    for step, bar, down, cards in (
        (1, NEXT_BAR, NEXT_DOWN, NEXT_CARDS),
        (2, BAR, PARTNER_DOWN, PARTNER_CARDS),
        (3, LAST_BAR, LAST_DOWN, LAST_CARDS),
    ):
        other = (seat + step) % NUM_SEATS
        if step != NUM_TEAMS:
            out[bar] = g.threshold[other]
        out[down], out[cards] = g.opened[other], g.hand_count[other]
    out[DECK], out[TABLE] = g.deck_count, g.num_melds
    out[OWN], out[OWN_JOKERS] = count_bits(one) + count_bits(two), held_jokers(one, two)
    out[PENDING] = g.taken >= 0


@entry
def describe_openings(games, indices, ways, out, possible):
    """Write what the seats to act know of their openings.

    Args:
        games: (N,) records.
        indices: (n,) games in which a seat that is not down is to act on the table; melds that it
            has staged count as in its hand.
        ways: (n, WAYS, MOST_MELDS) int64, written: rows, then `NO_MELD`.
        out: (n, FEATURES) float32, written.
        possible: (n,) bool, written: whether the ways were found.
    """
    for place in range(indices.size):
        g = games[indices[place]]
        one, two = restored_hand(g, int(g.seat))
        out[place] = 0.0
        write_situation(g, one, two, out[place])
        possible[place] = write_ways(g, one, two, ways[place], out[place])


@entry
def choose_discards(games, indices, actions):
    """Write what `expert` would discard in some games, (n,) int64."""
    chosen = np.empty(MOST_MELDS, np.int64)
    for place in range(indices.size):
        g = games[indices[place]]
        seat = int(g.seat)
        laid, _ = plan_melds(g, seat, WEIGHTS, chosen)
        actions[place] = pick_discard(g, seat, WEIGHTS, laid, chosen)


class Openings(NamedTuple):
    """Some openings that are possible."""

    places: NDArray[np.int64]  # (n,) among the games that were asked about
    games: NDArray[np.int64]  # (n,)
    ways: NDArray[np.int64]  # (n, WAYS, MOST_MELDS)
    features: NDArray[np.float32]  # (n, FEATURES)


def find_openings(engine: Engine, games: NDArray[Any]) -> Openings:
    """Return the openings of the seats to act, or those that they have begun, in some games."""
    states, actions = engine.games[games], engine.legal[games, 0]
    acts = (states["phase"] == PLAYING) & (actions >= MELD) & (actions <= OPEN)
    closed = states["opened"][np.arange(len(games)), states["seat"]] == 0
    places = np.flatnonzero(acts & closed)
    found = np.asarray(games, np.int64)[places]
    ways = np.empty((len(found), len(WAYS), MOST_MELDS), np.int64)
    features = np.empty((len(found), len(FEATURES)), np.float32)
    possible = np.empty(len(found), np.bool_)
    describe_openings(records(engine.games), found, ways, features, possible)
    return Openings(places[possible], found[possible], ways[possible], features[possible])


def next_actions(
    engine: Engine, openings: Openings, worth: NDArray[np.floating]
) -> NDArray[np.int64]:
    """Return what comes next in each opening, (n,): a meld, the commit, or a discard.

    An opening that was begun goes on in a way that has the melds that are staged; the action is -1
    where no way has.

    Args:
        engine: the games.
        openings: n of them.
        worth: (n, WAYS) of which the largest is taken.
    """
    actions = np.full(len(worth), -1)
    chosen = worth.argmax(axis=1)
    hold = np.flatnonzero((chosen == HOLD) & (engine.games["staged"][openings.games] == 0))
    if hold.size:
        discards = np.empty(hold.size, np.int64)
        choose_discards(records(engine.games), openings.games[hold], discards)
        actions[hold] = discards
    for place in np.setdiff1d(np.arange(len(worth)), hold):
        game = engine.games[openings.games[place]]
        staged = game["staged_rows"][: game["staged"]].tolist()
        actions[place] = _next_meld(openings.ways[place], staged, worth[place])
    return actions


def _next_meld(ways: NDArray[np.int64], staged: list[int], worth: NDArray[np.floating]) -> int:
    """Return the next meld, or the commit, in the best way that has the staged ones; else -1."""
    for way in np.argsort(-worth, kind="stable"):
        left = Counter(row for row in ways[way].tolist() if row != NO_MELD)
        left.subtract(staged)
        if way != HOLD and min(left.values()) >= 0:
            return MELD + next(left.elements()) if any(left.values()) else int(OPEN)
    return -1


class Choice(Protocol):
    """Says what each way to open is worth in some situations."""

    def __call__(self, features: NDArray[np.float32]) -> NDArray[np.floating]:
        """Return (n, WAYS), for (n, FEATURES)."""


def only(ways: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return (n, WAYS) in which one way each, of (n,), is worth most."""
    return np.eye(len(WAYS))[ways]


def always(way: int) -> Choice:
    """Return what gives the same answer everywhere."""
    return lambda features: only(np.full(len(features), way))


class OpeningAgent(OverridingAgent):
    """Opens for another player.

    Args:
        base: the other player.
        choice: how.
    """

    def __init__(self, base: Agent, choice: Choice) -> None:
        super().__init__(base)
        self.choice = choice

    def override(self, engine: Engine, view: View) -> NDArray[np.int64]:
        """Return the actions of openings, -1 elsewhere."""
        actions = np.full(len(view.game), -1)
        openings = find_openings(engine, view.game)
        if openings.games.size:
            worth = self.choice(openings.features)
            actions[openings.places] = next_actions(engine, openings, worth)
        return actions


def opening(agent: Agent, value: str, game: str) -> OpeningAgent:
    """Return a player that opens as `value` says: one of `WAYS`, ``learned``, or a file.

    Raises:
        ValueError: another value, a file that holds something else, or another game.
        OSError: the file cannot be read.
    """
    if game != GAME:
        raise ValueError(f"opening is an option for {GAME}, not for {game}")
    if value in WAYS:
        return OpeningAgent(agent, always(WAYS.index(value)))
    if value != "learned" and not value.endswith(".pt"):
        raise ValueError(f"opening={value}: it is {', '.join(WAYS)}, learned or FILE.pt")
    path = FILE if value == "learned" else Path(value)
    return OpeningAgent(agent, load_regression(path, FEATURES, WAYS).estimate)
