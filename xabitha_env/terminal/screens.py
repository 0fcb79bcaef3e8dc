"""Screens over the table: help, rules, summaries, a question."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Markdown, Static

from xabitha_env.terminal.marks import LEGENDS

_STYLE = """
TextScreen, QuestionScreen { align: center middle; }
TextScreen > VerticalScroll, QuestionScreen > Static {
    width: 76; max-width: 100%; height: auto; max-height: 100%; padding: 0 1; background: $panel;
}
"""

KEYS = """\
Cards and moves
  left right    move along the hand           space   pick a card, or put it back
  enter         play the cards picked (of several moves that fit, choose in the list)
  tab           from the hand to the list of moves and on; there up, down, enter
  escape        pick nothing, back to the hand
  d f           draw from the deck, take the top of the fire pile
  o u           commit an opening, take back the last meld of its draft
  x             lay the formation             y n     answer the declaration
  :             type a move, such as {example}

The rest
  s             sort the hand by suit or rank
  h             a hint: what {hints} would do, with its reasons
  r             the rules                     ?       this help
  ctrl+s        save the match                q       quit
  page up/down  scroll the table, or the whole screen where it is small
  , .           scroll the log

The mouse picks cards and chooses moves in the list.
Marks below a card: ^ picked  {legend}
A > is before the seat to act. Press escape, enter or space to go back.
"""


class TextScreen(ModalScreen[None]):
    """A text to read; it scrolls.

    Args:
        text: what is to be read.
        markdown: whether it is Markdown.
    """

    CSS = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,space,q", "dismiss", "back"),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
    ]

    def __init__(self, text: str, markdown: bool = False) -> None:
        super().__init__()
        self._text, self._markdown = text, markdown

    def compose(self) -> ComposeResult:
        """Return the text in a box that scrolls."""
        with VerticalScroll(can_focus=False):
            yield Markdown(self._text) if self._markdown else Static(Content(self._text))

    def action_scroll(self, lines: int) -> None:
        """Scroll by some lines."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    async def action_dismiss(self, result: None = None) -> None:
        """Go back."""
        self.dismiss()


class QuestionScreen(ModalScreen[bool]):
    """A question that is answered by yes or no."""

    CSS = _STYLE
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes"),
        Binding("n,escape", "answer(False)", "no"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Return the question, and answers to click."""
        yes, no = "[@click=screen.answer(True)]y: yes[/]", "[@click=screen.answer(False)]n: no[/]"
        yield Static(Content(self._text + "\n\n") + Content.from_markup(f"{yes}   {no}"))

    def action_answer(self, answer: bool) -> None:
        """Answer."""
        self.dismiss(answer)


def help_text(game: str, hints: str) -> str:
    """Return the help: all keys and marks.

    Args:
        game: which game.
        hints: who gives them.
    """
    example = "play:TD" if game == "xeri" else "meld:4S-5S-6S or discard:TD"
    return KEYS.format(example=example, hints=hints, legend=LEGENDS[game])
