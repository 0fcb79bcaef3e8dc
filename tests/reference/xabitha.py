"""A slow reference engine for Xabitha, written from the rules text alone.

Cards are text (``"TD"``, ``"JK"``), moves are the text of X12, and every question is answered by
trying all the possibilities.  Rule numbers stand next to the code that implements them.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

Rules = dict[str, Any]
Event = dict[str, Any]
Shuffle = Callable[[list[str]], list[str]]

DEFAULT_RULES: Rules = {
    "ace_high_points": 11,  # X1.3
    "ace_low_points": 1,  # X1.3
    "num_rounds": 5,  # X2.2
    "declare_seconds": 10,  # X3.2; the clock is no business of this engine
    "opening_points": 51,  # X6.2
    "opening_needs_run": True,  # X6.1
    "climbing_threshold": True,  # X6.3
    "threshold_step": 1,  # X6.3
    "max_reshuffles": 2,  # X10.1
    "max_turns": 1000,  # X10.2
    "joker_penalty": 25,  # X11.2
    "closed_penalty": 100,  # X11.2
    "xabitha_closed_penalty": 200,  # X11.3
}

# X1.2, X1.4
RANKS = "A23456789TJQK"
SUITS = "CDHS"
JOKER = "JK"
# X1.1: two packs of 52 and two jokers.
PACK = [rank + suit for suit in SUITS for rank in RANKS]
ALL_CARDS = PACK * 2 + [JOKER] * 2

SEATS = range(4)
LOWEST, HIGHEST = 1, 14  # X5.2: the positions of a run
LONGEST_LAID = 5  # X5.3


class IllegalMove(ValueError):
    """A move that the rules refuse (X4.6)."""


# --- cards and melds ------------------------------------------------------------------------


def card_at(suit: str, position: int) -> str:
    """The card that stands at a position of a run: 1 and 14 are both the ace (X5.2)."""
    return ("A" + RANKS[1:] + "A")[position - 1] + suit


def without(hand: Sequence[str], cards: Sequence[str]) -> list[str]:
    """The hand after the cards have left it; they must all be there."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return left


@dataclass(frozen=True)
class Meld:
    """A run (with the position of its lowest card) or a set (with its rank).

    A run's cards stand low to high, jokers in their places; a set's real cards stand in suit
    order and its jokers last.
    """

    kind: str
    cards: tuple[str, ...]
    suit: str = ""
    low: int = 0
    rank: str = ""

    @property
    def high(self) -> int:
        """The position of a run's highest card."""
        return self.low + len(self.cards) - 1

    @property
    def reals(self) -> list[str]:
        """The cards that are no jokers."""
        return [card for card in self.cards if card != JOKER]

    @property
    def text(self) -> str:
        """The cards as a move writes them (X12)."""
        return "-".join(self.cards)

    def positions(self) -> range:
        """The positions of a run, low to high."""
        return range(self.low, self.high + 1)


def as_run(cards: Sequence[str]) -> Meld | None:
    """The run that these cards make in this order, if they make one (X5.2), at any length."""
    if len(cards) < 3:
        return None
    for suit in SUITS:
        for low in range(LOWEST, HIGHEST - len(cards) + 2):
            wanted = [card_at(suit, low + index) for index in range(len(cards))]
            fits = all(card in (JOKER, want) for card, want in zip(cards, wanted, strict=True))
            # X5.4: two of the three lowest positions are real, so the place is never in doubt.
            if fits and cards[:3].count(JOKER) <= 1:
                return Meld("run", tuple(cards), suit=suit, low=low)
    return None


def as_set(cards: Sequence[str]) -> Meld | None:
    """The set that these cards make, if they make one (X5.1) written as in X12."""
    reals = [card for card in cards if card != JOKER]
    if len(cards) not in (3, 4) or len(reals) < 2:  # X5.4: real cards first, two at least
        return None
    suits = [card[1] for card in reals]
    same_rank = len({card[0] for card in reals}) == 1
    in_order = list(cards) == sorted(reals, key=lambda card: SUITS.index(card[1])) + [JOKER] * (
        len(cards) - len(reals)
    )
    if same_rank and len(set(suits)) == len(suits) and in_order:
        return Meld("set", tuple(cards), rank=reals[0][0])
    return None


