"""The deals that players are measured on: published lists of seeds, development and test apart.

The k-th deal of a list is the match whose seed is the list's first seed plus k. A list has a
thousand million seeds, so that the two never meet; and they lie above the seeds that training
counts up from zero. Whatever is chosen by its results (weights, settings, when to stop) is measured
on `development`; `test` is for the figures that nothing is chosen by.
"""

from __future__ import annotations

LIST_SIZE = 1_000_000_000
"""Seeds in a list."""
LISTS = {"development": LIST_SIZE, "test": 2 * LIST_SIZE}
"""The first seed of each list; these never change."""
MOST_SEED = 2**62
FEWEST_DEALS = 2
"""Below this there is no interval."""


def seeds_of(source: str, deals: int) -> range:
    """Return the seeds of the first deals of a list, or those that count up from a number.

    Args:
        source: a name in `LISTS`, or a whole number as text: the first seed.
        deals: how many.

    Raises:
        ValueError: neither a list nor a number, too few deals, or more than there are seeds.
    """
    if deals < FEWEST_DEALS:
        raise ValueError(f"an interval needs at least {FEWEST_DEALS} deals, not {deals}")
    if source in LISTS:
        if deals > LIST_SIZE:
            raise ValueError(f"a list has {LIST_SIZE:,} deals, not {deals:,}")
        first = LISTS[source]
    elif source.isascii() and source.isdigit():
        first = int(source)
    else:
        raise ValueError(f"seeds {source!r}: {', '.join(LISTS)}, or a first seed of 0 or more")
    if first + deals - 1 > MOST_SEED:
        raise ValueError(f"seeds {source!r}: seeds end at {MOST_SEED}")
    return range(first, first + deals)
