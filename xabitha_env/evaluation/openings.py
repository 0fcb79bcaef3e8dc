"""When seats open in play: mirrored deals, watched step by step, over processes if wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.evaluation import run
from xabitha_env.evaluation.play import Agents, Setup, start_side
from xabitha_env.games import engine_class

SEAT = np.dtype(
    [
        ("turn", np.int64),  # of its opening, else the round's last; 0 in Xabitha mode
        ("own", np.int64),  # the same in turns of its own
        ("opened", np.bool_),
        ("declared", np.bool_),
    ]
)
"""A seat in a round. Turns count from 1, the starter's first discard (X10.2)."""


def check_game(game: str) -> None:
    """See that there are openings in a game.

    Raises:
        ValueError: there are none, or there is no such game.
    """
    if "opened" not in (engine_class(game).state_type.names or ()):
        raise ValueError(f"{game} has no openings, so there is no survival curve of them")


def play_seats(
    setup: Setup,
    pairings: Sequence[run.Pairing],
    seeds: range,
    *,
    chunk: int = run.CHUNK,
    workers: int = 1,
    move: Callable[[int], object] = lambda done: None,
) -> NDArray[Any]:
    """Play pairings on the same deals, and see when the seats of each first team open.

    A team that meets itself plays each deal once, and all four seats count; another one plays
    mirrored deals.

    Args:
        setup: the game.
        pairings: P of them.
        seeds: of D deals.
        chunk: deals that are played side by side.
        workers: processes; with one, everything happens in this process.
        move: called with the number of deals done, of P times D.

    Returns:
        (P, D, S) of `SEAT`: the same S seats in all rounds together for each pairing.

    Raises:
        ValueError: the game has no openings, or a player fails (`PlayerError`).
        ChildProcessError: a process was ended from outside.
    """
    check_game(setup.game)
    found = np.zeros((len(pairings), len(seeds), NUM_SEATS * setup.rules.num_rounds), SEAT)
    jobs = list(run.jobs_of(pairings, seeds, chunk))
    done = 0
    for job, seats in run.play_jobs(_play_job, setup, jobs, workers):
        found[job.number, job.start : job.start + len(job.seeds)] = seats
        done += len(job.seeds)
        move(done)
    return found


def _play_job(worker: run.Worker, job: run.Job) -> tuple[run.Job, NDArray[Any]]:
    a, b = worker.teams(job)
    if job.pairing.a == job.pairing.b:
        return job, play_side(worker.setup, a, b, job.seeds).reshape(len(job.seeds), -1)
    return job, play_openings(worker.setup, a, b, job.seeds)


def play_openings(setup: Setup, a: Agents, b: Agents, seeds: Sequence[int]) -> NDArray[Any]:
    """Play deals on both sides, and see when team `a` opens.

    Args:
        setup: the game.
        a, b: the teams.
        seeds: of the matches.

    Returns:
        (deals, seats) of `SEAT`: the seats of team `a` on both sides, in all rounds.

    Raises:
        PlayerError: a player failed.
    """
    sides = [
        play_side(setup, a, b, seeds, side)[:, :, side::NUM_TEAMS] for side in range(NUM_TEAMS)
    ]
    return np.concatenate([side.reshape(len(seeds), -1) for side in sides], axis=1)


def play_side(
    setup: Setup, a: Agents, b: Agents, seeds: Sequence[int], side: int = 0
) -> NDArray[Any]:
    """Play deals side by side, step by step, and see when each seat opens.

    Args:
        setup: the game.
        a, b: the teams.
        seeds: of the matches.
        side: 0 if team `a` has the seats 0 and 2, 1 if it has the others.

    Returns:
        (deals, rounds, 4) of `SEAT`, by seat.

    Raises:
        PlayerError: a player failed.
    """
    table = start_side(setup, a, b, seeds, side)
    engine = table.engine
    games = engine.games
    found = np.zeros((len(seeds), setup.rules.num_rounds, NUM_SEATS), SEAT)
    while not engine.over.all():
        rounds, turns = games["rounds"].copy(), games["turns"].copy()
        down, starter = games["opened"].copy(), games["starter"].copy()
        table.step()
        game, seat = np.nonzero(games["opened"] > down)  # opening ends no turn
        found["turn"][game, rounds[game], seat] = games["turn"][game]
        found["opened"][game, rounds[game], seat] = True
        ended = np.flatnonzero(games["rounds"] > rounds)
        if ended.size:
            length = games["turns"][ended] - turns[ended]
            declared = games["last_declared"][ended] > 0
            seats = found[ended, rounds[ended]]
            found[ended, rounds[ended]] = _closed(seats, length, declared, starter[ended])
    return found


def _closed(
    seats: NDArray[Any],
    length: NDArray[np.int64],
    declared: NDArray[np.bool_],
    starter: NDArray[np.int64],
) -> NDArray[Any]:
    """Return the seats (n, 4) of rounds that are over, with what is known then.

    Args:
        seats: with the openings.
        length: (n,) turns of the rounds.
        declared: (n, 4) who was in Xabitha mode.
        starter: (n,) who had the first turn.
    """
    turn = np.where(seats["opened"], seats["turn"], np.where(declared, 0, length[:, None]))
    waits = (np.arange(NUM_SEATS) - starter[:, None]) % NUM_SEATS  # turns before a seat's first
    seats["turn"], seats["declared"] = turn, declared
    seats["own"] = (turn - waits + NUM_SEATS - 1) // NUM_SEATS
    return seats