def as_meld(cards: Sequence[str]) -> Meld | None:
    """The meld that these cards make when laid from the hand: X5.1 to X5.4."""
    if len(cards) > LONGEST_LAID or list(cards).count(JOKER) > 2:
        return None
    return as_run(cards) or as_set(cards)


def with_jokers(cards: Sequence[str]) -> list[list[str]]:
    """The cards with every choice of places given to jokers, none included."""
    choices = itertools.product((False, True), repeat=len(cards))
    return [
        [JOKER if joker else card for card, joker in zip(cards, choice, strict=True)]
        for choice in choices
    ]


@cache
def every_meld() -> tuple[Meld, ...]:
    """Every meld that could ever be laid from a hand, each once."""
    rows: list[list[str]] = []
    for suit in SUITS:
        for length in range(3, LONGEST_LAID + 1):
            for low in range(LOWEST, HIGHEST - length + 2):
                rows += with_jokers([card_at(suit, low + index) for index in range(length)])
    for rank in RANKS:
        for size in (2, 3, 4):
            for suits in itertools.combinations(SUITS, size):
                reals = [rank + suit for suit in suits]
                rows += [reals + [JOKER] * jokers for jokers in range(3)]
    melds = {meld.text: meld for row in rows if (meld := as_meld(row)) is not None}
    return tuple(melds[text] for text in sorted(melds))


def numbered(cards: Sequence[str]) -> frozenset[str]:
    """The cards as a set: the copies of a card told apart as ``"TD"`` and ``"TD'"``."""
    marked: set[str] = set()
    for card in cards:
        marked.add(card + "'" if card in marked else card)
    return frozenset(marked)


@cache
def numbered_melds(jokers: int) -> tuple[tuple[frozenset[str], Meld], ...]:
    """Every meld with at most so many jokers, each with the cards that it needs."""
    return tuple(
        (numbered(meld.cards), meld) for meld in every_meld() if meld.cards.count(JOKER) <= jokers
    )


@lru_cache(maxsize=50_000)
def melds_in(hand: tuple[str, ...]) -> tuple[Meld, ...]:
    """Every meld that the (sorted) hand could lay, each way once."""
    held = numbered(hand)
    return tuple(meld for needed, meld in numbered_melds(hand.count(JOKER)) if needed <= held)


# --- points ---------------------------------------------------------------------------------


def rank_points(rank: str, ace: int) -> int:
    """The point value of a rank (X1.3), an ace counting as given."""
    if rank == "A":
        return ace
    return 10 if rank in "TJQK" else int(rank)


def meld_points(meld: Meld, ace_high: int, ace_low: int) -> int:
    """The points of a meld; a joker counts as the card it stands for (X1.3)."""
    if meld.kind == "set":
        return len(meld.cards) * rank_points(meld.rank, ace_high)
    return sum(
        rank_points(card_at(meld.suit, position)[0], ace_low if position == LOWEST else ace_high)
        for position in meld.positions()
    )


# --- one card kept to discard (X4.5) and the completions of an opening (X6.4) ----------------


def keeps_discard(left: Sequence[str], taken: str | None) -> bool:
    """X4.5: a card is left whose discard would end the turn.

    ``taken`` is the taken fire card while it is still in hand, for its discard is an undo (X4.4).
    """
    return any(card != taken for card in left)


@lru_cache(maxsize=200_000)
def best_completion(
    hand: tuple[str, ...], taken: str | None, need_run: bool, aces: tuple[int, int]
) -> int | None:
    """The most points that further melds from the (sorted) hand can add, or None.

    Every choice of further melds, none included, is tried; it counts if it brings the run that
    is still needed and keeps X4.5.
    """
    best: int | None = None
    if not need_run and keeps_discard(hand, taken):
        best = 0
    for meld in melds_in(hand):
        rest = best_completion(
            tuple(without(hand, meld.cards)),
            None if taken in meld.cards else taken,  # X4.4: the take stands
            need_run and meld.kind != "run",
            aces,
        )
        if rest is not None:
            best = max(rest + meld_points(meld, *aces), -1 if best is None else best)
    return best


# --- a round --------------------------------------------------------------------------------


