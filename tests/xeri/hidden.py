"""Other states of a game that one seat cannot tell from the one it is in."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.xeri.walks import SEATS
from xabitha_env.xeri.rules import XeriRules
from xabitha_env.xeri.state import NO_KIND, NO_TARGET
from xabitha_env.xeri.validate import hand_kinds

States = np.ndarray  # (1,), one record
_DEFAULTS = XeriRules().to_dict()


def rules_of(game: Any) -> dict[str, Any]:
    """The rules that a record holds."""
    rules: dict[str, Any] = {
        name: bool(game[name]) if isinstance(value, bool) else int(game[name])
        for name, value in _DEFAULTS.items()
    }
    target = rules["target_score"]
    return {**rules, "target_score": None if target == NO_TARGET else target}


def deal_hidden_cards(rng: random.Random, game: Any, seat: int) -> None:
    """Deal anew what a seat has not seen: other hands and the stock, but for the bottom card."""
    public = int(game["bottom_card"])  # R2.3; NO_KIND is no card
    others = [other for other in SEATS if other != seat]
    hands = {other: hand_kinds(game, other) for other in others}
    stock = game["stock"][: int(game["stock_count"])]
    places = [place for place, kind in enumerate(stock.tolist()) if kind != public]
    pool = stock[places].tolist()
    for hand in hands.values():
        pool += [kind for kind in hand if kind != public]
    rng.shuffle(pool)
    for other, hand in hands.items():
        new = [kind if kind == public else pool.pop() for kind in hand]
        game["hand"][other] = sum(1 << kind for kind in new)
    stock[places] = pool


def resampled(rng: random.Random, state: States, seat: int) -> States:
    """A state with the same public facts, and the same cards of one seat."""
    new = state.copy()
    deal_hidden_cards(rng, new[0], seat)
    new["deal_word"] = rng.getrandbits(64) | 1
    return new


def has_public_card(game: Any) -> bool:
    """Whether the bottom card is known and lies hidden in the stock or the dealer's hand."""
    kind = int(game["bottom_card"])
    return kind != NO_KIND and not any(int(mask) >> kind & 1 for mask in game["played"])
