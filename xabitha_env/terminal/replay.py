"""A recorded match in the terminal, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from xabitha_env.cards import NUM_SEATS
from xabitha_env.replay import Frame, MatchLine, Replay
from xabitha_env.replay.frames import JUMPS, hide_hands
from xabitha_env.replay.text import event_lines, heading
from xabitha_env.terminal.glyphs import shown
from xabitha_env.terminal.table import TableView

PACES = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Frames a second."""
_MARK_KEYS = {"o": "opening", "s": "steal", "f": "formation", "x": "xeri", "c": "capture"}


@dataclass(frozen=True)
class Source:
    """Where matches come from.

    Attributes:
        load: gives a match by its number; raises ValueError or OSError with a clear message.
        lines: gives the list of all matches; may raise OSError.
    """

    load: Callable[[int], Replay]
    lines: Callable[[], Iterator[MatchLine]]


class MatchList(ModalScreen[int | None]):
    """Asks for a match of the file."""

    DEFAULT_CSS = """
    MatchList { align: center middle; }
    MatchList OptionList { width: 90%; height: 80%; border: round $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Back")]

    def __init__(self, source: Source, number: int) -> None:
        super().__init__()
        self._source = source
        self._number = number

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        matches = OptionList()
        matches.border_title = "matches"
        yield matches

    def on_mount(self) -> None:
        """Begin to read the file."""
        self._read()

    @work(thread=True, exclusive=True)
    def _read(self) -> None:
        """Fill the list, line by line, while it can be used already."""
        worker = get_current_worker()
        try:
            for line in self._source.lines():
                if worker.is_cancelled:
                    return
                self.app.call_from_thread(self._add, line)
        except OSError as error:
            self.app.call_from_thread(self.notify, str(error), severity="error", markup=False)

    def _add(self, line: MatchLine) -> None:
        matches = self.query_one(OptionList)
        matches.add_option(Option(Content(f"{line.number:4}  {line.text}"), id=str(line.number)))
        if line.number == self._number:
            matches.highlighted = matches.option_count - 1

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the match chosen."""
        self.dismiss(int(event.option.id or self._number))