def deal_error(starter: int, hands: Sequence[Sequence[str]], deck: Sequence[str]) -> str | None:
    """What is wrong with a deal (X1.1, X3.1), or None."""
    if starter not in SEATS or len(hands) != 4:
        return "four seats, one of them the starter"
    sizes = [len(hand) for hand in hands]
    if sizes != [15 if seat == starter else 14 for seat in SEATS] or len(deck) != 49:
        return f"15 cards to the starter, 14 to each other seat, 49 in the deck: {sizes}"
    cards = Counter(deck)
    for hand in hands:
        cards.update(hand)
    return None if cards == Counter(ALL_CARDS) else "not the 106 cards"


@dataclass(frozen=True)
class Formation:
    """The run and the set of X9.1, and the card that is left."""

    run: Meld
    set: Meld
    left: str


class Round:
    """One round of Xabitha: the state, the legal moves, and what a move does.

    ``hands`` are all the cards that a player holds, staged melds included (X6.4); ``fire`` is
    the fire pile, bottom first; ``table`` maps a meld's number to the meld.
    """

    def __init__(
        self,
        rules: Rules,
        starter: int,
        hands: list[list[str]],
        deck: list[str],
        shuffle: Shuffle | None = None,
    ) -> None:
        if (error := deal_error(starter, hands, deck)) is not None:
            raise ValueError(error)
        self.rules = {**DEFAULT_RULES, **rules}
        self.starter = starter
        self.hands = [list(hand) for hand in hands]
        self.deck = list(deck)
        self.fire: list[str] = []  # X3.1
        self.table: dict[int, Meld] = {}
        self.thresholds = [self.rules["opening_points"] for _ in SEATS]  # X6.2
        self.opened = [False for _ in SEATS]
        self.declared = [False for _ in SEATS]
        self.turn = 1
        self.reshuffles = 0
        self.seat = starter
        self.result: dict[str, Any] | None = None
        self._phase = "declare"  # then "draw" and "act" in turn
        self._answers = 0
        self._melds_laid = 0
        self._shuffle = shuffle or _default_shuffle()
        self._begin_turn()

    def _begin_turn(self) -> None:
        self._staged: list[Meld] = []
        self._taken: str | None = None  # the taken fire card, while it is still in hand
        self._fire_locked = False  # X4.4: after an undo
        self._formation_laid = False
        self._legal: list[str] | None = None

    # -- what may be asked

    @property
    def over(self) -> bool:
        """Whether the round has ended."""
        return self.result is not None

    @property
    def staged(self) -> list[list[str]]:
        """The melds staged so far by the seat to act, its own business (X6.4)."""
        return [list(meld.cards) for meld in self._staged]

    def legal(self) -> list[str]:
        """The legal moves, in text form, sorted as strings."""
        if self._legal is None:
            self._legal = sorted(set(self._legal_moves()))
        return list(self._legal)

    def _legal_moves(self) -> list[str]:
        if self.over:
            return []
        if self._phase == "declare":
            return ["declare:no", "declare:yes"]  # X3.2
        if self._phase == "draw":
            return self._draws()
        if self._staged:
            return self._stagings() + self._commits()  # X6.4: nothing else
        discards = [f"discard:{card}" for card in self._hand]
        if self.turn == 1 or self._formation_laid:  # X4.2, X9.2: only a discard
            return discards
        if self.declared[self.seat]:  # X9.1: no opening, adding or stealing
            return discards + (["formation"] if self._formation() else [])
        if not self.opened[self.seat]:
            return discards + self._stagings()
        return discards + self._melds() + self._adds() + self._steals()  # X6.5, X8.1

    def _draws(self) -> list[str]:
        """X4.1; the deck may be empty (X10.2), the fire pile may be locked (X4.4)."""
        fire = bool(self.fire) and not self._fire_locked
        return ["draw:deck"] + (["draw:fire"] if fire else [])

    @property
    def _hand(self) -> list[str]:
        return self.hands[self.seat]

    def _keeps(self, gone: Sequence[str], gained: Sequence[str] = ()) -> bool:
        """X4.5 after cards have gone from the hand to the table, and others come back."""
        taken = None if self._taken in gone else self._taken  # X4.4: the take stands
        return keeps_discard(without(self._hand, gone) + list(gained), taken)

    def _melds(self) -> list[str]:
        """X6.5: melds of a player who is down."""
        melds = melds_in(tuple(sorted(self._hand)))
        return [f"meld:{meld.text}" for meld in melds if self._keeps(meld.cards)]

    # -- opening (X6)

    def _points(self, melds: Sequence[Meld]) -> int:
        aces = (self.rules["ace_high_points"], self.rules["ace_low_points"])
        return sum(meld_points(meld, *aces) for meld in melds)

    def _lacks_run(self, melds: Sequence[Meld]) -> bool:
        """X6.1: one of the melds must be a run, unless the rules lift the demand."""
        return self.rules["opening_needs_run"] and all(meld.kind != "run" for meld in melds)

    def _stagings(self) -> list[str]:
        """X6.4: a meld can be staged only if some completion exists."""
        staged_cards = [card for meld in self._staged for card in meld.cards]
        free = tuple(sorted(without(self._hand, staged_cards)))
        return [f"meld:{meld.text}" for meld in melds_in(free) if self._completes(meld, free)]

    def _completes(self, meld: Meld, free: tuple[str, ...]) -> bool:
        staged = [*self._staged, meld]
        gone = [card for staged_meld in staged for card in staged_meld.cards]
        more = best_completion(
            tuple(without(free, meld.cards)),
            None if self._taken in gone else self._taken,
            self._lacks_run(staged),
            (self.rules["ace_high_points"], self.rules["ace_low_points"]),
        )
        return more is not None and self._points(staged) + more >= self.thresholds[self.seat]

    def _commits(self) -> list[str]:
        """X6.1, X6.4: the commit, once threshold and run are met (and X4.5 is kept)."""
        gone = [card for meld in self._staged for card in meld.cards]
        enough = self._points(self._staged) >= self.thresholds[self.seat]
        ready = enough and not self._lacks_run(self._staged) and self._keeps(gone)
        return ["open"] if ready else []

    # -- adding (X7) and stealing (X8)

    def _adds(self) -> list[str]:
        return [
            f"add:{card}@{number}{end}"
            for number, meld in self.table.items()
            for end in ((":low", ":high") if meld.kind == "run" else ("",))
            for card in sorted(set(self._hand))
            if grown(meld, card, end) is not None and self._keeps([card])
        ]

    def _steals(self) -> list[str]:
        return [
            f"steal:{card}@{number}"
            for number, meld in self.table.items()
            for card in sorted(set(self._hand))
            if swapped(meld, card) is not None and self._keeps([card], [JOKER])
        ]

    # -- the formation (X9)

    def _formation(self) -> Formation | None:
        """X9.2: the first that keeps X4.5, by suit, start of the run, rank of the set."""
        for suit in SUITS:
            for start in range(LOWEST, HIGHEST - 10 + 2):
                counts = Counter(self._hand)
                run_cards = _serve(counts, [card_at(suit, start + index) for index in range(10)])
                if run_cards.count(JOKER) > self._hand.count(JOKER):
                    continue
                for rank in RANKS:
                    formation = self._formation_of(run_cards, rank, counts)
                    if formation is not None:
                        return formation
        return None

    def _formation_of(
        self, run_cards: list[str], rank: str, counts: Counter[str]
    ) -> Formation | None:
        """This run with the set of this rank, a joker only where a card is not held.

        The run is served first; ``counts`` are the cards that it leaves.
        """
        set_cards = _serve(counts.copy(), [rank + suit for suit in SUITS])
        set_cards.sort(key=lambda card: card == JOKER)  # X12: jokers last
        used = run_cards + set_cards
        if used.count(JOKER) > self._hand.count(JOKER):
            return None
        run, four = as_run(run_cards), as_set(set_cards)  # X5.4 holds for both
        if run is None or four is None or not self._keeps(used):
            return None
        (left,) = without(self._hand, used)
        return Formation(run, four, left)

    # -- moves

    def play(self, move: str, reshuffled: Sequence[str] | None = None) -> Event:
        """Play a move and return its event; an illegal one is refused with nothing changed."""
        if move not in self.legal():
            raise IllegalMove(f"seat {self.seat}: {move}")  # X4.6
        self._check_reshuffled(move, reshuffled)
        event: Event = {"seat": self.seat, "move": move}
        self._legal = None
        name, _, rest = move.partition(":")
        if name == "draw":
            event.update(self._play_draw(rest, reshuffled))
        elif name == "discard":
            event.update(self._play_discard(rest))
        elif name == "declare":
            self._play_declare(rest)
        elif name == "meld":
            self._play_meld(rest)
        elif name == "open":
            self._play_open()
        elif name == "formation":
            self._play_formation()
        else:
            self._play_on_meld(name, rest)
        return event

    def _play_declare(self, answer: str) -> None:
        """X3.2, X3.3: one seat after another from the starter clockwise."""
        self.declared[self.seat] = answer == "yes"
        self._answers += 1
        self.seat = (self.starter + self._answers) % 4
        if self._answers == 4:
            self._phase = "act"  # X4.2: the starter already holds 15

    # -- drawing (X4.1, X10)

    def _reshuffle_pool(self) -> list[str] | None:
        """The cards that a draw from the deck would shuffle, or None if it would not."""
        pool = self.fire[:-1]  # X10.1: the fire pile except its top card
        if self.deck or self.reshuffles >= self.rules["max_reshuffles"] or not pool:
            return None
        return pool

    def _check_reshuffled(self, move: str, reshuffled: Sequence[str] | None) -> None:
        if reshuffled is None:
            return
        pool = self._reshuffle_pool() if move == "draw:deck" else None
        if pool is None:
            raise IllegalMove(f"{move} does not reshuffle")
        if Counter(pool) != Counter(reshuffled):
            raise IllegalMove("the new deck is not the fire pile except its top")

    def _play_draw(self, source: str, reshuffled: Sequence[str] | None) -> Event:
        extra: Event = {}
        if source == "fire":
            card = self.fire.pop()
            self._taken = card
        else:
            if not self.deck:
                pool = self._reshuffle_pool()
                if pool is None:  # X10.1, X10.2
                    self._cancel()
                    return extra
                self.deck = list(reshuffled) if reshuffled is not None else self._shuffle(pool)
                del self.fire[:-1]
                self.reshuffles += 1
                extra["reshuffled"] = list(self.deck)
            card = self.deck.pop(0)
        self._hand.append(card)
        self._phase = "act"
        return {"drawn": card, **extra}

    # -- the table

    def _lay(self, meld: Meld) -> None:
        """X12: melds are numbered in the order in which they are laid."""
        self.table[self._melds_laid] = meld
        self._melds_laid += 1

    def _to_table(self, cards: Sequence[str]) -> None:
        """Cards leave the hand; X4.4: with one of the taken kind, the take stands."""
        self.hands[self.seat] = without(self._hand, cards)
        if self._taken in cards:
            self._taken = None

    def _play_meld(self, text: str) -> None:
        meld = as_meld(text.split("-"))
        assert meld is not None
        if not self.opened[self.seat]:
            self._staged.append(meld)  # X6.4: nothing is down until the commit
            return
        self._to_table(meld.cards)
        self._lay(meld)

    def _play_open(self) -> None:
        for meld in self._staged:
            self._to_table(meld.cards)
            self._lay(meld)
        self._move_thresholds(self._points(self._staged))
        self.opened[self.seat] = True
        self._staged = []

    def _move_thresholds(self, total: int) -> None:
        """X6.3."""
        partner, opponents = (self.seat + 2) % 4, ((self.seat + 1) % 4, (self.seat + 3) % 4)
        self.thresholds[partner] = self.rules["opening_points"]
        team_opened = any(self.opened[seat] for seat in opponents)
        if self.rules["climbing_threshold"] and not team_opened:
            for seat in opponents:
                bar = total + self.rules["threshold_step"]
                self.thresholds[seat] = max(self.thresholds[seat], bar)

    def _play_on_meld(self, name: str, text: str) -> None:
        """``add:7S@3:high``, ``add:QD@5``, ``steal:5S@3``."""
        card, _, place = text.partition("@")
        number, colon, end = place.partition(":")
        old = self.table[int(number)]
        new = swapped(old, card) if name == "steal" else grown(old, card, colon + end)
        assert new is not None
        self.table[int(number)] = new
        self._to_table([card])
        if name == "steal":
            self._hand.append(JOKER)  # X8.1

    def _play_formation(self) -> None:
        formation = self._formation()
        assert formation is not None
        for meld in (formation.run, formation.set):
            self._to_table(meld.cards)
            self._lay(meld)
        self._formation_laid = True

    # -- discarding (X4) and the end of a turn

    def _play_discard(self, card: str) -> Event:
        self.hands[self.seat] = without(self._hand, [card])
        self.fire.append(card)
        if card == self._taken:  # X4.4: the take is undone; table actions stand
            self._taken = None
            self._fire_locked = True
            self._phase = "draw"
            return {"undo": True}
        if not self._hand:
            self._win()  # X4.7
        else:
            self._end_turn()
        return {}

    def _end_turn(self) -> None:
        self._bury()
        if self.turn >= self.rules["max_turns"]:  # X10.2
            self._cancel()
            return
        self.turn += 1
        self.seat = (self.seat + 1) % 4  # X4.1
        self._phase = "draw"
        self._begin_turn()

    def _bury(self) -> None:
        """X5.6: four-card sets of four real cards go to the very bottom of the fire pile."""
        for number, meld in list(self.table.items()):
            if meld.kind == "set" and len(meld.reals) == 4:
                del self.table[number]
                self.fire[:0] = meld.cards

    # -- the end of the round (X10, X11)

    def _cancel(self) -> None:
        """X10.1: nobody scores."""
        self.result = {"reason": "cancelled", "winner": None, "penalties": [0, 0, 0, 0]}

    def _win(self) -> None:
        reason = "xabitha" if self._formation_laid else "normal"
        penalties = [
            0 if seat % 2 == self.seat % 2 else self._penalty(seat, reason)  # X2.1, X11.1
            for seat in SEATS
        ]
        self.result = {"reason": reason, "winner": self.seat, "penalties": penalties}

    def _penalty(self, seat: int, reason: str) -> int:
        if reason == "xabitha":  # X11.3
            return 0 if self.opened[seat] else int(self.rules["xabitha_closed_penalty"])
        if not self.opened[seat]:  # X11.2; X11.4: in Xabitha mode a player is simply not down
            return int(self.rules["closed_penalty"])
        return sum(self._card_penalty(card) for card in self.hands[seat])

    def _card_penalty(self, card: str) -> int:
        """X11.2: a card left in the hand of a player who is down."""
        if card == JOKER:
            return int(self.rules["joker_penalty"])
        return rank_points(card[0], self.rules["ace_high_points"])


