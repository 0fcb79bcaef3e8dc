"""How episodes start: the options of a reset, and engines that do as they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.protocol import Engine


class Start(NamedTuple):
    """How a reset starts, from its options.

    Attributes:
        deal: the first round's deal (as in `Engine.set_deal`), or None for a random one.
        state: (1,) record of `Engine.get_state` to go on from, or None.
    """

    deal: Mapping[str, Any] | None = None
    state: NDArray[Any] | None = None

    @property
    def plain(self) -> bool:
        """Whether everything is left to chance."""
        return self.deal is None and self.state is None


def start_of(options: Mapping[str, Any] | None, tolerated: Sequence[str] = ()) -> Start:
    """Return how a reset starts.

    Args:
        options: ``deal`` or ``state``, or neither.
        tolerated: further keys that mean nothing here.

    Raises:
        ValueError: not a mapping, a key that is unknown, or both a deal and a state.
    """
    if options is None:
        return Start()
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a mapping or None, not {options!r}")
    unknown = [key for key in options if key not in (*Start._fields, *tolerated)]
    if unknown:
        raise ValueError(
            f"no reset option {', '.join(map(repr, unknown))}; there are 'deal' and 'state'"
        )
    start = Start(options.get("deal"), options.get("state"))
    if start.deal is not None and start.state is not None:
        raise ValueError("options give both 'deal' and 'state': a state holds its deal already")
    return start


def start_games(
    engine: Engine,
    games: NDArray[np.int64],
    seeds: Sequence[int | None],
    starts: Sequence[Start] | None = None,
) -> None:
    """Start new matches in some games of an engine.

    Args:
        engine: the engine.
        games: (n,) indices of the games.
        seeds: for each of them a seed, or None to go on with its generator.
        starts: for each of them how it starts; by default as chance will have it.

    Raises:
        ValueError: a deal or state that cannot be; some games may have started.
    """
    with_seed = [k for k, seed in enumerate(seeds) if seed is not None]
    without = [k for k, seed in enumerate(seeds) if seed is None]
    for group in (with_seed, without):
        if group:
            engine.reset(
                [seed for seed in seeds if seed is not None] if group is with_seed else None,
                which=games[group],
                deals=None if starts is None else [starts[k].deal for k in group],
            )
    if starts is not None:
        _set_states(engine, games, [start.state for start in starts])


def _set_states(
    engine: Engine, games: NDArray[np.int64], states: Sequence[NDArray[Any] | None]
) -> None:
    records = engine.get_state()
    given = []
    for game, state in zip(games.tolist(), states, strict=True):
        if state is None:
            continue
        if not isinstance(state, np.ndarray) or state.shape != (1,) or state.dtype != records.dtype:
            raise ValueError(
                "the option 'state' must be an array of one record, as get_state() of an engine "
                f"of one game returns it, not {str(state)[:60]}"
            )
        records[game] = state[0]
        given.append(game)
    if given:
        engine.set_state(records)
        if engine.over[given].any():
            raise ValueError("the option 'state' is of a finished match: nobody is to act in it")
