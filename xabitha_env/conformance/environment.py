"""PettingZoo's and Gymnasium's own checks, on an environment of others."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from xabitha_env.conformance.report import FAIL, PASS, Finding

CYCLES = 200
"""Steps of PettingZoo's test."""


def check_environment(spec: str) -> list[Finding]:
    """Run the API checks on what a function returns: an AEC or a Gymnasium environment.

    Args:
        spec: ``module:function``, called without arguments.

    Raises:
        ValueError: there is no such function, or it makes no environment.
    """
    make = _function(spec)
    try:
        env = make()
    except Exception as error:
        raise ValueError(f"{spec!r} fails: {type(error).__name__}: {error}") from error
    if hasattr(env, "agent_iter"):
        checks = [("PettingZoo's api_test", _aec), ("PettingZoo's seed_test", _seeds)]
    elif hasattr(env, "step") and hasattr(env, "observation_space"):
        checks = [("Gymnasium's check_env", _gymnasium)]
    else:
        raise ValueError(f"{spec!r} makes no AEC or Gymnasium environment, but {type(env)}")
    return [Finding(name, *_tried(check, make)) for name, check in checks]


def _function(spec: str) -> Callable[[], Any]:
    name, _, attribute = spec.partition(":")
    try:
        found: Any = import_module(name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever a foreign module does when it is imported
        raise ValueError(f"no function {spec!r}: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise ValueError(f"{spec!r} is no function")
    return found  # type: ignore[no-any-return]


def _tried(check: Callable[[Callable[[], Any]], None], make: Callable[[], Any]) -> tuple[str, str]:
    """Return what a check says; what it prints is thrown away, what it warns of is counted."""
    with warnings.catch_warnings(record=True) as told, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            check(make)
        except Exception as error:
            return FAIL, " ".join(f"{type(error).__name__}: {error}".split())[:300]
    first = " ".join(str(told[0].message).split())[:120] if told else ""
    return PASS, f"{len(told)} warnings, the first: {first}" if told else "no warning"


def _aec(make: Callable[[], Any]) -> None:
    from pettingzoo.test import api_test

    api_test(make(), num_cycles=CYCLES)


def _seeds(make: Callable[[], Any]) -> None:
    from pettingzoo.test import seed_test

    seed_test(make, num_cycles=CYCLES)


def _gymnasium(make: Callable[[], Any]) -> None:
    from gymnasium.utils.env_checker import check_env

    env = make()
    check_env(getattr(env, "unwrapped", env), skip_render_check=True)
