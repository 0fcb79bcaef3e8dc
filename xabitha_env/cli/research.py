"""``xabitha research``: tasks with a score, on fixed deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xabitha_env.cli.options import GameOption, JsonFileOption, QuietOption, SeedsOption

if TYPE_CHECKING:
    from xabitha_env.research import Task

OPTION = "--option"


def research(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK",
            help="belief, ad-hoc, blind, other-play, credit or par; `list` names their options.",
        ),
    ],
    players: Annotated[
        list[str] | None, typer.Argument(metavar="PLAYER", help="One or more players.")
    ] = None,
    deals: Annotated[
        int | None, typer.Option("--deals", min=2, help="How many deals; each task has a default.")
    ] = None,
    seeds: SeedsOption = "development",
    option: Annotated[
        list[str] | None,
        typer.Option(
            OPTION, metavar="NAME=VALUE", help="An option of the task; lists have commas."
        ),
    ] = None,
    by_deal: Annotated[
        bool, typer.Option("--by-deal", help="In the JSON, the values of each deal, too.")
    ] = False,
    json_file: JsonFileOption = None,
    game: GameOption = "xabitha",
    quiet: QuietOption = False,
) -> None:
    """Score players at a research task: a fixed problem on fixed deals, with 95% intervals.

    \b
    Examples:
      xabitha research list
      xabitha research ad-hoc expert greedy --deals 500 --seeds test
      xabitha research credit expert+greedy --option baseline=random --json credit.json
      xabitha research belief weighed --option worlds=100
    """
    import os

    from xabitha_env.cli.output import print_table, progress_bar
    from xabitha_env.evaluation.run import THREADS_VARIABLE
    from xabitha_env.files import check_place
    from xabitha_env.research import TASKS

    if task == "list":
        for one in TASKS.values():
            describe(one)
        return
    chosen = task_of(task, game, deals, seeds, option or ())
    if not players:
        raise ValueError(f"task {task!r} needs at least one player")
    if json_file is not None:
        check_place(json_file)
    os.environ[THREADS_VARIABLE] = "1"  # players that load torch compute on one thread
    found = []
    for player in players:
        with progress_bar(player, chosen.rounds, quiet) as move:
            found.append(chosen.run(player, move))
        if not quiet:
            print_table(*found[-1].table())
            print(*found[-1].notes, sep="\n", end="\n" if found[-1].notes else "")
    if json_file is not None:
        import json

        from xabitha_env.evaluation.report import rounded
        from xabitha_env.files import write_text

        results = [rounded(one.to_dict(by_deal)) for one in found]
        write_text(json_file, json.dumps(results, indent=2) + "\n")


def task_of(
    name: str, game: str, deals: int | None, seeds: str, assignments: Sequence[str]
) -> Task:
    """Return the task of a command line.

    Raises:
        ValueError: no such task or option, or a value of the wrong kind.
    """
    from xabitha_env.research import TASKS, task

    values: dict[str, Any] = {"game": game, "seeds": seeds}
    if deals is not None:
        values["deals"] = deals
    defaults = own_options(TASKS[name]) if name in TASKS else {}
    for assignment in assignments:
        key, equals, text = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise ValueError(f"{OPTION} {assignment}: write it as NAME=VALUE")
        if name in TASKS and key not in defaults:
            names = ", ".join(defaults) or "none"
            raise ValueError(f"task {name!r} has no option {key!r}; there are {names}")
        values[key] = _value(assignment, text, defaults.get(key, (None, ""))[0])
    return task(name, **values)


def own_options(task: type[Task]) -> dict[str, tuple[Any, str]]:
    """Return the options that only this task has, by name: their defaults, and what they are."""
    from dataclasses import fields

    return {
        one.name: (one.default, one.metadata["help"])
        for one in fields(task)
        if "help" in one.metadata
    }


def describe(task: type[Task]) -> None:
    """Print what a task is, and its options."""
    print(f"{task.name}: {task.summary} ({', '.join(task.games)}; {task.deals} deals)")
    for name, (default, text) in own_options(task).items():
        shown = ",".join(default) if isinstance(default, tuple) else default
        print(f"  {name}={shown}: {text}")


def _value(assignment: str, text: str, default: Any) -> Any:
    """Return a value in the type of a default."""
    if isinstance(default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if isinstance(default, int):
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"{OPTION} {assignment}: {text!r} is no whole number") from None
    return text
