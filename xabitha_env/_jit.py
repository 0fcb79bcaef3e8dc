"""The one way in which kernels are compiled, and the folder that keeps the compiled code.

The folder is keyed by a hash of the package's source, since numba's own cache would go on serving
old machine code after a change in an imported helper or constant. Where the folder cannot be
written, kernels are compiled anew in each process.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config
from numpy.typing import NDArray

INTERPRETED: bool = bool(config.DISABLE_JIT)
"""True when numba is switched off (``NUMBA_DISABLE_JIT=1``): kernels then run as plain Python."""

_PACKAGE = Path(__file__).parent
_NO_KERNELS = {
    *("bench.py", "cli", "conformance", "contrib", "envs", "evaluation", "files.py", "pictures"),
    *("players", "record", "replay", "research", "rulebook.py", "scene.py", "stdio", "terminal"),
}
"""Files and folders, at any depth, from which kernels take nothing."""


def _source_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        if _NO_KERNELS.intersection(path.relative_to(_PACKAGE).parts):
            continue
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    base = os.environ.get("XABITHA_CACHE_DIR")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    checked = "-checked" if config.BOUNDSCHECK else ""  # a warm cache ignores bounds checking
    folder = root / "xabitha_env" / (_source_hash() + checked)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


CACHE_FOLDER: Path | None = None if INTERPRETED else _cache_folder()


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    if INTERPRETED:
        return function
    options |= {"nogil": True, "error_model": "numpy"}
    if CACHE_FOLDER is None:
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE_FOLDER)  # read while the decorator runs, and only then
    try:
        return numba.njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    finally:
        config.CACHE_DIR = previous


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls: nopython, without the GIL, cached where possible."""
    return _compiled(function)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only compiled code calls.

    It gets no wrappers for Python and C, which saves a fifth of the time to compile; to call it
    from Python, as tests do, wrap it in a compiled function.
    """
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def records(games: NDArray[Any]) -> NDArray[Any]:
    """Return the structured array as kernels want it.

    Compiled code takes the plain array; interpreted code needs a recarray view, whose records
    have their fields as attributes.
    """
    return games.view(np.recarray) if INTERPRETED else games


@cache
def announce_compilation(game: str) -> None:
    """Say once, on standard error, that a game's first use on this machine compiles for a while.

    Args:
        game: its name, which is that of the folder of its kernels; numba names its own after it.
    """
    if INTERPRETED or (CACHE_FOLDER is not None and any(CACHE_FOLDER.glob(f"{game}_*/*.nbc"))):
        return
    print(
        f"xabitha_env: compiling the engine of {game}, about 20 seconds, once on this machine ...",
        file=sys.stderr,
        flush=True,
    )
