"""What can be seen of a table, as plain data that terminals, pictures and pages draw.

A game's `scene.py` says what its tables look like to a seat; whoever draws a scene needs to know no
rule, and cannot show what the viewer does not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Cards that lie together.

    Attributes:
        name: what they are, such as ``deck`` or ``meld 3``.
        cards: the text forms of those that the viewer sees, as they lie.
        hidden: how many more there are, of which only backs are seen, below the others.
        note: what else is to be said of them; empty for nothing.
    """

    name: str
    cards: tuple[str, ...] = ()
    hidden: int = 0
    note: str = ""

    @property
    def count(self) -> int:
        """How many cards there are."""
        return len(self.cards) + self.hidden

    def text(self) -> str:
        """Return the group as one line."""
        shown = " ".join(self.cards) if self.cards else "" if self.hidden else "empty"
        return " ".join(filter(None, (f"{self.name} ({self.count})", shown, self.note)))


@dataclass(frozen=True)
class SeatScene:
    """One seat.

    Attributes:
        seat: 0-3.
        hand: its cards, but for those that are staged.
        status: a few words, such as ``opens at 51``; may be empty.
        staged: melds of an opening that is not yet made, for who may see them (X6.4).
        secret: what only its owner knows, such as ``Xabitha mode``; empty for nothing and for
            other viewers.
    """

    seat: int
    hand: Group
    status: str = ""
    staged: tuple[Group, ...] = ()
    secret: str = ""


@dataclass(frozen=True)
class Scene:
    """A table as a viewer sees it.

    Attributes:
        game: the game's name.
        viewer: the seat whose view it is, or None for all hands open.
        place: where the match stands, such as ``round 2 of 5, turn 17``.
        scores: names of what is counted by team, with both teams' numbers.
        seats: the four seats.
        piles: the deck and what else is drawn from or played on.
        melds: groups on the table that stay there.
        actor: the seat to act; None when the match is over.
        doing: what is awaited, as a sentence without its full stop.
        news: what the last round brought, right after it; else empty.
    """

    game: str
    viewer: int | None
    place: str
    scores: tuple[tuple[str, int, int], ...]
    seats: tuple[SeatScene, ...]
    piles: tuple[Group, ...]
    actor: int | None
    doing: str
    melds: tuple[Group, ...] = ()
    news: str = ""

    def text(self) -> str:
        """Return the scene as lines of text."""
        scores = [f"{name} {first} : {second}" for name, first, second in self.scores]
        lines = [
            "   ".join((self.place, *scores)),
            "   ".join(pile.text() for pile in self.piles),
            *(self._seat_line(seat) for seat in self.seats),
            *(f"  {meld.text()}" for meld in self.melds),
            self.doing,
        ]
        return "\n".join([*lines, self.news] if self.news else lines)

    def _seat_line(self, seat: SeatScene) -> str:
        mark = ">" if seat.seat == self.actor else " "
        count = seat.hand.count + sum(meld.count for meld in seat.staged)
        cards = " ".join(seat.hand.cards)
        line = f"{mark} seat {seat.seat}  {count:2} cards  {seat.status:13} {cards}"
        if seat.staged:
            line += f"  staged: {', '.join(' '.join(meld.cards) for meld in seat.staged)}"
        if seat.secret:
            line += f"  ({seat.secret})"
        return line.rstrip()


def hand_group(kinds: Sequence[str], seen: bool) -> Group:
    """Return a hand, open to the viewer or face down."""
    return Group("hand", tuple(kinds)) if seen else Group("hand", hidden=len(kinds))
