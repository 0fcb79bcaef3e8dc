"""The table as a widget: it draws a scene and knows no rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content
from textual.widgets import Static

from xabitha_env.cards import NUM_SEATS
from xabitha_env.scene import Group, Scene, SeatScene
from xabitha_env.terminal.glyphs import is_red, needs_letters, shown

RED, QUIET, STRONG = "bold red", "dim", "bold"
ABREAST = 2
"""Piles on a line, which then fits half a screen."""
MOST_SHOWN = 24
"""Cards of a pile that are shown; of a longer one only the last, as those below hardly matter."""


class TableView(Static):
    """A table as a viewer sees it, in as many lines as its width needs.

    It takes its height from what it shows; put it into a container that scrolls where there may
    be too little room.

    Args:
        letters: suits as letters; by default where the terminal cannot show symbols.
        id, classes: as for any widget.
    """

    DEFAULT_CSS = "TableView { height: auto; }"

    def __init__(
        self, *, letters: bool | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.letters = needs_letters() if letters is None else letters

    def show(
        self, scene: Scene, names: Sequence[str] = ("",) * NUM_SEATS, own_hand: bool = True
    ) -> None:
        """Show a scene.

        Args:
            scene: what is seen.
            names: who sits where, by seat.
            own_hand: whether the viewer's hand is shown; False where it is shown elsewhere.
        """
        self.update(table_content(scene, names, self.letters, own_hand))


def cards_content(cards: Iterable[str], letters: bool = False, between: str = " ") -> Content:
    """Return cards in a row; diamonds and hearts are red where there is colour."""
    parts = [(shown(card, letters), RED if is_red(card) else STRONG) for card in cards]
    return Content(between).join([Content.styled(text, style) for text, style in parts])


def table_content(
    scene: Scene, names: Sequence[str], letters: bool = False, own_hand: bool = True
) -> Content:
    """Return a scene as styled text; see `TableView`."""
    apart = None if own_hand else scene.viewer
    lines = [
        _heading(scene),
        *(
            Content("   ").join(
                [_pile(pile, letters) for pile in scene.piles[first : first + ABREAST]]
            )
            for first in range(0, len(scene.piles), ABREAST)
        ),
        *(line for seat in scene.seats for line in _seat(scene, seat, names, letters, apart)),
    ]
    if scene.melds:
        lines.append(Content("  ").join([_meld(meld, letters) for meld in scene.melds]))
    lines.append(Content.styled(scene.doing, STRONG))
    if scene.news:
        lines.append(Content(scene.news))
    return Content("\n").join(lines)


def _heading(scene: Scene) -> Content:
    scores = [f"{name} {first} : {second}" for name, first, second in scene.scores]
    after = "   " if len(scores) == 1 else "\n"  # one fits behind the place
    return Content.styled(scene.place + after + "   ".join(scores), STRONG)


def _pile(pile: Group, letters: bool) -> Content:
    cards = pile.cards[-MOST_SHOWN:]
    parts = [Content(f"{pile.name} ({pile.count})")]
    if cards:
        dots = [Content("...")] if len(cards) < len(pile.cards) else []
        parts += [*dots, cards_content(cards, letters)]
    elif not pile.hidden and not pile.note:
        parts.append(Content("empty"))
    if pile.note:
        parts.append(Content.styled(pile.note, QUIET))
    return Content(" ").join(parts)


def _meld(meld: Group, letters: bool) -> Content:
    """Return a meld with its number, unbroken, so that a line ends between two melds."""
    number = meld.name.rpartition(" ")[2]
    return Content.assemble((f"{number}:", QUIET), cards_content(meld.cards, letters, "-"))


def _seat(
    scene: Scene, seat: SeatScene, names: Sequence[str], letters: bool, apart: int | None
) -> list[Content]:
    """Return a seat's lines; the hand of the seat `apart` is shown elsewhere."""
    acts = seat.seat == scene.actor
    name = "you" if seat.seat == scene.viewer else names[seat.seat]
    count = seat.hand.count + sum(meld.count for meld in seat.staged)
    width = max(map(len, ("you", *names)))
    said = filter(
        None, (f"seat {seat.seat} {name:{width}}", f"{count:2} cards", seat.status, seat.secret)
    )
    head = Content.styled(("> " if acts else "  ") + "  ".join(said), STRONG if acts else "")
    lines = [head]
    if seat.hand.cards and seat.seat != apart:
        lines.append(Content.assemble("    ", cards_content(seat.hand.cards, letters)))
    if seat.staged:
        staged = Content("  ").join(
            [cards_content(meld.cards, letters, "-") for meld in seat.staged]
        )
        lines.append(Content.assemble("    staged: ", staged))
    return lines