def _default_shuffle() -> Shuffle:
    rng = random.Random(0)
    return lambda cards: rng.sample(cards, len(cards))


def _serve(counts: Counter[str], wanted: Sequence[str]) -> list[str]:
    """The wanted cards, each taken out of the counts, a joker in place of what is not held."""
    served = []
    for card in wanted:
        if counts[card] > 0:
            counts[card] -= 1
            served.append(card)
        else:
            served.append(JOKER)
    return served


def grown(meld: Meld, card: str, end: str) -> Meld | None:
    """The meld with a card added (X7.1, X7.2) at an end of a run (":low", ":high"), or None."""
    if meld.kind == "set":
        if len(meld.cards) == 4:
            return None  # a four-card set takes nothing more
        jokers = [JOKER] * meld.cards.count(JOKER)
        if card == JOKER:
            return Meld("set", (*meld.reals, *jokers, JOKER), rank=meld.rank)
        if card[0] != meld.rank or card in meld.cards:
            return None
        reals = sorted([*meld.reals, card])  # one rank, so this is suit order
        return Meld("set", (*reals, *jokers), rank=meld.rank)
    if end == ":low":
        low, cards = meld.low - 1, (card, *meld.cards)
        position = low
    else:
        low, cards = meld.low, (*meld.cards, card)
        position = meld.high + 1
    if not LOWEST <= position <= HIGHEST or card not in (JOKER, card_at(meld.suit, position)):
        return None
    return Meld("run", cards, suit=meld.suit, low=low)


