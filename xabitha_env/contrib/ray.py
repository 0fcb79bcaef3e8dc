"""Ray: chunks of deals over a cluster of machines, with the results of a single one.

A chunk is a task of Ray. When its worker dies, or the machine that it ran on, Ray gives it to
another one; chunks are pure functions, so what comes out is the same. Every machine needs this
package in the same version, and the files of the players in the same place: each worker compares
them with those of the command before it plays.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

try:
    import ray
    from ray.exceptions import RayError, RayTaskError
except ImportError as error:
    raise ImportError(f"a cluster needs Ray: install xabitha-env[ray] ({error})") from error

from xabitha_env.evaluation.play import Setup
from xabitha_env.evaluation.run import THREADS_VARIABLE, Job, Worker, compile_once

LOCAL = "local"
"""The address of a cluster that is started on this machine, and ends with its use."""
REPEATS = 5
"""How often a chunk is given to another worker after its own has died."""
AHEAD = 2
"""Chunks that are handed out, for each processor of the cluster."""
LOCAL_STORE = 256 * 2**20
"""Bytes of memory for objects that a local cluster's processes share."""
PACKAGE = Path(__file__).parents[1]

T = TypeVar("T")
Task = Callable[[Worker, Job], T]


class Origin(NamedTuple):
    """What the command has, for its workers to have the same.

    Attributes:
        folder: where it was given; workers go there if it exists on their machine.
        source: a hash of this package.
        files: by player, a hash of the file that it names; empty if it names none.
    """

    folder: str
    source: str
    files: dict[str, str]


@contextmanager
def cluster(address: str, cpus: int = 1) -> Iterator[Cluster]:
    """Connect to a cluster for as long as the ``with`` lasts.

    Args:
        address: ``auto``, a cluster's address, or ``local`` for one on this machine.
        cpus: processes of a local cluster.

    Raises:
        ConnectionError: there is no such cluster.
    """
    if ray.is_initialized():  # by whoever uses this as a library: it is theirs to end
        yield Cluster()
        return
    options: dict[str, Any] = {}
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # one error ends a run, and is told
    if address == LOCAL:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options = {"num_cpus": cpus, "include_dashboard": False}
        options["object_store_memory"] = LOCAL_STORE
    try:
        ray.init(address=address, logging_level="ERROR", log_to_driver=False, **options)
    except Exception as error:  # of many kinds, and of many lines
        ray.shutdown()
        said = str(error).strip().partition("\n")[0]
        hint = "" if address in (LOCAL, "auto") else " (one with a token needs RAY_AUTH_MODE=token)"
        raise ConnectionError(f"no cluster of Ray at {address!r}: {said}{hint}") from error
    try:
        yield Cluster()
    finally:
        ray.shutdown()


class Cluster:
    """The cluster that this process is connected to."""

    @property
    def cpus(self) -> int:
        """Its processors, as it has told Ray."""
        return int(ray.cluster_resources().get("CPU", 1))

    def play(self, task: Task[T], setup: Setup, jobs: Sequence[Job]) -> Iterator[T]:
        """Play chunks on all processors; yields as they are done.

        Args:
            task: plays a chunk; a function that workers find by its name.
            setup: the game.
            jobs: the chunks.

        Raises:
            PlayerError: a player failed.
            ValueError: a worker has another version of the package or of a player's file.
            ImportError: a worker lacks the package, or a library.
            ChildProcessError: a chunk's workers have died again and again.
        """
        if not jobs:
            return
        compile_once(setup)  # for the workers on this machine
        origin = _origin(jobs)
        remote = ray.remote(_play).options(
            num_cpus=1,
            max_retries=REPEATS,
            runtime_env={"env_vars": {THREADS_VARIABLE: "1"}},
        )
        waiting, flying = iter(jobs), dict[Any, Job]()
        try:
            while True:
                room = max(AHEAD * self.cpus - len(flying), 0)  # a cluster may grow
                for job in islice(waiting, room):
                    flying[remote.remote(task, setup, origin, job)] = job
                if not flying:
                    return
                (done, *_), _ = ray.wait(list(flying), num_returns=1)
                yield _result(done, flying.pop(done))
        finally:
            for left in flying:
                with suppress(RayError):
                    ray.cancel(left, force=True)


def _result(done: Any, job: Job) -> Any:
    """Return what came of a task, or raise what its worker raised."""
    try:
        return ray.get(done)
    except RayTaskError as error:
        if f"No module named '{PACKAGE.name}" in str(error.cause):
            raise ImportError(
                f"a worker finds no {PACKAGE.name}: install the same version on every machine of "
                "the cluster, in the environment that Ray runs in there"
            ) from error
        raise error.cause from None
    except RayError as error:
        a, b = job.pairing
        raise ChildProcessError(
            f"{1 + REPEATS} workers died over the deals {job.seeds.start} to {job.seeds[-1]} of "
            f"{a.text} against {b.text}: {type(error).__name__}"
        ) from error


# In the workers.

_kept: tuple[Setup, Origin, Worker] | None = None
"""What a worker played last, and with what."""


def _play(task: Task[T], setup: Setup, origin: Origin, job: Job) -> T:
    global _kept
    if _kept is None or _kept[:2] != (setup, origin):
        _settle(origin)
        _kept = (setup, origin, Worker(setup))
    return task(_kept[2], job)


def _settle(origin: Origin) -> None:
    """Go where the command was given, and see that all is as it is there.

    Raises:
        ValueError: it is not; the message names the machine and what differs.
    """
    if Path(origin.folder).is_dir():
        os.chdir(origin.folder)
        if origin.folder not in sys.path:  # players of `module:Class` may lie there
            sys.path.append(origin.folder)
    if _source_hash() != origin.source:
        raise ValueError(
            f"xabitha_env on {platform.node()} ({PACKAGE}) is another version than the command's: "
            "install the same on every machine of the cluster"
        )
    for name, wanted in origin.files.items():
        if _file_hash(name) != wanted:
            raise ValueError(
                f"player {name!r} on {platform.node()} is not the command's: put the same file in "
                f"the same place on every machine (looked in {os.getcwd()})"
            )


def _origin(jobs: Sequence[Job]) -> Origin:
    names = {name for job in jobs for team in job.pairing for name in team}
    return Origin(os.getcwd(), _source_hash(), {name: _file_hash(name) for name in sorted(names)})


def _file_hash(name: str) -> str:
    path = Path(name.partition("?")[0])
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@cache
def _source_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
