"""What happened, in plain words: for all eyes, for who does not see a hand, or to one seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from xabitha_env.pictures.svg import card_name

Event: TypeAlias = Mapping[str, Any]
Said: TypeAlias = tuple[str, str]
"""A verb as it follows "you", and what comes after it."""

_ENDS = {"": "", "low": " at its low end", "high": " at its high end"}


class Told(NamedTuple):
    """An event as it is told.

    Attributes:
        move: its text form.
        words: a sentence without its full stop.
    """

    move: str
    words: str


def named(card: str) -> str:
    """Return what a card is called in a sentence."""
    return "a joker" if card == "JK" else f"the {card_name(card)}"


@dataclass(frozen=True)
class Voice:
    """How events are told.

    Attributes:
        you: the seat that is spoken to; None for nobody.
        card: what a card, in text form, is called.
    """

    you: int | None = None
    card: Callable[[str], str] = named

    def who(self, seat: int) -> str:
        """Return how a seat is called at the beginning of a sentence."""
        return "You" if seat == self.you else f"Seat {seat}"

    def says(self, seat: int, verb: str, rest: str = "") -> str:
        """Return a sentence about a seat; the verb is given as it follows "you"."""
        ending = "" if seat == self.you else "es" if verb.endswith("o") else "s"
        return f"{self.who(seat)} {verb}{ending} {rest}".rstrip()

    def tell(self, event: Event, staged: Sequence[str] = (), seen: bool = True) -> str:
        """Return an event of a record in words.

        Args:
            event: the event.
            staged: the melds of an opening that is not yet made, or that the event makes.
            seen: whether the seat's hand is seen, its declaration and what it stages (X3.3, X6.4).
        """
        verb, _, rest = event["move"].partition(":")
        if verb == "open":
            said = "open", f"with {' and '.join(staged)}"
        elif verb == "meld" and staged:
            said = ("stage", f"{_cards(rest)} for an opening") if seen else ("play", "on")
        elif verb == "declare" and not seen:
            said = "answer", "in secret"
        elif verb == "draw":
            said = self._draw(rest, event, seen)
        else:
            said = _TELL[verb](self, rest, event)
        return self.says(event["seat"], *said)

    def _draw(self, source: str, event: Event, seen: bool) -> Said:
        if source == "fire":
            return "take", f"{self.card(event['drawn'])} from the fire pile"
        if "drawn" not in event:
            return "find", "no card to draw: the round is cancelled"
        made = ", made anew from the fire pile" if "reshuffled" in event else ""
        return "draw", f"{self.card(event['drawn']) if seen else 'a card'} from the deck{made}"

    def _declare(self, answer: str, event: Event) -> Said:
        return ("declare", "Xabitha mode") if answer == "yes" else ("play", "in normal mode")

    def _meld(self, cards: str, event: Event) -> Said:
        return "lay", _cards(cards)

    def _formation(self, rest: str, event: Event) -> Said:
        return "lay", "the formation"

    def _add(self, rest: str, event: Event) -> Said:
        card, meld, end = _on_meld(rest)
        return "add", f"{self.card(card)} to meld {meld}{_ENDS[end]}"

    def _steal(self, rest: str, event: Event) -> Said:
        card, meld, _ = _on_meld(rest)
        return "give", f"{self.card(card)} for the joker of meld {meld}"

    def _discard(self, card: str, event: Event) -> Said:
        if event.get("undo"):
            return "put", f"{self.card(card)} back on the fire pile, to draw again"
        return "discard", self.card(card)

    def _play(self, card: str, event: Event) -> Said:
        if "captured" not in event:
            return "play", self.card(card)
        xeri = f": a xeri of {event['xeri']} points" if "xeri" in event else ""
        return "capture", f"{event['captured']} cards with {self.card(card)}{xeri}"


def _cards(meld: str) -> str:
    return meld.replace("-", " ")


def _on_meld(rest: str) -> tuple[str, str, str]:
    """Return the card, the meld's number and the end, if any, of a move on a meld."""
    card, _, place = rest.partition("@")
    meld, _, end = place.partition(":")
    return card, meld, end


_TELL: dict[str, Callable[[Voice, str, Event], Said]] = {
    "declare": Voice._declare,
    "meld": Voice._meld,
    "formation": Voice._formation,
    "add": Voice._add,
    "steal": Voice._steal,
    "discard": Voice._discard,
    "play": Voice._play,
}


def tell(event: Event, staged: Sequence[str] = ()) -> Told:
    """Return an event as somebody tells it who sees all hands; see `Voice.tell`."""
    return Told(event["move"], Voice().tell(event, staged))


def tell_public(event: Event, staged: Sequence[str] = ()) -> Told:
    """Return an event as somebody tells it who does not see the seat's hand."""
    move: str = event["move"]
    verb = move.partition(":")[0]
    hidden = verb == "declare" or (verb == "meld" and bool(staged))
    return Told(verb if hidden else move, Voice().tell(event, staged, seen=False))
