"""A few hidden cards, their placements counted in plain Python, and a record to draw worlds from.

At a reshuffle every placement of the unseen old cards in the hidden places of the other hands, and
every order of the new deck, is equally likely; afterwards each hidden card shown was one physical
card of that seat, and each that it may have been counts once. What the observer drew is given.
Before a reshuffle every placement of the unseen cards is equally likely.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np

from tests.reference.xabitha import ALL_CARDS
from tests.xabitha.kernels import mask_cards, masks_of
from tests.xabitha.walks import engine_for
from xabitha_env.cards import KIND_OF, card_text
from xabitha_env.xabitha.state import DRAWING, DRAWN
from xabitha_env.xabitha.validate import state_problem

Event = tuple[str, int]  # "draw" or the card that was shown, and the seat
World = tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]  # hands of seats 1 to 3, deck
Cards = tuple[str, ...]
KNOWN: tuple[Cards, Cards, Cards] = (("KH",), ("KD",), ("KC",))  # so that no hand is empty


class Case(NamedTuple):
    """A few hidden cards; seat 0 looks."""

    places: tuple[
        int, int, int
    ]  # hidden cards of seats 1 to 3 (at the reshuffle, if there was one)
    old: Cards  # unseen cards at the time; before a reshuffle all, those of the deck included
    new: Cards = ()  # the cards of the new deck
    trail: tuple[Event, ...] = ()
    own: Cards = ()  # what seat 0 drew, in its order
    known: tuple[Cards, Cards, Cards] = KNOWN


def placements(case: Case) -> Iterator[tuple[list[list[int]], list[int]]]:
    """Hands and deck of physical cards, all equally likely: indices of `old` + `new`."""
    seen = set()
    for order in permutations(range(len(case.old))):
        cuts = np.cumsum((0, *case.places))
        hands = [sorted(order[a:b]) for a, b in pairwise(cuts)]
        rest = order[cuts[-1] :]  # the deck, before a reshuffle
        if (key := (str(hands), rest)) not in seen:
            seen.add(key)
            yield hands, list(rest)


def decks(case: Case, rest: list[int]) -> Iterator[list[int]]:
    """The orders of the deck that go with a placement, next card first."""
    if not case.new:
        yield rest
        return
    for order in permutations(range(len(case.old), len(case.old) + len(case.new))):
        yield list(order)


def ends(
    case: Case, hands: list[set[int]], deck: list[int], events: Sequence[Event], own: Cards
) -> Iterator[tuple[list[set[int]], list[int]]]:
    """Follow what happened; one end for each choice of the physical cards that were shown."""
    cards = case.old + case.new
    if not events:
        yield hands, deck
        return
    (what, who), rest = events[0], events[1:]
    if what == "draw":
        top, deck = deck[0], deck[1:]
        if who == 0:
            if cards[top] == own[0]:
                yield from ends(case, hands, deck, rest, own[1:])
            return
        hands = [hand | {top} if seat == who else hand for seat, hand in enumerate(hands, 1)]
        yield from ends(case, hands, deck, rest, own)
        return
    for card in hands[who - 1] if who else ():
        if cards[card] == what:
            left = [hand - {card} for hand in hands]
            yield from ends(case, left, deck, rest, own)
    if who == 0:
        yield from ends(case, hands, deck, rest, own)


def exact(case: Case) -> dict[World, float]:
    """The chance of every world."""
    cards = case.old + case.new
    counts: Counter[World] = Counter()
    for hands, rest in placements(case):
        for deck in decks(case, rest):
            start = [set(hand) for hand in hands]
            for left, ahead in ends(case, start, deck, case.trail, case.own):
                names = tuple(tuple(sorted(cards[card] for card in hand)) for hand in left)
                counts[names, tuple(cards[card] for card in ahead)] += 1
    return {world: count / counts.total() for world, count in counts.items()}


def state_of(case: Case, world: World) -> np.ndarray:
    """A record in which this world is the true one; what is not named lies in the fire pile."""
    state = engine_for().get_state()
    game = state[0]
    shown0 = Counter(card for card, who in case.trail if who == 0 and card != "draw")
    hands = [["2C", *(Counter(case.own) - shown0).elements()]]
    hands += [[*hand, *known] for hand, known in zip(world[0], case.known)]
    for seat, hand in enumerate(hands):
        game["hand_one"][seat], game["hand_two"][seat] = masks_of(hand)
        game["hand_count"][seat] = len(hand)
        if seat:
            known = masks_of(case.known[seat - 1])
            game["known_one"][seat], game["known_two"][seat] = known
    deck = [KIND_OF[card] for card in reversed(world[1])]
    game["deck"][:] = 0
    game["deck"][: len(deck)], game["deck_count"] = deck, len(deck)
    placed = Counter(card for hand in hands for card in hand) + Counter(world[1])
    fire = list((Counter(ALL_CARDS) - placed).elements())
    game["fire"][: len(fire)], game["fire_count"] = [KIND_OF[card] for card in fire], len(fire)
    game["fire_one"], game["fire_two"] = masks_of(fire)
    game["starter"], game["seat"], game["phase"], game["turn"] = 0, 0, DRAWING, 9
    if case.new:
        game["reshuffles"] = 1
        game["reshuffled_one"], game["reshuffled_two"] = masks_of(case.new)
        game["drew_one"][0], game["drew_two"][0] = masks_of(case.own)
        kinds = [DRAWN if what == "draw" else KIND_OF[what] for what, _ in case.trail]
        for place, (kind, (_, who)) in enumerate(zip(kinds, case.trail)):
            game["trail"][place] = 4 * kind + who
        game["trail_count"] = len(case.trail)
    assert state_problem(game) == ""
    return state


def read(case: Case, game: np.void) -> World:
    """The hidden cards of a world."""
    hands = []
    for seat, known in enumerate(case.known, 1):
        cards = mask_cards(game["hand_one"][seat], game["hand_two"][seat]) - Counter(known)
        hands.append(tuple(sorted(cards.elements())))
    deck = game["deck"][: int(game["deck_count"])][::-1].tolist()
    return tuple(hands), tuple(card_text(kind) for kind in deck)


def random_case(rng: random.Random) -> Case:
    """A few cards of few kinds, and what may have happened."""
    pack = ["5H", "6S", "7D", "JK"] * 2
    rng.shuffle(pack)
    old, new = tuple(pack[:4]), tuple(pack[4:8])
    deck = rng.sample(new, 4)
    hands = {1: [old[0], old[1]], 2: [old[2]], 3: [old[3]]}
    trail: list[Event] = []
    own: list[str] = []
    for _ in range(rng.randrange(6, 11)):
        who = rng.choice((0, 1, 1, 2, 2, 3))
        if who and hands[who] and rng.random() < 0.5:
            card = hands[who].pop(rng.randrange(len(hands[who])))
            trail.append((card, who))
        elif deck:
            trail.append(("draw", who))
            (hands[who] if who else own).append(deck.pop(0))
    return Case((2, 1, 1), old, new, tuple(trail), tuple(own))
