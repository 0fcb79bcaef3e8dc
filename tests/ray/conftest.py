"""Ray has an environment of its own (docs/ray.md); elsewhere these tests are skipped."""

from __future__ import annotations

import gc
import warnings

import pytest


@pytest.fixture(scope="session")
def two_workers():
    """A cluster of two processes on this machine, which whatever asks for a cluster then uses."""
    from xabitha_env.contrib.ray import LOCAL, cluster

    with cluster(LOCAL, 2) as found:
        yield found
    with warnings.catch_warnings():  # Ray leaves its logs open
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
