"""Everything that the person sees while playing, as one widget."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from xabitha_env.cards import NUM_SEATS, partner_of
from xabitha_env.terminal.glyphs import shown
from xabitha_env.terminal.hand import HandView
from xabitha_env.terminal.marks import LEGENDS
from xabitha_env.terminal.match import Match
from xabitha_env.terminal.moves import containing
from xabitha_env.terminal.table import STRONG, TableView

LONGEST_STORY = 200
"""Lines of the log that are shown."""


class Board(VerticalScroll, can_focus=False):
    """The table, the log, the hand, the moves and the hints of a match.

    Args:
        match: what is shown.
        letters: suits as letters.
    """

    DEFAULT_CSS = """
    Board { height: 1fr; }
    Board, Board * { scrollbar-size-vertical: 1; }
    #top { height: 1fr; min-height: 8; }
    #table { width: 1fr; height: 100%; }
    #log { width: 30; height: 100%; padding: 0 0 0 1; color: $text-muted; }
    #note { height: auto; margin: 1 0 0 0; }
    #choice { height: 6; }
    #moves { width: 1fr; height: 100%; border: none; padding: 0; }
    #hints { width: 30; height: 100%; padding: 0 0 0 1; }
    #message { height: auto; }
    #prompt { height: 1; border: none; padding: 0; }

    /* The bars are drawn by characters that not every terminal has. */
    .-letters, .-letters * { scrollbar-size-vertical: 0; }

    .-narrow #top, .-narrow #choice { layout: vertical; height: auto; }
    .-narrow #table { width: 100%; height: auto; }
    .-narrow #log { width: 100%; height: 4; padding: 0; }
    .-narrow #moves { width: 100%; height: 5; }
    .-narrow #hints { width: 100%; height: auto; padding: 0; }
    """
    SCOPED_CSS = False  # the size of the screen, and whether it has symbols, is told further out

    def __init__(self, match: Match, letters: bool) -> None:
        super().__init__()
        self.match, self.letters = match, letters
        self.hand = HandView(letters, id="hand")
        self.listed = OptionList(id="moves", markup=False, compact=True)
        self.prompt = Input(id="prompt", compact=True)
        self.offered: list[str] = []
        self._table = TableView(letters=letters)
        self._story, self._note = Static(id="story"), Static(id="note")
        self._hint, self._message = Static(id="hint"), Static(id="message")
        self.seconds_left: int | None = None

    def compose(self) -> ComposeResult:
        """Return the panels."""
        with Horizontal(id="top"):
            with VerticalScroll(id="table", can_focus=False):
                yield self._table
            with VerticalScroll(id="log", can_focus=False):
                yield self._story
        yield self._note
        yield self.hand
        with Horizontal(id="choice"):
            yield self.listed
            with VerticalScroll(id="hints", can_focus=False):
                yield self._hint
        yield self._message
        yield self.prompt

    def on_mount(self) -> None:
        """Show the line to type in only when it is needed."""
        self.prompt.display = False

    def say(self, text: str) -> None:
        """Show a message below the moves."""
        self._message.update(self._content(text))

    def advise(self, lines: Sequence[str]) -> None:
        """Show a hint."""
        self._hint.update(self._content("\n".join(lines)))

    def show(self) -> None:
        """Show the match as it stands."""
        match = self.match
        names = [self._called(seat) for seat in range(NUM_SEATS)]
        self._table.show(match.scene(), names, own_hand=False)
        self._story.update(self._content("\n".join(match.story[-LONGEST_STORY:])))
        self.query_one("#log").scroll_end(animate=False)
        self.hand.show(match.hand(), match.marks())
        self.advise([])
        self.show_moves()

    def show_moves(self, only: list[str] | None = None) -> None:
        """Offer the moves that take the cards picked, or these only."""
        moves = containing(self.match.moves(), self.hand.picked) if only is None else only
        notes = [self.match.move_note(move) for move in moves]
        self.offered = moves
        self.listed.set_options(
            shown(f"{move}  {note}".rstrip(), self.letters) for move, note in zip(moves, notes)
        )
        self.listed.highlighted = 0 if moves else None
        self.show_note()

    def show_note(self) -> None:
        """Say above the hand what is picked, how far an opening is, and how long there is time."""
        match, picked = self.match, self.hand.picked
        order = "rank" if self.hand.by_rank else "suit"
        parts = [f"your hand ({len(self.hand.cards)}) by {order}", match.draft_note()]
        if self.seconds_left is not None:
            parts.append(f"Xabitha mode? y or n: {self.seconds_left} s left")
        if picked:
            parts.append(f"picked {len(picked)}: {match.pick_note(picked) or ' '.join(picked)}")
        if not any(parts[1:]):
            parts.append(LEGENDS[match.setup.game])
        text = shown("  |  ".join(filter(None, parts)), self.letters)
        self._note.update(Content.styled(text, STRONG))

    def ask(self, what: str) -> None:
        """Open the line to type in."""
        self.prompt.placeholder, self.prompt.value = what, ""
        self.prompt.display = True
        self.prompt.focus()

    def to_hand(self) -> None:
        """Close the line to type in, and go to the hand."""
        self.prompt.display = False
        self.hand.focus()

    def scroll_panel(self, pages: int, log: bool) -> None:
        """Scroll the log, or the table; where the screen is too small for all, all of it."""
        panel = self.query_one("#log") if log else self if self.max_scroll_y else None
        panel = panel or self.query_one("#table")
        panel.scroll_relative(y=pages * max(1, panel.size.height - 1), animate=False)

    def _called(self, seat: int) -> str:
        name = self.match.names[seat]
        return f"{name}, partner" if seat == partner_of(self.match.seat) else name

    def _content(self, text: str) -> Content:
        return Content(shown(text, self.letters))
