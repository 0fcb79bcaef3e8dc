"""Deals, rules and ways to play that make rare events common, for samples of both games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from xabitha_env.cards import CARD_NAMES, JOKER, NUM_SEATS, RANKS, SUITS, card_text
from xabitha_env.games import make_rules

Head = dict[str, Any]
"""The head of a round's record."""

LADDER = RANKS + RANKS[0]
"""The positions of a run, low to high."""
PLAIN = CARD_NAMES[:JOKER]
JACKS = tuple(f"J{suit}" for suit in SUITS)
XABITHA_KINDS = ("any", "melds", "sets", "formation", "jokers")
XERI_KINDS = ("any", "pairs", "jacks", "dry", "late")
KINDS = {"xabitha": XABITHA_KINDS, "xeri": XERI_KINDS}
TEMPERS = {
    "any": (),
    "eager": ("formation", "open", "steal", "add", "meld", "declare:no"),
    "fire": ("draw:fire", "open", "add", "meld"),
    "drawer": ("declare:no", "draw:deck", "discard"),
    "xabitha": ("declare:yes", "formation", "draw:deck"),
}
"""Moves that a seat of Xabitha makes when it can, by temper."""
WAYWARD = 0.15
"""How often a seat makes any move, whatever its temper."""
SECOND_THOUGHTS = 0.4
"""How often one who takes from the fire pile puts the card back (X4.4)."""


def xabitha_deal(rng: random.Random, kind: str, starter: int) -> Head:
    """Return a deal of Xabitha in which hands are arranged as the kind says."""
    left = Counter(PLAIN * 2 + (card_text(JOKER),) * 2)
    hands: list[list[str]] = [[] for _ in range(NUM_SEATS)]
    sizes = [14 + (seat == starter) for seat in range(NUM_SEATS)]

    def give(seat: int, cards: Sequence[str]) -> None:
        for card in cards:
            if left[card] and len(hands[seat]) < sizes[seat]:
                left[card] -= 1
                hands[seat].append(card)

    for seat in range(NUM_SEATS) if kind != "any" else ():
        if kind == "formation" and seat % 2 == starter % 2:
            give(seat, _formation(rng))
        while len(hands[seat]) < sizes[seat] - rng.randrange(4):
            give(seat, _set(rng) if kind == "sets" and hands[seat] else _run(rng, 3, 4, 5))
            if kind == "jokers":
                give(seat, ["JK"])
            if rng.random() < 0.4:
                give(seat, _set(rng))
    rest = list(left.elements())
    rng.shuffle(rest)
    for seat, size in enumerate(sizes):
        hands[seat] += [rest.pop() for _ in range(size - len(hands[seat]))]
        rng.shuffle(hands[seat])
    return {"starter": starter, "deal": {"hands": hands, "deck": rest}}


def _run(rng: random.Random, *lengths: int) -> list[str]:
    length = rng.choice(lengths)
    low = rng.randrange(len(LADDER) + 1 - length)
    suit = rng.choice(SUITS)
    return [rank + suit for rank in LADDER[low : low + length]]


def _set(rng: random.Random) -> list[str]:
    rank = rng.choice(RANKS)
    return [rank + suit for suit in rng.sample(SUITS, rng.choice((3, 4)))]


def _formation(rng: random.Random) -> list[str]:
    """Return the cards of a formation, but perhaps one, or a joker for it (X9.1)."""
    rank = rng.choice(RANKS)
    cards = _run(rng, 10) + [rank + suit for suit in SUITS]
    missing = rng.randrange(len(cards))
    chance = rng.random()
    if chance < 0.4:
        cards[missing] = "JK"
    elif chance < 0.6:
        del cards[missing]
    return cards


def xeri_deal(rng: random.Random, kind: str, dealer: int, rules: Mapping[str, Any]) -> Head:
    """Return a deal of Xeri in which cards are arranged as the kind says, by these rules (R2)."""
    left = rng.sample(PLAIN, len(PLAIN))
    pile = _pile(left, rules, kind)
    rest = [card for card in left if card not in pile]
    # The rest as it is played out if every seat plays the card that it was dealt last: a trick of
    # four after another, from the dealer's left.
    order = _arranged(rng, rest, kind)
    if rules["show_bottom_card"]:  # R2.3
        plain = max(place for place, card in enumerate(order) if card[0] != "J")
        order[plain], order[-1] = order[-1], order[plain]
    hands: list[list[str]] = [[] for _ in range(NUM_SEATS)]
    for place, card in enumerate(order[:24]):
        hands[(dealer + 1 + place) % NUM_SEATS].append(card)
    head: Head = {"dealer": dealer, "deal": {"hands": hands, "pile": pile, "stock": order[24:]}}
    if rules["show_bottom_card"]:
        head["bottom_card"] = order[-1]
    return head


