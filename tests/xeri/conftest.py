"""Fixtures: every rule test runs on every implementation of the game."""

from __future__ import annotations

import pytest

from tests.xeri import engine_table  # noqa: F401  (registers the engine)
from tests.xeri.table import CHECKERS, IMPLEMENTATIONS, Checker, Make


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def make(request: pytest.FixtureRequest) -> Make:
    """A factory: rules overrides, dealer, hands, pile, stock and bottom card give a table."""
    return IMPLEMENTATIONS[request.param]


@pytest.fixture(params=sorted(CHECKERS))
def check(request: pytest.FixtureRequest) -> Checker:
    """A check of a whole match record: the first difference, or None."""
    return CHECKERS[request.param]