def swapped(meld: Meld, card: str) -> Meld | None:
    """The meld with a joker replaced by the card that it stands for (X8), or None."""
    if card == JOKER or JOKER not in meld.cards:
        return None
    if meld.kind == "set":
        # X5.5: either of the two missing suits.  X8.2: never out of a four-card set.
        if len(meld.cards) == 4 or card[0] != meld.rank or card in meld.cards:
            return None
        return Meld("set", tuple(sorted([*meld.reals, card])), rank=meld.rank)
    cards = list(meld.cards)
    for index, position in enumerate(meld.positions()):  # X8.1: the lower one first
        if cards[index] == JOKER and card == card_at(meld.suit, position):
            cards[index] = card
            return Meld("run", tuple(cards), suit=meld.suit, low=meld.low)
    return None


# --- records --------------------------------------------------------------------------------


def differs(name: str, given: object, own: object) -> str | None:
    """The two values, if they are not the same."""
    same = type(given) is type(own) and given == own
    return None if same else f"{name}: given {given!r}, by the rules {own!r}"


def check_match(record: dict[str, Any]) -> str | None:
    """Replay a match record; the first difference from the rules as text, or None."""
    for field, value in (("format", "xabitha-record"), ("version", 1), ("game", "xabitha")):
        if difference := differs(field, record.get(field), value):
            return difference
    rules = record["rules"]
    if missing := [field for field in DEFAULT_RULES if field not in rules]:
        return f"rules: missing {missing}"
    return _check_rounds(record, rules)