def _pile(cards: Sequence[str], rules: Mapping[str, Any], kind: str) -> list[str]:
    """Return four cards that may lie in the middle (R2.2)."""
    wanted = [*JACKS, *cards] if kind == "dry" else list(cards)
    pile: list[str] = []
    for card in wanted:
        ranks = [other[0] for other in pile]
        fits = not rules["redeal_pile"] or (card[0] not in ranks and card[0] != "J")
        if len(pile) < NUM_SEATS and card not in pile and fits:
            pile.append(card)
    return pile


def _arranged(rng: random.Random, cards: list[str], kind: str) -> list[str]:
    by_rank = sorted(cards, key=lambda card: RANKS.index(card[0]))
    if kind == "pairs":  # neighbours get the same ranks
        pairs = [by_rank[place : place + 2] for place in range(0, len(by_rank), 2)]
        rng.shuffle(pairs)
        return [card for pair in pairs for card in pair]
    if kind == "jacks":  # all in one deal
        jacks = [card for card in cards if card[0] == "J"]
        others = [card for card in cards if card[0] != "J"]
        return jacks + others if rng.random() < 0.5 else others + jacks
    if kind == "dry":  # every seat has ranks of its own
        quarter = len(by_rank) // NUM_SEATS
        columns = [by_rank[seat * quarter : (seat + 1) * quarter] for seat in range(NUM_SEATS)]
        return [card for trick in zip(*columns, strict=True) for card in trick]
    if kind == "late":  # the last two seats end with the same ranks
        rank = rng.choice([card[0] for card in cards if card[0] != "J"])
        same = [card for card in cards if card[0] == rank]
        return [card for card in cards if card[0] != rank] + same
    return cards


def deal(rng: random.Random, game: str, rules: Mapping[str, Any], first: int | None) -> Head:
    """Return an arranged deal, with this starter or dealer, or a random one."""
    seat = rng.randrange(NUM_SEATS) if first is None else first
    kind = rng.choice(KINDS[game])
    if game == "xeri":
        return xeri_deal(rng, kind, seat, rules)
    return xabitha_deal(rng, kind, seat)


def varied_rules(rng: random.Random, game: str) -> dict[str, Any]:
    """Return rules of which a few fields are not at their defaults."""
    fields = make_rules(game).to_dict()
    choices: dict[str, tuple[Any, ...]] = _VALUES[game]
    for name in rng.sample(sorted(choices), rng.randrange(1, 4)):
        fields[name] = rng.choice(choices[name])
    fields["num_rounds"] = rng.choice(choices["num_rounds"])
    return fields


_VALUES: dict[str, dict[str, tuple[Any, ...]]] = {
    "xabitha": {
        "ace_high_points": (15, 1),
        "ace_low_points": (11, 5),
        "num_rounds": (1, 2),
        "declare_seconds": (30,),
        "opening_points": (30, 60, 1),
        "opening_needs_run": (False,),
        "climbing_threshold": (False,),
        "threshold_step": (0, 10),
        "max_reshuffles": (0, 1),
        "max_turns": (12, 40),
        "joker_penalty": (50, 0),
        "closed_penalty": (150, 0),
        "xabitha_closed_penalty": (400, 50),
    },
    "xeri": {
        "num_rounds": (1, 2, 3),
        "redeal_pile": (False,),
        "show_bottom_card": (True,),
        "dealer_last_card_xeri": (False,),
        "xeri_points": (5, 0),
        "jack_xeri_points": (25,),
        "target_score": (20, 30, 151),
        "extended_target_score": (40, 60),
    },
}


def choose(rng: random.Random, legal: Sequence[str], temper: str, drawn: str | None) -> str:
    """Return a move of Xabitha by temper; `drawn` is the card that was drawn last."""
    if temper == "fire" and f"discard:{drawn}" in legal and rng.random() < SECOND_THOUGHTS:
        return f"discard:{drawn}"
    if rng.random() >= WAYWARD:
        for wish in TEMPERS[temper]:
            moves = [move for move in legal if move.startswith(wish)]
            if moves:
                return rng.choice(moves)
    return rng.choice(legal)
