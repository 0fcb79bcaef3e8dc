"""Research tasks: fixed problems on fixed deals, each with a score and its 95% interval.

    from xabitha_env.research import task

    found = task("ad-hoc", deals=100).run("expert")
    found.score, found.interval, found.table()

Every task takes the game, the number of deals and their seeds, and options of its own.
"""

from __future__ import annotations

from typing import Any

from xabitha_env.research.ad_hoc import AdHocPartner
from xabitha_env.research.belief import Beliefs
from xabitha_env.research.blind import PartnerBlind
from xabitha_env.research.credit import PartnerCredit
from xabitha_env.research.other_play import OtherPlay
from xabitha_env.research.par import Par
from xabitha_env.research.results import Line, Result
from xabitha_env.research.task import Task

TASKS: dict[str, type[Task]] = {
    one.name: one for one in (Beliefs, AdHocPartner, PartnerBlind, OtherPlay, PartnerCredit, Par)
}
"""The tasks by name."""

__all__ = [
    "TASKS",
    "AdHocPartner",
    "Beliefs",
    "Line",
    "OtherPlay",
    "Par",
    "PartnerBlind",
    "PartnerCredit",
    "Result",
    "Task",
    "task",
]


def task(name: str, **options: Any) -> Task:
    """Return a task.

    Args:
        name: a name in `TASKS`.
        options: its fields.

    Raises:
        ValueError: there is no such task or option, or a value is out of its range.
    """
    if name not in TASKS:
        raise ValueError(f"no task {name!r}; there are {', '.join(TASKS)}")
    try:
        return TASKS[name](**options)
    except TypeError as error:
        raise ValueError(f"task {name!r}: {error}") from error
