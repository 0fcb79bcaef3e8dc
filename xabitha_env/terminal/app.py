"""Playing in the terminal: the program around the board."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Input, OptionList
from textual.worker import Worker, WorkerState

from xabitha_env.players.base import Agent
from xabitha_env.rulebook import rules_text
from xabitha_env.terminal.board import Board
from xabitha_env.terminal.glyphs import needs_letters, shown, typed
from xabitha_env.terminal.hints import hint_lines
from xabitha_env.terminal.keeping import Keeping, new_file
from xabitha_env.terminal.match import ANSWER_NO, Refused
from xabitha_env.terminal.moves import taking
from xabitha_env.terminal.screens import QuestionScreen, TextScreen, help_text

PLAYERS, HINTS = "players", "hints"
"""Groups of threads."""
TICK = 0.2
"""Seconds between two looks at the time."""
WIDE = 70
"""Columns from which the panels stand side by side."""


class PlayApp(App[None]):
    """A match with a person.

    Everything that takes long runs in a thread, and what it brings is dropped if the position is
    another one by then.

    Args:
        keeping: the match and its files.
        adviser: gives the hints; it sits at no table.
        advised_by: how it was named.
        letters: suits as letters; by default where the terminal has no symbols.
    """

    TITLE = "xabitha"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("colon", "type", "type", key_display=":"),
        Binding("h", "hint", "hint"),
        Binding("s", "sort", "sort"),
        Binding("u", "undo", "undo"),
        Binding("r", "rules", "rules"),
        Binding("ctrl+s", "save", "save"),
        Binding("q", "quit", "quit"),
        Binding("ctrl+q", "quit", show=False),
        Binding("escape", "to_hand", show=False),
        Binding("d", "choose('draw:deck')", show=False),
        Binding("f", "choose('draw:fire')", show=False),
        Binding("o", "choose('open')", show=False),
        Binding("x", "choose('formation')", show=False),
        Binding("y", "choose('declare:yes')", show=False),
        Binding("n", "choose('declare:no')", show=False),
        Binding("pageup", "scroll_panel(-1, False)", show=False),
        Binding("pagedown", "scroll_panel(1, False)", show=False),
        Binding("comma", "scroll_panel(-1, True)", show=False),
        Binding("full_stop", "scroll_panel(1, True)", show=False),
    ]

    def __init__(
        self, keeping: Keeping, adviser: Agent, advised_by: str, letters: bool | None = None
    ) -> None:
        super().__init__()
        self.keeping, self.match = keeping, keeping.match
        self.adviser, self.advised_by = adviser, advised_by
        self.letters = needs_letters() if letters is None else letters
        self.board = Board(self.match, self.letters)
        self.deadline: float | None = None  # for an answer, by the monotonic clock
        self._submit: Callable[[str], None] = self.play_typed

    def compose(self) -> ComposeResult:
        """Return the board and the keys."""
        yield self.board
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Begin."""
        self.set_class(self.letters, "-letters")
        self.set_interval(TICK, self.look_at_time)
        self.board.show()
        self.go_on()

    # The match goes on.

    def go_on(self) -> None:
        """Let whoever is to act act."""
        if self.match.over:
            self.board.say("the match is over: q to quit")
        elif not self.match.my_turn:
            self._in_thread(PLAYERS, self.match.think)
        else:
            seconds = self.match.seconds_to_answer()
            self.deadline = None if seconds is None else time.monotonic() + seconds
            self.board.seconds_left = seconds
            self.board.show_note()
            if not self.board.prompt.display:
                self.board.hand.focus()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Take what a thread brings, unless the position is another one by now."""
        worker: Worker[Any] = event.worker
        if event.state == WorkerState.ERROR:
            what = "no hint" if worker.group == HINTS else "the match cannot go on"
            self.board.say(f"{what}: {worker.error}")
        if event.state != WorkerState.SUCCESS or worker.result is None:
            return
        position, found = worker.result
        if position != self.match.position:
            return
        if worker.group == PLAYERS:
            self.moved(self.match.play(found))
        elif worker.group == HINTS:
            self.board.advise(hint_lines(self.match, found, self.advised_by))

    def _in_thread(self, group: str, work: Callable[[], Any]) -> None:
        """Run something in a thread; what it brings belongs to the position of now."""
        position = self.match.position
        self.run_worker(
            lambda: (position, work()),
            group=group,
            exclusive=True,
            exit_on_error=False,
            thread=True,
        )

    def moved(self, ended: bool) -> None:
        """Show what a move brought, and go on."""
        self.board.show()
        if ended:
            self._keep()
            self.read("\n".join(self.match.summary()), self.go_on)
        else:
            self.go_on()

    def read(self, text: str, then: Callable[[], None] = lambda: None) -> None:
        """Show a text over the board until it is read."""
        screen = TextScreen(shown(f"{text}\n\nenter: go on", self.letters))
        self.push_screen(screen, lambda _: then())

    def choose(self, move: str) -> None:
        """Make a move of the person, or say why it is refused."""
        try:
            ended = self.match.choose(move)
        except Refused as refusal:
            self.refuse(refusal)
            return
        self.deadline = self.board.seconds_left = None
        self.board.hand.clear()
        self.board.say("")
        self.moved(ended)

    def refuse(self, refusal: Refused) -> None:
        """Say why a move is refused, in the rule's own words, too."""
        if refusal.words:
            self.read(f"{refusal}\n\n{refusal.rule}: {refusal.words}")
        else:
            self.board.say(str(refusal))

    def look_at_time(self) -> None:
        """Count down; no answer in time is a no (X3.2)."""
        if self.deadline is None:
            return
        left = self.deadline - time.monotonic()
        if left > 0:
            self.board.seconds_left = ceil(left)
            self.board.show_note()
        else:
            self.choose(ANSWER_NO)
            self.board.say("the time is over: the answer is no")

    # What the person does.

    def on_hand_view_changed(self) -> None:
        """Offer the moves for other cards."""
        self.board.show_moves()

    def on_hand_view_played(self) -> None:
        """Play the cards picked, offering the moves that fit where there are several."""
        picked = self.board.hand.pointed
        fits = taking(self.match.moves(), picked)
        if len(fits) == 1:
            self.choose(fits[0])
        elif fits:
            self.board.show_moves(fits)
            self.board.say(f"{len(fits)} moves fit: choose one")
            self.board.listed.focus()
        else:
            self.refuse(self.match.why_not(picked))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Make the move that is chosen in the list."""
        self.choose(self.board.offered[event.option_index])

    def action_choose(self, move: str) -> None:
        """Make a move that has a key of its own."""
        self.choose(move)

    def action_undo(self) -> None:
        """Take back the meld that was drafted last."""
        try:
            self.match.undo()
        except Refused as refusal:
            self.refuse(refusal)
        else:
            self.board.say("")
            self.board.show()

    def action_sort(self) -> None:
        """Sort the hand the other way."""
        self.board.hand.sort()
        self.board.show_note()

    def action_to_hand(self) -> None:
        """Pick nothing, type nothing, and go back to the hand."""
        self.board.hand.clear()
        self.board.to_hand()

    def action_type(self) -> None:
        """Type a move."""
        self._ask("a move, such as those in the list", self.play_typed)

    def _ask(self, what: str, submit: Callable[[str], None]) -> None:
        self._submit = submit
        self.board.ask(what)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what was typed."""
        self.board.to_hand()
        if event.value.strip():
            self._submit(event.value)

    def play_typed(self, text: str) -> None:
        """Make a move that was typed."""
        self.choose(typed(text))

    def action_hint(self) -> None:
        """Ask the adviser."""
        if not self.match.my_turn:
            self.board.say("a hint is given when it is your turn")
            return
        sight = self.match.sight.copy()
        self.board.advise([f"{self.advised_by} thinks ..."])
        self._in_thread(HINTS, lambda: self.match.opinion(self.adviser, sight))

    def action_scroll_panel(self, pages: int, log: bool) -> None:
        """Scroll what is longer than its panel."""
        self.board.scroll_panel(pages, log)

    def action_help(self) -> None:
        """Show all keys."""
        self.push_screen(TextScreen(help_text(self.match.setup.game, self.advised_by)))

    def action_rules(self) -> None:
        """Show the rules."""
        self.push_screen(TextScreen(rules_text(self.match.setup.game), not self.letters))

    # Files.

    def action_save(self) -> None:
        """Save the match; without a file, ask for one."""
        if self.keeping.save_path is None:
            self._ask("a file to save the match in", self.save_to)
        elif self._saves():
            self.board.say(f"saved: xabitha play --continue {self.keeping.save_path}")

    def save_to(self, name: str) -> None:
        """Save to a file, from now on."""
        try:
            self.keeping.save_path = new_file(Path(name.strip()))
        except ValueError as error:
            self.board.say(str(error))
        else:
            if self._saves():
                self.board.say(f"saved: xabitha play --continue {self.keeping.save_path}")
            else:
                self.keeping.save_path = None

    def _keep(self) -> None:
        """Write the files of the match, so that a terminal that is closed costs a round at most."""
        self._saves()
        try:
            self.keeping.write_record()
        except (ValueError, OSError) as error:
            self.board.say(str(error))

    def _saves(self) -> bool:
        try:
            return self.keeping.save()
        except (ValueError, OSError) as error:
            self.board.say(str(error))
            return False

    async def action_quit(self) -> None:
        """Save, if a file is named, and leave; ask first where the match would be lost."""
        if isinstance(self.screen, QuestionScreen):
            return
        saved = self._saves()
        if saved or (self.match.over and self.keeping.save_path is None):
            self.exit()
            return
        question = "The match is not saved. Quit?"
        self.push_screen(QuestionScreen(question), lambda sure: self.exit() if sure else None)
