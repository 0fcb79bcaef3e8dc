"""A slow reference engine for 4-Player Xeri, written from the rules text alone.

Cards are text (``"TD"``), moves are the text of R6.  Rule numbers stand next to the code that
implements them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

Rules = dict[str, Any]
Event = dict[str, Any]

DEFAULT_RULES: Rules = {
    "num_rounds": 4,  # R1.2
    "redeal_pile": True,  # R2.2
    "show_bottom_card": False,  # R2.3
    "dealer_last_card_xeri": True,  # R3.6
    "xeri_points": 10,  # R4.3
    "jack_xeri_points": 20,  # R4.3
    "target_score": None,  # R5.2
    "extended_target_score": 251,  # R5.2
}

RANKS = "A23456789TJQK"
SUITS = "CDHS"
ALL_CARDS = [rank + suit for suit in SUITS for rank in RANKS]  # R1.1

SEATS = range(4)
TEAMS = range(2)
HAND, PILE, STOCK = 6, 4, 24  # R2.1: 4 * 6 + 4 + 24 = 52

MOST_CARDS = 3  # R4.1: points for more cards
POINT_RANKS = "AKQJT"  # R4.2


class IllegalMove(ValueError):
    """A move that the rules refuse (R6)."""


def team_of(seat: int) -> int:
    """Partners sit opposite (R1.1)."""
    return seat % 2


def clockwise(seat: int) -> int:
    """The seat to the left (R1.1)."""
    return (seat + 1) % 4


# --- the deal -------------------------------------------------------------------------------


def needs_redeal(pile: Sequence[str]) -> bool:
    """R2.2: two cards of the same rank, or a jack on top."""
    return len({card[0] for card in pile}) < len(pile) or pile[-1][0] == "J"


def deal_error(
    rules: Rules,
    dealer: int,
    hands: Sequence[Sequence[str]],
    pile: Sequence[str],
    stock: Sequence[str],
    bottom_card: str | None = None,
) -> str | None:
    """What is wrong with a deal (R1.1, R2), or None."""
    if type(dealer) is not int or dealer not in SEATS or len(hands) != len(SEATS):
        return "four seats, one of them the dealer"
    sizes = [*(len(hand) for hand in hands), len(pile), len(stock)]
    if sizes != [HAND] * 4 + [PILE, STOCK]:  # R2.1
        return f"6 cards to each seat, 4 in the pile, 24 in the stock: {sizes}"
    if Counter([card for cards in (*hands, pile, stock) for card in cards]) != Counter(ALL_CARDS):
        return "not the 52 cards"
    if rules["redeal_pile"] and needs_redeal(pile):  # R2.2
        return f"a pile that is dealt again: {pile}"
    if not rules["show_bottom_card"]:
        return None if bottom_card is None else f"bottom card {bottom_card}: none is shown"
    if bottom_card != stock[-1]:  # R2.3: the last that will be dealt
        return f"bottom card {bottom_card}: the last of the stock is {stock[-1]}"
    return "bottom card: a jack is passed over" if bottom_card[0] == "J" else None


# --- points ---------------------------------------------------------------------------------


def card_points(card: str) -> int:
    """R4.2: the ten of diamonds counts as a ten and once more."""
    return (card[0] in POINT_RANKS) + (card == "2C") + (card == "TD")


def round_points(captured: Sequence[Sequence[str]], xeris: Sequence[Sequence[int]]) -> list[int]:
    """The points of both teams (R4.1 to R4.3)."""
    points = [sum(map(card_points, captured[team])) + sum(xeris[team]) for team in TEAMS]
    if len(captured[0]) != len(captured[1]):  # R4.1
        points[0 if len(captured[0]) > len(captured[1]) else 1] += MOST_CARDS
    return points


# --- a round --------------------------------------------------------------------------------


class Round:
    """One round of Xeri: the state, the legal moves, and what a move does.

    ``pile`` is the play pile, bottom first; ``stock`` the cards still to be dealt, next first;
    ``captured`` and ``xeris`` the cards taken and the points of each xeri, by team;
    ``last_capturer`` the seat that captured last.  At the end of the round what was left on the
    table is among the captured cards (R3.5), or still in the pile if nobody captured.
    """

    def __init__(
        self,
        rules: Rules,
        dealer: int,
        hands: Sequence[Sequence[str]],
        pile: Sequence[str],
        stock: Sequence[str],
        bottom_card: str | None = None,
    ) -> None:
        self.rules = {**DEFAULT_RULES, **rules}
        error = deal_error(self.rules, dealer, hands, pile, stock, bottom_card)
        if error is not None:
            raise ValueError(error)
        self.dealer = dealer
        self.hands = [list(hand) for hand in hands]
        self.pile = list(pile)
        self.stock = list(stock)
        self.bottom_card = bottom_card
        self.seat = clockwise(dealer)  # R3.1
        self.captured: list[list[str]] = [[], []]
        self.xeris: list[list[int]] = [[], []]
        self.last_capturer: int | None = None
        self.result: dict[str, Any] | None = None

    # -- what may be asked

    @property
    def over(self) -> bool:
        """Whether the round has ended."""
        return self.result is not None

    def legal(self) -> list[str]:
        """The legal moves, in text form, sorted as strings: any card of the hand (R3.1, R6)."""
        return [] if self.over else sorted(f"play:{card}" for card in self.hands[self.seat])

    # -- moves

    def play(self, move: str) -> Event:
        """Play a move and return its event; an illegal one is refused with nothing changed."""
        if move not in self.legal():
            raise IllegalMove(f"seat {self.seat}: {move}")  # R6
        event: Event = {"seat": self.seat, "move": move}
        card = move.removeprefix("play:")
        if self._captures(card):
            event.update(self._capture(card))
        else:
            self.pile.append(card)
        self.hands[self.seat].remove(card)
        self.seat = clockwise(self.seat)  # R3.1
        if not any(self.hands):
            self._deal_or_end()
        return event

    def _captures(self, card: str) -> bool:
        """R3.2: the rank of the top card, or a jack, on a pile that has cards."""
        return bool(self.pile) and (card[0] == self.pile[-1][0] or card[0] == "J")

    def _capture(self, card: str) -> Event:
        team = team_of(self.seat)
        taken = [*self.pile, card]
        event: Event = {"captured": len(taken)}
        if self._is_xeri(card):
            points = self.rules["jack_xeri_points" if card[0] == "J" else "xeri_points"]  # R4.3
            self.xeris[team].append(points)
            event["xeri"] = points
        self.captured[team] += taken
        self.pile = []
        self.last_capturer = self.seat
        return event

    def _is_xeri(self, card: str) -> bool:
        """R3.4, R3.6: a single card, taken with a card of the same rank."""
        if len(self.pile) != 1 or self.pile[0][0] != card[0]:
            return False
        return self.rules["dealer_last_card_xeri"] or not self._dealers_last_card()

    def _dealers_last_card(self) -> bool:
        """R3.6: of the round, so not the one before the second deal."""
        last = not self.stock and len(self.hands[self.seat]) == 1
        return last and self.seat == self.dealer

    def _deal_or_end(self) -> None:
        """R2.1: all hands are empty."""
        if not self.stock:
            self._end()
            return
        seat = clockwise(self.dealer)
        for card in self.stock[: HAND * 4]:
            self.hands[seat].append(card)
            seat = clockwise(seat)
        del self.stock[: HAND * 4]

    def _end(self) -> None:
        if self.last_capturer is not None:  # R3.5
            self.captured[team_of(self.last_capturer)] += self.pile
            self.pile = []
        points = round_points(self.captured, self.xeris)
        winner = None if points[0] == points[1] else points.index(max(points))  # R4.4
        self.result = {
            "points": points,
            "cards": [len(cards) for cards in self.captured],
            "xeris": [list(xeris) for xeris in self.xeris],
            "winner": winner,
        }


# --- the game -------------------------------------------------------------------------------


class Score:
    """The state of a game between rounds (R5)."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.rounds = 0
        self.totals = [0, 0]
        self.round_wins = [0, 0]
        self.extended = False  # R5.2: whether both reached the target in one round

    def add(self, result: dict[str, Any]) -> None:
        """Count a round that was played out."""
        self.rounds += 1
        for team in TEAMS:
            self.totals[team] += result["points"][team]
            self.round_wins[team] += result["winner"] == team
        target = self.rules["target_score"]
        if target is not None and min(self.totals) >= target:
            self.extended = True

    def winners(self) -> list[int] | None:
        """The teams that have won or share the win, or None while the game goes on."""
        if self.rules["target_score"] is not None:
            return self._target_winners()
        if self.rounds < self.rules["num_rounds"]:
            return None
        return [team for team in TEAMS if self.round_wins[team] == max(self.round_wins)]  # R5.1

    def _target_winners(self) -> list[int] | None:
        """R5.2."""
        target = self.rules["extended_target_score" if self.extended else "target_score"]
        reached = [team for team in TEAMS if self.totals[team] >= target]
        if not reached or (len(reached) == 2 and self.totals[0] == self.totals[1]):
            return None
        return [max(reached, key=lambda team: self.totals[team])]

    def result(self) -> dict[str, Any] | None:
        """The result of the game as in a record, or None while it goes on."""
        winners = self.winners()
        if winners is None:
            return None
        return {
            "totals": list(self.totals),
            "winners": winners,
            "round_wins": list(self.round_wins),
        }


