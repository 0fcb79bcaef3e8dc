"""The rules of both games as text, by their numbers; the documentation shows the same files."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_RULE = re.compile(r"^(?:- \*\*|## )([XR][0-9]+(?:\.[0-9]+)?)(?:\*\*)? (.+)$", re.MULTILINE)
"""A rule, or the title of a chapter."""


@cache
def rules_text(game: str) -> str:
    """Return all rules of a game, as Markdown."""
    return (files("xabitha_env") / game / "rules.md").read_text(encoding="utf-8")


@cache
def _by_number(game: str) -> dict[str, str]:
    return {number: text for number, text in _RULE.findall(rules_text(game))}


def rule_text(game: str, number: str) -> str:
    """Return one rule's words, as Markdown, or a chapter's title.

    Raises:
        ValueError: there is no such rule.
    """
    rules = _by_number(game)
    if number not in rules:
        raise ValueError(f"{game} has no rule {number!r}; there are {', '.join(rules)}")
    return rules[number]
