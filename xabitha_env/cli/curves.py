"""``xabitha curves``: the learning curves of several runs in one picture."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xabitha_env.cli.options import QuietOption

if TYPE_CHECKING:
    from xabitha_env.evaluation.plots import Learning
    from xabitha_env.evaluation.report import Row

AXES = {"decisions": ("decisions", 1.0), "minutes": ("seconds", 60.0)}
"""What an axis is called: the column that it shows, and by what that is divided."""
MARGIN = "margin"
USUAL_STEM = "curve"
"""The name of the training programs' files; such a run is called by its folder."""
TEST_STAGE = "test"
"""What the column `stage` has where the kept policy was measured: no part of the curve."""


def curves(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE.csv", help="Curves of runs, one a file.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE.png", help="Draw them here (extra: plot).")
    ],
    x: Annotated[
        str, typer.Option("--x", metavar="AXIS", help=f"What goes right: {' or '.join(AXES)}.")
    ] = "decisions",
    y: Annotated[str, typer.Option("--y", metavar="COLUMN", help="What goes up.")] = MARGIN,
    title: Annotated[str, typer.Option("--title", help="A title for the picture.")] = "",
    quiet: QuietOption = False,
) -> None:
    """Draw learning curves: CSV files of training programs, or any with the columns named here.

    Rows without the column --y are left out, so that rows of several kinds may share a file.
    Right goes `decisions`, or `seconds` as minutes. The band of `margin` is from the columns
    `low` to `high`, of `greedy_margin` from `greedy_low` to `greedy_high`, of any other COLUMN
    from `COLUMN_low` to `COLUMN_high`. Rows whose `stage` is `test` are squares beside the
    curve. A run is called by its file, or, if that is curve.csv, by its folder.

    \b
    Examples:
      xabitha curves runs/xabitha/curve.csv --out curve.png
      xabitha curves runs/*/curve.csv --x minutes --title "Three seeds" --out seeds.png
      xabitha curves runs/demo/curve.csv --y greedy_margin --out demo.png
    """
    from xabitha_env.cli.output import print_table
    from xabitha_env.evaluation.plots import check_library, draw_learning
    from xabitha_env.files import check_place

    if x not in AXES:
        raise ValueError(f"--x {x!r}: {' or '.join(AXES)}")
    for place, file in enumerate(files):
        if file in files[:place]:
            raise ValueError(f"{file} is named twice")
    check_library()
    runs = [read_run(file, name, x, y) for file, name in zip(files, run_names(files), strict=True)]
    check_place(out)
    draw_learning(out, runs, x, "margin (points a round)" if y == MARGIN else y, title)
    if not quiet:
        print_table(f"{y} at the end of each curve", ("run", x, y, "interval"), last_rows(runs))


def run_names(files: Sequence[Path]) -> list[str]:
    """Return a name for each run: short ones, if these differ."""
    names = [file.resolve().parent.name if file.stem == USUAL_STEM else file.stem for file in files]
    return names if len(set(names)) == len(names) else [str(file) for file in files]


def interval_columns(y: str) -> tuple[str, str]:
    """Return the names of the columns that hold the ends of a column's interval."""
    prefix = y.removesuffix(MARGIN) if y.endswith(MARGIN) else y + "_"
    return prefix + "low", prefix + "high"


def read_run(file: Path, name: str, x: str, y: str) -> Learning:
    """Return a run's curve.

    Args:
        file: its table.
        name: what it is called.
        x: a name in `AXES`.
        y: a column.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no table, lacks a column, holds no number where one is needed, or
            nothing to draw; the message says where.
    """
    import numpy as np

    from xabitha_env.evaluation.plots import Learning

    column, unit = AXES[x]
    known, rows = _read_rows(file)
    for wanted in (column, y):
        if wanted not in known:
            told = f"it has {', '.join(sorted(known))}" if known else "it is empty"
            raise ValueError(f"{file} has no column {wanted!r}; {told}")
    points: dict[bool, list[list[float]]] = {False: [], True: []}  # of the curve, of tests
    for line, row in rows:
        cells = [_number(file, line, row, one) for one in (column, y, *interval_columns(y))]
        if not math.isnan(cells[1]):
            if math.isnan(cells[0]):
                raise ValueError(f"{file}, line {line}: {y} without {column}")
            points[row.get("stage") == TEST_STAGE].append([cells[0] / unit, *cells[1:]])
    if not any(points.values()):
        raise ValueError(f"{file} has a column {y!r}, but no value in it")
    curve, tests = (np.reshape(points[which], (-1, 4)) for which in (False, True))
    curve = curve[np.argsort(curve[:, 0], kind="stable")]
    place, mean, low, high = curve.T
    return Learning(name, place, mean, low, high, tests)


def _read_rows(file: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Return the columns of a table, and its rows with their lines."""
    from xabitha_env.files import FileError, reason

    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            rows = [(reader.line_num, row) for row in reader]
            return [name for name in reader.fieldnames or () if name], rows
    except OSError as error:
        raise FileError(f"cannot read {file}: {reason(error)}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{file} is no CSV file: {error}") from error


def _number(file: Path, line: int, row: dict[str, str], column: str) -> float:
    """Return a cell's number; nan if it is empty or not there."""
    text = (row.get(column) or "").strip()
    try:
        value = float(text or "nan")
    except ValueError:
        value = math.inf
    if math.isinf(value):
        raise ValueError(f"{file}, line {line}: {column} is {text!r}, not a number")
    return value


def last_rows(runs: Iterable[Learning]) -> list[Row]:
    """Return a line a run for the terminal: where its curve ends."""
    rows: list[Row] = []
    for run in runs:
        ends = (run.x, run.y, run.low, run.high) if len(run.x) else run.tests.T
        place, mean, low, high = (float(column[-1]) for column in ends)
        span = "" if math.isnan(low + high) else f"{low:.4g} to {high:.4g}"
        rows.append((run.name, f"{place:,.0f}", f"{mean:.4g}", span))
    return rows
