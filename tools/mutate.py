"""Changes one rule of the engine at a time and sees that tests fail.

``python -m tools.mutate`` tries every mutation on a copy of the package, interpreted, and prints
which ones the tests catch; it exits with 1 if any survives. ``--list`` names them, ``--only NAME``
(as often as wanted) tries some. A mutation that no longer fits its file is an error: keep the list
in step with the code.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.mutations import MUTATIONS, PACKAGE, Mutation

ROOT = Path(__file__).resolve().parents[1]
COPIED = (PACKAGE, "tests", "tools", "pyproject.toml")
LIMIT_S = 600  # an endless game is caught, too


def misfit(mutation: Mutation) -> str:
    """Say why a mutation does not fit its file; empty if it does."""
    text = (ROOT / PACKAGE / mutation.file).read_text(encoding="utf-8")
    found = text.count(mutation.old)
    return "" if found == 1 else f"{mutation.name}: found {found} times in {mutation.file}"


def copy_project(folder: Path) -> None:
    """Copy what the tests need."""
    ignore = shutil.ignore_patterns("__pycache__", "*.nbc", "*.nbi")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignore)
        else:
            shutil.copy(source, folder / name)


def run_tests(folder: Path, tests: Sequence[str]) -> str:
    """Return the selection of tests that fails first in a copy of the project, or nothing."""
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "XABITHA_CACHE_DIR": str(folder / "cache"),
    }
    for selection in tests:
        path, _, words = selection.partition(" -k ")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", path]
        command += ["-k", words] * bool(words)
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, timeout=LIMIT_S
            )
        except subprocess.TimeoutExpired:
            return f"{selection} (endless)"
        if done.returncode not in (0, 1, 2):
            raise RuntimeError(f"pytest: {done.stdout.decode()[-2000:]}{done.stderr.decode()}")
        if done.returncode:
            return selection + " (does not import)" * (done.returncode == 2)
    return ""


def attempt(mutation: Mutation | None, tests: Sequence[str]) -> str:
    """Mutate a copy of the project (or not) and return the tests that fail."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_project(folder)
        if mutation is not None:
            path = folder / PACKAGE / mutation.file
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
        return run_tests(folder, tests)


def report(mutation: Mutation) -> bool:
    """Try a mutation and print a line; returns whether it was caught."""
    start = time.monotonic()
    caught = attempt(mutation, mutation.tests)
    took = time.monotonic() - start
    verdict = "caught  " if caught else "SURVIVED"
    print(f"{verdict} {took:5.0f} s  {mutation.name:<36} {mutation.why:<58} {caught}", flush=True)
    return bool(caught)


def chosen(names: Sequence[str]) -> list[Mutation]:
    """Return the mutations of these names, or all.

    Raises:
        SystemExit: there is no such mutation.
    """
    known = {mutation.name: mutation for mutation in MUTATIONS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no mutation {unknown[0]!r}; --list names them")
    return [known[name] for name in names] or list(MUTATIONS)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the mutations")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1, help="how many are tried at once")
    options = parser.parse_args(arguments)
    mutations = chosen(options.only)
    if options.list:
        for mutation in mutations:
            print(f"{mutation.name:<36} {mutation.file:<24} {mutation.why}")
        return 0
    if misfits := [text for mutation in mutations if (text := misfit(mutation))]:
        print("\n".join(misfits), file=sys.stderr)
        return 2
    if failing := attempt(None, sorted({name for m in mutations for name in m.tests})):
        print(f"without a mutation, {failing} fails", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(options.jobs) as pool:
        caught = list(pool.map(report, mutations))
    print(f"{sum(caught)} of {len(caught)} mutations caught")
    return int(not all(caught))


if __name__ == "__main__":
    sys.exit(main())
