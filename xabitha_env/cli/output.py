"""Progress bars and tables of the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

NARROWEST_TEXT = 12
"""Characters of a table's text column with its borders; longer texts are folded."""
BORDER = 3
"""Characters between two columns."""


@contextmanager
def progress_bar(title: str, total: int | None, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error, if that is a terminal; gives the function that moves it.

    Args:
        title: what is going on.
        total: where the bar ends, in any unit; None if that is not known.
        quiet: show nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
        redirect_stdout=False,  # standard output may be a file
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table on standard output; the first column is text, the others are numbers.

    In a terminal that is too narrow for its columns, each cell becomes a line.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    columns = list(zip(head, *(map(str, row) for row in rows), strict=True))
    numbers = sum(max(map(len, column)) + BORDER for column in columns[1:])
    if NARROWEST_TEXT + numbers > console.width:
        for row in rows:
            print(*(f"{name}: {cell}" for name, cell in zip(head, row, strict=True)), sep="\n")
        return
    table = Table(title=Text(title), title_justify="left")
    table.add_column(head[0], overflow="fold")
    for name in head[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console.print(table)
