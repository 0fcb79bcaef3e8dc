"""Many pairings over many deals: in chunks, over processes, and on from where a run stopped.

A chunk is a pairing and some of the deals. It is a pure function of those and of the setup, so that
the results are the same for any number of processes and in any order. (A player that draws lots
of its own is reset with the seed of the chunk's first deal; its results therefore depend on the
chunk's size, which is a setting of the run.)
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.evaluation.outcomes import outcome_type
from xabitha_env.evaluation.play import Agents, Setup, play_deals
from xabitha_env.evaluation.runfile import RunFile
from xabitha_env.evaluation.teams import Team, load_team
from xabitha_env.evaluation.timing import Spent, Timed, timed
from xabitha_env.games import make_engine
from xabitha_env.players import Table, load_player

CHUNK = 16
"""Deals of a chunk."""
THREADS_VARIABLE = "OMP_NUM_THREADS"
"""Read when numpy or torch is loaded; more threads than cores slow small networks down."""

T = TypeVar("T")


class Pairing(NamedTuple):
    """Two teams that meet."""

    a: Team
    b: Team


class Job(NamedTuple):
    """A chunk to play: a pairing, by its number, and deals, by their place in the list."""

    number: int
    pairing: Pairing
    start: int
    seeds: range


class Done(NamedTuple):
    """A chunk that was played."""

    number: int
    start: int
    rows: NDArray[Any]  # (deals, 2)
    spent: dict[str, Spent]  # by player


Spread: TypeAlias = (
    "Callable[[Callable[[Worker, Job], Done], Setup, Sequence[Job]], Iterator[Done]]"
)
"""Plays chunks elsewhere than in processes of this machine, as `play_jobs` does."""


class Played(NamedTuple):
    """All chunks of a run."""

    rows: NDArray[Any]  # (pairings, deals, 2) of `outcomes.outcome_type`
    spent: dict[str, Spent]  # by player that is not compiled


def play_pairings(
    setup: Setup,
    pairings: Sequence[Pairing],
    seeds: range,
    *,
    chunk: int = CHUNK,
    workers: int = 1,
    spread: Spread | None = None,
    kept: RunFile | None = None,
    move: Callable[[int], object] = lambda done: None,
) -> Played:
    """Play every pairing on the same mirrored deals.

    Args:
        setup: the game.
        pairings: P of them.
        seeds: of D deals.
        chunk: deals of a chunk.
        workers: processes; with one, everything happens in this process.
        spread: plays the chunks in place of those, such as `contrib.ray.Cluster.play`.
        kept: chunks of an earlier run of the same settings, to which new ones are added.
        move: called with the number of deals done, of P times D.

    Raises:
        PlayerError: a player failed.
        ChildProcessError: a process was ended from outside.
    """
    for name, value in (("chunk", chunk), ("workers", workers)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    book = _Book(np.zeros((len(pairings), len(seeds), NUM_TEAMS), outcome_type(setup.game)), move)
    jobs = []
    for job in jobs_of(pairings, seeds, chunk):
        found = kept.find(job.number, job.start, len(job.seeds)) if kept else None
        if found is None:
            jobs.append(job)
        else:
            book.enter(Done(job.number, job.start, *found))
    if spread is None:
        played = play_jobs(Worker.play, setup, jobs, workers)
    else:
        played = spread(Worker.play, setup, jobs)
    for done in played:
        if kept:
            kept.add(*done)
        book.enter(done)
    return Played(book.rows, dict(sorted(book.spent.items())))


class _Book:
    """Where chunks are entered, in any order."""

    def __init__(self, rows: NDArray[Any], move: Callable[[int], object]) -> None:
        self.rows = rows
        self.spent: dict[str, Spent] = {}
        self._move = move
        self._deals = 0

    def enter(self, done: Done) -> None:
        """Enter a chunk and tell how many deals are done."""
        self.rows[done.number, done.start : done.start + len(done.rows)] = done.rows
        for name, spent in done.spent.items():
            self.spent[name] = self.spent.get(name, Spent()).plus(spent)
        self._deals += len(done.rows)
        self._move(self._deals)


def jobs_of(pairings: Sequence[Pairing], seeds: range, chunk: int) -> Iterator[Job]:
    """Yield the chunks of all pairings on the same deals."""
    for start in range(0, len(seeds), chunk):  # so that all pairings advance together
        for number, pairing in enumerate(pairings):
            yield Job(number, pairing, start, seeds[start : start + chunk])


class Worker:
    """Plays chunks of a game; loads each team once."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._teams: dict[tuple[Team, int], Agents] = {}

    def play(self, job: Job) -> Done:
        """Play a chunk."""
        a, b = self.teams(job)
        rows = play_deals(self.setup, a, b, job.seeds)
        spent: dict[str, Spent] = {}
        for agent, name in zip((*a, *b), (*job.pairing.a, *job.pairing.b), strict=True):
            if isinstance(agent, Timed):
                spent[name] = spent.get(name, Spent()).plus(agent.take())
        return Done(job.number, job.start, rows, spent)

    def teams(self, job: Job) -> tuple[Agents, Agents]:
        """Return the players of both teams of a chunk."""
        return self._team(job.pairing.a, 0), self._team(job.pairing.b, 1)

    def _team(self, team: Team, place: int) -> Agents:
        if (team, place) not in self._teams:  # the same team on both sides has other objects
            first, second = load_team(team, self.setup.game)
            self._teams[team, place] = timed(first), timed(second)
        return self._teams[team, place]


_worker: Worker | None = None
"""Of a process that plays chunks."""


def _begin(setup: Setup) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an interrupt ends it without a word
    _hold_interrupts(False)
    _worker = Worker(setup)


def _play(task: Callable[[Worker, Job], T], job: Job) -> T:
    assert _worker is not None
    return task(_worker, job)


def play_jobs(
    task: Callable[[Worker, Job], T], setup: Setup, jobs: Sequence[Job], workers: int
) -> Iterator[T]:
    """Play chunks, over processes if there are more than one; yields as they are done.

    Args:
        task: plays a chunk; a function that processes find by its name.
        setup: the game.
        jobs: the chunks.
        workers: processes; with one, everything happens in this process.

    Raises:
        PlayerError: a player failed.
        ChildProcessError: a process was ended from outside.
    """
    if workers == 1 or len(jobs) < 2:
        worker = Worker(setup)
        yield from (task(worker, job) for job in jobs)
        return
    compile_once(setup)  # instead of in every process
    with _one_thread():
        pool = ProcessPoolExecutor(
            min(workers, len(jobs)), get_context("spawn"), initializer=_begin, initargs=(setup,)
        )
        try:
            _hold_interrupts(True)  # also in the processes, which start now, until they are ready
            try:
                futures: list[Future[T]] = [pool.submit(_play, task, job) for job in jobs]
            finally:
                _hold_interrupts(False)
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as error:
            raise ChildProcessError("a process that played was ended from outside") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _hold_interrupts(held: bool) -> None:
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        how = signal.SIG_BLOCK if held else signal.SIG_UNBLOCK
        signal.pthread_sigmask(how, {signal.SIGINT})


def compile_once(setup: Setup) -> None:
    """Compile what chunks of a game need, for processes of this machine to find it compiled."""
    engine = make_engine(setup.game, 1, rules=setup.rules)
    name = next(iter(engine.player_codes))
    Table(engine, [load_player(name, setup.game)] * NUM_SEATS).play()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have new processes compute on one thread each."""
    before = os.environ.get(THREADS_VARIABLE)
    os.environ[THREADS_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS_VARIABLE]
        else:
            os.environ[THREADS_VARIABLE] = before