# --- records --------------------------------------------------------------------------------


def differs(name: str, given: object, own: object) -> str | None:
    """The two values, if they are not the same (``1``, ``1.0`` and ``true`` are not)."""
    same = json.dumps(given, sort_keys=True) == json.dumps(own, sort_keys=True)
    return None if same else f"{name}: given {given!r}, by the rules {own!r}"


def lacks(entry: dict[str, Any], fields: Sequence[str]) -> str | None:
    """The fields that are missing, if any are."""
    missing = [field for field in fields if field not in entry]
    return f"missing {missing}" if missing else None


def differs_in(name: str, given: dict[str, Any] | None, own: dict[str, Any] | None) -> str | None:
    """The first difference of two results; unknown fields are ignored."""
    if given is None or own is None:
        return differs(name, given, own)
    if difference := lacks(given, list(own)):
        return f"{name}: {difference}"
    for field, value in own.items():
        if difference := differs(f"{name}: {field}", given[field], value):
            return difference
    return None


def check_match(record: dict[str, Any]) -> str | None:
    """Replay a match record; the first difference from the rules as text, or None."""
    for field, value in (("format", "xabitha-record"), ("version", 1), ("game", "xeri")):
        if difference := differs(field, record.get(field), value):
            return difference
    if difference := lacks(record, ("rules", "seed", "agents", "rounds", "result")):
        return difference
    if len(record["agents"]) != len(SEATS):
        return f"agents: {len(record['agents'])} names"
    if difference := lacks(record["rules"], list(DEFAULT_RULES)):
        return f"rules: {difference}"
    return _check_rounds(record, Score(record["rules"]))


