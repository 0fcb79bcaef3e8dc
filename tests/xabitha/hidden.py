"""Other states of a game that one seat cannot tell from the one it is in."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from tests.xabitha.walks import SEATS, engine_for
from xabitha_env.cards import NUM_KINDS
from xabitha_env.xabitha.actions import MELD, OPEN
from xabitha_env.xabitha.melds import MELDS
from xabitha_env.xabitha.rules import XabithaRules
from xabitha_env.xabitha.state import DECLARING, FORMED, PLAYING

States = np.ndarray  # (1,), one record
_RULES = [*XabithaRules().to_dict()]


def held(one: int, two: int) -> Counter[int]:
    """The cards of two masks."""
    return Counter(kind for kind in range(NUM_KINDS) for mask in (one, two) if mask >> kind & 1)


def cards_of(game: Any, seat: int) -> Counter[int]:
    """A seat's cards, what it has staged included (X6.4)."""
    cards = held(int(game["hand_one"][seat]), int(game["hand_two"][seat]))
    if seat == game["seat"]:
        for row in game["staged_rows"][: int(game["staged"])].tolist():
            cards.update(MELDS[row].cards)
    return cards


def known_of(game: Any, seat: int) -> Counter[int]:
    """The cards that everyone knows a seat to hold."""
    return held(int(game["known_one"][seat]), int(game["known_two"][seat]))


def rules_of(game: Any) -> dict[str, Any]:
    """The rules that a record holds."""
    switches = ("opening_needs_run", "climbing_threshold")
    return {name: bool(game[name]) if name in switches else int(game[name]) for name in _RULES}


def set_masks(game: Any, name: str, seat: int, cards: Counter[int]) -> None:
    """Make these the cards of two masks of a seat."""
    game[name + "_one"][seat] = sum(1 << kind for kind, count in cards.items() if count)
    game[name + "_two"][seat] = sum(1 << kind for kind, count in cards.items() if count == 2)


def give(game: Any, seat: int, cards: Counter[int]) -> None:
    """Make these the cards of a hand."""
    set_masks(game, "hand", seat, cards)
    game["hand_count"][seat] = cards.total()


def hidden_of(game: Any, seat: int) -> Counter[int]:
    """A seat's cards that nobody else knows."""
    return cards_of(game, seat) - known_of(game, seat)


def drawn_by(game: Any, seat: int) -> Counter[int]:
    """What a seat has drawn from the deck since the last reshuffle; nothing before the first."""
    return held(int(game["drew_one"][seat]), int(game["drew_two"][seat]))


def deal_hidden_cards(rng: random.Random, game: Any, seat: int) -> None:
    """Deal anew what a seat has not seen: the deck, and other hands but for the known cards.

    After a reshuffle a seat knows that the deck, and so what was drawn from it, is of the cards of
    the pile that was shuffled, and that the other hidden cards are not (X10.1, X4.3). So there are
    two pools, each dealt to the places that it had. A card that was shown may have been of either
    if both were held: it then counts as the old one, which its seat had all the time, so that
    every state comes about by some play with the same trail.
    """
    others = [other for other in SEATS if other != seat]
    new = {other: hidden_of(game, other) for other in others}  # before a reshuffle all are alike
    if game["reshuffles"]:
        new = {other: new[other] & drawn_by(game, other) for other in others}
    old = {other: hidden_of(game, other) - new[other] for other in others}
    deck = game["deck"][: int(game["deck_count"])]
    stock = [kind for other in others for kind in old[other].elements()]
    fresh = deck.tolist() + [kind for other in others for kind in new[other].elements()]
    for pool in (stock, fresh):
        rng.shuffle(pool)
    if game["seat"] != seat:
        game["staged"] = 0
    for other in others:
        drawn = Counter(fresh.pop() for _ in range(new[other].total()))
        kept = Counter(stock.pop() for _ in range(old[other].total()))
        if game["reshuffles"]:
            set_masks(game, "drew", other, drawn_by(game, other) - new[other] + drawn)
        give(game, other, known_of(game, other) + drawn + kept)
    deck[:] = fresh
    gone = game["deck"][int(game["deck_count"]) :]  # what was drawn still stands there
    gone[:] = [rng.randrange(NUM_KINDS) for _ in gone]


def answer_anew(rng: random.Random, game: Any, seat: int) -> None:
    """Let the other seats that have answered, and are not down, declare anything (X3.3)."""
    for other in SEATS:
        asked = (other - int(game["starter"])) % 4 < (game["seat"] - game["starter"]) % 4
        answered = game["phase"] != DECLARING or asked
        shown = game["opened"][other] or (game["phase"] == FORMED and other == game["seat"])
        if other != seat and answered and not shown:
            game["declared"][other] = rng.random() < 0.5


def stage_anew(rng: random.Random, state: States) -> States:
    """Let the seat to act, in normal mode and not down, stage some melds if it can (X6.4)."""
    engine = engine_for(rules_of(state[0]), outputs=("legal",))
    state["reward_scheme"] = 0
    engine.set_state(state)
    for _ in range(rng.randrange(1, 4)):
        legal = engine.legal[0, : engine.legal_count[0]]
        melds = legal[(legal >= MELD) & (legal < OPEN)]
        if melds.size:
            engine.step([int(rng.choice(melds.tolist()))])
    return engine.get_state()


def resampled(rng: random.Random, state: States, seat: int) -> States:
    """A state with the same public facts, and the same cards and answer of one seat."""
    new = state.copy()
    game = new[0]
    deal_hidden_cards(rng, game, seat)
    answer_anew(rng, game, seat)
    game["deal_word"] = rng.getrandbits(64) | 1
    game["shuffle_word"] = rng.getrandbits(64) | 1
    may_stage = game["seat"] != seat and game["phase"] == PLAYING and not game["over"]
    if may_stage and not game["opened"][game["seat"]] and rng.random() < 0.5:
        words, reward = game["player_word"].copy(), game["reward"].copy()
        new = stage_anew(rng, new)
        new["player_word"], new["reward"] = words, reward
        new["reward_scheme"] = state["reward_scheme"]
    return new
