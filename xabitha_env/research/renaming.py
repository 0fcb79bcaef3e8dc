"""Renamings of suits of whole games: their records, and what actions become.

`symmetry` tells which renamings leave a game as it is, and what they make of features and tokens.
Records say the same by masks, kinds and rows of the meld table.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from xabitha_env.cards import JOKER, NUM_KINDS, NUM_RANKS, NUM_SEATS, NUM_SUITS
from xabitha_env.games import engine_class
from xabitha_env.symmetry import kind_map

Longs = NDArray[np.int64]
SUIT_BITS = (1 << NUM_RANKS) - 1


class Fields(NamedTuple):
    """Fields of a game's record that tell of suits; each may hold several numbers."""

    masks: tuple[str, ...]  # a bit a kind
    kinds: tuple[str, ...]  # a kind, or -1
    events: tuple[str, ...] = ()  # kind * seats + seat
    rows: tuple[str, ...] = ()  # rows of the meld table
    suits: tuple[str, ...] = ()  # a bit a suit


_MASKS = (
    *("hand_one", "hand_two", "fire_one", "fire_two", "discarded", "took", "laid", "known_one"),
    *("known_two", "reshuffled_one", "reshuffled_two", "drew_one", "drew_two"),
)
FIELDS = {
    "xabitha": Fields(
        _MASKS,
        ("deck", "fire", "taken", "last_discard"),
        ("trail",),
        ("staged_rows",),
        ("slot_suits",),
    ),
    "xeri": Fields(("hand", "captured", "played"), ("stock", "pile", "bottom_card")),
}


class Maps(NamedTuple):
    """What each of r renamings makes of numbers; -1 stays -1 in the last place of `kinds`."""

    orders: Longs  # (r, suits) the new number of each
    inverse: Longs  # (r,) the renaming that undoes it
    kinds: Longs  # (r, kinds + 2)
    actions: Longs  # (r, A), but for those that depend on the table
    rows: Longs  # (r, rows)
    suits: Longs  # (r, 16) masks of suits


@cache
def maps_of(game: str) -> Maps:
    """Return what the renamings of a game make of its numbers."""
    orders = [tuple(order) for order in _module(game, "symmetry").SUIT_ORDERS]
    undone = [tuple(int(place) for place in np.argsort(order)) for order in orders]
    actions = np.array([_action_map(game, order) for order in orders])
    layout = engine_class(game).actions
    melds = layout.slice("meld") if FIELDS[game].rows else slice(0, 0)
    masks = range(1 << NUM_SUITS)
    return Maps(
        np.array(orders),
        np.array([orders.index(order) for order in undone]),
        np.array([[*kind_map(order, NUM_KINDS).tolist(), NUM_KINDS, -1] for order in orders]),
        actions,
        actions[:, melds] - melds.start,
        np.array([[_renamed_suits(mask, order) for mask in masks] for order in orders]),
    )


def _module(game: str, name: str) -> Any:
    return import_module(f"xabitha_env.{game}.{name}")


def _action_map(game: str, order: tuple[int, ...]) -> Longs:
    """Return the new number of each action; one that tokens do not name keeps its own."""
    layout, tokens = engine_class(game).actions, _module(game, "advice").TOKENS
    renamed, own = np.arange(layout.size), _module(game, "symmetry").token_map(order)
    for name in {block.name for block in layout} & {block.name for block in tokens}:
        shift = layout.offset(name) - tokens.offset(name)
        renamed[layout.slice(name)] = own[tokens.slice(name)] + shift
    return renamed


def _renamed_suits(mask: int, order: tuple[int, ...]) -> int:
    return sum(1 << order[suit] for suit in range(NUM_SUITS) if mask >> suit & 1)


def rename_games(game: str, records: NDArray[Any], chosen: Longs) -> NDArray[Any]:
    """Return records with other names for the suits.

    Args:
        game: which game.
        records: (n,) of its engine.
        chosen: (n,) the place of each record's renaming among `symmetry.SUIT_ORDERS`.
    """
    fields, maps, renamed = FIELDS[game], maps_of(game), records.copy()
    for name in fields.masks:
        renamed[name] = _renamed_masks(records[name], maps.orders[chosen])
    for name in fields.events:
        kinds, seats = np.divmod(records[name], NUM_SEATS)
        renamed[name] = _look_up(maps.kinds, chosen, kinds) * NUM_SEATS + seats
    tables = ((fields.kinds, maps.kinds), (fields.rows, maps.rows), (fields.suits, maps.suits))
    for names, table in tables:
        for name in names:
            renamed[name] = _look_up(table, chosen, records[name])
    return renamed


def _look_up(table: Longs, chosen: Longs, values: NDArray[Any]) -> Longs:
    """Return what a table (r, …) says of values (n, …), by the renaming of each row."""
    found: Longs = table[chosen.reshape(-1, *(1,) * (values.ndim - 1)), values]
    return found


def _renamed_masks(masks: NDArray[Any], orders: Longs) -> Longs:
    """Return masks (n, …) with the suits renamed by orders (n, suits)."""
    renamed = masks >> JOKER << JOKER  # a joker has no suit
    for suit in range(NUM_SUITS):
        shift = orders[:, suit].reshape(-1, *(1,) * (masks.ndim - 1)) * NUM_RANKS
        renamed |= (masks >> (suit * NUM_RANKS) & SUIT_BITS) << shift
    found: Longs = renamed
    return found


def rename_actions(game: str, records: NDArray[Any], chosen: Longs, actions: Longs) -> Longs:
    """Return what actions are called once the suits have other names.

    Args:
        game: which game.
        records: (n,) of its engine, with the old names.
        chosen: (n,) as in `rename_games`.
        actions: (n,) one a record.
    """
    renamed: Longs = maps_of(game).actions[chosen, actions]
    if FIELDS[game].suits:
        _exchange_suits(records, maps_of(game).orders[chosen], actions, renamed)
    return renamed


def _exchange_suits(records: NDArray[Any], orders: Longs, actions: Longs, renamed: Longs) -> None:
    """Let what is given to a set be of the other missing suit if their order changes (X7, X8)."""
    from xabitha_env.xabitha.actions import (
        ACTIONS,
        ADD_HIGH,
        ADD_LOW,
        SLOT,
        SLOT_ACTIONS,
        STEAL_FIRST,
        STEAL_SECOND,
    )
    from xabitha_env.xabitha.melds import SET

    pairs = ((ADD_LOW, ADD_HIGH), (STEAL_FIRST, STEAL_SECOND))
    shift = {first: second - first for one in pairs for first, second in (one, one[::-1])}
    slots = ACTIONS.slice("slot")
    for row in np.flatnonzero((actions >= slots.start) & (actions < slots.stop)):
        slot, what = divmod(int(actions[row]) - SLOT, SLOT_ACTIONS)
        suits = int(records["slot_suits"][row, slot])
        missing = [int(orders[row, suit]) for suit in range(NUM_SUITS) if not suits >> suit & 1]
        if records["slot_type"][row, slot] == SET and missing != sorted(missing):
            renamed[row] += shift.get(what, 0)
