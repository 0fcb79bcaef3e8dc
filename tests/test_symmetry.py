"""Renamings of suits, and what both games offer to learners by the same names."""

from __future__ import annotations

import inspect
from importlib import import_module
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from xabitha_env.cards import CARD_NAMES, KIND_OF, NUM_KINDS, SUITS
from xabitha_env.games import engine_class, make_engine
from xabitha_env.layout import Block, Layout, ObsLayout
from xabitha_env.symmetry import kind_map, layout_map

GAMES = ("xabitha", "xeri")
DEFAULT = tuple(range(len(SUITS)))
CARD_POINTS = {rank + suit: 1 for rank in "AKQJT" for suit in SUITS} | {"2C": 1, "TD": 2}  # R4.2


def modules(game: str) -> tuple[Any, Any]:
    return tuple(import_module(f"xabitha_env.{game}.{name}") for name in ("advice", "symmetry"))  # type: ignore[return-value]


def change(text: str, order: tuple[int, ...]) -> str:
    """A card with its suit renamed."""
    return text if text == "JK" else text[0] + SUITS[order[SUITS.index(text[1])]]


def then(first: np.ndarray, second: np.ndarray) -> list[int]:
    """The numbers after one renaming and another."""
    return second[first].tolist()


@pytest.mark.interpreted
@pytest.mark.parametrize("kinds", [NUM_KINDS, NUM_KINDS - 1])
def test_kinds_change_their_suits(kinds: int) -> None:
    """By the names of the cards; a joker has no suit."""
    for order in permutations(DEFAULT):
        found = [CARD_NAMES[kind] for kind in kind_map(order, kinds)]
        assert found == [change(name, order) for name in CARD_NAMES[:kinds]]


@pytest.mark.interpreted
def test_layouts_change_where_they_have_kinds_or_suits() -> None:
    """Each row of a block by itself; all other features stay."""
    blocks = [
        Block("number", (3,), ""),
        Block("cards", (2, NUM_KINDS), ""),
        Block("melds", (2, 6), ""),
        Block("others", (6,), ""),
    ]
    order = (2, 0, 3, 1)
    found = layout_map(Layout(blocks), order, NUM_KINDS, {"melds": 1})
    cards = kind_map(order, NUM_KINDS)
    melds = np.array([0, 3, 1, 4, 2, 5])  # suits at 1 to 4
    starts = np.cumsum([0, 3, NUM_KINDS, NUM_KINDS, 6, 6])
    parts = (np.arange(3), cards, cards, melds, melds, np.arange(6))
    wanted = np.concatenate([start + part for start, part in zip(starts, parts)])
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("game", GAMES)
def test_renamings_can_be_made_one_after_another(game: str) -> None:
    """Of features and tokens; the first changes nothing."""
    advice, symmetry = modules(game)
    orders = symmetry.SUIT_ORDERS
    assert tuple(orders[0]) == DEFAULT and len(set(map(tuple, orders))) == len(orders)
    layouts = (engine_class(game).all_features, advice.INSIGHT, advice.SECRETS)
    settings = (symmetry.KINDS, symmetry.SUITS_AT)
    maps = [[layout_map(layout, order, *settings) for layout in layouts] for order in orders]
    maps = [[*own, symmetry.token_map(order)] for own, order in zip(maps, orders)]
    sizes = [*(layout.size for layout in layouts), advice.TOKENS.size]
    assert [one.tolist() for one in maps[0]] == [list(range(size)) for size in sizes]
    for own, order in zip(maps, orders):
        assert all(sorted(one.tolist()) == list(range(one.size)) for one in own)
        for other, later in zip(maps, orders):
            both = maps[orders.index(tuple(later[suit] for suit in order))]
            for first, second, together in zip(own, other, both):
                assert then(first, second) == together.tolist()


def test_all_suits_of_xabitha_count_alike() -> None:
    """X1.2: all orders."""
    assert set(modules("xabitha")[1].SUIT_ORDERS) == set(permutations(DEFAULT))


def test_suits_of_xeri_that_count_alike() -> None:
    """R4.2: the orders that change no card's points are those of hearts and spades."""
    kept = {
        order
        for order in permutations(DEFAULT)
        if all(
            CARD_POINTS.get(change(name, order), 0) == CARD_POINTS.get(name, 0)
            for name in CARD_NAMES[:-1]
        )
    }
    assert set(modules("xeri")[1].SUIT_ORDERS) == kept == {(0, 1, 2, 3), (0, 1, 3, 2)}


@pytest.mark.parametrize("game", GAMES)
def test_tokens_change_as_their_texts_do(game: str) -> None:
    """Where the text of the action names the card alone."""
    advice, symmetry = modules(game)
    engine = make_engine(game)
    verb, block = ("discard", "discard") if game == "xabitha" else ("play", "play")
    for order in symmetry.SUIT_ORDERS:
        found = symmetry.token_map(order)
        for name in CARD_NAMES[: symmetry.KINDS]:
            tokens = [
                advice.TOKENS.offset(block) + KIND_OF[card] for card in (name, change(name, order))
            ]
            assert found[tokens[0]] == tokens[1]
    assert engine.parse(f"{verb}:7H") - engine.actions.offset(block) == KIND_OF["7H"]


# --- one contract ---------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_advice_has_the_parts_that_learners_use(game: str) -> None:
    advice, symmetry = modules(game)
    assert isinstance(advice.INSIGHT, ObsLayout) and isinstance(advice.SECRETS, ObsLayout)
    assert advice.TRAITS["expert"].size == 1 and advice.TOKENS.size > advice.DECLARATIONS >= 0
    features = engine_class(game).all_features
    assert all(features[name].size > 0 for name in advice.MATCH_SECTIONS)
    assert symmetry.KINDS == advice.SECRETS["hands"].shape[-1]
    assert all(features[name].shape[-1] > first for name, first in symmetry.SUITS_AT.items())


@pytest.mark.parametrize("name", ["advise", "tell", "survey"])
def test_both_games_are_asked_alike(name: str) -> None:
    """The same arguments by the same names."""
    entries = [getattr(modules(game)[0], name) for game in GAMES]
    own, other = (inspect.signature(getattr(one, "py_func", one)) for one in entries)
    assert own == other


def test_both_games_branch_alike() -> None:
    entries = [import_module(f"xabitha_env.{game}.search").branch for game in GAMES]
    own, other = (inspect.signature(getattr(one, "py_func", one)) for one in entries)
    assert own == other
