"""The settings of a run: all that its results depend on, for its files and for going on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from xabitha_env.evaluation.play import Setup
from xabitha_env.evaluation.run import Pairing

DISTRIBUTION = "xabitha-env"


def settings_of(
    setup: Setup, pairings: Iterable[Pairing], seeds: range, chunk: int
) -> dict[str, Any]:
    """Return the settings of a run, but for its number of deals, as JSON holds them.

    Players that are files are named with a hash of their content; the code of other players is
    not looked at.
    """
    pairings = list(pairings)
    players = sorted({name for pairing in pairings for team in pairing for name in team})
    return {
        "package": _version(),
        "game": setup.game,
        "rules": setup.rules.to_dict(),
        "rules_hash": setup.rules.hash(),
        "fixed_draws": setup.fixed_draws,
        "first_seed": seeds.start,
        "chunk": chunk,
        "pairings": [[team.text for team in pairing] for pairing in pairings],
        "files": {name: _hash(name) for name in players if Path(name).is_file()},
    }


def _version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "not installed"


def _hash(name: str) -> str:
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()[:16]
