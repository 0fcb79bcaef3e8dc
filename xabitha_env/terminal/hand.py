"""The person's hand as a widget: cards to be picked by keys or mouse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from xabitha_env.cards import JOKER, KIND_OF, rank_of
from xabitha_env.terminal.glyphs import is_red, shown
from xabitha_env.terminal.table import RED, STRONG

CELL = 5
"""Characters of a card with what is around it."""
LINES = 2
"""Of each card: itself, and its marks."""
PICKED = "^"


class HandView(Widget, can_focus=True):
    """Cards in rows, each with its marks below: ``^`` where it is picked, then the others.

    Args:
        letters: suits as letters.
        id: as for any widget.
    """

    DEFAULT_CSS = "HandView { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "card", show=False),
        Binding("right", "move(1)", "card", show=False),
        Binding("up", "move_row(-1)", "row", show=False),
        Binding("down", "move_row(1)", "row", show=False),
        Binding("home", "move(-99)", "first", show=False),
        Binding("end", "move(99)", "last", show=False),
        Binding("space", "pick", "pick"),
        Binding("enter", "play", "play", key_display="enter"),
    ]

    class Changed(Message):
        """Other cards are picked."""

    class Played(Message):
        """The cards picked are to be played."""

    def __init__(self, letters: bool, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.letters = letters
        self.by_rank = False
        self.cursor = 0
        self._cards: list[str] = []
        self._marks: Mapping[str, str] = {}
        self._picked: set[int] = set()

    @property
    def picked(self) -> list[str]:
        """The cards that are picked."""
        return [self._cards[place] for place in sorted(self._picked)]

    @property
    def pointed(self) -> list[str]:
        """The cards picked or, if there are none, the card under the cursor."""
        return self.picked or self._cards[self.cursor : self.cursor + 1]

    @property
    def cards(self) -> list[str]:
        """The cards as they stand."""
        return self._cards

    def show(self, cards: Sequence[str], marks: Mapping[str, str]) -> None:
        """Show a hand; cards that were picked and are still there stay picked."""
        kept = Counter(self.picked)
        self._cards = sorted(cards, key=self._rank if self.by_rank else KIND_OF.__getitem__)
        self._marks = marks
        self._picked.clear()
        for place, card in enumerate(self._cards):
            if kept[card] > 0:
                kept[card] -= 1
                self._picked.add(place)
        self.cursor = max(0, min(self.cursor, len(self._cards) - 1))
        self.refresh(layout=True)
        if self.has_focus:
            self.call_after_refresh(self.scroll_visible, animate=False)

    def on_focus(self) -> None:
        """Come into sight, once the size is known."""
        self.call_after_refresh(self.scroll_visible, animate=False)

    def clear(self) -> None:
        """Pick nothing."""
        self._picked.clear()
        self._tell()

    def sort(self) -> None:
        """Sort by rank instead of suit, or the other way round."""
        self.by_rank = not self.by_rank
        self.show(self._cards, self._marks)

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.cursor = max(0, min(self.cursor + by, len(self._cards) - 1))
        self.refresh()
        self.scroll_visible(animate=False)

    def action_move_row(self, by: int) -> None:
        """Move the cursor to another row, if there is one."""
        target = self.cursor + by * self._per_row(self.size.width)
        if 0 <= target < len(self._cards):
            self.action_move(target - self.cursor)

    def action_pick(self) -> None:
        """Pick the card under the cursor, or put it back."""
        if self._cards:
            self._picked ^= {self.cursor}
            self._tell()

    def action_play(self) -> None:
        """Ask that the cards picked be played."""
        self.post_message(self.Played())

    def on_click(self, event: events.Click) -> None:
        """Pick the card that is clicked."""
        column, row = event.x // CELL, event.y // LINES
        place = row * self._per_row(self.size.width) + column
        if column < self._per_row(self.size.width) and place < len(self._cards):
            self.cursor = place
            self.action_pick()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines that the hand takes."""
        return LINES * max(1, -(-len(self._cards) // self._per_row(width)))

    def render(self) -> Content:
        """Return the cards and marks, row by row."""
        per_row = self._per_row(self.size.width)
        lines = []
        for start in range(0, len(self._cards), per_row):
            places = range(start, min(start + per_row, len(self._cards)))
            lines.append(Content("").join([self._card(place) for place in places]))
            lines.append(Content("").join([self._mark(place) for place in places]))
        return Content("\n").join(lines) if lines else Content("no cards")

    @staticmethod
    def _rank(card: str) -> tuple[int, int]:
        kind = KIND_OF[card]
        return (JOKER if kind == JOKER else rank_of(kind)), kind

    @staticmethod
    def _per_row(width: int) -> int:
        return max(1, width // CELL)

    def _card(self, place: int) -> Content:
        card = self._cards[place]
        pointed = place == self.cursor and self.has_focus
        left, right = ("[", "]") if pointed else (" ", " ")
        style = RED if is_red(card) else STRONG
        if place in self._picked:
            style += " reverse"
        return Content.assemble(left, (shown(card, self.letters), style), right.ljust(2))

    def _mark(self, place: int) -> Content:
        picked = PICKED if place in self._picked else ""
        return Content((" " + picked + self._marks.get(self._cards[place], "")).ljust(CELL))

    def _tell(self) -> None:
        self.refresh()
        self.post_message(self.Changed())