class ReplayApp(App[None]):
    """Steps through a match; shows its table, what happened and what it brought.

    Args:
        source: the matches.
        number: which of them is shown first.
        match: that match.
        index: its frame to begin with.
        letters: suits as letters; by default where the terminal cannot show symbols.
    """

    TITLE = "replay"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #heading { text-style: bold; background: $panel; padding: 0 1; height: auto; }
    #event { height: auto; min-height: 3; padding: 0 1; background: $boost; }
    #table { height: 1fr; padding: 0 1; }
    #legal { color: $text-muted; height: auto; }
    #state { background: $panel; padding: 0 1; height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play", priority=True),
        Binding("right", "go(1)", "Step", priority=True),
        Binding("left", "go(-1)", "Back", show=False, priority=True),
        Binding("n", "round(1)", "Round"),
        Binding("p", "round(-1)", "Round before", show=False),
        Binding("home", "ends(0)", "First", show=False, priority=True),
        Binding("end", "ends(-1)", "Last", show=False, priority=True),
        *(
            Binding(key, f"mark('{mark}')", mark.capitalize(), show=key in "ox")
            for key, mark in _MARK_KEYS.items()
        ),
        Binding("w", "swing", "Swing"),
        *(
            Binding(str(seat), f"hand({seat})", f"Hand {seat} open or hidden", show=False)
            for seat in range(NUM_SEATS)
        ),
        Binding("plus", "pace(1)", "Faster", show=False),
        Binding("minus", "pace(-1)", "Slower", show=False),
        Binding("m", "matches", "Matches"),
        Binding("question_mark", "keys", "Keys", key_display="?"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(
        self,
        source: Source,
        number: int,
        match: Replay,
        index: int = 0,
        *,
        letters: bool | None = None,
    ) -> None:
        super().__init__()
        self.source, self.number, self.match, self.index = source, number, match, index
        self.hidden: set[int] = set()
        self._letters = letters
        self._pace = PACES.index(1.0)
        self._timer: Timer | None = None

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        return self.match.frames[self.index]

    @property
    def playing(self) -> bool:
        """Whether the match goes on by itself."""
        return self._timer is not None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Static(id="heading")
        yield Static(id="event")
        with VerticalScroll(id="table"):
            yield TableView(letters=self._letters)
            yield Static(id="legal")
        yield Static(id="state")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the first frame."""
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys to a list that lies above, and offer only the game's own jumps."""
        if len(self.screen_stack) > 1:
            return action == "quit"
        return action != "mark" or parameters[0] in JUMPS[self.match.game]

    # What is shown.

    def _show(self) -> None:
        view = self.query_one(TableView)
        told = [shown(line, view.letters) for line in event_lines(self.frame, self.hidden)]
        lines = told[: 1 + (not self.hidden)]
        legal = told[len(lines) :]
        self._static("heading", heading(self.match))
        self._static("event", "\n".join(lines))
        view.show(hide_hands(self.frame.scene, self.hidden), self.match.agents)
        self._static("legal", "\n".join(legal))
        self._static("state", self._state())

    def _static(self, name: str, text: str) -> None:
        self.query_one(f"#{name}", Static).update(Content(text))

    def _state(self) -> str:
        parts = [f"match {self.number}", f"frame {self.index + 1} of {len(self.match.frames)}"]
        parts.append(f"{'playing' if self.playing else 'paused'}, {PACES[self._pace]:g} a second")
        if self.hidden:
            parts.append(f"hidden: {', '.join(map(str, sorted(self.hidden)))}")
        if self.match.result:
            parts.append(self.match.result)
        return "   ".join(parts)

    # Going through the match.

    def _move_to(self, index: int) -> None:
        self.index = min(max(index, 0), len(self.match.frames) - 1)
        self._show()

    def _pause(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _tick(self) -> None:
        if self.index + 1 >= len(self.match.frames) - 1:
            self._pause()
        self._move_to(self.index + 1)

    def _start(self) -> None:
        self._pause()
        self._timer = self.set_interval(1 / PACES[self._pace], self._tick)

    def action_play(self) -> None:
        """Play, from the start again if at the end, or pause."""
        if self.playing:
            self._pause()
        else:
            if self.index == len(self.match.frames) - 1:
                self.index = 0
            self._start()
        self._show()

    def action_pace(self, step: int) -> None:
        """Play faster or slower."""
        self._pace = min(max(self._pace + step, 0), len(PACES) - 1)
        if self.playing:
            self._start()
        self._show()

    def action_go(self, step: int) -> None:
        """Go some frames on or back."""
        self._pause()
        self._move_to(self.index + step)

    def action_ends(self, index: int) -> None:
        """Go to the first or the last frame."""
        self._pause()
        self._move_to(index % len(self.match.frames))

    def action_round(self, step: int) -> None:
        """Go to the next round's deal, or to that of this round, then of the one before."""
        self._pause()
        deals = [index for index, frame in enumerate(self.match.frames) if frame.event == 0]
        after = [index for index in deals if index > self.index]
        before = [index for index in deals if index < self.index]
        if step > 0:
            self._move_to(after[0] if after else len(self.match.frames) - 1)
        else:
            self._move_to(before[-1] if before else 0)

    def action_mark(self, mark: str) -> None:
        """Go to the next event of a kind."""
        self._pause()
        after = [index for index in self.match.marked(mark) if index > self.index]
        if after:
            self._move_to(after[0])
        else:
            self._show()
            self.notify(f"no {mark} after this")

    def action_swing(self) -> None:
        """Go to the largest swing, from there to the next smaller one, and so on."""
        self._pause()
        swings = self.match.swings()
        if self.hidden:
            self.notify("swings count all hands: open them first")
        elif swings:
            rank = swings.index(self.index) + 1 if self.index in swings else 0
            self._move_to(swings[rank % len(swings)])

    def action_hand(self, seat: int) -> None:
        """Open or hide a hand."""
        self.hidden ^= {seat}
        self._show()

    def action_keys(self) -> None:
        """Show or hide the list of all keys."""
        if self.screen.query("HelpPanel"):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

    def action_matches(self) -> None:
        """Choose another match of the file."""
        self._pause()
        self.push_screen(MatchList(self.source, self.number), self._choose)

    def _choose(self, number: int | None) -> None:
        if number is not None and number != self.number:
            self.run_worker(partial(self._load, number), thread=True, exclusive=True)

    def _load(self, number: int) -> None:
        """Read and check a match, beside what is shown."""
        try:
            match = self.source.load(number)
        except (ValueError, OSError) as error:
            self.call_from_thread(self.notify, str(error), severity="error", markup=False)
        else:
            self.call_from_thread(self._take, number, match)

    def _take(self, number: int, match: Replay) -> None:
        self.number, self.match, self.index = number, match, 0
        self.refresh_bindings()
        self._show()
