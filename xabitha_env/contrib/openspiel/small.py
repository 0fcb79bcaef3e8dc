"""Cut-down Xeri: a few ranks, one deal, two or four seats; the rules R3 and R4 in plain Python.

Only what matters about a card is kept: its suit where it brings a point of its own (the 2 of clubs
and the 10 of diamonds, R4.2), else its rank alone, so that cards that play alike are alike. Cards
that are not dealt stay out of play, unseen.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

from xabitha_env.cards import NUM_TEAMS, RANKS, SUITS

JACK = "J"
POINT_RANKS = "AKQJT"  # R4.2
POINT_CARDS = ("2C", "TD")  # R4.2
MOST_CARDS = 3  # R4.1: points for more cards
NOBODY = -1

Hand = tuple[str, ...]


def kind_of(card: str) -> str:
    """Return what matters of a card in text form: ``TD`` of ``TD``, ``T`` of ``TS``."""
    return card if card in POINT_CARDS else card[0]


def points_of(kind: str) -> int:
    """Return a card's points (R4.2)."""
    return (kind[0] in POINT_RANKS) + (kind in POINT_CARDS)


@dataclass(frozen=True)
class SmallRules:
    """What a cut-down game is played with.

    Attributes:
        seats: 2 or 4; partners sit opposite, and of two seats each is a team.
        ranks: of the pack, such as ``A5J``.
        suits: how many cards of each rank, 1 to 4.
        hand_cards: dealt to each seat.
        pile_cards: dealt to the play pile.
        redeal_pile: whether a pile with a pair or a jack on top is dealt anew (R2.2), unless the
            cards left make no other.
        xeri_points: of a xeri (R4.3).
        jack_xeri_points: of a jack that takes a lone jack (R4.3).

    Raises:
        ValueError: a value that no game can be played with; the message names it.
    """

    seats: int = 2
    ranks: str = "A59J"
    suits: int = 4
    hand_cards: int = 3
    pile_cards: int = 1
    redeal_pile: bool = True
    xeri_points: int = 10
    jack_xeri_points: int = 20

    def __post_init__(self) -> None:
        if self.seats not in (2, 4):
            raise ValueError(f"there are 2 or 4 seats, not {self.seats}")
        if not self.ranks or set(self.ranks) - set(RANKS) or len(set(self.ranks)) < len(self.ranks):
            raise ValueError(f"ranks must be different ones of {RANKS}, not {self.ranks!r}")
        if not 1 <= self.suits <= len(SUITS):
            raise ValueError(f"suits must be 1 to {len(SUITS)}, not {self.suits}")
        if self.hand_cards < 1 or self.pile_cards < 0:
            raise ValueError(
                "hand_cards must be at least 1 and pile_cards at least 0, "
                f"not {self.hand_cards} and {self.pile_cards}"
            )
        dealt, pack = self.plays + self.pile_cards, len(self.ranks) * self.suits
        if dealt > pack:
            raise ValueError(f"{dealt} cards are dealt, but the pack has {pack}")
        if min(self.xeri_points, self.jack_xeri_points) < 0:
            raise ValueError("xeri_points and jack_xeri_points must be at least 0")

    @property
    def plays(self) -> int:
        """Plays of a game."""
        return self.seats * self.hand_cards

    @cached_property
    def pack(self) -> Counter[str]:
        """How many cards of each kind there are."""
        return Counter(kind_of(rank + suit) for rank in self.ranks for suit in SUITS[: self.suits])

    @property
    def most_points(self) -> int:
        """A bound of a team's points."""
        xeris = (self.plays + self.pile_cards) // 2 * max(self.xeri_points, self.jack_xeri_points)
        cards = sum(points_of(kind) * count for kind, count in self.pack.items())
        return xeris + cards + MOST_CARDS

    def may_lie(self, pile: Hand) -> bool:
        """Return whether a pile need not be dealt anew (R2.2)."""
        if not self.redeal_pile or not pile:
            return True
        return len({kind[0] for kind in pile}) == len(pile) and pile[-1][0] != JACK


class Round(NamedTuple):
    """A game in progress; it never changes, `play` returns the next one.

    Attributes:
        hands: each seat's kinds, sorted.
        pile: kinds of the play pile, bottom first.
        plays: kinds played, in order; seat 0 begins (R3.1), the last seat is the dealer.
        cards: captured, by team.
        points: of captured cards and xeris, by team.
        last: the team that captured last, or `NOBODY`.
    """

    hands: tuple[Hand, ...]
    pile: Hand
    plays: Hand = ()
    cards: tuple[int, ...] = (0,) * NUM_TEAMS
    points: tuple[int, ...] = (0,) * NUM_TEAMS
    last: int = NOBODY

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    @property
    def seat(self) -> int:
        """The seat to play."""
        return len(self.plays) % len(self.hands)

    @property
    def over(self) -> bool:
        """Whether all cards are played."""
        return not any(self.hands)


def play(rules: SmallRules, game: Round, kind: str) -> Round:
    """Return the game after a play.

    Raises:
        ValueError: the card is not in the hand of the seat to play (R6).
    """
    hand = list(game.hands[game.seat])
    if kind not in hand:
        raise ValueError(f"play:{kind} is illegal (R6): {kind} is not in hand; it has {hand}")
    hand.remove(kind)
    hands = tuple(tuple(hand) if seat == game.seat else old for seat, old in enumerate(game.hands))
    after = game._replace(hands=hands, plays=(*game.plays, kind))
    if not game.pile or kind[0] not in (game.pile[-1][0], JACK):  # R3.2
        return after._replace(pile=(*game.pile, kind))
    team, taken = game.seat % NUM_TEAMS, (*game.pile, kind)
    won = sum(map(points_of, taken)) + _xeri(rules, game.pile, kind)
    return after._replace(
        pile=(),
        cards=_add(game.cards, team, len(taken)),
        points=_add(game.points, team, won),
        last=team,
    )


def final_points(game: Round) -> tuple[int, ...]:
    """Return both teams' points of a game that is over (R3.5, R4)."""
    cards, points = game.cards, game.points
    if game.last != NOBODY:
        cards = _add(cards, game.last, len(game.pile))
        points = _add(points, game.last, sum(map(points_of, game.pile)))
    if cards[0] != cards[1]:
        points = _add(points, cards.index(max(cards)), MOST_CARDS)
    return points


def _xeri(rules: SmallRules, pile: Hand, kind: str) -> int:
    """Return the points of a xeri, if a capture is one (R3.4, R4.3)."""
    if len(pile) != 1 or pile[0][0] != kind[0]:
        return 0
    return rules.jack_xeri_points if kind[0] == JACK else rules.xeri_points


def _add(values: tuple[int, ...], team: int, value: int) -> tuple[int, ...]:
    return tuple(old + value * (team == other) for other, old in enumerate(values))