def _check_rounds(record: dict[str, Any], rules: Rules) -> str | None:
    rounds = record["rounds"]
    if len(rounds) > rules["num_rounds"]:  # X2.2
        return f"rounds: {len(rounds)}, more than num_rounds"
    complete = len(rounds) == rules["num_rounds"]
    totals = [0, 0]
    starter: int | None = None
    for number, entry in enumerate(rounds):
        if starter is not None and (difference := differs("starter", entry["starter"], starter)):
            return f"round {number}: {difference}"
        may_be_short = record["result"] is None and number == len(rounds) - 1
        difference, final = _check_round(entry, rules, may_be_short)
        if difference is not None:
            return f"round {number}: {difference}"
        if final is None:  # cut off within this round
            complete = False
            continue
        totals[0] += final["penalties"][0] + final["penalties"][2]  # X2.1, X11.1
        totals[1] += final["penalties"][1] + final["penalties"][3]
        # X2.3: the winner starts; after a cancelled round the same seat.
        starter = entry["starter"] if final["winner"] is None else final["winner"]
    winners = [team for team in (0, 1) if totals[team] == min(totals)]  # X2.2
    result = {"totals": totals, "winners": winners} if complete else None
    return differs("result", record["result"], result)


def _check_round(
    entry: dict[str, Any], rules: Rules, may_be_short: bool
) -> tuple[str | None, dict[str, Any] | None]:
    """The first difference within a round, and the round's result if it was played out."""
    deal = entry["deal"]
    if (error := deal_error(entry["starter"], deal["hands"], deal["deck"])) is not None:
        return f"deal: {error}", None
    game = Round(rules, entry["starter"], deal["hands"], deal["deck"])
    for number, event in enumerate(entry["events"]):
        if (difference := _check_event(game, event)) is not None:
            return f"event {number}: {difference}", None
    if not game.over and not may_be_short:
        return "events: the round is not over", None
    return differs("result", entry["result"], game.result), game.result


def _check_event(game: Round, event: Event) -> str | None:
    if game.over:
        return "the round is already over"
    if difference := differs("seat", event["seat"], game.seat):
        return difference
    if "legal" in event and (difference := differs("legal", event["legal"], game.legal())):
        return difference
    pool = game._reshuffle_pool() if event["move"] == "draw:deck" else None
    if (pool is not None) != ("reshuffled" in event):
        return f"reshuffled: given {event.get('reshuffled')}, the fire pile gives {pool}"
    try:
        own = game.play(event["move"], event.get("reshuffled"))
    except IllegalMove as error:
        return f"illegal: {error}"
    for field in ("drawn", "undo"):
        if difference := differs(field, event.get(field), own.get(field)):
            return difference
    return None