def _check_rounds(record: dict[str, Any], score: Score) -> str | None:
    rounds = record["rounds"]
    dealer: int | None = None
    for number, entry in enumerate(rounds):
        if score.winners() is not None:
            return f"round {number}: the game is already over"
        may_be_short = record["result"] is None and number == len(rounds) - 1
        difference, result = _check_round(entry, score.rules, dealer, may_be_short)
        if difference is not None:
            return f"round {number}: {difference}"
        dealer = clockwise(entry["dealer"])  # R1.2
        if result is not None:  # else the match was cut off within this last round
            score.add(result)
    return differs_in("result", record["result"], score.result())


def _check_round(
    entry: dict[str, Any], rules: Rules, dealer: int | None, may_be_short: bool
) -> tuple[str | None, dict[str, Any] | None]:
    """The first difference within a round, and the round's result if it was played out."""
    difference = lacks(entry, ("dealer", "deal", "events", "result")) or _check_deal(entry, rules)
    if difference is None and dealer is not None:
        difference = differs("dealer", entry["dealer"], dealer)
    if difference is not None:
        return difference, None
    deal = entry["deal"]
    cards = (deal["hands"], deal["pile"], deal["stock"], entry.get("bottom_card"))
    game = Round(rules, entry["dealer"], *cards)
    for number, event in enumerate(entry["events"]):
        if (difference := _check_event(game, event)) is not None:
            return f"event {number}: {difference}", None
    if not game.over and not may_be_short:
        return "events: the round is not over", None
    return differs_in("result", entry["result"], game.result), game.result


def _check_deal(entry: dict[str, Any], rules: Rules) -> str | None:
    deal = entry["deal"]
    if difference := lacks(deal, ("hands", "pile", "stock")):
        return f"deal: {difference}"
    if ("bottom_card" in entry) != rules["show_bottom_card"]:  # R2.3
        return f"bottom_card: given {entry.get('bottom_card')!r}"
    cards = (deal["hands"], deal["pile"], deal["stock"], entry.get("bottom_card"))
    error = deal_error(rules, entry["dealer"], *cards)
    return None if error is None else f"deal: {error}"


def _check_event(game: Round, event: Event) -> str | None:
    if game.over:
        return "the round is already over"
    if difference := lacks(event, ("seat", "move")):
        return difference
    if difference := differs("seat", event["seat"], game.seat):
        return difference
    if "legal" in event and (difference := differs("legal", event["legal"], game.legal())):
        return difference
    try:
        own = game.play(event["move"])
    except IllegalMove as error:
        return f"illegal: {error}"
    for field in ("captured", "xeri"):
        if (field in event) != (field in own):  # a field that does not apply is absent
            return f"{field}: given {event.get(field)!r}, by the rules {own.get(field)!r}"
        if difference := differs(field, event.get(field), own.get(field)):
            return difference
    return None
